"""Sparse matrices of SciPy (``scipy.sparse.save_npz``)."""

import io
from typing import Any

import numpy as np
from scipy import sparse

from powercut.graphs.graph import Graph
from powercut.io._named import NamedGraph, Options, graph_of_matrix
from powercut.io._source import Source, blamed, opened


def read(source: Source, options: Options) -> NamedGraph:
    """Read a square sparse matrix."""
    with opened(source) as file, blamed(source, "NPZ"):
        # The archive is read from its end.
        seekable = file if file.seekable() else io.BytesIO(file.read())
        _check_indices(seekable)
        return NamedGraph(graph_of_matrix(sparse.load_npz(seekable), options), None)


def _check_indices(file: Any) -> None:
    """Refuse indices that SciPy would round to whole numbers in silence."""
    with np.load(file, allow_pickle=False) as arrays:
        for name in ("indptr", "indices", "row", "col", "coords", "offsets"):
            if name in arrays.files and arrays[name].dtype.kind not in "iu":
                raise ValueError(f"{name} must hold whole numbers, not {arrays[name].dtype}")
    file.seek(0)


def write(file: Any, graph: Graph) -> None:
    """Write a graph as `scipy.sparse.save_npz` does."""
    sparse.save_npz(file, graph.adjacency)
