"""The likelihood score: estimates, description length, and fits with default parameters."""

import itertools
import math
from dataclasses import replace
from unittest import mock

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multinomial
from sklearn.metrics import adjusted_mutual_info_score, normalized_mutual_info_score

from powercut import Graph, PowerLawCut, _core
from powercut._typing import LABEL
from powercut.datasets import make_block_graph, make_paper_graph
from powercut.graphs.block_fit import (
    BlockFit,
    alternate,
    by_description_length,
    combine,
    evaluate,
    refine,
    settle,
)
from powercut.graphs.block_model import (
    ALONE,
    WEIGHTS,
    BlockModel,
    block_level,
    counts_per_weight,
    kind_of_weights,
)
from powercut.graphs.block_search import BlockSearch, distinct, near_shortest
from powercut.graphs.description import describe
from powercut.graphs.level import Level
from powercut.graphs.scores import Bernoulli, BlockScore
from powercut.partition import compact_labels
from powercut.progress import ProgressReporter
from strategies import best_moves, compact

repeatable = settings(deadline=None, derandomize=True, max_examples=80)


def random_graph(n: int, density: float, seed: int) -> np.ndarray:
    A = np.triu(np.random.default_rng(seed).random((n, n)) < density, 1).astype(float)
    return A + A.T


def twin_of_pairs(A: np.ndarray, *, corrected: bool) -> np.ndarray:
    """Return the size of each pair of nodes: 0 for a node and itself, unless it has a loop."""
    size = A.sum(axis=1) if corrected else np.ones(len(A))
    return np.outer(size, size) * (1 - np.eye(len(A)) * (not A.diagonal().any()))


@given(st.integers(3, 9), st.booleans(), st.booleans(), st.integers(0, 1000), st.data())
@repeatable
def test_background_rate_is_the_weight_between_clusters_per_size_of_pairs(
    n: int, corrected: bool, loops: bool, seed: int, data: st.DataObject
) -> None:
    A = random_graph(n, 0.6, seed) + loops * np.eye(n)
    labels = data.draw(compact(n))
    different = labels[:, None] != labels
    if A[different].sum() == 0:
        return
    graph = Graph(A)
    model = BlockModel.of(graph, degree_corrected=corrected)
    objective = model.estimate(block_level(graph).cluster_stats(labels))
    expected = A[different].sum() / twin_of_pairs(A, corrected=corrected)[different].sum()
    assert objective.score.parameters()[0] == pytest.approx(expected, rel=1e-12)


@given(st.integers(3, 9), st.sampled_from([0.6, 0.95]), st.integers(0, 1000), st.data())
@repeatable
def test_bernoulli_score_is_the_log_likelihood_ratio_of_all_pairs(
    n: int, density: float, seed: int, data: st.DataObject
) -> None:
    A, labels = random_graph(n, density, seed), data.draw(compact(n))
    background = 0.3
    graph = Graph(A)
    cost = Bernoulli(background).cost(block_level(graph).cluster_stats(labels))
    for c in range(labels.max() + 1):
        edge = A[np.ix_(labels == c, labels == c)][np.triu_indices((labels == c).sum(), 1)] == 1
        p = max(edge.mean(), background) if len(edge) else background
        likelihood = [np.prod(np.where(edge, q, 1 - q)) for q in (background, p)]
        assert cost[c] == pytest.approx(np.log(likelihood[0] / likelihood[1]), abs=1e-9)


@given(st.integers(3, 9), st.booleans(), st.integers(0, 1000), st.data())
@repeatable
def test_description_length_is_the_sum_over_all_pairs_of_nodes(
    n: int, corrected: bool, seed: int, data: st.DataObject
) -> None:
    A = random_graph(n, 0.6, seed)
    labels = data.draw(compact(n))
    if A.sum() == 0:
        return
    graph, size = Graph(A), twin_of_pairs(A, corrected=corrected)
    level, model = block_level(graph), BlockModel.of(graph, degree_corrected=corrected)
    stats = level.cluster_stats(labels)
    objective = model.estimate(stats)
    background = objective.score.parameters()[0]

    pairs = np.triu_indices(n, 1)
    edge, part = A[pairs] == 1, np.full(len(pairs[0]), -1)  # -1: the background
    for c in range(labels.max() + 1):
        inside = (labels[pairs[0]] == c) & (labels[pairs[1]] == c)
        if edge[inside].sum() > background * size[pairs][inside].sum():
            part[inside] = c
    nats = densities = 0.0
    for c in np.unique(np.append(part, -1)):
        m, possible = int(edge[part == c].sum()), int((part == c).sum())
        if not corrected:  # how many of the pairs have an edge, and which
            nats += np.log(math.comb(possible, m))
            densities += np.log(possible + 1)
            continue
        rate = (background if c < 0 else m / size[pairs][part == c].sum()) * size[pairs][part == c]
        nats += rate[~edge[part == c]].sum() - np.log(-np.expm1(-rate[edge[part == c]])).sum()
        densities += np.log1p(A.sum() if c < 0 else m) / 2
    if corrected:
        nats += degree_nats(A.sum(axis=1).astype(int))
    prior = objective.regulariser.prior
    parameters = densities + np.log(2)
    parameters += 2 * np.log(1 + prior.concentration) - np.log(1 - prior.discount)
    alone = ALONE * sum((labels == c).sum() == 1 for c in labels)
    ours = describe(graph, level, labels, model)
    assert ours.data == pytest.approx(nats, rel=1e-9)
    assert ours.partition == pytest.approx(alone - prior.log_prob(stats.counts), rel=1e-12)
    assert ours.parameters == pytest.approx(parameters, rel=1e-9)
    assert ours.nats == ours.data + ours.partition + ours.parameters
    least = describe(graph, level, labels, model, bound=True)
    assert least.data <= ours.data + 1e-9 * abs(ours.data)
    assert corrected or least == ours
    assert replace(least, data=ours.data) == ours
    assert ours.tempered(3.0) == ours.data + 3 * (ours.partition + ours.parameters)


@given(st.integers(3, 20), st.floats(0.1, 0.9), st.integers(0, 1000), st.data())
@repeatable
def test_bound_decides_as_the_description_would(
    n: int, density: float, seed: int, data: st.DataObject
) -> None:
    A, labels = random_graph(n, density, seed), data.draw(compact(n))
    if A.sum() == 0:
        return
    graph = Graph(A)
    level = block_level(graph)
    models = [BlockModel.of(graph, degree_corrected=corrected) for corrected in (False, True)]
    stats = level.cluster_stats(labels)
    for order in (models, models[::-1]):
        found = BlockSearch(graph, level).shortest(labels, order, stats)
        fits = [evaluate(graph, level, labels, model) for model in order]
        expected = min(fits, key=by_description_length)
        assert found.model == expected.model
        assert found.description == expected.description


def partitions(n: int) -> list[np.ndarray]:
    """Return all partitions of n nodes."""
    found = [[0]]
    for _ in range(1, n):
        found = [[*p, c] for p in found for c in range(max(p) + 2)]
    return [np.array(p, dtype=LABEL) for p in found]


@pytest.mark.parametrize("n", [2, 3, 4])
def test_description_length_satisfies_krafts_inequality(n: int) -> None:
    """Sum exp(-nats) over all graphs of n nodes, each with its shortest description."""
    pairs = np.triu_indices(n, 1)
    total = 0.0
    for bits in itertools.product((0.0, 1.0), repeat=len(pairs[0])):
        A = np.zeros((n, n))
        A[pairs] = bits
        graph = Graph(A + A.T)
        level = block_level(graph)
        models = [
            BlockModel.of(graph, degree_corrected=corrected)
            for corrected in ((False, True) if any(bits) else (False,))
        ]
        total += np.exp(
            -min(describe(graph, level, z, m).nats for z in partitions(n) for m in models)
        )
    assert 0.1 < total < 1


def degree_nats(degrees: np.ndarray) -> float:
    """Compute the code length of the degrees by counting the possibilities.

    The parts are the largest degree, how many nodes have each degree, and which; less the
    multinomial probability of the degrees, which the code of the edges tells again.
    """
    from math import comb, factorial, log, prod

    n, largest = len(degrees), int(degrees.max())
    which = factorial(n) // prod(factorial(int(c)) for c in np.bincount(degrees))
    again = multinomial.logpmf(degrees, degrees.sum(), degrees / degrees.sum())
    return log(which) + log(comb(n + largest, largest)) + log(1 + largest) + min(again, 0)


def test_integer_weights_are_counts_and_others_strengths() -> None:
    A = random_graph(20, 0.4, 0)
    assert [kind_of_weights(Graph(s * A)) for s in (1, 3, 0.3, 2.0**40)] == [
        *["counts"] * 2,
        *["strength"] * 2,
    ]
    assert counts_per_weight(Graph(3 * A), "counts") == 1
    # If all strengths are equal, there are as many counts as edges.
    assert counts_per_weight(Graph(0.3 * A), "strength") == pytest.approx(1 / 0.3)


def test_kind_of_weights_is_given_or_guessed_and_reported() -> None:
    graph, _ = make_paper_graph(300, n_clusters=(4, 8), random_state=1)
    twice = 2 * graph.adjacency
    fits = {w: PowerLawCut(weights=w, random_state=0).fit(twice) for w in ("auto", *WEIGHTS)}
    assert [fit.weights_ for fit in fits.values()] == ["counts", "counts", "strength"]
    assert fits["auto"].objective_ == fits["counts"].objective_
    # With twice as many counts, the log-likelihood at the same labels is twice as large.
    assert fits["counts"].objective_ < fits["strength"].objective_ < 0


def test_scaling_strengths_changes_nothing() -> None:
    graph, _ = make_paper_graph(300, n_clusters=(4, 8), random_state=1)
    A = sp.triu(graph.adjacency) * 1.0
    A.data = np.random.default_rng(0).uniform(0.5, 1.5, A.nnz)
    A = (A + A.T).tocsr()
    one, other = (PowerLawCut(random_state=0).fit(A * s) for s in (1.0, 2.0**-10))
    np.testing.assert_array_equal(one.labels_, other.labels_)
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-9)


@pytest.mark.parametrize("spread", [0.001, 0.001**0.5])
def test_default_parameters_recover_the_papers_graph(spread: float) -> None:
    graph, truth = make_paper_graph(1000, n_clusters=(8, 12), spread=spread, random_state=0)
    model = PowerLawCut(random_state=0).fit(graph)
    assert normalized_mutual_info_score(truth, model.labels_) > 0.97
    assert not model.degree_corrected_


def test_default_parameters_recover_sparse_blocks() -> None:
    graph, truth = make_block_graph(4000, random_state=0)
    model = PowerLawCut(random_state=0).fit(graph)
    assert normalized_mutual_info_score(truth, model.labels_) > 0.99
    level = block_level(graph)
    block = BlockModel.of(graph, degree_corrected=model.degree_corrected_)
    assert model.description_length_ <= describe(graph, level, truth, block).nats
    assert model.discount_ == pytest.approx(0.5, abs=0.15)


def test_heterogeneous_degrees_select_the_degree_corrected_model() -> None:
    random = np.random.default_rng(0)
    labels, pull = np.repeat([0, 1, 2], 200), random.pareto(1.5, 600) + 0.3
    rate = np.outer(pull, pull) * np.where(labels[:, None] == labels, 0.03, 0.002)
    A = np.triu(random.random((600, 600)) < rate, 1).astype(float)
    model = PowerLawCut(random_state=0).fit(A + A.T)
    assert model.degree_corrected_
    linked = A.sum(axis=0) + A.sum(axis=1) > 0
    assert normalized_mutual_info_score(labels[linked], model.labels_[linked]) > 0.8


def test_starts_are_modularity_from_coarse_to_fine() -> None:
    graph, _ = make_block_graph(2000, random_state=0)
    level = block_level(graph)
    starts = BlockSearch(graph, level, n_init=2).modularity_starts
    sizes = [int(labels.max()) + 1 for labels in starts]
    assert len(sizes) == 2 * 4
    components = int(level.components.max()) + 1
    for some in (sizes[:4], sizes[4:]):
        assert components <= some[0] < some[1] < some[2] < some[3]


def start_of(graph: Graph, level: Level, model: BlockModel, seed: int = 0) -> BlockFit:
    search = BlockSearch(graph, level, random=np.random.default_rng(seed))
    return evaluate(graph, level, search.modularity_starts[1], model)


def test_equal_partitions_are_searched_once() -> None:
    graph, truth = make_block_graph(200, random_state=0)
    level, model = block_level(graph), BlockModel.of(graph, degree_corrected=False)
    renamed = (int(truth.max()) - truth).astype(LABEL)
    alone, right, again = (
        evaluate(graph, level, labels, model)
        for labels in (np.arange(200, dtype=LABEL), truth, renamed)
    )
    assert [id(fit) for fit in distinct([alone, right, again])] == [id(right), id(alone)]


def test_ends_far_from_the_shortest_are_not_combined() -> None:
    graph, truth = make_block_graph(1000, random_state=0)
    level, model = block_level(graph), BlockModel.of(graph, degree_corrected=False)
    merged = compact_labels(np.where(truth == truth.max(), 0, truth))[0]
    fits = [evaluate(graph, level, labels, model) for labels in (truth, merged)]
    far = evaluate(graph, level, np.arange(1000, dtype=LABEL), model)
    assert near_shortest([*fits, far]) == fits
    with mock.patch("powercut.graphs.block_search.combine", side_effect=combine) as combining:
        BlockSearch(graph, level).improve([], ends=[far, *fits])
    assert len(combining.call_args.args[2]) == 2


def test_fit_has_the_hyperparameters_and_the_description_of_its_labels() -> None:
    graph, _ = make_block_graph(2000, mixing=0.3, random_state=0)
    level, model = block_level(graph), BlockModel.of(graph, degree_corrected=False)
    start = start_of(graph, level, model)
    fit = alternate(graph, level, start, n_rounds=3, random=np.random.default_rng(0))
    background, prior = model.parameters(level.cluster_stats(fit.found.labels))
    assert fit.objective.score.parameters()[0] == pytest.approx(background, rel=1e-9)
    assert fit.objective.regulariser.prior.discount == pytest.approx(prior.discount, rel=1e-6)
    again = describe(graph, level, fit.found.labels, model)
    assert fit.description.nats == pytest.approx(again.nats, rel=1e-12)
    assert by_description_length(fit) == pytest.approx(fit.description.nats)


@pytest.mark.parametrize("corrected", [False, True])
def test_searches_end_where_no_single_move_lowers_j(corrected: bool) -> None:
    for seed in range(40):
        graph = Graph(random_graph(60, 0.15, seed))
        level, model = block_level(graph), BlockModel.of(graph, degree_corrected=corrected)
        random = np.random.default_rng(seed)
        start = evaluate(graph, level, np.arange(60, dtype=LABEL) // 3, model)
        rounds = alternate(graph, level, start, n_rounds=2, random=random)
        fit = settle(graph, level, rounds, random=random)
        stats = level.cluster_stats(fit.found.labels).arrays
        _, gain = best_moves(level, fit.found.labels, stats, fit.objective)
        assert gain.min() == 0


def test_combination_has_the_best_clusters_of_each_fit() -> None:
    """Each fit has merged one half of the clusters."""
    graph, truth = make_block_graph(400, mixing=0.05, random_state=3)
    level, model = block_level(graph), BlockModel.of(graph, degree_corrected=False)
    whole = settle(
        graph, level, evaluate(graph, level, truth, model), random=np.random.default_rng(0)
    )
    labels, k = compact_labels(whole.found.labels)
    halves = [np.where(labels < k // 2, 0, labels), np.where(labels < k // 2, labels, k)]
    fits = [evaluate(graph, level, compact_labels(half)[0], model) for half in halves]
    best = combine(graph, level, fits, random=np.random.default_rng(0))
    assert by_description_length(best) < min(map(by_description_length, fits))
    assert best.description.nats <= whole.description.nats
    described = describe(graph, level, best.found.labels, model)
    assert best.description.nats == pytest.approx(described.nats, rel=1e-12)


def two_cliques() -> np.ndarray:
    A = np.kron(np.eye(2), np.ones((10, 10))) - np.eye(20)
    A[0, 10] = A[10, 0] = 1
    return A


def test_given_labels_are_the_only_start() -> None:
    A, unexpected = two_cliques(), AssertionError("default start used")
    with mock.patch("powercut.graphs.block_search.start_by_coarsening", side_effect=unexpected):
        model = PowerLawCut(init=np.arange(20) // 5, random_state=0).fit(A)
        with pytest.raises(AssertionError, match="default start used"):
            PowerLawCut(random_state=0).fit(A)
    assert model.labels_.shape == (20,)


@pytest.mark.parametrize("degree", [5, 20])
def test_random_graph_is_one_cluster_per_component(degree: int) -> None:
    A = random_graph(1500, degree / 1500, degree)
    with pytest.warns(UserWarning, match="No more than one cluster is supported"):
        model = PowerLawCut(random_state=0).fit(A)
    components = len(np.unique(sp.csgraph.connected_components(sp.csr_array(A))[1]))
    assert model.n_clusters_ == components


@pytest.mark.parametrize("density", [0.7, 0.9, 0.95, 1.0])
def test_dense_graph_without_clusters_is_one_cluster(density: float) -> None:
    with pytest.warns(UserWarning, match="No more than one cluster is supported"):
        model = PowerLawCut(random_state=0).fit(random_graph(100, density, 0))
    assert model.n_clusters_ == 1


def test_dense_blocks_are_found() -> None:
    truth = np.repeat([0, 1], 50)
    A = np.triu(np.random.default_rng(0).random((100, 100)), 1)
    A = (np.where(truth[:, None] == truth, 0.95, 0.7) > A + A.T) * (1.0 - np.eye(100))
    np.testing.assert_array_equal(PowerLawCut(random_state=0).fit(A).labels_, truth)


@pytest.mark.parametrize("weight", ["weight", None])
def test_karate_club_splits_into_a_few_clusters(weight: str | None) -> None:
    club = nx.karate_club_graph()
    truth = [club.nodes[i]["club"] for i in club]
    model = PowerLawCut(random_state=0).fit(Graph.from_networkx(club, weight=weight))
    assert 2 <= model.n_clusters_ <= 4
    assert adjusted_mutual_info_score(truth, model.labels_) > 0.6


def test_les_miserables_have_no_singletons() -> None:
    graph = Graph.from_networkx(nx.les_miserables_graph(), weight=None)
    model = PowerLawCut(random_state=0).fit(graph)
    assert model.cluster_sizes_.min() > 2


def test_alternation_never_ends_above_its_start() -> None:
    graph = Graph.from_networkx(nx.karate_club_graph(), weight=None)
    level, model = block_level(graph), BlockModel.of(graph, degree_corrected=True)
    for seed in range(30):
        labels = compact_labels(np.random.default_rng(seed).integers(0, 3, 34))[0]
        start = evaluate(graph, level, labels, model)
        fit = alternate(graph, level, start, n_rounds=4, random=np.random.default_rng(seed))
        assert fit.description.nats <= start.description.nats


def test_concentration_and_discount_must_be_given_together() -> None:
    A = two_cliques()
    given_both = PowerLawCut(concentration=2.0, discount=0.3, random_state=0).fit(A)
    assert (given_both.concentration_, given_both.discount_) == (2.0, 0.3)
    with pytest.raises(ValueError, match="give both or neither"):
        PowerLawCut(discount=0.3).fit(A)


def test_algorithm_1_rejects_the_likelihood() -> None:
    with pytest.raises(ValueError, match="score='likelihood' has none"):
        PowerLawCut(algorithm="lloyd").fit(random_graph(20, 0.4, 0))


def test_attributes_of_the_likelihood_are_removed_by_a_fit_of_another_score() -> None:
    A = two_cliques()
    model = PowerLawCut(random_state=0).fit(A)
    assert np.isfinite(model.description_length_)
    model.set_params(score="ncut").fit(A)
    assert not hasattr(model, "description_length_")
    assert not hasattr(model, "degree_corrected_")
    assert (model.concentration_, model.discount_) == (1.0, 0.2)


def test_search_leaves_uninformative_initial_labels() -> None:
    A = np.kron(np.eye(3), np.ones((10, 10))) - np.eye(30)
    for init in (np.arange(30), np.arange(30) % 7):
        model = PowerLawCut(init=init, random_state=0).fit(A)
        np.testing.assert_array_equal(model.labels_, np.repeat([0, 1, 2], 10))


def test_description_length_of_counts_is_positive() -> None:
    """It is a negative log probability of counts, and so never below 0."""
    graph, labels = Graph(20 * two_cliques()), np.repeat([0, 1], 10).astype(LABEL)
    model = BlockModel.of(graph, degree_corrected=False)
    assert describe(graph, block_level(graph), labels, model).nats > 0


def test_weights_whose_squares_overflow_are_accepted() -> None:
    model = PowerLawCut(random_state=0).fit(two_cliques() * 1e160)
    assert model.labels_.shape == (20,)


@pytest.mark.usefixtures("eight_cores")
def test_large_graph_gives_the_same_labels_on_any_number_of_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("powercut.graphs.level.LARGE", 1000)
    monkeypatch.setattr("powercut.graphs.level.MANY_NODES", 1000)
    graph, _ = make_block_graph(5000, mixing=0.3, random_state=0)
    assert block_level(graph).is_large
    one_thread, *several = (
        PowerLawCut(random_state=0, n_jobs=n_jobs).fit(graph) for n_jobs in (1, 2, 3, 8)
    )
    for model in several:
        np.testing.assert_array_equal(model.labels_, one_thread.labels_)
        assert model.description_length_ == one_thread.description_length_


def test_large_graph_fit_is_no_longer_than_the_description_by_the_truth() -> None:
    graph, truth = make_block_graph(60_000, mixing=0.2, random_state=0)
    level, uniform = block_level(graph), BlockModel.of(graph, degree_corrected=False)
    assert level.is_large
    model = PowerLawCut(random_state=0, n_jobs=-1).fit(graph)
    nats = describe(graph, level, compact_labels(truth)[0], uniform).nats
    assert model.description_length_ <= nats
    assert normalized_mutual_info_score(truth, model.labels_) > 0.999


def test_large_graph_without_clusters_is_not_split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("powercut.graphs.level.LARGE", 1000)
    monkeypatch.setattr("powercut.graphs.level.MANY_NODES", 1000)
    graph = Graph(random_graph(1000, 0.02, seed=0))
    with pytest.warns(UserWarning, match="one cluster"):
        model = PowerLawCut(random_state=0).fit(graph)
    assert model.n_clusters_ == 1


def test_refinement_moves_nodes_before_it_divides_clusters() -> None:
    graph, truth = make_block_graph(2000, degree=20, mixing=0.2, random_state=0)
    random = np.random.default_rng(0)
    wrong = random.choice(2000, size=100, replace=False)
    start = truth.copy()
    start[wrong] = random.permutation(truth[wrong])
    labels = compact_labels(start)[0]
    with mock.patch.object(Level, "divide", autospec=True, side_effect=Level.divide) as divide:
        refine(
            graph,
            Level.finest(graph),
            labels,
            BlockModel.of(graph, degree_corrected=False),
            random=random,
            reporter=ProgressReporter(),
        )
    divided = divide.call_args_list[0].args[1]
    before, now = (normalized_mutual_info_score(truth, one) for one in (labels, divided))
    assert before < 0.95 < 0.99 < now


def test_refinement_divides_merged_clusters() -> None:
    graph, truth = make_block_graph(
        20_000, concentration=10, discount=0.1, mixing=0.2, random_state=1
    )
    level, uniform = block_level(graph), BlockModel.of(graph, degree_corrected=False)
    merged = (truth % 4).astype(LABEL)
    fit = refine(
        graph, level, merged, uniform, random=np.random.default_rng(0), reporter=ProgressReporter()
    )
    assert normalized_mutual_info_score(truth, fit.found.labels) > 0.999


def test_refinement_divides_only_clusters_that_were_not_refined_before() -> None:
    graph, truth = make_block_graph(
        20_000, concentration=10, discount=0.1, mixing=0.2, random_state=1
    )
    refined = compact_labels(truth)[0]
    largest = np.argsort(np.bincount(refined))[-2:]
    merged = compact_labels(np.where(np.isin(refined, largest), largest[0], refined))[0]
    with mock.patch.object(Level, "divide", autospec=True, side_effect=Level.divide) as divide:
        fit = refine(
            graph,
            block_level(graph),
            merged,
            BlockModel.of(graph, degree_corrected=False),
            refined=refined,
            random=np.random.default_rng(0),
            reporter=ProgressReporter(),
        )
    assert divide.call_args_list[0].args[3].sum() == 1
    assert normalized_mutual_info_score(truth, fit.found.labels) > 0.999


@pytest.mark.parametrize("n_threads", [1, 3])
def test_unweighted_edges_are_coded_as_at_least_one(n_threads: int) -> None:
    random = np.random.default_rng(0)
    graph, labels = make_block_graph(300, random_state=0)
    loops = sp.diags_array((np.arange(300) % 3 == 0).astype(float))
    graph = Graph((graph.adjacency + loops).tocsr())
    labels = compact_labels(labels)[0]
    size, density = random.random(300), 3 * random.random(labels.max() + 1)
    row, column = graph.adjacency.tocoo().coords
    rate = np.where(labels[row] == labels[column], density[labels[row]], 0.2)
    rate = rate * size[row] * size[column]
    expected = (np.log(rate) - np.log(-np.expm1(-rate)) - rate).sum()
    nats = _core.beyond_poisson(graph.arrays, size, labels, density, 0.2, n_threads)
    assert nats == pytest.approx(expected, rel=1e-9)


def test_uniform_rates_of_unweighted_edges_are_those_of_all_pairs() -> None:
    made, labels = make_block_graph(300, random_state=0)
    labels = compact_labels(labels)[0]
    loops = sp.diags_array((np.arange(300) % 3 == 0).astype(float))
    graph = Graph((made.adjacency + loops).tocsr())
    level, model = block_level(graph), BlockModel.of(graph, degree_corrected=False)
    assert not model.simple, "with loops, edges are Poisson"
    stats = level.cluster_stats(labels)
    score = model.estimate(stats).score
    assert isinstance(score, BlockScore)
    density = np.maximum(stats.inside / model.pairs(stats), score.background)
    same = labels[:, np.newaxis] == labels
    # The rest of the graph is coded at the background's rate, also where a cluster is sparser.
    rate = np.where(same, density[labels][:, np.newaxis], score.background)
    adjacent = graph.adjacency.toarray() > 0
    # Every entry counts half: an edge has two, and a loop's rate is half of a pair's.
    expected = 0.5 * np.where(adjacent, -np.log(-np.expm1(-rate)), rate).sum()
    assert describe(graph, level, labels, model).data == pytest.approx(expected, rel=1e-9)
