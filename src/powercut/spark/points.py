"""Clusters of vectors that are rows of a DataFrame."""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from powercut.disk.durable import ArrayFile
from powercut.estimators.means import PowerLawMeans
from powercut.remote.points import PRODUCTS_PER_BATCH, RemotePoints
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
    least_products: float = PRODUCTS_PER_BATCH,
    **parameters: Any,
) -> Any:
    """Find the clusters of the vectors of a DataFrame.

    Workers sort the rows by id and write them to one file, which the driver maps; no row passes
    through the driver's JVM. The driver searches a sample. Then workers find the nearest clusters
    of all points and, block by block, the best moves of each; the driver makes those that still
    gain, and founds the clusters that are new. It needs the points in its memory, once.
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
        ended by whatever. It ends with the labels it would have had.
    least_products : float
        Blocks of fewer points times clusters times features are looked at on the driver: jobs of
        Spark take a tenth of a second each. There are about a thousand blocks in a pass.
    **parameters
        Of `powercut.PowerLawMeans`; a `random_state` that is a number makes results reproducible,
        and can be resumed.

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
        if not is_written(path / "rows"):
            tasks.describe("sort the points")
            vector = f.col(columns) if isinstance(columns, str) else f.array(*columns)
            values = vector.cast("array<double>").alias("features")
            write_numbered(points.select(f.col(id).alias("id"), values), path / "rows")
        numbered, n_points = read_numbered(session, path / "rows")
        if not (path / LABELS).exists():
            tasks.describe("write the points")
            _check_ids(numbered)
            _write_points(numbered, path / "points.npy", n_points)
            with tasks.workers(path) as workers:
                model._workers = RemotePoints(workers, least_products=least_products)
                X = np.load(path / "points.npy", mmap_mode="r")
                write_labels(path, model.fit(X).labels_)
    return with_labels(numbered, path / LABELS)


def _check_ids(numbered: Any) -> None:
    """Refuse ids that do not tell rows apart."""
    repeated = numbered.groupBy("id").count().where("count > 1").first()
    if repeated is not None:
        raise ValueError(
            f"the id {repeated['id']!r} belongs to {repeated['count']} points: give each its own."
        )


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
            lengths = np.diff(vectors.offsets.to_numpy())  # 0 where there is none
            wrong = np.flatnonzero(lengths != width)
            if len(wrong):
                at = int(wrong[0])
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
