"""The search in which prior labels attract nodes, from clusters that were found before."""

import numpy as np
import pytest

from powercut import Graph
from powercut._typing import LABEL
from powercut.graphs.attracted_level import AttractedLevel
from powercut.graphs.attraction import Attracted, Attraction, Start
from powercut.graphs.level import Level
from powercut.graphs.prior_labels import PriorLabels
from powercut.graphs.scores import Modularity
from powercut.partition import canonical_labels
from powercut.prior import PitmanYor
from powercut.search.known import Known
from powercut.search.objective import Objective, Regulariser

NONE = np.empty((0, 2), dtype=np.intp)
CLIQUES = np.kron(np.eye(2), np.ones((8, 8)) - np.eye(8))
LEVEL = Level.finest(Graph(CLIQUES))
OBJECTIVE = Objective(
    Modularity(1.0, float(CLIQUES.sum())), Regulariser(PitmanYor(1.0, 0.0), tradeoff=0.5)
)


def run(
    labels: list[int],
    prior_labels: dict[int, int],
    nats: float,
    *,
    joins: bool = True,
    connected: bool = True,
) -> Attracted:
    prior = np.full(LEVEL.n, -1)
    prior[list(prior_labels)] = list(prior_labels.values())
    known = PriorLabels(prior, nats, Known(None, NONE, NONE))
    start = Start(
        np.array(labels, dtype=LABEL),
        OBJECTIVE,
        estimate=lambda _stats: OBJECTIVE,
        length=lambda _labels, stats: OBJECTIVE.value(stats),
        per_nat=0.5,
        joins=joins,
    )
    attracted = AttractedLevel(LEVEL, known, connected)
    end = Attraction(attracted, np.random.default_rng(0)).run(start)
    # J' is that of the labels, with half of it for each nat.
    j = OBJECTIVE.value(LEVEL.cluster_stats(end.found.labels))
    expected = j + 0.5 * nats * len(known.moved(end.found.labels))
    assert end.found.objective == pytest.approx(expected)
    assert end.total == pytest.approx(expected)
    assert (np.diff(end.found.path) <= 0).all()
    return end


HALVES = [0] * 4 + [1] * 4 + [2] * 8


@pytest.mark.parametrize(("nats", "joined"), [(0.1, True), (1e3, False)])
def test_clusters_are_joined_where_that_is_worth_their_labels(nats: float, joined: bool) -> None:
    labels = run(HALVES, {0: 5, 1: 5, 4: 6, 5: 6}, nats).found.labels
    assert len(np.unique(labels)) == (2 if joined else 3)
    assert (labels[0] == labels[4]) == joined


@pytest.mark.parametrize("joins", [False, True])
def test_clusters_are_joined_where_no_node_would_move_alone(joins: bool) -> None:
    labels = dict.fromkeys(range(4), 5) | dict.fromkeys(range(4, 8), 6)
    end = run(HALVES, labels, 5.0, joins=joins)
    assert len(np.unique(end.found.labels)) == (2 if joins else 3)


def test_the_start_is_kept_if_no_node_with_a_label_moves() -> None:
    # Only nodes with labels are visited at first, and node 8 stays.
    end = run(HALVES, {8: 1}, 1e-6, joins=False)
    np.testing.assert_array_equal(end.found.labels, HALVES)
    assert end.found.path[0] == pytest.approx(end.found.path[1], rel=1e-12)


def test_a_wrong_label_is_left_and_the_others_are_not() -> None:
    wrong = [0] * 7 + [1] * 9  # node 7 is with the other clique
    for connected in (False, True):
        labels = {0: 3, 1: 3, 7: 4, 8: 4, 9: 4}
        end = run(wrong, labels, 0.1, connected=connected)
        assert end.found.labels.tolist() == [0] * 8 + [1] * 8
        # Node 7 has no edge to the other clique, but counts as connected with nodes of its label.
        stays = run(wrong, labels, 1e3, connected=connected)
        assert stays.found.labels.tolist() == wrong


def test_clusters_are_connected_if_they_are_to_be() -> None:
    wrong = [0] * 7 + [1] * 9
    # Without labels for both parts of the second cluster, it is split.
    end = run(wrong, {0: 3, 8: 4}, 1e3)
    assert end.found.labels.tolist() == [0] * 8 + [1] * 8


def test_the_path_starts_with_what_labels_without_a_cluster_cost() -> None:
    wrong = np.array([0] * 7 + [1] * 9, dtype=LABEL)  # node 7 is with the other clique
    nats = 0.1
    # Label 4 has the cluster of both.
    end = run(wrong.tolist(), {7: 4, 8: 4, 9: 4, 10: 5}, nats, joins=False, connected=False)
    assert end.found.labels.tolist() == [0] * 8 + [1] * 8
    before = OBJECTIVE.value(LEVEL.cluster_stats(wrong)) + 0.5 * nats
    assert end.found.path[0] == pytest.approx(before)


def test_clusters_are_split_again_if_that_changes_where_labels_are_at_home() -> None:
    # Two paths with labels 0 and 1 in one cluster; two more nodes with label 1, without an edge
    # between them, in another, which is the home of 1 until the paths are two clusters.
    pairs = np.array([[0, 1], [1, 2], [2, 3], [4, 5], [5, 6], [7, 8], [9, 10]])
    level = Level.finest(Graph.from_edges(*pairs.T, symmetrize="max"))
    prior = np.array([0, 0, 0, 0, 1, 1, 1, 1, -1, 1, -1])
    known = PriorLabels(prior, 1.0, Known(None, NONE, NONE))
    attracted = AttractedLevel(level, known, connected=True)
    labels, homes = attracted.connect(np.array([0] * 7 + [1] * 4, dtype=LABEL))
    assert canonical_labels(labels).tolist() == [0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3]
    assert homes[7] == homes[9] == labels[4]
