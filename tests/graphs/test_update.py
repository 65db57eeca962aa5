"""The search after a change of a graph."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from changing_graphs import cliques
from powercut._typing import LABEL
from powercut.graphs.block_model import BlockModel, block_level
from powercut.graphs.constraints import constrained_level
from powercut.graphs.edits import edit
from powercut.graphs.graph import Graph
from powercut.graphs.level import Moved
from powercut.graphs.update import UpdateSearch, aggregate_around, possible_cuts
from powercut.partition import canonical_labels, compact_labels, separate
from powercut.prior import PitmanYor
from powercut.search.constraints import Constraints
from powercut.search.known import Known
from strategies import Problem, problems

NONE = np.empty((0, 2), dtype=np.intp)
repeatable = settings(deadline=None, derandomize=True)


def dense(level):
    indptr, indices, weights = level.graph
    matrix = np.zeros((level.n, level.n))
    matrix[np.repeat(np.arange(level.n), np.diff(indptr)), indices] = weights
    return matrix


@given(problems(), st.data())
@repeatable
def test_clusters_around_some_have_all_edges_of_these(problem: Problem, data: st.DataObject):
    count = np.arange(1, 1 + len(problem.labels))
    nodes = data.draw(st.sampled_from([(problem.weight, None), (None, count), (None, None)]))
    fine = type(problem.level)(problem.level.graph, (problem.volume, *nodes))
    k = int(problem.labels.max()) + 1
    some = np.array(data.draw(st.lists(st.booleans(), min_size=k, max_size=k)))
    whole = fine.aggregate(problem.labels, k, None)
    inside = np.where(some, np.nan, fine.cluster_stats(problem.labels).inside)
    around = aggregate_around(fine, problem.labels, some, inside=inside)
    kept = some | some[:, None] | np.eye(k, dtype=bool)
    np.testing.assert_allclose(dense(around), np.where(kept, dense(whole), 0), rtol=1e-12)
    volume, weight, counts = whole.nodes
    expected = volume, counts if weight is None else weight, counts
    for mine, theirs in zip(around.nodes, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)


@pytest.mark.parametrize("connected", [True, False])
def test_part_that_no_edge_leads_to_leaves_its_cluster(connected):
    # The edges between the first and the last two of five nodes were removed.
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 0, 4], symmetrize="max")
    model = BlockModel.of(graph, degree_corrected=False)
    search = UpdateSearch(
        block_level(graph),
        model,
        connected=connected,
        inertia=1e9,
        random=np.random.default_rng(0),
    )
    updated = search.run(
        np.zeros(5, dtype=LABEL),
        model.objective(0.1, PitmanYor(1.0, 0.5)),
        came=np.zeros(5, dtype=bool),
        changed=np.full(5, 1e-3),  # too little for a division
        untried=np.zeros(5),
        cuts=(np.array([2]), np.array([3])),
    )
    expected = [0, 0, 0, 1, 1] if connected else [0] * 5
    np.testing.assert_array_equal(updated.found.labels, expected)
    np.testing.assert_allclose(updated.untried, 1e-3)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.25, 1e9]))
@repeatable
def test_clusters_split_where_what_held_them_together_is_lost(seed, most_for_paths):
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 16))
    A = np.triu(random.random((n, n)) < 0.3, 1)
    labels = reference.split_components(A | A.T, random.integers(0, 2, n))
    u, v = np.nonzero(A & (random.random((n, n)) < 0.3))
    edited = edit(
        Graph((A | A.T).astype(float)),
        added=Graph(np.zeros((n, n))),
        removed=(u, v),
        gone=np.flatnonzero(random.random(n) < 0.1),
        sums=False,
    )
    # Nodes that lost all their edges leave their clusters, too.
    alone = edited.graph.isolated & (random.random(edited.graph.n_nodes) < 0.5)
    left = np.flatnonzero(~alone)
    number = np.full(n, -1)
    number[edited.before[left]] = left
    start = compact_labels(separate(labels[edited.before], alone))[0]
    search = UpdateSearch(
        block_level(edited.graph),
        BlockModel.of(edited.graph, degree_corrected=False),
        connected=True,
        inertia=0.0,
        random=random,
    )
    with mock.patch("powercut.graphs.update.MOST_FOR_PATHS", most_for_paths):
        split = search._split_at(start, *possible_cuts(edited.lost, labels, number))
    expected = reference.split_components(edited.graph.adjacency.toarray(), start)
    np.testing.assert_array_equal(canonical_labels(split), canonical_labels(expected))


def constrained(graph, inertia, known):
    level = constrained_level(block_level(graph), Constraints.of(graph.n_nodes, known))
    model = BlockModel.of(graph, degree_corrected=False)
    return UpdateSearch(
        level, model, connected=True, inertia=inertia, random=np.random.default_rng(0)
    )


def updated_labels(search, labels):
    n = len(labels)
    updated = search.run(
        np.array(labels, dtype=LABEL),
        search.model.objective(0.1, PitmanYor(1.0, 0.5)),
        came=np.zeros(n, dtype=bool),
        changed=np.zeros(n),
        untried=np.zeros(n),
        cuts=(np.empty(0, dtype=np.intp),) * 2,
    )
    return updated.found.labels.tolist()


def test_cluster_that_loses_a_node_in_conflict_is_split():
    graph = Graph.from_edges([0, 1], [1, 2], symmetrize="max")
    search = constrained(graph, 1e9, Known(None, NONE, np.array([[0, 1]])))
    assert len(set(updated_labels(search, [0, 0, 0]))) == 3


def test_nodes_that_constraints_move_find_their_place():
    A = cliques(2)
    A[1, 12:] = A[12:, 1] = A[13, :6] = A[:6, 13] = 1
    start = np.repeat([0, 1], 12)
    apart = constrained(Graph(A), 0.5, Known(None, NONE, np.array([[0, 1]])))
    labels = updated_labels(apart, start)
    assert labels[1] == labels[12] != labels[0]
    # The first one tells where linked nodes begin; here most edges lead to the other clique.
    linked = constrained(Graph(A), 0.5, Known(None, np.array([[0, 20], [20, 21], [21, 22]]), NONE))
    labels = updated_labels(linked, start)
    assert labels[0] == labels[20] == labels[12] != labels[2]


def test_newcomers_without_nodes_in_conflict_are_connected():
    graph = Graph.from_edges([0, 1, 3, 4, 3], [1, 2, 4, 5, 5], symmetrize="max")
    search = constrained(graph, 0.5, Known(None, NONE, np.array([[0, 1]])))
    labels = np.array([0, 1, 2, 3, 3, 3], dtype=LABEL)
    moved = Moved(labels, search.level.cluster_stats(labels), 0.0, 0.0, 0)
    came = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    grouped, stats = search._group_newcomers(moved, came)
    assert grouped[0] != grouped[2] != grouped[1]
    np.testing.assert_array_equal(stats.counts, np.bincount(grouped))
