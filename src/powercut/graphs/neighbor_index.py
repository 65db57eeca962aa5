"""Nearest neighbours under any metric of scikit-learn."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from powercut._typing import Array, FloatArray, Random, Rows
from powercut._validation import check_choice
from powercut.graphs.nearest import Nearest, PointSearch

ALGORITHMS = ("auto", "exact", "approximate")
# Metrics that are functions of the Euclidean distance, of the points or of their directions.
EUCLIDEAN = ("euclidean", "l2", "sqeuclidean", "cosine")
# Up to so many points the exact search takes no longer than the approximate one.
LARGEST_EXACT = 30_000
# In up to so many dimensions a k-d tree is faster than both.
TREE_FEATURES = 4


@dataclass(frozen=True)
class Neighbors:
    """Nearest neighbours of each row.

    Attributes
    ----------
    distances : ndarray of shape (n_rows, n_neighbors)
        In the metric, in ascending order.
    indices : ndarray of shape (n_rows, n_neighbors)
        The neighbours.
    """

    distances: FloatArray
    indices: npt.NDArray[np.integer]


class NeighborIndex(ABC):
    """Finds the nearest neighbours of rows among some points."""

    @abstractmethod
    def nearest(self, queries: Any) -> Neighbors:
        """Return the points that are nearest to each query."""

    @abstractmethod
    def nearest_others(self) -> Neighbors:
        """Return the other points that are nearest to each point."""


def neighbor_index(
    X: Any, *, n_neighbors: int, metric: str, algorithm: str, n_threads: int, random: Random
) -> NeighborIndex:
    """Return an index of the rows of X.

    Parameters
    ----------
    X : ndarray or csr matrix, float32 or float64
        The points; C-contiguous if dense.
    n_neighbors : int
        Number of neighbours that will be asked for, at most the number of points.
    metric : str
        A metric of scikit-learn.
    algorithm : {"auto", "exact", "approximate"}
        ``"approximate"`` is for dense points and the metrics `EUCLIDEAN`. ``"auto"`` takes it for
        these, if there are more than `LARGEST_EXACT` points of more than `TREE_FEATURES`
        dimensions.
    n_threads : int
        Number of threads.
    random : numpy.random.Generator
        For the approximate search.
    """
    check_choice("algorithm", algorithm, ALGORITHMS)
    has_kernel = not sp.issparse(X) and metric in EUCLIDEAN
    if algorithm == "approximate" and not has_kernel:
        raise ValueError(
            f"algorithm='approximate' is for dense points and the metrics {list(EUCLIDEAN)}, not "
            f"for {'sparse' if sp.issparse(X) else 'dense'} points and metric={metric!r}; use "
            "algorithm='exact', or reduce sparse points with TruncatedSVD first."
        )
    n, d = X.shape
    if n_neighbors > n:
        raise ValueError(
            f"n_neighbors is {n_neighbors}, but there are only {n} samples; it must not be larger."
        )
    in_tree = d <= TREE_FEATURES and algorithm != "approximate" and metric != "cosine"
    if not has_kernel or in_tree:
        return _ScikitLearnIndex(X, n_neighbors, metric, n_threads)
    if algorithm == "auto":
        algorithm = "exact" if n <= LARGEST_EXACT else "approximate"
    return _EuclideanIndex(X, n_neighbors, metric, algorithm == "exact", n_threads, random)


class _EuclideanIndex(NeighborIndex):
    """Dense points, whose Euclidean distances are computed by powercut."""

    def __init__(
        self, X: Rows, k: int, metric: str, exact: bool, n_threads: int, random: Random
    ) -> None:
        self._k, self._metric = k, metric
        points = self._prepared(X)
        self._search = (
            PointSearch(points, n_threads=n_threads)
            if exact
            else PointSearch.approximate(points, k, random=random, n_threads=n_threads)
        )

    def nearest(self, queries: Rows) -> Neighbors:
        """Return the points that are nearest to each query."""
        return self._in_metric(self._search.nearest(self._prepared(queries), self._k))

    def nearest_others(self) -> Neighbors:
        """Return the other points that are nearest to each point."""
        return self._in_metric(self._search.nearest_others(self._k))

    def _prepared(self, X: Rows) -> Rows:
        """Return points whose squared Euclidean distances are the metric, or twice the metric."""
        if self._metric != "cosine":
            return X
        from sklearn.preprocessing import normalize

        _check_directions(X)
        normalized: Rows = normalize(X)
        return normalized

    def _in_metric(self, found: Nearest) -> Neighbors:
        if self._metric == "cosine":
            return Neighbors(found.squares / 2, found.indices)
        if self._metric == "sqeuclidean":
            return Neighbors(found.squares, found.indices)
        return Neighbors(np.sqrt(found.squares), found.indices)


class _ScikitLearnIndex(NeighborIndex):
    """Sparse points, few dimensions, or another metric: the exact search of scikit-learn."""

    def __init__(self, X: Any, k: int, metric: str, n_threads: int) -> None:
        from sklearn.neighbors import NearestNeighbors

        if metric == "cosine":
            _check_directions(X)
        self._n_threads = n_threads
        # One thread asks a tree: an interrupt would leave the threads of joblib behind.
        self._index = NearestNeighbors(n_neighbors=k, metric=metric).fit(X)

    def nearest(self, queries: Any) -> Neighbors:
        """Return the points that are nearest to each query."""
        return self._find(queries)

    def nearest_others(self) -> Neighbors:
        """Return the other points that are nearest to each point."""
        return self._find(None)

    def _find(self, queries: Any) -> Neighbors:
        # Where scikit-learn uses OpenMP, it does not look at n_jobs.
        with threadpool_limits(self._n_threads, user_api="openmp"):
            return Neighbors(*self._index.kneighbors(queries))


def _check_directions(X: Any) -> None:
    squares = X.multiply(X).sum(axis=1) if sp.issparse(X) else np.einsum("ij,ij->i", X, X)
    zero: Array = np.flatnonzero(np.asarray(squares).ravel() == 0)
    if len(zero):
        raise ValueError(
            f"row {zero[0]} of X is zero, and has no direction; metric='cosine' needs other rows. "
            f"Remove the {len(zero)} rows of zeros."
        )
