"""Compressed rows that are sorted, positive and free of repeats, from what is given."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from powercut._typing import Array
from powercut._utils import slices

Index = npt.NDArray[np.int32] | npt.NDArray[np.int64]
Weights = npt.NDArray[np.float32] | npt.NDArray[np.float64]

LARGEST = 2**31 - 1  # node that the native kernels can number, and int32 can hold

# Entries that one step of a pass over the graph looks at: no pass needs a
# temporary array as long as the graph, and these stay in the cache.
BLOCK = 1 << 18


def dense(values: Any) -> Array:
    if not isinstance(values, list | tuple) and not hasattr(values, "__array__"):
        raise TypeError(
            f"cannot make a Graph from {type(values).__name__}: give a scipy sparse matrix or "
            "array, a dense 2-D array, an undirected networkx or igraph graph, or a Graph"
        )
    # A masked entry is an absent edge, as in scipy.sparse.csgraph.
    return np.asarray(np.ma.filled(values, 0))


def to_csr(matrix: Any) -> Any:
    if isinstance(matrix, np.ndarray):
        return sparse.csr_array(storable(matrix))
    if matrix.format == "coo":
        check_ids("row", matrix.row, matrix.shape[0])
        check_ids("col", matrix.col, matrix.shape[1])
        data = as_float(matrix.data)
        return compact(csr_of_entries(matrix.row, matrix.col, data, matrix.shape[0]))
    if matrix.format in ("csc", "bsr"):
        check_compressed(matrix)
    rows = matrix.tocsr()
    check_compressed(rows)
    return rows if rows is matrix else compact(rows)


def csr_of_entries(u: Array, v: Array, data: Array, n: int) -> Any:
    if not u.shape == v.shape == data.shape == (u.size,):
        shapes = f"{u.shape}, {v.shape} and {data.shape}"
        raise ValueError(f"u, v and weight must have one length, got shapes {shapes}")
    check_weights(data, lambda at: (u[at], v[at]))
    return sparse.coo_array((data, (u, v)), shape=(n, n)).tocsr()


def symmetrized(matrix: Any, how: str) -> Any:
    mirror = matrix.T.tocsr()
    both = matrix.maximum(mirror) if how == "max" else matrix + mirror
    if how == "mean":
        both = both * 0.5
    diagonal = matrix.diagonal()
    loops = np.flatnonzero(diagonal)
    both[loops, loops] = diagonal[loops]  # an entry that is its own mirror image
    return both


def canonical(matrix: Any) -> tuple[Index, Index, Weights | None]:
    indptr, end = matrix.indptr, matrix.indptr[-1]
    indices, data = matrix.indices[:end], storable(matrix.data[:end])
    low, high = check_weights(
        data, lambda at: (np.searchsorted(indptr, at, "right") - 1, indices[at])
    )
    if low > 0 and is_canonical(indptr, indices):
        return indptr, indices, None if low == high == 1 else as_float(data)
    # scipy works in place, and on one type of index.
    index = np.result_type(indptr, indices)
    made = csr(indptr.astype(index), indices.astype(index), as_float(data, copy=True))
    made.sum_duplicates()
    made.eliminate_zeros()
    return canonical(compact(made))


def is_canonical(indptr: Array, indices: Array) -> bool:
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
    """Ranges of rows that hold about `BLOCK` entries each, and all entries together."""
    marks = np.arange(0, indptr[-1], BLOCK, dtype=indptr.dtype)
    cuts = np.unique(np.append(np.searchsorted(indptr, marks), len(indptr) - 1))
    yield from pairwise(cuts.tolist())


def dense_row_blocks(shape: tuple[int, ...]) -> Iterator[slice]:
    """Ranges of rows of a dense matrix, of about `BLOCK` entries each."""
    yield from slices(shape[0], max(1, BLOCK // shape[1]))


def csr(indptr: Array, indices: Array, data: Array) -> Any:
    # One by one, because scipy's constructor brings both to one type, by a copy.
    matrix = sparse.csr_array((len(indptr) - 1, len(indptr) - 1))
    matrix.indptr, matrix.indices, matrix.data = indptr, indices, data
    return matrix


def compact(matrix: Any) -> Any:
    """Give arrays that are our own the smallest types: a node always fits in int32."""
    offsets = matrix.indptr.astype(offset_type(matrix.indptr[-1]), copy=False)
    return csr(offsets, matrix.indices.astype(np.int32, copy=False), matrix.data)


def offset_type(n_entries: int) -> type[np.int32] | type[np.int64]:
    return np.int32 if n_entries <= LARGEST else np.int64


def as_float(data: Array, copy: bool = False) -> Array:
    return data.astype(np.float32 if data.dtype == np.float32 else np.float64, copy=copy)


def storable(data: Array) -> Array:
    # Integers and booleans wait: if all are 1 no float is ever made of them.
    return as_float(data) if data.dtype.kind == "f" else data


def as_ids(name: str, values: npt.ArrayLike) -> Array:
    ids = np.asarray(values)
    if ids.size == 0:  # an empty list has no type
        return ids.astype(np.int32)
    if ids.dtype.kind not in "iu":
        raise ValueError(
            f"{name} must hold integer node ids, got dtype {ids.dtype}; "
            "number the nodes of both ends together: names, ids = np.unique([u, v], "
            "return_inverse=True); u, v = ids.reshape(2, -1)"
        )
    return ids


def read_only(array: Array) -> Array:
    view = np.require(array, requirements=["C", "A", "E"]).view()
    view.flags.writeable = False
    return view


# Checks: what is wrong, where, and what to do.


def check_size(n: int) -> None:
    if not 0 <= n <= LARGEST:
        raise ValueError(f"a graph has at most 2^31 - 1 = {LARGEST} nodes, got {n}")


def check_dtype(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "biuf":
        note = "Complex data not supported: " if dtype.kind == "c" else ""
        raise ValueError(f"{note}weights must be real numbers, got dtype {dtype}")


def check_ids(name: str, ids: Array, n: int) -> None:
    if ids.size and (ids.min() < 0 or ids.max() >= n):
        at = int(np.argmax((ids < 0) | (ids >= n)))
        raise ValueError(f"{name}[{at}] = {ids[at]} is not a node: nodes are 0 to {n - 1}")


def check_compressed(matrix: Any) -> None:
    """Refuse what would lead native code, scipy's or ours, outside the arrays."""
    indptr, indices = matrix.indptr, matrix.indices
    height, width = matrix.blocksize if matrix.format == "bsr" else (1, 1)
    n_rows, n_columns = matrix.shape[0] // height, matrix.shape[1] // width
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
    check_ids("indices", indices[: indptr[-1]], n_columns)


def check_weights(data: Array, locate: Callable[[int], tuple[Any, Any]]) -> tuple[Any, Any]:
    """Return the least and the largest of the weights and 1."""
    low, high = data.min(initial=1), data.max(initial=1)
    if not (low >= 0 and high < np.inf):
        row, column = locate(at := int(np.argmin((data >= 0) & (data < np.inf))))
        # The first words are those of scikit-learn, which its users look for.
        note = "Negative values in data: " if data[at] < 0 else "NaN or inf in data: "
        raise ValueError(
            f"{note}A[{row}, {column}] = {data[at]}; weights must be finite and not negative"
        )
    return low, high
