"""Roots of functions of one variable."""

from collections.abc import Callable

# Twice the rounding of a number, relative to it.
ROUNDING = 2.0**-51


def root_between(
    function: Callable[[float], float], low: float, high: float, *, tolerance: float
) -> float:
    """Return where a function is zero, to this tolerance, given two ends where its signs differ.

    Chandrupatla's method: the parabola through the last three points, taken as the inverse of
    the function, where these lie so that it can be trusted, and half of the interval elsewhere.
    `scipy.optimize.brentq` would do, but the command line would wait for the import of
    `scipy.optimize` longer than for a million edges to be read.

    References
    ----------
    T. R. Chandrupatla. A new hybrid quadratic/bisection algorithm for finding the zero of a
    nonlinear function without using derivatives. Advances in Engineering Software 28(3), 1997.

    Examples
    --------
    >>> from powercut._roots import root_between
    >>> round(root_between(lambda x: x * x - 2, 0, 2, tolerance=1e-12), 12)
    1.414213562373
    """
    last, f_last = high, function(high)
    other, f_other = low, function(low)
    share = 0.5
    # The root is between `last` and `other`; `before` is the end that was given up.
    while f_last != 0 and f_other != 0:
        at = last + share * (other - last)
        f_at = function(at)
        if (f_at > 0) == (f_last > 0):
            before, f_before = last, f_last
        else:
            before, f_before = other, f_other
            other, f_other = last, f_last
        last, f_last = at, f_at
        least = (ROUNDING * max(abs(last), abs(other)) + tolerance / 2) / abs(other - last)
        if least > 0.5:
            break
        share = _inverse_parabola(last, f_last, other, f_other, before, f_before)
        share = min(1 - least, max(least, share))
    return last if abs(f_last) < abs(f_other) else other


def _inverse_parabola(a: float, f_a: float, b: float, f_b: float, c: float, f_c: float) -> float:
    """Return how far from a to b the parabola through three points, x over f, is at zero."""
    along, up = (a - b) / (c - b), (f_a - f_b) / (f_c - f_b)
    if not (up * up < along and (1 - up) ** 2 < 1 - along):
        return 0.5  # it may turn between a and b
    ahead = f_a / (f_b - f_a) * f_c / (f_b - f_c)
    return ahead + (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_c - f_b)
