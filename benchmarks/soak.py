"""Fit for hours in one process, with interrupts: memory, threads and labels stay the same.

    python benchmarks/soak.py --seconds 7200
    python benchmarks/soak.py --quick

Every estimator and score is fitted to random data of random sizes, with one to four threads. Two
thirds of the fits are disturbed: by SIGINT, with either `on_interrupt`, by `max_seconds`, or by a
progress callback that raises. The exit status is 1 if

- the memory that the process holds between fits leaves a band of 2% after the warm-up; all threads
  use one heap, see `use_one_heap`,
- a thread is left after a fit,
- an undisturbed fit gives other labels than the same fit in a fresh process.

The warm-up is the time in which each case is fitted once, undisturbed; libraries start their
thread pools and caches there. Later, the medians of ten equal parts of the time are compared.
"""

import argparse
import hashlib
import os
import signal
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

import numpy as np
from sklearn.datasets import make_moons

from _experiments import header, markdown
from _measure import held_memory
from powercut import Graph, PowerLawClusters, PowerLawCut, PowerLawKernelMeans, PowerLawMeans
from powercut.datasets import make_blobs, make_block_graph

BAND = 0.02
PARTS = 10


def unweighted(n: int, seed: int) -> Any:
    return make_block_graph(n, degree=22, random_state=seed)[0]


def weighted(n: int, seed: int) -> Any:
    graph = unweighted(n, seed)
    rows = np.repeat(np.arange(n), np.diff(graph.indptr))
    once = rows < graph.indices
    weights = np.random.default_rng(seed).gamma(2, size=int(once.sum()))
    return Graph.from_edges(rows[once], graph.indices[once], weights, n_nodes=n, symmetrize="max")


def points(n: int, seed: int) -> Any:
    return make_blobs(n, n_features=2 + seed % 14, random_state=seed)[0]


def curves(n: int, seed: int) -> Any:
    return make_moons(n, noise=0.05, random_state=seed)[0]


def kernel(n: int, seed: int) -> Any:
    X = points(n, seed).astype(float)
    return X @ X.T


@dataclass(frozen=True)
class Kind:
    """An estimator, how its data are made, and the largest number of nodes or points."""

    model: Any
    make: Callable[[int, int], Any]
    largest: int


KINDS = (
    # Graphs of more than 2**20 entries, and more than 20,000 points, have a search of their own.
    Kind(PowerLawCut(), unweighted, 60_000),
    Kind(PowerLawCut(), weighted, 5_000),
    Kind(PowerLawCut(connected=False), unweighted, 5_000),
    Kind(PowerLawCut("modularity", tradeoff=1.0), weighted, 60_000),
    Kind(PowerLawCut("cpm", tradeoff=1.0, resolution=0.01), unweighted, 20_000),
    Kind(PowerLawCut("ncut"), weighted, 5_000),
    Kind(PowerLawCut("rcut"), unweighted, 5_000),
    Kind(PowerLawCut("rassoc"), weighted, 5_000),
    Kind(PowerLawCut("ncut", algorithm="lloyd"), unweighted, 5_000),
    Kind(PowerLawCut(affinity="nearest_neighbors"), points, 3_000),
    Kind(PowerLawCut(affinity="rbf"), points, 500),
    Kind(PowerLawClusters(), points, 10_000),
    Kind(PowerLawClusters(outliers="label"), curves, 10_000),
    Kind(PowerLawClusters(), unweighted, 5_000),
    Kind(PowerLawMeans(), points, 30_000),
    Kind(PowerLawMeans(covariance="spherical"), points, 5_000),
    Kind(PowerLawMeans(covariance="full"), points, 3_000),
    Kind(PowerLawMeans("kmeans"), points, 10_000),
    Kind(PowerLawMeans("kmeans", tradeoff=8.0, algorithm="lloyd"), points, 10_000),
    Kind(PowerLawKernelMeans(8.0), kernel, 1_000),
    Kind(PowerLawKernelMeans(8.0, algorithm="lloyd"), kernel, 1_000),
)


@dataclass(frozen=True)
class Case:
    """One fit: a kind, a size, a number of threads, and the seed of data and search."""

    kind: int
    n: int
    threads: int
    seed: int

    def data(self) -> Any:
        return KINDS[self.kind].make(self.n, self.seed)

    def model(self) -> Any:
        # The models of `KINDS` are never fitted; a fit would keep its results there.
        model = KINDS[self.kind].model
        return type(model)(**model.get_params()).set_params(
            n_jobs=self.threads, random_state=self.seed
        )


@dataclass(frozen=True)
class Reference:
    """The labels of a fit in a fresh process, as a digest, and its seconds."""

    digest: str
    seconds: float


def digest(labels: Any) -> str:
    return hashlib.sha256(np.ascontiguousarray(labels)).hexdigest()


def random_cases(count: int, scale: float, random: np.random.Generator) -> list[Case]:
    """Return cases of all kinds, of sizes that are uniform on a logarithmic scale."""
    cases = []
    for at in range(count):
        kind = at % len(KINDS)
        largest = max(100.0, scale * KINDS[kind].largest)
        n = round(np.exp(random.uniform(np.log(60), np.log(largest))))
        cases.append(Case(kind, n, int(random.choice([1, 2, 4])), int(random.integers(2**31))))
    return cases


def fit_fresh(case: Case) -> Reference:
    """Fit a case; called in a process that has fitted nothing before."""
    warnings.simplefilter("ignore")
    data, model = case.data(), case.model()
    began = time.perf_counter()
    labels = model.fit(data).labels_
    return Reference(digest(labels), time.perf_counter() - began)


def references(cases: list[Case]) -> dict[Case, Reference]:
    """Fit each case in a fresh process, forked from one that has only imported the package."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["powercut.datasets", "powercut.results.storage", "sklearn"])
    with ProcessPoolExecutor(2, mp_context=context, max_tasks_per_child=1) as pool:
        return dict(zip(cases, pool.map(fit_fresh, cases), strict=True))


class StopFit(Exception):  # noqa: N818 (no error, but a wish)
    """Raised by a progress callback."""


def stop_after(seconds: float) -> Callable[[Any], None]:
    """Return a progress callback that raises after some seconds."""
    end = time.monotonic() + seconds

    def callback(_: Any) -> None:
        if time.monotonic() > end:
            raise StopFit

    return callback


@contextmanager
def interrupt_after(seconds: float) -> Iterator[None]:
    """Send this process SIGINT after some seconds, unless the work ends before."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def disturb(model: Any, how: str, moment: float) -> Any:
    """Prepare a model for a disturbance, and return the context to fit it in."""
    if how == "max_seconds":
        model.set_params(max_seconds=moment)
    elif how == "callback":
        model.set_params(progress=stop_after(moment))
    elif how == "SIGINT, return":
        model.set_params(on_interrupt="return")
    return interrupt_after(moment) if how.startswith("SIGINT") else nullcontext()


DISTURBANCES = ("max_seconds", "callback", "SIGINT, raise", "SIGINT, return")


@dataclass
class Soak:
    """The fits of one process, and what was seen between them."""

    expected: dict[Case, Reference]
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def fit(self, case: Case, how: str, moment: float) -> None:
        """Fit a case, disturbed after some seconds; check the labels of an undisturbed fit."""
        data, model = case.data(), case.model()
        before = n_threads()
        try:
            with disturb(model, how, moment):
                model.fit(data)
            outcome = "finished" if how == "none" else f"{how}: finished"
        except (KeyboardInterrupt, StopFit):
            outcome = f"{how}: raised"
        self.outcomes[outcome] += 1
        if how == "none" and digest(model.labels_) != self.expected[case].digest:
            self.failures.append(f"{case}: other labels than in a fresh process")
        # The first fit of a kind may start the thread pool of a library; it is undisturbed.
        if how != "none" and (left := threads_left(before)):
            self.failures.append(f"{case}, {how}: {left} threads left")


def n_threads() -> int:
    """Return the number of threads of this process, native ones included."""
    return len(os.listdir("/proc/self/task"))


def threads_left(before: int) -> int:
    """Return how many threads there are beyond those before, and do not end within seconds."""
    end = time.monotonic() + 10
    # The system lists a thread for a moment after it was joined, or longer if it is busy.
    while (left := n_threads() - before) > 0 and time.monotonic() < end:
        time.sleep(0.01)
    return max(0, left)


def band(memory: Sequence[float]) -> tuple[list[float], float]:
    """Return the medians of the parts, and how far they are from the first, as a fraction."""
    medians = [float(np.median(part)) for part in np.array_split(memory, PARTS)]
    return medians, max(abs(median / medians[0] - 1) for median in medians)


def run(seconds: float, count: int, scale: float, seed: int) -> int:
    random = np.random.default_rng(seed)
    cases = random_cases(count, scale, random)
    began = time.monotonic()
    soak = Soak(references(cases))
    print(f"{len(cases)} cases in fresh processes: {time.monotonic() - began:.0f} s", flush=True)

    began = time.monotonic()
    for case in cases:
        soak.fit(case, "none", 0.0)
    threads = n_threads()
    warm = time.monotonic() - began
    print(f"warm-up: {warm:.0f} s, {held_memory() / 1e6:.1f} MB, {threads} threads", flush=True)

    memory: list[int] = []
    last_print = time.monotonic()
    while time.monotonic() - began < seconds or len(memory) < 4 * PARTS:
        case = cases[random.integers(len(cases))]
        how = "none" if random.random() < 1 / 3 else str(random.choice(DISTURBANCES))
        soak.fit(case, how, float(random.uniform(0, soak.expected[case].seconds)))
        memory.append(held_memory())
        if time.monotonic() - last_print > 60:
            last_print = time.monotonic()
            print(f"{last_print - began:6.0f} s {memory[-1] / 1e6:.1f} MB", flush=True)

    if threads_left(threads) or threading.active_count() > 1:
        soak.failures.append(f"{n_threads()} threads at the end, {threads} after the warm-up")
    medians, deviation = band(memory)
    print(f"\n{soak.outcomes.total()} fits in {time.monotonic() - began:.0f} s\n")
    print(header(["ended", "fits"]))
    for outcome, number in sorted(soak.outcomes.items()):
        print(markdown([outcome, str(number)]))
    print("\nmemory in MB:", ", ".join(f"{median / 1e6:.1f}" for median in medians))
    print(f"largest deviation {deviation:.2%}; {n_threads()} threads, {threads} after the warm-up")
    if deviation > BAND:
        soak.failures.append(f"memory is not flat: {deviation:.2%}")
    print("\n".join(soak.failures) if soak.failures else "all checks passed")
    return 1 if soak.failures else 0


def use_one_heap() -> None:
    """Start this script again, with one heap for all threads, unless it has been.

    By default glibc gives threads heaps of their own, and does not return the free memory at the
    end of these to the system. The resident memory then grows, up to a limit, until each of the
    heaps was used by the largest fit, and growth by a leak could not be told from that.
    """
    if os.environ.get("MALLOC_ARENA_MAX") != "1":
        one_heap = {**os.environ, "MALLOC_ARENA_MAX": "1"}
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], one_heap)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=7200, help="time, warm-up included")
    parser.add_argument("--cases", type=int, default=5 * len(KINDS), help="different fits")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the largest sizes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="use small data, for seconds")
    options = parser.parse_args()
    use_one_heap()
    # A shell may have started this in the background, with interrupts ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    warnings.simplefilter("ignore")
    if options.quick:
        return run(4, len(KINDS), 0.02, options.seed)
    return run(options.seconds, options.cases, options.scale, options.seed)


if __name__ == "__main__":
    sys.exit(main())
