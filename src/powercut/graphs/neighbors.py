"""Nearest-neighbour graphs of points."""

import numbers
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_array, check_random_state, check_scalar

from powercut._validation import check_choice
from powercut.graphs._adjacency import check_stored
from powercut.graphs.graph import Graph

ALGORITHMS = ("exact", "pynndescent")
DEFAULT_NEIGHBORS, DEFAULT_METRIC = 15, "euclidean"


def graph(
    X: Any,
    *,
    n_neighbors: int | None = None,
    metric: str | None = None,
    algorithm: Any = "exact",
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
        The points, or the input of `algorithm` if that is a transformer.
    n_neighbors : int, optional
        Number of neighbours of each point, not counting itself; default: 15. If there are fewer
        other points, all of them are neighbours.
    metric : str, optional
        Any metric of scikit-learn or pynndescent, depending on `algorithm`; default:
        ``"euclidean"``.
    algorithm : {"exact", "pynndescent"} or transformer, default="exact"
        ``"exact"`` uses scikit-learn and finds the true neighbours; in many dimensions its time
        grows with the square of n. ``"pynndescent"`` misses a few neighbours and takes
        a fraction of the time from some ten thousand points on
        (``pip install "powercut[neighbors]"``). Alternatively, an object whose
        ``fit_transform`` returns a sparse matrix with one entry for each neighbour of each row,
        such as `sklearn.neighbors.KNeighborsTransformer`. A clone of it is fitted. It has its own
        `n_neighbors`, `metric` and `n_jobs`, so these must not be set here.
    n_jobs : int, optional
        Number of threads; -1 for all.
    random_state : int, RandomState instance or None, default=0
        Seed of ``"pynndescent"``. The same seed gives the same graph.

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
    if hasattr(algorithm, "fit_transform"):
        for name, value in {"n_neighbors": n_neighbors, "metric": metric, "n_jobs": n_jobs}.items():
            if value is not None:
                raise ValueError(
                    f"{name}={value!r} has no effect on a transformer; set it in {algorithm!r}."
                )
        nearest = sp.csr_array(clone(algorithm).fit_transform(X))
    else:
        check_choice("algorithm", algorithm, ALGORITHMS)
        n_neighbors = DEFAULT_NEIGHBORS if n_neighbors is None else n_neighbors
        check_scalar(n_neighbors, "n_neighbors", numbers.Integral, min_val=1)
        if sp.issparse(X):
            check_stored(X)  # before scikit-learn converts it
        X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
        k = min(int(n_neighbors), X.shape[0] - 1)
        find = _exact if algorithm == "exact" else _pynndescent
        nearest = find(X, k, metric or DEFAULT_METRIC, n_jobs, random_state)
    n = nearest.shape[0]
    if nearest.shape[1] != n:
        raise ValueError(
            f"algorithm returned a matrix of shape {nearest.shape} for {n} rows; it must be "
            "square, with one entry for each neighbour of each row."
        )
    # Every stored entry is a neighbour, even if its value is 0: the distance of equal points.
    rows = np.repeat(np.arange(n), np.diff(nearest.indptr))
    others = rows != nearest.indices
    return Graph.from_edges(rows[others], nearest.indices[others], n_nodes=n, symmetrize="max")


def _exact(
    X: Any,
    k: int,
    metric: str,
    n_jobs: int | None,
    random_state: Any,  # noqa: ARG001
) -> sp.csr_array:
    if k == 0:
        return sp.csr_array((X.shape[0], X.shape[0]))
    found = NearestNeighbors(n_neighbors=k, metric=metric, n_jobs=n_jobs).fit(X)
    return sp.csr_array(found.kneighbors_graph())


def _pynndescent(
    X: Any, k: int, metric: str, n_jobs: int | None, random_state: Any
) -> sp.csr_array:
    try:
        from pynndescent import NNDescent
    except ImportError as error:
        raise ImportError(
            'algorithm="pynndescent" needs pynndescent, which is not installed; '
            'pip install "powercut[neighbors]".'
        ) from error

    n = X.shape[0]
    index = NNDescent(
        X,
        n_neighbors=k + 1,  # pynndescent counts a point among its own neighbours
        metric=metric,
        n_jobs=n_jobs,
        random_state=check_random_state(random_state),
    )
    columns = index.neighbor_graph[0]
    rows = np.repeat(np.arange(n), columns.shape[1]).reshape(columns.shape)
    found = (columns >= 0) & (columns != rows)
    # A point that is equal to many others may be missing from its own list, which then has k + 1.
    found &= np.cumsum(found, axis=1) <= k
    return sp.csr_array((np.ones(found.sum()), (rows[found], columns[found])), shape=(n, n))
