"""Compare the time of powercut with that of its peers, on the same matrix in the same run.

    python benchmarks/compare.py                     # all workloads, one and two threads
    python benchmarks/compare.py --only blocks-1m-0.2 --threads 1 --repeats 1
    python benchmarks/compare.py --only blocks-6.4m-0.2 --peers networkit --repeats 1
    python benchmarks/compare.py --only blocks-100k-0.2 --graph-tool 30
    python benchmarks/compare.py --folder DIR        # precomputed graphs, NAME.npz
    python benchmarks/compare.py --quick             # a small graph, as a smoke test

All methods are given the same scipy matrix; converting it counts. Every run has its own
process, in which a small graph was clustered before, so that the time includes neither
the loading of a library nor effects of earlier runs. Runs of all methods alternate, and the
best of each counts. Peers that are not installed are listed as skipped. `blocks-6.4m-0.2` runs only
if it is named: igraph takes more than 40 minutes there. graph-tool, which takes far longer than the
others, runs once, with `--graph-tool MINUTES` as its limit.

Columns: seconds; CPU, the CPU seconds of all threads; passes, the seconds as a multiple of
one ``A @ x``; seconds of powercut as a multiple of those of the peer with the same number
of threads; speed-up over one thread; peak memory beyond the matrix, in MiB and in bytes per
entry (an edge has two entries); number of clusters; NMI with the known clusters.
"""

import argparse
import random
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.metrics import normalized_mutual_info_score

import _graph_tool
from _experiments import Labels, Unavailable, header, markdown, read_npz
from _graphs import BLOCKS_1M, BLOCKS_6M, BLOCKS_100K, CRAWL, MIXED_1M, SMALL, Workload
from _measure import Cost, in_child, measure, one_pass
from powercut import PowerLawCut
from powercut.datasets import make_block_graph

OURS = "powercut"


@dataclass(frozen=True)
class Method:
    """A clustering method with a number of threads."""

    name: str
    package: str
    cluster: Callable[[sp.csr_array], npt.ArrayLike]
    threads: int


@dataclass(frozen=True)
class Run:
    """Cost and result of a method; `unit` is the time of one pass over the matrix."""

    cost: Cost
    unit: float
    n_entries: int
    n_clusters: int
    nmi: float | None

    @classmethod
    def of(
        cls, found: npt.NDArray[Any], cost: Cost, unit: float, n_entries: int, truth: Labels | None
    ) -> "Run":
        """Judge the labels that were found."""
        nmi = None if truth is None else float(normalized_mutual_info_score(truth, found))
        return cls(cost, unit, n_entries, len(np.unique(found)), nmi)


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

    random.seed(0)  # igraph uses the generator of Python
    upper = sp.triu(matrix, format="coo")
    graph = igraph.Graph(matrix.shape[0], np.column_stack([upper.row, upper.col]))
    return np.asarray(graph.community_leiden(objective_function="modularity").membership)


PEERS = ("igraph", "networkit")


def methods(threads: list[int]) -> list[Method]:
    """Return our method and the peers, with each number of threads if they support it."""
    found = [Method("igraph Leiden", "igraph", with_igraph, 1)]
    for n in threads:
        found.append(Method(OURS, "powercut", partial(with_powercut, threads=n), n))
        for name in ("ParallelLeiden", "PLM"):
            peer = partial(with_networkit, threads=n, algorithm=name)
            found.append(Method(f"NetworKit {name}", "networkit", peer, n))
    return found


def run_once(method: Method, path: Path) -> Run:
    """Run a method, in its own process."""
    import_module(method.package)
    method.cluster(make_block_graph(1000, random_state=0)[0].adjacency)
    matrix, truth = read_npz(path)
    unit = one_pass(matrix)
    found, cost = measure(lambda: np.asarray(method.cluster(matrix)))
    return Run.of(found, cost, unit, matrix.nnz, truth)


def run_graph_tool(path: Path, scratch: Path, minutes: float) -> Run:
    """Run graph-tool once; raise Unavailable if it is not installed or not done in time."""
    python = _graph_tool.interpreter()
    if python is None:
        raise Unavailable("graph-tool is not installed")
    try:
        found, cost = _graph_tool.run(python, path, scratch / "answer.npz", 60 * minutes)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"graph-tool was not done in {minutes:g} minutes") from None
    matrix, truth = read_npz(path)
    return Run.of(found, cost, one_pass(matrix), matrix.nnz, truth)


GRAPH_TOOL = Method("graph-tool PP", "graph_tool", _graph_tool.cluster, 1)


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
    *("MiB", "bytes per entry", "clusters", "NMI"),
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
            f"{cost.memory / 2**20:.0f}",
            f"{cost.memory / run.n_entries:.1f}",
            str(run.n_clusters),
            "" if run.nmi is None else f"{run.nmi:.4f}",
        ]


def compare(
    workload: Workload, some: list[Method], repeats: int, folder: Path | None, minutes: float
) -> Iterator[list[str]]:
    """Yield the rows of a workload, and then raise Unavailable if there is none of graph-tool."""
    with tempfile.TemporaryDirectory() as scratch:
        path = workload.file(folder, Path(scratch))
        best, missing = best_runs(some, path, repeats), None
        if minutes > 0:
            try:
                best[GRAPH_TOOL] = in_child(run_graph_tool, path, Path(scratch), minutes)
            except Unavailable as reason:
                missing = reason
        yield from rows(workload.name, best)
        if missing is not None:
            raise missing


def main() -> None:
    usual = (BLOCKS_100K, CRAWL, BLOCKS_1M, MIXED_1M)
    full = {one.name: one for one in (*usual, BLOCKS_6M)}
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="use a small graph")
    parser.add_argument("--only", nargs="+", choices=full)
    parser.add_argument("--folder", type=Path, help="read block model graphs from NAME.npz here")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=PEERS)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--graph-tool", type=float, default=0, metavar="MINUTES", help="run graph-tool, so long"
    )
    options = parser.parse_args()
    wanted = {"powercut", *options.peers}
    some = [method for method in methods(options.threads) if method.package in wanted]
    missing = sorted({method.package for method in some if find_spec(method.package) is None})
    skipped = [f"{package} is not installed" for package in missing]
    some = [method for method in some if method.package not in missing]
    if options.quick:
        options.repeats, options.folder = 1, None
    print(header(COLUMNS))
    named = usual if options.only is None else [full[name] for name in options.only]
    for workload in [SMALL] if options.quick else named:
        ready = None if workload is CRAWL else options.folder  # not precomputed
        try:
            for row in compare(workload, some, options.repeats, ready, options.graph_tool):
                print(markdown(row), flush=True)
        except Unavailable as reason:
            skipped.append(f"{workload.name}, {reason}")
    for what in skipped:
        print(f"\nSkipped: {what}.")


if __name__ == "__main__":
    main()
