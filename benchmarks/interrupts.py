"""Measure the delay of Ctrl-C: signals at random moments of a fit, and a fit after them.

    python benchmarks/interrupts.py                       # a million nodes and a million points
    python benchmarks/interrupts.py --only graph --threads 2
    python benchmarks/interrupts.py --quick

Another process sends SIGINT, so that the fit cannot delay the signal. The exit status is 1 if
a fit continues for more than 0.2 seconds, or if the next fit in the same process gives other
labels than an uninterrupted one.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from _experiments import header, markdown
from powercut import PowerLawClusters, PowerLawCut, PowerLawMeans
from powercut.datasets import make_blobs, make_block_graph

LIMIT = 0.2
# Prints that it runs, waits, and prints the time of the signal, by a clock of all processes.
SEND = """
import os, signal, sys, time
print("ready", flush=True)
time.sleep(float(sys.argv[2]))
print(time.monotonic(), flush=True)
os.kill(int(sys.argv[1]), signal.SIGINT)
"""


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


def workloads(n_nodes: int, n_points: int) -> list[Workload]:
    return [
        Workload("graph", PowerLawCut, partial(graph, n_nodes)),
        Workload("points", PowerLawMeans, partial(points, n_points)),
        # Fewer, because two structures of covariances are fitted, and neighbours may follow.
        Workload("shapes", PowerLawClusters, partial(points, n_points // 20)),
    ]


def delay_of_interrupt(work: Callable[[], object], after: float) -> float | None:
    """Return the delay from a signal to the end of the work, or None if it finished before.

    Parameters
    ----------
    work : callable
        Work to interrupt.
    after : float
        Seconds until the signal.
    """
    sender = subprocess.Popen(
        [sys.executable, "-S", "-c", SEND, str(os.getpid()), str(after)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert sender.stdout is not None
    with sender.stdout as output:
        try:
            output.readline()
            work()
            sender.kill()
            sender.wait()
        except KeyboardInterrupt:
            ended = time.monotonic()
            sender.wait()
            return ended - float(output.readline())
    return None


def run(workload: Workload, *, times: int, threads: int, seed: int) -> bool:
    """Interrupt fits, print the delays, and return whether all checks passed."""
    data, random = workload.make(), np.random.default_rng(seed)

    def fit() -> Any:
        return workload.estimator(random_state=0, n_jobs=threads).fit(data)

    began = time.monotonic()
    undisturbed = fit().labels_
    seconds = time.monotonic() - began
    n = len(undisturbed)
    print(f"\n{workload.name}, n = {n:,}, {threads} threads, a fit of {seconds:.1f} s\n")
    print(header(["interrupted at, s", "delay, s"]))
    delays = []
    while len(delays) < times:
        moment = float(random.uniform(0, seconds))
        delay = delay_of_interrupt(fit, moment)
        if delay is None:
            seconds = min(seconds, moment)  # fits have become faster
            continue
        delays.append(delay)
        print(markdown([f"{moment:.2f}", f"{delay:.3f}"]), flush=True)
    same = bool(np.array_equal(undisturbed, fit().labels_))
    verdict = "equal" if same else "DIFFER"
    print(f"\nlongest delay {max(delays):.3f} s; labels of the next fit {verdict}")
    return same and max(delays) <= LIMIT


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=["graph", "points", "shapes"], nargs="*")
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="use fewer nodes, points and signals")
    options = parser.parse_args()
    # A shell may have started this in the background, with interrupts ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Quick sizes are just large enough for the search of large data.
    sizes, times = ((50_000, 21_000), 2) if options.quick else ((10**6, 10**6), options.times)
    passed = [
        run(workload, times=times, threads=options.threads, seed=options.seed)
        for workload in workloads(*sizes)
        if not options.only or workload.name in options.only
    ]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
