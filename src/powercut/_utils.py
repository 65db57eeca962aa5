"""Small helpers: cached properties, slices, warnings."""

import sys
import warnings
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


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


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called powercut, however deep the call is that finds the reason."""
    frame: FrameType | None = sys._getframe()
    level = 1
    while frame is not None and frame.f_globals.get("__name__", "").startswith("powercut."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
