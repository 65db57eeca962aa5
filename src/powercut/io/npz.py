"""Sparse matrices of SciPy (``scipy.sparse.save_npz``)."""

import io
from typing import Any

from scipy import sparse

from powercut.graph import Graph
from powercut.io._named import NamedGraph, Options, graph_of_matrix
from powercut.io._source import Source, blamed, opened


def read(source: Source, options: Options) -> NamedGraph:
    """Read a square sparse matrix."""
    with opened(source) as file, blamed(source, "NPZ"):
        # The archive is read from its end.
        seekable = file if file.seekable() else io.BytesIO(file.read())
        return NamedGraph(graph_of_matrix(sparse.load_npz(seekable), options), None)


def write(file: Any, graph: Graph) -> None:
    """Write a graph as `scipy.sparse.save_npz` does."""
    sparse.save_npz(file, graph.adjacency)
