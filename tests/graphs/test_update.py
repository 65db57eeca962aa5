"""The search after a change of a graph."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from powercut.graphs.update import aggregate_around
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
