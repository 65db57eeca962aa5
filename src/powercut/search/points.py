"""Exact local moves on every grain of a set of points, for the `kmeans` score.

    J = sum_c sum_{i in c} w_i |x_i - mean_c|^2  +  tradeoff * r(Z)

Points that move together are one point at their mean, with their weight and
count; what lies between them is a constant. So one kernel moves single points,
parts of clusters (which splits them) and whole clusters (which merges them).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from powercut import _core
from powercut.partition import Labels, compact_labels
from powercut.search.objective import Random, Regulariser, draw_seed

FloatArray = npt.NDArray[np.float64]

# A cycle that gains less than this part of J is the last one.
NEGLIGIBLE = 1e-9
MAX_CYCLES = 100
# How often clusters are halved in a cycle: parts of a half, a quarter, an eighth.
HALVINGS = 3


@dataclass(frozen=True)
class Points:
    """Points, or groups of points at their means; weight and count None for ones."""

    values: npt.NDArray[np.floating]
    weight: FloatArray | None = None
    count: npt.NDArray[np.int64] | None = None

    @property
    def native(self) -> "_core._PointArrays":
        """(values, weight, count), as the kernels take it."""
        return self.values, self.weight, self.count

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.values)

    @property
    def n_original(self) -> int:
        """Number of original points."""
        return self.n if self.count is None else int(self.count.sum())

    @property
    def weights(self) -> FloatArray:
        """The weight of each point."""
        return np.ones(self.n) if self.weight is None else self.weight

    def aggregate(self, labels: Labels, k: int) -> "Points":
        """Return the clusters as points."""
        member = sp.csr_array((self.weights, (labels, np.arange(self.n))), shape=(k, self.n))
        weight = np.bincount(labels, weights=self.weights, minlength=k).astype(np.float64)
        count = np.ones(self.n) if self.count is None else self.count
        return Points(
            np.ascontiguousarray(member @ self.values / weight[:, None], dtype=np.float64),
            weight,
            np.bincount(labels, weights=count, minlength=k).astype(np.int64),
        )

    def within(self, labels: Labels, k: int) -> float:
        """Weighted sum of squares around the means of the clusters."""
        means = self.aggregate(labels, k).values
        return float(self.weights @ _row_squares(self.values - means[labels]))

    def squared_distances(self, point: int) -> FloatArray:
        """Squared distance of every point to one of them."""
        return _row_squares(self.values - self.values[point])

    def objective(self, labels: Labels, k: int, regulariser: Regulariser) -> float:
        """J of a partition, all constants included."""
        return self.within(labels, k) + regulariser.value(np.bincount(labels, minlength=k))


def centred(X: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Return X moved to its mean if it lies so far from 0 that squares would lose digits."""
    mean = X.mean(axis=0, dtype=np.float64)
    spread = X.std(axis=0, dtype=np.float64)
    return (X - mean).astype(X.dtype) if np.any(np.abs(mean) > 100 * spread) else X


def halve(points: Points, labels: Labels, k: int, random: Random) -> tuple[Labels, int]:
    """Split every cluster in two, around two of its points drawn as k-means++ draws them."""
    first = _draw_from_each(labels, k, np.zeros(points.n), random)
    to_first = _row_squares(points.values - points.values[first[labels]])
    with np.errstate(divide="ignore"):
        far = np.log(points.weights * to_first)
    second = _draw_from_each(labels, k, far, random)
    beyond = _row_squares(points.values - points.values[second[labels]]) < to_first
    return compact_labels(2 * labels.astype(np.int64) + beyond)


def _draw_from_each(
    labels: Labels, k: int, log_mass: FloatArray, random: Random
) -> npt.NDArray[np.int64]:
    """Draw a point of each cluster with probability proportional to its mass (Gumbel's trick)."""
    key = log_mass + random.gumbel(size=len(labels))
    order = np.lexsort((key, labels))
    ends = np.cumsum(np.bincount(labels, minlength=k)) - 1
    return order[ends]


def _row_squares(rows: npt.NDArray[np.floating]) -> FloatArray:
    return np.asarray(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))


class PointsSearch:
    """Cycles of exact moves over all grains of a set of points.

    A cycle moves points, then whole clusters (merging), then halves, quarters and
    eighths of clusters (splitting and exchanging), then points again.

    Attributes
    ----------
    path : list of float
        J before the first move and after each round of moves.
    """

    def __init__(
        self,
        points: Points,
        regulariser: Regulariser,
        *,
        random: Random,
        cancel: _core.CancelFlag | None = None,
    ) -> None:
        self.points = points
        self.regulariser = regulariser
        self.random = random
        self.cancel = cancel
        self.path: list[float] = []

    def improve(self, labels: Labels) -> Labels:
        """Run cycles until one gains nothing."""
        labels, _ = compact_labels(labels)
        self._record(labels)
        labels = self._record(self._moves(self.points, labels))
        for _ in range(MAX_CYCLES):
            start = self.path[-1]
            labels = self._cycle(labels)
            if start - self.path[-1] <= NEGLIGIBLE * abs(start):
                break
        return labels

    def _cycle(self, labels: Labels) -> Labels:
        k = int(labels.max(initial=-1)) + 1
        groups, n_groups = labels, k
        for depth in range(HALVINGS + 1):
            if depth:
                groups, n_groups = halve(self.points, groups, n_groups, self.random)
            coarse = self.points.aggregate(groups, n_groups)
            label_of_group = np.empty(n_groups, dtype=np.int32)
            label_of_group[groups] = labels
            labels = self._record(self._moves(coarse, label_of_group)[groups])
        return self._record(self._moves(self.points, labels))

    def _moves(self, points: Points, labels: Labels) -> Labels:
        labels, k = compact_labels(labels)
        _core.kmeans_moves(
            points.native, labels, k, self.regulariser.native, draw_seed(self.random), self.cancel
        )
        return compact_labels(labels)[0]

    def _record(self, labels: Labels) -> Labels:
        """Note J of the points, computed afresh: sums of gains would lose digits."""
        k = int(labels.max(initial=-1)) + 1
        self.path.append(self.points.objective(labels, k, self.regulariser))
        return labels
