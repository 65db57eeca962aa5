r"""The clusters of a point's nearest neighbours, for `predict` and margins.

A point is in cluster c with a probability proportional to

.. math:: m_c + \frac{n_c - \theta}{n + \alpha}

where :math:`m_c` of its nearest neighbours are in c. The second term is the prior: one more
neighbour, drawn from the Pitman-Yor process.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from powercut._typing import FloatArray, Labels, Positions
from powercut._utils import cached_property
from powercut.graphs.density import Neighborhoods
from powercut.graphs.neighbor_index import NeighborIndex, neighbor_index
from powercut.prior import PitmanYor

# Of approximate searches: a model that was saved finds the same neighbours again.
SEED = 0


@dataclass(frozen=True)
class NeighborPosterior:
    """The training points, scaled, and their clusters.

    Attributes
    ----------
    X : ndarray or csr matrix of shape (n, d)
        The training points.
    labels : ndarray of int32
        Their clusters.
    n_neighbors : int
        Neighbours that are looked at.
    prior : PitmanYor
        The prior on the sizes of clusters.
    least : float
        The least distance.
    """

    X: Any
    labels: Labels
    n_neighbors: int
    prior: PitmanYor
    least: float

    @classmethod
    def of(cls, X: Any, labels: Labels, around: Neighborhoods, prior: PitmanYor) -> Self:
        """Return the posterior of a fit, whose neighbours were searched with `SEED`."""
        k = around.neighbors.indices.shape[1]
        posterior = cls(X, labels, k, prior, around.least)
        if around.index is not None:
            vars(posterior)["index"] = around.index  # the same as below
        return posterior

    @cached_property
    def index(self) -> NeighborIndex:
        """Finds the nearest training points."""
        return neighbor_index(
            self.X,
            n_neighbors=self.n_neighbors,
            metric="euclidean",
            algorithm="auto",
            n_threads=1,
            random=np.random.default_rng(SEED),
        )

    def evaluate(self, rows: Any, index: Positions) -> tuple[FloatArray, FloatArray]:
        """Return minus the log-probability of each cluster, and the sparseness of each row.

        The sparseness is the logarithm of the distance to the last neighbour. A training point,
        whose `index` is not negative, is no neighbour of itself.
        """
        k = self.n_neighbors
        if k == 0:
            return self.costs(np.empty((len(index), 0), dtype=np.intp)), np.zeros(len(index))
        found = self.index.nearest(rows, more=1)
        # Leave out the point itself or, for a new point and among many equal ones, the last.
        left_out = found.indices == index[:, None]
        left_out[~left_out.any(axis=1), k:] = True
        distance = found.distances[~left_out].reshape(len(index), k)
        nearest = found.indices[~left_out].reshape(len(index), k)
        # A distance of 0 is that of equal points, the least sparse place.
        return self.costs(nearest), np.log(np.maximum(distance[:, -1], self.least))

    def costs(self, nearest: npt.NDArray[np.integer]) -> FloatArray:
        """Return minus the log-probability of each cluster, up to a constant."""
        sizes = np.bincount(self.labels)
        m, k = len(nearest), len(sizes)
        place = np.arange(m)[:, None] * k + self.labels[nearest]
        votes = np.bincount(place.ravel(), minlength=m * k).reshape(m, k)
        prior = (sizes - self.prior.discount) / (sizes.sum() + self.prior.concentration)
        return np.asarray(-np.log(votes + prior))
