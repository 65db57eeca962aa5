"""Measure how the cost of a fit grows with the graph, and extrapolate to a very large one.

    python benchmarks/cost.py                        # 1 to 64 million edges, one and two threads
    python benchmarks/cost.py --millions 1 2 4       # some of these
    python benchmarks/cost.py --quick                # small graphs, as a smoke test

Graphs are block model graphs with Pitman-Yor sizes, mixing 0.2, a mean degree near 22 and
increasing numbers of nodes. Every fit has its own process. The line ``seconds = a edges^b``
is fitted by least squares in logarithms. The time for a thousand million edges on 64 cores is
extrapolated from it, and marked as an extrapolation.
"""

import argparse
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from _experiments import header, markdown, read_npz
from _graphs import Workload, blocks
from _measure import Cost, in_child, measure, one_pass
from powercut import PowerLawCut
from powercut.datasets import make_block_graph

MILLIONS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
QUICK_MILLIONS = (0.01, 0.02)
EDGES_PER_NODE = 10.85  # at degree 22: nodes in small clusters have fewer
GOAL_EDGES, GOAL_CORES = 1e9, 64


@dataclass(frozen=True)
class Fit:
    """Cost of a fit; `unit` is the time of one pass, `indices` the bytes of the index array."""

    threads: int
    n_nodes: int
    n_edges: int
    indices: int
    unit: float
    cost: Cost
    nmi: float


@dataclass(frozen=True)
class Line:
    """Seconds of a fit: ``a edges^b``."""

    a: float
    b: float

    @classmethod
    def through(cls, fits: list[Fit]) -> "Line":
        edges, seconds = zip(*((fit.n_edges, fit.cost.seconds) for fit in fits), strict=True)
        b, log_a = np.polyfit(np.log(edges), np.log(seconds), 1)
        return cls(float(np.exp(log_a)), float(b))

    def seconds(self, edges: float) -> float:
        return float(self.a * edges**self.b)

    def worst_ratio(self, fits: list[Fit]) -> float:
        """Return the largest factor between a fit and the line."""
        logs = [np.log(fit.cost.seconds / self.seconds(fit.n_edges)) for fit in fits]
        return float(np.exp(np.abs(logs).max()))


def parallel_part(seconds: float, with_threads: float, threads: int) -> float:
    """Return the parallel fraction of the work, by Amdahl's law.

    Examples
    --------
    >>> parallel_part(10.0, 6.0, threads=2)
    0.8
    """
    part = (1 - with_threads / seconds) / (1 - 1 / threads)
    return min(1.0, max(0.0, part))


def workload(millions: float) -> Workload:
    n = round(millions * 1e6 / EDGES_PER_NODE)
    return blocks(f"blocks-{millions:g}m-edges", n, degree=22, mixing=0.2, seed=1)


def fit_once(path: Path, threads: int) -> Fit:
    """Fit a graph from a file, in its own process."""
    model = PowerLawCut(random_state=0, n_jobs=threads)
    model.fit(make_block_graph(1000, random_state=0)[0])  # loads all libraries
    matrix, truth = read_npz(path)
    unit = one_pass(matrix)
    _, cost = measure(lambda: model.fit(matrix))
    nmi = float(normalized_mutual_info_score(truth, model.labels_))
    n, entries = matrix.shape[0], matrix.nnz
    return Fit(threads, n, entries // 2, matrix.indices.nbytes, unit, cost, nmi)


COLUMNS = (
    *("edges", "nodes", "threads", "seconds", "CPU", "passes", "memory, bytes per node"),
    *("percent of the indices", "NMI"),
)


def row(fit: Fit) -> list[str]:
    cost = fit.cost
    return [
        *(str(fit.n_edges), str(fit.n_nodes), str(fit.threads)),
        *(f"{cost.seconds:.2f}", f"{cost.cpu:.2f}", f"{cost.seconds / fit.unit:.0f}"),
        f"{cost.memory / fit.n_nodes:.1f}",
        f"{100 * cost.memory / fit.indices:.0f}",
        f"{fit.nmi:.4f}",
    ]


def fits(millions: list[float], threads: list[int], repeats: int) -> Iterator[Fit]:
    """Yield the fastest fit of each graph with each number of threads."""
    with tempfile.TemporaryDirectory() as scratch:
        for size in millions:
            path = workload(size).file(None, Path(scratch))
            for n in threads:
                runs = [in_child(fit_once, path, n) for _ in range(repeats)]
                yield min(runs, key=lambda run: run.cost.seconds)
            path.unlink()


def lines(done: dict[int, list[Fit]]) -> Iterator[str]:
    """Yield sentences that summarise the fits by number of threads."""
    for threads, some in done.items():
        line = Line.through(some)
        yield (
            f"Threads: {threads}. Seconds = {line.a:.3g} edges^{line.b:.3f}; "
            f"no fit deviates by more than a factor of {line.worst_ratio(some):.2f}."
        )
    fewest, most = min(done), max(done)
    if fewest != 1 or most == 1:
        return
    alone, together = done[1][-1], done[most][-1]
    part = parallel_part(alone.cost.seconds, together.cost.seconds, most)
    yield (
        f"{most} threads are {alone.cost.seconds / together.cost.seconds:.2f} times as fast as one "
        f"on {alone.n_edges:,} edges: by Amdahl's law {100 * part:.0f}% of the work is parallel."
    )
    hours = Line.through(done[1]).seconds(GOAL_EDGES) / 3600
    memory = alone.cost.memory / alone.n_edges * GOAL_EDGES / 2**30
    yield (
        f"An extrapolation, not a measurement: {GOAL_EDGES:,.0f} edges are "
        f"{GOAL_EDGES / alone.n_edges:.0f} times as many as in the largest fit. By the line they "
        f"take {hours:.1f} hours on one core, and by Amdahl's law "
        f"{hours * (1 - part + part / GOAL_CORES):.2f} on {GOAL_CORES}, if memory is as fast for "
        f"{GOAL_CORES} cores as for one; and {memory:.0f} GiB beyond the matrix."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="use small graphs")
    parser.add_argument("--millions", type=float, nargs="+", default=MILLIONS, help="million edges")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeats", type=int, default=1)
    options = parser.parse_args()
    sizes = sorted(QUICK_MILLIONS if options.quick else options.millions)
    done: dict[int, list[Fit]] = {threads: [] for threads in options.threads}
    print(header(COLUMNS), flush=True)
    for fit in fits(sizes, options.threads, options.repeats):
        done[fit.threads].append(fit)
        print(markdown(row(fit)), flush=True)
    if len(sizes) > 1:
        print("", *lines(done), sep="\n")


if __name__ == "__main__":
    main()
