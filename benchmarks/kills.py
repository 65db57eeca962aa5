"""Kill processes at random moments, and check that each output is whole: the old or the new one.

    python benchmarks/kills.py                       # 250 kills
    python benchmarks/kills.py --only save --times 1000
    python benchmarks/kills.py --only watch --times 50
    python benchmarks/kills.py --quick

A process writes two outputs in turn under one name (or graph folders under new names, or runs a
fit on Spark or `powercut watch`, which resume), until SIGKILL ends it. Every second kill waits
until a temporary file appears, so that it comes during a write. What killed processes leave behind
stays there for the next ones. The exit status is 1 if an output is neither the old nor the new one,
or if the last process, which is not killed, does not write the right ones.
"""

import argparse
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import chain
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Self
from unittest import mock

import numpy as np

import powercut
from _experiments import header, markdown
from powercut import Graph, PowerLawCut, PowerLawMeans
from powercut._atomic import TEMPORARY
from powercut.cli import main as command_line
from powercut.datasets import make_blobs, make_block_graph
from powercut.disk import open_blocks, write_blocks
from powercut.graphs import level
from powercut.io import write_graph, write_points

BOTH = ("one", "two")
# Processes start from a server that has imported these, so that they soon begin to write.
PRELOADED = [
    "powercut.cli",
    "powercut.cli._watch_state",
    "powercut.disk",
    "powercut.estimators.cut",
    "powercut.estimators.means",
    "powercut.results.storage",
]
FORKSERVER = multiprocessing.get_context("forkserver")


@dataclass(frozen=True)
class Target:
    """What is killed.

    Attributes
    ----------
    prepare : callable
        Called once in the folder: writes inputs, and what the outputs may be.
    write : callable
        Called in the folder again and again until the process is killed.
    check : callable
        Called in the folder; raises if an output is not whole.
    share : int
        How many of 250 kills it gets.
    """

    prepare: Callable[[], None]
    write: Callable[[], None]
    check: Callable[[], None]
    share: int


def graph(seed: int) -> Graph:
    made, _ = make_block_graph(1000, degree=4, mixing=0.1, random_state=seed)
    there = np.flatnonzero(np.diff(made.indptr))  # without isolated nodes
    return Graph(made.adjacency[there][:, there])


# Labels of the command line.


def prepare_graphs() -> None:
    for seed, name in enumerate(BOTH):
        write_graph(f"{name}.input", graph(seed), format="edges")
    prepare_labels("cluster")


def prepare_points() -> None:
    for seed, name in enumerate(BOTH):
        write_points(f"{name}.input", make_blobs(150, random_state=seed)[0], format="text")
    prepare_labels("means")


def prepare_labels(command: str) -> None:
    for name in BOTH:
        run_command(command, name, f"{name}.expected")
    shutil.copy("two.expected", "output")


def write_labels(command: str) -> None:
    for name in BOTH:
        run_command(command, name, "output")


def run_command(command: str, name: str, output: str) -> None:
    status = command_line([command, f"{name}.input", "-o", output, "--quiet"])
    assert status == 0, f"powercut {command} ended with status {status}"


# Models.


def prepare_models() -> None:
    for seed, name in enumerate(BOTH):
        X, _ = make_blobs(20_000, n_features=4, random_state=seed)
        model = PowerLawMeans("kmeans", tradeoff=1.0, random_state=0).fit(X)
        powercut.save(f"{name}.expected", model=model)
    shutil.copy("two.expected", "output")


def write_models() -> None:
    models = [powercut.load(f"{name}.expected") for name in BOTH]
    for model in models * 20:
        powercut.save("output", model=model)


def check_file() -> None:
    found = Path("output").read_bytes()
    if found not in {Path(f"{name}.expected").read_bytes() for name in BOTH}:
        raise ValueError(f"the output has {len(found)} bytes, which are neither old nor new")


# Graph folders.


def write_folders() -> None:
    made = graph(0)
    for _ in range(20):
        write_blocks(f"graph-{time.monotonic_ns()}", made, memory="100KiB")


def check_folders() -> None:
    expected = graph(0)
    for path in Path().glob("graph-*"):
        same_graph(open_blocks(path), expected)
        shutil.rmtree(path)


def same_graph(found: Graph, expected: Graph) -> None:
    np.testing.assert_array_equal(found.indptr, expected.indptr)
    np.testing.assert_array_equal(found.indices, expected.indices)


# A fit on Spark.

SPARK_FOLDER = Path("spark")
# One start and few rounds: a Spark job takes far longer than the work on such a graph.
FIT = {"score": "modularity", "tradeoff": 1.0, "random_state": 0}


def all_rounds_on_workers() -> "mock._patch[mock.MagicMock]":
    return mock.patch.multiple(level, LARGE=0, MANY_NODES=0)


def prepare_spark() -> None:
    with all_rounds_on_workers():
        np.save("expected.npy", PowerLawCut(**FIT).fit(graph(0)).labels_)


def write_on_spark() -> None:
    from pyspark.sql import SparkSession

    from powercut.spark import cluster

    if (SPARK_FOLDER / "labels.npy").exists():
        # Renamed first, because a kill may come while it is removed.
        shutil.rmtree(SPARK_FOLDER.rename(f"old-{time.monotonic_ns()}"))
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": 2,
        "spark.ui.enabled": False,
        "spark.ui.showConsoleProgress": False,
        "spark.log.level": "OFF",
    }
    session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    matrix = graph(0).adjacency.tocoo()
    ends = np.column_stack([matrix.row, matrix.col])[matrix.row <= matrix.col].tolist()
    edges = session.createDataFrame(ends, "src long, dst long")
    with all_rounds_on_workers():
        cluster(edges, folder=SPARK_FOLDER, resume=True, least_entries=1000, **FIT)


def check_spark() -> None:
    if (SPARK_FOLDER / "graph").exists():
        same_graph(open_blocks(SPARK_FOLDER / "graph"), graph(0))
    if (SPARK_FOLDER / "labels.npy").exists():
        found = np.load(SPARK_FOLDER / "labels.npy")
        np.testing.assert_array_equal(found, np.load("expected.npy"))


# Batches of changes.

WATCH = ["watch", "graph.txt", "changes", "--once", "--state", "state", "-o", "watched", "--quiet"]
N_BATCHES = 8


def prepare_watch() -> None:
    """Write a graph and batches, and what there is after each batch."""
    made = graph(0)
    write_graph("graph.txt", made)
    rows, columns = made.adjacency.nonzero()
    order = np.random.default_rng(0).permutation(np.flatnonzero(rows < columns))
    Path("changes").mkdir()
    for number in range(N_BATCHES + 1):
        if number:
            some = order[20 * number : 20 * (number + 1)]
            lines = [f"- {rows[edge]} {columns[edge]}\n" for edge in some]
            Path(f"changes/{number}.txt").write_text("".join(lines))
        watch()
        shutil.copy(last_state() / "model.npz", f"{number}.expected")
    Path("watched").rename("expected")
    Path("state").rename("old")


def watch() -> None:
    status = command_line(WATCH)
    assert status == 0, f"powercut watch ended with status {status}"


def last_state() -> Path:
    return max(Path("state").glob("batch-*"))


def write_watched() -> None:
    if Path("state").exists() and any(Path("state").glob(f"batch-*{N_BATCHES}")):
        # Renamed first, because a kill may come while it is removed.
        shutil.rmtree(Path("state").rename(f"old-{time.monotonic_ns()}"))
    watch()


def check_watched() -> None:
    for path in Path("watched").glob("*/[!.]*"):
        if path.read_bytes() != Path("expected", *path.parts[1:]).read_bytes():
            raise ValueError(f"{path} is not what it should be")
    if Path("state").exists() and any(Path("state").glob("batch-*")):
        state = last_state()
        number = int(state.name.removeprefix("batch-"))
        if (state / "model.npz").read_bytes() != Path(f"{number}.expected").read_bytes():
            raise ValueError(f"the model of {state} is not what it should be")
        open_blocks(state / "graph")


TARGETS = {
    "cluster": Target(prepare_graphs, partial(write_labels, "cluster"), check_file, 50),
    "means": Target(prepare_points, partial(write_labels, "means"), check_file, 50),
    "save": Target(prepare_models, write_models, check_file, 45),
    "folder": Target(lambda: None, write_folders, check_folders, 45),
    "watch": Target(prepare_watch, write_watched, check_watched, 50),
    "spark": Target(prepare_spark, write_on_spark, check_spark, 10),
}


class Writer:
    """A process that writes until it is killed, or until it has written everything once.

    Parameters
    ----------
    name : str
        The target.
    """

    def __init__(self, name: str) -> None:
        self._messages, to_parent = FORKSERVER.Pipe(duplex=False)
        self._process = FORKSERVER.Process(
            target=write_until_killed, args=(name, Path.cwd(), to_parent)
        )
        self._process.start()
        to_parent.close()
        self.wait()

    def wait(self) -> None:
        """Wait until the process has begun, or next until it has written everything."""
        try:
            self._messages.recv()
        except EOFError:
            raise RuntimeError("the process ended by itself") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.pid is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.join()


def write_until_killed(name: str, folder: Path, to_parent: Connection) -> None:
    os.setsid()  # a group, so that Spark's processes are killed with it
    os.chdir(folder)
    to_parent.send("begun")
    while True:
        TARGETS[name].write()
        to_parent.send("written")


def temporaries() -> set[Path]:
    # Not `Path.rglob`, which raises if a folder is removed meanwhile.
    found = (Path(folder, name) for folder, *names in os.walk(".") for name in chain(*names))
    return {path for path in found if path.name.startswith(TEMPORARY)}


def run(name: str, *, times: int, seed: int) -> bool:
    """Kill a target's process `times` times, print the counts, and return whether all was whole."""
    target, random = TARGETS[name], np.random.default_rng(seed)
    target.prepare()
    with Writer(name) as writer:
        began = time.monotonic()
        writer.wait()
        period = time.monotonic() - began
    during_a_write, wrong = 0, []
    for number in range(times):
        before = temporaries()
        with Writer(name):
            time.sleep(random.uniform(0, period))
            patience = time.monotonic() + (period if number % 2 else 0)
            while time.monotonic() < patience and temporaries() <= before:
                pass
        during_a_write += not temporaries() <= before
        wrong += problems(target)
    with Writer(name) as writer:  # beside all that was left
        writer.wait()
    wrong += problems(target)
    counts = (times, during_a_write, len(temporaries()), len(wrong))
    print(markdown([name, f"{period:.1f}", *map(str, counts)]), *wrong, sep="\n", flush=True)
    return not wrong


def problems(target: Target) -> list[str]:
    try:
        target.check()
    except (ValueError, AssertionError, OSError) as error:
        return [f"{type(error).__name__}: {error}"]
    return []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=TARGETS, nargs="*")
    parser.add_argument("--times", type=int, default=250, help="number of kills in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="kill each process once or twice")
    options = parser.parse_args()
    FORKSERVER.set_forkserver_preload(PRELOADED)
    names = [name for name in TARGETS if not options.only or name in options.only]
    if "spark" in names and (options.quick or shutil.which("java") is None):
        print("Spark is left out: it needs Java and some minutes.")
        names.remove("spark")
    times = len(names) if options.quick else options.times
    in_all = sum(TARGETS[name].share for name in names)
    print(header(["killed", "period, s", "kills", "during a write", "files left", "not whole"]))
    passed = []
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            share = round(times * TARGETS[name].share / in_all)
            passed.append(run(name, times=max(1, share), seed=options.seed))
            os.chdir("/")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
