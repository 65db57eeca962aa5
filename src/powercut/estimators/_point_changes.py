"""Points that come and go, as a user has passed them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from powercut._typing import BoolArray, FloatArray, Labels, Positions, Rows
from powercut.vectors.update import PointChanges


@dataclass(frozen=True)
class ChangedPoints:
    """Points of which some have come or gone.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        The points that stayed, and then those that came.
    weight : ndarray of shape (n,)
        Their weights.
    before : ndarray of int
        The row of each before, -1 if it came.
    changes : PointChanges
        What the search needs to know of them.
    """

    X: Rows
    weight: FloatArray
    before: Positions
    changes: PointChanges

    @classmethod
    def of(
        cls,
        old: tuple[Rows, FloatArray],
        new: tuple[Rows, FloatArray],
        stayed: BoolArray,
        labels: Labels,
        untried: FloatArray,
    ) -> "ChangedPoints":
        """Join the old points that stayed, and the new ones, with their weights.

        `labels` and `untried` are those of the old points.
        """
        m, left = len(new[0]), labels[stayed]
        # The points that went are shared among those of their cluster that stayed.
        sizes, sizes_left = np.bincount(labels), np.bincount(left, minlength=labels.max() + 1)
        gone = (sizes - sizes_left) / np.maximum(sizes_left, 1)
        changes = PointChanges(
            np.concatenate([left, np.zeros(m, dtype=np.int32)]),
            np.repeat([False, True], [len(left), m]),
            np.concatenate([untried[stayed] + gone[left], np.ones(m)]),
        )
        return cls(
            np.concatenate([old[0][stayed], new[0]]),
            np.concatenate([old[1][stayed], new[1]]),
            np.concatenate([np.flatnonzero(stayed), np.full(m, -1)]),
            changes,
        )


def rows_that_stay(removed: Any, n: int) -> BoolArray:
    """Mark the rows that are not in `removed`; raise if it is no list of different rows."""
    stayed = np.ones(n, dtype=np.bool_)
    if removed is None:
        return stayed
    rows = np.asarray(removed)
    if rows.ndim != 1 or (rows.dtype.kind not in "iu" and rows.size):
        raise ValueError(
            f"removed must be a list of row numbers, got an array of shape {rows.shape} and type "
            f"{rows.dtype}."
        )
    rows = rows.astype(np.intp)
    wrong = rows[(rows < 0) | (rows >= n)]
    if len(wrong):
        raise ValueError(f"removed has row {wrong[0]}; rows are numbered from 0 to {n - 1}.")
    stayed[rows] = False
    if np.count_nonzero(stayed) > n - len(rows):
        twice = np.bincount(rows).argmax()
        raise ValueError(f"removed has row {twice} more than once.")
    return stayed
