"""MatrixMarket, by SciPy."""

import io

from scipy.io import mminfo, mmread

from powercut.io._named import NamedGraph, Options, graph_of_matrix
from powercut.io._source import Source, blamed, fail, opened, pieces

# A matrix with fewer than one entry in so many rows is a mistake, and its rows may fill the memory.
EMPTIEST = 1000


def read(source: Source, options: Options) -> NamedGraph:
    """Read a square matrix of weights."""
    with opened(source) as file:
        # SciPy's native code reads from memory many times as fast as from a file of Python's.
        text = b"".join(piece.tobytes() for piece in pieces(file, source))
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
