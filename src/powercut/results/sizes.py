"""How the sizes of clusters are distributed: Pitman-Yor, power law, and what else they may be."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize, minimize_scalar
from scipy.special import erfc, log_ndtr, zeta

from powercut._typing import FloatArray, IntArray
from powercut.partition import compact_labels
from powercut.prior import PitmanYor

# A power law is looked for among exponents in this range; sizes of clusters have 1 to 3.
EXPONENTS = (1.0001, 20.0)


@dataclass(frozen=True)
class Comparison:
    """A power law against another distribution of the same tail (Vuong's test).

    Attributes
    ----------
    log_ratio : float
        Log-likelihood of the power law minus that of the other, divided by its
        standard deviation: positive where the power law fits better.
    p_value : float
        Chance of a ratio at least as far from zero if both fit equally well. Above
        0.1 the data do not tell the two apart.
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
        :math:`x_0`, the size from which on the power law fits best, by the KS
        distance.
    n_tail : int
        Clusters of at least that size.
    distance : float
        Kolmogorov-Smirnov distance between the tail and the fit.
    against_lognormal, against_exponential : Comparison
        The power law against what else the tail may be.
    """

    exponent: float
    smallest: int
    n_tail: int
    distance: float
    against_lognormal: Comparison
    against_exponential: Comparison


@dataclass(frozen=True)
class SizeDistribution:
    """Sizes of clusters and what they follow; see `size_distribution`.

    Attributes
    ----------
    sizes : ndarray of int64
        Sizes, the largest first; element r is the size of rank r + 1.
    prior : PitmanYor
        The Pitman-Yor distribution of greatest likelihood.
    power_law : PowerLawTail or None
        None where all clusters have one size: a power law is then not defined.
    """

    sizes: IntArray
    prior: PitmanYor
    power_law: PowerLawTail | None


def size_distribution(labels: npt.ArrayLike) -> SizeDistribution:
    """Describe the sizes of the clusters that labels make.

    The tail is fitted as Clauset, Shalizi and Newman do: for each size that it may
    begin with, the exponent of greatest likelihood; of these, the fit of smallest
    Kolmogorov-Smirnov distance. Whether a power law is more than a name for it is
    told by the comparisons with a discretised log-normal and a geometric
    (exponential) distribution of the same tail.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Cluster of each point, n at least 1.

    Returns
    -------
    SizeDistribution
        The sizes, the Pitman-Yor prior and the power law that fit them best.

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
        raise ValueError("labels are empty; the sizes of no clusters have no distribution.")
    sizes = np.sort(np.bincount(compact))[::-1]
    return SizeDistribution(sizes, PitmanYor.fit(sizes), _power_law(sizes))


def _power_law(sizes: IntArray) -> PowerLawTail | None:
    starts = np.unique(sizes)[:-1]  # a tail of one size has no exponent
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
    """Exponent of greatest likelihood and KS distance of a power law from `smallest` on."""
    mean_log = float(np.log(tail).mean())

    def minus_log_likelihood(exponent: float) -> float:
        return float(np.log(zeta(exponent, smallest))) + exponent * mean_log

    found = minimize_scalar(
        minus_log_likelihood, bounds=EXPONENTS, method="bounded", options={"xatol": 1e-8}
    )
    exponent = float(found.x)
    values, counts = np.unique(tail, return_counts=True)
    empirical = np.cumsum(counts) / len(tail)
    # The two are farthest apart at a size that occurs, or at the one just below it.
    at = 1 - zeta(exponent, values + 1.0) / zeta(exponent, smallest)
    below = 1 - zeta(exponent, values) / zeta(exponent, smallest)
    gap = max(np.abs(empirical - at).max(), np.abs(empirical[:-1] - below[1:]).max(initial=0))
    return exponent, float(gap)


def _geometric(tail: IntArray, smallest: int) -> FloatArray:
    """Log-likelihoods under ``p(x) ~ exp(-rate x)``, at its greatest likelihood."""
    excess = tail - smallest
    rate = np.log1p(1 / excess.mean())
    return np.asarray(np.log(-np.expm1(-rate)) - rate * excess)


def _lognormal(tail: IntArray, smallest: int) -> FloatArray:
    """Log-likelihoods under a log-normal rounded to whole sizes, at its greatest likelihood."""
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
    """``ln(Phi(high) - Phi(low))``, in the tail where both are small."""
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
