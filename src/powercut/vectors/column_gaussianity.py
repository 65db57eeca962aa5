r"""A test whether clusters of many columns pass as Gaussian, with independent columns.

In many dimensions a cluster has too few points for its principal axes, which
`powercut.vectors.gaussianity` takes. For a Gaussian of diagonal covariance the columns are axes
enough, and the radii of its points tell more. Let :math:`z_{ij}` be column j of point i of a
cluster of n points, scaled to mean 0 and variance 1 over the cluster, and

.. math:: R_i = \sum_{j=1}^d z_{ij}^2

its squared radius. Its mean over the cluster is d by construction. Its variance is the sum of the
covariances of all pairs of squares, :math:`z_j^2` and :math:`z_k^2`. If the columns are independent
and Gaussian, the covariance of two different ones has the expectation 0, for any n, and the
variance of one is that of a kurtosis of :math:`3 (n - 1) / (n + 1)`. So the dispersion

.. math:: V = \frac{n + 1}{n - 2} \; \frac{1}{2 d} \; \frac1n \sum_i (R_i - d)^2

has the expectation 1, as if :math:`R_i` were :math:`\chi^2` with d degrees of freedom, and for a
large n the variance :math:`(2 + 12 / d) / n`. In other clusters, d (d - 1) covariances add up:

- heavy tails: all columns of a point far out are large. A multivariate t with :math:`\nu` degrees
  has V of about :math:`1 + d / (\nu - 4)`. It is a mixture of Gaussians around one mean, and
  clusters of different scale describe it well; but V of these is still far above 1 (in 40
  dimensions about 3 for those of a t with 5 degrees, and 2 for a t with 50, which is one cluster);
- correlated columns, also of pieces of sheets and bands: V is about 1 plus d - 1 times the mean
  squared correlation;
- light tails and points on a sphere, such as normalised embeddings: V is below 1.

Several clusters in one may have V near 1, because correlated columns and light tails cancel. So
the correlations :math:`r_{jk}` are compared too. For independent columns, :math:`r_{jk}^2` has a
beta distribution with mean :math:`1 / (n - 1)` and variance
:math:`2 (n - 2) / ((n - 1)^2 (n + 1))`, and those of any two pairs are independent. With
:math:`\bar r^2` the mean over all pairs,

.. math:: C = (d - 1) \left( \bar r^2 - \frac{1}{n - 1} \right)

is 0 up to a known error, and otherwise what correlations alone would add to V.

Two hypotheses are compared as in `powercut.vectors.gaussianity`: V - 1 and C, averaged over
clusters by their points, have standard deviation 0.1 (alike) or 1 (unlike), beyond their own error.
Skewness and kurtosis of the columns are compared as there, summed over columns and clusters. The
sum hides a few columns that are not Gaussian, such as those of a curve among columns of noise. So
the mean kurtosis over clusters is compared for each column. If one column of d is unlike, there are
d that it may be: the log-likelihood ratio of the worst column must be above -ln d - ln 20, which is
odds of 20 to 1.
"""

from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt

from powercut._typing import FloatArray, Labels
from powercut.vectors.gaussianity import (
    CERTAIN,
    COVERED,
    FLAT,
    LEAST,
    SKEWED,
    TAILED,
    moments,
    nats_for_gaussian,
)

# Standard deviation of V - 1 and of C for clusters that are not Gaussian.
UNLIKE = 1.0


@dataclass(frozen=True)
class ColumnGaussianity:
    """Whether clusters pass as Gaussians with independent columns.

    Attributes
    ----------
    radial : float
        Nats for Gaussian clusters against others, from the squared radii of their points.
    dispersion : float
        Variance of these radii, 1 for Gaussians: V, averaged over clusters.
    independent : float
        Nats from the correlations of the columns.
    correlation : float
        Their squares beyond chance, 0 for independent columns: C, averaged over clusters.
    each : float
        Nats from skewness and kurtosis of each column of each cluster.
    worst : float
        Nats from the mean kurtosis of one column, of the one where they are least.
    n_columns : int
        Number of columns.
    covered : float
        Share of the points in clusters that are large enough to be tested.
    """

    radial: float
    dispersion: float
    independent: float
    correlation: float
    each: float
    worst: float
    n_columns: int
    covered: float

    @property
    def passed(self) -> bool:
        """Whether the clusters pass."""
        columns = self.each > 0 and self.worst > -log(self.n_columns) - CERTAIN
        return self.tells and columns and min(self.radial, self.independent) > 0

    @property
    def tells(self) -> bool:
        """Whether enough of the points are in clusters that are large enough."""
        return self.covered >= COVERED

    @property
    def reason(self) -> str:
        """What decided, in words."""
        if not self.tells:
            return f"{1 - self.covered:.0%} of the points are in clusters too small to tell"
        return (
            f"squared radii of {self.dispersion:.2f} times the variance give {self.radial:.1f} "
            f"nats, correlations {self.independent:.1f}, skewness and kurtosis of columns "
            f"{self.each:.1f}, and the worst column {self.worst:.1f} nats, for Gaussians"
        )


def compare_columns_with_gaussian(X: npt.NDArray[np.floating], labels: Labels) -> ColumnGaussianity:
    """Compare the clusters of some points with Gaussians of diagonal covariance.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The points.
    labels : ndarray of int32
        Their clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut.vectors.column_gaussianity import compare_columns_with_gaussian
    >>> random = np.random.default_rng(0)
    >>> one = np.zeros(500, dtype=np.int32)
    >>> X = random.normal(size=(500, 40))
    >>> compare_columns_with_gaussian(X * random.uniform(1, 9, size=40), one).passed
    True
    >>> tails = X / np.sqrt(random.chisquare(5, size=(500, 1)) / 5)
    >>> compare_columns_with_gaussian(tails, one).passed
    False
    """
    d = X.shape[1]
    each = dispersion = of_dispersion = correlation = of_correlation = 0.0
    # Per column: sums of kurtosis, of its variance, and of the points behind them.
    kurtoses, variances, behind = np.zeros((3, d))
    n_covered = 0
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels))
    for start, end in zip(np.concatenate([[0], ends[:-1]]), ends, strict=True):
        n = int(end - start)
        if n < LEAST:
            continue
        y, kept = _standard_columns(X[order[start:end]])
        if not len(kept):
            continue
        n_covered += n
        skewness, kurtosis, of_skewness, of_kurtosis = moments(y)
        each += float(nats_for_gaussian(skewness, of_skewness, SKEWED).sum())
        each += float(nats_for_gaussian(kurtosis, of_kurtosis, TAILED).sum())
        kurtoses[kept] += n * kurtosis
        variances[kept] += n * n * of_kurtosis
        behind[kept] += n
        beyond = np.einsum("ij,ij->i", y, y) - len(kept)
        dispersion += (n + 1) / (n - 2) * float(beyond @ beyond) / (2 * len(kept))
        of_dispersion += n * (2 + 12 / len(kept))
        correlation += n * _excess_correlation(y)
        of_correlation += 4 * (1 - 1 / len(kept)) * n**2 * (n - 2) / ((n - 1) ** 2 * (n + 1))
    if not n_covered:
        return ColumnGaussianity(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, d, 0.0)
    dispersion, correlation = dispersion / n_covered, correlation / n_covered
    radial, independent = nats_for_gaussian(
        np.array([dispersion - 1, correlation]),
        np.array([of_dispersion, of_correlation]) / n_covered**2,
        UNLIKE,
    )
    seen = behind > 0
    worst = nats_for_gaussian(
        kurtoses[seen] / behind[seen], variances[seen] / behind[seen] ** 2, TAILED
    )
    covered = n_covered / len(labels)
    return ColumnGaussianity(
        radial=float(radial),
        dispersion=dispersion,
        independent=float(independent),
        correlation=correlation,
        each=each,
        worst=float(worst.min()),
        n_columns=d,
        covered=covered,
    )


def _standard_columns(
    X: npt.NDArray[np.floating],
) -> tuple[FloatArray, npt.NDArray[np.intp]]:
    """Return columns with mean 0 and variance 1, without flat ones; and which these are."""
    centred = X.astype(np.float64) - X.mean(axis=0, dtype=np.float64)
    deviation = np.sqrt(np.einsum("ij,ij->j", centred, centred) / len(X))
    kept = np.flatnonzero(deviation > FLAT * deviation.max())
    return centred[:, kept] / deviation[kept], kept


def _excess_correlation(y: FloatArray) -> float:
    """Return the mean squared correlation of two columns beyond chance, times their number - 1."""
    n, d = y.shape
    # The same sum of squares, of the smaller matrix.
    products = (y @ y.T if n < d else y.T @ y) / n
    squares = np.einsum("ij,ij->", products, products)
    return float(squares / d - 1 - (d - 1) / (n - 1))
