"""Multilevel search: J decreases, the best start is kept, clusters are connected."""

import time
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import normalized_mutual_info_score

import reference
from powercut import PowerLawCut, _core
from powercut._typing import LABEL
from powercut.datasets import make_block_graph, make_paper_graph
from powercut.graphs import multilevel
from powercut.graphs.block_model import BlockModel
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.graphs.multilevel import Multilevel
from powercut.graphs.scores import CPM, Modularity, NCut, graph_score
from powercut.graphs.starts import connect, graph_starts, search_graph, split
from powercut.prior import PitmanYor
from powercut.search.objective import Objective, Regulariser, SearchResult
from powercut.search.starts import start_from_labels as start_from
from strategies import Problem, problems

exact = {"rel": 1e-9, "abs": 1e-9}
repeatable = settings(deadline=None, derandomize=True, max_examples=60)


@given(problems(max_nodes=12), st.integers(0, 100))
@repeatable
def test_every_round_at_every_level_lowers_the_same_j(problem: Problem, seed: int) -> None:
    search = Multilevel(problem.level, problem.objective, random=np.random.default_rng(seed))
    labels = search.improve(problem.labels)
    path = np.asarray(search.path) + problem.constant
    assert path[0] == pytest.approx(problem.j(problem.labels), **exact)
    assert path[-1] == pytest.approx(problem.j(labels), **exact)
    assert np.diff(path).max(initial=0) <= 1e-12 * np.abs(path).max()


def test_search_finds_the_best_of_all_partitions_of_small_graphs() -> None:
    random = np.random.default_rng(0)
    found_best = []
    for trial in range(60):
        A = np.triu(random.uniform(0.0, 1.0, (6, 6)) ** 3, 1)
        A = A + A.T
        score = [NCut(-0.2), CPM(0.2), Modularity(1.0, float(A.sum()))][trial % 3]
        prior, tradeoff = PitmanYor(1.0, 0.3), [0.01, 0.1, 0.5][trial // 3 % 3]
        ones = np.ones(6, dtype=np.int64)
        problem = Problem(A, A.sum(axis=1), ones * 1.0, ones, ones, score, prior, tradeoff)
        level, objective = problem.level, problem.objective
        found = search_graph(
            level, objective, starts=graph_starts(level, objective, 1), random=random
        )
        best = min(problem.j(labels) for labels in all_partitions(6))
        assert found.objective == pytest.approx(problem.j(found.labels), **exact)
        found_best.append(found.objective <= best + 1e-9)
    # A local search may miss the optimum, but on six nodes only rarely.
    assert np.mean(found_best) >= 0.95


def all_partitions(n: int) -> list[np.ndarray]:
    growing: list[list[int]] = [[0]]
    for _ in range(n - 1):
        growing = [[*p, c] for p in growing for c in range(max(p) + 2)]
    return [np.array(p, dtype=LABEL) for p in growing]


def two_cliques(bridge: float = 1.0) -> Graph:
    A = np.zeros((9, 9))
    A[:5, :5] = A[5:, 5:] = 1.0
    np.fill_diagonal(A, 0)
    A[0, 5] = A[5, 0] = bridge
    return Graph(A)


def ncut(tradeoff: float = 1e-3) -> Objective:
    return Objective(NCut(-0.2), Regulariser(PitmanYor(1.0, 0.2), tradeoff))


@pytest.mark.parametrize("start", ["one", "singletons", "wrong"])
def test_two_cliques_are_found_from_any_start(start: str) -> None:
    labels = {
        "one": np.zeros(9, LABEL),
        "singletons": np.arange(9, dtype=LABEL),
        "wrong": np.array([0, 1, 0, 1, 0, 1, 0, 1, 0], LABEL),
    }[start]
    level = Level.finest(two_cliques())
    found = search_graph(
        level, ncut(), starts=[start_from(labels)], random=np.random.default_rng(0)
    )
    assert len(set(found.labels[:5])) == len(set(found.labels[5:])) == 1
    assert found.labels[0] != found.labels[5]


def test_result_does_not_depend_on_the_number_of_threads() -> None:
    graph, _ = make_block_graph(3000, random_state=0)
    level = Level.finest(graph)
    objective = Objective(
        Modularity(1.0, graph.total_weight), Regulariser(PitmanYor(1.0, 0.5), 1.0)
    )
    one, three = (
        search_graph(
            level,
            objective,
            starts=graph_starts(level, objective, 2),
            n_jobs=n_jobs,
            random=np.random.default_rng(3),
        )
        for n_jobs in (1, 3)
    )
    np.testing.assert_array_equal(one.labels, three.labels)
    np.testing.assert_array_equal(one.path, three.path)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_a_giant_cluster_is_divided_by_all_threads_as_by_one(is_weighted: bool) -> None:
    n = 20_000
    graph, _ = make_block_graph(n, degree=12, mixing=0.2, random_state=0)
    weights = np.ones(graph.n_entries, dtype=np.float32) if is_weighted else None
    # A tenth of the nodes are in another cluster, so that edges lead out of the giant.
    labels = (np.arange(n) % 10 == 0).astype(LABEL)
    level = Level((graph.indptr, graph.indices, weights), (graph.degrees, None, None))
    model = BlockModel.of(graph, degree_corrected=False)
    objective = model.estimate(level.cluster_stats(labels))

    def divide(n_threads: int) -> np.ndarray:
        search = replace(level, n_threads=n_threads)
        divisible = np.ones(2, dtype=np.bool_)
        random = np.random.default_rng(0)
        return search.divide(labels, objective, divisible, random=random, cancel=None)[0]

    parts = divide(1)
    assert len(np.unique(parts)) > 100
    for n_threads in 2, 3:
        np.testing.assert_array_equal(divide(n_threads), parts)


def test_planted_clusters_are_found() -> None:
    graph, truth = make_paper_graph(600, n_clusters=(5, 9), random_state=3)
    level = Level.finest(graph)
    starts = graph_starts(level, ncut(1e-4), 1)
    found = search_graph(level, ncut(1e-4), starts=starts, random=np.random.default_rng(0))
    truth_value = level.objective(truth, int(truth.max()) + 1, ncut(1e-4))
    assert found.objective <= truth_value + ncut(1e-4).regulariser.constant(600)
    assert normalized_mutual_info_score(truth, found.labels) > 0.95


def test_coarsening_moves_nodes_and_groups_by_objectives_of_their_own() -> None:
    graph, truth = make_block_graph(3000, degree=12, mixing=0.1, random_state=0)
    level = Level(graph.arrays, (graph.degrees, None, None), n_threads=1)
    total = float(graph.degrees.sum())
    modularity, by_edges, nothing_gains = (
        Objective(Modularity(resolution, total), Regulariser(PitmanYor(1.0, 0.5), 0.0))
        for resolution in (1.0, 0.0, 1e9)
    )

    def coarsen(of_nodes: Objective, of_groups: Objective, n_threads: int = 1) -> np.ndarray:
        several = replace(level, n_threads=n_threads)
        random = np.random.default_rng(0)
        return several.coarsen(of_groups, of_nodes=of_nodes, random=random, cancel=None)

    # Groups stay as nodes have made them, or nodes stay alone.
    groups = coarsen(by_edges, nothing_gains)
    assert level.objective(groups, int(groups.max()) + 1, by_edges) < 0
    np.testing.assert_array_equal(coarsen(nothing_gains, modularity), np.arange(level.n))
    # Edges alone join nodes to larger groups than modularity, which prefers the smallest.
    n_pairs = len(np.unique(coarsen(modularity, nothing_gains)))
    assert len(np.unique(groups)) < n_pairs
    labels = coarsen(by_edges, modularity)
    assert normalized_mutual_info_score(truth, labels) > 0.9
    np.testing.assert_array_equal(coarsen(by_edges, modularity, n_threads=4), labels)


def test_disconnected_clusters_are_split_and_the_objective_is_updated() -> None:
    # Two pairs without an edge between them: the prior at this tradeoff prefers one cluster.
    A = np.zeros((4, 4))
    A[0, 1] = A[1, 0] = A[2, 3] = A[3, 2] = 1.0
    level = Level.finest(Graph(A))
    objective = Objective(NCut(-0.2), Regulariser(PitmanYor(0.01, 0.0), 5.0))
    together = search_graph(
        level,
        objective,
        starts=[start_from(np.zeros(4, LABEL))],
        random=np.random.default_rng(0),
    )
    np.testing.assert_array_equal(together.labels, 0)
    split = connect(level, objective, together, random=np.random.default_rng(0))
    np.testing.assert_array_equal(split.labels, [0, 0, 1, 1])
    assert split.objective > together.objective
    ones = np.ones(4, dtype=np.int64)
    j = reference.graph_objective(
        A, A.sum(axis=1), ones, ones, split.labels, NCut(-0.2), PitmanYor(0.01, 0.0), 5.0
    )
    assert split.objective == pytest.approx(j, **exact)


# Each step of the search, on a case that no other step can improve.


def test_moves_of_subclusters_split_a_cluster_and_merge_clusters() -> None:
    level = Level.finest(two_cliques())
    halves = np.array([0, 0, 0, 1, 1, 2, 2, 3, 3], LABEL)
    for start in (np.zeros(9, LABEL), halves):
        node_moves = level.local_moves(
            start, ncut(), random=np.random.default_rng(0), cancel=None, exhaustive=True
        )
        search = Multilevel(level, ncut(), random=np.random.default_rng(0))
        search.improve(start)
        if start is not halves:
            # No move of a single node can begin the split.
            assert search.path[-1] < node_moves.after - 0.1
        assert search.path[-1] == pytest.approx(cliques_apart(level), rel=1e-12)


def cliques_apart(level: Level) -> float:
    labels = np.repeat([0, 1], [5, 4]).astype(LABEL)
    return level.objective(labels, 2, ncut())


def test_refinement_moves_nodes_that_were_grouped_wrongly() -> None:
    graph, _ = make_block_graph(1000, mixing=0.3, random_state=0)
    search = Multilevel(Level.finest(graph), ncut(1e-4), random=np.random.default_rng(0))
    search.cycle(np.arange(1000, dtype=LABEL))
    # J before any round; after the round of each level, down to the coarsest one; and back.
    coarsest = len(search.path) // 2
    assert search.path[-1] < search.path[coarsest] - 0.5


def test_default_starts_are_three_and_the_random_ones_are_repeated() -> None:
    level = Level.finest(two_cliques())
    ends = [
        [len(set(start(np.random.default_rng(0), _core.CancellationToken()))) for start in starts]
        for starts in (graph_starts(level, ncut(), 1), graph_starts(level, ncut(), 3))
    ]
    components, score_alone, modularity = ends[0]
    assert components == 1
    assert score_alone == modularity == 2
    assert ends[1] == [1, *[2, 2] * 3]


def test_modularity_start_is_not_duplicated_if_it_is_the_score() -> None:
    level = Level.finest(two_cliques())
    modularity = Modularity(1.0, float(level.nodes[0].sum()))
    objective = Objective(modularity, Regulariser(PitmanYor(1.0, 0.2), 1.0))
    assert len(graph_starts(level, objective, 2)) == 3


def test_start_without_the_prior_merges_singletons() -> None:
    # At this tradeoff no merge of two singletons lowers J; the score alone merges them.
    level = Level.finest(two_cliques())
    heavy = Objective(NCut(-0.2), Regulariser(PitmanYor(50.0, 0.9), 0.2))
    singletons = np.arange(9, dtype=LABEL)
    moved = level.local_moves(singletons, heavy, random=np.random.default_rng(0), cancel=None)
    assert moved.moves == 0
    score_alone = graph_starts(level, heavy, 1)[1]
    assert len(set(score_alone(np.random.default_rng(0), _core.CancellationToken()))) == 2


def test_nodes_move_on_after_clusters_are_split() -> None:
    # Nodes 0 and 3 share a cluster without being connected; 3 belongs to the other triangle.
    A = np.zeros((6, 6))
    for i, j in [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)]:
        A[i, j] = A[j, i] = 1.0
    level = Level.finest(Graph(A))
    labels = np.array([0, 0, 0, 0, 1, 1], LABEL)
    start = SearchResult(labels, 0.0, np.zeros(1))
    only_split = split(level, ncut(), start)
    np.testing.assert_array_equal(only_split.labels, [0, 0, 0, 1, 2, 2])
    connected = connect(level, ncut(), start, random=np.random.default_rng(0))
    assert len(set(connected.labels[3:])) == 1
    assert connected.objective < only_split.objective


def test_after_the_time_limit_clusters_are_only_split() -> None:
    graph, _ = make_block_graph(20_000, random_state=0)
    level = Level.finest(graph)
    labels = np.random.default_rng(0).integers(0, 2000, level.n, dtype=LABEL)
    start = SearchResult(labels, 0.0, np.zeros(1))
    expired = _core.CancellationToken()
    expired.expire_in(0.0)
    connected = connect(level, ncut(), start, random=np.random.default_rng(0), cancel=expired)
    only_split = split(level, ncut(), start)
    np.testing.assert_array_equal(connected.labels, only_split.labels)
    assert connected.objective == pytest.approx(only_split.objective, rel=1e-12)


def test_searches_end_where_no_single_move_lowers_j() -> None:
    random = np.random.default_rng(0)
    for seed in range(20):
        A = np.triu(random.uniform(0.0, 1.0, (12, 12)) ** 4, 1)
        ones = np.ones(12, dtype=np.int64)
        problem = Problem(
            A + A.T,
            (A + A.T).sum(axis=1),
            ones * 1.0,
            ones,
            ones,
            NCut(-0.3),
            PitmanYor(1, 0.2),
            0.01,
        )
        search = Multilevel(problem.level, problem.objective, random=np.random.default_rng(seed))
        labels = search.improve(np.arange(12, dtype=LABEL))
        assert problem.propose(labels)[1].min() == 0


def test_objective_is_accurate_for_weights_of_very_different_magnitude() -> None:
    random = np.random.default_rng(0)
    A = np.triu(random.lognormal(0, 8, (60, 60)) * (random.random((60, 60)) < 0.2), 1)
    A = A + A.T
    for score in ("rcut", "modularity", "ncut"):
        model = PowerLawCut(score, random_state=0).fit(A)
        ones = np.ones(60, dtype=np.int64)
        available = {"shift": -0.2, "resolution": 1.0, "total_weight": A.sum()}
        j = reference.graph_objective(
            A,
            A.sum(axis=1),
            ones * 1.0,
            ones,
            model.labels_,
            graph_score(score, **available),
            PitmanYor(1.0, 0.2),
            1e-4,
        )
        assert model.objective_ == pytest.approx(j, rel=1e-9, abs=1e-6)


def test_an_exception_in_one_start_stops_all_and_is_raised() -> None:
    level = Level.finest(two_cliques())

    def failing(_random: object, _cancel: object) -> np.ndarray:
        raise RuntimeError("no such start")

    def endless(_random: object, cancel: _core.CancellationToken) -> np.ndarray:
        while not cancel.is_set():
            time.sleep(0.01)
        raise _core.Cancelled("cancelled")

    with pytest.raises(RuntimeError, match="no such start"):
        search_graph(
            level, ncut(), starts=[endless, failing], n_jobs=2, random=np.random.default_rng(0)
        )


def test_a_cancelled_token_stops_native_kernels() -> None:
    graph, _ = make_block_graph(20_000, random_state=0)
    level = Level.finest(graph)
    cancel = _core.CancellationToken()
    cancel.set()
    with pytest.raises(_core.Cancelled):
        level.local_moves(
            np.arange(level.n, dtype=LABEL),
            ncut(),
            random=np.random.default_rng(0),
            cancel=cancel,
        )


def test_levels_have_one_round_where_nodes_join_by_their_edges() -> None:
    level = Level.finest(make_block_graph(300, degree=12, random_state=0)[0])
    score = Modularity(1.0, float(level.nodes[0].sum()))
    objective = Objective(score, Regulariser(PitmanYor(1.0, 0.5), tradeoff=0.0))
    search = Multilevel(level, objective, random=np.random.default_rng(0), brisk=True)
    with mock.patch.object(Level, "coarsen", autospec=True) as coarsen:
        search.coarsen(objective)
        search.coarsen()
    shares = [call.kwargs["negligible"] for call in coarsen.call_args_list]
    assert shares == [1.0, multilevel.FEW_MOVES]
