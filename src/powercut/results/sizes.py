"""The distribution of cluster sizes: Pitman-Yor, power law, and alternatives to a power law."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize, minimize_scalar
from scipy.special import erfc, log_ndtr, zeta

from powercut._typing import FloatArray, IntArray
from powercut.partition import compact_labels
from powercut.prior import PitmanYor

# Range of exponents that is searched; those of cluster sizes are usually between 1 and 3.
EXPONENTS = (1.0001, 20.0)


@dataclass(frozen=True)
class Comparison:
    """Vuong's likelihood-ratio test of a power law against another distribution of the tail.

    Attributes
    ----------
    log_ratio : float
        Log-likelihood of the power law minus that of the other distribution, divided by
        its standard deviation: positive if the power law fits better.
    p_value : float
        Probability of a ratio at least as far from zero if both fit equally well. Above
        0.1 the two are indistinguishable.
    """

    log_ratio: float
    p_value: float


@dataclass(frozen=True)
class PowerLawTail:
    r"""A discrete power law, :math:`p(x) = x^{-\gamma} / \zeta(\gamma, x_0)` from :math:`x_0` on.

    Attributes
    ----------
    exponent : float
        :math:`\gamma`, by maximum likelihood.
    smallest : int
        :math:`x_0`, the size from which on the power law fits best, by the
        Kolmogorov-Smirnov distance.
    n_tail : int
        Number of clusters of at least that size.
    distance : float
        Kolmogorov-Smirnov distance between the tail and the fit.
    against_lognormal, against_exponential : Comparison
        Tests of the power law against these alternatives.
    """

    exponent: float
    smallest: int
    n_tail: int
    distance: float
    against_lognormal: Comparison
    against_exponential: Comparison


@dataclass(frozen=True)
class SizeDistribution:
    """Cluster sizes and the distributions fitted to them; see `size_distribution`.

    Attributes
    ----------
    sizes : ndarray of int64
        Sizes, the largest first; element r is the size at rank r + 1.
    prior : PitmanYor
        The maximum-likelihood Pitman-Yor prior.
    power_law : PowerLawTail or None
        None if all clusters have the same size: a power law is then not defined.
    """

    sizes: IntArray
    prior: PitmanYor
    power_law: PowerLawTail | None


def size_distribution(labels: npt.ArrayLike) -> SizeDistribution:
    """Fit a Pitman-Yor prior and a power law to the cluster sizes of a partition.

    The tail is fitted as by Clauset, Shalizi and Newman: the exponent by maximum likelihood
    for each smallest size that the tail may have, and of these fits the one of smallest
    Kolmogorov-Smirnov distance. To see whether a power law is a better description than its
    alternatives, it is compared with a discretised log-normal and a geometric (exponential)
    distribution on the same tail.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Cluster of each node or point; n is at least 1.

    Returns
    -------
    SizeDistribution
        The sizes, the fitted Pitman-Yor prior and the fitted power law.

    References
    ----------
    A. Clauset, C. R. Shalizi, M. E. J. Newman. Power-law distributions in empirical
    data. SIAM Review 51(4), 2009.

    Examples
    --------
    >>> from powercut import PitmanYor, size_distribution
    >>> found = size_distribution(PitmanYor(10.0, 0.5).sample(100_000, random_state=0))
    >>> found.sizes[:3]
    array([17371, 15373,  7201])
    >>> round(found.prior.discount, 1), round(found.power_law.exponent, 1)
    (0.5, 1.6)
    """
    compact, k = compact_labels(labels)
    if k == 0:
        raise ValueError("labels are empty; give at least one label.")
    sizes = np.sort(np.bincount(compact))[::-1]
    return SizeDistribution(sizes, PitmanYor.fit(sizes), _power_law(sizes))


def _power_law(sizes: IntArray) -> PowerLawTail | None:
    starts = np.unique(sizes)[:-1]  # the exponent of a tail with one distinct size is undefined
    if len(starts) == 0:
        return None
    fits = [_fit_tail(sizes[sizes >= start], int(start)) for start in starts]
    best = int(np.argmin([distance for _, distance in fits]))
    (exponent, distance), smallest = fits[best], int(starts[best])
    tail = sizes[sizes >= smallest]
    power = -exponent * np.log(tail) - np.log(zeta(exponent, smallest))
    return PowerLawTail(
        exponent,
        smallest,
        len(tail),
        distance,
        _compare(power, _lognormal(tail, smallest)),
        _compare(power, _geometric(tail, smallest)),
    )


def _fit_tail(tail: IntArray, smallest: int) -> tuple[float, float]:
    """Return maximum-likelihood exponent and KS distance of a power law from `smallest` on."""
    mean_log = float(np.log(tail).mean())

    def minus_log_likelihood(exponent: float) -> float:
        return float(np.log(zeta(exponent, smallest))) + exponent * mean_log

    found = minimize_scalar(
        minus_log_likelihood, bounds=EXPONENTS, method="bounded", options={"xatol": 1e-8}
    )
    exponent = float(found.x)
    values, counts = np.unique(tail, return_counts=True)
    empirical = np.cumsum(counts) / len(tail)
    # The largest gap is at a size that occurs, or just below one.
    at = 1 - zeta(exponent, values + 1.0) / zeta(exponent, smallest)
    below = 1 - zeta(exponent, values) / zeta(exponent, smallest)
    gap = max(np.abs(empirical - at).max(), np.abs(empirical[:-1] - below[1:]).max(initial=0))
    return exponent, float(gap)


def _geometric(tail: IntArray, smallest: int) -> FloatArray:
    """Return log-likelihoods under the maximum-likelihood fit of ``p(x) ~ exp(-rate x)``."""
    excess = tail - smallest
    rate = np.log1p(1 / excess.mean())
    return np.asarray(np.log(-np.expm1(-rate)) - rate * excess)


def _lognormal(tail: IntArray, smallest: int) -> FloatArray:
    """Return log-likelihoods under the maximum-likelihood log-normal, rounded to integers."""
    low, high = np.log(tail - 0.5), np.log(tail + 0.5)
    logs = np.log(tail)

    def log_likelihoods(mean: float, log_deviation: float) -> FloatArray:
        deviation = np.exp(log_deviation)
        inside = _log_normal_between((low - mean) / deviation, (high - mean) / deviation)
        return np.asarray(inside - log_ndtr((mean - np.log(smallest - 0.5)) / deviation))

    found = minimize(
        lambda at: -float(log_likelihoods(*at).sum()),
        x0=[logs.mean(), np.log(logs.std())],
        method="Nelder-Mead",
        options={"maxiter": 2000, "xatol": 1e-6, "fatol": 1e-8},
    )
    return log_likelihoods(*found.x)


def _log_normal_between(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return ``ln(Phi(high) - Phi(low))``, computed in the tail where both are small."""
    flip = low > 0
    near = np.where(flip, -low, high)
    far = np.where(flip, -high, low)
    above = log_ndtr(near)
    return np.asarray(above + np.log(-np.expm1(np.minimum(log_ndtr(far) - above, -1e-300))))


def _compare(power: FloatArray, other: FloatArray) -> Comparison:
    difference = power - other
    ratio, deviation = float(difference.sum()), float(difference.std())
    if deviation == 0:
        return Comparison(0.0, 1.0)
    normalized = ratio / (deviation * math.sqrt(len(power)))
    return Comparison(normalized, float(erfc(abs(normalized) / math.sqrt(2))))
