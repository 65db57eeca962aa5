"""Sparse matrices of SciPy (``scipy.sparse.save_npz``)."""

from typing import Any

import numpy as np
from scipy import sparse

from powercut.graphs.graph import Graph
from powercut.io._arrays import check_archive
from powercut.io._errors import fail
from powercut.io._named import NamedGraph, Options, check_nodes, graph_of_matrix
from powercut.io._source import Source, opened


def read(source: Source, options: Options) -> NamedGraph:
    """Read a square sparse matrix."""
    with opened(source, options.max_bytes) as file:
        stored = file.seekable()
        for name, dtype in check_archive(file).items():
            # SciPy would silently round indices to integers.
            if name not in ("data", "format", "_is_array") and dtype.kind not in "iu":
                fail(source, f"{name} must hold integers, not {dtype}")
        with np.load(stored, allow_pickle=False) as arrays:
            check_nodes(arrays["shape"], file.limit)
        stored.seek(0)
        return NamedGraph(graph_of_matrix(sparse.load_npz(stored), options), None)


def write(file: Any, graph: Graph) -> None:
    """Write the adjacency matrix by `scipy.sparse.save_npz`."""
    sparse.save_npz(file, graph.adjacency)
