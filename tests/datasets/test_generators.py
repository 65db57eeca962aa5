"""Synthetic data have the requested properties."""

from pathlib import Path

import numpy as np
import pytest

from powercut.datasets import (
    block_graphs,
    make_blobs,
    make_block_graph,
    make_paper_graph,
    write_block_graph,
)
from powercut.disk import open_blocks


def test_paper_graph_has_the_requested_densities() -> None:
    graph, labels = make_paper_graph(1500, n_clusters=(8, 14), random_state=0)
    A = graph.adjacency.toarray()
    assert graph.weights is None
    assert np.trace(A) == 0
    assert 8 <= len(np.unique(labels)) <= 14
    same = labels[:, None] == labels
    np.fill_diagonal(same, False)
    assert A[same].mean() == pytest.approx(0.3, abs=0.005)
    different = labels[:, None] != labels
    assert A[different].mean() == pytest.approx(0.01, abs=0.001)


def test_densities_vary_with_the_spread() -> None:
    graph, labels = make_paper_graph(1500, n_clusters=(8, 14), spread=0.05, random_state=0)
    A = graph.adjacency.toarray()
    sizes = np.bincount(labels)
    large = np.flatnonzero(sizes > 100)
    assert len(large) >= 2
    inside = [A[np.ix_(labels == c, labels == c)].mean() for c in large]
    assert np.ptp(inside) > 0.02


def test_improbable_numbers_of_clusters_are_refused() -> None:
    with pytest.raises(ValueError, match="is improbable: 100 nodes have about"):
        make_paper_graph(100, n_clusters=(80, 90))


@pytest.mark.parametrize("mixing", [0.2, 0.4])
def test_block_graph_has_the_requested_mixing_and_degree(mixing: float) -> None:
    graph, labels = make_block_graph(20_000, mixing=mixing, random_state=0)
    size = np.bincount(labels)[labels]
    row = np.repeat(np.arange(20_000), np.diff(graph.indptr))
    in_large = size[row] > 500
    leaves = labels[row] != labels[graph.indices]
    assert leaves[in_large].mean() == pytest.approx(mixing, abs=0.02)
    assert graph.degrees[size > 500].mean() == pytest.approx(20, rel=0.05)


@pytest.mark.parametrize("mixing", [-0.1, 1.0, 1.5])
def test_mixing_out_of_range_is_refused(mixing: float) -> None:
    with pytest.raises(ValueError, match="mixing must be in"):
        make_block_graph(100, mixing=mixing)


def test_one_block_has_no_edge_to_another() -> None:
    graph, labels = make_block_graph(300, concentration=1e-9, discount=0.0, random_state=0)
    assert labels.max() == 0
    assert graph.n_entries > 0


@pytest.mark.parametrize("n", [0, 1, 2, 3000])
@pytest.mark.parametrize("chunk", [1 << 24, 1000])
def test_a_block_graph_on_disk_is_the_one_in_memory(
    n: int, chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block_graphs, "CHUNK", chunk)
    graph, labels = make_block_graph(n, mixing=0.3, random_state=3)
    on_disk = write_block_graph(tmp_path / "graph", n, mixing=0.3, random_state=3, memory="200KiB")
    np.testing.assert_array_equal(on_disk, labels)
    opened = open_blocks(tmp_path / "graph")
    assert opened.weights is None
    np.testing.assert_array_equal(opened.indptr, graph.indptr)
    np.testing.assert_array_equal(opened.indices, graph.indices)


def test_edges_drawn_in_chunks_have_the_requested_mixing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_graphs, "CHUNK", 1000)
    test_block_graph_has_the_requested_mixing_and_degree(0.4)


def test_blobs_have_unit_variance_around_their_centres() -> None:
    X, labels = make_blobs(5000, n_features=3, random_state=0)
    assert X.dtype == np.float32
    largest = X[labels == np.bincount(labels).argmax()]
    np.testing.assert_allclose(largest.var(axis=0), 1, atol=0.1)


@pytest.mark.parametrize("make", [make_paper_graph, make_block_graph, make_blobs])
def test_same_random_state_gives_the_same_data(make) -> None:
    arguments = {"n_clusters": (4, 9)} if make is make_paper_graph else {}
    (first, a), (second, b) = (make(400, random_state=7, **arguments) for _ in range(2))
    np.testing.assert_array_equal(a, b)
    for one, two in zip(
        getattr(first, "arrays", (first,)), getattr(second, "arrays", (second,)), strict=True
    ):
        np.testing.assert_array_equal(one, two)
