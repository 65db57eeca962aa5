"""Division of large clusters by their spectrum."""

from collections.abc import Iterator
from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import normalized_mutual_info_score

from powercut import Graph, PowerLawCut, _core
from powercut._typing import LABEL, Labels
from powercut.datasets import make_block_graph
from powercut.graphs import block_fit, spectral
from powercut.graphs.block_fit import (
    BlockFit,
    by_description_length,
    divide_giants,
    evaluate,
)
from powercut.graphs.block_model import BlockModel, block_level
from powercut.graphs.level import Level
from powercut.graphs.spectral import GIANT_NODES, N_PIECES, GiantDivisions, NormalisedGraph
from powercut.partition import compact_labels
from powercut.progress import ProgressReporter


@pytest.fixture(scope="module")
def few_giants() -> tuple[Graph, Labels]:
    """Return a graph of 21 clusters, of which the largest mix."""
    return make_block_graph(
        5000, degree=10, mixing=0.4, concentration=1, discount=0.1, random_state=0
    )


def merged_fit(graph: Graph, truth: Labels, n_merged: int) -> BlockFit:
    """Return the fit of the planted clusters, of which the largest are merged."""
    largest = np.argsort(-np.bincount(truth), kind="stable")[:n_merged]
    labels = np.where(np.isin(truth, largest), largest[0], truth)
    model = BlockModel.of(graph, degree_corrected=False)
    return evaluate(graph, block_level(graph), compact_labels(labels)[0], model)


def random_pieces(giants: GiantDivisions, labels: Labels) -> Iterator[Labels]:
    """Yield one division, which has nothing to do with the graph."""
    yield compact_labels(2 * labels + giants.random.integers(2, size=giants.level.n))[0]


def giants_of(level: Level, unit: float = 1.0) -> GiantDivisions:
    return GiantDivisions(level, np.random.default_rng(0), unit)


def whole_giant(n: int, degree: float) -> Graph:
    A = sp.random_array((n, n), density=degree / n, rng=np.random.default_rng(0), format="csr")
    A = sp.triu(A, 1)
    return Graph(((A + A.T) > 0).astype(float))


def inside_of(level: Level, labels: Labels, cluster: int, n_threads: int = 1) -> NormalisedGraph:
    inside = _core.cluster_graph(level.graph, level.nodes, labels, cluster, n_threads, None)
    return NormalisedGraph.of(inside, n_threads=n_threads)


def start_of(graph: NormalisedGraph) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(graph.n_nodes, dtype=np.float32)


@pytest.mark.parametrize("weights", [None, np.float32, np.float64])
def test_row_products_are_those_of_the_matrix(weights: type | None) -> None:
    A = sp.random_array((40, 30), density=0.2, rng=np.random.default_rng(0), format="csr")
    A = sp.csr_array((A.data, A.indices, A.indptr), shape=(40, 40))
    if weights is None:
        A.data[:] = 1
    x = np.random.default_rng(1).normal(size=40)
    stored = None if weights is None else A.data.astype(weights)
    product = _core.row_products((A.indptr, A.indices, stored), x, 2, None)
    np.testing.assert_allclose(product, A @ x, rtol=1e-6)


def test_row_products_check_their_arrays() -> None:
    with pytest.raises(ValueError, match="number"):
        _core.row_products(Graph(np.ones((3, 3))).arrays, np.ones(2), 1, None)


@pytest.mark.parametrize("weights", [None, np.float32, np.float64])
def test_the_graph_inside_a_cluster_is_that_of_the_matrix(weights: type | None) -> None:
    A = sp.random_array((40, 40), density=0.3, rng=np.random.default_rng(0), format="csr")
    A = sp.csr_array(A + A.T)
    if weights is None:
        A.data[:] = 1
    labels = np.random.default_rng(1).integers(3, size=40).astype(LABEL)
    level = Level(
        (A.indptr, A.indices, None if weights is None else A.data.astype(weights)),
        (A.sum(axis=1), None, None),
    )
    for cluster in range(3):
        inside = inside_of(level, labels, cluster).graph
        assert (inside[2] is None) == (weights is None)
        data = np.ones(len(inside[1])) if inside[2] is None else inside[2]
        members = np.flatnonzero(labels == cluster)
        found = sp.csr_array((data, inside[1], inside[0]), shape=2 * members.shape)
        np.testing.assert_allclose(
            found.toarray(), A[members][:, members].toarray(), rtol=1e-6, atol=1e-12
        )


def test_the_graph_inside_a_cluster_needs_members_and_a_label_for_each_node() -> None:
    level = Level.finest(Graph(np.ones((3, 3))))
    with pytest.raises(ValueError, match="no members"):
        inside_of(level, np.zeros(3, dtype=LABEL), 1)
    with pytest.raises(ValueError, match="label"):
        inside_of(level, np.zeros(2, dtype=LABEL), 0)


def test_leading_eigenvectors_are_those_of_the_regularised_matrix() -> None:
    graph, truth = make_block_graph(
        900, degree=25, mixing=0.3, concentration=1, discount=0.0, random_state=2
    )
    merged = np.minimum(truth, 4) // 4
    members = np.flatnonzero(merged == 0)
    A = graph.adjacency[members][:, members].toarray()
    degrees = A.sum(axis=1) + A.sum() / len(A)
    N = A / np.sqrt(np.outer(degrees, degrees))
    trivial = np.sqrt(degrees) / np.linalg.norm(np.sqrt(degrees))
    P = np.eye(len(A)) - np.outer(trivial, trivial)
    values, vectors = np.linalg.eigh(P @ N @ P)
    inside = inside_of(block_level(graph), merged, 0)
    found_values, rows = inside.embedding(start_of(inside))
    n = int(np.count_nonzero(values > 1.2 * values[-8]))
    assert n >= 2
    np.testing.assert_allclose(found_values[:n], values[: -n - 1 : -1], rtol=1e-4)
    np.testing.assert_allclose(inside.leading_eigenvalue(start_of(inside)), values[-1], rtol=1e-5)
    for found, exact in zip(rows.T[:n], vectors.T[: -n - 1 : -1], strict=True):
        expected = exact / np.sqrt(degrees)
        assert abs(np.corrcoef(found, expected)[0, 1]) > 0.999


def test_spectrum_does_not_depend_on_threads(few_giants: tuple[Graph, Labels]) -> None:
    graph, truth = few_giants
    labels = np.minimum(truth, 9) // 9
    one, three = (inside_of(block_level(graph), labels, 0, n_threads) for n_threads in (1, 3))
    start = start_of(one)
    np.testing.assert_array_equal(one.embedding(start)[1], three.embedding(start)[1])
    assert one.leading_eigenvalue(start) == three.leading_eigenvalue(start)


def test_only_merged_clusters_have_structure(few_giants: tuple[Graph, Labels]) -> None:
    graph, truth = few_giants
    level, largest = block_level(graph), np.argsort(-np.bincount(truth), kind="stable")
    for clusters, expected in ((largest[:1], False), (largest[1:2], False), (largest[:4], True)):
        inside = inside_of(level, np.isin(truth, clusters).astype(LABEL), 1)
        assert inside.has_structure(start_of(inside)) == expected


@pytest.mark.parametrize("weight", [1e-250, 0.1, 1e250])
def test_pieces_do_not_depend_on_the_unit_of_weights(
    weight: float, few_giants: tuple[Graph, Labels]
) -> None:
    graph, truth = few_giants
    labels = merged_fit(graph, truth, 4).found.labels
    heavy = Graph(graph.adjacency.astype(np.float64) * weight)
    one, other = (
        list(giants_of(Level.finest(g), unit).of(labels))
        for g, unit in ((graph, 1.0), (heavy, 1 / weight))
    )
    for a, b in zip(one, other, strict=True):
        assert normalized_mutual_info_score(a, b) > 0.99


@pytest.mark.parametrize("degree", [8, 10, 25])
def test_random_graphs_are_not_divided(degree: float) -> None:
    graph = whole_giant(3000, degree)
    one = np.zeros(3000, dtype=LABEL)
    assert not list(giants_of(block_level(graph)).of(one))


def test_few_distinct_eigenvalues_or_no_edges_are_no_problem() -> None:
    n = GIANT_NODES
    for A in (np.ones((n, n)), np.eye(n), np.kron(np.eye(2), np.ones((n // 2, n // 2)))):
        level = Level.finest(Graph(A))
        inside = inside_of(level, np.zeros(n, dtype=LABEL), 0)
        assert np.isfinite(inside.embedding(start_of(inside))[1]).all()
        assert np.isfinite(inside.leading_eigenvalue(start_of(inside)))
    # Nodes of this cluster are linked to the other cluster only.
    labels = np.repeat(np.arange(2, dtype=LABEL), n)
    level = Level.finest(Graph(np.kron([[0, 1], [1, 0]], np.eye(n))))
    for parts in giants_of(level).of(labels):
        assert len(parts) == 2 * n


def test_pieces_refine_giants_and_leave_other_clusters_alone(
    few_giants: tuple[Graph, Labels],
) -> None:
    graph, truth = few_giants
    labels = merged_fit(graph, truth, 4).found.labels
    giants = np.bincount(labels) >= GIANT_NODES
    found = list(giants_of(block_level(graph)).of(labels))
    assert len(found) == len(N_PIECES)
    for parts in found:
        cluster_of = {part: set(labels[parts == part]) for part in np.unique(parts)}
        assert all(len(clusters) == 1 for clusters in cluster_of.values())
        assert (np.bincount(labels[np.unique(parts, return_index=True)[1]])[~giants] == 1).all()
    assert [parts.max() > labels.max() for parts in found] == [True] * len(found)


def test_giants_without_structure_are_looked_at_again_only_if_they_change(
    few_giants: tuple[Graph, Labels],
) -> None:
    graph, truth = few_giants
    first, second, third = (int(c) for c in np.argsort(-np.bincount(truth), kind="stable")[:3])
    # The largest cluster alone has no structure; two others together have.
    labels = np.where(truth == third, second, truth).astype(LABEL)
    labels = compact_labels(labels)[0]
    alone, merged = (int(labels[truth == cluster][0]) for cluster in (first, second))
    seen = []

    def embedding(level: Level, labels: Labels, cluster: int, *rest: object) -> object:
        seen.append(cluster)
        return inside_embedding(level, labels, cluster, *rest)

    inside_embedding = spectral._embedding
    giants = giants_of(block_level(graph))
    with mock.patch.object(spectral, "_embedding", embedding):
        assert len(list(giants.of(labels))) == len(N_PIECES)
        assert {alone, merged} <= set(seen)
        seen.clear()
        assert len(list(giants.of(labels))) == len(N_PIECES)
        assert merged in seen
        assert alone not in seen
        changed = np.where((labels == alone) & (np.arange(graph.n_nodes) % 3 == 0), merged, labels)
        list(giants.of(changed.astype(LABEL)))
        assert alone in seen


def test_small_clusters_are_not_divided() -> None:
    graph, truth = make_block_graph(2000, discount=0.6, random_state=0)
    small = np.bincount(truth)[truth] < GIANT_NODES
    labels, _ = compact_labels(np.where(small, truth, np.arange(2000) + 2000))
    assert not list(giants_of(block_level(graph)).of(labels))


def test_merged_giants_are_divided(few_giants: tuple[Graph, Labels]) -> None:
    graph, truth = few_giants
    fit = merged_fit(graph, truth, 4)
    divided = divide_giants(graph, block_level(graph), fit, random=np.random.default_rng(0))
    assert by_description_length(divided) < by_description_length(fit)
    before, now = (normalized_mutual_info_score(truth, f.found.labels) for f in (fit, divided))
    assert now > before + 0.15


def test_divisions_that_do_not_shorten_the_description_are_rejected(
    few_giants: tuple[Graph, Labels],
) -> None:
    graph, truth = few_giants
    level = block_level(graph)
    model = BlockModel.of(graph, degree_corrected=False)
    start = evaluate(graph, level, truth, model)
    fit = block_fit.alternate(graph, level, start, n_rounds=5, random=np.random.default_rng(0))
    with mock.patch.object(GiantDivisions, "of", random_pieces):
        same = divide_giants(graph, level, fit, random=np.random.default_rng(0))
    assert same is fit


def test_time_limit_keeps_the_fit(few_giants: tuple[Graph, Labels]) -> None:
    graph, truth = few_giants
    fit = merged_fit(graph, truth, 4)
    reporter = ProgressReporter()
    reporter.expire_in(0.0)
    divided = divide_giants(
        graph, block_level(graph), fit, random=np.random.default_rng(0), cancel=reporter
    )
    assert divided is fit


def test_the_search_finds_giants_that_mix(few_giants: tuple[Graph, Labels]) -> None:
    graph, truth = few_giants
    found = PowerLawCut(random_state=0).fit(graph)
    planted = PowerLawCut(init=truth, random_state=0).fit(graph)
    assert found.description_length_ < 1.0002 * planted.description_length_
    assert normalized_mutual_info_score(truth, found.labels_) > 0.65
    with mock.patch.object(spectral, "GIANT_SHARE", 2.0):
        missed = PowerLawCut(random_state=0).fit(graph)
    assert missed.description_length_ > 1.005 * planted.description_length_
