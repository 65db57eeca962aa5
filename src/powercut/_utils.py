"""Small helpers: cached properties, slices, root finding."""

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")
# Relative tolerance of twice the machine epsilon.
ROUNDING = 2.0**-51


class cached_property(Generic[T]):  # noqa: N801 (as the one of functools)
    """Replace `functools.cached_property`, without the lock it has before Python 3.12.

    That lock is shared by all instances: while one computes its value, other threads wait for
    theirs, possibly for as long as a search takes. Without the lock, two threads that access
    the property of one instance for the first time may both compute the same value.
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
        # The next access finds the value in __dict__ first, because there is no __set__ here.
        value = instance.__dict__[self._name] = self._compute(instance)
        return value


def slices(n: int, length: int) -> Iterator[slice]:
    """Yield consecutive slices of this length that cover n items; the last may be shorter.

    Like `sklearn.utils.gen_batches`, for modules that do not import scikit-learn.

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
    """Return a root of a function to this tolerance; its signs at `low` and `high` must differ.

    Chandrupatla's method: inverse quadratic interpolation through the last three points where
    it is reliable, bisection otherwise. `scipy.optimize.brentq` would do, but importing
    `scipy.optimize` takes the command line longer than reading a million edges.

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
    # The root is between `last` and `other`; `before` is the end point that was replaced.
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
    """Return the root of the inverse quadratic through three points, as a fraction from a to b."""
    along, up = (a - b) / (c - b), (f_a - f_b) / (f_c - f_b)
    if not (up * up < along and (1 - up) ** 2 < 1 - along):
        return 0.5  # it may not be monotone between a and b: bisect
    ahead = f_a / (f_b - f_a) * f_c / (f_b - f_c)
    return ahead + (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_c - f_b)
