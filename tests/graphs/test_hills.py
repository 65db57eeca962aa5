"""Hills of a density on a graph, against the plain algorithm, node by node."""

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from powercut import Graph
from powercut._typing import LABEL
from powercut.graphs.hills import find_hills, least_prominence
from powercut.partition import canonical_labels


def one_by_one(graph: Graph, density: npt.NDArray[np.float64], height: float) -> list[int]:
    """Return the hill of each node: ToMATo, which adds nodes by falling density."""
    rank = np.argsort(np.argsort(-density, kind="stable"), kind="stable")
    hill = list(range(graph.n_nodes))

    def find(x: int) -> int:
        return x if hill[x] == x else find(hill[x])

    for v in np.argsort(-density, kind="stable").tolist():
        beside = graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist()
        above = [u for u in beside if rank[u] < rank[v]]
        if not above:
            continue
        hill[v] = find(min(above, key=lambda u: rank[u]))
        for u in sorted(above, key=lambda u: rank[u]):
            high, low = sorted((find(u), find(v)), key=lambda x: rank[x])
            if high != low and density[low] - density[v] < height:
                hill[low] = high
    return [find(v) for v in range(graph.n_nodes)]


@st.composite
def problems(draw: st.DrawFn) -> tuple[Graph, npt.NDArray[np.float64]]:
    n = draw(st.integers(1, 30))
    node = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=80))
    ends = np.array([edge for edge in edges if edge[0] != edge[1]], dtype=np.int64).reshape(-1, 2)
    graph = Graph.from_edges(ends[:, 0], ends[:, 1], n_nodes=n, symmetrize="max")
    density = draw(st.permutations(range(n)))  # all different: ties may be broken either way
    return graph, np.array(density, dtype=np.float64)


@given(problems(), st.sampled_from([0.0, 0.5, 2.5, 6.5, 100.0]))
def test_hills_are_those_of_the_plain_algorithm(problem: tuple, height: float) -> None:  # type: ignore[type-arg]
    graph, density = problem
    found = find_hills(graph, density, height=height, least=1)
    expected = one_by_one(graph, density, height)
    np.testing.assert_array_equal(canonical_labels(found.labels), canonical_labels(expected))
    assert len(found.prominence) == found.labels.max() + 1
    assert (found.prominence >= height).all()


def path(density: list[float], least: int, height: float = 1.0) -> tuple[list[int], list[float]]:
    n = len(density)
    graph = Graph.from_edges(np.arange(n - 1), np.arange(1, n), symmetrize="max")
    hills = find_hills(graph, np.array(density), height=height, least=least)
    return hills.labels.tolist(), hills.prominence.tolist()


def test_small_hills_join_the_next() -> None:
    density = [5.0, 4.0, 3.0, 0.0, 2.0, 1.0, 4.0, 5.0]
    assert path(density, least=1, height=0.5) == ([0, 0, 0, 0, 1, 2, 2, 2], [2.0, 1.0, 1.0])
    # The one of one node joins across its higher saddle.
    labels, _ = path(density, least=3, height=0.5)
    assert labels == [0, 0, 0, 0, 1, 1, 1, 1]


def test_prominence_is_that_of_the_lower_of_two_hills() -> None:
    assert path([9.0, 1.0, 4.0], least=1) == ([0, 0, 1], [3.0, 3.0])
    assert path([1.0, 2.0, 3.0], least=1) == ([0, 0, 0], [np.inf])


def test_more_points_and_fewer_neighbours_need_higher_hills() -> None:
    assert least_prominence(1000, 15) > least_prominence(100, 15)
    assert least_prominence(1000, 15) > least_prominence(1000, 30)


def test_an_edge_may_not_jump_over_a_valley() -> None:
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], symmetrize="max")
    density = np.array([3.0, 2.0, 2.0, 3.0])
    hills = find_hills(graph, density, height=2.0, least=1)
    assert hills.labels.tolist() == [0, 0, 0, 0]

    def between(u: npt.NDArray[np.int64], v: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        assert set(zip(u.tolist(), v.tolist(), strict=True)) == {(1, 2)}
        return np.full(len(u), -1.0)

    hills = find_hills(graph, density, height=2.0, least=1, between=between)
    assert hills.labels.tolist() == [0, 0, 1, 1]
    assert hills.prominence.tolist() == [4.0, 4.0]


@given(problems(), st.data())
def test_hills_within_clusters_are_those_of_the_graph_without_other_edges(
    problem: tuple[Graph, npt.NDArray[np.float64]], data: st.DataObject
) -> None:
    graph, density = problem
    n = graph.n_nodes
    within = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), LABEL)
    hills = find_hills(graph, density, height=2.5, least=1, within=within)
    edges = graph.adjacency.tocoo()
    inside = within[edges.row] == within[edges.col]
    rest = Graph.from_edges(edges.row[inside], edges.col[inside], n_nodes=n, symmetrize="max")
    expected = find_hills(rest, density, height=2.5, least=1)
    np.testing.assert_array_equal(hills.labels, expected.labels)
    np.testing.assert_array_equal(hills.prominence, expected.prominence)
