"""Reading and writing graphs, points and labels."""

import gzip
import io
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.io import mmwrite

from powercut import Graph
from powercut.io import (
    read_graph,
    read_labels,
    read_points,
    write_graph,
    write_labels,
    write_points,
)

U, V, W = [3, 1, 7, 3], [1, 7, 7, 20], [0.5, 2.0, 1.0, 4.0]
NAMES = [1, 3, 7, 20]
DENSE = np.array([[0, 0.5, 2, 0], [0.5, 0, 0, 4], [2, 0, 1, 0], [0, 4, 0, 0]])


def read_text(text: str | bytes, **options: Any) -> Any:
    return read_graph(io.BytesIO(text if isinstance(text, bytes) else text.encode()), **options)


def edges(graph: Graph) -> dict[tuple[int, int], float]:
    entries = graph.adjacency.tocoo()
    return dict(zip(zip(entries.row, entries.col, strict=True), entries.data, strict=True))


@pytest.mark.parametrize("delimiter", [" ", "\t", ",", ", ", "  ", ";", " \t "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_edges_with_any_delimiter(delimiter: str, end: str) -> None:
    lines = ["# comment", "", *(delimiter.join(map(str, e)) for e in zip(U, V, W, strict=True))]
    graph, names = read_text(end.join(lines))
    np.testing.assert_array_equal(graph.adjacency.toarray(), DENSE)
    np.testing.assert_array_equal(names, NAMES)


@pytest.mark.parametrize(
    ("first", "header"),
    [("source,target,weight", True), ("u,v,w", True), ('"from","to","x"', True), ("9,8,1", False)],
)
def test_header_is_detected(first: str, header: bool) -> None:
    graph, _ = read_text(f"{first}\n0,1,2\n1,2,3\n")
    assert graph.n_edges == (2 if header else 3)
    assert read_text(f"{first}\n0,1,2\n1,2,3\n", header=True).graph.n_edges == 2


def test_names_are_in_order_of_first_occurrence() -> None:
    graph, names = read_text('"Zoë, ""Z""",b b\nb b,x\n')
    assert list(names) == ['Zoë, "Z"', "b b", "x"]
    assert graph.n_edges == 2
    # Neither of these is a header: both are names of nodes.
    assert read_text("a b\nb c\n").graph.n_edges == 2
    assert list(read_text("7 8\n", ids="names").names) == ["7", "8"]
    assert list(read_text("\ufeffa b\n").names) == ["a", "b"]


@given(
    st.lists(
        st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1)), min_size=1
    )
    | st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1),
    st.sampled_from(["sum", "max", "mean"]),
)
@settings(deadline=None, derandomize=True, max_examples=60)
def test_numbers_give_the_graph_of_from_edges(pairs: list[tuple[int, int]], how: Any) -> None:
    graph, names = read_text("".join(f"{u} {v}\n" for u, v in pairs), symmetrize=how)
    found, ids = np.unique(np.array(pairs, dtype=np.int64), return_inverse=True)
    u, v = ids.reshape(-1, 2).T
    expected = Graph.from_edges(u, v, symmetrize=how)
    assert edges(graph) == edges(expected)
    assert (graph.weights is None) == (expected.weights is None)
    np.testing.assert_array_equal(np.arange(len(found)) if names is None else names, found)


def test_directions_are_combined_as_by_graph() -> None:
    both = "0 1 3\n1 0 1\n"
    for how in ("sum", "max", "mean"):
        expected = Graph.from_edges([0, 1], [1, 0], [3.0, 1.0], symmetrize=how)
        assert edges(read_text(both, symmetrize=how).graph) == edges(expected)
    assert edges(read_text(both).graph)[0, 1] == 3
    with pytest.raises(
        ValueError, match="edge from 0 to 1 has weight 3, but that from 1 to 0 has 1"
    ):
        read_text(both, symmetrize=None)
    assert edges(read_text("0 1\n0 1\n1 1").graph) == {(0, 1): 2, (1, 0): 2, (1, 1): 1}


def test_ambiguous_third_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="pass weighted=True to read the third as the weight"):
        read_text("0 1 5 1082040961\n")
    assert read_text("0 1 5 1082040961\n", weighted=True).graph.weights.tolist() == [5, 5]
    assert read_text("0 1 x\n", weighted=False).graph.weights is None


@pytest.mark.parametrize("compress", [gzip.compress, None])
def test_compressed_text_is_detected_by_its_first_bytes(compress: Any, tmp_path: Path) -> None:
    if compress is None:
        compress = pytest.importorskip("zstandard").compress
    text = "".join(f"{i} {i + 1}\n" for i in range(300_000)).encode()
    # Two concatenated compressed parts are one text.
    data = compress(text[:1_000_000]) + compress(text[1_000_000:])
    path = tmp_path / "edges"
    path.write_bytes(data)
    assert read_graph(path).graph.n_edges == 300_000
    path.write_bytes(data[:-20])
    with pytest.raises(ValueError, match=r"edges: the compressed data are damaged or cut off"):
        read_graph(path)


def test_counts_in_a_snap_header_are_checked() -> None:
    text = "# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n10\t11\n11\t12\n"
    assert read_text(text).graph.n_edges == 2
    for options in ({}, {"format": "snap"}):
        with pytest.raises(ValueError, match="1 edges between 2 nodes, but the header states 2"):
            read_text(text[:-6], **options)
    assert read_text(text[:-6], format="edges").graph.n_edges == 1
    with pytest.raises(ValueError, match="there is no SNAP header"):
        read_text("0 1\n", format="snap")


def test_metis() -> None:
    graph, names = read_text("% c\n4 2 1\n2 5\n1 5 3 6\n2 6\n\n", format="metis")
    assert names is None
    assert edges(graph) == {(0, 1): 5, (1, 0): 5, (1, 2): 6, (2, 1): 6}
    assert graph.n_nodes == 4
    with pytest.warns(UserWarning, match="weights and sizes of nodes are ignored"):
        read_text("2 1 10\n7 2\n7 1\n", format="metis")


def test_a_format_without_names_refuses_them(tmp_path: Path) -> None:
    graph = Graph.from_edges([0], [1], symmetrize="max")
    with pytest.raises(ValueError, match="the format 'npz' has no names"):
        write_graph(tmp_path / "graph.npz", graph, names=["a", "b"])
    assert not (tmp_path / "graph.npz").exists()


def test_matrix_market_npz_and_compression(tmp_path: Path) -> None:
    matrix = sparse.coo_array(DENSE)
    mmwrite(tmp_path / "graph.mtx", matrix)
    (tmp_path / "graph.mtx.gz").write_bytes(gzip.compress((tmp_path / "graph.mtx").read_bytes()))
    sparse.save_npz(tmp_path / "graph.npz", matrix.tocsr())
    for name in ("graph.mtx", "graph.mtx.gz", "graph.npz"):
        graph, names = read_graph(tmp_path / name)
        assert names is None
        np.testing.assert_array_equal(graph.adjacency.toarray(), DENSE)
    mmwrite(tmp_path / "directed.mtx", sparse.coo_array(np.triu(DENSE)), symmetry="general")
    with pytest.raises(ValueError, match=r"directed\.mtx: .*not symmetric"):
        read_graph(tmp_path / "directed.mtx")
    graph, _ = read_graph(tmp_path / "directed.mtx", symmetrize="max")
    np.testing.assert_array_equal(graph.adjacency.toarray(), DENSE)


def test_graphml(tmp_path: Path) -> None:
    nx.write_graphml(nx.karate_club_graph(), tmp_path / "karate.graphml")
    graph, names = read_graph(tmp_path / "karate.graphml")
    assert edges(graph) == edges(Graph.from_networkx(nx.karate_club_graph()))
    assert list(names)[:3] == ["0", "1", "2"]
    nx.write_graphml(nx.DiGraph([("a", "b"), ("b", "a")]), tmp_path / "directed.graphml")
    with pytest.raises(ValueError, match=r'directed\.graphml: is directed; .*symmetrize="sum"'):
        read_graph(tmp_path / "directed.graphml")
    assert read_graph(tmp_path / "directed.graphml", symmetrize="max").graph.weights is None


def tables() -> dict[str, Any]:
    """Return the same edges as tables of several libraries."""
    frame = pd.DataFrame({"source": U, "target": V, "weight": W})
    pa, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    return {
        "pandas": frame,
        "pyarrow": pa.table(frame),
        "polars": polars.DataFrame(frame),
        "duckdb": duckdb.sql("SELECT * FROM frame"),
    }


@pytest.mark.parametrize("library", ["pandas", "pyarrow", "polars", "duckdb"])
def test_tables_of_any_library(library: str) -> None:
    graph, names = read_graph(tables()[library])
    np.testing.assert_array_equal(graph.adjacency.toarray(), DENSE)
    np.testing.assert_array_equal(names, NAMES)


@pytest.mark.parametrize("kind", ["parquet", "arrow", "stream"])
@pytest.mark.parametrize("named", [False, True])
def test_arrow_files(kind: str, named: bool, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import feather, ipc, parquet

    table = pa.table({"x": W, "a": U, "b": V})
    if named:
        texts = [[f"é{value}" for value in column] for column in (U, V)]
        table = pa.table({"x": W, "a": pa.array(texts[0]).dictionary_encode(), "b": texts[1]})
    path = tmp_path / f"edges.{'parquet' if kind == 'parquet' else 'arrow'}"
    if kind == "parquet":
        parquet.write_table(table, path, row_group_size=3)
    elif kind == "arrow":
        feather.write_feather(table, path, chunksize=3)
    else:
        with ipc.new_stream(path, table.schema) as stream:
            stream.write_table(table, max_chunksize=3)
    graph, names = read_graph(path, columns=("a", "b", "x"))
    if named:
        assert list(names) == ["é3", "é1", "é7", "é20"]
        order = [1, 0, 2, 3]
        np.testing.assert_array_equal(graph.adjacency.toarray()[order][:, order], DENSE)
    else:
        np.testing.assert_array_equal(graph.adjacency.toarray(), DENSE)
    with pytest.raises(ValueError, match="there is no column 'c'"):
        read_graph(path, columns=("a", "c"))


def test_neighbour_graph_of_anndata(tmp_path: Path) -> None:
    anndata = pytest.importorskip("anndata")
    data = anndata.AnnData(
        np.zeros((4, 2), dtype=np.float32), obs=pd.DataFrame(index=["a", "b", "c", "d"])
    )
    data.obsp["connectivities"] = sparse.csr_matrix(DENSE)
    data.write_h5ad(tmp_path / "cells.h5ad")
    graph, names = read_graph(tmp_path / "cells.h5ad")
    np.testing.assert_array_equal(graph.adjacency.toarray(), DENSE)
    assert list(names) == ["a", "b", "c", "d"]
    with pytest.raises(ValueError, match=r"there is no obsp\['near'\], only \['connectivities'\]"):
        read_graph(tmp_path / "cells.h5ad", key="near")


def test_options_of_other_formats_are_refused() -> None:
    with pytest.raises(ValueError, match="header is not an option of the format 'metis'"):
        read_text("", format="metis", header=True)
    with pytest.raises(ValueError, match="format must be one of"):
        read_text("", format="gml")
    with pytest.raises(ValueError, match="symmetrize must be"):
        read_text("", symmetrize="min")
    with pytest.raises(ValueError, match="ids must be"):
        read_text("", ids="words")


@pytest.mark.parametrize("name", ["graph.txt", "graph.txt.gz", "graph.npz", "graph.folder"])
def test_written_graphs_are_read_unchanged(name: str, tmp_path: Path) -> None:
    graph = Graph(DENSE)
    write_graph(tmp_path / name, graph)
    np.testing.assert_array_equal(read_graph(tmp_path / name).graph.adjacency.toarray(), DENSE)
    named = io.BytesIO()
    write_graph(named, graph, names=["a", "b,c", 'd"e', "f g"], format="edges")
    named.seek(0)
    assert list(read_graph(named, ids="names").names) == ["a", "b,c", 'd"e', "f g"]


@pytest.mark.parametrize("option", [{"symmetrize": "max"}, {"max_bytes": 100}, {"ids": "names"}])
def test_options_that_a_folder_does_not_have_are_refused(
    option: dict[str, Any], tmp_path: Path
) -> None:
    write_graph(tmp_path / "graph.folder", Graph(DENSE))
    with pytest.raises(ValueError, match=f"{next(iter(option))} is not an option of the format"):
        read_graph(tmp_path / "graph.folder", **option)


@pytest.mark.parametrize("suffix", ["tsv", "csv", "csv.gz", "npz", "parquet"])
def test_written_labels_are_read_unchanged(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"labels.{suffix}"
    for names in (["a", "b, c", 'd"'], np.array([5, 2**40, 7]), None):
        write_labels(path, [1, 0, 1], names=names)
        labels, found = read_labels(path)
        assert labels.tolist() == [1, 0, 1]
        assert found is not None
        assert found.tolist() == ([0, 1, 2] if names is None else list(names))


def test_labels_may_be_text_without_names() -> None:
    labels, names = read_labels(io.BytesIO("# of what\ncluster\nrot\nweiß\n".encode()))
    assert (labels.tolist(), names) == (["rot", "weiß"], None)


@pytest.mark.parametrize("name", ["points.csv", "points.npy", "points.csv.gz"])
def test_written_points_are_read_unchanged(name: str, tmp_path: Path) -> None:
    points = np.random.default_rng(0).normal(size=(20, 3))
    write_points(tmp_path / name, points)
    np.testing.assert_array_equal(read_points(tmp_path / name), points)


def test_points_of_archives_and_tables(tmp_path: Path) -> None:
    points = np.arange(6.0).reshape(3, 2)
    np.savez(tmp_path / "points.npz", X=points, y=[1, 2, 3])
    pd.DataFrame(points, columns=["a", "b"]).to_parquet(tmp_path / "points.parquet")
    for name in ("points.npz", "points.parquet"):
        np.testing.assert_array_equal(read_points(tmp_path / name), points)
    text = io.BytesIO(b"# c\nx y\n0 1\n2\t3\n4 5\n")
    np.testing.assert_array_equal(read_points(text), points)


def test_weights_that_add_up_to_infinity_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "edges.txt"
    path.write_text("a b 1e308\nb c 1\na b 1e308\n")
    with pytest.raises(
        ValueError, match=r"edges\.txt: the weights of the edges from a to b add up"
    ):
        read_graph(path)
