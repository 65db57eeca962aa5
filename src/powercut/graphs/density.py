r"""Density of points, from the lengths of the edges of their nearest-neighbour graph.

If the k-th nearest neighbour of a point is at distance r, about k points are in a ball of volume
proportional to :math:`r^D`, where D is the dimension of the set that the points lie on. So

.. math:: \ln \rho = -D \ln r + \mathrm{const}

is a log-density, with a standard deviation of :math:`1 / \sqrt k`. D is the intrinsic dimension, by
the maximum likelihood estimate of Levina and Bickel: 1/D is the mean of :math:`\ln (r_k / r_j)`
over the nearer neighbours j. A bend or an edge biases it at some points, so the median over points
is taken.

The estimate is that of Levina and Bickel, Maximum Likelihood Estimation of Intrinsic Dimension,
NIPS 17, 2004.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics.pairwise import paired_euclidean_distances
from sklearn.neighbors import NearestNeighbors

from powercut._typing import FloatArray
from powercut._utils import cached_property, slices
from powercut.graphs.graph import Graph

# Edges whose lengths are computed at a time.
EDGES_AT_ONCE = 2**16
# No distance is below this fraction of the median: points that are equal have a finite density.
LEAST_DISTANCE = 1e-6


@dataclass(frozen=True)
class Nearest:
    """The nearest neighbours of each point.

    Attributes
    ----------
    index : ndarray of shape (n, k)
        The neighbours, nearest first.
    distance : ndarray of shape (n, k)
        Their distances.
    tree : NearestNeighbors or None
        What finds the neighbours of other points.
    """

    index: npt.NDArray[np.int32]
    distance: FloatArray
    tree: Any = None

    @classmethod
    def search(cls, X: Any, k: int, *, n_jobs: int = 1) -> "Nearest":
        """Search the nearest k neighbours of each point.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n, d)
            The points.
        k : int
            Number of neighbours.
        n_jobs : int
            Number of threads.
        """
        n = X.shape[0]
        if k == 0:
            return cls(np.empty((n, 0), dtype=np.int32), np.empty((n, 0)))
        tree = NearestNeighbors(n_neighbors=k, n_jobs=n_jobs).fit(X)
        distance, index = tree.kneighbors()
        return cls(index.astype(np.int32), distance.astype(np.float64), tree)

    @classmethod
    def of(cls, X: Any, graph: Graph, k: int) -> "Nearest":
        """Return the nearest k neighbours of each point in a graph.

        A graph in which each point has edges to its k nearest neighbours, and to those points
        whose neighbour it is, has all that is needed: the k shortest edges.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (n, d)
            The points.
        graph : Graph
            A graph in which each point has at least k neighbours.
        k : int
            Number of neighbours.

        Examples
        --------
        >>> import numpy as np
        >>> from powercut import neighbors
        >>> from powercut.graphs.density import Nearest
        >>> X = np.array([[0.0], [1.0], [3.0], [7.0]])
        >>> nearest = Nearest.of(X, neighbors.graph(X, n_neighbors=2), 2)
        >>> nearest.distance
        array([[1., 3.],
               [1., 2.],
               [2., 3.],
               [4., 6.]])
        """
        rows = np.repeat(np.arange(graph.n_nodes), np.diff(graph.indptr))
        length = np.empty(len(rows))
        for some in slices(len(rows), EDGES_AT_ONCE):
            ends = X[rows[some]], X[graph.indices[some]]
            length[some] = paired_euclidean_distances(*ends)
        shortest = np.lexsort((length, rows))
        chosen = shortest[graph.indptr[:-1, None] + np.arange(k)]
        return cls(graph.indices[chosen].astype(np.int32), length[chosen])

    @property
    def log_radius(self) -> FloatArray:
        """Logarithm of the distance to the last neighbour of each point; 0 if there is none."""
        n, k = self.distance.shape
        return self._log(self.distance[:, -1]) if k else np.zeros(n)

    def log_radius_at(self, X: Any) -> FloatArray:
        """Return the logarithm of the distance of other points to the last of their neighbours."""
        return self._log(self.tree.kneighbors(X)[0][:, -1])

    @cached_property
    def least(self) -> float:
        """The least distance: that of equal points is larger than 0, for a finite density."""
        positive = self.distance[self.distance > 0]
        return LEAST_DISTANCE * float(np.median(positive)) if len(positive) else 1.0

    def _log(self, distance: FloatArray) -> FloatArray:
        return np.log(np.maximum(distance, self.least))

    def dimension(self, points: Any = slice(None), *, most: int) -> float:
        """Return the intrinsic dimension of some of the points, from 1 to `most`."""
        logs = self._log(self.distance[points])
        k = logs.shape[1]
        if k < 3:
            return 1.0
        inverse = (logs[:, -1:] - logs[:, :-1]).sum(axis=1) / (k - 2)
        return float(min(max(1.0, 1 / max(np.median(inverse), 1e-9)), most))
