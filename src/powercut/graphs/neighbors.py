"""Nearest-neighbour graphs of points."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import check_array, check_random_state

from powercut._typing import Positions
from powercut._validation import check_choice, check_whole, effective_jobs, float_types
from powercut.graphs._adjacency import check_stored
from powercut.graphs.graph import Graph
from powercut.graphs.neighbor_index import ALGORITHMS, Neighbors, neighbor_index

DEFAULT_NEIGHBORS, DEFAULT_METRIC = 15, "euclidean"


def graph(
    X: Any,
    *,
    n_neighbors: int | None = None,
    metric: str | None = None,
    algorithm: Any = "auto",
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> Graph:
    """Return the graph that connects each point with its nearest neighbours.

    Two points are connected if one of them is among the nearest neighbours of the other; all edges
    have weight 1. Such edges depend on each other. `powercut.PowerLawCut` compensates for the
    dependence with its tradeoff, which is calibrated on graphs of this kind.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The points, float16, float32 or float64, or the input of `algorithm` if that is a
        transformer. With ``metric="precomputed"``, the distances between all points, or a sparse
        matrix with the distance of each point to its neighbours, as from
        `sklearn.neighbors.NearestNeighbors.kneighbors_graph` or scanpy's ``distances``.
    n_neighbors : int, optional
        Number of neighbours of each point, not counting itself; default: 15, or all entries of a
        sparse matrix of distances. If there are fewer other points, all of them are neighbours.
    metric : str, optional
        Any metric of scikit-learn, or ``"precomputed"``; default: ``"euclidean"``.
    algorithm : {"auto", "exact", "approximate"} or transformer, default="auto"
        ``"exact"`` finds the true neighbours; in more than a few dimensions its time grows with the
        square of n. ``"approximate"`` finds at least 95% of them on average, for dense points and
        the metrics ``"euclidean"`` and ``"cosine"``: it searches as much of the space around each
        point as a sample of points shows to be needed. ``"auto"`` takes it for these metrics if
        there are many points and dimensions, and is exact otherwise. Alternatively, an object whose
        ``fit_transform`` returns a sparse matrix with one entry for each neighbour of each row,
        such as `sklearn.neighbors.KNeighborsTransformer`. A clone of it is fitted. It has its own
        `n_neighbors`, `metric` and `n_jobs`, so these must not be set here.
    n_jobs : int, optional
        Number of threads; -1 for all. The graph does not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of ``"approximate"``. The same seed gives the same graph.

    Returns
    -------
    Graph
        For ``PowerLawCut().fit``.

    Examples
    --------
    >>> from powercut import PowerLawCut, neighbors
    >>> from powercut.datasets import make_blobs
    >>> X, truth = make_blobs(500, n_features=8, random_state=0)
    >>> graph = neighbors.graph(X, n_neighbors=10)
    >>> graph
    Graph(500 nodes, 3597 edges, unweighted)
    >>> labels = PowerLawCut(random_state=0).fit_predict(graph)
    """
    if n_neighbors is not None:
        check_whole(n_neighbors, "n_neighbors", min_val=1)
    if hasattr(algorithm, "fit_transform"):
        for name, value in {"n_neighbors": n_neighbors, "metric": metric, "n_jobs": n_jobs}.items():
            if value is not None:
                raise ValueError(
                    f"{name}={value!r} has no effect on a transformer; set it in {algorithm!r}."
                )
        nearest = sp.csr_array(clone(algorithm).fit_transform(X))
        return _graph_of_entries(nearest, "algorithm returned")
    check_choice("algorithm", algorithm, ALGORITHMS)
    n_threads = effective_jobs(n_jobs)
    if sp.issparse(X):
        check_stored(X)  # before scikit-learn converts it
    if metric == "precomputed" and algorithm == "approximate":
        raise ValueError("algorithm='approximate' is for points; metric='precomputed' is exact.")
    if metric == "precomputed" and sp.issparse(X):
        return _graph_of_entries(_nearest_entries(X, n_neighbors), "X is")
    X = check_array(X, accept_sparse="csr", dtype=float_types(X), order="C")
    k = min(n_neighbors or DEFAULT_NEIGHBORS, X.shape[0] - 1)
    if k == 0:
        return Graph.from_edges([], [], n_nodes=X.shape[0])
    found = neighbor_index(
        X,
        n_neighbors=k,
        metric=metric or DEFAULT_METRIC,
        algorithm=algorithm,
        n_threads=n_threads,
        random=np.random.default_rng(check_random_state(random_state).randint(2**31, size=4)),
    ).nearest_others()
    return graph_of(found)


def graph_of(neighbors: Neighbors) -> Graph:
    """Return the graph in which each point has an edge to each of its neighbours."""
    n, k = neighbors.indices.shape
    rows = np.repeat(np.arange(n, dtype=neighbors.indices.dtype), k)
    return Graph.from_edges(rows, neighbors.indices.ravel(), n_nodes=n, symmetrize="max")


def _nearest_entries(distances: Any, n_neighbors: int | None) -> sp.csr_array:
    """Return the nearest neighbours of each row, other than itself, in a matrix of distances."""
    distances = check_array(
        distances, accept_sparse="csr", dtype=float_types(distances), ensure_non_negative=True
    )
    rows, columns, n = _rows(distances), distances.indices, distances.shape[0]
    others = np.flatnonzero(rows != columns)
    if n_neighbors is not None:
        others = others[np.lexsort((columns[others], distances.data[others], rows[others]))]
        counts = np.bincount(rows[others], minlength=n)
        k = min(n_neighbors, n - 1)
        if counts.min(initial=k) < k:
            raise ValueError(
                f"row {counts.argmin()} of X has the distances of {counts.min()} neighbours, but "
                f"n_neighbors is {n_neighbors}; make X with more neighbours, or leave n_neighbors "
                "out."
            )
        rank = np.arange(len(others)) - np.repeat(np.cumsum(counts) - counts, counts)
        others = np.sort(others[rank < k])
    start = np.append(0, np.cumsum(np.bincount(rows[others], minlength=n)))
    return sp.csr_array((np.ones(len(others)), columns[others], start), shape=distances.shape)


def _rows(matrix: sp.csr_array) -> Positions:
    """Return the row of each entry."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def _graph_of_entries(nearest: sp.csr_array, source: str) -> Graph:
    """Return the graph of a matrix with an entry for each neighbour of each row."""
    n = nearest.shape[0]
    if nearest.shape[1] != n:
        raise ValueError(
            f"{source} a matrix of shape {nearest.shape} for {n} rows; it must be square, with one "
            "entry for each neighbour of each row."
        )
    # Every stored entry is a neighbour, even if its value is 0: the distance of equal points.
    rows = _rows(nearest)
    others = rows != nearest.indices
    return Graph.from_edges(rows[others], nearest.indices[others], n_nodes=n, symmetrize="max")
