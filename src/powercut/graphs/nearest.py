r"""Nearest points in Euclidean space: exact, or among the points that share a random cell.

An exact search compares each query with all n points. An approximate search divides space into the
Voronoi cells of :math:`\sqrt{n / 2}` random points, and compares a query only with the points of
its own cell. Two near points are in one cell with some probability; this is repeated with other
random points, until enough neighbours have been found. The recall, the mean share of the k true
neighbours of a point that are found, is measured: the true neighbours of a random sample of points
are found by an exact search, and divisions are added until the recall is `RECALL` on this sample.
Where neighbours are hard to find, the search thus takes longer, up to the time of an exact search;
the recall is the same.

Results depend on the points and the seed, not on the number of threads.
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut._typing import LABEL, FloatArray, Labels, Random, Rows

# Recall in a sample of so many points, so that it is 0.95 for all: its standard error is 0.004.
RECALL, N_SAMPLED = 0.96, 1000

# Cancels a search, and reports its progress.
Cancel = _core.CancellationToken | None


@dataclass(frozen=True)
class Nearest:
    """The nearest points of some queries.

    Attributes
    ----------
    squares : ndarray of shape (n_queries, k), float64
        Squared distances, in ascending order; infinite where no point is known.
    indices : ndarray of shape (n_queries, k), int32
        The points; of equally near ones, the first come first; -1 where none is known.
    """

    squares: FloatArray
    indices: npt.NDArray[LABEL]

    @classmethod
    def unknown(cls, n_queries: int, k: int) -> Self:
        """Return lists in which no point is known."""
        shape = (n_queries, k)
        return cls(np.full(shape, np.inf), np.full(shape, -1, dtype=LABEL))


@dataclass(frozen=True)
class Division:
    """A division of points into cells.

    Attributes
    ----------
    centres : ndarray of shape (n_cells, n_features)
        A point is in the cell of its nearest centre.
    cells : ndarray of unsigned integers
        The cell of each point.
    """

    centres: FloatArray
    cells: npt.NDArray[np.unsignedinteger]

    @classmethod
    def draw(cls, X: Rows, random: Random, n_threads: int, cancel: Cancel) -> Self:
        """Take random points for centres."""
        n_cells = math.isqrt(len(X) // 2) + 1
        centres = X[random.choice(len(X), n_cells, replace=False)].astype(np.float64)
        # Many divisions are kept: in few bytes.
        cells = _nearest_centres(X, centres, n_threads, cancel).astype(np.min_scalar_type(n_cells))
        return cls(centres, cells)

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return len(self.centres)

    @property
    def n_compared(self) -> float:
        """Number of centres and points that a point is compared with, on average."""
        sizes = np.bincount(self.cells)
        return self.n_cells + float(sizes @ sizes) / len(self.cells)

    def find(self, queries: Rows, n_threads: int) -> Labels:
        """Return the cell of each query."""
        return _nearest_centres(queries, self.centres, n_threads, None)


class PointSearch:
    """Finds the nearest of some points.

    Parameters
    ----------
    X : ndarray of shape (n, n_features), float32 or float64
        The points, C-contiguous and finite.
    n_threads : int
        Number of threads.

    Attributes
    ----------
    divisions : list of Division
        Those of an approximate search; none if the search is exact.
    """

    def __init__(self, X: Rows, *, n_threads: int) -> None:
        self.X = X
        self.n_threads = n_threads
        self.divisions: list[Division] = []

    @classmethod
    def approximate(
        cls, X: Rows, k: int, *, random: Random, n_threads: int, cancel: Cancel = None
    ) -> Self:
        """Return a search that finds the k nearest points with a recall of `RECALL`.

        It is exact if the divisions would take more time.
        """
        search = cls(X, n_threads=n_threads)
        some = np.sort(random.choice(len(X), min(len(X), N_SAMPLED), replace=False))
        queries, excluded = X[some], some.astype(LABEL)
        true = search._find(queries, k, excluded, cancel).indices
        near = Nearest.unknown(len(some), k)
        n_compared = 0.0
        while (near.indices[:, :, None] == true[:, None, :]).any(axis=2).mean() < RECALL:
            division = Division.draw(X, random, n_threads, cancel)
            search.divisions.append(division)
            search._compare(near, queries, excluded, cancel, division, division.cells[some])
            n_compared += division.n_compared
            if n_compared > len(X):
                return cls(X, n_threads=n_threads)
        return search

    def nearest(self, queries: Rows, k: int) -> Nearest:
        """Return the k points that are nearest to each query."""
        return self._find(queries, k, np.empty(0, dtype=LABEL), None)

    def nearest_others(self, k: int, *, cancel: Cancel = None) -> Nearest:
        """Return the k other points that are nearest to each point."""
        return self._find(self.X, k, np.arange(len(self.X), dtype=LABEL), cancel)

    def _find(self, queries: Rows, k: int, excluded: Labels, cancel: Cancel) -> Nearest:
        near = Nearest.unknown(len(queries), k)
        for division in self.divisions:
            own = division.cells if queries is self.X else division.find(queries, self.n_threads)
            self._compare(near, queries, excluded, cancel, division, own)
        # All if there are no divisions; those that were in cells with too few points otherwise.
        unknown = np.flatnonzero(near.indices[:, -1] < 0)
        rows = slice(None) if len(unknown) == len(queries) else unknown  # a slice is not copied
        rest = Nearest(near.squares[rows], near.indices[rows])
        self._compare(rest, queries[rows], excluded[rows] if len(excluded) else excluded, cancel)
        near.squares[rows], near.indices[rows] = rest.squares, rest.indices
        return near

    def _compare(
        self,
        near: Nearest,
        queries: Rows,
        excluded: Labels,
        cancel: Cancel,
        division: Division | None = None,
        own: npt.NDArray[np.integer] | None = None,
    ) -> None:
        """Compare queries with the points of their `own` cells of a division, or with all."""
        none = np.zeros(1, dtype=LABEL)
        cells = none.repeat(len(self.X)) if division is None else division.cells
        own = none.repeat(len(queries)) if own is None else own
        _core.find_nearest_points(
            (self.X, None, None, None),
            cells.astype(LABEL, copy=False),
            (queries, None, None, None),
            own.astype(LABEL, copy=False),
            1 if division is None else division.n_cells,
            excluded,
            near.indices.shape[1],
            near.indices.reshape(-1),
            near.squares.reshape(-1),
            self.n_threads,
            cancel,
        )


def _nearest_centres(X: Rows, centres: FloatArray, n_threads: int, cancel: Cancel) -> Labels:
    labels = np.zeros(len(X), dtype=LABEL)
    points = (X, None, None, None)
    _core.nearest_means(points, centres.ravel(), labels, np.zeros(len(X)), n_threads, cancel)
    return labels
