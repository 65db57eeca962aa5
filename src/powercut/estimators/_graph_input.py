"""Conversion of the input of `PowerLawCut` to a graph, and of rows for `predict` to its edges."""

import os
from abc import ABC, abstractmethod
from mmap import mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from powercut import _core
from powercut._typing import Labels, Positions
from powercut._utils import cached_property
from powercut._validation import (
    check_choice,
    check_real,
    check_whole,
    effective_jobs,
    float_types,
)
from powercut.disk.reader import as_graph
from powercut.disk.updates import GraphFolder
from powercut.estimators._common import TrainingRows, validated
from powercut.estimators._unused import check_used
from powercut.graphs._adjacency import is_canonical
from powercut.graphs._frames import column_types, is_table_of_edges
from powercut.graphs.edits import Change
from powercut.graphs.gap_code import GapCodes
from powercut.graphs.graph import Graph

if TYPE_CHECKING:
    from powercut.graphs.neighbor_index import NeighborIndex

AFFINITIES = ("precomputed", "nearest_neighbors", "rbf")
# Defaults of `SpectralClustering`.
DEFAULT_NEIGHBORS, DEFAULT_GAMMA = 10, 1.0


def row_keys(X: Any) -> npt.NDArray[np.uint64]:
    """Return the keys of the rows of a dense or compressed matrix."""
    return _core.row_keys((X.indptr, X.indices, X.data) if sp.issparse(X) else (None, None, X))


def is_mapped(array: Any) -> bool:
    """Whether an array, or what it is a view of, is mapped from a file."""
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap):
            return True
        array = array.base
    return isinstance(array, mmap)


def folder_of(X: Any) -> GraphFolder | None:
    """Return the graph folder if X is a path."""
    return GraphFolder(Path(X)) if isinstance(X, str | os.PathLike) else None


def is_matrix(X: Any) -> bool:
    """Whether X is an array, matrix or data frame, not a graph object of some library."""
    return isinstance(X, list | np.ndarray) or sp.issparse(X) or hasattr(X, "iloc")


def validate_graph(estimator: Any, X: Any) -> Graph:
    """Return X as a graph, and set `n_features_in_` of the estimator.

    A table of two or three columns is a list of edges. The values of a square matrix are checked
    by `Graph`, whose errors name the invalid entry. Any other matrix is not a graph; scikit-learn
    checks it first and reports other errors.
    """
    _check_columns(X)
    if is_matrix(X) and not is_table_of_edges(X):
        shape = np.shape(X)
        strict = len(shape) != 2 or shape[0] != shape[1]
        X = validated(
            estimator,
            X,
            accept_sparse=True,
            ensure_all_finite=strict,
            ensure_min_samples=int(strict),
            ensure_min_features=int(strict),
        )
        if strict:
            raise ValueError(
                f"A graph is a square matrix, but X has shape {shape}. For vectors use "
                "affinity='nearest_neighbors' or PowerLawClusters; for edges in two columns, "
                "Graph.from_edges(X[:, 0], X[:, 1], symmetrize='max') or, for columns of a table, "
                "Graph.from_edges(X, source=..., target=...)."
            )
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    graph = as_graph(X)
    estimator.n_features_in_ = graph.n_nodes
    return graph


def _check_columns(X: Any) -> None:
    """Raise if a table that is no matrix of numbers has more columns than edges need."""
    columns = column_types(X)
    has_words = any(words for _, words in columns)
    if 3 < len(columns) != len(X) and (has_words or not is_matrix(X)):
        raise ValueError(
            f"A table of edges has two or three columns, and X has {[name for name, _ in columns]}."
            " Name those of the ends: powercut.Graph.from_edges(X, source=..., target=...), and "
            "weight=... if edges have weights. For vectors use PowerLawClusters."
        )


class GraphInput(ABC):
    """Connects new nodes to the training graph."""

    @abstractmethod
    def rows(self, X: Any) -> tuple[sp.csr_array, Positions]:
        """Return each row's edges to the training nodes, and the training node it is, or -1."""


class GivenGraph(GraphInput):
    """A precomputed graph; the edges of new nodes are given too.

    Attributes
    ----------
    graph : Graph or None
        The graph, for updates. None if the model was loaded from a file, or if the graph is not in
        memory: files, and remote workers, may be gone before the model.
    folder : GraphFolder or None
        The graph folder that the model was fitted to, which follows its updates.
    change : Change or None
        The update that led to this graph, if one did.
    """

    graph: Graph | None = None
    folder: GraphFolder | None = None
    change: Change | None = None

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @classmethod
    def of_user(cls, graph: Graph, X: Any) -> "GivenGraph":
        """Recognise the rows of a graph as they are now: arrays of a user may change later.

        X is what the graph was made from.
        """
        given = cls(graph)
        given.training = TrainingRows(_core.row_keys(graph.arrays))
        given.folder = folder_of(X)
        columns = graph.arrays[1]
        stored = columns.codes if isinstance(columns, GapCodes) else columns
        is_elsewhere = given.folder or graph.workers or is_mapped(stored)
        given.graph = None if is_elsewhere else graph
        return given

    @cached_property
    def training(self) -> TrainingRows:
        """The rows of the graph."""
        assert self.graph is not None
        return TrainingRows(_core.row_keys(self.graph.arrays))

    def rows(self, X: Any) -> tuple[sp.csr_array, Positions]:
        """Return the rows of X as edges."""
        rows = sp.csr_array(X)
        # scipy's own flag may be outdated.
        if not is_canonical(rows.indptr, rows.indices):
            rows = sp.csr_array((rows.data, rows.indices, rows.indptr), shape=rows.shape, copy=True)
            rows.sum_duplicates()
        wrong = np.flatnonzero(rows.data < 0)
        if len(wrong):
            row = int(np.searchsorted(rows.indptr, wrong[0], side="right")) - 1
            raise ValueError(
                f"X[{row}, {rows.indices[wrong[0]]}] is {rows.data[wrong[0]]}; weights of edges "
                "must not be negative."
            )
        return rows, self.training.find(row_keys(rows))


class VectorGraph(GraphInput):
    """A graph made from vectors as in `sklearn.cluster.SpectralClustering`, without self-loops."""

    def __init__(self, X: Any) -> None:
        self.training = TrainingRows(row_keys(X))
        self.X = X
        adjacency = sp.csr_array(self.directed_edges(X))
        adjacency = adjacency - sp.diags_array(adjacency.diagonal())
        self.graph = Graph(0.5 * (adjacency + adjacency.T))

    @abstractmethod
    def directed_edges(self, X: Any) -> Any:
        """Return the edges of each row of X to the training points."""

    def rows(self, X: Any) -> tuple[sp.csr_array, Positions]:
        """Return the graph's own edges for training points, and new edges for new points."""
        index = self.training.find(row_keys(X))
        known, new = np.flatnonzero(index >= 0), np.flatnonzero(index < 0)
        parts = [self.graph.adjacency[index[known]]]
        if len(new):
            parts.append(sp.csr_array(self.directed_edges(X[new])))
        back = np.argsort(np.concatenate([known, new]), kind="stable")
        return sp.csr_array(sp.vstack(parts, format="csr"))[back], index


class RBFGraph(VectorGraph):
    """Points connected to all others, with weight ``exp(-gamma |x - y|^2)``."""

    def __init__(self, X: Any, gamma: float) -> None:
        self.gamma = gamma
        super().__init__(X)

    def directed_edges(self, X: Any) -> Any:
        """Return the similarities to all training points."""
        from sklearn.metrics.pairwise import rbf_kernel

        return rbf_kernel(X, self.X, gamma=self.gamma)


class NeighborsGraph(VectorGraph):
    """Points connected to their nearest neighbours; weight 1 if mutual, else 1/2.

    As in `SpectralClustering`, a point counts among its own `n_neighbors`.
    """

    def __init__(self, X: Any, n_neighbors: int, n_jobs: int | None) -> None:
        self.n_neighbors, self.n_jobs = n_neighbors, n_jobs
        super().__init__(X)

    @cached_property
    def neighbors(self) -> "NeighborIndex":
        """The index of the training points for neighbour queries."""
        # Imported here: slow to import, and most graphs are precomputed.
        from powercut.graphs.neighbor_index import neighbor_index

        return neighbor_index(
            self.X,
            n_neighbors=self.n_neighbors,
            metric="euclidean",
            algorithm="auto",
            n_threads=effective_jobs(self.n_jobs),
            random=np.random.default_rng(0),
        )

    def directed_edges(self, X: Any) -> Any:
        """Return edges of weight 1 to the nearest training points."""
        nearest = self.neighbors.nearest(X).indices
        start = np.arange(0, nearest.size + 1, self.n_neighbors)
        shape = (len(nearest), self.X.shape[0])
        edges = sp.csr_array((np.ones(nearest.size), nearest.ravel(), start), shape=shape)
        edges.sort_indices()
        return edges


class GraphInputMixin:
    """The part of an estimator that converts its input to a graph, or to edges of new nodes."""

    affinity: str
    n_neighbors: int | None
    gamma: float | None
    n_jobs: int | None
    labels_: Labels
    _input: GraphInput

    def _make_graph(self, X: Any) -> tuple[Graph, VectorGraph | None]:
        """Return X as a graph; if it is made from vectors, also the input that made it."""
        check_choice("affinity", self.affinity, AFFINITIES)
        check_used(self, "n_neighbors", by="affinity", choices=["nearest_neighbors"])
        check_used(self, "gamma", by="affinity", choices=["rbf"])
        n_neighbors, gamma = DEFAULT_NEIGHBORS, DEFAULT_GAMMA
        if self.n_neighbors is not None:
            n_neighbors = check_whole(self.n_neighbors, "n_neighbors", min_val=1)
        if self.gamma is not None:
            gamma = check_real(self.gamma, "gamma", min_val=0)
        if self.affinity == "precomputed":
            return validate_graph(self, X), None
        X = self._check_vectors(X, reset=True)
        made = (
            RBFGraph(X, gamma)
            if self.affinity == "rbf"
            else NeighborsGraph(X, n_neighbors, self.n_jobs)
        )
        return made.graph, made

    def _check_vectors(self, X: Any, *, reset: bool) -> Any:
        return validated(self, X, reset=reset, accept_sparse="csr", dtype=float_types(X), order="C")

    def _rows(self, X: Any) -> tuple[sp.csr_array, Positions]:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "labels_")
        if not isinstance(self._input, GivenGraph):
            return self._input.rows(self._check_vectors(X, reset=False))
        if is_matrix(X):
            X = validated(
                self,
                X,
                reset=False,
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                ensure_min_samples=0,
                ensure_min_features=0,
            )
        else:
            X = as_graph(X).adjacency
            if X.shape[1] != len(self.labels_):
                raise ValueError(
                    f"X has {X.shape[1]} nodes; predict takes the graph of the fit, of "
                    f"{len(self.labels_)} nodes, or rows of edges to its nodes."
                )
        return self._input.rows(X)
