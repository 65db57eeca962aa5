"""Maximum likelihood of the Pitman-Yor prior in plain NumPy and SciPy, for the tests only.

At each discount the likelihood has one peak over the concentration, where its derivative is
zero; the maxima are the zeros of the derivative along these peaks.
"""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import psi

from powercut._typing import IntArray

MAX_DISCOUNT = 1 - 1e-6
MIN_FIRST, MAX_FIRST = 1e-6, 1e9  # of concentration + discount
DISCOUNTS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, MAX_DISCOUNT)


def likelihood_maxima(sizes: IntArray) -> list[tuple[float, float]]:
    """Return (concentration, discount) of each local maximum of the likelihood.

    Examples
    --------
    >>> import numpy as np
    >>> from reference_prior import likelihood_maxima
    >>> likelihood_maxima(np.repeat(20, 100))[0][1]
    0.0
    """
    k, n = len(sizes), int(sizes.sum())

    def slope(discount: float) -> float:
        """Differentiate the log-likelihood in the discount, at the best concentration for it."""
        first = best_first_weight(discount, k, n)
        j = np.arange(k - 1)
        opened = (j / (first + j * discount)).sum()
        joined = (psi(sizes - discount) - psi(1 - discount)).sum()
        return float(opened + digamma_rise(first - discount + 1, n - 1) - joined)

    slopes = [slope(discount) for discount in DISCOUNTS]
    peaks = [
        brentq(slope, DISCOUNTS[i], DISCOUNTS[i + 1], xtol=1e-14)
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

    Examples
    --------
    >>> from reference_prior import best_first_weight
    >>> best_first_weight(0.5, 1, 10)
    1e-06
    """

    def slope(log_first: float) -> float:
        first = math.exp(log_first)
        opened = (1 / (first + np.arange(k - 1) * discount)).sum()
        return float(opened - digamma_rise(first - discount + 1, n - 1))

    low, high = math.log(MIN_FIRST), math.log(MAX_FIRST)
    if slope(low) <= 0:
        return MIN_FIRST
    if k == n or slope(high) >= 0:  # positive for singletons only, but lost in rounding
        return MAX_FIRST
    return math.exp(brentq(slope, low, high, xtol=1e-14))


def digamma_rise(x: float, d: int) -> float:
    """Return psi(x + d) - psi(x) as the sum of 1 / (x + i) over i < d.

    Examples
    --------
    >>> from reference_prior import digamma_rise
    >>> digamma_rise(1.0, 2)
    1.5
    """
    return float((1 / (x + np.arange(d))).sum())
