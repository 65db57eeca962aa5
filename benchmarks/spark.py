"""Spark: what rounds of moves take on a cluster of processes, and how that grows.

    python benchmarks/spark.py                       # blocks-1m-0.2, then 1 to 32 million edges
    python benchmarks/spark.py --only fit --folder DIR    # blocks-1m-0.2.npz of a folder
    python benchmarks/spark.py --only labels --folder DIR   # planted graphs and blobs of a folder
    python benchmarks/spark.py --only points              # a million points of 64 features
    python benchmarks/spark.py --only growth --figure docs/_static/spark_growth.png
    python benchmarks/spark.py --quick

A master and two workers of one core each, from the package pyspark, on this machine. A
sweep is the first round of a search, in which every node has its turn: its seconds are on the
clock, its CPU is that of all processes together, Java's included. Rounds that follow have fewer
turns. In a pass over points, each of them looks at all clusters. The exit status is 1 if labels
are wrong or bytes are shuffled once rows are written.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
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
from _quality_data import Source, blobs, blocks_100k, from_folder, labelled
from powercut import Graph, PowerLawCut, PowerLawMeans
from powercut.datasets import make_blobs
from powercut.disk import open_blocks, write_blocks
from powercut.graphs.level import Level
from powercut.graphs.scores import Modularity
from powercut.prior import PitmanYor
from powercut.remote.graphs import RemoteGraph
from powercut.remote.log import Results
from powercut.remote.points import RemotePoints
from powercut.remote.tasks import FindNodesToRevisit, FindProposals, Task
from powercut.remote.workers import Workers
from powercut.search.objective import Objective, Regulariser
from powercut.spark import cluster, means
from powercut.spark._tasks import SparkTasks
from powercut.vectors.covariances import COVARIANCES
from powercut.vectors.gaussian_prior import Whole
from powercut.vectors.points import Points

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from same_labels import read_dblp
from spark_cluster import SparkCluster

CPU_A_SWEEP, NMI = 60.0, 0.999
SAME_LABELS = ("blocks-100k-0.4", "com-dblp", "cora-full", "blobs-3")
# Entries of rounds that workers are asked for, in graphs that would not need them.
WORTH_A_ROUND = 1_000_000


def cpu_of_all() -> float:
    """Return the CPU seconds of this process, and of all that it has started."""
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
    """Enough has been measured."""


@dataclass
class Stopwatch:
    """Takes the time of rounds as their jobs pass by.

    Attributes
    ----------
    sweeps : list of Sweep
        The rounds that are over.
    most : int, optional
        How many rounds to let pass.
    in_jobs, n_jobs : float, int
        Seconds in which workers had something to do, and in how many jobs.
    """

    most: int | None = None
    sweeps: list[Sweep] = field(default_factory=list)
    in_jobs: float = 0.0
    n_jobs: int = 0
    _began: tuple[float, float] = (0.0, 0.0)
    _jobs: int = 0

    def run(self, tasks: SparkTasks, task: Task, n_parts: int, what: str) -> Results:
        """Run a task, and see what it is."""
        if isinstance(task, FindProposals) and ", batch 1:" in what:
            self._began, self._jobs = (time.perf_counter(), cpu_of_all()), 0
        asked = time.perf_counter()
        answers = RUN(tasks, task, n_parts, what)
        self.in_jobs += time.perf_counter() - asked
        self._jobs += 1
        self.n_jobs += 1
        if isinstance(task, FindNodesToRevisit):
            seconds, cpu = self._began
            self.sweeps.append(Sweep(time.perf_counter() - seconds, cpu_of_all() - cpu, self._jobs))
            if len(self.sweeps) == self.most:
                raise RoundsAreOver
        return answers


RUN = SparkTasks.run


@contextmanager
def timed(most: int | None = None) -> Iterator[Stopwatch]:
    """Take the times of all rounds inside."""
    reporter = Stopwatch(most)

    def run(tasks: SparkTasks, task: Task, n_parts: int, what: str) -> Results:
        return reporter.run(tasks, task, n_parts, what)

    with mock.patch.object(SparkTasks, "run", run):
        yield reporter


def shuffled_later(events: Path) -> int:
    """Return the bytes that jobs wrote for shuffles after the rows were written."""
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
    """Cluster a graph from a file of its edges, and tell what it took."""
    matrix, truth = read_npz(graph_file)
    there = np.flatnonzero(np.diff(matrix.indptr))
    frame = edges_frame(session, Graph(matrix), scratch)
    del matrix
    start = time.perf_counter()
    with timed() as reporter:
        found = cluster(frame, folder=scratch / "work", random_state=0)
    seconds = time.perf_counter() - start
    clusters = labels_of(found)
    agreement = normalized_mutual_info_score(truth[there], clusters)
    first = reporter.sweeps[0]
    print(
        f"{graph_file.stem}: {seconds:.0f} s in all, NMI {agreement:.4f}; the first sweep "
        f"{first.seconds:.1f} s, {first.cpu:.1f} s of CPU, {first.jobs} jobs; "
        f"{len(reporter.sweeps)} rounds of {sum(sweep.jobs for sweep in reporter.sweeps)} jobs and "
        f"{sum(sweep.seconds for sweep in reporter.sweeps):.0f} s; workers were asked for "
        f"{reporter.in_jobs:.0f} s; driver at its peak "
        f"{peak_memory() >> 20} MiB, and Java's beside it",
        flush=True,
    )
    later = shuffled_later(events)
    print(f"bytes shuffled once the rows were written: {later}")
    return bool(agreement >= NMI and first.cpu <= CPU_A_SWEEP and later == 0)


def same_labels(session: Any, ready: Path | None, scratch: Path) -> bool:
    """Compare labels from workers with those of the same data in memory."""
    made = [*blocks_100k(quick=False), next(blobs(quick=False))]
    sources = [*(from_folder(ready, one) for one in made), *labelled(quick=False)]
    sources.append(Source("com-dblp", read_dblp))
    good = True
    print(header(("data", "n", "clusters", "jobs", "labels")), flush=True)
    for source in sources:
        if source.name not in SAME_LABELS:
            continue
        data, folder = source.case().data, scratch / source.name
        with timed() as reporter:
            if isinstance(data, Graph):
                data = without_isolated(data)
                found = cluster(
                    edges_frame(session, data, scratch),
                    folder=folder,
                    least_entries=WORTH_A_ROUND,
                    random_state=0,
                )
                expected = PowerLawCut(random_state=0).fit(data).labels_
            else:
                found = means(
                    points_frame(session, data, scratch),
                    folder=folder,
                    least_products=0,
                    random_state=0,
                )
                expected = PowerLawMeans(random_state=0).fit(data).labels_
        labels = labels_of(found)
        same = np.array_equal(labels, expected)
        good = good and same
        n, k = str(len(labels)), str(labels.max() + 1)
        row = [source.name, n, k, str(reporter.n_jobs), "the same" if same else "others"]
        print(markdown(row), flush=True)
    return good


def without_isolated(graph: Graph) -> Graph:
    """Return the graph of the nodes that have edges: edges alone do not tell of others."""
    there = np.flatnonzero(np.diff(graph.indptr))
    return Graph(graph.adjacency[there][:, there])


def labels_of(found: Any) -> np.ndarray:
    """Return the clusters in the order of the ids, sorted here: there, it would be a shuffle."""
    table = found.toArrow().sort_by("id")
    labels: np.ndarray = table["cluster"].to_numpy()
    return labels


def edges_frame(session: Any, graph: Graph, scratch: Path) -> Any:
    edges = graph.adjacency.tocoo()
    once = edges.row <= edges.col
    table = pa.table({"src": edges.row[once], "dst": edges.col[once]})
    parquet.write_table(table, scratch / "edges.parquet")
    return session.read.parquet((scratch / "edges.parquet").as_uri())


def points_frame(session: Any, X: np.ndarray, scratch: Path) -> Any:
    rows = pa.FixedSizeListArray.from_arrays(X.astype(np.float64).ravel(), X.shape[1])
    table = pa.table({"id": np.arange(len(X)), "features": rows.cast(pa.list_(pa.float64()))})
    parquet.write_table(table, scratch / "points.parquet")
    return session.read.parquet((scratch / "points.parquet").as_uri())


def one_sweep(tasks: SparkTasks, graph: Graph, folder: Path) -> Sweep:
    """Return what the first round of a search takes."""
    write_blocks(folder / "graph", graph)
    mapped = open_blocks(folder / "graph")
    score = Modularity(1.0, float(mapped.degrees.sum()))
    objective = Objective(score, Regulariser(PitmanYor(1.0, 0.5), tradeoff=0.0))
    with timed(most=1) as reporter, suppress(RoundsAreOver):
        remote = RemoteGraph(
            mapped,
            rows=folder / "graph",
            workers=Workers(folder, run=tasks.run, n_at_once=tasks.n_at_once),
            least_entries=0,
        )
        level = Level(mapped.arrays, (mapped.degrees, None, None), workers=remote)
        level.descend(objective, random=np.random.default_rng(0), cancel=None)
    return reporter.sweeps[0]


def points(session: Any, n: int, d: int, scratch: Path) -> bool:
    """Tell what a pass over points takes, and whether the moves are those of one process."""
    X, truth = make_blobs(n, n_features=d, concentration=10.0, discount=0.3, random_state=1)
    here = Points(X)
    # From clusters as they are: some points have lost their way.
    labels = truth.astype(np.int32)
    labels[:: n // 50] = labels[0]
    score = Whole.of(here, COVARIANCES["diagonal"](d)).first()
    prior = Regulariser(PitmanYor(10.0, 0.3), tradeoff=1.0).native
    k, ours, theirs = int(labels.max()) + 1, labels.copy(), labels.copy()
    alone = time.process_time()
    score.moves(here, ours, k, prior, 0, None, negligible=1.0)
    alone = time.process_time() - alone
    tasks = SparkTasks(session)
    with timed() as reporter:
        workers = Workers(scratch, run=tasks.run, n_at_once=tasks.n_at_once)
        remote = RemotePoints(workers, least_products=0)
        before, cpu = time.perf_counter(), cpu_of_all()
        score.moves(replace(here, workers=remote), theirs, k, prior, 0, None, negligible=1.0)
    print(
        f"a pass over {n:,} points, {d} features, {k:,} clusters: {reporter.n_jobs} jobs, "
        f"{time.perf_counter() - before:.1f} s, {cpu_of_all() - cpu:.1f} s of CPU, "
        f"{alone:.1f} in one thread without Spark",
        flush=True,
    )
    return np.array_equal(ours, theirs)


def growth(session: Any, millions: list[float], scratch: Path, figure: Path | None) -> None:
    """Tell how the time of a sweep grows with the edges."""
    tasks, sweeps = SparkTasks(session), []
    # Java is slow at first.
    one_sweep(tasks, blocks("first", 20_000, degree=22, mixing=0.2, seed=3).make()[0], scratch)
    print(header(("million edges", "seconds a sweep", "CPU", "jobs")), flush=True)
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
    print(f"\na sweep takes {constant:.1f} s, and {slope:.2f} s for each million edges")
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
    ax.set(xlabel="million edges", ylabel="seconds a sweep", xlim=(0, None), ylim=(0, None))
    ax.set_title(f"{constant:.1f} s, and {slope:.2f} s for each million edges", fontsize=11)
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a sweep of a small graph")
    parser.add_argument("--only", choices=["fit", "labels", "points", "growth"])
    parser.add_argument("--folder", type=Path, help="where planted graphs are, as NAME.npz")
    parser.add_argument("--millions", type=float, nargs="+", default=[1, 2, 4, 8, 16, 32])
    parser.add_argument("--figure", type=Path, help="where to draw the growth")
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
                n, d = (100, 4) if options.quick else (1_000_000, 64)
                good = points(session, n, d, folder) and good
            if options.only in (None, "growth"):
                growth(
                    session, [0.01] if options.quick else options.millions, folder, options.figure
                )
            session.stop()
    if not good:
        sys.exit("labels are wrong, a sweep takes too long, or bytes were shuffled late")


if __name__ == "__main__":
    main()
