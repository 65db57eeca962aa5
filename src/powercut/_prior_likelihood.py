"""Maximum likelihood of the Pitman-Yor prior: its local maxima over concentration and discount.

`powercut.prior.PitmanYor.fit` returns the best of them.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import psi

from powercut._special import digamma_rise
from powercut._typing import IntArray
from powercut._utils import root_between
from powercut._validation import check_sizes

# Bounds of the search. The likelihoods of one cluster, and of singletons only, have no maximum
# inside the parameter space.
MAX_DISCOUNT = 1 - 1e-6
MIN_FIRST, MAX_FIRST = 1e-6, 1e9  # of concentration + discount

# No partition tried had a second peak of the likelihood along the discount. There is no proof
# that none has, so every cell of this grid is searched.
DISCOUNTS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, MAX_DISCOUNT)


def size_histogram(sizes: ArrayLike) -> tuple[IntArray, IntArray]:
    """Return the distinct sizes in ascending order, and how many clusters have each."""
    array = check_sizes(sizes, "sizes")
    if array.ndim != 1:
        raise ValueError(f"sizes must have one dimension, got shape {array.shape}")
    if array.sum(dtype=np.float64) > 2**53:
        raise ValueError("sizes must not add up to more than 2**53 points")
    values, counts = np.unique(array, return_counts=True)
    return values, counts.astype(np.int64)


def likelihood_maxima(sizes: IntArray, counts: IntArray) -> list[tuple[float, float]]:
    """Return (concentration, discount) of each local maximum of the likelihood.

    Parameters
    ----------
    sizes, counts : ndarray of int64
        Distinct cluster sizes in ascending order, and how many clusters have each.

    Examples
    --------
    >>> import numpy as np
    >>> likelihood_maxima(np.array([20]), np.array([100]))[0][1]
    0.0
    """
    k, n = int(counts.sum()), int(sizes @ counts)

    def slope(discount: float) -> float:
        """Differentiate the log-likelihood in the discount, at the best concentration for it."""
        first = best_first_weight(discount, k, n)
        opened = new_cluster_sums(first, discount, k)[1]
        joined = counts @ (psi(sizes - discount) - psi(1 - discount))
        return float(opened + digamma_rise(first - discount + 1, n - 1) - joined)

    slopes = [slope(discount) for discount in DISCOUNTS]
    peaks = [
        root_between(slope, DISCOUNTS[i], DISCOUNTS[i + 1], tolerance=1e-10)
        for i in range(len(slopes) - 1)
        if slopes[i] > 0 >= slopes[i + 1]
    ]
    if slopes[0] <= 0:
        peaks.append(DISCOUNTS[0])
    if slopes[-1] > 0:
        peaks.append(DISCOUNTS[-1])
    return [(best_first_weight(discount, k, n) - discount, discount) for discount in peaks]


def best_first_weight(discount: float, k: int, n: int) -> float:
    """Return the most likely concentration + discount of k clusters of n points.

    This sum is the weight of opening a second cluster, and positive for every valid prior.
    """

    def slope(log_first: float) -> float:
        first = math.exp(log_first)
        rise = digamma_rise(first - discount + 1, n - 1)
        return new_cluster_sums(first, discount, k)[0] - rise

    low, high = math.log(MIN_FIRST), math.log(MAX_FIRST)
    if slope(low) <= 0:
        return MIN_FIRST
    if k == n or slope(high) >= 0:  # positive for singletons only, but lost in rounding
        return MAX_FIRST
    return math.exp(root_between(slope, low, high, tolerance=1e-12))


def new_cluster_sums(first: float, discount: float, k: int) -> tuple[float, float]:
    """Return the sums of 1 / (first + j discount) and j / (first + j discount), j = 0, ..., k - 2.

    They are the derivatives of ``sum_j ln(first + j discount)`` in `first` and in the discount.
    """
    m = k - 1
    ratio = discount / first
    if m * ratio < 1e-5:
        # The closed form below would cancel; the series is exact to 1e-10 here.
        sum_j, sum_jj = m * (m - 1) / 2, (m - 1) * m * (2 * m - 1) / 6
        total = m - ratio * (sum_j - ratio * sum_jj)
        return total / first, (sum_j - ratio * sum_jj) / first
    later = digamma_rise(first / discount + 1, m - 1) / discount  # all but j = 0
    return 1 / first + later, (m - 1 - first * later) / discount
