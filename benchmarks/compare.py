"""How long powercut takes beside its peers, from the same matrix and in the same run.

    python benchmarks/compare.py                     # all workloads, one and two threads
    python benchmarks/compare.py --only blocks-1m-0.2 --threads 1 --repeats 1
    python benchmarks/compare.py --quick

Everybody is given the same scipy matrix and converts it within the time that counts.
Machines differ and are shared, so a time is told as a multiple of one pass over the
matrix, ``A @ x``, measured beside it; runs of all methods alternate and the best of
each counts. Peers that are not installed are skipped by name.
"""

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.metrics import normalized_mutual_info_score as agreement

from powercut import Graph, PowerLawCut
from powercut.datasets import make_block_graph

Labels = npt.NDArray[np.integer]


@dataclass(frozen=True)
class Workload:
    """A graph, and its clusters where they are known."""

    name: str
    make: Callable[[], tuple[sp.csr_array, Labels | None]]


@dataclass(frozen=True)
class Method:
    """A way to cluster a matrix; `threads` 0 where it has no choice."""

    name: str
    package: str
    cluster: Callable[[sp.csr_array], npt.ArrayLike]
    threads: int


@dataclass
class Best:
    """The best of several runs."""

    seconds: float = np.inf
    cpu: float = np.inf
    labels: Labels | None = None

    def run(self, method: Method, matrix: sp.csr_array) -> None:
        """Run once more."""
        cpu, start = time.process_time(), time.perf_counter()
        labels = np.asarray(method.cluster(matrix))
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        if seconds < self.seconds:
            self.seconds, self.cpu, self.labels = seconds, cpu, labels


def blocks(n: int, degree: float, mixing: float, seed: int) -> tuple[sp.csr_array, Labels]:
    """Make a graph of blocks of Pitman-Yor sizes."""
    graph, labels = make_block_graph(n, degree=degree, mixing=mixing, random_state=seed)
    return graph.adjacency.astype(np.float64), labels


def crawl() -> tuple[sp.csr_array, None]:
    """Read a crawl of the web, cnr-2000, its nodes shuffled: their order tells the sites."""
    folder = os.environ.get("POWERCUT_DATA")
    if folder is None:
        raise FileNotFoundError("the environment variable POWERCUT_DATA names no folder of data")
    edges = np.loadtxt(Path(folder) / "graphs" / "cnr-2000" / "edges.txt.gz", dtype=np.int64)
    n = int(edges.max()) + 1
    u, v = np.random.default_rng(0).permutation(n)[edges[edges[:, 0] != edges[:, 1]].T]
    graph = Graph.from_edges(u, v, n_nodes=n, symmetrize="max")
    return graph.adjacency.astype(np.float64), None


def workloads(*, quick: bool) -> list[Workload]:
    """Return the graphs to compare on."""
    if quick:
        return [Workload("blocks-3k-0.2", partial(blocks, 3000, 20, 0.2, 1))]
    return [
        Workload("blocks-100k-0.2", partial(blocks, 100_000, 20, 0.2, 1)),
        Workload("cnr-2000", crawl),
        Workload("blocks-1m-0.2", partial(blocks, 1_000_000, 22, 0.2, 3)),
        Workload("blocks-1m-0.4", partial(blocks, 1_000_000, 22, 0.4, 3)),
    ]


def with_powercut(matrix: sp.csr_array, threads: int) -> npt.ArrayLike:
    return PowerLawCut(random_state=0, n_jobs=threads).fit(matrix).labels_


def with_networkit(matrix: sp.csr_array, threads: int, algorithm: str) -> npt.ArrayLike:
    import networkit

    networkit.setNumberOfThreads(threads)
    networkit.setSeed(0, False)
    upper = sp.triu(matrix, format="coo")
    ends = (upper.row.astype(np.uint64), upper.col.astype(np.uint64))
    graph = networkit.GraphFromCoo(ends, n=matrix.shape[0], weighted=False, directed=False)
    run = getattr(networkit.community, algorithm)(graph).run()
    return np.asarray(run.getPartition().getVector())


def with_igraph(matrix: sp.csr_array) -> npt.ArrayLike:
    import igraph

    upper = sp.triu(matrix, format="coo")
    graph = igraph.Graph(matrix.shape[0], np.column_stack([upper.row, upper.col]))
    return np.asarray(graph.community_leiden(objective_function="modularity").membership)


def methods(threads: list[int]) -> list[Method]:
    """Return ours and the peers, those that have threads with each number of them."""
    found = [Method("igraph Leiden", "igraph", with_igraph, 0)]
    for n in threads:
        found.append(Method("powercut", "powercut", partial(with_powercut, threads=n), n))
        for name in ("ParallelLeiden", "PLM"):
            peer = partial(with_networkit, threads=n, algorithm=name)
            found.append(Method(f"NetworKit {name}", "networkit", peer, n))
    return found


def one_pass(matrix: sp.csr_array) -> float:
    """Return the seconds of one ``A @ x``, the best of several."""
    x = np.ones(matrix.shape[0])
    seconds = []
    for _ in range(7):
        start = time.perf_counter()
        matrix @ x
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def compare(workload: Workload, some: list[Method], repeats: int) -> list[dict[str, Any]]:
    """Return a row of the table for each method."""
    matrix, truth = workload.make()
    unit = one_pass(matrix)
    best = [Best() for _ in some]
    for _ in range(repeats):
        for method, runs in zip(some, best, strict=True):
            runs.run(method, matrix)
        unit = min(unit, one_pass(matrix))
    rows = []
    for method, runs in zip(some, best, strict=True):
        assert runs.labels is not None
        rows.append(
            {
                "workload": workload.name,
                "method": method.name,
                "threads": method.threads or 1,
                "seconds": f"{runs.seconds:.2f}",
                "CPU": f"{runs.cpu:.2f}",
                "passes": f"{runs.seconds / unit:.0f}",
                "clusters": len(np.unique(runs.labels)),
                "NMI": "" if truth is None else f"{agreement(truth, runs.labels):.4f}",
            }
        )
    return rows


def show(rows: list[dict[str, Any]]) -> None:
    """Print a Markdown table."""
    names = list(rows[0])
    print("| " + " | ".join(names) + " |")
    print("|" + "---|" * len(names))
    for row in rows:
        print("| " + " | ".join(str(row[name]) for name in names) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a small graph, to see that it runs")
    parser.add_argument("--only", action="append", help="a workload; may be given several times")
    parser.add_argument("--threads", type=int, action="append", help="1 and 2 if not given")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    some = methods(arguments.threads or [1, 2])
    missing = sorted({method.package for method in some if find_spec(method.package) is None})
    for package in missing:
        print(f"skipped: {package} is not installed")
    some = [method for method in some if method.package not in missing]
    for method in some:
        import_module(method.package)  # not within the time that counts
    rows = []
    for workload in workloads(quick=arguments.quick):
        if arguments.only and workload.name not in arguments.only:
            continue
        try:
            rows += compare(workload, some, 1 if arguments.quick else arguments.repeats)
        except FileNotFoundError as reason:
            print(f"skipped: {workload.name}, {reason}")
    if rows:
        show(rows)


if __name__ == "__main__":
    main()
