"""Check that labels are bit-identical for every number of threads, process and storage.

    python experiments/same_labels.py                      # planted and real graphs, vectors
    python experiments/same_labels.py --only football blobs-3
    python experiments/same_labels.py --folder DIR         # planted data from NAME.npz
    python experiments/same_labels.py --quick              # small data, seconds

Each data set is fitted in two processes, with each number of threads in both of them, and
graphs also from a graph folder on disk. Labels and J of all fits must be equal; otherwise the
exit status is 1.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from _quality_data import Data, Labels, Source, blobs, blocks_100k, from_folder, labelled
from _real_data import Unavailable, data_folder
from _results import header, markdown
from powercut import Graph, PowerLawCut, PowerLawMeans
from powercut.disk import write_blocks

THREADS, QUICK_THREADS = (1, 2, 3, 8), (1, 3)


@dataclass(frozen=True)
class Fit:
    """The result of a fit with a number of threads, in one of the processes."""

    run: int
    n_jobs: int
    place: str
    labels: Labels
    objective: float
    seconds: float

    def differs_from(self, other: "Fit") -> bool:
        same = np.array_equal(self.labels, other.labels) and self.objective == other.objective
        return not same


def fit(run: int, data: Data | Path, n_jobs: int) -> Fit:
    kind = PowerLawCut if isinstance(data, Graph | Path) else PowerLawMeans
    start = time.perf_counter()
    model = kind(n_jobs=n_jobs, random_state=0).fit(data)
    seconds = time.perf_counter() - start
    place = "on disk" if isinstance(data, Path) else "in memory"
    return Fit(run, n_jobs, place, model.labels_, model.objective_, seconds)


def difference(one: Fit, other: Fit) -> str:
    labels = np.count_nonzero(one.labels != other.labels)
    return (
        f"n_jobs={one.n_jobs} in process {one.run}, {one.place}: {labels} labels, "
        f"J by {one.objective - other.objective:g}"
    )


def sources(*, quick: bool, folder: Path | None) -> Iterator[Source]:
    made = [*blocks_100k(quick=quick), next(blobs(quick=quick))]
    yield from (from_folder(folder, source) for source in made)
    yield from labelled(quick=quick)
    if not quick:
        yield Source("com-dblp", read_dblp)


def read_dblp() -> tuple[Graph, Labels]:
    """Read the collaboration graph of DBLP, without labels: its communities overlap."""
    path = data_folder() / "graphs" / "com-dblp" / "edges.txt.gz"
    if not path.exists():
        raise Unavailable("the folder of POWERCUT_DATA has no graphs/com-dblp")
    u, v = np.loadtxt(path, dtype=np.int64, unpack=True)
    return Graph.from_edges(u, v, symmetrize="max"), np.empty(0, dtype=np.int64)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="data sets to fit")
    parser.add_argument("--folder", type=Path, help="read planted graphs and blobs from NAME.npz")
    parser.add_argument("--quick", action="store_true", help="use small data")
    options = parser.parse_args()
    threads = QUICK_THREADS if options.quick else THREADS
    all_same, skipped = True, []
    counts = ", ".join(map(str, threads))
    print(header(("data", "n", "clusters", f"seconds with {counts} threads", "differences")))
    processes = [ProcessPoolExecutor(1, mp_context=get_context("spawn")) for _ in range(2)]
    for source in sources(quick=options.quick, folder=options.folder):
        if options.only and source.name not in options.only:
            continue
        try:
            data = source.case().data
        except Unavailable as reason:
            skipped.append(f"{source.name}, {reason}")
            continue
        found = [
            process.submit(fit, run, data, n_jobs).result()  # one at a time
            for run, process in enumerate(processes)
            for n_jobs in threads
        ]
        if isinstance(data, Graph):
            with tempfile.TemporaryDirectory() as folder:
                path = write_blocks(Path(folder) / source.name, data, memory="64MiB")
                found.append(processes[1].submit(fit, 1, path, threads[-1]).result())
        wrong = [difference(one, found[0]) for one in found if one.differs_from(found[0])]
        all_same = all_same and not wrong
        labels = found[0].labels
        seconds = ", ".join(f"{one.seconds:.1f}" for one in found[: len(threads)])
        cells = [source.name, str(len(labels)), str(labels.max() + 1), seconds]
        print(markdown([*cells, "; ".join(wrong) or "none"]), flush=True)
    for process in processes:
        process.shutdown()
    for what in skipped:
        print(f"\nSkipped: {what}.")
    if not all_same:
        sys.exit("labels differ")


if __name__ == "__main__":
    main()
