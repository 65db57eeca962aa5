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
from powercut.graphs.nearest import Cancel, Nearest, PointSearch

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
    def nearest(self, queries: Any, *, more: int = 0) -> Neighbors:
        """Return the points that are nearest to each query: `n_neighbors`, and some more."""

    @abstractmethod
    def nearest_others(self, *, cancel: Cancel = None) -> Neighbors:
        """Return the other points that are nearest to each point."""


def neighbor_index(
    X: Any,
    *,
    n_neighbors: int,
    metric: str,
    algorithm: str,
    n_threads: int,
    random: Random,
    cancel: Cancel = None,
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
    cancel : CancellationToken, optional
        Cancels what prepares powercut's own searches, and reports its progress.
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
    points = _prepared(X, metric)
    search = (
        PointSearch(points, n_threads=n_threads)
        if algorithm == "exact"
        else PointSearch.approximate(
            points, n_neighbors, random=random, n_threads=n_threads, cancel=cancel
        )
    )
    return _EuclideanIndex(search, n_neighbors, metric)


class _EuclideanIndex(NeighborIndex):
    """Dense points, whose Euclidean distances are computed by powercut."""

    def __init__(self, search: PointSearch, k: int, metric: str) -> None:
        self._search, self._k, self._metric = search, k, metric

    def nearest(self, queries: Rows, *, more: int = 0) -> Neighbors:
        """Return the points that are nearest to each query."""
        rows = _prepared(queries, self._metric)
        return self._in_metric(self._search.nearest(rows, self._k + more))

    def nearest_others(self, *, cancel: Cancel = None) -> Neighbors:
        """Return the other points that are nearest to each point."""
        return self._in_metric(self._search.nearest_others(self._k, cancel=cancel))

    def _in_metric(self, found: Nearest) -> Neighbors:
        distances = found.squares  # changed in place: a second array takes memory
        if self._metric == "cosine":
            distances /= 2
        elif self._metric != "sqeuclidean":
            np.sqrt(distances, out=distances)
        return Neighbors(distances, found.indices)


def _prepared(X: Rows, metric: str) -> Rows:
    """Return points whose squared Euclidean distances are the metric, or twice the metric."""
    if metric != "cosine":
        return X
    from sklearn.preprocessing import normalize

    _check_directions(X)
    normalized: Rows = normalize(X)
    return normalized


class _ScikitLearnIndex(NeighborIndex):
    """Sparse points, few dimensions, or another metric: the exact search of scikit-learn."""

    def __init__(self, X: Any, k: int, metric: str, n_threads: int) -> None:
        from sklearn.neighbors import NearestNeighbors

        if metric == "cosine":
            _check_directions(X)
        self._k, self._n_threads = k, n_threads
        # One thread asks a tree: an interrupt would leave the threads of joblib behind.
        self._index = NearestNeighbors(n_neighbors=k, metric=metric).fit(X)

    def nearest(self, queries: Any, *, more: int = 0) -> Neighbors:
        """Return the points that are nearest to each query."""
        return self._find(queries, self._k + more)

    def nearest_others(self, *, cancel: Cancel = None) -> Neighbors:  # noqa: ARG002
        """Return the other points that are nearest to each point; progress is not reported."""
        return self._find(None, self._k)

    def _find(self, queries: Any, k: int) -> Neighbors:
        # Where scikit-learn uses OpenMP, it does not look at n_jobs.
        with threadpool_limits(self._n_threads, user_api="openmp"):
            return Neighbors(*self._index.kneighbors(queries, k))


def _check_directions(X: Any) -> None:
    squares = X.multiply(X).sum(axis=1) if sp.issparse(X) else np.einsum("ij,ij->i", X, X)
    zero: Array = np.flatnonzero(np.asarray(squares).ravel() == 0)
    if len(zero):
        raise ValueError(
            f"row {zero[0]} of X is zero, and has no direction; metric='cosine' needs other rows. "
            f"Remove the {len(zero)} rows of zeros."
        )
