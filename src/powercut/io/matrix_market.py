"""MatrixMarket, read by SciPy."""

import io
import re

from scipy.io import mminfo, mmread

from powercut.io._errors import fail
from powercut.io._named import NamedGraph, Options, check_nodes, graph_of_matrix
from powercut.io._source import Source, opened

NUMBER = rb"[-+]?+(?:\d++\.?+\d*+|\.\d++|nan|inf|infinity)(?:e[-+]?+\d++)?+"
# Comments, and lines of two integers and up to two more numbers: sizes and entries.
LINES = re.compile(
    rb"(?:[ \t]*+(?:%[^\n]*+|\d++[ \t]++\d++(?:[ \t]++" + NUMBER + rb"){0,2}+)?+[ \t]*+\r?+\n)*+",
    re.IGNORECASE,
)


def read(source: Source, options: Options) -> NamedGraph:
    """Read a square matrix of weights."""
    with opened(source, options.max_bytes) as file:
        # SciPy reads from memory many times faster than from a Python file.
        text = file.content()
    if not text.endswith(b"\n"):
        text += b"\n"
    _check_lines(text, source)
    rows, columns, entries, layout, field, _ = mminfo(io.BytesIO(text))
    if rows != columns:
        fail(source, f"the matrix has {rows} rows and {columns} columns; that of a graph is square")
    if field == "complex":
        fail(source, "the matrix is complex; weights must be real numbers")
    if layout != "coordinate":
        # SciPy silently fills missing entries of a dense matrix with zeros.
        fail(source, "the matrix is dense; only the coordinate format is supported")
    if 4 * entries - 1 > len(text):  # an entry takes four bytes at least
        fail(source, f"the file is too short for the {entries} entries in its header")
    check_nodes((rows,), file.limit)
    matrix = mmread(io.BytesIO(text), spmatrix=False)
    return NamedGraph(graph_of_matrix(matrix, options), None)


def _check_lines(text: bytes, source: Source) -> None:
    """Refuse malformed lines, on which the native code of SciPy may overrun or crash."""
    good = LINES.match(text)
    assert good is not None  # LINES matches the empty string
    if good.end() < len(text):
        line = text.count(b"\n", 0, good.end()) + 1
        shown = text[good.end() : good.end() + 60].split(b"\n")[0].decode("latin-1")
        fail(source, f"{shown!r} is neither a comment nor a row of numbers", line=line)
