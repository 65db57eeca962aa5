"""Clusters of points of DataFrames: the same for any workers and partitions, whatever is killed."""

import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from powercut import PowerLawMeans
from powercut.datasets import make_blobs
from powercut.remote.pass_state import PassState
from spark_cluster import SparkCluster

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytestmark = [
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java, which is missing"),
    # PySpark itself warns about versions of other packages.
    pytest.mark.filterwarnings("default"),
]


def many_shards() -> ExitStack:
    """Return a context in which a sample is a small part of the points."""
    stack = ExitStack()
    stack.enter_context(mock.patch("powercut.remote.shards.POINTS_PER_SHARD", 64))
    stack.enter_context(mock.patch("powercut.spark.points.LARGE", 400))
    return stack


def some_points() -> np.ndarray:
    return make_blobs(2000, n_features=6, random_state=0)[0]


def points_of(session: Any, X: np.ndarray, n_partitions: int) -> Any:
    rows = [(f"p{i}", row) for i, row in enumerate(X.tolist())]
    points = session.createDataFrame(rows, "id string, features array<double>")
    return points.repartition(n_partitions)


def clusters_by_id(found: Any) -> dict[Any, int]:
    assert found.columns == ["id", "cluster"]
    return {row["id"]: row["cluster"] for row in found.collect()}


def test_a_small_set_has_the_clusters_of_one_machine(session: Any, tmp_path: Path) -> None:
    from powercut.spark import means

    X, _ = make_blobs(400, n_features=8, random_state=0)
    rows = [(i, *row) for i, row in enumerate(X.tolist())]
    names = list("abcdefgh")
    points = session.createDataFrame(rows, ["id", *names])
    session.sparkContext.setJobDescription("the caller's")
    found = means(points, folder=tmp_path / "work", features=names, random_state=0)
    assert session.sparkContext.getLocalProperty("spark.job.description") == "the caller's"
    session.sparkContext.setJobDescription(None)
    clusters = clusters_by_id(found)
    labels = np.array([clusters[i] for i in range(400)])
    expected = PowerLawMeans(random_state=0).fit(X).labels_
    assert adjusted_rand_score(labels, expected) > 0.95
    sizes = np.bincount(labels)
    assert (np.diff(sizes) <= 0).all()  # the largest is cluster 0


DRIVER = """
import os, signal, sys
sys.path[:0] = {folders!r}
import test_means
from powercut.remote.point_passes import Passes
from powercut.spark import means
from spark_cluster import connect

def die(passes, before, number):
    if number == 2:
        os.killpg(0, signal.SIGKILL)
    return added(passes, before, number)

added = Passes._added
Passes._added = die
session = connect({url!r}, n_executors=1)
with test_means.many_shards():
    points = test_means.points_of(session, test_means.some_points(), 5)
    means(points, folder={folder!r}, random_state=0, resume=True)
"""


@pytest.fixture(scope="module")
def found(session: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[Any, int], int]:
    """Return the clusters of some points, on two workers, and the number of passes."""
    from powercut.spark import means

    folder = tmp_path_factory.mktemp("means") / "work"
    with many_shards():
        clusters = means(points_of(session, some_points(), 3), folder=folder, random_state=0)
    return clusters_by_id(clusters), PassState.read(folder).number


def test_labels_depend_neither_on_workers_and_partitions_nor_on_a_driver_that_is_killed(
    spark: SparkCluster, session: Any, tmp_path: Path, found: tuple[dict[Any, int], int]
) -> None:
    from powercut.spark import means

    X, folder = some_points(), tmp_path / "one"
    clusters, n_passes = found
    here = Path(__file__).parent
    script = DRIVER.format(folders=[str(here), str(here.parent)], url=spark.url, folder=str(folder))
    # The driver dies when all labels of the second pass are written, but not its state.
    ended = subprocess.run([sys.executable, "-c", script], start_new_session=True, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert PassState.read(folder).number == 1
    with many_shards():
        resumed = means(points_of(session, X, 1), folder=folder, random_state=0, resume=True)
    assert PassState.read(folder).number == n_passes > 1
    assert len(clusters) == 2000
    assert clusters_by_id(resumed) == clusters
    names = {path.name.partition("-")[0] for path in folder.iterdir()}
    assert names == {"about.json", "ids", "labels", "state.npz"}
    # The search ends as well as that of one machine.
    labels = np.array([clusters[f"p{i}"] for i in range(2000)])
    assert adjusted_rand_score(labels, PowerLawMeans(random_state=0).fit(X).labels_) > 0.95


def test_killed_workers_do_not_change_the_labels(
    spark: SparkCluster, session: Any, tmp_path: Path, found: tuple[dict[Any, int], int]
) -> None:
    from powercut.spark import means

    folder = tmp_path / "killed"
    sums = folder / "sums-0001"
    with spark.replacing_workers(lambda: any(sums.glob("[0-9]*"))), many_shards():
        clusters = means(points_of(session, some_points(), 2), folder=folder, random_state=0)
    assert clusters_by_id(clusters) == found[0]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "there are no points"),
        ([(0, [1.0, 2.0]), (1, [1.0])], "has . features, and another one has"),
        ([(0, [1.0, 2.0]), (1, None)], "has . features, and another one has"),
        ([(0, [1.0, 2.0]), (1, [1.0, None])], "feature 1 of the point with id 1 is null or not"),
        ([(0, [1.0]), (1, [float("nan")])], "feature 0 of the point with id 1 is null or not"),
        ([(7, [1.0]), (8, [2.0]), (7, [3.0])], "the id 7 belongs to several points"),
        ([(7, [1.0]), (None, [2.0])], "an id is null"),
    ],
)
def test_errors_name_what_is_wrong_with_points(
    session: Any, tmp_path: Path, rows: list[tuple[Any, ...]], message: str
) -> None:
    from powercut.spark import means

    points = session.createDataFrame(rows, "id long, features array<double>")
    with pytest.raises(Exception, match=message):
        means(points, folder=tmp_path / "work")


def test_missing_columns_and_wrong_parameters_are_named(session: Any, tmp_path: Path) -> None:
    from powercut.spark import means

    points = session.createDataFrame([(0, [1.0]), (1, [2.0])], "id long, features array<double>")
    with pytest.raises(ValueError, match=r"\['id', 'size'\] of ids and features are not all among"):
        means(points, folder=tmp_path / "work", features=["size"])
    with pytest.raises(ValueError, match="score"):
        means(points, folder=tmp_path / "work", score="ncut")
    assert not (tmp_path / "work").exists()


def test_resuming_with_other_points_is_refused(session: Any, tmp_path: Path) -> None:
    from powercut.spark import means

    X, _ = make_blobs(50, n_features=2, random_state=0)
    rows = [(i, row) for i, row in enumerate(X.tolist())]
    points = session.createDataFrame(rows, "id long, features array<double>")
    labels = clusters_by_id(means(points, folder=tmp_path / "work", random_state=0))
    again = means(points.orderBy("id"), folder=tmp_path / "work", random_state=0, resume=True)
    assert clusters_by_id(again) == labels
    rows[7][1][1] += 1e-9
    other = session.createDataFrame(rows, "id long, features array<double>")
    with pytest.raises(ValueError, match="other rows"):
        means(other, folder=tmp_path / "work", random_state=0, resume=True)
