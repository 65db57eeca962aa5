"""Entries of a matrix as numbers to be sorted: row, column, and which way the edge was given.

An entry of row i and column j is ``i << 32 | j << 1 | mirrored``, so that sorted entries lie
row by row, with what was given as (i, j) before what was given as (j, i).
"""

import numpy as np
import numpy.typing as npt

from powercut._typing import Array
from powercut.graphs._adjacency import as_float, check_weights

Keys = npt.NDArray[np.uint64]
COLUMN = np.uint64(2**31 - 1)
ONE, BY_ROW, BY_PAIR = np.uint64(1), np.uint64(32), np.uint64(31)

# Bytes that `combined` needs at most for each entry it is given, these included.
BYTES_PER_ENTRY = 64

COMBINE = {"sum": np.add, "max": np.maximum, "mean": np.add}


def both_directions(u: Array, v: Array) -> tuple[Keys, Array]:
    """Return the two entries of each edge, one of a self-loop, and which edge each is of."""
    u, v = u.astype(np.uint64), v.astype(np.uint64)
    mirrored = np.flatnonzero(u != v)
    there = u << BY_ROW | v << ONE
    back = (v << BY_ROW | u << ONE | ONE)[mirrored]
    return np.concatenate([there, back]), np.concatenate([np.arange(len(u)), mirrored])


def first_key(row: Array) -> Keys:
    """Return the least key that an entry of a row can have."""
    return row.astype(np.uint64) << BY_ROW


def combined(keys: Keys, weights: Array | None, how: str) -> tuple[Keys, Array | None]:
    """Return the entries of the symmetric matrix, as pairs ``i << 31 | j``, and their weights.

    What was given more than once in one direction is summed, then both directions are
    combined; weights None are ones. Both mirror images of an entry come out equal, bit for
    bit: sums are taken in the order in which edges were given, those of one direction first.
    The arrays given may be changed.
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
        # Finite weights may add up to infinity.
        check_weights(weights, lambda at: (pairs[at] >> BY_PAIR, pairs[at] & COLUMN))
    if weights is not None and not weights.all():
        present = weights > 0
        pairs, weights = pairs[present], weights[present]
    return pairs, weights


def _reduced(keys: Keys, weights: Array | None, ufunc: np.ufunc) -> tuple[Keys, Array | None]:
    """Return each key once, and what its weights come to."""
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
