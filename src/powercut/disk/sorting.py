"""Sort keys of matrix entries: row, column, and in which direction the edge was listed.

The key of an entry in row i and column j is ``i << 32 | j << 1 | mirrored``. Sorted entries are in
row order, and entries listed as (i, j) come before those listed as (j, i).
"""

import numpy as np
import numpy.typing as npt

from powercut._typing import Array
from powercut.graphs._adjacency import as_float, check_weights

Keys = npt.NDArray[np.uint64]
COLUMN = np.uint64(2**31 - 1)
ONE, BY_ROW, BY_PAIR = np.uint64(1), np.uint64(32), np.uint64(31)

# Peak bytes of `combined` per entry of its input, the input included.
BYTES_PER_ENTRY = 64

COMBINE = {"sum": np.add, "max": np.maximum, "mean": np.add}


def both_directions(u: Array, v: Array) -> tuple[Keys, Array]:
    """Return the keys of both entries of each edge (one for a self-loop), and their edges."""
    u, v = u.astype(np.uint64), v.astype(np.uint64)
    mirrored = np.flatnonzero(u != v)
    there = u << BY_ROW | v << ONE
    back = (v << BY_ROW | u << ONE | ONE)[mirrored]
    return np.concatenate([there, back]), np.concatenate([np.arange(len(u)), mirrored])


def first_key(row: Array) -> Keys:
    """Return the smallest key that an entry of a row can have."""
    return row.astype(np.uint64) << BY_ROW


def combined(keys: Keys, weights: Array | None, how: str) -> tuple[Keys, Array | None]:
    """Return the entries of the symmetric matrix, as pairs ``i << 31 | j``, and their weights.

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
        weights[pairs >> BY_PAIR != pairs & COLUMN] *= 0.5
    if weights is not None:
        # Finite weights may sum to infinity.
        check_weights(weights, lambda at: (pairs[at] >> BY_PAIR, pairs[at] & COLUMN))
    if weights is not None and not weights.all():
        present = weights > 0
        pairs, weights = pairs[present], weights[present]
    return pairs, weights


def distinct(keys: Keys, _: Array | None) -> tuple[Keys, None]:
    """Return the pairs ``i << 31 | j`` of a simple graph: no weights, no loops, no duplicates.

    The input arrays may be modified.
    """
    keys >>= ONE
    keys.sort()
    pairs, _ = _reduced(keys, None, np.maximum)
    return pairs[pairs >> BY_PAIR != pairs & COLUMN], None


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
