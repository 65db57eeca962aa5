"""The graph behind `PowerLawCut`, and where rows given to `predict` lie in it."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import NearestNeighbors

from powercut import _core
from powercut.estimators._common import TrainingRows
from powercut.graph import Graph

Index = npt.NDArray[np.intp]


def row_keys(X: Any) -> npt.NDArray[np.uint64]:
    """Return the keys of the rows of a dense or compressed matrix."""
    return _core.row_keys((X.indptr, X.indices, X.data) if sp.issparse(X) else (None, None, X))


class GraphInput(ABC):
    """How nodes that were not there when a graph was fitted are joined to it."""

    @abstractmethod
    def rows(self, X: Any) -> tuple[sp.csr_array, Index]:
        """Return edges of each row of X to the training nodes, and which of these it is, or -1."""


class GivenGraph(GraphInput):
    """A graph that was given: so are the edges of new nodes."""

    def __init__(self, graph: Graph) -> None:
        self.training = TrainingRows(_core.row_keys(graph.arrays))

    def rows(self, X: Any) -> tuple[sp.csr_array, Index]:
        """Take the rows of X as edges."""
        rows = sp.csr_array(X)
        wrong = np.flatnonzero(rows.data < 0)
        if len(wrong):
            row = int(np.searchsorted(rows.indptr, wrong[0], side="right")) - 1
            raise ValueError(
                f"X[{row}, {rows.indices[wrong[0]]}] is {rows.data[wrong[0]]}; weights of edges "
                "must not be negative."
            )
        return rows, self.training.find(row_keys(rows))


class RBFGraph(GraphInput):
    """Points joined to all others, by ``exp(-gamma |x - y|^2)``."""

    def __init__(self, X: Any, gamma: float) -> None:
        self.X, self.gamma = X, gamma
        self.training = TrainingRows(row_keys(X))
        self.graph = Graph(rbf_kernel(X, gamma=gamma))

    def rows(self, X: Any) -> tuple[sp.csr_array, Index]:
        """Join new points to all training points."""
        # A training point has the same similarities again, the loop to itself included.
        return sp.csr_array(rbf_kernel(X, self.X, gamma=self.gamma)), self.training.find(
            row_keys(X)
        )


class NeighborsGraph(GraphInput):
    """Points joined to their nearest neighbours, weight 1 where mutual and 1/2 where not.

    As in `sklearn.cluster.SpectralClustering`, each point counts as its own first
    neighbour.
    """

    def __init__(self, X: Any, n_neighbors: int, n_jobs: int | None) -> None:
        self.training = TrainingRows(row_keys(X))
        self.neighbors = NearestNeighbors(n_neighbors=n_neighbors, n_jobs=n_jobs).fit(X)
        directed = self.neighbors.kneighbors_graph(X)
        self.graph = Graph(0.5 * (directed + directed.T))

    def rows(self, X: Any) -> tuple[sp.csr_array, Index]:
        """Join new points to their nearest training points."""
        index = self.training.find(row_keys(X))
        known, new = np.flatnonzero(index >= 0), np.flatnonzero(index < 0)
        parts = [self.graph.adjacency[index[known]]]
        if len(new):
            parts.append(self.neighbors.kneighbors_graph(X[new]))
        back = np.argsort(np.concatenate([known, new]), kind="stable")
        return sp.csr_array(sp.vstack(parts, format="csr"))[back], index
