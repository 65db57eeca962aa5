"""The Pitman-Yor prior as a search estimates it from its current partition."""

import math

from powercut import _core
from powercut._typing import IntArray
from powercut.prior import PitmanYor

# Upper bound of the estimated discount.
LARGEST_DISCOUNT = 0.9


def bounded_prior(sizes: IntArray) -> PitmanYor:
    """Estimate the prior from the current partition of a search, within bounds.

    The discount is at most `LARGEST_DISCOUNT`, the concentration at most the square root of
    the number of points. Near the upper bounds of `PitmanYor.fit` every point opens a cluster
    with probability almost 1, so the partition into singletons costs almost nothing, and a
    search that alternates between estimating the prior and moving points would never leave it.

    Examples
    --------
    >>> import numpy as np
    >>> bounded_prior(np.ones(100, dtype=np.int64))
    PitmanYor(concentration=10.0, discount=0.9)
    """
    n = int(sizes.sum())
    concentration, discount = _core.most_likely_prior(sizes)
    if discount > LARGEST_DISCOUNT:
        discount = LARGEST_DISCOUNT
        concentration = _core.most_likely_concentration(discount, len(sizes), n)
    return PitmanYor(min(concentration, math.sqrt(n)), discount)
