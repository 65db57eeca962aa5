"""Graphs from tables of edges, and nodes that have names."""

import io
import re
from typing import Any

import hypothesis.strategies as st
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from powercut import Graph, PowerLawClusters, PowerLawCut, community
from powercut.io import read_graph

pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

EDGES = pd.DataFrame({"from": ["ann", "bob", "ann"], "to": ["bob", "carl", "dan"]})
LIBRARIES = {"pandas": lambda frame: frame, "polars": pl.from_pandas, "pyarrow": pa.table}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}


class Streamed:
    """A table of some other library, which only has Arrow's interface."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._table = pa.table(frame)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


def barbell(name: str = "n{}") -> nx.Graph:
    return nx.relabel_nodes(nx.barbell_graph(8, 0), name.format)


@pytest.mark.parametrize("make", [*LIBRARIES.values(), Streamed])
def test_the_same_edges_make_the_same_graph_in_every_library(make: Any) -> None:
    graph = Graph.from_edges(make(EDGES))
    assert graph.names is not None
    assert list(graph.names) == ["ann", "bob", "carl", "dan"]
    expected = [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]]
    np.testing.assert_array_equal(graph.adjacency.toarray(), expected)


@pytest.mark.parametrize("kind", ["object", "string", "category"])
def test_every_type_of_strings_is_taken(kind: str) -> None:
    assert list(Graph.from_edges(EDGES.astype(kind)).names) == ["ann", "bob", "carl", "dan"]


@given(st.lists(st.tuples(st.integers(-5, 9), st.integers(-5, 9), st.integers(1, 4))))
def test_integers_of_a_table_are_names_in_ascending_order(
    edges: list[tuple[int, int, int]],
) -> None:
    frame = pd.DataFrame(edges, columns=["u", "v", "w"], dtype=np.int64)
    graph = Graph.from_edges(frame, symmetrize="sum")
    nodes = sorted({node for u, v, _ in edges for node in (u, v)})
    names = list(range(graph.n_nodes)) if graph.names is None else list(graph.names)
    assert names == nodes
    weights = {(u, v): 0.0 for u in nodes for v in nodes}
    for u, v, weight in edges:
        weights[u, v] += weight
        weights[v, u] += weight * (u != v)
    for (u, v), weight in weights.items():
        assert graph.adjacency[nodes.index(u), nodes.index(v)] == weight


def test_large_integers_of_two_types_stay_apart() -> None:
    u, v = np.array([2**60 + 1, 2**60 + 2], dtype=np.uint64), np.array([2**60 + 3, 2**60 + 1])
    graph = Graph.from_edges(pd.DataFrame({"u": u, "v": v}))
    assert list(graph.names) == [2**60 + 1, 2**60 + 2, 2**60 + 3]
    with pytest.raises(ValueError, match="too large for one type"):
        Graph.from_edges(pd.DataFrame({"u": u + np.uint64(2**63), "v": v}))


def test_names_of_a_file_are_kept() -> None:
    graph, names = read_graph(io.BytesIO(b"ann bob\nbob carl\n"))
    assert list(graph.names) == list(names) == ["ann", "bob", "carl"]


def test_columns_are_chosen_by_name_or_position() -> None:
    frame = EDGES.assign(day=[1, 2, 3], calls=[5.0, 6.0, 7.0])
    by_name = Graph.from_edges(frame, source="to", target="from", weight="calls")
    by_position = Graph.from_edges(frame, source=1, target=0, weight=3)
    assert by_name.weights is not None
    np.testing.assert_array_equal(by_name.weights, by_position.weights)
    assert sorted(by_name.weights) == [5, 5, 6, 6, 7, 7]


def test_strings_in_arrays_are_names() -> None:
    graph = Graph.from_edges(["b", "a"], ["a", "c"], symmetrize="max")
    assert list(graph.names) == ["b", "a", "c"]
    assert Graph.from_edges([0, 1], [1, 0]).names is None


@pytest.mark.parametrize(
    ("frame", "arguments", "message"),
    [
        (EDGES.assign(day=1, calls=2), {}, "['from', 'to', 'day', 'calls']; name them"),
        (EDGES, {"source": "to", "target": "from", "weight": "calls"}, "'calls' is not one of"),
        (EDGES, {"source": "to"}, "give both"),
        (EDGES, {"source": 0, "target": 2}, "2 is not one of the columns"),
        (EDGES, {"v": [1, 2, 3]}, "v and n_nodes are not for tables"),
        (EDGES, {"n_nodes": 9}, "v and n_nodes are not for tables"),
        (EDGES.replace("carl", None), {}, "row 1 of column 'to' is None"),
        (EDGES.assign(to=[1.0, np.nan, 2.0]), {}, "row 0 of column 'to' is np.float64(1.0)"),
        (EDGES.assign(to=[1, 2, 3]), {}, "one end of the edges is a number"),
        (EDGES.assign(calls="many"), {}, "weights"),
        ([0, 1], {"v": [1, 0], "source": "u"}, "source and target are for tables"),
        ([0, 1], {}, "pass two arrays"),
        (["a", "b"], {"v": ["b", "a"], "n_nodes": 2}, "n_nodes is for nodes that are numbered"),
        (["a", "b"], {"v": ["b"]}, "same length, got shapes (2,) and (1,)"),
    ],
)
def test_wrong_tables_are_refused(frame: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        Graph.from_edges(frame, **arguments)


@pytest.mark.parametrize("library", LIBRARIES)
def test_labels_come_back_in_the_library_of_the_edges(library: str) -> None:
    edges = pd.DataFrame(list(barbell().edges), columns=["u", "v"])
    model = PowerLawCut(random_state=0).fit(LIBRARIES[library](edges))
    frame = model.labels_frame_
    assert isinstance(frame, FRAMES[library])
    nodes, clusters = (np.asarray(frame[name]).tolist() for name in ("node", "cluster"))
    clusters = dict(zip(nodes, clusters, strict=True))
    assert clusters == {f"n{i}": int(i >= 8) for i in range(16)}


def test_names_of_other_libraries_are_kept() -> None:
    igraph = pytest.importorskip("igraph")
    named = barbell()
    of_igraph = igraph.Graph.TupleList(named.edges)
    sets = [{f"n{i}" for i in range(8)}, {f"n{i}" for i in range(8, 16)}]
    assert community(named, random_state=0) == sets
    assert community(of_igraph, random_state=0) == sets
    assert community(nx.to_pandas_edgelist(named), random_state=0) == sets
    model = PowerLawCut(random_state=0).fit(named)
    assert list(model.labels_frame_["node"]) == list(named)


def test_nodes_that_are_numbers_have_no_names() -> None:
    graph = nx.barbell_graph(8, 0)
    assert Graph.from_networkx(graph).names is None
    moved = Graph.from_networkx(nx.relabel_nodes(graph, lambda i: i + 100))
    assert moved.names is not None
    assert moved.names.dtype == np.int64
    assert list(PowerLawCut(random_state=0).fit(graph).labels_frame_["node"]) == list(range(16))


def test_a_square_table_of_numbers_is_a_matrix() -> None:
    matrix = pd.DataFrame(np.ones((3, 3)) - np.eye(3))
    np.testing.assert_array_equal(Graph.wrap(matrix).adjacency.toarray(), matrix)
    assert Graph.wrap(EDGES.assign(calls=[1, 2, 3])).n_nodes == 4


@pytest.mark.parametrize("make", LIBRARIES.values(), ids=LIBRARIES)
def test_a_table_of_more_columns_is_answered_by_the_line_that_takes_it(make: Any) -> None:
    table = make(EDGES.assign(day=[1, 2, 3], note="a"))
    for fit in (PowerLawCut().fit, community):
        with pytest.raises(
            ValueError, match=r"X has \['from', 'to', 'day', 'note'\]\. Name"
        ) as caught:
            fit(table)
        assert "powercut.Graph.from_edges(X, source=..., target=...)" in str(caught.value)
    assert Graph.from_edges(table, source="from", target="to").n_edges == 3


def test_a_square_table_is_a_matrix_whatever_its_type() -> None:
    matrix = pd.DataFrame(np.kron(np.eye(2), np.ones((6, 6))).astype(int)).astype(object)
    assert PowerLawCut(random_state=0).fit(matrix).n_clusters_ == 2


def test_words_of_polars_are_refused_as_vectors() -> None:
    with pytest.raises(ValueError, match=r"Encode them first: X\.to_dummies\(\['to'\]\)"):
        PowerLawClusters().fit(pl.DataFrame({"x": [1.0, 2.0], "y": [1.0, 1.0], "to": ["a", "b"]}))
