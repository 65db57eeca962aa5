"""Dependent edges, and the tradeoff that compensates for them."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.neighbors import kneighbors_graph

from powercut import Graph, PowerLawCut, neighbors
from powercut._typing import LABEL
from powercut.datasets import make_blobs, make_block_graph, make_paper_graph
from powercut.graphs.block_model import BlockModel
from powercut.graphs.block_search import BlockSearch
from powercut.graphs.dependence import (
    closure_ratio,
    excess_triangles,
    is_spatial,
    needed_tradeoff,
    separation,
)
from powercut.graphs.level import Level
from strategies import compact

repeatable = settings(deadline=None, derandomize=True, max_examples=25)


def neighbours(X: np.ndarray, k: int = 15) -> Graph:
    A = kneighbors_graph(X, k)
    return Graph(A.maximum(A.T))


def exact(
    A: np.ndarray, labels: np.ndarray, *, corrected: bool, unit: float
) -> tuple[float, float]:
    """Compute t and the excess closure from all wedges, one by one."""
    A = unit * np.where((labels[:, None] == labels) & ~np.eye(len(A), dtype=bool), A, 0.0)
    degree = A.sum(axis=1)
    size = degree if corrected else np.ones(len(A))
    wedges = closed = expected = 0.0
    for j in range(len(A)):
        c = labels == labels[j]
        pairs = size[c].sum() ** 2 - (size[c] ** 2).sum()
        density = degree[c].sum() / pairs if pairs > 0 else 0.0
        for i in range(len(A)):
            for k in range(len(A)):
                if i != k:
                    wedges += A[i, j] * A[j, k]
                    closed += A[i, j] * A[j, k] * A[i, k]
                    expected += A[i, j] * A[j, k] * density * size[i] * size[k]
    if wedges == 0 or closed <= expected:
        return 0.0, 0.0
    return (closed - expected) / degree.sum(), (closed - expected) / wedges


@given(st.integers(4, 10), st.booleans(), st.booleans(), st.integers(0, 1000), st.data())
@repeatable
def test_sampled_wedges_estimate_the_excess_triangles_of_all_wedges(
    n: int, corrected: bool, weighted: bool, seed: int, data: st.DataObject
) -> None:
    random = np.random.default_rng(seed)
    A = np.triu(random.random((n, n)) < 0.7, 1) * (
        random.uniform(0.2, 2, (n, n)) if weighted else 1
    )
    A, labels = A + A.T, data.draw(compact(n))
    if not A.any():
        return
    unit = 0.7 if weighted else 1.0
    found = excess_triangles(Graph(A), labels, BlockModel(corrected, unit), random)
    assert found == pytest.approx(exact(A, labels, corrected=corrected, unit=unit), abs=0.05)


@given(st.integers(4, 10), st.integers(0, 1000), st.data())
@repeatable
def test_sampled_triangles_estimate_those_of_all_edges(
    n: int, seed: int, data: st.DataObject
) -> None:
    random = np.random.default_rng(seed)
    A = np.triu(random.random((n, n)) < 0.6, 1).astype(float)
    A, labels = A + A.T, data.draw(compact(n))
    inside = A * (labels[:, None] == labels)
    between = A - inside
    triangles = (A @ A)[A == 1]
    closed = [((inside @ inside) * inside).sum(), ((between @ inside) * between).sum()]
    wedges = [inside.sum(axis=0) @ one.sum(axis=0) for one in (inside, between)]
    wedges[0] -= inside.sum()
    ratio = closure_ratio(Graph(A), labels, random=random)
    if closed[0] == 0 or wedges[1] == 0:
        assert ratio == (0, 1)
        return
    expected = closed[1] / wedges[1] / (closed[0] / wedges[0])
    evenness = 1 / np.mean(1 / (1 + triangles)) / (1 + triangles.mean())
    assert ratio == pytest.approx((expected, evenness), rel=0.1, abs=0.01)


@given(st.integers(4, 12), st.booleans(), st.integers(0, 1000), st.data())
@repeatable
def test_separation_is_the_information_of_one_end_of_an_edge_about_the_other(
    n: int, weighted: bool, seed: int, data: st.DataObject
) -> None:
    random = np.random.default_rng(seed)
    A = np.triu(random.random((n, n)) < 0.6, 1) * (random.random((n, n)) if weighted else 1.0)
    A[0, 1] = 1.0
    A, labels = A + A.T, data.draw(compact(n))
    member = np.eye(n)[labels]
    joint = member.T @ A @ member / A.sum()
    share = joint.sum(axis=0)
    independent = np.outer(share, share)
    told = (joint[joint > 0] * np.log(joint[joint > 0] / independent[joint > 0])).sum()
    entropy = -(share[share > 0] * np.log(share[share > 0])).sum()
    found = separation(Level.finest(Graph(A)), labels)
    assert found == pytest.approx(told / entropy if entropy > 0 else 1.0)


def test_separation_is_one_without_edges_between_clusters() -> None:
    pairs = Graph.from_edges([0, 2], [1, 3], symmetrize="max")
    labels = np.array([0, 0, 1, 1], dtype=LABEL)
    assert separation(Level.finest(pairs), labels) == pytest.approx(1.0)
    assert separation(Level.finest(Graph(np.zeros((4, 4)))), labels) == 1.0


def cliques(n: int, n_cliques: int, random: np.random.Generator) -> Graph:
    """Join all pairs of three to eight random nodes, many times."""
    A = np.zeros((n, n))
    for _ in range(n_cliques):
        some = random.choice(n, random.integers(3, 9), replace=False)
        A[np.ix_(some, some)] = 1
    return Graph(A * (1 - np.eye(n)))


def test_cliques_are_not_neighbours_in_a_space() -> None:
    random = np.random.default_rng(0)
    for graph, spatial in (
        (cliques(2000, 1500, random), False),
        (make_block_graph(2000, random_state=0)[0], False),
        (neighbours(random.normal(size=(600, 3))), True),
        (neighbours(random.normal(size=(600, 20))), True),
    ):
        fine = PowerLawCut(tradeoff=1.0, random_state=0).fit(graph)
        assert is_spatial(graph, fine.labels_, random=random) == spatial


def test_independent_edges_need_tradeoff_one() -> None:
    for graph, truth in (
        make_paper_graph(1000, n_clusters=(6, 12), random_state=0),
        make_block_graph(4000, random_state=0),
    ):
        random = np.random.default_rng(0)
        assert needed_tradeoff(graph, truth, BlockModel(False, 1.0), random=random) < 1.02
        assert PowerLawCut(random_state=0).fit(graph).tradeoff_ == 1


def test_scaling_strengths_does_not_change_the_needed_tradeoff() -> None:
    random = np.random.default_rng(0)
    A = neighbours(random.normal(size=(300, 3))).adjacency.toarray()
    A *= random.uniform(0.5, 1.5, A.shape)
    A = A + A.T
    one = np.zeros(300, dtype=LABEL)
    needed = [
        needed_tradeoff(Graph(s * A), one, BlockModel(True, 2 / s), random=np.random.default_rng(1))
        for s in (1.0, 2.0**-10)
    ]
    assert needed[0] == pytest.approx(needed[1], rel=1e-9)
    assert needed[0] > 2


@pytest.mark.parametrize("d", [2, 10])
def test_nearest_neighbour_graph_of_one_gaussian_is_one_cluster(d: int) -> None:
    graph = neighbours(np.random.default_rng(d).normal(size=(600, d)))
    assert PowerLawCut(tradeoff=1.0, random_state=0).fit(graph).n_clusters_ > 5
    with pytest.warns(UserWarning, match="No more than one cluster"):
        model = PowerLawCut(random_state=0).fit(graph)
    assert model.n_clusters_ == 1
    assert model.tradeoff_ > 2


def test_nearest_neighbour_graph_of_several_gaussians_has_as_many_clusters() -> None:
    random = np.random.default_rng(0)
    truth = np.repeat(np.arange(6), [400, 200, 100, 60, 40, 40])
    X = 8 * random.normal(size=(6, 5))[truth] + random.normal(size=(840, 5))
    model = PowerLawCut(affinity="nearest_neighbors", n_neighbors=15, random_state=0).fit(X)
    assert normalized_mutual_info_score(truth, model.labels_) > 0.95
    assert model.tradeoff_ > 1


@pytest.mark.parametrize("seed", range(3))
def test_the_spectrum_divides_what_moves_have_joined(seed: int) -> None:
    random = np.random.default_rng(0)
    side = random.integers(0, 2, 2000)
    X = random.normal(size=(2000, 5))
    X[:, 0] += 3 * side
    model = PowerLawCut(random_state=seed).fit(neighbors.graph(X))
    assert model.n_clusters_ == 2
    assert adjusted_rand_score(side, model.labels_) > 0.7


@pytest.mark.parametrize("seed", [0, 2])
def test_clusters_that_overlap_in_places_are_not_taken_for_one_cloud(seed: int) -> None:
    random = np.random.default_rng(seed)
    truth = np.arange(500) % 4
    X = random.normal(size=(500, 3))
    X[:, 0] += 4 * (truth % 2)
    X[:, 1] += 4 * (truth // 2)
    model = PowerLawCut(random_state=0).fit(neighbors.graph(X))
    assert model.n_clusters_ == 4
    assert adjusted_rand_score(truth, model.labels_) > 0.75


@pytest.mark.parametrize("seed", [4, 5])
def test_pieces_of_one_cloud_that_blend_are_joined(seed: int) -> None:
    random = np.random.default_rng(seed)
    X = random.normal(size=(500, 9)) / np.arange(1, 10)
    with pytest.warns(UserWarning, match="No more than one cluster"):
        model = PowerLawCut(random_state=0).fit(neighbors.graph(X))
    assert model.n_clusters_ == 1


def test_a_given_tradeoff_is_not_changed() -> None:
    graph = neighbours(np.random.default_rng(0).normal(size=(300, 5)))
    assert PowerLawCut(tradeoff=1.5, random_state=0).fit(graph).tradeoff_ == 1.5


def test_tradeoff_is_one_without_wedges() -> None:
    random = np.random.default_rng(0)
    model, one = BlockModel(False, 1.0), np.zeros(5, dtype=LABEL)
    assert needed_tradeoff(Graph(np.zeros((5, 5))), one, model, random=random) == 1
    pair = Graph.from_edges([0], [1], n_nodes=5, symmetrize="max")
    assert needed_tradeoff(pair, one, model, random=random) == 1


@pytest.mark.parametrize("times", [2, 10])
def test_multiplying_counts_raises_the_tradeoff_and_keeps_the_labels(times: int) -> None:
    random = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 100)
    graph = neighbours(4 * random.normal(size=(3, 4))[truth] + random.normal(size=(300, 4)))
    once = PowerLawCut(random_state=0).fit(graph)
    several = PowerLawCut(random_state=0).fit(times * graph.adjacency)
    assert once.tradeoff_ > 2
    assert several.weights_ == "counts"
    assert several.tradeoff_ > 0.5 * times * once.tradeoff_
    np.testing.assert_array_equal(once.labels_, several.labels_)


def test_given_labels_are_the_only_start_of_a_tempered_search() -> None:
    X = np.random.default_rng(0).normal(size=(300, 3))
    nearest = kneighbors_graph(X, 15)
    graph = Graph(nearest.maximum(nearest.T))
    improve = BlockSearch.improve
    with mock.patch.object(BlockSearch, "improve", autospec=True, side_effect=improve) as improved:
        PowerLawCut(init=np.arange(300) % 10, random_state=0).fit(graph)
    starts = [call.args[1] for call in improved.call_args_list]
    tempered = [some for some in starts if some[0].model.tradeoff > 1]
    assert tempered
    assert all(len(some) == 1 for some in tempered)


@pytest.mark.parametrize(
    ("n", "d", "n_neighbors", "seed"),
    [(300, 2, 15, 1), (300, 2, 30, 3), (300, 3, 10, 0), (400, 2, 15, 1), (500, 2, 30, 3)],
)
def test_a_cloud_of_few_points_is_not_split(n: int, d: int, n_neighbors: int, seed: int) -> None:
    nearest = kneighbors_graph(np.random.default_rng(seed).normal(size=(n, d)), n_neighbors)
    with pytest.warns(UserWarning, match="No more than one cluster"):
        model = PowerLawCut(random_state=0).fit(nearest.maximum(nearest.T))
    assert model.n_clusters_ == 1


def test_the_first_round_shows_that_edges_are_dependent() -> None:
    """The search at tradeoff 1 is not continued."""
    X, _ = make_blobs(500, n_features=8, random_state=0)
    with mock.patch.object(BlockSearch, "continued") as continued:
        model = PowerLawCut(random_state=0).fit(neighbors.graph(X))
    continued.assert_not_called()
    assert model.tradeoff_ > 2
