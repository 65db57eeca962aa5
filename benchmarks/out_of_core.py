"""Measure the conversion and the fit of graphs on disk, compared with fits in memory.

    python benchmarks/out_of_core.py                    # 200 million edges; 3 million nodes
    python benchmarks/out_of_core.py --only fit --folder DIR   # blocks-3m-0.3.npz of a folder
    python benchmarks/out_of_core.py --quick

The peak of resident memory, including libraries and mapped files, is read from VmHWM of Linux and
compared with a limit. The limit of the fit is enforced if this process may make a cgroup: a fit
that needs more is killed. Files are first dropped from the cache.
The exit status is 1 if a limit is exceeded, if labels differ from those of the graph in memory,
or if the fit takes more than 3 times as long (not with --quick, where start-up dominates).
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from _experiments import Labels, header, markdown, read_npz
from _graphs import Workload, blocks
from _limits import forget_files, hard_limit
from _measure import Cost, in_child, measure, peak_memory
from powercut import Graph, PowerLawCut
from powercut.disk import open_blocks, write_blocks

GIB = 2**30
CHUNK = 1 << 22
SLOWER = 3.0
BLOCKS_3M = blocks("blocks-3m-0.3", 3_000_000, degree=34, mixing=0.3, seed=5)
SMALL = blocks("blocks-40k-0.2", 40_000, degree=30, mixing=0.2, seed=1)


def make_edges(path: Path, n_nodes: int, n_edges: int) -> None:
    """Write a file of edges in random order, with power-law degrees."""
    random = np.random.default_rng(0)
    edges = np.lib.format.open_memmap(path, mode="w+", dtype=np.int32, shape=(n_edges, 2))
    for start in range(0, n_edges, CHUNK):
        some = edges[start : start + CHUNK]
        some[:] = n_nodes * random.random(some.shape) ** 1.5


def read_edges(path: Path) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    edges = np.load(path, mmap_mode="r")
    length, start = len(edges), edges.offset
    for at in range(0, length, CHUNK):
        # Read, not mapped: mapped pages of the input would count as resident memory.
        count = 2 * min(CHUNK, length - at)
        some = np.fromfile(path, np.int32, count, offset=start + 8 * at).reshape(-1, 2)
        yield some[:, 0], some[:, 1]


@dataclass(frozen=True)
class Conversion:
    """Cost of a conversion; `peak` is the peak of all resident memory of the process."""

    n_nodes: int
    n_edges: int
    cost: Cost
    peak: int
    reports: int


def convert(edges: Path, folder: Path, memory: str) -> Conversion:
    reports: list[object] = []
    _, cost = measure(
        lambda: write_blocks(folder, read_edges(edges), memory=memory, progress=reports.append)
    )
    peak = peak_memory()
    graph = open_blocks(folder)
    return Conversion(graph.n_nodes, graph.n_entries // 2, cost, peak, len(reports))


def write_graph(path: Path, folder: Path) -> None:
    write_blocks(folder, Graph(read_npz(path)[0]))


@dataclass(frozen=True)
class Fit:
    """Labels and cost of a fit; `peak` is the peak of all resident memory of the process."""

    labels: Labels
    cost: Cost
    peak: int
    is_enforced: bool = False


def fit_in_memory(path: Path) -> Fit:
    matrix, _ = read_npz(path)
    model, cost = measure(lambda: PowerLawCut(random_state=0).fit(matrix))
    return Fit(model.labels_, cost, peak_memory())


def fit_on_disk(folder: Path, limit: int) -> Fit:
    forget_files(folder)
    with hard_limit(limit) as is_enforced:
        model, cost = measure(lambda: PowerLawCut(random_state=0).fit(folder))
    return Fit(model.labels_, cost, peak_memory(), is_enforced)


def show_conversion(done: Conversion, limit: int) -> bool:
    columns = ("nodes", "edges", "seconds", "CPU", "peak, MiB", "limit, MiB", "reports")
    figures = [done.n_nodes, done.n_edges, round(done.cost.seconds), round(done.cost.cpu)]
    figures += [done.peak >> 20, limit >> 20, done.reports]
    print(header(columns), markdown([str(figure) for figure in figures]), "", sep="\n", flush=True)
    return done.peak <= limit


def show_fits(workload: Workload, memory: Fit, disk: Fit, limit: int) -> bool:
    print(header(("workload", "where", "seconds", "CPU", "peak, MiB", "limit, MiB", "labels")))
    same = np.array_equal(memory.labels, disk.labels)
    for where, fit, cap, labels in (
        ("memory", memory, "", ""),
        (
            "disk",
            disk,
            f"{limit >> 20}, {'enforced' if disk.is_enforced else 'not enforced'}",
            "equal" if same else "DIFFER",
        ),
    ):
        seconds, cpu = f"{fit.cost.seconds:.1f}", f"{fit.cost.cpu:.1f}"
        print(markdown([workload.name, where, seconds, cpu, str(fit.peak >> 20), cap, labels]))
    return same and disk.peak <= limit


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="use small graphs")
    parser.add_argument("--only", choices=["convert", "fit"])
    parser.add_argument("--folder", type=Path, help="folder of blocks-3m-0.3.npz")
    parser.add_argument("--scratch", type=Path, help="folder for temporary files, 10 GB")
    options = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        folder = Path(scratch)
        if options.only != "fit":
            n_nodes, n_edges = (20_000, 10**6) if options.quick else (20_000_000, 2 * 10**8)
            in_child(make_edges, folder / "edges.npy", n_nodes, n_edges)
            done = in_child(convert, folder / "edges.npy", folder / "converted", "1.5GiB")
            good = show_conversion(done, 2 * GIB)
        if options.only != "convert":
            workload = SMALL if options.quick else BLOCKS_3M
            path = workload.file(None if options.quick else options.folder, folder)
            in_child(write_graph, path, folder / "graph")
            memory = in_child(fit_in_memory, path)
            disk = in_child(fit_on_disk, folder / "graph", GIB)
            good = show_fits(workload, memory, disk, GIB) and good
            slower = disk.cost.seconds / memory.cost.seconds
            print(f"the fit on disk takes {slower:.2f} times as long")
            good = good and (options.quick or slower <= SLOWER)
    if not good:
        sys.exit("a limit was exceeded, or labels differ")


if __name__ == "__main__":
    main()
