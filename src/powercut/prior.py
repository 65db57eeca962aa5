"""The Pitman-Yor prior over partitions, which depends on the cluster sizes only."""

import math
import numbers
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from powercut import _core
from powercut._special import LARGE, log_rising
from powercut._typing import LABEL, FloatArray, IntArray, Labels
from powercut._validation import check_sizes, check_whole

_GAUSS_LEGENDRE = np.polynomial.legendre.leggauss(6)


@dataclass(frozen=True)
class PitmanYor:
    r"""The Pitman-Yor distribution over partitions, also called the two-parameter Ewens-Pitman law.

    Customers enter a restaurant one after the other. When n are seated at k
    tables, of sizes :math:`n_1, \ldots, n_k`, the next one

    - joins table c with probability :math:`(n_c - \theta) / (\alpha + n)`,
    - opens a new table with probability :math:`(\alpha + k \theta) / (\alpha + n)`,

    where :math:`\alpha` is the concentration and :math:`\theta` the discount.
    The tables are the clusters. The distribution is exchangeable: the probability of a
    partition depends on the cluster sizes only, not on the order of arrival. This function
    of the sizes is the exchangeable partition probability function (EPPF):

    .. math::

        p(n_1, \ldots, n_k) = \frac{\prod_{j=1}^{k-1} (\alpha + j \theta)}{[\alpha + 1]_{n-1}}
            \prod_{c=1}^{k} [1 - \theta]_{n_c - 1},

    where :math:`[x]_m = x (x + 1) \cdots (x + m - 1)`.

    With a positive discount the number of clusters grows like :math:`\alpha n^\theta`, precisely
    :math:`E[K_n] \sim \frac{\Gamma(\alpha + 1)}{\theta \, \Gamma(\alpha + \theta)} n^\theta`,
    and the share of clusters with m points falls like :math:`m^{-1-\theta}`: a power law.
    With discount 0 this is the Chinese restaurant process (the Ewens distribution),
    whose number of clusters grows like :math:`\alpha \ln n`.

    Parameters
    ----------
    concentration : float
        :math:`\alpha > -\theta`. Larger means more clusters.
    discount : float
        :math:`0 \le \theta < 1`. Larger means a heavier tail of small clusters.

    References
    ----------
    J. Pitman and M. Yor, "The two-parameter Poisson-Dirichlet distribution derived from a
    stable subordinator", Annals of Probability 25(2), 1997.

    J. Pitman, "Combinatorial Stochastic Processes", Springer, 2006, chapter 3.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut import PitmanYor
    >>> prior = PitmanYor(concentration=10, discount=0.5)
    >>> labels = prior.sample(100_000, random_state=0)
    >>> sizes = np.bincount(labels)
    >>> fitted = PitmanYor.fit(sizes)
    >>> fitted.log_prob(sizes) >= prior.log_prob(sizes)
    True
    >>> abs(fitted.discount - prior.discount) < 0.05
    True
    """

    concentration: float
    discount: float

    def __post_init__(self) -> None:
        for name in ("concentration", "discount"):
            value = getattr(self, name)
            if not isinstance(value, numbers.Real):
                raise TypeError(f"{name} must be a number, got {value!r}")
            if not math.isfinite(value):
                raise ValueError(f"{name} must be finite, got {value!r}")
            object.__setattr__(self, name, float(value))
        if not 0 <= self.discount < 1:
            raise ValueError(f"discount must be at least 0 and below 1, got {self.discount!r}")
        if not self.concentration > -self.discount:
            raise ValueError(
                f"concentration must be greater than -discount = {-self.discount!r}, "
                f"got {self.concentration!r}"
            )

    def log_prob(self, sizes: ArrayLike) -> float:
        """Return the log probability of one partition with these cluster sizes (the log EPPF).

        All normalising constants are included.

        Parameters
        ----------
        sizes : array-like of int, shape (k,)
            Number of points in each cluster, at least 1, in any order. The empty
            partition has probability 1.

        Returns
        -------
        float

        Examples
        --------
        A cluster of two points and a singleton, in the Chinese restaurant process:

        >>> round(PitmanYor(concentration=1, discount=0).log_prob([2, 1]), 6)  # of 1/6
        -1.791759
        """
        return _core.log_prob(_sizes_of_clusters(sizes), self.concentration, self.discount)

    def sample(self, n: int, *, random_state: int | np.random.RandomState | None = None) -> Labels:
        """Draw a partition of n points.

        Parameters
        ----------
        n : int
            Number of points, below 2**31; below 2**63 with 64-bit labels.
        random_state : int, RandomState instance or None
            Seed of the draw; an integer makes it reproducible.

        Returns
        -------
        ndarray of int32, shape (n,)
            Labels. Clusters are numbered in order of first appearance.

        Examples
        --------
        >>> labels = PitmanYor(concentration=1, discount=0.2).sample(1000, random_state=0)
        >>> int(labels[0]), labels.shape
        (0, (1000,))
        """
        from sklearn.utils import check_random_state  # slow to import, and no fit needs it

        # Every point may open a cluster.
        check_whole(n, "n", min_val=0, max_val=int(np.iinfo(LABEL).max))
        seed = int(check_random_state(random_state).randint(0, 2**64, dtype=np.uint64))
        labels: Labels = _core.sample_pitman_yor(int(n), self.concentration, self.discount, seed)
        return labels

    @classmethod
    def fit(cls, sizes: ArrayLike) -> Self:
        r"""Estimate concentration and discount from one observed partition, by maximum likelihood.

        At each discount the likelihood has one peak over the concentration, where its
        derivative is zero. The estimate is the best zero of the derivative along these peaks,
        over the full range of discounts. The run time depends on the number of distinct
        sizes, hardly on the number of clusters.

        Parameters
        ----------
        sizes : array-like of int, shape (k,)
            Number of points in each cluster, at least 1, in any order; at least one cluster.

        Returns
        -------
        PitmanYor

        Notes
        -----
        The search is over :math:`0 \le \theta \le 1 - 10^{-6}` and
        :math:`10^{-6} \le \alpha + \theta \le 10^9`. Where the likelihood has no maximum
        inside this box, the estimate lies on its boundary:

        - one cluster: concentration 1e-6, discount 0, new clusters all but impossible;
        - two or more singletons and no other cluster: both at their upper bounds, new clusters
          all but certain;
        - sizes more even than those of a Chinese restaurant process: discount 0.

        Proof that there is one peak over the concentration when 1 < k < n: the derivative in
        :math:`\alpha` is :math:`\int_0^\infty e^{-\alpha t} h(t) \, dt` with
        :math:`h(t) = \sum_{j<k} e^{-j \theta t} - \sum_{i<n} e^{-i t}`. The partial
        sums of the coefficients of h, in the order of the exponents, change sign once; hence
        so does h, and hence so does its Laplace transform.

        Examples
        --------
        >>> PitmanYor.fit([7])
        PitmanYor(concentration=1e-06, discount=0.0)
        >>> PitmanYor.fit([100, 30, 10, 5, 3, 2, 2, 1, 1, 1, 1, 1]).discount > 0.2
        True
        """
        array = _sizes_of_clusters(sizes)
        if array.size == 0:
            raise ValueError("sizes is empty: there is nothing to fit; pass at least one cluster")
        return cls(*_core.most_likely_prior(array))

    def expected_clusters(self, n: int) -> float:
        r"""Compute the expected number of clusters of n points.

        .. math::

            E[K_n] = \frac{1}{\theta} \left( \frac{[\alpha + \theta]_n}{[\alpha + 1]_{n-1}}
                - \alpha \right),

        and :math:`1 + \alpha \, (\psi(\alpha + n) - \psi(\alpha + 1))` where the discount is 0.

        Examples
        --------
        >>> PitmanYor(concentration=1, discount=0).expected_clusters(2)
        1.5
        """
        check_whole(n, "n", min_val=0)
        if n == 0:
            return 0.0
        alpha, theta = self.concentration, self.discount
        if theta < 1e-20:  # equal to 0 up to rounding, and too small to divide by
            return 1 + (alpha + theta) * _core.digamma_rise(alpha + 1, n - 1)
        # The quotient, divided by alpha + theta, is the product of 1 + theta / (alpha + i), i < n.
        # The logarithm of its tail is an integral of digamma differences over the discount, which
        # a few quadrature nodes give to rounding; no large values cancel.
        near = min(n, LARGE)
        log_product = np.log1p(theta / (alpha + np.arange(1, near))).sum()
        for node, weight in zip(*_GAUSS_LEGENDRE, strict=True):
            at = alpha + near + theta * (node + 1) / 2
            log_product += theta * weight / 2 * _core.digamma_rise(at, n - near)
        return float(1 + (alpha + theta) * np.expm1(log_product) / theta)

    def expected_clusters_of_size(self, n: int, size: ArrayLike) -> FloatArray:
        r"""Compute the expected number of clusters of each given size, among n points.

        .. math::

            E[K_{n,m}] = \binom{n}{m}
                \frac{[1 - \theta]_{m-1} \, [\alpha + \theta]_{n-m}}{[\alpha + 1]_{n-1}}.

        Parameters
        ----------
        n : int
            Number of points.
        size : array-like of int
            Sizes m, at least 1. The result is 0 for sizes above n.

        Returns
        -------
        ndarray of float64, of the shape of `size`

        Examples
        --------
        >>> PitmanYor(concentration=1, discount=0).expected_clusters_of_size(4, [1, 2, 3, 4])
        array([1.        , 0.5       , 0.33333333, 0.25      ])
        """
        check_whole(n, "n", min_val=0)
        given = check_sizes(size, "size")
        if n == 0:
            return np.zeros(given.shape)
        alpha, theta = self.concentration, self.discount
        first = alpha + theta
        m = np.minimum(given, n).astype(np.float64)
        others = n - m
        # Pair the gamma functions of n and n - m over the size or over the concentration,
        # whichever is smaller: the other pairing would cancel.
        over_size = log_rising(others + 1, m) - log_rising(first + others, m - theta)
        across = np.sign(first - 1) * log_rising(others + min(first, 1.0), abs(first - 1))
        over_concentration = across + math.log(n) - log_rising(n, alpha)
        of_m = log_rising(m - theta, 1 + theta) + gammaln(1 - theta)
        log_expected = np.where(m < alpha, over_size, over_concentration) - of_m
        expected = np.exp(log_expected + log_rising(first, 1 - theta))
        return np.where(given <= n, expected, 0.0)


def _sizes_of_clusters(sizes: ArrayLike) -> IntArray:
    """Return the sizes of the clusters of a partition as an array; raise if they cannot be."""
    array = check_sizes(sizes, "sizes")
    if array.ndim != 1:
        raise ValueError(f"sizes must have one dimension, got shape {array.shape}")
    if array.sum(dtype=np.float64) > 2**53:
        raise ValueError("sizes must not add up to more than 2**53 points")
    return array
