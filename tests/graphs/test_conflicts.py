"""Nodes that must not share a cluster: the table of a level, and the kernels that keep it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from powercut import Graph, _core
from powercut._typing import LABEL
from powercut.datasets import make_block_graph
from powercut.graphs.block_fit import by_description_length
from powercut.graphs.block_model import BlockModel, block_level
from powercut.graphs.block_search import BlockSearch
from powercut.graphs.merging import merge_clusters
from powercut.graphs.multilevel import Multilevel
from powercut.graphs.starts import graph_starts
from powercut.progress import ProgressReporter
from powercut.search.conflicts import Conflicts, MergingConflicts
from strategies import Problem, problems

repeatable = settings(deadline=None, derandomize=True, max_examples=150)


@st.composite
def tables(draw: st.DrawFn, n: int) -> tuple[Conflicts, np.ndarray]:
    """Draw conflicts, and the same as a matrix."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    apart = random.random(n) < draw(st.sampled_from([0.0, 0.3, 1.0]))
    wanted = np.triu(random.random((n, n)) < draw(st.sampled_from([0.0, 0.1, 0.5])), 1)
    matrix = wanted | wanted.T | (apart[:, None] & apart & ~np.eye(n, dtype=bool))
    return Conflicts.of(apart, np.argwhere(wanted)), matrix


@st.composite
def cases(draw: st.DrawFn) -> tuple[Problem, Conflicts, np.ndarray]:
    problem = draw(problems(max_nodes=12))
    return problem, *draw(tables(len(problem.labels)))


def holds(labels: np.ndarray, matrix: np.ndarray) -> bool:
    """Return whether no conflicting nodes share a cluster."""
    return not (matrix & (labels[:, None] == labels)).any()


@given(cases())
@repeatable
def test_conflicts_are_resolved_by_singletons(case: tuple[Problem, Conflicts, np.ndarray]) -> None:
    problem, conflicts, matrix = case
    labels = conflicts.resolve(problem.labels)
    assert holds(labels, matrix)
    np.testing.assert_array_equal(np.unique(labels), np.arange(labels.max() + 1))
    same = labels[:, None] == labels
    assert not (same & (problem.labels[:, None] != problem.labels)).any()
    conflicting = (matrix & (problem.labels[:, None] == problem.labels)).any(axis=1)
    for node in np.flatnonzero(~conflicting):
        together = (problem.labels == problem.labels[node]) & ~conflicting
        assert (labels[together] == labels[node]).all()


@given(cases())
@repeatable
def test_conflicts_of_clusters_are_those_of_their_nodes(
    case: tuple[Problem, Conflicts, np.ndarray],
) -> None:
    problem, conflicts, matrix = case
    labels = conflicts.resolve(problem.labels)
    k = labels.max() + 1
    coarse = replace(problem.level, conflicts=conflicts).aggregate(labels, k, None).conflicts
    assert coarse is not None
    member = labels == np.arange(k)[:, None]
    expected = member @ matrix @ member.T
    found = np.zeros((k, k), dtype=bool)
    found[np.repeat(np.arange(k), np.diff(coarse.indptr)), coarse.indices] = True
    apart = coarse.apart.astype(bool)
    found |= apart[:, None] & apart & ~np.eye(k, dtype=bool)
    np.testing.assert_array_equal(found, expected)


@given(cases(), st.integers(0, 100))
@repeatable
def test_local_moves_end_where_no_allowed_move_lowers_j(
    case: tuple[Problem, Conflicts, np.ndarray], seed: int
) -> None:
    problem, conflicts, matrix = case
    level = replace(problem.level, conflicts=conflicts)
    start = conflicts.resolve(problem.labels)
    moved = level.local_moves(
        start,
        problem.objective,
        random=np.random.default_rng(seed),
        cancel=None,
        exhaustive=True,
    )
    labels = moved.labels
    assert holds(labels, matrix)
    j = problem.j(labels)
    assert j <= problem.j(start) + 1e-9 * (1 + abs(j))
    for node in range(len(labels)):
        for target in reference.candidate_targets(problem.A, labels, node):
            other = reference.moved(labels, node, target)
            if holds(other, matrix):
                assert problem.j(other) >= j - 1e-9 * (1 + abs(j))


@given(cases(), st.integers(0, 100))
@repeatable
def test_every_search_keeps_conflicts(
    case: tuple[Problem, Conflicts, np.ndarray], seed: int
) -> None:
    problem, conflicts, matrix = case
    level = replace(problem.level, conflicts=conflicts)
    start = conflicts.resolve(problem.labels)
    random = np.random.default_rng(seed)
    for brisk in (False, True):
        search = Multilevel(level, problem.objective, random=random, brisk=brisk)
        merged = search.merge(start, int(start.max()) + 1)
        assert merged is not None
        for labels in (
            search.cycle(start).labels,
            search.improve(start),
            search.coarsen(),
            merged.labels[start],
            search.settle(start).labels,
        ):
            assert holds(labels, matrix)
            assert search.path[-1] <= search.path[0] + 1e-9 * (1 + abs(search.path[0]))


@given(cases(), st.integers(0, 100))
@repeatable
def test_starts_hold_no_conflicts(case: tuple[Problem, Conflicts, np.ndarray], seed: int) -> None:
    problem, conflicts, matrix = case
    level = replace(problem.level, conflicts=conflicts)
    starts = graph_starts(level, problem.objective, 1)
    assert len(starts) == len(graph_starts(problem.level, problem.objective, 1)) + 1
    reporter = ProgressReporter()
    found = [start(np.random.default_rng(seed), reporter) for start in starts]
    assert all(holds(labels, matrix) for labels in found)
    # The last one is free of conflicts because nodes were taken out of what a free search found.
    search = Multilevel(problem.level, problem.objective, random=np.random.default_rng(seed))
    free = search.improve(np.arange(level.n, dtype=LABEL))
    np.testing.assert_array_equal(found[-1], conflicts.resolve(free))


def test_description_is_not_longer_than_that_of_a_free_search_without_conflicts() -> None:
    graph = make_block_graph(300, degree=8, mixing=0.5, random_state=0)[0]
    random = np.random.default_rng(0)
    apart = random.random(300) < 0.1
    conflicts = Conflicts.of(apart, np.argwhere(np.triu(random.random((300, 300)) < 0.002, 1)))
    level = replace(block_level(graph), conflicts=conflicts)
    models = [BlockModel.of(graph, degree_corrected=corrected) for corrected in (False, True)]
    search = BlockSearch(graph, level, connected=False, random=random)
    best = search.best(models)
    (taken_out,) = search._without_conflicts(models, best.model)
    np.testing.assert_array_equal(conflicts.resolve(best.found.labels), best.found.labels)
    assert by_description_length(best) <= by_description_length(taken_out)


def test_clusters_in_conflict_do_not_merge() -> None:
    A = np.ones((60, 60)) - np.eye(60)  # one cluster, if nothing keeps its parts apart
    graph, labels = Graph(A), np.repeat(np.arange(6, dtype=LABEL), 10)
    level, model = block_level(graph), BlockModel.of(graph, degree_corrected=False)
    objective = model.estimate(level.cluster_stats(labels))
    assert len(set(merge_clusters(level, labels, objective).at(1e9))) == 1
    apart = np.zeros(60, dtype=bool)
    apart[[0, 10]] = True
    conflicts = Conflicts.of(apart, np.array([[20, 30], [31, 45]]))
    merged = merge_clusters(replace(level, conflicts=conflicts), labels, objective).at(1e9)
    np.testing.assert_array_equal(conflicts.resolve(merged), merged)
    assert len(set(merged)) == 2
    assert merged[0] != merged[10]
    assert merged[20] != merged[30]
    assert merged[31] != merged[45]


def test_conflicts_follow_clusters_that_merge() -> None:
    apart = np.array([True, False, False, True, False])
    conflicts = MergingConflicts(Conflicts.of(apart, np.array([[1, 2], [4, 2]])))
    assert conflicts.between(1, np.array([0, 2, 3, 4])).tolist() == [False, True, False, False]
    conflicts.merge(0, 1)
    assert conflicts.between(0, np.array([2, 3, 4])).tolist() == [True, True, False]
    assert conflicts.between(2, np.array([0, 4])).tolist() == [True, True]


@pytest.mark.parametrize(
    "wrong",
    [
        (np.zeros(2, np.uint8), np.zeros(4, np.int64), np.zeros(0, LABEL)),
        (np.zeros(3, np.uint8), np.zeros(3, np.int64), np.zeros(0, LABEL)),
        (np.zeros(3, np.uint8), np.array([0, 1, 0, 1]), np.zeros(1, LABEL)),
        (np.zeros(3, np.uint8), np.array([0, 1, 1, 1]), np.array([3], LABEL)),
        (np.zeros(3, np.uint8), np.array([0, 1, 1, 2]), np.array([1], LABEL)),
    ],
)
def test_unsound_tables_are_refused(wrong: tuple[np.ndarray, ...]) -> None:
    with pytest.raises(ValueError, match=r"conflicts|labels must lie"):
        _core.aggregate_conflicts(wrong, np.zeros(3, dtype=LABEL), 1)
