"""Measure graph folders in gap code: bytes per entry, and what reading them costs a search.

    python benchmarks/gap_code.py                   # a million nodes, and graphs of POWERCUT_DATA
    python benchmarks/gap_code.py --fits            # whole fits, too
    python benchmarks/gap_code.py --only com-dblp    # graphs whose name begins like this
    python benchmarks/gap_code.py --folder DIR      # with blocks-1m-0.2.npz of a folder
    python benchmarks/gap_code.py --quick           # a small graph, as a smoke test

Every graph is written to two folders, plain and in gap code, and both are mapped. Seconds are CPU
seconds of one thread, the best of several passes, which alternate between the two folders because
machines are shared. A sweep is a round of moves, in the order of the search, from clusters in which
few nodes move; the first round, from singletons, moves many; a product is ``A @ x``, row after row.
The ratios are gap code to plain.

The last table is computed, not measured on a graph: rows of random columns with the degrees of
`blocks-1m-0.2` in graphs of up to a hundred million nodes. That is what a block graph has whose
node numbers tell nothing about clusters. The bound is the entropy of the gaps, which no code beats.

The exit status is 1 if labels differ, or if a sweep costs more than 1.3 times on the
large block graphs.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from _experiments import Labels, Unavailable, data_folder, header, markdown, read_npz
from _graphs import BLOCKS_1M, SMALL, Workload
from _measure import in_child
from powercut import Graph, PitmanYor, PowerLawCut, _core
from powercut.disk import open_blocks, write_blocks
from powercut.disk.manifest import GAPS, INDICES, STARTS
from powercut.graphs.block_model import block_level
from powercut.graphs.gap_code import encode
from powercut.graphs.scores import Modularity
from powercut.search.objective import Objective, Regulariser

ENCODINGS = ("plain", "gaps")
MOST = 1.3
FEW = 0.02
REAL = ("com-dblp", "cnr-2000")
SIZES, ROWS = (10**6, 10**7, 10**8), 200_000


@dataclass(frozen=True)
class Measured:
    """Bytes of the columns, and the CPU seconds of each pass, by encoding."""

    n_entries: int
    n_bytes: dict[str, int]
    seconds: dict[str, dict[str, float]]
    same: bool

    def ratio(self, what: str) -> float:
        return self.seconds[what]["gaps"] / self.seconds[what]["plain"]


def shuffled(graph: Graph) -> Graph:
    number = np.random.default_rng(0).permutation(graph.n_nodes)
    u = np.repeat(number, np.diff(graph.indptr))
    return Graph.from_edges(u, number[graph.indices], graph.weights, n_nodes=graph.n_nodes)


def by_label(graph: Graph, labels: Labels) -> Graph:
    number = np.argsort(np.argsort(labels, kind="stable"))
    u = np.repeat(number, np.diff(graph.indptr))
    return Graph.from_edges(u, number[graph.indices], graph.weights, n_nodes=graph.n_nodes)


def weighted(graph: Graph) -> Graph:
    """Return the graph with float32 weights from 1 to 5 that are the same in both directions."""
    u = np.repeat(np.arange(graph.n_nodes), np.diff(graph.indptr))
    weights = 1 + (u + graph.indices) % 5
    return Graph._of_rows(graph.indptr, graph.indices, weights.astype(np.float32))


def read_real(name: str) -> Graph:
    path = data_folder() / "graphs" / name / "edges.txt.gz"
    if not path.exists():
        raise Unavailable(f"the folder of POWERCUT_DATA has no graphs/{name}")
    edges = np.loadtxt(path, dtype=np.int64)
    u, v = edges[edges[:, 0] != edges[:, 1]].T
    return Graph(Graph.from_edges(u, v, symmetrize="max").adjacency.astype(bool))


def graphs(workload: Workload, path: Path, real: Sequence[str]) -> Iterator[tuple[str, Graph]]:
    """Yield the graphs with the orders of their nodes; the numbers of block graphs are random."""
    matrix, truth = read_npz(path)
    graph = Graph(matrix)
    yield f"{workload.name}, shuffled", graph
    yield f"{workload.name}, by cluster", by_label(graph, truth)
    for name in real:
        try:
            graph = read_real(name)
        except Unavailable as reason:
            print(f"{name} is skipped: {reason}", file=sys.stderr)
            continue
        yield f"{name}, as it is", graph
        yield f"{name}, shuffled", shuffled(graph)


def moved(graph: Graph, labels: Labels, negligible: float) -> Labels:
    """Raise the modularity by moves of single nodes, until few of them move in a round."""
    modularity = Modularity(1.0, graph.total_weight)
    objective = Objective(modularity, Regulariser(PitmanYor(1.0, 0.0), 0.0))
    level, random = block_level(graph), np.random.default_rng(0)
    return level.local_moves(
        labels, objective, random=random, cancel=None, negligible=negligible
    ).labels


def passes(graph: Graph, settled: Labels) -> dict[str, Callable[[], Labels]]:
    """Return the passes over the rows of a graph; one round ends if at most all nodes move."""
    singletons = np.arange(graph.n_nodes, dtype=np.int32)
    x = np.random.default_rng(0).random(graph.n_nodes)
    return {
        "sweep": lambda: moved(graph, settled, 1.0),
        "first round": lambda: moved(graph, singletons, 1.0),
        "product": lambda: _core.row_products(graph.arrays, x, 1, None),
    }


def measured(graph: Graph, scratch: Path, repeats: int, *, fits: bool) -> Measured:
    """Write a graph in both encodings, and measure the passes over each."""
    n_bytes, todo = {}, {}
    settled = moved(graph, np.arange(graph.n_nodes, dtype=np.int32), FEW)
    with tempfile.TemporaryDirectory(dir=scratch) as place:
        for encoding in ENCODINGS:
            folder = write_blocks(Path(place, encoding), graph, encoding=encoding)
            files = (folder / f"{name}.npy" for name in (INDICES, GAPS, STARTS))
            n_bytes[encoding] = sum(file.stat().st_size for file in files if file.exists())
            todo[encoding] = passes(open_blocks(folder), settled)
            if fits:
                todo[encoding]["fit"] = lambda folder=folder: fit(folder)
        seconds: dict[str, dict[str, float]] = {}
        same = True
        for what in todo["plain"]:
            results = {}
            seconds[what] = dict.fromkeys(ENCODINGS, np.inf)
            for _ in range(1 if what == "fit" else repeats):
                for encoding in ENCODINGS:
                    start = time.process_time()
                    results[encoding] = todo[encoding][what]()
                    spent = time.process_time() - start
                    seconds[what][encoding] = min(seconds[what][encoding], spent)
            same = same and np.array_equal(*results.values())
    return Measured(graph.n_entries, n_bytes, seconds, same)


def fit(folder: Path) -> Labels:
    return PowerLawCut(random_state=0, n_jobs=1).fit(folder).labels_


def row(name: str, done: Measured) -> list[str]:
    n_bytes = [f"{done.n_bytes[encoding] / done.n_entries:.2f}" for encoding in ENCODINGS]
    figures = [
        f"{done.seconds[what]['plain']:.3f} : {done.seconds[what]['gaps']:.3f} = "
        f"{done.ratio(what):.2f}"
        for what in done.seconds
    ]
    return [name, *n_bytes, *figures, "equal" if done.same else "DIFFER"]


def bytes_of_random_rows(n: int, degrees: np.ndarray) -> float:
    """Return the bytes per entry of rows of random columns, with four bytes for each start."""
    random = np.random.default_rng(0)
    rows = np.repeat(np.arange(len(degrees)), degrees)
    keys = np.unique(rows * n + random.integers(0, n, len(rows)))
    lengths = np.bincount(keys // n, minlength=len(degrees))
    codes, _ = encode(lengths, (keys % n).astype(np.int32))
    return (len(codes) + 4 * len(degrees)) / len(keys)


def entropy_of_random_rows(n: int, degrees: np.ndarray) -> float:
    """Return the bytes per entry that a set of d of n columns has: ln binom(n, d) / (d ln 256)."""
    d = degrees[degrees > 0].astype(float)
    nats = d * (np.log(n / d) + 1) - 0.5 * np.log(2 * np.pi * d)  # Stirling, for d far below n
    return float(nats.sum() / np.log(256) / d.sum())


def show_random_rows(degrees: np.ndarray) -> None:
    print(
        "\n" + header(("nodes", "edges", "bytes per entry", "bound", "GB plain", "GB in gap code"))
    )
    for n in SIZES:
        entries = n * float(degrees.mean())
        size = bytes_of_random_rows(n, degrees)
        figures = [f"{size:.2f}", f"{entropy_of_random_rows(n, degrees):.2f}"]
        figures += [f"{entries * each / 1e9:.2f}" for each in (4, size)]
        print(markdown([f"{n:,}", f"{entries / 2:,.0f}", *figures]), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="use a small graph")
    parser.add_argument("--fits", action="store_true", help="measure whole fits, too")
    parser.add_argument("--folder", type=Path, help="folder of blocks-1m-0.2.npz")
    parser.add_argument("--only", nargs="+", default=[""], metavar="NAME", help="these graphs")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    what = ("sweep", "first round", "product", *(["fit"] if options.fits else []))
    print(header(("graph", "bytes per entry, plain", "gap code", *what, "labels")), flush=True)
    good, only = True, tuple(options.only)
    workload = SMALL if options.quick else BLOCKS_1M
    real = [name for name in REAL if not options.quick and name.startswith(only)]
    with tempfile.TemporaryDirectory() as place:
        scratch = Path(place)
        path = workload.file(None if options.quick else options.folder, scratch)
        for name, graph in graphs(workload, path, real):
            if not name.startswith(only):
                continue
            for kind, some in (("", graph), (", weighted", weighted(graph))):
                done = in_child(measured, some, scratch, options.repeats, fits=options.fits)
                print(markdown(row(name + kind, done)), flush=True)
                # Small graphs stay in the cache of the processor, where decoding counts in full.
                is_slow = name.startswith(BLOCKS_1M.name) and done.ratio("sweep") > MOST
                good = good and done.same and not is_slow
        show_random_rows(np.diff(read_npz(path)[0].indptr)[:ROWS])
    if not good:
        sys.exit("labels differ, or a sweep over rows in gap code takes too long")


if __name__ == "__main__":
    main()
