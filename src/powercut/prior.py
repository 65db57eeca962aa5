"""The Pitman-Yor prior over partitions: what the sizes of clusters are worth."""

import math
import numbers
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, psi

from powercut import _core
from powercut._utils import root_between
from powercut._validation import check_whole

# Where `PitmanYor.fit` looks: likelihoods of one cluster, and of singletons
# only, have no maximum inside the space of parameters.
_MAX_DISCOUNT = 1 - 1e-6
_MIN_FIRST, _MAX_FIRST = 1e-6, 1e9  # of concentration + discount

# No partition tried had a second peak of the likelihood along the discount. Nothing proves that
# none has, so every cell of this grid is searched.
_DISCOUNTS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, _MAX_DISCOUNT)

# Stirling's series, with these many terms, is exact to rounding from here on.
_LARGE = 16
_LOG_GAMMA_SERIES = (1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12)
_DIGAMMA_SERIES = (-1 / 132, 1 / 240, -1 / 252, 1 / 120, -1 / 12)
_GAUSS_LEGENDRE = np.polynomial.legendre.leggauss(6)


# Bound of an estimate that a search goes on from; see `bounded_prior`.
LARGEST_DISCOUNT = 0.9


@dataclass(frozen=True)
class PitmanYor:
    r"""The Pitman-Yor distribution over partitions, also the two-parameter Ewens-Pitman law.

    Customers enter a restaurant one after the other. When n are seated at k
    tables, of sizes :math:`n_1, \ldots, n_k`, the next one

    - joins table c with probability :math:`(n_c - \theta) / (\alpha + n)`,
    - opens a new table with probability :math:`(\alpha + k \theta) / (\alpha + n)`,

    where :math:`\alpha` is the concentration and :math:`\theta` the discount.
    The tables are the clusters. The probability of the partition does not
    depend on the order of arrival, only on the sizes (it is exchangeable):

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
        """Log probability of one partition with these cluster sizes, every constant included.

        Parameters
        ----------
        sizes : array-like of int, shape (k,)
            Points in each cluster, all at least 1, in any order. The empty
            partition has probability 1.

        Returns
        -------
        float

        Examples
        --------
        Three points, two of them together, in a Chinese restaurant:

        >>> round(PitmanYor(concentration=1, discount=0).log_prob([2, 1]), 6)  # of 1/6
        -1.791759
        """
        return self._log_prob_of_histogram(*_histogram(sizes))

    def _log_prob_of_histogram(self, sizes: NDArray[Any], counts: NDArray[Any]) -> float:
        if sizes.size == 0:
            return 0.0
        alpha, theta = self.concentration, self.discount
        k, n, largest = int(counts.sum()), int(sizes @ counts), int(sizes[-1])
        opened = np.log(alpha + theta * np.arange(1.0, k)).sum()
        others = counts.copy()
        others[-1] -= 1
        joined = others @ (gammaln(sizes - theta) - gammaln(1 - theta))
        # The largest cluster nearly cancels the denominator: their quotient is taken as
        # one, over whichever is shorter, the concentration or the cluster.
        if alpha < largest:
            rest = log_rising(1 - theta, alpha + theta) - log_rising(
                largest - theta, alpha + theta + (n - largest)
            )
        else:
            rest = log_rising(1 - theta, largest - 1) - log_rising(1 + alpha, n - 1)
        return float(opened + joined + rest)

    def sample(
        self, n: int, *, random_state: int | np.random.RandomState | None = None
    ) -> NDArray[np.int32]:
        """Draw a partition of n points.

        Parameters
        ----------
        n : int
            Number of points, below 2**31.
        random_state : int, RandomState instance or None
            An integer makes the draw reproducible.

        Returns
        -------
        ndarray of int32, shape (n,)
            Labels; clusters are numbered as they are opened.

        Examples
        --------
        >>> labels = PitmanYor(concentration=1, discount=0.2).sample(1000, random_state=0)
        >>> int(labels[0]), labels.shape
        (0, (1000,))
        """
        from sklearn.utils import check_random_state  # slow to import, and not for a fit

        # Labels are 32 bits wide, and every point may open a cluster.
        check_whole(n, "n", min_val=0, max_val=2**31 - 1)
        seed = int(check_random_state(random_state).randint(0, 2**64, dtype=np.uint64))
        labels: NDArray[np.int32] = _core.sample_pitman_yor(
            int(n), self.concentration, self.discount, seed
        )
        return labels

    @classmethod
    def fit(cls, sizes: ArrayLike) -> Self:
        r"""Maximum-likelihood concentration and discount of one observed partition.

        At each discount the likelihood has one peak over the concentration: the root of its
        derivative. The best root of the derivative along these peaks, over the whole range of
        discounts, is the maximum. The cost depends on the number of distinct sizes, hardly on
        the number of clusters.

        Parameters
        ----------
        sizes : array-like of int, shape (k,)
            Points in each cluster, all at least 1, in any order; at least one cluster.

        Returns
        -------
        PitmanYor

        Notes
        -----
        The search is over :math:`0 \le \theta \le 1 - 10^{-6}` and
        :math:`10^{-6} \le \alpha + \theta \le 10^9`. The answer lies on the
        edge of that box when the data have no maximum inside:

        - one cluster: concentration 1e-6, discount 0, new clusters all but impossible;
        - two or more singletons, nothing else: both at their largest, new clusters all but certain;
        - sizes more even than those of a Chinese restaurant: discount 0.

        Why one peak, when 1 < k < n: the derivative in :math:`\alpha` is
        :math:`\int_0^\infty e^{-\alpha t} h(t) \, dt` with
        :math:`h(t) = \sum_{j<k} e^{-j \theta t} - \sum_{i<n} e^{-i t}`. The partial
        sums of the coefficients of h, in the order of the exponents, change sign once, hence
        so does h, hence so does its Laplace transform.

        Examples
        --------
        >>> PitmanYor.fit([7])
        PitmanYor(concentration=1e-06, discount=0.0)
        >>> PitmanYor.fit([100, 30, 10, 5, 3, 2, 2, 1, 1, 1, 1, 1]).discount > 0.2
        True
        """
        values, counts = _histogram(sizes)
        k, n = int(counts.sum()), int(values @ counts)
        if k == 0:
            raise ValueError("sizes is empty: there is nothing to fit; pass at least one cluster")

        def slope(discount: float) -> float:
            """Differentiate the log probability in the discount, along the peaks."""
            first = _best_first(discount, k, n)
            opened = _new_cluster_sums(first, discount, k)[1]
            joined = counts @ (psi(values - discount) - psi(1 - discount))
            return float(opened + _digamma_rise(first - discount + 1, n - 1) - joined)

        slopes = [slope(discount) for discount in _DISCOUNTS]
        peaks = [
            root_between(slope, _DISCOUNTS[i], _DISCOUNTS[i + 1], tolerance=1e-10)
            for i in range(len(slopes) - 1)
            if slopes[i] > 0 >= slopes[i + 1]
        ]
        if slopes[0] <= 0:
            peaks.append(_DISCOUNTS[0])
        if slopes[-1] > 0:
            peaks.append(_DISCOUNTS[-1])
        candidates = [cls(_best_first(discount, k, n) - discount, discount) for discount in peaks]
        return max(candidates, key=lambda found: found._log_prob_of_histogram(values, counts))

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
        if theta < 1e-20:  # as good as 0, and too small to divide by
            return 1 + (alpha + theta) * _digamma_rise(alpha + 1, n - 1)
        # The quotient over alpha + theta is a product of 1 + theta / (alpha + i), i < n. The
        # logarithm of its tail is an integral of digamma differences over the discount, which
        # a few nodes give to rounding; no large values cancel.
        near = min(n, _LARGE)
        log_product = np.log1p(theta / (alpha + np.arange(1, near))).sum()
        for node, weight in zip(*_GAUSS_LEGENDRE, strict=True):
            at = alpha + near + theta * (node + 1) / 2
            log_product += theta * weight / 2 * _digamma_rise(at, n - near)
        return float(1 + (alpha + theta) * np.expm1(log_product) / theta)

    def expected_clusters_of_size(self, n: int, size: ArrayLike) -> NDArray[np.float64]:
        r"""Compute the expected number of clusters of each given size, among n points.

        .. math::

            E[K_{n,m}] = \binom{n}{m}
                \frac{[1 - \theta]_{m-1} \, [\alpha + \theta]_{n-m}}{[\alpha + 1]_{n-1}}.

        Parameters
        ----------
        n : int
            Number of points.
        size : array-like of int
            Sizes m, at least 1. No cluster is larger than n: the answer there is 0.

        Returns
        -------
        ndarray of float64, of the shape of `size`

        Examples
        --------
        >>> PitmanYor(concentration=1, discount=0).expected_clusters_of_size(4, [1, 2, 3, 4])
        array([1.        , 0.5       , 0.33333333, 0.25      ])
        """
        check_whole(n, "n", min_val=0)
        given = _check_sizes(size, "size")
        if n == 0:
            return np.zeros(given.shape)
        alpha, theta = self.concentration, self.discount
        first = alpha + theta
        m = np.minimum(given, n).astype(np.float64)
        others = n - m
        # Gamma functions of n and n - m are paired over the size or over the
        # concentration, whichever is shorter: the longer way would cancel.
        over_size = log_rising(others + 1, m) - log_rising(first + others, m - theta)
        across = np.sign(first - 1) * log_rising(others + min(first, 1.0), abs(first - 1))
        over_concentration = across + math.log(n) - log_rising(n, alpha)
        of_m = log_rising(m - theta, 1 + theta) + gammaln(1 - theta)
        log_expected = np.where(m < alpha, over_size, over_concentration) - of_m
        expected = np.exp(log_expected + log_rising(first, 1 - theta))
        return np.where(given <= n, expected, 0.0)


def bounded_prior(sizes: NDArray[np.int64]) -> PitmanYor:
    """Estimate the prior of an unknown partition, but never one under which points alone are free.

    At the ends of what `PitmanYor.fit` may find, where every point founds a cluster, a
    partition into single points is certain, and a search that estimates as it goes would
    stay there.

    Examples
    --------
    >>> import numpy as np
    >>> bounded_prior(np.ones(100, dtype=np.int64))
    PitmanYor(concentration=10.0, discount=0.9)
    """
    fitted, n = PitmanYor.fit(sizes), int(sizes.sum())
    discount, concentration = fitted.discount, fitted.concentration
    if discount > LARGEST_DISCOUNT:
        discount = LARGEST_DISCOUNT
        concentration = _best_first(discount, len(sizes), n) - discount
    return PitmanYor(min(concentration, math.sqrt(n)), discount)


def _check_sizes(sizes: ArrayLike, name: str) -> NDArray[np.int64]:
    array = np.asarray(sizes)
    if array.size == 0:
        return array.astype(np.int64)
    if not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"{name} must be integers, got {array.dtype}; convert with .astype(int)")
    for bad, rule in ((array < 1, "at least 1"), (array > 2**53, "at most 2**53")):
        if bad.any():
            where = bad.argmax()
            hint = "; the sizes of labels are np.bincount(labels)" if name == "sizes" else ""
            raise ValueError(
                f"{name} must be {rule}, but element {where} is {array.flat[where]}{hint}"
            )
    return array.astype(np.int64)


def _histogram(sizes: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct sizes in ascending order, and how many clusters have each."""
    array = _check_sizes(sizes, "sizes")
    if array.ndim != 1:
        raise ValueError(f"sizes must have one dimension, got shape {array.shape}")
    if array.sum(dtype=np.float64) > 2**53:
        raise ValueError("sizes must not add up to more than 2**53 points")
    values, counts = np.unique(array, return_counts=True)
    return values, counts.astype(np.int64)


def _best_first(discount: float, k: int, n: int) -> float:
    """Find the most likely concentration + discount, the first new cluster's weight."""

    def slope(log_first: float) -> float:
        first = math.exp(log_first)
        rise = _digamma_rise(first - discount + 1, n - 1)
        return _new_cluster_sums(first, discount, k)[0] - rise

    low, high = math.log(_MIN_FIRST), math.log(_MAX_FIRST)
    if slope(low) <= 0:
        return _MIN_FIRST
    if k == n or slope(high) >= 0:  # positive for singletons only, but lost in rounding
        return _MAX_FIRST
    return math.exp(root_between(slope, low, high, tolerance=1e-12))


def _new_cluster_sums(first: float, discount: float, k: int) -> tuple[float, float]:
    """Sum 1 / (first + j discount) and j / (first + j discount) over j = 0, ..., k - 2."""
    m = k - 1
    ratio = discount / first
    if m * ratio < 1e-5:
        # The closed form below would cancel; the series is exact to 1e-10 here.
        sum_j, sum_jj = m * (m - 1) / 2, (m - 1) * m * (2 * m - 1) / 6
        total = m - ratio * (sum_j - ratio * sum_jj)
        return total / first, (sum_j - ratio * sum_jj) / first
    later = _digamma_rise(first / discount + 1, m - 1) / discount  # all but j = 0
    return 1 / first + later, (m - 1 - first * later) / discount


def _digamma_rise(x: float, d: int) -> float:
    """psi(x + d) - psi(x), to full relative precision for whole d."""
    if x < _LARGE:
        return float(psi(x + d) - psi(x))

    def remainder(inverse: float) -> float:
        square, total = inverse * inverse, 0.0
        for coefficient in _DIGAMMA_SERIES:
            total = (total + coefficient) * square
        return total - inverse / 2

    return math.log1p(d / x) + remainder(1 / (x + d)) - remainder(1 / x)


def log_rising(x: ArrayLike, d: ArrayLike) -> NDArray[np.float64]:
    """lnGamma(x + d) - lnGamma(x), to full relative precision even where they nearly cancel."""
    low, d = np.asarray(x, dtype=np.float64), np.asarray(d, dtype=np.float64)
    below = np.log1p(d[..., None] / (low[..., None] + np.arange(_LARGE))).sum(axis=-1)
    x = low + _LARGE
    main = (x - 0.5) * np.log1p(d / x) + d * (np.log(x + d) - 1)
    # The difference of two values of Stirling's series as a divided difference:
    # Horner's rule for the value at v carries along the quotient between u and v.
    a, b = 1 / x, 1 / (x + d)
    u, v = a * a, b * b
    value = quotient = np.zeros(())
    for coefficient in _LOG_GAMMA_SERIES:
        quotient = quotient * u + value
        value = value * v + coefficient
    series = -d * a * b * (value + a * (a + b) * quotient)
    return np.asarray(main + series - below)
