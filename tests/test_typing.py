"""Labels have as many bits as the native module was built with."""

from pathlib import Path

import numpy as np
import pytest

from powercut import Graph, PowerLawClusters, PowerLawCut, PowerLawKernelMeans, PowerLawMeans, _core
from powercut._typing import LABEL
from powercut.datasets import make_blobs, make_paper_graph
from powercut.disk import open_blocks, write_blocks
from powercut.graphs._adjacency import LARGEST, index_type
from powercut.partition import canonical_labels, compact_labels
from powercut.prior import PitmanYor


def test_label_has_the_bits_of_the_module() -> None:
    assert np.iinfo(LABEL).bits == _core.NODE_BITS
    assert LARGEST == 2 ** (_core.NODE_BITS - 1) - 1


def test_labels_of_all_fits_have_one_type(tmp_path: Path) -> None:
    graph = make_paper_graph(200, n_clusters=(3, 6), random_state=0)[0]
    X = make_blobs(200, n_features=3, random_state=0)[0]
    kernel = np.exp(-np.square(X[:, None] - X[None]).sum(axis=2))
    folder = write_blocks(tmp_path / "graph", graph, encoding="gaps")
    for model, data in (
        (PowerLawCut(random_state=0), graph),
        (PowerLawCut(random_state=0), folder),
        (PowerLawMeans(random_state=0), X),
        (PowerLawMeans("kmeans", random_state=0), X),
        (PowerLawClusters(random_state=0), X),
        (PowerLawKernelMeans(0.05, random_state=0), kernel),
    ):
        assert model.fit(data).labels_.dtype == LABEL
        assert model.predict(data).dtype == LABEL


def test_labels_of_any_type_become_labels() -> None:
    for dtype in (np.int8, np.int32, np.int64, np.uint64):
        given = np.array([5, 2, 2, 9], dtype=dtype)
        assert canonical_labels(given).dtype == compact_labels(given)[0].dtype == LABEL
    assert PitmanYor(1, 0.5).sample(10, random_state=0).dtype == LABEL


def test_indices_of_small_graphs_have_32_bits_in_memory_and_on_disk(tmp_path: Path) -> None:
    graph = Graph.from_edges([0, 1], [1, 2], symmetrize="max")
    assert graph.indices.dtype == np.int32
    assert open_blocks(write_blocks(tmp_path / "graph", graph)).indices.dtype == np.int32
    assert index_type(2**31 - 1) is np.int32
    assert index_type(2**31) is np.int64


def test_labels_to_change_must_have_the_type_of_labels() -> None:
    other = np.int64 if LABEL is np.int32 else np.int32
    graph = Graph.from_edges([0, 1], [1, 2], symmetrize="max")
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _core.lloyd_kernel(
            graph.arrays, np.zeros(3), np.ones(3), np.zeros(3, other), 1, (1.0, 0.0, 1.0), 5, None
        )


@pytest.mark.skipif(_core.NODE_BITS == 64, reason="so many nodes have numbers")
def test_error_of_too_many_nodes_says_how_to_number_them() -> None:
    with pytest.raises(ValueError, match="at most 2\\^31 - 1 nodes") as error:
        Graph.from_edges([0], [2**31])
    assert "--config-settings=cmake.define.POWERCUT_NODE_BITS=64" in str(error.value)
