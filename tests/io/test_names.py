"""Names of any characters are read back as they were written."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import powercut
from powercut import Graph
from powercut.io import FileError, read_graph, read_labels, write_graph, write_labels

HOSTILE = [
    *("#x", "%x", " a", "a ", "a\nb", "a\rb", "a\r\nb", "a\u2028b", "a\x85b", "a\x0cb", "a\x1cb"),
    *('a"b', '"a"', '"', "a,b", "a, b", "a;b", "a\tb", "\t", "", "01", "1_0", "\u0661", "1 2"),
    *("a b", "'a", "label", "source", "\ufeffa", "nan", "1e3", "-", "\u00a0a", "\x1b[31m", "\x00"),
]
# All of Unicode but surrogates, which no file can hold.
TEXT = st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
FAST = settings(deadline=None, derandomize=True, max_examples=100)


def labels_read_back(labels: Any, names: Any, format: str) -> Any:  # noqa: A002
    file = io.BytesIO()
    write_labels(file, labels, names=names, format=format)
    file.seek(0)
    return read_labels(file, format=format)


@pytest.mark.parametrize("format", ["text", "csv", "parquet"])
@given(rows=st.lists(st.tuples(TEXT, TEXT | st.integers(0, 9)), min_size=1))
@example(rows=[(name, 0) for name in HOSTILE])
@example(rows=[("a", "Cluster"), ("b", "label")])
@FAST
def test_labels_and_their_names(format: str, rows: list[tuple[str, Any]]) -> None:  # noqa: A002
    names, labels = [name for name, _ in rows], [str(label) for _, label in rows]
    found = labels_read_back(labels, names, format)
    assert list(map(str, found.labels)) == labels
    assert list(map(str, found.names)) == names


def test_npz_refuses_the_names_that_it_would_change() -> None:
    names = [name for name in HOSTILE if not name.endswith("\x00")]
    assert labels_read_back(range(len(names)), names, "npz").names.tolist() == names
    with pytest.raises(ValueError, match="ends in NUL"):
        labels_read_back([0, 1], ["a\x00", "b"], "npz")


@given(st.lists(TEXT, min_size=2, unique=True), st.booleans())
@example(HOSTILE, False)
@example(HOSTILE, True)
@example(["Source", "target", "x"], False)
@example(["1 2", "3"], False)
@FAST
def test_edge_lists_with_names(names: list[str], weighted: bool) -> None:
    n = np.arange(len(names) - 1)
    graph = Graph.from_edges(n, n + 1, n + 0.5 if weighted else None, symmetrize="max")
    file = io.BytesIO()
    write_graph(file, graph, names=names)
    file.seek(0)
    found = read_graph(file, ids="names", format="edges")
    assert list(found.names) == names
    assert (found.graph.adjacency != graph.adjacency).nnz == 0


def test_edges_that_look_like_a_header_are_not_lost() -> None:
    """A name among numbers, and two names that are common headings."""
    for names in (["a", "b", "1", "2"], ["from", "to", "x", "y"]):
        file = io.BytesIO()
        write_graph(file, Graph.from_edges([0, 2], [1, 3], symmetrize="max"), names=names)
        file.seek(0)
        assert list(read_graph(file).names) == names


def test_integers_in_another_form_are_text() -> None:
    """They would be written in another way."""
    for name in ("01", "1_0", "\u0661", "9223372036854775808"):
        assert read_labels(io.BytesIO(f"{name}\t0\n".encode())).names.tolist() == [name]
    assert read_labels(io.BytesIO(b"-1\t0\n0\t1\n")).names.tolist() == [-1, 0]


def test_quotes_span_lines_and_comments_have_none() -> None:
    text = b'# a "comment\r\n"x\n# y", "1"\r\n5" disk,2\r\n'
    assert read_labels(io.BytesIO(text)).names.tolist() == ["x\n# y", '5" disk']
    graph, names = read_graph(io.BytesIO(text))
    assert names.tolist() == ["x\n# y", "1", '5" disk', "2"]
    assert graph.n_edges == 2


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        (b'a,1\n"b\nc,2\n', 2, 1),
        (b'a,1\n"b"c,2\n', 2, 1),
        (b'a,1\nb, "2\n', 2, 4),
        (b'"a\nb",1\n"c"d,2\n', 3, 1),
    ],
)
def test_wrong_quotes_are_found(text: bytes, line: int, column: int, tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    path.write_bytes(text)
    for read in (read_labels, read_graph):
        with pytest.raises(FileError) as found:
            read(path)
        assert (found.value.line, found.value.column) == (line, column)


def test_what_was_read_is_refused_where_its_graph_is_wanted(tmp_path: Path) -> None:
    path = tmp_path / "graph.csv"
    path.write_text("ann,bob\nbob,cy\n")
    read = read_graph(path)
    with pytest.raises(TypeError, match="NamedGraph has a graph, and is none: pass its attribute"):
        powercut.community(read)
    assert read.graph.names.tolist() == ["ann", "bob", "cy"]
