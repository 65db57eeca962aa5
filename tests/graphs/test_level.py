"""The native graph kernels against the plain NumPy implementation in reference.py."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

import reference
from powercut import Graph
from powercut._typing import LABEL
from powercut.graphs.level import Level, Moved
from powercut.graphs.scores import CPM, ClusterStats
from powercut.prior import PitmanYor
from powercut.search.objective import Regulariser
from strategies import Problem, best_moves, compact, problems

exact = {"rel": 1e-9, "abs": 1e-9}
repeatable = settings(deadline=None, derandomize=True, max_examples=150)


def by_smallest_member(labels: np.ndarray) -> np.ndarray:
    _, first, number = np.unique(labels, return_index=True, return_inverse=True)
    return first.argsort().argsort()[number]


def same_partition(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.array_equal(a[:, None] == a, b[:, None] == b))


@given(problems())
@repeatable
def test_sums_over_clusters_are_those_of_plain_numpy(problem: Problem) -> None:
    nodes = (problem.volume, problem.weight, problem.count)
    singletons = np.arange(len(problem.labels), dtype=LABEL)
    for labels in (problem.labels, singletons, singletons[::-1].copy()):
        expected = reference.cluster_stats(problem.A, *nodes, labels)
        found = problem.level.cluster_stats(labels)
        for one, other in zip(found.arrays, expected.arrays, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@given(problems())
@repeatable
def test_native_objective_is_the_sum_of_scores_and_prior(problem: Problem) -> None:
    k = int(problem.labels.max()) + 1
    native = problem.level.objective(problem.labels, k, problem.objective)
    assert native + problem.constant == pytest.approx(problem.j(problem.labels), **exact)


@given(problems())
@repeatable
def test_proposed_delta_is_the_difference_of_two_objectives(problem: Problem) -> None:
    labels = problem.labels
    target, delta = problem.propose(labels)
    before = problem.j(labels)
    for node in range(len(labels)):
        after = problem.j(reference.moved(labels, node, target[node]))
        assert delta[node] == pytest.approx(after - before, **exact)


@given(problems())
@repeatable
def test_proposed_move_is_the_best_of_all_candidates(problem: Problem) -> None:
    labels = problem.labels
    _, delta = problem.propose(labels)
    before = problem.j(labels)
    for node in range(len(labels)):
        deltas = [
            problem.j(reference.moved(labels, node, c)) - before
            for c in reference.candidate_targets(problem.A, labels, node)
        ]
        assert delta[node] == pytest.approx(min([0.0, *deltas]), **exact)


@given(problems(), st.integers(0, 100))
@repeatable
def test_local_moves_end_where_no_move_lowers_j(problem: Problem, seed: int) -> None:
    random = np.random.default_rng(seed)
    moved = problem.level.local_moves(
        problem.labels, problem.objective, random=random, cancel=None, exhaustive=True
    )
    assert moved.before + problem.constant == pytest.approx(problem.j(problem.labels), **exact)
    assert moved.after + problem.constant == pytest.approx(problem.j(moved.labels), **exact)
    assert moved.after <= moved.before
    assert (moved.moves == 0) == same_partition(moved.labels, problem.labels) or moved.moves > 1
    assert problem.propose(moved.labels)[1].min() == 0


@given(problems(), st.data())
@repeatable
def test_local_moves_begin_at_the_nodes_given(problem: Problem, data: st.DataObject) -> None:
    n = len(problem.labels)
    node = data.draw(st.integers(0, n - 1))
    first = np.arange(n) == node
    moved = problem.level.local_moves(
        problem.labels,
        problem.objective,
        random=np.random.default_rng(0),
        cancel=None,
        first=first,
    )
    best = problem.propose(problem.labels)[1][node]
    assert (moved.moves == 0) == (best == 0)
    assert moved.after - moved.before <= best + 1e-9 * (1 + abs(best) + abs(moved.before))
    if moved.moves == 0:
        np.testing.assert_array_equal(moved.labels, problem.labels)
    # What no path leads to from the node stays where it was.
    component = reference.split_components(problem.A, np.zeros_like(problem.labels))
    stays = component != component[node]
    assert same_partition(moved.labels[stays], problem.labels[stays])


@given(problems(), st.integers(0, 100))
@repeatable
def test_local_moves_begin_at_all_nodes_by_default(problem: Problem, seed: int) -> None:
    everywhere = np.ones(len(problem.labels), dtype=np.bool_)
    ends = [
        problem.level.local_moves(
            problem.labels,
            problem.objective,
            random=np.random.default_rng(seed),
            cancel=None,
            first=first,
        ).labels
        for first in (None, everywhere)
    ]
    np.testing.assert_array_equal(*ends)


@given(problems(), st.integers(0, 100))
@repeatable
def test_moves_begin_at_the_sums_that_are_known(problem: Problem, seed: int) -> None:
    level, labels = problem.level, problem.labels
    n_labels = int(labels.max()) + 1
    known = level.cluster_stats(labels)
    other = replace(known, inside=0.5 * known.inside)

    def nodes(stats: ClusterStats | None) -> Moved:
        random = np.random.default_rng(seed)
        return level.local_moves(labels, problem.objective, random=random, cancel=None, stats=stats)

    def groups(stats: ClusterStats | None) -> Moved:
        random = np.random.default_rng(seed)
        moved = level.merge(
            labels, n_labels, problem.objective, random=random, cancel=None, stats=stats
        )
        assert moved is not None
        return moved

    for move in (nodes, groups):
        added, given = move(None), move(known)
        np.testing.assert_array_equal(given.labels, added.labels)
        assert given.before == pytest.approx(added.before, **exact)
        assert given.after == pytest.approx(added.after, **exact)
        more = problem.objective.value(other) - problem.objective.value(known)
        assert move(other).before - given.before == pytest.approx(more, **exact)


@given(problems(), st.floats(0, 5))
@repeatable
def test_local_moves_gain_more_than_the_inertia(problem: Problem, inertia: float) -> None:
    moved = problem.level.local_moves(
        problem.labels,
        problem.objective,
        random=np.random.default_rng(0),
        cancel=None,
        exhaustive=True,
        inertia=inertia,
    )
    slack = 1e-9 * (1 + abs(moved.before) + abs(moved.after))
    assert moved.after <= moved.before - inertia * moved.moves + slack
    assert problem.propose(moved.labels)[1].min() >= -inertia - slack


@given(problems(), st.data())
@repeatable
def test_local_moves_stay_within_their_groups(problem: Problem, data: st.DataObject) -> None:
    groups = data.draw(compact(len(problem.labels)))
    start = np.arange(len(groups), dtype=LABEL)
    moved = problem.level.local_moves(
        start,
        problem.objective,
        random=np.random.default_rng(0),
        cancel=None,
        within=groups,
    )
    for c in range(moved.n_clusters):
        assert len(np.unique(groups[moved.labels == c])) == 1


@pytest.mark.parametrize("degree", [1, 2, 8])
def test_clusters_of_many_nodes_are_split_on_any_number_of_threads(degree: int) -> None:
    n, n_clusters = 20_000, 3
    random = np.random.default_rng(degree)
    u, v = random.integers(0, n, (2, degree * n // 2))
    graph = Graph.from_edges(u[u != v], v[u != v], n_nodes=n, symmetrize="max")
    labels = random.integers(0, n_clusters, n, dtype=LABEL)
    row = np.repeat(labels, np.diff(graph.indptr))
    inside = graph.adjacency.copy()
    inside.data = (row == labels[inside.indices]).astype(np.float64)
    inside.eliminate_zeros()
    n_expected, component = connected_components(inside, directed=False)
    may_split = np.array([True, False, True])
    whole = np.where(may_split[labels], component, n_expected + labels)
    for n_threads in 1, 2, 3:
        level = replace(Level.finest(graph), n_threads=n_threads)
        found, n_found = level.split_components(labels)
        assert n_found == n_expected
        np.testing.assert_array_equal(found, by_smallest_member(component))
        found, _ = level.split_components(labels, may_split=may_split)
        np.testing.assert_array_equal(found, by_smallest_member(whole))


@given(problems())
@repeatable
def test_connected_moves_keep_clusters_connected(problem: Problem) -> None:
    components, n_components = problem.level.split_components(problem.labels)
    np.testing.assert_array_equal(components, reference.split_components(problem.A, problem.labels))
    assert n_components == components.max() + 1
    moved = problem.level.local_moves(
        components,
        problem.objective,
        random=np.random.default_rng(0),
        cancel=None,
        keep_connected=True,
    )
    again = reference.split_components(problem.A, moved.labels)
    assert same_partition(again, moved.labels)
    assert moved.after <= moved.before


@pytest.mark.parametrize("outside", [-1, 4])
def test_components_of_labels_that_no_cluster_can_have_are_refused(outside: int) -> None:
    level = Level.finest(Graph.from_edges([0, 1], [1, 2], symmetrize="max"))
    labels = np.array([0, outside, 0], dtype=LABEL)
    with pytest.raises(ValueError, match="labels must lie in"):
        level.split_components(labels)


@given(problems(), st.data())
@repeatable
def test_aggregation_leaves_j_unchanged(problem: Problem, data: st.DataObject) -> None:
    groups = problem.labels
    k = int(groups.max()) + 1
    coarse = problem.level.aggregate(groups, k, None)
    indptr, indices, weights = coarse.graph
    dense = np.zeros((k, k))
    dense[np.repeat(np.arange(k), np.diff(indptr)), indices] = weights
    A, volume, weight, count = reference.aggregate(
        problem.A, problem.volume, problem.weight, problem.count, groups
    )
    np.testing.assert_allclose(dense, A, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(coarse.nodes[0], volume, rtol=1e-12)
    np.testing.assert_allclose(coarse.nodes[1], weight, rtol=1e-12)
    np.testing.assert_array_equal(coarse.nodes[2], count)

    labels = data.draw(compact(k))
    n_labels = int(labels.max()) + 1
    fine = problem.level.objective(labels[groups], n_labels, problem.objective)
    assert coarse.objective(labels, n_labels, problem.objective) == pytest.approx(fine, **exact)


@given(problems(), st.data())
@repeatable
def test_moves_of_aggregated_nodes_are_moves_of_all_their_members(
    problem: Problem, data: st.DataObject
) -> None:
    groups = problem.labels
    k = int(groups.max()) + 1
    coarse = problem.level.aggregate(groups, k, None)
    labels = data.draw(compact(k))
    stats = coarse.cluster_stats(labels).arrays
    target, delta = best_moves(coarse, labels, stats, problem.objective)
    before = problem.j(labels[groups])
    for group in range(k):
        after = problem.j(reference.moved(labels, group, target[group])[groups])
        assert delta[group] == pytest.approx(after - before, **exact)


@given(problems())
@repeatable
def test_numbering_of_nodes_does_not_change_deltas(problem: Problem) -> None:
    order = np.random.default_rng(0).permutation(len(problem.labels))
    permuted = replace(
        problem,
        A=problem.A[np.ix_(order, order)],
        volume=problem.volume[order],
        weight=problem.weight[order],
        count=problem.count[order],
        labels=problem.labels[order],
    )
    _, delta = problem.propose(problem.labels)
    _, permuted_delta = permuted.propose(permuted.labels)
    np.testing.assert_allclose(permuted_delta, delta[order], rtol=1e-9, atol=1e-9)


@given(problems())
@repeatable
def test_scaling_all_weights_does_not_change_normalized_cut(problem: Problem) -> None:
    assume(problem.score.name == "ncut")
    k = int(problem.labels.max()) + 1
    scaled = replace(problem, A=8 * problem.A, volume=8 * problem.volume)
    ours = problem.level.objective(problem.labels, k, problem.objective)
    assert scaled.level.objective(problem.labels, k, problem.objective) == ours


def test_counts_beyond_the_prior_lookup_table() -> None:
    # Two aggregated nodes, of a hundred thousand and a million original nodes.
    A = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    count = np.array([3, 100_000, 1_000_000])
    labels = np.arange(3, dtype=LABEL)
    problem = Problem(
        A, A.sum(axis=1), np.ones(3), count, labels, CPM(0.0), PitmanYor(2.0, 0.3), 0.7
    )
    _, delta = problem.propose(labels)
    regulariser = Regulariser(problem.prior, 0.7)
    together = regulariser.value(np.array([1_000_003, 100_000]))
    apart = regulariser.value(count)
    assert delta[0] == pytest.approx(together - apart - 2.0, rel=1e-10)


@given(problems(), st.integers(0, 3))
@repeatable
def test_division_splits_only_divisible_clusters_and_never_raises_j(
    problem: Problem, seed: int
) -> None:
    labels = problem.labels
    k = int(labels.max()) + 1
    divisible = np.random.default_rng(seed).random(k) < 0.7
    parts, n_parts = problem.level.divide(
        labels, problem.objective, divisible, random=np.random.default_rng(seed), cancel=None
    )
    assert np.array_equal(np.unique(parts), np.arange(n_parts))
    assert all(len(np.unique(labels[parts == p])) == 1 for p in range(n_parts))
    assert all(len(np.unique(parts[labels == c])) == 1 for c in np.flatnonzero(~divisible))
    assert problem.j(parts) <= problem.j(labels) + 1e-9 * (1 + abs(problem.j(labels)))


@given(problems(), st.integers(1, 4), st.integers(0, 12))
@repeatable
def test_moves_within_limits_of_sizes_are_those_of_plain_numpy(
    problem: Problem, smallest: int, more: int
) -> None:
    labels, limits = problem.labels, (smallest, smallest + more)
    counts = problem.level.nodes[2]
    counts = np.ones(len(labels), dtype=np.int64) if counts is None else counts
    margins = problem.level.margins(labels, problem.objective, limits=limits)
    before, sizes = problem.j(labels), np.bincount(labels, counts)
    for node, own in enumerate(labels):
        left = sizes[own] - counts[node]
        allowed = [np.inf]
        for c in reference.candidate_targets(problem.A, labels, node):
            is_new = c == len(sizes)
            joined = counts[node] + (0 if is_new else sizes[c])
            if c == own or (0 < left < smallest) or joined > limits[1]:
                continue
            if is_new and (left == 0 or joined < smallest):
                continue
            allowed.append(problem.j(reference.moved(labels, node, c)) - before)
        assert margins[node] == pytest.approx(min(allowed), **exact)
    moved = problem.level.local_moves(
        labels,
        problem.objective,
        random=np.random.default_rng(0),
        cancel=None,
        exhaustive=True,
        limits=limits,
    )
    after = problem.level.margins(moved.labels, problem.objective, limits=limits)
    assert (after > -1e-9 * (1 + abs(problem.j(moved.labels)))).all()
