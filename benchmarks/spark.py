"""Measure rounds of moves on a local Spark cluster, and their growth with the graph.

    python benchmarks/spark.py                       # blocks-1m-0.2, then 1 to 32 million edges
    python benchmarks/spark.py --only fit --folder DIR    # blocks-1m-0.2.npz of a folder
    python benchmarks/spark.py --only labels --folder DIR   # planted graphs of a folder
    python benchmarks/spark.py --only points              # a million points of 64 features
    python benchmarks/spark.py --only growth --figure docs/_static/spark_growth.png
    python benchmarks/spark.py --quick

The cluster has a master and two workers of one core each, from the package pyspark, on this
machine. A sweep is the first round of a search, which visits every node: its seconds are wall
time, its CPU time is that of all processes, including Java. Later rounds visit fewer nodes. A
pass over points compares each point with all clusters; one machine then fits the same points with
two threads. The exit status is 1 if labels are wrong or if bytes are shuffled after the rows were
written.
"""

import argparse
import json
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import psutil
import pyarrow as pa
from pyarrow import parquet
from sklearn.metrics import normalized_mutual_info_score

from _experiments import header, markdown, read_npz
from _graphs import BLOCKS_1M, blocks
from _measure import peak_memory
from _quality_data import Source, blocks_100k, from_folder, labelled
from powercut import Graph, PowerLawCut, PowerLawMeans
from powercut.datasets import make_blobs
from powercut.disk import open_blocks, write_blocks
from powercut.graphs.level import Level
from powercut.graphs.scores import Modularity
from powercut.prior import PitmanYor
from powercut.remote.graphs import RemoteGraph
from powercut.remote.pass_state import PassState
from powercut.remote.result_log import Results
from powercut.remote.tasks import FindNodesToRevisit, FindProposals, Task
from powercut.remote.workers import Workers
from powercut.search.objective import Objective, Regulariser
from powercut.spark import cluster, means
from powercut.spark._tasks import SparkTasks

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from same_labels import read_dblp
from spark_cluster import SparkCluster

NMI = 0.999
SAME_LABELS = ("blocks-100k-0.4", "com-dblp", "cora-full")
# Entries from which on rounds run on workers: lower than the default, for small graphs.
LEAST_ENTRIES = 1_000_000


def cpu_of_all() -> float:
    """Return the CPU seconds of this process and all its descendants."""
    total = 0.0
    me = psutil.Process()
    for process in (me, *me.children(recursive=True)):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


@dataclass
class Sweep:
    """A round of moves."""

    seconds: float
    cpu: float
    jobs: int


class RoundsAreOver(Exception):  # noqa: N818
    """Raised to end a search after enough rounds."""


@dataclass
class Stopwatch:
    """Measures rounds by intercepting their jobs.

    Attributes
    ----------
    sweeps : list of Sweep
        Finished rounds.
    most : int, optional
        Number of rounds after which the search is ended.
    in_jobs, n_jobs : float, int
        Seconds spent in jobs, and their number.
    """

    most: int | None = None
    sweeps: list[Sweep] = field(default_factory=list)
    in_jobs: float = 0.0
    n_jobs: int = 0
    _began: tuple[float, float] = (0.0, 0.0)
    _jobs: int = 0

    def run(self, tasks: SparkTasks, task: Task, n_parts: int, what: str) -> Results:
        """Run a task, and record its time."""
        # The first batch of a round.
        if isinstance(task, FindProposals) and what.endswith(" 1: propose moves"):
            self._began, self._jobs = (time.perf_counter(), cpu_of_all()), 0
        start = time.perf_counter()
        results = RUN(tasks, task, n_parts, what)
        self.in_jobs += time.perf_counter() - start
        self._jobs += 1
        self.n_jobs += 1
        if isinstance(task, FindNodesToRevisit):
            seconds, cpu = self._began
            self.sweeps.append(Sweep(time.perf_counter() - seconds, cpu_of_all() - cpu, self._jobs))
            if len(self.sweeps) == self.most:
                raise RoundsAreOver
        return results


RUN = SparkTasks.run


@contextmanager
def timed(most: int | None = None) -> Iterator[Stopwatch]:
    """Measure all rounds inside the context."""
    stopwatch = Stopwatch(most)

    def run(tasks: SparkTasks, task: Task, n_parts: int, what: str) -> Results:
        return stopwatch.run(tasks, task, n_parts, what)

    with mock.patch.object(SparkTasks, "run", run):
        yield stopwatch


def shuffled_later(events: Path) -> int:
    """Return the shuffle bytes that jobs wrote after the rows were written."""
    (log,) = events.iterdir()
    jobs, total, over = {}, 0, False
    for line in log.open(encoding="utf-8"):
        event = json.loads(line)
        if event["Event"] == "SparkListenerJobStart":
            what = event["Properties"].get("spark.job.description", "")
            over = over or "write the rows" in what
            jobs |= dict.fromkeys(event["Stage IDs"], over)
        elif event["Event"] == "SparkListenerTaskEnd" and jobs[event["Stage ID"]]:
            total += event["Task Metrics"]["Shuffle Write Metrics"]["Shuffle Bytes Written"]
    return total


def fit(session: Any, events: Path, graph_file: Path, scratch: Path) -> bool:
    """Cluster a graph from a file of its edges, and print times and memory."""
    matrix, truth = read_npz(graph_file)
    there = np.flatnonzero(np.diff(matrix.indptr))
    frame = edges_frame(session, Graph(matrix), scratch)
    del matrix
    start, cpu = time.perf_counter(), cpu_of_all()
    with timed() as stopwatch:
        found = cluster(frame, folder=scratch / "work", random_state=0)
    seconds, cpu = time.perf_counter() - start, cpu_of_all() - cpu
    clusters = labels_of(found)
    agreement = normalized_mutual_info_score(truth[there], clusters)
    print(
        f"{graph_file.stem}: {seconds:.0f} s, {cpu:.0f} s of CPU of all processes, NMI "
        f"{agreement:.4f}; {stopwatch.n_jobs} jobs of the search took {stopwatch.in_jobs:.0f} s; "
        f"peak memory of the driver {peak_memory() >> 20} MiB, without Java",
        flush=True,
    )
    later = shuffled_later(events)
    print(f"bytes shuffled after the rows were written: {later}")
    return bool(agreement >= NMI and later == 0)


def same_labels(session: Any, ready: Path | None, scratch: Path) -> bool:
    """Compare labels of fits on workers with those of fits in memory."""
    made = blocks_100k(quick=False)
    sources = [*(from_folder(ready, one) for one in made), *labelled(quick=False)]
    sources.append(Source("com-dblp", read_dblp))
    good = True
    print(header(("data", "n", "clusters", "jobs", "labels")), flush=True)
    for source in sources:
        if source.name not in SAME_LABELS:
            continue
        graph, folder = without_isolated(source.case().data), scratch / source.name
        with timed() as stopwatch:
            found = cluster(
                edges_frame(session, graph, scratch),
                folder=folder,
                least_entries=LEAST_ENTRIES,
                random_state=0,
            )
        expected = PowerLawCut(random_state=0).fit(graph).labels_
        labels = labels_of(found)
        same = np.array_equal(labels, expected)
        good = good and same
        n, k = str(len(labels)), str(labels.max() + 1)
        row = [source.name, n, k, str(stopwatch.n_jobs), "equal" if same else "DIFFER"]
        print(markdown(row), flush=True)
    return good


def without_isolated(graph: Graph) -> Graph:
    """Return the graph without isolated nodes, which are not in a list of edges."""
    there = np.flatnonzero(np.diff(graph.indptr))
    return Graph(graph.adjacency[there][:, there])


def labels_of(found: Any) -> np.ndarray:
    """Return the clusters sorted by id; sorted here, as Spark would shuffle."""
    table = found.toArrow().sort_by("id")
    labels: np.ndarray = table["cluster"].to_numpy()
    return labels


def edges_frame(session: Any, graph: Graph, scratch: Path) -> Any:
    edges = graph.adjacency.tocoo()
    once = edges.row <= edges.col
    table = pa.table({"src": edges.row[once], "dst": edges.col[once]})
    parquet.write_table(table, scratch / "edges.parquet")
    return session.read.parquet((scratch / "edges.parquet").as_uri())


def write_points(n: int, d: int, scratch: Path) -> None:
    """Write planted points to a file, and their clusters to another."""
    X, truth = make_blobs(n, n_features=d, concentration=10.0, discount=0.3, random_state=1)
    rows = pa.FixedSizeListArray.from_arrays(X.astype(np.float64).ravel(), d)
    table = pa.table({"id": np.arange(n), "features": rows.cast(pa.list_(pa.float64()))})
    parquet.write_table(table, scratch / "points.parquet", row_group_size=1 << 16)
    np.save(scratch / "truth.npy", truth)
    np.save(scratch / "X.npy", X)


def one_sweep(tasks: SparkTasks, graph: Graph, folder: Path) -> Sweep:
    """Return the cost of the first round of a search."""
    write_blocks(folder / "graph", graph)
    mapped = open_blocks(folder / "graph")
    score = Modularity(1.0, float(mapped.degrees.sum()))
    objective = Objective(score, Regulariser(PitmanYor(1.0, 0.5), tradeoff=0.0))
    with timed(most=1) as stopwatch, suppress(RoundsAreOver):
        remote = RemoteGraph(
            mapped,
            rows=folder / "graph",
            workers=Workers(folder, run=tasks.run, n_at_once=tasks.n_at_once),
            least_entries=0,
        )
        level = Level(mapped.arrays, (mapped.degrees, None, None), workers=remote)
        level.coarsen(objective, random=np.random.default_rng(0), cancel=None)
    return stopwatch.sweeps[0]


def points(session: Any, n: int, d: int, scratch: Path) -> bool:
    """Print the time of a search of points; return whether it found the planted clusters."""
    # In another process, so that this one never has the points in memory.
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as other:
        other.submit(write_points, n, d, scratch).result()
    frame = session.read.parquet((scratch / "points.parquet").as_uri())
    jobs: list[tuple[str, float, float]] = []

    def run(tasks: SparkTasks, task: Task, n_parts: int, what: str) -> Results:
        start, cpu = time.perf_counter(), cpu_of_all()
        results = RUN(tasks, task, n_parts, what)
        jobs.append((what, time.perf_counter() - start, cpu_of_all() - cpu))
        return results

    start, cpu = time.perf_counter(), cpu_of_all()
    with mock.patch.object(SparkTasks, "run", run):
        found = means(frame, folder=scratch / "points", random_state=0)
    seconds, cpu = time.perf_counter() - start, cpu_of_all() - cpu
    memory = peak_memory() >> 20
    truth, labels = np.load(scratch / "truth.npy"), labels_of(found)
    agreement = normalized_mutual_info_score(truth, labels)
    state = PassState.read(scratch / "points")
    print(
        f"{n:,} points, {d} features, {len(np.unique(truth)):,} planted clusters: {seconds:.0f} s, "
        f"{cpu:.0f} s of CPU, {len(np.unique(labels)):,} clusters, NMI {agreement:.4f}; peak "
        f"memory of the driver {memory} MiB, without Java",
        flush=True,
    )
    for what, took, used in jobs:
        print(f"    {what}: {took:.1f} s, {used:.1f} s of CPU")
    start = time.perf_counter()
    model = PowerLawMeans(n_jobs=2, random_state=0).fit(np.load(scratch / "X.npy"))
    seconds = time.perf_counter() - start
    j = state.path[-1] + n * state.units.log_volume
    print(
        f"J {j:.0f}; one machine: {model.objective_:.0f}, {model.n_clusters_:,} clusters, NMI "
        f"{normalized_mutual_info_score(truth, model.labels_):.4f}, {seconds:.0f} s with 2 threads",
        flush=True,
    )
    return bool(j <= model.objective_ + 0.01 * abs(model.objective_))


def growth(session: Any, millions: list[float], scratch: Path, figure: Path | None) -> None:
    """Print the time of a sweep for growing numbers of edges."""
    tasks, sweeps = SparkTasks(session), []
    if len(millions) > 1:  # warm up Java
        one_sweep(tasks, blocks("first", 20_000, degree=22, mixing=0.2, seed=3).make()[0], scratch)
    print(header(("million edges", "seconds per sweep", "CPU", "jobs")), flush=True)
    for number, wanted in enumerate(millions):
        n = int(wanted * 1e6 / 11)
        graph, _ = blocks(f"{wanted}", n, degree=22, mixing=0.2, seed=3).make()
        sweep = one_sweep(tasks, graph, scratch / f"growth-{number}")
        edges = graph.n_entries / 2e6
        sweeps.append((edges, sweep.seconds))
        numbers = f"{edges:.1f}", f"{sweep.seconds:.1f}", f"{sweep.cpu:.1f}", str(sweep.jobs)
        print(markdown(numbers), flush=True)
    if len(sweeps) < 2:
        return
    slope, constant = np.polyfit(*zip(*sweeps, strict=True), 1)
    print(f"\na sweep takes {constant:.1f} s plus {slope:.2f} s per million edges")
    if figure is not None:
        draw(sweeps, slope, constant, figure)


def draw(sweeps: list[tuple[float, float]], slope: float, constant: float, path: Path) -> None:
    """Draw the times of sweeps, and the line through them."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    edges, seconds = zip(*sweeps, strict=True)
    figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    ends = np.array([0.0, 1.05 * max(edges)])
    ax.plot(ends, constant + slope * ends, color="0.6", zorder=1)
    ax.scatter(edges, seconds, zorder=2)
    ax.set(xlabel="million edges", ylabel="seconds per sweep", xlim=(0, None), ylim=(0, None))
    ax.set_title(f"{constant:.1f} s plus {slope:.2f} s per million edges", fontsize=11)
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="measure a sweep of a small graph")
    parser.add_argument("--only", choices=["fit", "labels", "points", "growth"])
    parser.add_argument("--folder", type=Path, help="read planted graphs from NAME.npz here")
    parser.add_argument("--millions", type=float, nargs="+", default=[1, 2, 4, 8, 16, 32])
    parser.add_argument("--figure", type=Path, help="draw the growth in this file")
    options = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        events = folder / "events"
        events.mkdir()
        with SparkCluster(folder) as spark:
            session = spark.session(
                spark_executor_memory="2g",
                spark_driver_memory="2g",
                spark_eventLog_enabled=True,
                spark_eventLog_dir=events.as_uri(),
                spark_eventLog_compress=False,
                spark_eventLog_rolling_enabled=False,
            )
            if not options.quick and options.only in (None, "fit"):
                path = BLOCKS_1M.file(options.folder, folder)
                good = fit(session, events, path, folder)
            if not options.quick and options.only in (None, "labels"):
                good = same_labels(session, options.folder, folder) and good
            if options.only in (None, "points"):
                n, d = (200, 4) if options.quick else (1_000_000, 64)
                good = points(session, n, d, folder) and good
            if options.only in (None, "growth"):
                growth(
                    session, [0.0003] if options.quick else options.millions, folder, options.figure
                )
            session.stop()
    if not good:
        sys.exit("labels are wrong, a sweep takes too long, or bytes were shuffled late")


if __name__ == "__main__":
    main()
