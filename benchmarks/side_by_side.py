"""Compare two concurrent fits, in two threads of one process, with a single fit.

    python benchmarks/side_by_side.py                   # graphs and points, three times each
    python benchmarks/side_by_side.py --only points --repeats 5
    python benchmarks/side_by_side.py --quick

Each fit has one thread. Kernels release the GIL, so that two fits use two processors and
take little longer than one: if they take more than 1.3 times as long, the exit status is 1
(not with --quick, where other work on the machine can dominate). The best of several runs
counts. The ratio of CPU time to wall time shows whether two processors were available: it
should be near 2.
"""

import argparse
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from _experiments import header, markdown
from powercut import PowerLawCut, PowerLawMeans
from powercut.datasets import make_blobs, make_block_graph

LIMIT = 1.3


@dataclass(frozen=True)
class Workload:
    """An estimator and its data."""

    name: str
    estimator: Callable[..., Any]
    make: Callable[[], Any]


def graph(n: int) -> Any:
    return make_block_graph(n, degree=22, mixing=0.2, random_state=3)[0]


def points(n: int) -> Any:
    return make_blobs(n, n_features=16, random_state=0)[0]


def workloads(scale: int) -> list[Workload]:
    return [
        Workload("graph", PowerLawCut, partial(graph, 50_000 * scale)),
        Workload("small graph", PowerLawCut, partial(graph, 1000 * scale)),
        Workload("points", PowerLawMeans, partial(points, 21_000 * scale)),
        Workload("few points", PowerLawMeans, partial(points, 300 * scale)),
    ]


def together(work: Callable[[], Any], n: int) -> tuple[float, float, list[Any]]:
    """Run the same work in `n` threads; return wall time, CPU time and the results."""
    made: list[Any] = [None] * n

    def run(at: int) -> None:
        made[at] = work()

    threads = [threading.Thread(target=run, args=(at,)) for at in range(n)]
    cpu, began = time.process_time(), time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - began, time.process_time() - cpu, made


def run(workload: Workload, repeats: int) -> float:
    """Print the times of one and of two fits, and return their ratio."""
    data = workload.make()

    def fit() -> Any:
        return workload.estimator(random_state=0).fit(data).labels_

    one, two, cpu = np.inf, np.inf, 0.0
    for _ in range(repeats):
        seconds, _, (alone,) = together(fit, 1)
        one = min(one, seconds)
        seconds, used, both = together(fit, 2)
        if not all(np.array_equal(alone, labels) for labels in both):
            raise AssertionError(f"{workload.name}: labels of two fits at once differ from one")
        if seconds < two:
            two, cpu = seconds, used / seconds
    numbers = [f"{one:.2f}", f"{two:.2f}", f"{two / one:.2f}", f"{cpu:.2f}"]
    print(markdown([workload.name, *numbers]), flush=True)
    return two / one


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [workload.name for workload in workloads(1)]
    parser.add_argument("--only", choices=names, nargs="*")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="use small data, once")
    options = parser.parse_args()
    print(header(["data", "one, s", "two at once, s", "ratio", "CPU / s"]))
    ratios = [
        run(workload, 1 if options.quick else options.repeats)
        for workload in workloads(1 if options.quick else 4)
        if not options.only or workload.name in options.only
    ]
    return 0 if options.quick or max(ratios) <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
