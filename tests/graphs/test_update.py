"""The search after a change of a graph."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from powercut.graphs.block_model import BlockModel, block_level
from powercut.graphs.graph import Graph
from powercut.graphs.update import UpdateSearch, aggregate_around
from powercut.prior import PitmanYor
from strategies import Problem, problems

repeatable = settings(deadline=None, derandomize=True)


def dense(level):
    indptr, indices, weights = level.graph
    matrix = np.zeros((level.n, level.n))
    matrix[np.repeat(np.arange(level.n), np.diff(indptr)), indices] = weights
    return matrix


@given(problems(), st.data())
@repeatable
def test_clusters_around_some_have_all_edges_of_these(problem: Problem, data: st.DataObject):
    fine = type(problem.level)(problem.level.graph, (problem.volume, problem.weight, None))
    k = int(problem.labels.max()) + 1
    some = np.array(data.draw(st.lists(st.booleans(), min_size=k, max_size=k)))
    whole = fine.aggregate(problem.labels, k, None)
    inside = np.where(some, np.nan, fine.cluster_stats(problem.labels).inside)
    around = aggregate_around(fine, problem.labels, some, inside=inside)
    kept = some | some[:, None] | np.eye(k, dtype=bool)
    np.testing.assert_allclose(dense(around), np.where(kept, dense(whole), 0), rtol=1e-12)
    for mine, theirs in zip(around.nodes, whole.nodes, strict=True):
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
        np.zeros(5, dtype=np.int32),
        model.objective(0.1, PitmanYor(1.0, 0.5)),
        came=np.zeros(5, dtype=bool),
        changed=np.full(5, 1e-3),  # too little for a division
        untried=np.zeros(5),
        has_lost=True,
    )
    expected = [0, 0, 0, 1, 1] if connected else [0] * 5
    np.testing.assert_array_equal(updated.found.labels, expected)
    np.testing.assert_allclose(updated.untried, 1e-3)
