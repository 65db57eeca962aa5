"""Sparse matrices of SciPy (``scipy.sparse.save_npz``)."""

import io
from typing import Any

import numpy as np
from scipy import sparse

from powercut.graphs.graph import Graph
from powercut.io._named import NamedGraph, Options, graph_of_matrix
from powercut.io._source import Source, errors_named, opened


def read(source: Source, options: Options) -> NamedGraph:
    """Read a square sparse matrix."""
    with opened(source) as file, errors_named(source, "NPZ"):
        # An archive is read from its end, which needs a seekable file.
        seekable = file if file.seekable() else io.BytesIO(file.read())
        _check_indices(seekable)
        return NamedGraph(graph_of_matrix(sparse.load_npz(seekable), options), None)


def _check_indices(file: Any) -> None:
    """Refuse indices that SciPy would silently round to integers."""
    with np.load(file, allow_pickle=False) as arrays:
        for name in ("indptr", "indices", "row", "col", "coords", "offsets"):
            if name in arrays.files and arrays[name].dtype.kind not in "iu":
                raise ValueError(f"{name} must hold integers, not {arrays[name].dtype}")
    file.seek(0)


def write(file: Any, graph: Graph) -> None:
    """Write the adjacency matrix by `scipy.sparse.save_npz`."""
    sparse.save_npz(file, graph.adjacency)
