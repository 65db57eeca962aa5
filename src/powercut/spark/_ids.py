"""Number ids of any type from 0, and map labels back to ids."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from powercut._typing import LABEL

# Spark's monotonically increasing ids have the partition number above this bit.
PARTITION_BITS = 33


def write_numbered(rows: Any, path: Path) -> None:
    """Write rows sorted by id, each with a monotonically increasing ``place``.

    Parameters
    ----------
    rows : pyspark.sql.DataFrame
        A column ``id``, and any others.
    path : Path
        The folder to write to.
    """
    from pyspark.sql import functions as f

    placed = rows.sort("id").withColumn("place", f.monotonically_increasing_id())
    # Overwrites what an interrupted call left.
    placed.write.mode("overwrite").parquet(path.as_uri())


def is_written(path: Path) -> bool:
    """Whether Spark has finished writing the folder."""
    return (path / "_SUCCESS").exists()


def read_numbered(session: Any, path: Path) -> tuple[Any, int]:
    """Return the rows with a column ``node``, numbered from 0, and the number of rows."""
    from pyspark.sql import functions as f

    placed = session.read.parquet(path.as_uri())
    if placed.where(f.col("id").isNull()).count():
        raise ValueError("an id is null: remove rows without an id.")
    partition = f.shiftright("place", PARTITION_BITS)
    counts = sorted(placed.groupBy(partition.alias("partition")).count().collect())
    ends = np.cumsum([row["count"] for row in counts], dtype=np.int64).tolist()
    firsts = [
        f.lit(value)
        for row, first in zip(counts, [0, *ends], strict=False)
        for value in (row["partition"], first)
    ]
    within = f.col("place").bitwiseAND(f.lit((1 << PARTITION_BITS) - 1))
    number = f.element_at(f.create_map(*firsts), partition) + within if firsts else f.lit(0)
    numbered = placed.withColumn("node", number.cast("long")).drop("place")
    return numbered, ends[-1] if ends else 0


def cluster_type() -> Any:
    """Return the type of a column of labels."""
    from pyspark.sql.types import IntegerType, LongType

    return IntegerType() if np.iinfo(LABEL).bits == 32 else LongType()


def with_labels(ids: Any, labels: Path) -> Any:
    """Return a DataFrame of the ids and their clusters.

    Parameters
    ----------
    ids : pyspark.sql.DataFrame
        Columns ``id`` and ``node``.
    labels : Path
        An ``.npy`` file with the label of each node, and possibly those at the levels of a tree.
    """
    from pyspark.sql.types import StructField, StructType

    shape = np.load(labels, mmap_mode="r").shape
    n_levels = shape[1] - 1 if len(shape) == 2 else 0
    names = ["cluster", *(f"level_{level}" for level in range(n_levels))]
    columns = [StructField(name, cluster_type(), nullable=False) for name in names]
    schema = StructType([ids.schema["id"], *columns])

    def look_up(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        found = np.load(labels, mmap_mode="r")
        for batch in batches:
            clusters = found[batch.column("node").to_numpy()].reshape(-1, len(names))
            yield pa.RecordBatch.from_arrays(
                [batch.column("id"), *map(pa.array, clusters.T)], names=["id", *names]
            )

    return ids.select("id", "node").mapInArrow(look_up, schema)
