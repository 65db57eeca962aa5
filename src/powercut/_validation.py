"""Checks of parameters, with scikit-learn's error messages where it has such a check.

Its functions are not used because importing scikit-learn takes a second, too long for the
command line.
"""

import math
import numbers
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from powercut._typing import FloatArray, IntArray


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Raise if a value is not one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {list(choices)}, got {value!r}.")


def check_tradeoff(tradeoff: Any) -> float | None:
    """Return the tradeoff, or None for ``"auto"``."""
    if isinstance(tradeoff, str):
        check_choice("tradeoff", tradeoff, ("auto",))
        return None
    return check_real(tradeoff, "tradeoff", min_val=0)


def check_sample_weight(sample_weight: Any, n: int) -> FloatArray | None:
    """Return the positive weights of n rows, or None if `sample_weight` is None."""
    if sample_weight is None:
        return None
    weight = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weight.shape != (n,):
        raise ValueError(
            f"sample_weight has shape {weight.shape}; {n} weights are needed, one for each row."
        )
    wrong = np.flatnonzero(~((weight > 0) & np.isfinite(weight)))
    if len(wrong):
        raise ValueError(
            f"sample_weight[{wrong[0]}] is {weight[wrong[0]]}; weights must be above zero "
            "and finite. Remove rows that should not count."
        )
    return weight


def check_sizes(sizes: ArrayLike, name: str) -> IntArray:
    """Return cluster sizes as int64; raise if they are not integers from 1 to 2**53."""
    array = np.asarray(sizes)
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, got {array.dtype}; convert with .astype(int)")
    if array.min() < 1 or array.max() > 2**53:
        low = array < 1
        bad, rule = (low, "at least 1") if low.any() else (array > 2**53, "at most 2**53")
        where = bad.argmax()
        hint = "; the sizes of labels are np.bincount(labels)" if name == "sizes" else ""
        raise ValueError(f"{name} must be {rule}, but element {where} is {array.flat[where]}{hint}")
    return array.astype(np.int64, copy=False)


def check_real(value: Any, name: str, *, min_val: float | None = None) -> float:
    """Return a parameter as a float; raise if it is not a finite number of at least `min_val`."""
    if not isinstance(value, numbers.Real):
        raise _wrong_type(value, name, "float")
    _check_bounds(value, name, min_val)
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, got {value}.")
    return number


def check_whole(
    value: Any, name: str, *, min_val: int | None = None, max_val: int | None = None
) -> int:
    """Return a parameter as an int; raise if it is not a whole number within the bounds."""
    if not isinstance(value, numbers.Integral):
        raise _wrong_type(value, name, "int")
    _check_bounds(value, name, min_val, max_val)
    return int(value)


def check_flag(value: Any, name: str) -> bool:
    """Return a parameter as a bool; raise if it is of another type."""
    if not isinstance(value, bool | np.bool_):
        raise _wrong_type(value, name, "bool")
    return bool(value)


def float_types(X: Any) -> list[type]:
    """Return the types that the values of X may have, the first one being that of integers.

    scikit-learn would convert float16 to float64.
    """
    return [np.float32] if getattr(X, "dtype", None) == np.float16 else [np.float64, np.float32]


def effective_jobs(n_jobs: Any) -> int:
    """Return the number of threads for `n_jobs`, by scikit-learn's conventions.

    It is at most the number of cores of the process: threads that share a core wait for each
    other.
    """
    if n_jobs is None:
        return 1
    threads = check_whole(n_jobs, "n_jobs")
    if threads == 0:
        raise ValueError("n_jobs must not be 0; use 1 for one thread and -1 for all.")
    from joblib import cpu_count  # slow to import, and not needed for one thread

    cores = int(cpu_count())
    return min(threads, cores) if threads > 0 else max(1, cores + 1 + threads)


def _wrong_type(value: Any, name: str, wanted: str) -> TypeError:
    return TypeError(f"{name} must be an instance of {wanted}, not {type(value).__qualname__}.")


def _check_bounds(value: Any, name: str, low: float | None, high: float | None = None) -> None:
    if low is not None and value < low:
        raise ValueError(f"{name} == {value}, must be >= {low}.")
    if high is not None and value > high:
        raise ValueError(f"{name} == {value}, must be <= {high}.")
