r"""How far out a point is: the tail of the sparseness of a cluster.

Let t be a measure of how sparse the surroundings of a point are, such as the logarithm of the
distance to its k-th neighbour, or minus a log-density. For clusters of most shapes its upper tail
is exponential: in a Gaussian, minus the log-density is half of a :math:`\chi^2`. So with q the
upper decile of t over the n points of a cluster, and s the median excess over q divided by
:math:`\ln 2`, about

.. math:: \tfrac{n}{10}\, e^{-(t - q) / s}

of its points are as sparse as t by chance. The median ignores outliers, up to a twentieth
of the points. The score of a point is minus the logarithm of this number: about 0 for the sparsest
point that is expected in the cluster. A cluster without outliers has a point above
:math:`\ln 100` with a probability of a few percent: it would be 1% if the tail were exponential
and known, rather than estimated.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from powercut._typing import FloatArray, Labels

# The share of points that is the tail.
TAIL = 0.1
# A smaller cluster than this does not show its tail; that of all points is taken.
LEAST = 50
# Score from which a point is an outlier: a cluster without outliers has one in a few of 100 cases.
OUTLIER = float(np.log(100))


@dataclass(frozen=True)
class Tails:
    """The tail of each cluster.

    Attributes
    ----------
    start : ndarray of shape (k,)
        The upper decile of t.
    decay : ndarray of shape (k,)
        The mean excess over it.
    log_size : ndarray of shape (k,)
        Logarithm of the number of points in the tail.
    """

    start: FloatArray
    decay: FloatArray
    log_size: FloatArray

    @classmethod
    def of(cls, sparseness: FloatArray, labels: Labels) -> "Tails":
        """Measure the tail of each cluster.

        Parameters
        ----------
        sparseness : ndarray of shape (n,)
            t of each point.
        labels : ndarray of int32
            Their clusters.

        Examples
        --------
        >>> import numpy as np
        >>> from powercut.vectors.tails import Tails
        >>> t = np.random.default_rng(0).exponential(size=1000)
        >>> one = np.zeros(1000, dtype=np.int32)
        >>> tails = Tails.of(t, one)
        >>> tails.scores(np.array([0.0, 7.0, 30.0]), one[:3]).round()
        array([-7.,  0., 25.])
        """
        k = int(labels.max(initial=-1)) + 1
        sizes = np.bincount(labels, minlength=k)
        start, decay = np.empty(k), np.empty(k)
        start[:], decay[:] = _tail(sparseness)
        order = np.argsort(labels, kind="stable")
        first = np.concatenate([[0], np.cumsum(sizes)])
        for c in np.flatnonzero(sizes >= LEAST):
            start[c], decay[c] = _tail(sparseness[order[first[c] : first[c + 1]]])
        points = np.where(sizes >= LEAST, sizes, len(labels))
        return cls(start, decay, np.log(TAIL * points))

    def scores(self, sparseness: FloatArray, labels: npt.NDArray[np.integer]) -> FloatArray:
        """Return the outlier score of points that belong, if anywhere, to these clusters."""
        excess = (sparseness - self.start[labels]) / self.decay[labels]
        return np.asarray(excess - self.log_size[labels])


def _tail(sparseness: FloatArray) -> tuple[float, float]:
    """Return the upper decile, and the mean excess over it, estimated by the median."""
    start = float(np.quantile(sparseness, 1 - TAIL))
    beyond = sparseness[sparseness > start]
    excess = float(np.median(beyond) - start) / np.log(2) if len(beyond) else 0.0
    # Where most points are equal there is no tail: any unit will do.
    return start, excess if excess > 0 else max(abs(start), 1.0) * 1e-6
