"""Clusters of vectors that are rows of a DataFrame."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from powercut.disk.durable import ArrayFile
from powercut.estimators.means import PowerLawMeans
from powercut.spark._folder import LABELS, begin, write_labels
from powercut.spark._ids import is_written, read_numbered, with_labels, write_numbered
from powercut.spark._rows import write_at
from powercut.spark._tasks import SparkTasks


def means(
    points: Any,
    *,
    folder: str | os.PathLike[str],
    features: str | Sequence[str] = "features",
    id: str = "id",  # noqa: A002 (the name of the column, as people write it)
    resume: bool = False,
    **parameters: Any,
) -> Any:
    """Find the clusters of the vectors of a DataFrame.

    Workers sort the rows by id and write them to one file, which the driver maps, and join the
    clusters to the ids; no row passes through the driver's JVM. The search is the driver's: it
    takes a sample for most of it, and then needs the points in its memory, once.
    The labels are those of `powercut.PowerLawMeans` on the same rows in the order of their ids.

    Parameters
    ----------
    points : pyspark.sql.DataFrame
        A point a row.
    folder : str or path
        A new folder, on a file system that the driver and all workers see under the same
        name. What is returned is read from it.
    features : str or list of str, default="features"
        A column of arrays of numbers, or columns of numbers.
    id : str, default="id"
        A column that tells rows apart.
    resume : bool, default=False
        Whether to go on with what is in `folder`, from a call with the same arguments that was
        ended by whatever.
    **parameters
        Of `powercut.PowerLawMeans`.

    Returns
    -------
    pyspark.sql.DataFrame
        Columns ``id`` and ``cluster``.
    """
    from pyspark.sql import functions as f

    model, path = PowerLawMeans(**parameters), Path(folder).absolute()
    columns = features if isinstance(features, str) else list(features)
    begin(path, {"features": columns, "id": id, "parameters": parameters}, resume=resume)
    tasks = SparkTasks(points.sparkSession)
    if not is_written(path / "rows"):
        tasks.describe("sort the points")
        vector = f.col(columns) if isinstance(columns, str) else f.array(*columns)
        rows = points.select(f.col(id).alias("id"), vector.cast("array<double>").alias("features"))
        write_numbered(rows, path / "rows")
    numbered, n_points = read_numbered(points.sparkSession, path / "rows")
    if not (path / LABELS).exists():
        tasks.describe("write the points")
        _write_points(numbered, path / "points.npy", n_points)
        X = np.load(path / "points.npy", mmap_mode="r")
        write_labels(path, model.fit(X).labels_)
    tasks.describe("join clusters to ids")
    return with_labels(numbered, path / LABELS)


def _write_points(numbered: Any, path: Path, n_points: int) -> None:
    """Have the workers write all vectors, each to its place."""
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
            lengths = np.diff(vectors.offsets.to_numpy())
            wrong = np.flatnonzero(lengths != width)
            if len(wrong) or vectors.null_count:
                at = int(wrong[0]) if len(wrong) else vectors.is_null().index(True).as_py()
                raise ValueError(
                    f"the point with id {batch.column('id')[at]} has {lengths[at]} features, and "
                    f"the first point has {width}: give all the same."
                )
            values = vectors.flatten().to_numpy(zero_copy_only=False)
            write_at(path, values, int(nodes[0]) * width)
            yield pa.RecordBatch.from_arrays([pa.array([len(nodes)])], names=["written"])

    written = numbered.mapInArrow(put, "written long").groupBy().sum().collect()[0][0]
    if written != n_points:
        raise RuntimeError(f"{written} of {n_points} points were written: try again.")
