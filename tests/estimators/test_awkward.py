"""Every estimator of graphs, on every degenerate or invalid graph."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from powercut import Graph, PowerLawClusters, PowerLawCut, PowerLawKernelMeans
from powercut.baselines import NormalizedCut
from powercut.graphs.scores import GRAPH_SCORES, KernelScore

ESTIMATORS: dict[str, Callable[[], Any]] = {
    **{score: lambda score=score: PowerLawCut(score, random_state=0) for score in GRAPH_SCORES},
    **{
        f"{name}-lloyd": lambda name=name: PowerLawCut(name, algorithm="lloyd", shift=30.0)
        for name, score in GRAPH_SCORES.items()
        if issubclass(score, KernelScore)
    },
    "free": lambda: PowerLawCut(connected=False, random_state=0),
    "no-prior": lambda: PowerLawCut(tradeoff=0.0, random_state=0),
    "threads": lambda: PowerLawCut(n_jobs=2, random_state=0),
    "spectral": lambda: NormalizedCut(1, random_state=0),
}
# Most degenerate graphs are too small to have clusters.
pytestmark = pytest.mark.filterwarnings("ignore:No more than one cluster:UserWarning")
each_estimator = pytest.mark.parametrize("make", ESTIMATORS.values(), ids=ESTIMATORS.keys())


def path(n: int) -> sp.csr_array:
    return sp.csr_array(np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1))


def with_changed(value: float, *, mirrored: bool = True) -> sp.csr_array:
    A = path(5).toarray()
    A[1, 3] = value
    if mirrored:
        A[3, 1] = value
    return sp.csr_array(A)


def duplicated() -> sp.coo_array:
    return sp.coo_array((np.ones(6), ([0, 0, 1, 1, 1, 2], [1, 1, 0, 0, 2, 1])), shape=(3, 3))


def isolated() -> sp.csr_array:
    A = sp.lil_array((6, 6))
    A[0, 1] = A[1, 0] = A[1, 2] = A[2, 1] = 1.0
    A[4, 4] = 3.0  # a self-loop is not a neighbour
    return A.tocsr()


# Accepted graphs, with their number of nodes.
ACCEPTED: dict[str, tuple[Callable[[], Any], int]] = {
    "no nodes": (lambda: sp.csr_array((0, 0)), 0),
    "one node": (lambda: sp.csr_array((1, 1)), 1),
    "one node with a loop": (lambda: np.array([[2.0]]), 1),
    "two nodes": (lambda: path(2), 2),
    "two nodes without an edge": (lambda: np.zeros((2, 2)), 2),
    "no edges": (lambda: sp.csr_array((5, 5)), 5),
    "isolated nodes": (isolated, 6),
    "stored zeros": (lambda: with_changed(0.0), 5),
    "duplicates": (duplicated, 3),
    "duplicates in rows": (lambda: repeated_entries(path(4).toarray()), 4),
    "loops": (lambda: path(4) + sp.eye_array(4), 4),
    "two components": (lambda: sp.block_diag([path(3), path(4)]), 7),
    "complete": (lambda: np.ones((6, 6)), 6),
    "star": (lambda: Graph.from_edges([0] * 9, np.arange(1, 10), symmetrize="sum"), 10),
    "tiny weights": (lambda: path(5) * 1e-300, 5),
    "huge weights": (lambda: path(5) * 1e150, 5),
    "single precision": (lambda: path(5).astype(np.float32) * np.float32(0.1), 5),
    "counts": (lambda: (path(5) * 3).astype(np.int64), 5),
    "booleans": (lambda: path(5).astype(bool), 5),
    "wide indices": (lambda: wide(path(5)), 5),
    "unsorted rows": (lambda: unsorted(np.ones((4, 4))), 4),
    "csc": (lambda: path(4).tocsc(), 4),
    "matrix, not array": (lambda: sp.csr_matrix(path(4)), 4),
    "lists": (lambda: path(3).toarray().tolist(), 3),
}


def wide(A: sp.csr_array) -> sp.csr_array:
    return sp.csr_array(
        (A.data, A.indices.astype(np.int64), A.indptr.astype(np.int64)), shape=A.shape
    )


def repeated_entries(A: np.ndarray) -> sp.csr_array:
    """Return A with every entry stored twice, with half of its value."""
    rows = sp.csr_array(A)
    return sp.csr_array(
        (np.repeat(rows.data / 2, 2), np.repeat(rows.indices, 2), 2 * rows.indptr), shape=A.shape
    )


def unsorted(A: np.ndarray) -> sp.csr_array:
    rows = sp.csr_array(A)
    rows.indices = rows.indices.reshape(4, 4)[:, ::-1].ravel().copy()
    rows.has_sorted_indices = False
    return rows


# Invalid graphs, with a pattern of the error message.
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "asymmetric value": (
        lambda: with_changed(2.0, mirrored=False),
        r"A\[1, 3\] = 2\.0 but A\[3, 1\] = 0.*symmetrize=\"sum\"",
    ),
    "directed edge": (
        lambda: sp.csr_array(np.triu(path(4).toarray())),
        r"A\[0, 1\] = 1 but A\[1, 0\] = 0.*symmetrize=\"sum\"",
    ),
    "negative": (lambda: with_changed(-1.0), r"A\[1, 3\] = -1\.0"),
    "NaN": (lambda: with_changed(np.nan), r"A\[1, 3\] = nan"),
    "infinite": (lambda: with_changed(np.inf), r"A\[1, 3\] = inf"),
    "negative infinity": (lambda: with_changed(-np.inf), r"A\[1, 3\] = -inf"),
    "not square": (lambda: np.ones((3, 4)), r"square.*\(3, 4\).*nearest_neighbors.*from_edges"),
}


@each_estimator
@pytest.mark.parametrize(("graph", "n"), ACCEPTED.values(), ids=ACCEPTED.keys())
def test_degenerate_graphs_are_clustered(make: Any, graph: Callable[[], Any], n: int) -> None:
    model = make()
    A = graph()
    if isinstance(model, NormalizedCut) and Graph.wrap(A).total_weight == 0:
        with pytest.raises(ValueError, match="n_clusters=1 is more than the 0 nodes with an edge"):
            model.fit(A)
        return
    labels = model.fit(A).labels_
    assert labels.shape == (n,)
    assert n == 0 or (labels.min() == 0 and labels.max() + 1 == len(np.unique(labels)))
    if isinstance(model, PowerLawCut):
        assert np.isfinite(model.objective_)
        np.testing.assert_array_equal(model.predict(A), labels)
        p = model.predict_proba(A)
        assert p.shape == (n, model.n_clusters_)
        if n > 0:
            np.testing.assert_array_equal(p.argmax(axis=1), labels)


@pytest.mark.parametrize(("graph", "n"), ACCEPTED.values(), ids=ACCEPTED.keys())
def test_degenerate_graphs_are_clustered_whatever_the_estimator_is_called(
    graph: Callable[[], Any], n: int
) -> None:
    A = Graph.wrap(graph())
    model, cut = (kind(random_state=0).fit(A) for kind in (PowerLawClusters, PowerLawCut))
    assert model.labels_.shape == (n,)
    np.testing.assert_array_equal(model.labels_, cut.labels_)
    np.testing.assert_array_equal(model.predict(A), cut.labels_)
    np.testing.assert_array_equal(model.predict_proba(A), cut.predict_proba(A))


@each_estimator
@pytest.mark.parametrize(("graph", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_invalid_graphs_are_refused_with_the_reason(
    make: Any, graph: Callable[[], Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make().fit(graph())


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name != "spectral"])
def test_nodes_without_neighbours_are_singletons(name: str) -> None:
    for init in (None, np.zeros(6, dtype=int)):
        labels = ESTIMATORS[name]().set_params(init=init).fit(isolated()).labels_
        isolated_labels = labels[[3, 4, 5]]
        assert len(set(isolated_labels)) == 3
        assert not set(isolated_labels) & set(labels[:3])


@each_estimator
def test_duplicates_are_summed(make: Any) -> None:
    summed = make().fit(np.array([[0.0, 2, 0], [2, 0, 1], [0, 1, 0]])).labels_
    np.testing.assert_array_equal(make().fit(duplicated()).labels_, summed)


@each_estimator
def test_the_input_matrix_is_not_modified(make: Any) -> None:
    for graph in (duplicated(), with_changed(0.0), path(5)):
        before = graph.copy()
        make().fit(graph)
        assert (before != graph).nnz == 0
        assert graph.nnz == before.nnz


@pytest.mark.parametrize("algorithm", ["multilevel", "lloyd"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_small_kernel_matrices(algorithm: str, n: int) -> None:
    model = PowerLawKernelMeans(algorithm=algorithm, random_state=0)
    for K in (np.zeros((n, n)), np.eye(n), -np.eye(n), np.ones((n, n))):
        assert model.fit(K).labels_.shape == (n,)
        np.testing.assert_array_equal(model.predict(K), model.labels_)
