r"""Borders between clusters of points: whether clusters are sparser there.

A few points of anything pass as Gaussian, so that Gaussian clusters may be pieces of a curve or of
a cloud of another shape. Pieces are as dense where they meet as elsewhere; clusters of their own
are sparser there, or hardly meet.

A point is on a border if one of its nearest neighbours is in another cluster. The gap is the mean,
over these points, of the median log-density of their cluster minus their own. It is about 0 for
pieces, about half a nat for two Gaussians three deviations apart, and more if they are further.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from powercut._typing import Labels, Random
from powercut.graphs.density import Neighborhoods

# Neighbours that the density is estimated from, and the nearest of them, which tell borders.
N_NEIGHBORS, NEAREST = 15, 5
# The nearest neighbours of points of a smaller cluster than this are in others anyway.
LEAST = 12
# Clusters are pieces if a larger share of the points is on borders, and the gap is smaller.
MOST_ON_BORDERS, LEAST_GAP = 0.08, 0.25


@dataclass(frozen=True)
class Borders:
    """The borders between clusters.

    Attributes
    ----------
    share : float
        Share of the points of all but small clusters that are on a border.
    gap : float
        How much sparser these are, in nats; infinite if there are none.
    """

    share: float
    gap: float

    @classmethod
    def of(cls, X: Any, labels: Labels, *, random: Random, n_threads: int = 1) -> "Borders":
        """Measure the borders between clusters.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            The points.
        labels : ndarray of int32
            Compact labels.
        random : numpy.random.Generator
            For the search of neighbours among many points, which is approximate.
        n_threads : int
            Number of threads.

        Examples
        --------
        >>> import numpy as np
        >>> from powercut.graphs.borders import Borders
        >>> random = np.random.default_rng(0)
        >>> X = random.uniform(size=(1000, 1))
        >>> pieces = (40 * X[:, 0]).astype(np.int32)
        >>> Borders.of(X, pieces, random=random).are_of_pieces
        True
        >>> Borders.of(X + 0.1 * pieces[:, None], pieces, random=random).are_of_pieces
        False
        """
        around = Neighborhoods.search(
            X, min(N_NEIGHBORS, len(X) - 1), random=random, n_threads=n_threads
        )
        near = around.neighbors.indices[:, :NEAREST]
        large = np.bincount(labels)[labels] >= LEAST
        border = np.flatnonzero((labels[near] != labels[:, None]).any(axis=1) & large)
        if not len(border):
            return cls(0.0, np.inf)
        density = -around.dimension(most=X.shape[1]) * around.log_radius
        own, inverse = np.unique(labels[border], return_inverse=True)
        median = np.array([np.median(density[labels == cluster]) for cluster in own])
        gap = float((median[inverse] - density[border]).mean())
        return cls(len(border) / int(large.sum()), gap)

    @property
    def are_of_pieces(self) -> bool:
        """Whether clusters are pieces of something else."""
        return self.share > MOST_ON_BORDERS and self.gap < LEAST_GAP
