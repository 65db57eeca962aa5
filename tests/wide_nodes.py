"""Whether a module with 64-bit node numbers finds the same labels as one with 32 bits.

    python tests/wide_nodes.py write FOLDER      # with one module
    python tests/wide_nodes.py compare FOLDER    # with the other

Writes graph folders, labels and a model to a folder, which the other module reads and compares with
its own. Small graphs and points, with every score, are compared by tests/test_unchanged.py.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from powercut import Graph, PowerLawClusters, PowerLawCut, load, save
from powercut._typing import LABEL
from powercut.datasets import make_blobs, make_block_graph
from powercut.disk import open_blocks, write_blocks


def graphs() -> Iterator[tuple[str, Graph]]:
    """Yield a graph that is large enough for the search of large graphs, and a weighted one."""
    large = make_block_graph(40_000, degree=40, mixing=0.3, random_state=0)[0]
    assert large.n_nodes >= 2**15
    assert large.n_entries > 2**20
    yield "large", large
    small = make_block_graph(3000, random_state=1)[0]
    rows = np.repeat(np.arange(small.n_nodes), np.diff(small.indptr))
    weight = 1 + (rows + small.indices) % 7 / 4
    yield "weighted", Graph.from_edges(rows, small.indices, weight, symmetrize="max")


def fitted(folder: Path) -> Iterator[tuple[str, Any]]:
    """Write the graphs to folders, and yield a model of each and one of points."""
    for name, graph in graphs():
        path = write_blocks(folder / name, graph, encoding="gaps", memory="1MiB")
        data = path if name == "large" else graph
        yield name, PowerLawCut(random_state=0, n_jobs=2).fit(data)
    X = make_blobs(400, n_features=4, random_state=2)[0]
    yield "points", PowerLawClusters(random_state=0).fit(X)


def write(folder: Path) -> None:
    """Write folders of graphs, models and their labels."""
    folder.mkdir()
    for name, model in fitted(folder):
        save(folder / f"{name}.npz", model=model)
        np.save(folder / f"{name}.npy", model.labels_)


def compare(folder: Path) -> None:
    """Compare with what the other module wrote; raise at the first difference."""
    own = folder / f"own-{np.iinfo(LABEL).bits}"
    own.mkdir()
    for name, model in fitted(own):
        labels = np.load(folder / f"{name}.npy")
        assert model.labels_.dtype == LABEL, f"{name}: labels are {model.labels_.dtype}"
        assert labels.dtype != LABEL, "the same module wrote the labels to compare with"
        assert np.array_equal(model.labels_, labels), f"{name}: the labels differ"
        print(f"{name}: the same {model.n_clusters_} clusters in 32 and 64 bits")
        if (folder / name).exists():
            for file in sorted((folder / name).iterdir()):
                assert file.read_bytes() == (own / name / file.name).read_bytes(), file.name
            open_blocks(folder / name)
        if np.iinfo(LABEL).bits == 64:
            again: Any = load(folder / f"{name}.npz")
            assert again.labels_.dtype == LABEL
            assert np.array_equal(again.labels_, labels)


if __name__ == "__main__":
    {"write": write, "compare": compare}[sys.argv[1]](Path(sys.argv[2]))
