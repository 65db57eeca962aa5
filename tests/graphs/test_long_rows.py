"""Groups with so many edges that all threads read them together."""

import numpy as np
import pytest
import scipy.sparse as sp

from powercut import Graph
from powercut._typing import LABEL
from powercut.graphs.level import Level
from powercut.graphs.scores import GraphObjective, Modularity
from powercut.prior import PitmanYor
from powercut.search.objective import Objective, Regulariser

# The edges of a group are more than `long_row`, its members more than `members_per_part`. The
# other nodes have too many edges for a level of groups to be stored.
N, MEMBERS, DEGREE = 140_000, 40_000, 16


@pytest.fixture(scope="module", params=["unweighted", "weighted"])
def graph(request: pytest.FixtureRequest) -> Graph:
    random = np.random.default_rng(0)
    ends = random.integers(N, size=(2, N * DEGREE // 2))
    weights = np.ones(len(ends[0]))
    if request.param == "weighted":
        weights = random.uniform(0.5, 1.5, len(ends[0]))
    one_way = sp.coo_array((weights, tuple(ends)), shape=(N, N)).tocsr()
    both = one_way + one_way.T
    if request.param == "unweighted":
        both.data[:] = 1.0
    return Graph(both)


@pytest.fixture(scope="module")
def groups() -> np.ndarray:
    """Return two large groups, whose members lie between single nodes."""
    of_node = np.arange(N, dtype=LABEL)
    nodes = np.random.default_rng(1).permutation(N)
    for members in (nodes[:MEMBERS], nodes[MEMBERS : 2 * MEMBERS]):
        of_node[members] = members[0]
    return np.unique(of_node, return_inverse=True)[1].astype(LABEL)


def modularity(graph: Graph) -> GraphObjective:
    # At this resolution, large groups of a random graph join each other.
    score = Modularity(0.5, float(graph.degrees.sum()))
    return Objective(score, Regulariser(PitmanYor(1.0, 0.5), tradeoff=0.0))


def test_aggregation_is_that_of_scipy(graph: Graph, groups: np.ndarray) -> None:
    k = int(groups.max()) + 1
    member = sp.csr_array((np.ones(N), (np.arange(N), groups)), shape=(N, k))
    expected = (member.T @ graph.adjacency @ member).sorted_indices()
    first = None
    for n_threads in (1, 2, 3):
        level = Level(graph.arrays, (graph.degrees, None, None), n_threads=n_threads)
        offsets, columns, weights = level.aggregate(groups, k, None).graph
        found = sp.csr_array((weights, columns, offsets), shape=(k, k))
        first = found if first is None else first
        np.testing.assert_array_equal(found.data, first.data)
        np.testing.assert_array_equal(found.indices, first.indices)
        found = found.sorted_indices()
        np.testing.assert_array_equal(found.indptr, expected.indptr)
        np.testing.assert_array_equal(found.indices, expected.indices)
        np.testing.assert_allclose(found.data, expected.data, rtol=1e-12)


def test_moves_of_groups_have_the_objective_of_their_nodes(
    graph: Graph, groups: np.ndarray
) -> None:
    k = int(groups.max()) + 1
    objective = modularity(graph)
    exact = {"rel": 0.0, "abs": 1e-12 * float(graph.degrees.sum())}
    labels = []
    for n_threads in (1, 2, 3):
        level = Level(graph.arrays, (graph.degrees, None, None), n_threads=n_threads)
        moved = level.merge(groups, k, objective, random=np.random.default_rng(2), cancel=None)
        assert moved is not None
        assert moved.moves > 0
        before = level.objective(groups, k, objective)
        after = level.objective(moved.labels[groups], moved.n_clusters, objective)
        assert moved.before == pytest.approx(before, **exact)
        assert moved.after == pytest.approx(after, **exact)
        labels.append(moved.labels)
    for other in labels[1:]:
        np.testing.assert_array_equal(other, labels[0])
