"""Points, and groups of points aggregated into points at their means."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut._typing import LABEL, FloatArray, Labels, Positions, Random
from powercut._utils import cached_property, slices

# Smallest expected variance within clusters, as a fraction of the total.
LEAST_VARIANCE = 1e-6
# A set of more points than this is large.
LARGE = 20_000
# Rows that are processed at a time, so that temporary arrays stay in cache.
ROWS_AT_ONCE = 2**12


@dataclass(frozen=True)
class Points:
    """Points, or groups of points at their means.

    Attributes
    ----------
    values : ndarray of shape (n, d)
        The points, or the weighted means of the groups.
    weight, count : ndarray of shape (n,), optional
        Weight, and number of original points, of each; None for ones.
    scatter : ndarray of shape (n, width), optional
        Weighted squares around the mean of each, as the score needs them; None for zeros.
    n_threads : int
        Threads that process the points; results do not depend on it.
    """

    values: npt.NDArray[np.floating]
    weight: FloatArray | None = None
    count: npt.NDArray[np.int64] | None = None
    scatter: FloatArray | None = None
    n_threads: int = 1

    @classmethod
    def finest(
        cls,
        values: npt.NDArray[np.floating],
        weight: FloatArray | None = None,
        *,
        n_threads: int,
    ) -> "Points":
        """Return the original points; only a large set uses several threads."""
        points = cls(values, weight)
        return replace(points, n_threads=n_threads) if points.is_large else points

    @property
    def native(self) -> "_core._PointArrays":
        """(values, weight, count, scatter), as native code takes it."""
        return self.values, self.weight, self.count, self.scatter

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

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """The number of original points that each point stands for."""
        return np.ones(self.n, dtype=np.int64) if self.count is None else self.count

    @cached_property
    def rounding(self) -> FloatArray:
        """Variance of rounding each feature to the smallest step between two of its values."""
        return smallest_steps(self.values) ** 2 / 12

    @cached_property
    def variance(self) -> FloatArray:
        """Variance of each feature, ignoring weights."""
        return mean_and_variance(self.values)[1]

    @property
    def is_large(self) -> bool:
        """Whether to run only one search, with its work divided among threads."""
        return self.n > LARGE

    def sample(self, random: Random) -> Positions:
        """Return the rows of a random sample of as many points as are not yet a large set."""
        return np.sort(random.choice(self.n, min(self.n, LARGE), replace=False))

    def some(self, rows: slice | npt.NDArray[np.integer]) -> "Points":
        """Return a subset of the points."""
        return replace(
            self,
            values=self.values[rows],
            weight=None if self.weight is None else self.weight[rows],
            count=None if self.count is None else self.count[rows],
            scatter=None if self.scatter is None else self.scatter[rows],
        )

    def aggregate(self, labels: Labels, k: int, scatter: str = "none") -> "Points":
        """Return the clusters as points, with their scatter.

        `scatter` is ``"none"``, ``"total"`` (one number per cluster), ``"features"`` (one per
        feature) or ``"matrix"`` (one per pair of features).
        """
        groups = _core.point_groups(self.native, labels, k, scatter, self.n_threads)
        means, weight, count, squares = groups
        rows = None if scatter == "none" else squares.reshape(k, -1)
        return Points(means.reshape(k, -1), weight, count, rows, self.n_threads)

    def nearest(
        self, means: npt.NDArray[np.floating], cancel: _core.CancellationToken | None = None
    ) -> Labels:
        """Return the index of the nearest mean for each point; ties go to the first."""
        nearest = np.zeros(self.n, dtype=LABEL)
        self.find_nearest(means, nearest, np.zeros(self.n), cancel)
        return nearest

    def find_nearest(
        self,
        means: npt.NDArray[np.floating],
        nearest: Labels,
        beyond: FloatArray,
        cancel: _core.CancellationToken | None = None,
    ) -> FloatArray:
        """Return the squared distance of each point to the nearest of the means.

        `nearest` holds guesses on input and the indices of the nearest means on output. `beyond`
        holds lower bounds on the distance to all other means; on input those of the guesses, or
        zeros. A guess that is nearer than its bound is accepted without a search.
        """
        rows = np.ascontiguousarray(means, dtype=np.float64).ravel()
        return _core.nearest_means(self.native, rows, nearest, beyond, self.n_threads, cancel)

    def squared_distances(self, point: int) -> FloatArray:
        """Return the squared distances of all points to one of them."""
        return row_squares(self.values - self.values[point])

    def rough_distances(self) -> Callable[[int], FloatArray]:
        """Return a faster `squared_distances` that uses inner products and loses a few digits."""
        values, squares = self.values, row_squares(self.values)

        def distances(point: int) -> FloatArray:
            # Not BLAS: synchronising its threads takes longer than such a product.
            products = np.einsum("ij,j->i", values, values[point])
            return np.asarray(squares - 2.0 * products + squares[point])

        return distances


def row_squares(rows: npt.NDArray[np.floating]) -> FloatArray:
    """Return the sum of squares of each row."""
    return np.asarray(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))


def mean_and_variance(X: npt.NDArray[np.floating]) -> tuple[FloatArray, FloatArray]:
    """Return the mean and the variance of each feature."""
    one = Points(X).aggregate(np.zeros(len(X), dtype=LABEL), 1, "features")
    assert one.scatter is not None
    return one.values[0], one.scatter[0] / len(X)


def varies(X: npt.NDArray[np.floating]) -> npt.NDArray[np.bool_]:
    """Return which features have more than one value."""
    different = np.zeros(X.shape[1], dtype=np.bool_)
    for rows in slices(len(X), ROWS_AT_ONCE):
        different |= (X[rows] != X[0]).any(axis=0)
        if different.all():
            break
    return different


def centred(X: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Return X, centred at its mean if it is so far from 0 that squares would lose digits."""
    mean, variance = mean_and_variance(X)
    if np.all(np.abs(mean) <= 100 * np.sqrt(variance)):
        return X
    moved = np.empty_like(X)
    for rows in slices(len(X), ROWS_AT_ONCE):
        moved[rows] = X[rows] - mean
    return moved


def smallest_steps(values: npt.NDArray[np.floating]) -> FloatArray:
    """Return the smallest difference between two values of each feature, 0 where all are equal.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut.vectors.points import smallest_steps
    >>> smallest_steps(np.array([[0.0, 1.0], [3.0, 1.0], [1.0, 1.0]]))
    array([1., 0.])
    """
    steps = np.zeros(values.shape[1])
    for j, column in enumerate(values.T):
        apart = np.diff(np.unique(column)).astype(np.float64)
        steps[j] = apart.min(initial=np.inf) if len(apart) else 0.0
    return steps
