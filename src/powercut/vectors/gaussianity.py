r"""A test whether clusters pass as Gaussian.

Each cluster is turned to its principal axes and scaled to variance 1. On each axis, a Gaussian has
skewness 0 and excess kurtosis 0, up to the known variance of these estimates from n points. Two
hypotheses are compared, both with normal distributions of the moments over axes:

- alike: standard deviation 0.1 for both (no real cluster is exactly Gaussian);
- unlike: 1/2 for the skewness and 1 for the kurtosis, as bounded, curved, heavy-tailed or lumped
  clusters have.

The log-likelihood ratio, summed over axes and clusters, must be above 0. Light tails on every axis
(uniform cubes, clusters that were cut out of a larger one) may each be too weak to show. So the
mean kurtosis over all axes is compared in the same way.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from powercut._typing import FloatArray, Labels

# Standard deviations, over axes, of skewness and kurtosis: of Gaussian clusters and of others.
ALIKE, SKEWED, TAILED = 0.1, 0.5, 1.0
# A smaller cluster than this, or than twice the number of dimensions, says nothing.
LEAST = 12
# Least share of the points in clusters that are large enough.
COVERED = 0.5
# Nats of odds of 20 to 1.
CERTAIN = float(np.log(20))
# Axes of less than this fraction of the largest deviation are rounding.
FLAT = 1e-6


@dataclass(frozen=True)
class Gaussianity:
    """Whether clusters pass as Gaussian.

    Attributes
    ----------
    each : float
        Nats for Gaussian clusters against others, from the moments on each axis of each cluster.
    pooled : float
        The same from the mean kurtosis over all axes.
    kurtosis : float
        That mean; 0 for Gaussian clusters, below 0 for light tails, above 0 for heavy ones.
    covered : float
        Share of the points in clusters that are large enough to be tested.
    """

    each: float
    pooled: float
    kurtosis: float
    covered: float

    @property
    def passed(self) -> bool:
        """Whether the clusters pass."""
        return self.each > 0 and self.pooled > 0 and self.tells

    @property
    def tells(self) -> bool:
        """Whether enough of the points are in clusters that are large enough."""
        return self.covered >= COVERED

    @property
    def refuted(self) -> bool:
        """Whether it is certain that the clusters are not Gaussian."""
        return self.tells and min(self.each, self.pooled) < -CERTAIN

    @property
    def reason(self) -> str:
        """What decided, in words."""
        if not self.tells:
            return f"{1 - self.covered:.0%} of the points are in clusters too small to tell"
        return (
            f"skewness and kurtosis on principal axes give {self.each:.1f} nats, and the mean "
            f"kurtosis of {self.kurtosis:.2f} {self.pooled:.1f} nats, for Gaussians"
        )


def compare_with_gaussian(X: npt.NDArray[np.floating], labels: Labels) -> Gaussianity:
    """Compare the clusters of some points with Gaussians.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The points.
    labels : ndarray of int32
        Their clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut.vectors.gaussianity import compare_with_gaussian
    >>> random = np.random.default_rng(0)
    >>> one = np.zeros(500, dtype=np.int32)
    >>> compare_with_gaussian(random.normal(size=(500, 2)) @ [[1, 2], [0, 3]], one).passed
    True
    >>> compare_with_gaussian(random.uniform(size=(500, 2)), one).passed
    False
    """
    each = kurtoses = axes = spread = 0.0
    n_covered = 0
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels))
    for start, end in zip(np.concatenate([[0], ends[:-1]]), ends, strict=True):
        n = int(end - start)
        if n < max(LEAST, 2 * X.shape[1]):
            continue
        n_covered += n
        y = principal_scores(X[order[start:end]])
        skewness, kurtosis, of_skewness, of_kurtosis = moments(y)
        each += float(nats_for_gaussian(skewness, of_skewness, SKEWED).sum())
        each += float(nats_for_gaussian(kurtosis, of_kurtosis, TAILED).sum())
        kurtoses += n * float(kurtosis.sum())
        axes += n * y.shape[1]
        spread += n * n * y.shape[1] * of_kurtosis
    if not axes:
        return Gaussianity(0.0, 0.0, 0.0, 0.0)
    mean = kurtoses / axes
    pooled = float(nats_for_gaussian(np.array([mean]), spread / axes**2, TAILED)[0])
    return Gaussianity(each, pooled, mean, n_covered / len(labels))


def principal_scores(X: npt.NDArray[np.floating]) -> FloatArray:
    """Return points on their principal axes, with variance 1 on each; flat axes are dropped."""
    centred = X.astype(np.float64) - X.mean(axis=0, dtype=np.float64)
    left, deviation, _ = np.linalg.svd(centred, full_matrices=False)
    return np.asarray(left[:, deviation > FLAT * deviation[0]] * np.sqrt(len(X)))


def moments(y: FloatArray) -> tuple[FloatArray, FloatArray, float, float]:
    """Return skewness and excess kurtosis on each axis, and their variances for a Gaussian.

    Points have mean 0 and variance 1 on each axis. The expectations for a Gaussian are 0.
    """
    n = len(y)
    square = y * y
    skewness = (square * y).mean(axis=0)
    kurtosis = (square * square).mean(axis=0) - 3 + 6 / (n + 1)
    of_skewness = 6 * (n - 2) / ((n + 1) * (n + 3))
    of_kurtosis = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    return skewness, kurtosis, of_skewness, of_kurtosis


def nats_for_gaussian(moment: FloatArray, variance: Any, unlike: float) -> FloatArray:
    """Return the log-likelihood ratio of two normal distributions around 0, alike and unlike."""
    narrow, wide = ALIKE**2 + variance, unlike**2 + variance
    return np.asarray(0.5 * (np.log(wide / narrow) - moment**2 * (1 / narrow - 1 / wide)))
