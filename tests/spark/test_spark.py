"""Clusters of DataFrames on a Spark cluster: the labels equal those of the data in memory."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from powercut import Graph, PowerLawCut
from powercut.datasets import make_block_graph
from powercut.disk import open_blocks
from powercut.graphs import level as levels
from spark_cluster import SparkCluster, wait_for

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytestmark = [
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java, which is missing"),
    # PySpark itself warns about versions of other packages.
    pytest.mark.filterwarnings("default"),
]


def all_are_large() -> Any:
    return mock.patch.multiple(levels, LARGE=0, MANY_NODES=0)


def without_isolated(n: int) -> Graph:
    graph, _ = make_block_graph(n, degree=3, mixing=0.1, random_state=0)
    there = np.flatnonzero(np.diff(graph.indptr))
    return Graph(graph.adjacency[there][:, there])


def edges_of(session: Any, graph: Graph, name: Callable[[int], Any] = int) -> Any:
    matrix = graph.adjacency.tocoo()
    rows = [
        (name(int(u)), name(int(v)), float(w))
        for u, v, w in zip(matrix.row, matrix.col, matrix.data, strict=True)
        if u <= v
    ]
    kind = "string" if isinstance(rows[0][0], str) else "long"
    return session.createDataFrame(rows, f"src {kind}, dst {kind}, weight double")


def clusters_by_id(found: Any) -> dict[Any, int]:
    assert found.columns == ["id", "cluster"]
    return {row["id"]: row["cluster"] for row in found.collect()}


def shuffled_bytes(events: Path) -> list[tuple[str, int]]:
    """Return the shuffle bytes that each task wrote, with the description of its job."""
    (log,) = events.iterdir()
    jobs, written = {}, []
    for line in log.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["Event"] == "SparkListenerJobStart":
            what = event["Properties"].get("spark.job.description", "")
            jobs |= dict.fromkeys(event["Stage IDs"], what)
        # A task of a worker that was killed has no metrics.
        elif event["Event"] == "SparkListenerTaskEnd" and "Task Metrics" in event:
            metrics = event["Task Metrics"]["Shuffle Write Metrics"]
            written.append((jobs[event["Stage ID"]], metrics["Shuffle Bytes Written"]))
    return written


def grown(path: Path, least: int) -> bool:
    return path.exists() and path.stat().st_size > least


def test_labels_equal_those_of_the_graph_in_memory_though_workers_are_killed(
    spark: SparkCluster, session: Any, events: Path, tmp_path: Path
) -> None:
    from powercut.spark import cluster

    graph, folder = without_isolated(600), tmp_path / "work"
    log = folder / "results.log"
    moments = [lambda least=size: grown(log, least) for size in (10_000, 40_000, 70_000)]
    with spark.replacing_workers(*moments), all_are_large():
        expected = PowerLawCut(random_state=0).fit(graph).labels_
        found = cluster(edges_of(session, graph), folder=folder, random_state=0, least_entries=1500)
    assert clusters_by_id(found) == dict(enumerate(expected.tolist()))
    written = open_blocks(folder / "graph")
    np.testing.assert_array_equal(written.indices, graph.indices)
    np.testing.assert_array_equal(written.indptr, graph.indptr)
    assert written.weights is None
    # Nothing is shuffled once the rows are written.
    later = [
        size
        for what, size in shuffled_bytes(events)
        if any(word in what for word in ("round", "divide", "write the rows"))
    ]
    assert len(later) > 10
    assert not any(later)


def test_strings_and_weights(session: Any, tmp_path: Path) -> None:
    from powercut.spark import cluster

    graph = without_isolated(300)
    matrix = graph.adjacency.copy()
    row = np.repeat(np.arange(graph.n_nodes), np.diff(graph.indptr))
    matrix.data = 1.0 + (graph.indices + row) % 4
    graph = Graph(matrix)
    edges = edges_of(session, graph, "n{:05}".format)
    found = cluster(edges, folder=tmp_path / "work", weight="weight", random_state=0)
    expected = PowerLawCut(random_state=0).fit(graph).labels_
    assert clusters_by_id(found) == {f"n{i:05}": label for i, label in enumerate(expected.tolist())}
    np.testing.assert_array_equal(open_blocks(tmp_path / "work" / "graph").weights, graph.weights)
    with pytest.raises(FileExistsError, match="resume=True"):
        cluster(edges, folder=tmp_path / "work", weight="weight", random_state=0)
    with pytest.raises(ValueError, match="other arguments"):
        cluster(edges, folder=tmp_path / "work", weight="weight", random_state=1, resume=True)


def test_levels_of_a_tree_are_columns(session: Any, tmp_path: Path) -> None:
    from powercut.spark import cluster

    graph = without_isolated(300)
    found = cluster(edges_of(session, graph), folder=tmp_path / "work", random_state=0, tree=True)
    model = PowerLawCut(random_state=0, tree=True).fit(graph)
    n_levels = model.tree_.n_levels
    assert n_levels > 1
    names = [f"level_{level}" for level in range(n_levels)]
    assert found.columns == ["id", "cluster", *names]
    table = found.toPandas().sort_values("id")
    np.testing.assert_array_equal(table["cluster"], model.labels_)
    for level, name in enumerate(names):
        np.testing.assert_array_equal(table[name], model.tree_.cut(level=level))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(0, 1, 1.0), (1, None, 1.0)], "an id is null"),
        ([(0, 1, 1.0), (1, 2, -1.0)], "negative"),
        ([(0, 1, None), (1, 2, None)], "the weight of an edge is null"),
    ],
)
def test_errors_name_what_is_wrong_with_edges(
    session: Any, tmp_path: Path, rows: list[tuple[Any, ...]], message: str
) -> None:
    from powercut.spark import cluster

    edges = session.createDataFrame(rows, "src long, dst long, weight double")
    with pytest.raises(Exception, match=message):
        cluster(edges, folder=tmp_path / "work", weight="weight")
    assert not (tmp_path / "work" / "graph").exists()


def test_a_damaged_row_range_is_named(session: Any, tmp_path: Path) -> None:
    from powercut.spark import cluster

    edges, folder = edges_of(session, without_isolated(300)), tmp_path / "work"
    cluster(edges, folder=folder, random_state=0)
    (folder / "labels.npy").unlink()
    path = folder / "graph" / "indices.npy"
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"indices.npy is damaged: the checksum of row range"):
        cluster(edges, folder=folder, random_state=0, resume=True)


def test_resuming_with_other_edges_is_refused(session: Any, tmp_path: Path) -> None:
    from powercut.spark import cluster

    def resumed(rows: list[tuple[Any, ...]], kind: str = "long") -> dict[Any, int]:
        edges = session.createDataFrame(rows, f"src {kind}, dst {kind}, weight double")
        found = cluster(edges, folder=folder, weight="weight", random_state=0, resume=True)
        return clusters_by_id(found)

    folder = tmp_path / "work"
    cliques = [range(8), range(10, 18)]
    rows = [(u, v, 1.0) for clique in cliques for u in clique for v in clique if u < v]
    labels = resumed(rows)
    assert resumed(rows[::-1]) == labels  # the order of the rows does not matter
    shifted = [(u + 1000, v + 1000, w) for u, v, w in rows]
    for other in (shifted, [*rows[1:], rows[1]], [(*rows[0][:2], 2.0), *rows[1:]]):
        with pytest.raises(ValueError, match=r"other rows \(hash of the rows was .* start again"):
            resumed(other)
    with pytest.raises(ValueError, match="number of rows was 56 and is 57"):
        resumed([*rows, rows[0]])
    with pytest.raises(ValueError, match=r"columns was .*bigint.* and is .*int"):
        resumed(rows, "int")
    assert resumed(rows) == labels


DRIVER = """
import sys
sys.path[:0] = {folders!r}
import test_spark
from spark_cluster import connect
test_spark.fit_400(connect({url!r}, n_executors=1), {folder!r})
"""


def fit_400(session: Any, folder: Path | str) -> None:
    from powercut.spark import cluster

    edges = edges_of(session, without_isolated(400))
    with all_are_large():
        cluster(edges, folder=folder, random_state=0, least_entries=700, resume=True)


def test_a_driver_that_was_killed_resumes_and_gives_the_same_labels(
    spark: SparkCluster, session: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "work"
    here = Path(__file__).parent
    folders = [str(here), str(here.parent)]
    script = DRIVER.format(folders=folders, url=spark.url, folder=str(folder))
    log = folder / "results.log"
    driver = subprocess.Popen([sys.executable, "-c", script], start_new_session=True)
    wait_for(lambda: grown(log, 8_000))
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()
    assert not (folder / "labels.npy").exists()
    fit_400(session, folder)
    with all_are_large():
        expected = PowerLawCut(random_state=0).fit(without_isolated(400)).labels_
    np.testing.assert_array_equal(np.load(folder / "labels.npy"), expected)
    assert {path.name for path in folder.iterdir()} == {
        "about.json",
        "degrees.npy",
        "graph",
        "ids",
        "labels.npy",
    }
