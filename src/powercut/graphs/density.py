r"""Density of points, from the distances to their nearest neighbours.

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
from typing import Any, Self

import numpy as np

from powercut._typing import LABEL, FloatArray, Random
from powercut._utils import cached_property
from powercut.graphs.nearest import Cancel
from powercut.graphs.neighbor_index import NeighborIndex, Neighbors, neighbor_index

# No distance is below this fraction of the median: points that are equal have a finite density.
LEAST_DISTANCE = 1e-6


@dataclass(frozen=True)
class Neighborhoods:
    """The nearest neighbours of each point.

    Attributes
    ----------
    neighbors : Neighbors
        Those of each point.
    index : NeighborIndex or None
        Finds those of other points; None if points have no neighbours.
    """

    neighbors: Neighbors
    index: NeighborIndex | None

    @classmethod
    def search(
        cls,
        X: Any,
        k: int,
        *,
        random: Random,
        n_threads: int = 1,
        cancel: Cancel = None,
    ) -> Self:
        """Search the k nearest neighbours of each point.

        Parameters
        ----------
        X : ndarray or csr matrix of shape (n, d)
            The points.
        k : int
            Number of neighbours.
        random : numpy.random.Generator
            For the search among many points, which is approximate.
        n_threads : int
            Number of threads.
        cancel : CancellationToken, optional
            Cancels the search, and reports its progress.

        Examples
        --------
        >>> import numpy as np
        >>> from powercut.graphs.density import Neighborhoods
        >>> X = np.array([[0.0], [1.0], [3.0], [7.0]])
        >>> around = Neighborhoods.search(X, 2, random=np.random.default_rng(0))
        >>> around.neighbors.distances
        array([[1., 3.],
               [1., 2.],
               [2., 3.],
               [4., 6.]])
        """
        if k == 0:
            none = np.empty((X.shape[0], 0))
            return cls(Neighbors(none, none.astype(LABEL)), None)
        index = neighbor_index(
            X,
            n_neighbors=k,
            metric="euclidean",
            algorithm="auto",
            n_threads=n_threads,
            random=random,
            cancel=cancel,
        )
        return cls(index.nearest_others(cancel=cancel), index)

    @property
    def log_radius(self) -> FloatArray:
        """Logarithm of the distance to the last neighbour of each point; 0 if there is none."""
        n, k = self.neighbors.distances.shape
        return self._log(self.neighbors.distances[:, -1]) if k else np.zeros(n)

    def log_radius_at(self, X: Any) -> FloatArray:
        """Return the logarithm of the distance of other points to the last of their neighbours."""
        assert self.index is not None
        return self._log(self.index.nearest(X).distances[:, -1])

    @cached_property
    def least(self) -> float:
        """The least distance: that of equal points is larger than 0, for a finite density."""
        positive = self.neighbors.distances[self.neighbors.distances > 0]
        return LEAST_DISTANCE * float(np.median(positive)) if len(positive) else 1.0

    def _log(self, distance: FloatArray) -> FloatArray:
        return np.log(np.maximum(distance, self.least))

    def dimension(self, points: Any = slice(None), *, most: int) -> float:
        """Return the intrinsic dimension of some of the points, from 1 to `most`."""
        logs = self._log(self.neighbors.distances[points])
        k = logs.shape[1]
        if k < 3:
            return 1.0
        inverse = (logs[:, -1:] - logs[:, :-1]).sum(axis=1) / (k - 2)
        return float(min(max(1.0, 1 / max(np.median(inverse), 1e-9)), most))
