"""The likelihood: its estimates, its nats, and what it finds with nothing set."""

from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import normalized_mutual_info_score

from powercut import Graph, PowerLawCut, _core
from powercut.datasets import make_block_graph, make_paper_graph
from powercut.evidence import (
    BlockModel,
    _starts,
    alternate,
    counts_per_weight,
    description_length,
)
from powercut.search.level import Level
from strategies import compact

repeatable = settings(deadline=None, derandomize=True, max_examples=80)


def random_graph(n: int, density: float, seed: int) -> np.ndarray:
    A = np.triu(np.random.default_rng(seed).random((n, n)) < density, 1).astype(float)
    return A + A.T


@given(st.integers(3, 9), st.booleans(), st.integers(0, 1000), st.data())
@repeatable
def test_background_is_the_weight_between_clusters_over_what_could_carry_it(
    n: int, corrected: bool, seed: int, data: st.DataObject
) -> None:
    A = random_graph(n, 0.6, seed)
    labels = data.draw(compact(n))
    different = labels[:, None] != labels
    if A[different].sum() == 0:
        return
    size = A.sum(axis=1) if corrected else np.ones(n)
    model = BlockModel(corrected, 1.0)
    objective = model.estimate(Level.finest(Graph(A)).cluster_stats(labels))
    expected = A[different].sum() / np.outer(size, size)[different].sum()
    assert objective.score.parameters()[0] == pytest.approx(expected, rel=1e-12)


@given(st.integers(3, 9), st.booleans(), st.integers(0, 1000), st.data())
@repeatable
def test_nats_of_the_edges_are_those_of_all_pairs(
    n: int, corrected: bool, seed: int, data: st.DataObject
) -> None:
    A = random_graph(n, 0.6, seed)
    labels = data.draw(compact(n))
    if A.sum() == 0:
        return
    graph, size = Graph(A), A.sum(axis=1) if corrected else np.ones(n)
    level, model = Level.finest(graph), BlockModel(corrected, 1.0)
    stats = level.cluster_stats(labels)
    objective = model.estimate(stats)
    background = objective.score.parameters()[0]

    density = np.full((n, n), background)
    densities = 0
    for c in range(labels.max() + 1):
        inside = np.outer(labels == c, labels == c)
        of_its_own = A[inside].sum() / max(np.outer(size, size)[inside].sum(), 1e-300)
        if of_its_own > background:
            density[inside] = of_its_own
            densities += np.log1p(A[inside].sum() / 2) / 2
    rate = density * np.outer(size, size)
    pairs = np.triu_indices(n, 1)
    edge, no_edge = A[pairs] == 1, A[pairs] == 0
    nats = -np.log(-np.expm1(-rate[pairs][edge])).sum() + rate[pairs][no_edge].sum()
    nats += np.trace(rate) / 2  # nor does any node have a loop
    nats += densities + np.log1p(A.sum()) / 2
    nats -= objective.regulariser.prior.log_prob(stats.count)
    if corrected:
        nats += degree_nats(A.sum(axis=1).astype(int))
    ours = description_length(graph, level, labels, model)
    assert ours == pytest.approx(nats, rel=1e-9)


def degree_nats(degrees: np.ndarray) -> float:
    """Count the ways: which node has which degree, how many have each, which is the largest."""
    from math import comb, factorial, log, prod

    n, largest = len(degrees), int(degrees.max())
    which = factorial(n) // prod(factorial(int(c)) for c in np.bincount(degrees))
    return log(which) + log(comb(n + largest, largest)) + log(1 + largest)


def test_whole_weights_are_counts_and_others_strengths() -> None:
    A = random_graph(20, 0.4, 0)
    assert counts_per_weight(Graph(A)) == 1
    assert counts_per_weight(Graph(3 * A)) == 1
    # All strengths equal: as many counts as edges.
    assert counts_per_weight(Graph(0.3 * A)) == pytest.approx(1 / 0.3)


def test_scaling_strengths_changes_nothing() -> None:
    graph, _ = make_paper_graph(300, n_clusters=(4, 8), random_state=1)
    A = sp.triu(graph.adjacency) * 1.0
    A.data = np.random.default_rng(0).uniform(0.5, 1.5, A.nnz)
    A = (A + A.T).tocsr()
    one, other = (PowerLawCut("likelihood", random_state=0).fit(A * s) for s in (1.0, 2.0**-10))
    np.testing.assert_array_equal(one.labels_, other.labels_)
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-9)


@pytest.mark.parametrize("spread", [0.001, 0.001**0.5])
def test_the_papers_graph_with_nothing_set(spread: float) -> None:
    graph, truth = make_paper_graph(1000, n_clusters=(8, 12), spread=spread, random_state=0)
    model = PowerLawCut("likelihood", random_state=0).fit(graph)
    assert normalized_mutual_info_score(truth, model.labels_) > 0.97
    assert not model.degree_corrected_


def test_sparse_blocks_with_nothing_set() -> None:
    graph, truth = make_block_graph(4000, random_state=0)
    model = PowerLawCut("likelihood", random_state=0).fit(graph)
    assert normalized_mutual_info_score(truth, model.labels_) > 0.99
    level, block = Level.finest(graph), BlockModel(model.degree_corrected_, 1.0)
    assert model.description_length_ <= description_length(graph, level, truth, block)
    assert model.discount_ == pytest.approx(0.5, abs=0.15)


def test_degrees_of_very_different_size_are_corrected_for() -> None:
    random = np.random.default_rng(0)
    labels, pull = np.repeat([0, 1, 2], 200), random.pareto(1.5, 600) + 0.3
    rate = np.outer(pull, pull) * np.where(labels[:, None] == labels, 0.03, 0.002)
    A = np.triu(random.random((600, 600)) < rate, 1).astype(float)
    model = PowerLawCut("likelihood", random_state=0).fit(A + A.T)
    assert model.degree_corrected_
    linked = A.sum(axis=0) + A.sum(axis=1) > 0
    assert normalized_mutual_info_score(labels[linked], model.labels_[linked]) > 0.8


def test_the_starts_are_components_the_score_and_modularity_from_coarse_to_fine() -> None:
    graph, _ = make_block_graph(2000, random_state=0)
    level = Level.finest(graph)
    starts = _starts(level, BlockModel(True, 1.0), 2)
    found = [len(set(start(np.random.default_rng(0), _core.CancelFlag()))) for start in starts]
    components = sp.csgraph.connected_components(graph.adjacency)[0]
    assert found[0] == components
    assert found[1:5] == found[5:9]
    assert len(found) == 1 + 2 * 4
    assert components < found[2] < found[3] < found[4]


def test_estimates_and_labels_end_where_neither_changes_the_other() -> None:
    graph, _ = make_block_graph(2000, mixing=0.3, random_state=0)
    level, model = Level.finest(graph), BlockModel(False, 1.0)
    start = _starts(level, model, 1)[2](np.random.default_rng(0), _core.CancelFlag())
    fit = alternate(graph, level, start, model, random=np.random.default_rng(0))
    stats = level.cluster_stats(fit.found.labels)
    background, prior = model.parameters(stats)
    assert fit.objective.score.parameters()[0] == pytest.approx(background, rel=1e-9)
    assert fit.objective.regulariser.prior.discount == pytest.approx(prior.discount, rel=1e-6)
    assert fit.description_length == description_length(graph, level, fit.found.labels, model)


@pytest.mark.parametrize("corrected", [False, True])
def test_searches_end_where_no_single_move_gains(corrected: bool) -> None:
    model = BlockModel(corrected, 1.0)
    for seed in range(40):
        graph = Graph(random_graph(60, 0.15, seed))
        level = Level.finest(graph)
        start = np.arange(60, dtype=np.int32) // 3
        fit = alternate(graph, level, start, model, random=np.random.default_rng(seed))
        stats, native = level.cluster_stats(fit.found.labels), fit.objective.native
        labels = fit.found.labels
        _, gain = _core.propose(level.graph, 0, level.nodes, labels, stats.arrays, native, None)
        assert gain.min() == 0


def test_given_labels_are_the_only_start() -> None:
    A = random_graph(20, 0.4, 0)
    with mock.patch("powercut.evidence._starts", side_effect=AssertionError("not asked for")):
        model = PowerLawCut("likelihood", init=np.zeros(20, int), random_state=0).fit(A)
        with pytest.raises(AssertionError, match="not asked for"):
            PowerLawCut("likelihood", random_state=0).fit(A)
    assert model.labels_.shape == (20,)


@pytest.mark.parametrize("degree", [5, 20])
def test_noise_is_one_cluster(degree: int) -> None:
    A = random_graph(1500, degree / 1500, degree)
    model = PowerLawCut("likelihood", random_state=0).fit(A)
    components = len(np.unique(sp.csgraph.connected_components(sp.csr_array(A))[1]))
    assert model.n_clusters_ == components


def test_concentration_and_discount_are_given_together_or_not() -> None:
    A = random_graph(20, 0.4, 0)
    given_both = PowerLawCut("likelihood", concentration=2.0, discount=0.3, random_state=0).fit(A)
    assert (given_both.concentration_, given_both.discount_) == (2.0, 0.3)
    with pytest.raises(ValueError, match="give both or neither"):
        PowerLawCut("likelihood", discount=0.3).fit(A)


def test_algorithm_1_has_no_likelihood() -> None:
    with pytest.raises(ValueError, match="score='likelihood' has none"):
        PowerLawCut("likelihood", algorithm="lloyd").fit(random_graph(20, 0.4, 0))


def test_what_only_the_likelihood_has_goes_with_it() -> None:
    A = random_graph(20, 0.4, 0)
    model = PowerLawCut("likelihood", random_state=0).fit(A)
    assert np.isfinite(model.description_length_)
    model.set_params(score="ncut").fit(A)
    assert not hasattr(model, "description_length_")
    assert not hasattr(model, "degree_corrected_")
    assert (model.concentration_, model.discount_) == (1.0, 0.2)
