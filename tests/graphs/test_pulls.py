"""Clusters that attract nodes: the native kernels against plain NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from powercut import Graph, _core
from powercut._typing import LABEL
from powercut.datasets import make_block_graph
from powercut.graphs.level import Level
from powercut.graphs.pulls import Pulls
from powercut.graphs.scores import CPM
from powercut.prior import PitmanYor
from powercut.search.objective import Objective, Regulariser
from strategies import Problem, problems

exact = {"rel": 1e-9, "abs": 1e-9}
repeatable = settings(deadline=None, derandomize=True, max_examples=150)


@st.composite
def pulls_on(draw: st.DrawFn, labels: np.ndarray) -> Pulls:
    """Draw up to two homes for each node, of nats of its own."""
    n, k = len(labels), int(labels.max()) + 1
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    nodes = np.flatnonzero(random.random(n) < 0.6)
    nodes = np.append(nodes, random.permutation(nodes)[: len(nodes) // 3])
    homes = random.integers(0, k, len(nodes)).astype(LABEL)
    scale = draw(st.sampled_from([0.01, 1.0, 20.0]))
    return Pulls.of(n, nodes, homes, scale * random.uniform(0.5, 2.0, len(nodes)))


def penalty(pulls: Pulls, labels: np.ndarray) -> float:
    """Sum the nats of all homes that nodes are not in, one by one."""
    total = 0.0
    for node, label in enumerate(labels):
        for at in range(pulls.indptr[node], pulls.indptr[node + 1]):
            total += pulls.nats[at] * (pulls.homes[at] != label)
    return total


def targets(problem: Problem, labels: np.ndarray, pulls: Pulls, node: int) -> list[int]:
    """List the clusters that a node may move to; its homes only if it has no neighbours."""
    found = set(reference.candidate_targets(problem.A, labels, node)) - {int(labels[node])}
    if not np.delete(problem.A[node], node).any():
        found |= set(pulls.homes[pulls.indptr[node] : pulls.indptr[node + 1]].tolist())
    if np.count_nonzero(labels == labels[node]) == 1:
        found -= {int(labels.max()) + 1}
    return sorted(found - {int(labels[node])})


@given(problems(), st.data())
@repeatable
def test_margins_are_differences_of_j_with_the_pulls(problem: Problem, data: st.DataObject) -> None:
    labels = problem.labels
    pulls = data.draw(pulls_on(labels))
    assert pulls.value(labels) == pytest.approx(penalty(pulls, labels), **exact)
    margins = problem.level.margins(labels, problem.objective, pulls=pulls)
    before = problem.j(labels) + penalty(pulls, labels)
    for node in range(len(labels)):
        rises = [np.inf]
        for c in targets(problem, labels, pulls, node):
            moved = labels.copy()
            moved[node] = c
            rises.append(problem.j(moved) + penalty(pulls, moved) - before)
        assert margins[node] == pytest.approx(min(rises), **exact)


@given(problems(), st.data(), st.booleans())
@repeatable
def test_moves_lower_j_with_the_pulls_until_none_does(
    problem: Problem, data: st.DataObject, keep_connected: bool
) -> None:
    labels = problem.labels
    pulls = data.draw(pulls_on(labels))
    if keep_connected:
        parts = problem.level.split_components(labels)[0]
        # Homes keep their numbers: what is split off has new ones.
        joined = pulls.connect(labels, parts)
        labels = np.where(np.isin(joined, joined[pulls.at_home(labels)]), labels, 100 + joined)
        labels = labels.astype(LABEL)
    moved_labels, moved = labels.copy(), None
    moved = _core.local_moves(
        problem.level.graph,
        problem.level.nodes,
        moved_labels,
        int(max(labels.max(), pulls.homes.max(initial=0))) + 1,
        problem.objective.native,
        None,
        keep_connected,
        True,
        0.0,
        1,
        0,
        None,
        None,
        None,
        0.0,
        None,
        None,
        pulls.native,
        None,
    )
    before = problem.j(np.unique(labels, return_inverse=True)[1]) + penalty(pulls, labels)
    compact = np.unique(moved_labels, return_inverse=True)[1]
    after = problem.j(compact) + penalty(pulls, moved_labels)
    assert moved[0] + problem.constant == pytest.approx(before, **exact)
    assert moved[1] + problem.constant == pytest.approx(after, **exact)
    assert moved[1] <= moved[0]
    if keep_connected:
        parts = reference.split_components(problem.A, compact)
        joined = pulls.connect(moved_labels, parts.astype(LABEL))
        assert len(np.unique(joined)) == len(np.unique(compact))
    else:
        k = int(max(moved_labels.max(), pulls.homes.max(initial=0))) + 1
        margins = _core.margins(
            problem.level.graph,
            problem.level.nodes,
            moved_labels,
            k,
            problem.objective.native,
            None,
            pulls.native,
            1,
            None,
            None,
        )
        assert margins.min() >= -1e-9 * (1 + abs(after))


@given(problems(), st.data())
@repeatable
def test_pulls_on_clusters_are_those_on_their_nodes(problem: Problem, data: st.DataObject) -> None:
    labels, k = problem.labels, int(problem.labels.max()) + 1
    pulls = data.draw(pulls_on(labels))
    coarse = pulls.aggregate(labels, k)
    for joined in (np.zeros(k, dtype=LABEL), np.arange(k, dtype=LABEL)):
        assert coarse.value(joined) == pytest.approx(pulls.value(joined[labels]), **exact)


def test_a_node_without_neighbours_joins_its_home_and_others_only_over_an_edge() -> None:
    A = np.kron(np.eye(3), np.ones((3, 3)) - np.eye(3))
    A[:, 8] = A[8, :] = 0
    level = Level.finest(Graph(A))
    objective = Objective(CPM(0.1), Regulariser(PitmanYor(1.0, 0.0), 0.0))
    labels = np.array([0, 0, 0, 1, 1, 1, 2, 2, 3], dtype=LABEL)
    pulls = Pulls.of(9, np.array([3, 8]), np.array([0, 0], dtype=LABEL), np.full(2, 1e6))
    for connected in (False, True):
        moved = level.local_moves(
            labels,
            objective,
            random=np.random.default_rng(0),
            cancel=None,
            keep_connected=connected,
            exhaustive=True,
            pulls=pulls,
        )
        # The third node is at home nowhere that it may join; the last one joins nodes that are
        # not attracted only if clusters may be disconnected.
        assert moved.labels[8] == (3 if connected else 0)
        assert moved.labels[3] == 1
    at_home = Pulls.of(9, np.array([0, 8]), np.array([0, 0], dtype=LABEL), np.full(2, 1e6))
    moved = level.local_moves(
        labels,
        objective,
        random=np.random.default_rng(0),
        cancel=None,
        keep_connected=True,
        pulls=at_home,
    )
    assert moved.labels[8] == 0


def test_labels_do_not_depend_on_threads() -> None:
    graph, truth = make_block_graph(4000, degree=40, mixing=0.5, random_state=0)
    random = np.random.default_rng(0)
    labels = random.integers(0, 50, 4000).astype(LABEL)
    nodes = np.flatnonzero(random.random(4000) < 0.3)
    pulls = Pulls.of(4000, nodes, (truth[nodes] % 50).astype(LABEL), np.full(len(nodes), 2.0))
    objective = Objective(CPM(0.01), Regulariser(PitmanYor(1.0, 0.5), 1.0))
    ends = [
        Level(graph.arrays, (graph.degrees, None, None), n_threads=n_threads).local_moves(
            labels, objective, random=np.random.default_rng(0), cancel=None, pulls=pulls
        )
        for n_threads in (1, 2, 8)
    ]
    assert ends[0].moves > 1000
    for end in ends[1:]:
        np.testing.assert_array_equal(end.labels, ends[0].labels)
        assert end.after == ends[0].after


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ((np.array([0, 1]), np.array([0], dtype=LABEL), np.array([1.0])), "a row for each"),
        ((np.array([0, 0, 2]), np.array([0], dtype=LABEL), np.array([1.0])), "lead through"),
        ((np.array([0, 0, 1]), np.array([2], dtype=LABEL), np.array([1.0])), "labels must lie"),
        ((np.array([0, 0, 1]), np.array([0], dtype=LABEL), np.array([-1.0])), "positive"),
        ((np.array([0, 0, 1]), np.array([0], dtype=LABEL), np.array([np.inf])), "finite"),
    ],
)
def test_pulls_that_lead_outside_are_refused(broken: tuple, message: str) -> None:
    level = Level.finest(Graph(np.ones((2, 2)) - np.eye(2)))
    objective = Objective(CPM(0.1), Regulariser(PitmanYor(1.0, 0.0), 0.0))
    labels = np.array([0, 1], dtype=LABEL)
    with pytest.raises(ValueError, match=message):
        level.margins(labels, objective, pulls=Pulls(*broken))
    with pytest.raises(ValueError, match="within groups do not support pulls"):
        level.local_moves(
            labels,
            objective,
            random=np.random.default_rng(0),
            cancel=None,
            within=labels,
            pulls=Pulls.of(2, np.array([0]), np.array([1], dtype=LABEL), np.ones(1)),
        )
