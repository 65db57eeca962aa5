"""Time, CPU time and memory of a computation, in a fresh process.

A process keeps threads, caches and freed memory of earlier work. Computations that are
compared therefore run in a fresh process each, forked from one that has only imported the
package: to import it takes seconds. Memory is read from /proc of Linux.
"""

import ctypes
import gc
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import ParamSpec, Protocol, TypeVar

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True)
class Cost:
    """Time and memory of a computation.

    Attributes
    ----------
    seconds, cpu : float
        Wall time, and CPU time of all threads.
    memory : int
        Peak memory in bytes, beyond what the process held before.
    """

    seconds: float
    cpu: float
    memory: int


class Measured(Protocol):
    """A run with its cost."""

    cost: Cost


P = ParamSpec("P")
T = TypeVar("T")
M = TypeVar("M")
R = TypeVar("R", bound=Measured)

FORKSERVER = get_context("forkserver")
FORKSERVER.set_forkserver_preload(
    ["powercut.datasets", "powercut.disk", "powercut.estimators", "scipy.sparse", "sklearn.metrics"]
)


def in_child(function: Callable[P, T], *arguments: P.args, **keywords: P.kwargs) -> T:
    """Call a function in a fresh process; arguments and result are pickled."""
    with ProcessPoolExecutor(1, mp_context=FORKSERVER) as pool:
        return pool.submit(function, *arguments, **keywords).result()


def measure(work: Callable[[], T]) -> tuple[T, Cost]:
    """Call a function, and return its result and its cost."""
    before = held_memory()
    forget_peak()
    cpu, start = time.process_time(), time.perf_counter()
    result = work()
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    return result, Cost(seconds, cpu, peak_memory() - before)


def best_runs(methods: Iterable[M], run: Callable[[M], R], repeats: int) -> dict[M, R]:
    """Run all methods alternately, each in a fresh process; return the fastest run of each."""
    best: dict[M, R] = {}
    for _ in range(repeats):
        for method in methods:
            one = in_child(run, method)
            if method not in best or one.cost.seconds < best[method].cost.seconds:
                best[method] = one
    return best


def held_memory() -> int:
    """Return the bytes in use, after free memory was returned to the system."""
    gc.collect()
    # Freed memory that the C library keeps would be reused without being counted.
    ctypes.CDLL(None).malloc_trim(0)
    return resident_memory()


def resident_memory() -> int:
    return _status("VmRSS")


def file_memory() -> int:
    """Return the resident bytes of mapped files, such as libraries; the system may drop them."""
    return _status("RssFile")


def peak_memory(process: int | None = None) -> int:
    """Return the largest number of bytes since `forget_peak`, of this process or another."""
    return _status("VmHWM", process)


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _status(name: str, process: int | None = None) -> int:
    path = Path(f"/proc/{process or 'self'}/status")
    for line in path.read_text().splitlines():
        if line.startswith(f"{name}:"):
            return 1024 * int(line.split()[1])
    raise LookupError(f"{path} has no {name}")


def one_pass(matrix: sp.csr_array) -> float:
    """Return the seconds of one ``A @ x``, the best of several.

    Machines differ and are shared: times are given as multiples of this one.
    """
    x = np.ones(matrix.shape[0])
    seconds = []
    for _ in range(7):
        start = time.perf_counter()
        matrix @ x
        seconds.append(time.perf_counter() - start)
    return min(seconds)
