"""Small helpers: cached attributes, slices of arrays, roots of functions."""

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")
# Twice the rounding of a number, relative to it.
ROUNDING = 2.0**-51


class cached_property(Generic[T]):  # noqa: N801 (as the one of functools)
    """Do what `functools.cached_property` does, without the lock it has before Python 3.12.

    That lock is one for all instances: while one of them computes, those of other threads
    wait, for as long as a search takes. Without it, two threads that ask one instance for
    the first time may both compute, to the same end.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> "cached_property[T]": ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> "cached_property[T] | T":
        if instance is None:
            return self
        # Found before this the next time, because this has no __set__.
        value = instance.__dict__[self._name] = self._compute(instance)
        return value


def slices(n: int, length: int) -> Iterator[slice]:
    """Yield slices of this length, the last perhaps shorter, of n things.

    What `sklearn.utils.gen_batches` does, for modules that do not import scikit-learn.

    Examples
    --------
    >>> from powercut._utils import slices
    >>> list(slices(5, 3))
    [slice(0, 3, None), slice(3, 5, None)]
    """
    yield from (slice(start, min(start + length, n)) for start in range(0, n, length))


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
    >>> from powercut._utils import root_between
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
