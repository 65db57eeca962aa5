"""Points that come and go, as a user has passed them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from powercut import _core
from powercut._typing import LABEL, BoolArray, FloatArray, IntArray, Labels, Positions, Rows
from powercut._validation import float_types
from powercut.estimators._common import TrainingRows, validated
from powercut.estimators._constraints import KnownPoints, point_ids, read_known
from powercut.estimators._graph_input import is_mapped
from powercut.estimators._lasting_constraints import LastingConstraints
from powercut.estimators._means_base import check_spread, check_squares
from powercut.search.known import FREE, Known
from powercut.vectors.update import PointChanges


class ChangingPoints(LastingConstraints):
    """The part of a model that keeps its points, and what is known of them, for updates."""

    _training: TrainingRows
    # None if the model was loaded from a file, or if the points are in a file, which may be gone
    # before the model.
    _kept: Rows | None = None

    def _keep(self, X: Rows) -> None:
        """Keep the points, unless they are in a file."""
        self._kept = None if is_mapped(X) else X

    def _points_before(self, points: Any) -> Rows:
        """Return the points before an update, which a user has passed if they were not kept."""
        if self._kept is not None:
            if points is not None:
                raise ValueError(
                    "points is only for a model that does not have them; this one does."
                )
            before = self._kept
            problem = "X of the fit was changed since: fit again, or restore it."
        else:
            if points is None:
                raise ValueError(
                    "the model has no points in memory: pass those before the update as points."
                )
            before = validated(self, points, reset=False, dtype=float_types(points), order="C")
            problem = "points are not those that the model was fitted to, or updated to."
        if not np.array_equal(self._training.keys, _core.row_keys((None, None, before))):
            raise ValueError(problem)
        return before

    def _new_points(self, X: Any, before: Rows) -> Rows:
        """Return the points that come, in the type of those before."""
        if X is None:
            return before[:0]
        types = float_types(X)
        new = validated(self, X, reset=False, dtype=types, order="C", ensure_min_samples=0)
        rows: Rows = new.astype(before.dtype, copy=False)
        return rows

    def _changed_points(
        self, old: tuple[Rows, FloatArray], new: tuple[Rows, FloatArray], removed: Any
    ) -> "ChangedPoints":
        """Return the points after an update, from old and new ones with their weights."""
        stayed = rows_that_stay(removed, len(old[0]))
        untried = getattr(self, "_untried", np.zeros(len(stayed)))
        known: Known | None = getattr(self, "_known", None)
        fixed = None if known is None else known.fixed
        return ChangedPoints.of(old, new, stayed, self.labels_, untried, fixed)

    def _known_of(self, changed: "ChangedPoints", given: dict[str, Any]) -> KnownPoints | None:
        """Return what is known of the clusters after an update that brings more."""
        ids = point_ids(len(changed.X))
        return KnownPoints.of(ids, self._known_after(ids, changed.before, read_known(ids, **given)))


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
        fixed: IntArray | None,
    ) -> "ChangedPoints":
        """Join the old points that stayed, and the new ones, with their weights.

        `labels`, `untried` and `fixed` are those of the old points.
        """
        m, left = len(new[0]), labels[stayed]
        if not len(left) + m:
            raise ValueError("removed has all points, and none come: none are left to cluster.")
        # The points that went are shared among those of their cluster that stayed.
        sizes, sizes_left = np.bincount(labels), np.bincount(left, minlength=labels.max() + 1)
        gone = (sizes - sizes_left) / np.maximum(sizes_left, 1)
        changes = PointChanges(
            np.concatenate([left, np.zeros(m, dtype=LABEL)]),
            np.repeat([False, True], [len(left), m]),
            np.concatenate([untried[stayed] + gone[left], np.ones(m)]),
            None if fixed is None else np.append(fixed[stayed] != FREE, np.zeros(m, np.bool_)),
        )
        X = np.concatenate([old[0][stayed], new[0]])
        check_squares(X)
        check_spread(X)
        return cls(
            X,
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
