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
        if not rows.has_canonical_format:
            rows = rows.copy()
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
    """A graph made from vectors, as `sklearn.cluster.SpectralClustering` does, without loops."""

    def __init__(self, X: Any) -> None:
        self.training = TrainingRows(row_keys(X))
        self.X = X
        adjacency = sp.csr_array(self.directed_edges(X))
        adjacency = adjacency - sp.diags_array(adjacency.diagonal())
        self.graph = Graph(0.5 * (adjacency + adjacency.T))

    @abstractmethod
    def directed_edges(self, X: Any) -> Any:
        """Return the edges of each row of X to the training points."""

    def rows(self, X: Any) -> tuple[sp.csr_array, Index]:
        """Take training points as they are in the graph, and join new ones to it."""
        index = self.training.find(row_keys(X))
        known, new = np.flatnonzero(index >= 0), np.flatnonzero(index < 0)
        parts = [self.graph.adjacency[index[known]]]
        if len(new):
            parts.append(sp.csr_array(self.directed_edges(X[new])))
        back = np.argsort(np.concatenate([known, new]), kind="stable")
        return sp.csr_array(sp.vstack(parts, format="csr"))[back], index


class RBFGraph(VectorGraph):
    """Points joined to all others, by ``exp(-gamma |x - y|^2)``."""

    def __init__(self, X: Any, gamma: float) -> None:
        self.gamma = gamma
        super().__init__(X)

    def directed_edges(self, X: Any) -> Any:
        """Return the similarities to all training points."""
        return rbf_kernel(X, self.X, gamma=self.gamma)


class NeighborsGraph(VectorGraph):
    """Points joined to their nearest neighbours, weight 1 where mutual and 1/2 where not.

    As in `SpectralClustering`, a point counts among its own `n_neighbors`.
    """

    def __init__(self, X: Any, n_neighbors: int, n_jobs: int | None) -> None:
        self.neighbors = NearestNeighbors(n_neighbors=n_neighbors, n_jobs=n_jobs).fit(X)
        super().__init__(X)

    def directed_edges(self, X: Any) -> Any:
        """Return ones at the nearest training points."""
        return self.neighbors.kneighbors_graph(X)
