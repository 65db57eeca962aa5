"""Attributes that are computed when they are first asked for."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


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
