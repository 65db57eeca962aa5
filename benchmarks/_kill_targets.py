"""What `kills.py` kills: processes that write, what they may have written, and how to check it."""

import os
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np

import powercut
from powercut import Graph, PowerLawCut, PowerLawMeans
from powercut.cli import _watch_state
from powercut.cli import main as command_line
from powercut.datasets import make_blobs, make_block_graph
from powercut.disk import open_blocks, write_blocks
from powercut.disk.updates import GraphFolder
from powercut.graphs import level
from powercut.graphs.edits import Edited, edit
from powercut.io import write_graph, write_points

BOTH = ("one", "two")


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


# Updates of a graph folder.

UPDATED, N_UPDATES = Path("updated"), 12


def edges_in_order() -> tuple[Graph, np.ndarray, np.ndarray]:
    """Return a graph, and the ends of its edges in a random order."""
    made = graph(0)
    rows, columns = made.adjacency.nonzero()
    order = np.random.default_rng(0).permutation(np.flatnonzero(rows < columns))
    return made, rows[order].astype(np.intp), columns[order].astype(np.intp)


def without(made: Graph, u: np.ndarray, v: np.ndarray) -> Edited:
    """Return a graph without some edges."""
    nothing = Graph.from_edges([], [], n_nodes=made.n_nodes, symmetrize="max")
    return edit(made, added=nothing, removed=(u, v), gone=u[:0], sums=False)


def write_updates() -> None:
    """Remove 50 edges at a time, of which some are appended and others have all written again."""
    if not UPDATED.exists():
        write_blocks(UPDATED, graph(0))
    folder = GraphFolder(UPDATED)
    found, _ = folder.open()
    made, u, v = edges_in_order()
    for at in range(made.n_edges - found.n_edges, 50 * N_UPDATES, 50):
        edited = without(found, u[at : at + 50], v[at : at + 50])
        folder.follow(edited.graph, edited.change)
        found = edited.graph
    # Renamed first, because a kill may come while it is removed.
    shutil.rmtree(UPDATED.rename(f"old-{time.monotonic_ns()}"))


def check_updates() -> None:
    if UPDATED.exists():
        found = open_blocks(UPDATED)
        made, u, v = edges_in_order()
        n_lost = made.n_edges - found.n_edges
        if n_lost % 50:
            raise ValueError(f"{n_lost} edges were removed")
        same_graph(found, without(made, u[:n_lost], v[:n_lost]).graph)


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
    made, u, v = edges_in_order()
    write_graph("graph.txt", made)
    Path("changes").mkdir()
    for number in range(N_BATCHES + 1):
        if number:
            some = range(50 * number, 50 * (number + 1))
            lines = [f"- {u[edge]} {v[edge]}\n" for edge in some]
            Path(f"changes/{number}.txt").write_text("".join(lines))
        watch()
        save_state(f"{number}.expected")
    Path("watched").rename("expected")
    Path("state").rename("old")


def watch() -> None:
    status = command_line(WATCH)
    assert status == 0, f"powercut watch ended with status {status}"


def save_state(path: str) -> int | None:
    """Write the model of the state to a file; return the number of its batch."""
    state = _watch_state.read(Path("state"))
    if state is None:
        return None
    powercut.save(path, model=state.model)
    return state.number


def write_watched() -> None:
    if save_state("last") == N_BATCHES:
        # Renamed first, because a kill may come while it is removed.
        shutil.rmtree(Path("state").rename(f"old-{time.monotonic_ns()}"))
    watch()


def check_watched() -> None:
    for path in Path("watched").glob("*/[!.]*"):
        if path.read_bytes() != Path("expected", *path.parts[1:]).read_bytes():
            raise ValueError(f"{path} is not what it should be")
    number = save_state("found")
    if number is not None and not same_bytes("found", f"{number}.expected"):
        raise ValueError(f"the model after batch {number} is not what it should be")


def same_bytes(found: str, expected: str) -> bool:
    return Path(found).read_bytes() == Path(expected).read_bytes()


TARGETS = {
    "cluster": Target(prepare_graphs, partial(write_labels, "cluster"), check_file, 50),
    "means": Target(prepare_points, partial(write_labels, "means"), check_file, 50),
    "save": Target(prepare_models, write_models, check_file, 45),
    "folder": Target(lambda: None, write_folders, check_folders, 25),
    "updates": Target(lambda: None, write_updates, check_updates, 20),
    "watch": Target(prepare_watch, write_watched, check_watched, 50),
    "spark": Target(prepare_spark, write_on_spark, check_spark, 10),
}
