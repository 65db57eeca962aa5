"""MatrixMarket, by SciPy."""

import io
import re

from scipy.io import mminfo, mmread

from powercut.io._named import NamedGraph, Options, graph_of_matrix
from powercut.io._source import Source, blamed, fail, opened, pieces

# A matrix with fewer than one entry in so many rows is a mistake, and its rows may fill the memory.
EMPTIEST = 1000

NUMBER = rb"[-+]?+(?:\d++\.?+\d*+|\.\d++|nan|inf|infinity)(?:e[-+]?+\d++)?+"
# Comments, and lines of two whole numbers that others may follow: sizes and entries.
LINES = re.compile(
    rb"(?:[ \t]*+(?:%[^\n]*+|\d++[ \t]++\d++(?:[ \t]++" + NUMBER + rb"){0,2}+)?+[ \t]*+\r?+\n)*+",
    re.IGNORECASE,
)


def read(source: Source, options: Options) -> NamedGraph:
    """Read a square matrix of weights."""
    with opened(source) as file:
        # SciPy's native code reads from memory many times as fast as from a file of Python's.
        text = b"".join(piece.tobytes() for piece in pieces(file, source))
    if not text.endswith(b"\n"):
        text += b"\n"
    _check_lines(text, source)
    with blamed(source, "MatrixMarket"):
        rows, columns, entries, layout, field, _ = mminfo(io.BytesIO(text))
        if rows != columns:
            fail(source, f"the matrix has {rows} rows and {columns} columns, and no graph is that")
        if field == "complex":
            fail(source, "the matrix is complex, and weights are real numbers")
        if layout != "coordinate":
            # SciPy fills what is missing of such a matrix with zeros, and says nothing.
            fail(source, "the matrix is dense; graphs are read from coordinates only")
        if 4 * entries - 1 > len(text):  # an entry takes four bytes at least
            fail(source, f"the file is too short for the {entries} entries that it states")
        if rows > EMPTIEST * (entries + EMPTIEST):
            fail(source, f"the matrix has {rows} rows and no more than {entries} entries")
        matrix = mmread(io.BytesIO(text), spmatrix=False)
        return NamedGraph(graph_of_matrix(matrix, options), None)


def _check_lines(text: bytes, source: Source) -> None:
    """Refuse what SciPy's native code may read past the end of, or crash on."""
    good = LINES.match(text)
    assert good is not None  # no lines at all would match
    if good.end() < len(text):
        line = text.count(b"\n", 0, good.end()) + 1
        shown = text[good.end() : good.end() + 60].split(b"\n")[0].decode("latin-1")
        fail(source, f"line {line}, {shown!r}, is no comment and no row of numbers")
