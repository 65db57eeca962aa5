"""Canonical CSR arrays: conversion, validation, and passes over them in bounded memory.

Canonical means that rows are sorted, without duplicates, and all weights are positive.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from powercut import _core
from powercut._typing import LABEL, Array
from powercut._utils import slices

Index = npt.NDArray[np.int32] | npt.NDArray[np.int64]
Weights = npt.NDArray[np.float32] | npt.NDArray[np.float64]

LARGEST = int(np.iinfo(LABEL).max)  # maximal number of nodes

# Numbers of dimensions of the arrays of a sparse matrix.
COMPRESSED = {"indptr": 1, "indices": 1, "data": 1}
AXES = {
    "csr": COMPRESSED,
    "csc": COMPRESSED,
    "bsr": {**COMPRESSED, "data": 3},
    "coo": {"row": 1, "col": 1, "data": 1},
    "dia": {"offsets": 1, "data": 2},
    "lil": {"rows": 1, "data": 1},
    "dok": {},
}

# Entries per step of a pass over the graph: small enough for the cache, so that no pass
# needs a temporary array as long as the graph.
CHUNK = 1 << 18


def dense(values: Any) -> Array:
    """Return an array-like as an array, with masked entries as 0."""
    if not isinstance(values, list | tuple) and not hasattr(values, "__array__"):
        raise TypeError(
            f"cannot make a Graph from {type(values).__name__}: give a scipy sparse matrix or "
            "array, a dense 2-D array, an undirected networkx or igraph graph, or a Graph"
        )
    # As in scipy.sparse.csgraph, a masked entry means that there is no edge.
    return np.asarray(np.ma.filled(values, 0))


def to_csr(matrix: Any) -> Any:
    """Convert a dense array or any scipy sparse matrix to CSR, after checks that make this safe."""
    if isinstance(matrix, np.ndarray):
        return sparse.csr_array(storable(matrix))
    check_stored(matrix)
    if matrix.format == "coo":
        data = as_float(matrix.data)
        return compact(csr_of_entries(matrix.row, matrix.col, data, matrix.shape[0]))
    rows = matrix.tocsr()
    check_compressed(rows)
    return rows if rows is matrix else compact(rows)


def csr_of_entries(u: Array, v: Array, data: Array, n: int) -> Any:
    """Return the n x n CSR matrix with entries data[i] at (u[i], v[i]), duplicates summed."""
    if not u.shape == v.shape == data.shape == (u.size,):
        shapes = f"{u.shape}, {v.shape} and {data.shape}"
        raise ValueError(f"u, v and weight must have the same length, got shapes {shapes}")
    check_weights(data, lambda at: (u[at], v[at]))
    return sparse.coo_array((data, (u, v)), shape=(n, n)).tocsr()


def symmetrized(matrix: Any, how: str) -> Any:
    """Combine a matrix with its transpose by sum, max or mean; the diagonal stays."""
    mirror = matrix.T.tocsr()
    both = matrix.maximum(mirror) if how == "max" else matrix + mirror
    if how == "mean":
        both = both * 0.5
    diagonal = matrix.diagonal()
    loops = np.flatnonzero(diagonal)
    both[loops, loops] = diagonal[loops]  # an entry that is its own transpose
    return both


def canonical(matrix: Any) -> tuple[Index, Index, Weights | None]:
    """Return (indptr, indices, weights) of a CSR matrix in canonical form, weights None if all 1.

    Arrays that are canonical already are not copied.
    """
    indptr, end = matrix.indptr, matrix.indptr[-1]
    indices, data = matrix.indices[:end], storable(matrix.data[:end])
    low, high = check_weights(
        data, lambda at: (np.searchsorted(indptr, at, "right") - 1, indices[at])
    )
    if low > 0 and is_canonical(indptr, indices):
        return indptr, indices, None if low == high == 1 else as_float(data)
    # Work on copies of one index type: scipy sorts in place and needs equal types.
    index = np.result_type(indptr, indices)
    made = csr(indptr.astype(index), indices.astype(index), as_float(data, copy=True))
    made.sum_duplicates()
    made.eliminate_zeros()
    return canonical(compact(made))


def is_canonical(indptr: Array, indices: Array) -> bool:
    """Return whether the indices of every row are strictly ascending."""
    for first, last in row_blocks(indptr):
        begin, end = indptr[first], indptr[last]
        rises = indices[begin + 1 : end] > indices[begin : end - 1]
        starts = indptr[first + 1 : last]
        rises[starts[(starts > begin) & (starts < end)] - begin - 1] = True
        if not rises.all():
            return False
    return True


# Arrays.


def row_blocks(indptr: Array) -> Iterator[tuple[int, int]]:
    """Yield consecutive ranges (first, last) of rows with about `CHUNK` entries each."""
    marks = np.arange(0, indptr[-1], CHUNK, dtype=indptr.dtype)
    cuts = np.unique(np.append(np.searchsorted(indptr, marks), len(indptr) - 1))
    yield from pairwise(cuts.tolist())


def dense_row_blocks(shape: tuple[int, ...]) -> Iterator[slice]:
    """Yield consecutive ranges of rows of a dense matrix with about `CHUNK` entries each."""
    yield from slices(shape[0], max(1, CHUNK // shape[1]))


def row_sums(indptr: Array, weights: Array) -> npt.NDArray[np.float64]:
    """Return the sum of each row, in float64."""
    sums = np.zeros(len(indptr) - 1)
    for first, last in row_blocks(indptr):
        starts = indptr[first : last + 1]
        # Empty rows are left out: reduceat would return one entry for them instead of 0.
        rows = np.flatnonzero(starts[1:] > starts[:-1])
        sums[first + rows] = np.add.reduceat(
            weights[starts[0] : starts[-1]], starts[rows] - starts[0], dtype=np.float64
        )
    return sums


def count_loops(indptr: Array, columns: Callable[[int, int], Array]) -> int:
    """Return the number of entries on the diagonal; `columns` returns those of a row range."""
    count = 0
    for first, last in row_blocks(indptr):
        starts = indptr[first : last + 1]
        rows = np.repeat(np.arange(first, last), np.diff(starts))
        count += int(np.count_nonzero(columns(first, last) == rows))
    return count


def csr(indptr: Array, indices: Array, data: Array) -> Any:
    """Return a CSR matrix of exactly these arrays."""
    # Set one by one, because scipy's constructor copies both index arrays to one type.
    matrix = sparse.csr_array((len(indptr) - 1, len(indptr) - 1))
    matrix.indptr, matrix.indices, matrix.data = indptr, indices, data
    return matrix


def compact(matrix: Any) -> Any:
    """Convert the index arrays of a matrix that powercut owns to the smallest types."""
    offsets = matrix.indptr.astype(offset_type(matrix.indptr[-1]), copy=False)
    indices = matrix.indices.astype(index_type(max(matrix.shape)), copy=False)
    return csr(offsets, indices, matrix.data)


def offset_type(n_entries: int) -> type[np.int32] | type[np.int64]:
    """Return the smaller integer type that holds offsets up to `n_entries`."""
    return _narrowest(n_entries)


def index_type(n_nodes: int) -> type[np.int32] | type[np.int64]:
    """Return the smaller integer type that holds the numbers of so many nodes, and their number."""
    return _narrowest(n_nodes)


def _narrowest(largest: int) -> type[np.int32] | type[np.int64]:
    return np.int32 if largest <= np.iinfo(np.int32).max else np.int64


def as_float(data: Array, copy: bool = False) -> Array:
    """Return float32 data as float32, all other data as float64."""
    return data.astype(np.float32 if data.dtype == np.float32 else np.float64, copy=copy)


def storable(data: Array) -> Array:
    """Return floating-point data as float32 or float64, other data unchanged."""
    # Integers and booleans are converted later: weights that are all 1 are never stored.
    return as_float(data) if data.dtype.kind == "f" else data


def as_ids(name: str, values: npt.ArrayLike) -> Array:
    """Return integer node ids as an array."""
    ids = np.asarray(values)
    if ids.size == 0:  # an empty list has no type
        return ids.astype(LABEL)
    if ids.dtype.kind not in "iu":
        raise ValueError(
            f"{name} must hold integer node ids, got dtype {ids.dtype}; "
            "to number named nodes: names, ids = np.unique([u, v], "
            "return_inverse=True); u, v = ids.reshape(2, -1)"
        )
    return ids


def read_only(array: Array) -> Array:
    """Return a read-only view, contiguous, aligned and without a subclass."""
    view = np.require(array, requirements=["C", "A", "E"]).view()
    view.flags.writeable = False
    return view


# Checks. Messages say what is wrong, where, and what to do.


def check_size(n: int) -> None:
    """Raise if a graph cannot have n nodes."""
    if not 0 <= n <= LARGEST:
        raise ValueError(f"got {n} nodes: {_core.TOO_MANY_NODES}")


def check_dtype(dtype: np.dtype[Any]) -> None:
    """Raise if weights of this type are not real numbers."""
    if dtype.kind not in "biuf":
        note = "Complex data not supported: " if dtype.kind == "c" else ""
        raise ValueError(f"{note}weights must be real numbers, got dtype {dtype}")


def check_ids(name: str, ids: Array, n: int, *, of: str = "node") -> None:
    """Raise if an id, of a node or something else, is not in 0, ..., n - 1."""
    if ids.size and (ids.min() < 0 or ids.max() >= n):
        at = int(np.argmax((ids < 0) | (ids >= n)))
        raise ValueError(f"{name}[{at}] = {ids.flat[at]} is not a {of}: {of}s are 0 to {n - 1}")


def check_stored(matrix: Any) -> None:
    """Raise if the arrays of a sparse matrix would make native code read out of bounds.

    To be called before anything else touches a matrix that a user gave: scipy checks these arrays
    when a matrix is constructed, but they may be replaced later.
    """
    if len(matrix.shape) != 2 or max(matrix.shape) > LARGEST or min(matrix.shape) < 0:
        raise ValueError(
            f"a sparse matrix of shape {matrix.shape} is no graph: {_core.TOO_MANY_NODES}"
        )
    for name, n_axes in AXES[matrix.format].items():
        found = np.ndim(getattr(matrix, name))
        if found != n_axes:
            raise ValueError(f"{name} must be an array of {n_axes} dimensions, got {found}")
    if matrix.format in ("csr", "csc", "bsr"):
        check_compressed(matrix)
    elif matrix.format == "coo":
        check_ids("row", matrix.row, matrix.shape[0])
        check_ids("col", matrix.col, matrix.shape[1])
        if not len(matrix.row) == len(matrix.col) == len(matrix.data):
            lengths = f"{len(matrix.row)}, {len(matrix.col)} and {len(matrix.data)}"
            raise ValueError(f"row, col and data must have the same length, got {lengths}")
    elif matrix.format == "dia":
        check_diagonals(matrix)
    elif matrix.format == "lil":
        check_lists(matrix)


def check_diagonals(matrix: Any) -> None:
    """Raise if a DIA matrix has no sensible offset for each of its diagonals."""
    offsets = matrix.offsets
    if len(offsets) != len(matrix.data):
        raise ValueError(
            f"each diagonal needs an offset, got {len(matrix.data)} diagonals and "
            f"{len(offsets)} offsets"
        )
    n_rows, n_columns = matrix.shape
    if (
        offsets.dtype not in (np.dtype(np.int32), np.dtype(np.int64))
        or len(np.unique(offsets)) < len(offsets)
        or offsets.min(initial=0) <= -max(n_rows, 1)
        or offsets.max(initial=0) >= max(n_columns, 1)
    ):
        raise ValueError(
            f"offsets must be different integers, those of diagonals of a matrix of shape "
            f"{matrix.shape}, got {offsets}"
        )


def check_lists(matrix: Any) -> None:
    """Raise if the rows of a LIL matrix do not have a column for each of their entries."""
    n_rows, n_columns = matrix.shape
    if not len(matrix.rows) == len(matrix.data) == n_rows:
        lengths = f"{len(matrix.rows)} and {len(matrix.data)}"
        raise ValueError(f"rows and data must hold {n_rows} lists, one per row, got {lengths}")
    for row, (columns, values) in enumerate(zip(matrix.rows, matrix.data, strict=True)):
        if len(columns) != len(values):
            lengths = f"{len(columns)} columns and {len(values)} values"
            raise ValueError(f"row {row} must have a column for each value, got {lengths}")
        check_ids(f"rows[{row}]", np.asarray(columns, np.int64), n_columns, of="column")


def check_compressed(matrix: Any) -> None:
    """Raise if indices would make native code, scipy's or ours, read out of bounds."""
    indptr, indices = matrix.indptr, matrix.indices
    height, width = matrix.blocksize if matrix.format == "bsr" else (1, 1)
    n_rows, n_columns = matrix.shape[0] // height, matrix.shape[1] // width
    if matrix.shape != (n_rows * height, n_columns * width):
        raise ValueError(f"shape {matrix.shape} is not divided by blocks of {height} x {width}")
    if matrix.format == "csc":
        n_rows, n_columns = n_columns, n_rows
    if not {indptr.dtype, indices.dtype} <= {np.dtype(np.int32), np.dtype(np.int64)}:
        types = f"{indptr.dtype} and {indices.dtype}"
        raise ValueError(f"indptr and indices must be int32 or int64, got {types}")
    held = min(len(indices), len(matrix.data))
    rises = len(indptr) == n_rows + 1 and indptr[0] == 0 and (indptr[1:] >= indptr[:-1]).all()
    if not rises or indptr[-1] > held:
        raise ValueError(
            f"indptr must hold {n_rows + 1} offsets that start at 0, never decrease, and end "
            f"at {held} at most, the number of indices and data"
        )
    check_ids(
        "indices",
        indices[: indptr[-1]],
        n_columns,
        of="row" if matrix.format == "csc" else "column",
    )


def check_weights(data: Array, locate: Callable[[int], tuple[Any, Any]]) -> tuple[Any, Any]:
    """Return the minimum and maximum of the weights and 1; raise if one is negative or not finite.

    `locate` returns the row and column of the entry at a position of `data`.
    """
    low, high = data.min(initial=1), data.max(initial=1)
    if not (low >= 0 and high < np.inf):
        row, column = locate(at := int(np.argmin((data >= 0) & (data < np.inf))))
        # The message begins with scikit-learn's wording, which its users search for.
        note = "Negative values in data: " if data[at] < 0 else "NaN or inf in data: "
        raise ValueError(
            f"{note}A[{row}, {column}] = {data[at]}; weights must be finite and not negative"
        )
    return low, high
