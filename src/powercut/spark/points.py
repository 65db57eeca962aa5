"""Cluster vectors that are rows of a DataFrame."""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from powercut.disk.array_file import ArrayFile
from powercut.estimators.means import PowerLawMeans
from powercut.remote.points import PRODUCTS_PER_BATCH, RemotePoints
from powercut.spark._folder import LABELS, begin, check_rows, has_labels, write_labels
from powercut.spark._ids import is_written, read_numbered, with_labels, write_numbered
from powercut.spark._rows import write_at
from powercut.spark._tasks import SparkTasks


def means(
    points: Any,
    *,
    folder: str | os.PathLike[str],
    features: str | Sequence[str] = "features",
    id: str = "id",  # noqa: A002 (the conventional name of the column)
    resume: bool = False,
    least_products: float = PRODUCTS_PER_BATCH,
    **parameters: Any,
) -> Any:
    """Find the clusters of the vectors of a DataFrame.

    Workers sort the rows by id and write them to one file, which the driver maps; no row passes
    through the driver's JVM. The driver searches a sample. Then workers find the nearest mean of
    each point and, batch by batch, propose the best move of each point. The driver commits the
    moves that still lower J, and opens the new clusters. It needs memory for one copy of the
    points. The labels equal those of `powercut.PowerLawMeans` on the same rows in the order of
    their ids.

    Parameters
    ----------
    points : pyspark.sql.DataFrame
        One point per row.
    folder : str or path
        A new folder, on a file system that the driver and all workers see under the same
        name. The returned DataFrame reads from it.
    features : str or list of str, default="features"
        A column of arrays of numbers, or several columns of numbers.
    id : str, default="id"
        A column with a unique id per row.
    resume : bool, default=False
        Whether to continue in `folder` from an interrupted call with the same arguments and
        points; others are refused. The labels are those that the interrupted call would have
        returned.
    least_products : float
        Batches of fewer points times clusters times features are processed on the driver, because
        each Spark job takes a tenth of a second. A pass has about a thousand batches.
    **parameters
        Parameters of `powercut.PowerLawMeans`. An integer `random_state` makes results
        reproducible, and lets an interrupted call be resumed.

    Returns
    -------
    pyspark.sql.DataFrame
        Columns ``id`` and ``cluster``.
    """
    from pyspark.sql import functions as f

    model, path = PowerLawMeans(**parameters), Path(folder).absolute()
    columns = features if isinstance(features, str) else list(features)
    begin(path, {"features": columns, "id": id, "parameters": parameters}, resume=resume)
    session = points.sparkSession
    with closing(SparkTasks(session)) as tasks:
        tasks.describe("compare the points with those of an interrupted call")
        check_rows(path, points.select(id, *([columns] if isinstance(columns, str) else columns)))
        if not is_written(path / "rows"):
            tasks.describe("sort the points")
            vector = f.col(columns) if isinstance(columns, str) else f.array(*columns)
            values = vector.cast("array<double>").alias("features")
            write_numbered(points.select(f.col(id).alias("id"), values), path / "rows")
        numbered, n_points = read_numbered(session, path / "rows")
        if not has_labels(path, n_points):
            tasks.describe("write the points")
            _check_ids(numbered)
            _write_points(numbered, path / "points.npy", n_points)
            with tasks.workers(path) as workers:
                model._workers = RemotePoints(workers, least_products=least_products)
                X = np.load(path / "points.npy", mmap_mode="r")
                write_labels(path, model.fit(X).labels_)
    return with_labels(numbered, path / LABELS)


def _check_ids(numbered: Any) -> None:
    """Raise if two points have the same id."""
    repeated = numbered.groupBy("id").count().where("count > 1").first()
    if repeated is not None:
        raise ValueError(
            f"the id {repeated['id']!r} belongs to {repeated['count']} points: ids must be unique."
        )


def _write_points(numbered: Any, path: Path, n_points: int) -> None:
    """Let the workers write all vectors, each to its position in one file."""
    first = numbered.select("features").first()
    if first is None:
        raise ValueError("there are no points.")
    width = len(first["features"])
    with ArrayFile(path, np.float64) as file:
        file.reserve(n_points, width)

    def put(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            if not len(batch):
                continue
            nodes, vectors = batch.column("node").to_numpy(), batch.column("features")
            lengths = np.diff(vectors.offsets.to_numpy())  # 0 for null
            wrong = np.flatnonzero(lengths != width)
            if len(wrong):
                at = int(wrong[0])
                raise ValueError(
                    f"the point with id {batch.column('id')[at]} has {lengths[at]} features, and "
                    f"the first point has {width}: all points need the same number."
                )
            values = vectors.flatten().to_numpy(zero_copy_only=False)
            write_at(path, values, int(nodes[0]) * width)
            yield pa.RecordBatch.from_arrays([pa.array([len(nodes)])], names=["written"])

    written = numbered.mapInArrow(put, "written long").groupBy().sum().collect()[0][0]
    if written != n_points:
        raise RuntimeError(f"{written} of {n_points} points were written: try again.")
