"""Prior labels: their homes, and the constraints that a search starts from."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from powercut import Graph
from powercut._typing import LABEL
from powercut.graphs.constraints import constrained_level
from powercut.graphs.level import Level
from powercut.graphs.prior_labels import DEFAULT_NATS, PriorLabels, elected, matched
from powercut.search.constraints import Constraints
from powercut.search.known import FREE, Known

NONE = np.empty((0, 2), dtype=np.intp)
repeatable = settings(deadline=None, derandomize=True, max_examples=150)


def known(fixed: Any = None, must_link: Any = NONE, cannot_link: Any = NONE) -> Known:
    fixed = None if fixed is None else np.asarray(fixed)
    return Known(fixed, np.asarray(must_link), np.asarray(cannot_link))


def prior(labels: Any, **given: Any) -> PriorLabels:
    return PriorLabels(np.asarray(labels), 1.0, known(**given))


def test_nats_are_the_log_odds_of_a_label_that_is_right() -> None:
    assert np.exp(DEFAULT_NATS) == pytest.approx(0.99 / 0.01)


@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 12))
@repeatable
def test_homes_hold_as_many_nodes_of_their_labels_as_possible(seed: int, p: int, k: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 60))
    labels = random.integers(-1, p, n)
    clusters = np.unique(random.integers(0, k, n), return_inverse=True)[1].astype(LABEL)
    made = prior(labels)
    nodes = np.flatnonzero(labels >= 0)
    homes = made.homes(clusters)[nodes]
    np.testing.assert_array_equal(made.nodes, nodes)
    # One home per label, and one label per home.
    pairs = set(zip(labels[nodes].tolist(), homes.tolist(), strict=True))
    assert len({label for label, _ in pairs}) == len(pairs)
    taken = [home for _, home in pairs if home >= 0]
    assert len(set(taken)) == len(taken)
    table = np.zeros((p, k))
    np.add.at(table, (labels[nodes], clusters[nodes]), 1)
    most = table[linear_sum_assignment(table, maximize=True)].sum()
    assert len(nodes) - len(made.moved(clusters)) == most


@given(st.integers(0, 2**32))
@repeatable
def test_values_of_labels_do_not_matter(seed: int) -> None:
    random = np.random.default_rng(seed)
    labels, names = random.integers(-1, 6, 40), random.permutation(100)[:6]
    clusters = np.unique(random.integers(0, 5, 40), return_inverse=True)[1].astype(LABEL)
    named = np.where(labels >= 0, names[labels], -1)
    np.testing.assert_array_equal(prior(labels).homes(clusters), prior(named).homes(clusters))
    links = random.integers(0, 40, (5, 2))
    ends = [prior(one, must_link=links).as_fixed().fixed for one in (labels, named)]
    assert all(end is not None for end in ends)
    np.testing.assert_array_equal(np.where(ends[0] >= 0, names[ends[0]], -1), ends[1])


def test_fixed_nodes_outvote_all_others() -> None:
    made = prior([4, 4, -1, -1, 7], fixed=[-1, -1, 9, 4, -1])
    # The cluster of all nodes with prior labels is that of the node fixed at 9.
    assert made.homes(np.array([0, 0, 0, 1, 0], dtype=LABEL)).tolist() == [1, 1, 0, 1, -1]


def test_of_equal_homes_the_largest_is_chosen() -> None:
    for clusters in ([0, 1, 1, 1], [1, 0, 0, 0], [1, 1, 0, 1]):
        labels = [-1, 5, 5, -1] if clusters[1] != clusters[2] else [5, 5, -1, -1]
        homes = prior(labels).homes(np.array(clusters, dtype=LABEL))
        assert {home for home in homes.tolist() if home >= 0} == {clusters[3]}


def test_pulls_are_summed_over_nodes_that_move_together() -> None:
    made = prior([1, 1, 5, 1, 5, -1], must_link=[[0, 1], [1, 2]])
    level = Level.finest(Graph(np.ones((6, 6)) - np.eye(6)))
    searched = constrained_level(level, Constraints.of(6, made.known))
    clusters = np.array([0, 1, 1, 2], dtype=LABEL)  # of the group, and nodes 3, 4 and 5
    homes = made.homes(searched.expand(clusters))
    pulls = made.pulls(searched, homes, scale=3.0)
    assert pulls.indptr.tolist() == [0, 2, 3, 4, 4]
    assert pulls.homes.tolist() == [0, 1, 0, 1]
    assert pulls.nats.tolist() == [6.0, 3.0, 3.0, 3.0]
    assert pulls.value(clusters) == 3.0 * len(made.moved(searched.expand(clusters)))


@given(st.integers(0, 2**32))
@repeatable
def test_labels_are_fixed_where_constraints_let_them(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = 20
    truth = random.integers(0, 6, n)
    pairs = random.integers(0, n, (12, 2))
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    fixed = np.where(random.random(n) < 0.2, truth, FREE)
    labels = np.where((random.random(n) < 0.6) & (fixed == FREE), random.integers(0, 6, n), FREE)
    made = prior(labels, fixed=fixed, must_link=pairs[same], cannot_link=pairs[~same])
    bound = made.as_fixed()
    assert bound.fixed is not None
    Constraints.of(n, bound)  # which raises if they contradict each other
    np.testing.assert_array_equal(bound.fixed[fixed != FREE], fixed[fixed != FREE])
    np.testing.assert_array_equal(bound.must_link, pairs[same])
    free = prior(labels).as_fixed()
    np.testing.assert_array_equal(free.fixed, labels)


def test_choices_of_voters() -> None:
    ones = np.ones(5, dtype=np.intp)
    voters, choices = np.array([0, 0, 0, 1, 1]), np.array([2, 2, 1, 2, 2])
    assert elected(voters, choices, ones).tolist() == [2, 2]
    assert matched(voters, choices, ones).tolist() == [1, 2]
    assert elected(voters, choices, np.array([1, 1, 3, 1, 1])).tolist() == [1, 2]
    # All of 0, 1 and 3, or of 0, 2 and 3, have as many votes.
    voters, choices = np.array([0, 1, 2, 2, 0, 2, 0, 1, 1]), np.array([3, 0, 3, 0, 2, 2, 3, 1, 3])
    assert matched(voters, choices, np.ones(9, dtype=np.intp)).tolist() == [3, 1, 0]
