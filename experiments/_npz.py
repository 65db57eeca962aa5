"""Precomputed graphs and vectors in .npz files, which scripts read with --folder.

A graph has indptr and indices, with both directions of each edge in sorted rows, and all
weights 1; vectors have X. Both have labels if the clusters are known.
"""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Labels = npt.NDArray[np.integer]
Matrix = sp.csr_array | npt.NDArray[np.floating]


def read_npz(path: Path) -> tuple[Matrix, Labels | None]:
    """Return a sparse matrix of float64 ones, or vectors; and the labels, if there are any."""
    with np.load(path) as data:
        labels = data.get("labels")
        if "X" in data:
            return data["X"], labels
        indptr, indices = data["indptr"], data["indices"]
    n = len(indptr) - 1
    return sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(n, n)), labels
