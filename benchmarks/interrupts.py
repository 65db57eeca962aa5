"""How long Ctrl-C waits: signals at random moments of a fit, and a fit after them.

    python benchmarks/interrupts.py                       # a million nodes and a million points
    python benchmarks/interrupts.py --only graph --threads 2
    python benchmarks/interrupts.py --quick

Another process sends SIGINT, so that nothing a fit does can keep it back. The exit status
is 1 if a fit goes on for more than 0.2 seconds, or if the next fit in the same process
gives other labels than one that nobody has disturbed.
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
from powercut import PowerLawCut, PowerLawMeans
from powercut.datasets import make_blobs, make_block_graph

LIMIT = 0.2
# Says that it runs, waits, says when it sends. The clock is that of all processes.
SEND = """
import os, signal, sys, time
print("ready", flush=True)
time.sleep(float(sys.argv[2]))
print(time.monotonic(), flush=True)
os.kill(int(sys.argv[1]), signal.SIGINT)
"""


@dataclass(frozen=True)
class Workload:
    """Something to fit."""

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
    ]


def delay_of_interrupt(work: Callable[[], object], after: float) -> float | None:
    """Return for how long work goes on that a signal interrupts, None if it is done before.

    Parameters
    ----------
    work : callable
        What to interrupt.
    after : float
        Seconds until the signal.
    """
    sender = subprocess.Popen(
        [sys.executable, "-S", "-c", SEND, str(os.getpid()), str(after)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert sender.stdout is not None
    with sender.stdout as said:
        try:
            said.readline()
            work()
            sender.kill()
            sender.wait()
        except KeyboardInterrupt:
            ended = time.monotonic()
            sender.wait()
            return ended - float(said.readline())
    return None


def run(workload: Workload, *, times: int, threads: int, seed: int) -> bool:
    """Interrupt fits, print how long each went on, and return whether all is well."""
    data, random = workload.make(), np.random.default_rng(seed)

    def fit() -> Any:
        return workload.estimator(random_state=0, n_jobs=threads).fit(data)

    began = time.monotonic()
    undisturbed = fit().labels_
    seconds = time.monotonic() - began
    n = len(undisturbed)
    print(f"\n{workload.name}, {n:,}, {threads} threads, a fit of {seconds:.1f} s\n")
    print(header(["interrupted at, s", "went on for, s"]))
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
    print(f"\nlongest {max(delays):.3f} s; labels after that {'the same' if same else 'OTHERS'}")
    return same and max(delays) <= LIMIT


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=["graph", "points"], nargs="*")
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="fewer nodes, points and signals")
    options = parser.parse_args()
    # A shell may have started this in the background, with interrupts ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Just enough to be searched as large ones are.
    sizes, times = ((50_000, 21_000), 2) if options.quick else ((10**6, 10**6), options.times)
    well = [
        run(workload, times=times, threads=options.threads, seed=options.seed)
        for workload in workloads(*sizes)
        if not options.only or workload.name in options.only
    ]
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main())
