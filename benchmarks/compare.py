"""How long powercut takes beside its peers, from the same matrix and in the same run.

    python benchmarks/compare.py                     # all workloads, one and two threads
    python benchmarks/compare.py --only blocks-1m-0.2 --threads 1 --repeats 1
    python benchmarks/compare.py --folder DIR        # ready-made blocks, NAME.npz
    python benchmarks/compare.py --quick             # a small graph, to see that it runs

Everybody is given the same scipy matrix and converts it within the time that counts.
Every run has a process of its own, in which a small graph was clustered before, so that
nobody pays for what another left behind or for loading a library. Runs of all methods
alternate and the best of each counts. Peers that are not installed are skipped by name.

Columns: seconds; CPU, the seconds of all threads together; passes, the seconds as a
multiple of one ``A @ x``; powercut's seconds as a multiple of a peer's with as many
threads; how many times faster a method is than with one thread; memory at the peak beyond
the matrix, in bytes for each of its entries (two for an edge); clusters; NMI with the
known ones.
"""

import argparse
import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.metrics import normalized_mutual_info_score

from _experiments import Unavailable, header, markdown, read_npz
from _graphs import BLOCKS_1M, BLOCKS_100K, CRAWL, MIXED_1M, SMALL, Workload
from _measure import Cost, in_child, measure, one_pass
from powercut import PowerLawCut
from powercut.datasets import make_block_graph

OURS = "powercut"


@dataclass(frozen=True)
class Method:
    """A way to cluster a matrix with a number of threads."""

    name: str
    package: str
    cluster: Callable[[sp.csr_array], npt.ArrayLike]
    threads: int


@dataclass(frozen=True)
class Run:
    """What a method took and found; `unit` are the seconds of one pass over the matrix."""

    cost: Cost
    unit: float
    n_entries: int
    n_clusters: int
    nmi: float | None


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

    random.seed(0)  # igraph draws from Python's own generator
    upper = sp.triu(matrix, format="coo")
    graph = igraph.Graph(matrix.shape[0], np.column_stack([upper.row, upper.col]))
    return np.asarray(graph.community_leiden(objective_function="modularity").membership)


def methods(threads: list[int]) -> list[Method]:
    """Return ours and the peers, those that have threads with each number of them."""
    found = [Method("igraph Leiden", "igraph", with_igraph, 1)]
    for n in threads:
        found.append(Method(OURS, "powercut", partial(with_powercut, threads=n), n))
        for name in ("ParallelLeiden", "PLM"):
            peer = partial(with_networkit, threads=n, algorithm=name)
            found.append(Method(f"NetworKit {name}", "networkit", peer, n))
    return found


def run_once(method: Method, path: Path) -> Run:
    """Run a method, in a process of its own."""
    import_module(method.package)
    method.cluster(make_block_graph(1000, random_state=0)[0].adjacency)
    matrix, truth = read_npz(path)
    unit = one_pass(matrix)
    found, cost = measure(lambda: np.asarray(method.cluster(matrix)))
    nmi = None if truth is None else float(normalized_mutual_info_score(truth, found))
    return Run(cost, unit, matrix.nnz, len(np.unique(found)), nmi)


def best_runs(some: list[Method], path: Path, repeats: int) -> dict[Method, Run]:
    """Return the fastest run of each method."""
    best: dict[Method, Run] = {}
    for _ in range(repeats):
        for method in some:
            run = in_child(run_once, method, path)
            if method not in best or run.cost.seconds < best[method].cost.seconds:
                best[method] = run
    return best


COLUMNS = (
    *("workload", "method", "threads", "seconds", "CPU", "passes", "powercut / it", "speed-up"),
    *("bytes an entry", "clusters", "NMI"),
)


def rows(workload: str, best: dict[Method, Run]) -> Iterator[list[str]]:
    """Yield the row of each method."""
    seconds = {(method.name, method.threads): run.cost.seconds for method, run in best.items()}
    unit = min(run.unit for run in best.values())

    def ratio(numerator: tuple[str, int], denominator: tuple[str, int]) -> str:
        if numerator == denominator or not {numerator, denominator} <= seconds.keys():
            return ""
        return f"{seconds[numerator] / seconds[denominator]:.2f}"

    for method, run in best.items():
        name, threads, cost = method.name, method.threads, run.cost
        yield [
            *(workload, name, str(threads)),
            *(f"{cost.seconds:.2f}", f"{cost.cpu:.2f}", f"{cost.seconds / unit:.0f}"),
            ratio((OURS, threads), (name, threads)),
            ratio((name, 1), (name, threads)),
            f"{cost.memory / run.n_entries:.1f}",
            str(run.n_clusters),
            "" if run.nmi is None else f"{run.nmi:.4f}",
        ]


def compare(
    workload: Workload, some: list[Method], repeats: int, folder: Path | None
) -> Iterator[list[str]]:
    """Yield the rows of a workload."""
    with tempfile.TemporaryDirectory() as scratch:
        path = workload.file(folder, Path(scratch))
        yield from rows(workload.name, best_runs(some, path, repeats))


def main() -> None:
    full = {one.name: one for one in (BLOCKS_100K, CRAWL, BLOCKS_1M, MIXED_1M)}
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a small graph")
    parser.add_argument("--only", nargs="+", choices=full, default=list(full))
    parser.add_argument("--folder", type=Path, help="where the blocks are, as NAME.npz")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    some = methods(options.threads)
    missing = sorted({method.package for method in some if find_spec(method.package) is None})
    skipped = [f"{package} is not installed" for package in missing]
    some = [method for method in some if method.package not in missing]
    if options.quick:
        options.repeats, options.folder = 1, None
    print(header(COLUMNS))
    for workload in [SMALL] if options.quick else [full[name] for name in options.only]:
        ready = None if workload is CRAWL else options.folder  # a real graph is read as it is
        try:
            for row in compare(workload, some, options.repeats, ready):
                print(markdown(row), flush=True)
        except Unavailable as reason:
            skipped.append(f"{workload.name}, {reason}")
    for what in skipped:
        print(f"\nSkipped: {what}.")


if __name__ == "__main__":
    main()
