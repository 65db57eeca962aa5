"""Sort keys of matrix entries: row, column, and in which direction the edge was listed.

The key of an entry in row i and column j is ``(i - first) << BY_ROW | j << 1 | mirrored``, where
`first` is the first row of its row range. Sorted entries are in row order, and entries listed as
(i, j) come before those listed as (j, i).
"""

import numpy as np
import numpy.typing as npt

from powercut._typing import LABEL, Array, BoolArray, IntArray
from powercut.graphs._adjacency import as_float, check_weights

Keys = npt.NDArray[np.uint64]
# What is left of 64 bits numbers the rows of a range.
COLUMN_BITS = 31 if np.iinfo(LABEL).bits == 32 else 40
MOST_NODES, MOST_ROWS = 2**COLUMN_BITS - 1, 2 ** (63 - COLUMN_BITS)
COLUMN = np.uint64(MOST_NODES)
ONE, BY_ROW, BY_PAIR = np.uint64(1), np.uint64(COLUMN_BITS + 1), np.uint64(COLUMN_BITS)

# Peak bytes of `combined` per entry of its input, the input included.
BYTES_PER_ENTRY = 64

COMBINE = {"sum": np.add, "max": np.maximum, "mean": np.add}


def both_directions(u: Array, v: Array) -> tuple[IntArray, Keys, Array]:
    """Return both entries of each edge (one for a self-loop): rows, keys in row 0, and edges."""
    u, v = u.astype(np.int64, copy=False), v.astype(np.int64, copy=False)
    mirrored = np.flatnonzero(u != v)
    rows = np.concatenate([u, v[mirrored]])
    keys = np.concatenate([v, u[mirrored]]).view(np.uint64)
    keys <<= ONE
    keys[len(u) :] |= ONE
    return rows, keys, np.concatenate([np.arange(len(u)), mirrored])


def moved_to(rows: IntArray, keys: Keys) -> Keys:
    """Return keys in row 0 as keys in other rows, which are counted in their row range."""
    return rows.view(np.uint64) << BY_ROW | keys


def combined(keys: Keys, weights: Array | None, first: int, how: str) -> tuple[Keys, Array | None]:
    """Return the entries of the symmetric matrix in a row range, and their weights.

    They are pairs ``(i - first) << BY_PAIR | j``, where `first` is the first row of the range.
    Entries listed more than once in one direction are summed, then both directions are combined;
    `weights` None means ones. The entries (i, j) and (j, i) of the result are equal bit for bit:
    sums are taken in the order in which edges were listed, one direction first. The input arrays
    may be modified.
    """
    if weights is None:
        keys.sort()
    else:
        order = np.argsort(keys, kind="stable")
        keys, weights = keys[order], weights[order]
        del order
    keys, weights = _reduced(keys, weights, np.add)
    keys >>= ONE
    pairs, weights = _reduced(keys, weights, COMBINE[how])
    if how == "mean":
        weights = np.ones(len(pairs)) if weights is None else as_float(weights)
        # A self-loop is its own mirror image.
        weights[~_are_loops(pairs, first)] *= 0.5
    if weights is not None:
        # Finite weights may sum to infinity.
        check_weights(weights, lambda at: (_rows(pairs, first)[at], pairs[at] & COLUMN))
    if weights is not None and not weights.all():
        present = weights > 0
        pairs, weights = pairs[present], weights[present]
    return pairs, weights


def distinct(keys: Keys, _: Array | None, first: int) -> tuple[Keys, None]:
    """Return the pairs of a simple graph, as `combined`: no weights, no loops, no duplicates.

    The input arrays may be modified.
    """
    keys >>= ONE
    keys.sort()
    pairs, _ = _reduced(keys, None, np.maximum)
    return pairs[~_are_loops(pairs, first)], None


def _rows(pairs: Keys, first: int) -> Keys:
    return (pairs >> BY_PAIR) + np.uint64(first)


def _are_loops(pairs: Keys, first: int) -> BoolArray:
    loops: BoolArray = _rows(pairs, first) == pairs & COLUMN
    return loops


def _reduced(keys: Keys, weights: Array | None, ufunc: np.ufunc) -> tuple[Keys, Array | None]:
    """Return the distinct keys, and the weights of equal keys combined by `ufunc`."""
    is_first = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    if is_first.all():
        return keys, weights
    starts = np.flatnonzero(is_first)
    if weights is not None:
        with np.errstate(over="ignore"):
            weights = ufunc.reduceat(weights, starts)
    elif ufunc is np.add:
        weights = np.diff(starts, append=len(keys))
    return keys[starts], weights
