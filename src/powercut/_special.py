"""Differences of log-gamma values, without cancellation."""

import numpy as np
from numpy.typing import ArrayLike

from powercut._typing import FloatArray

# From this argument on, Stirling's series with the terms below is exact to rounding.
LARGE = 16
_LOG_GAMMA_SERIES = (1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12)


def log_rising(x: ArrayLike, d: ArrayLike) -> FloatArray:
    """Return lnGamma(x + d) - lnGamma(x), to full relative precision even where they nearly cancel.

    For whole d this is the logarithm of the rising factorial x (x + 1) ... (x + d - 1).

    Examples
    --------
    >>> round(float(log_rising(2.0, 3)), 6)  # of 2 * 3 * 4
    3.178054
    """
    low, d = np.asarray(x, dtype=np.float64), np.asarray(d, dtype=np.float64)
    below = np.log1p(d[..., None] / (low[..., None] + np.arange(LARGE))).sum(axis=-1)
    x = low + LARGE
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
