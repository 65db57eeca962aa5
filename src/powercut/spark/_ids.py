"""Ids of any kind, and the numbers of nodes that stand for them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

# Where Spark's monotonically increasing ids have the number of the partition.
PARTITION_BITS = 33


def write_ids(ids: Any, path: Path) -> None:
    """Write each id once, sorted, and with its place.

    Parameters
    ----------
    ids : pyspark.sql.DataFrame
        A column ``id``.
    path : Path
        The folder to write to.
    """
    from pyspark.sql import functions as f

    placed = ids.distinct().sort("id").withColumn("place", f.monotonically_increasing_id())
    # What is there was not finished.
    placed.write.mode("overwrite").parquet(path.as_uri())


def read_ids(session: Any, path: Path) -> tuple[Any, int]:
    """Return the ids with their numbers, from 0 in the order of the ids, and how many there are."""
    from pyspark.sql import functions as f

    placed = session.read.parquet(path.as_uri())
    if placed.where(f.col("id").isNull()).count():
        raise ValueError("an id is null: leave out rows that have none.")
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
    return placed.select("id", number.cast("long").alias("node")), ends[-1] if ends else 0


def with_labels(ids: Any, labels: Path) -> Any:
    """Return the ids and their clusters.

    Parameters
    ----------
    ids : pyspark.sql.DataFrame
        Ids with their numbers.
    labels : Path
        A file of the labels, by number.
    """
    from pyspark.sql.types import IntegerType, StructField, StructType

    schema = StructType([ids.schema["id"], StructField("cluster", IntegerType(), nullable=False)])

    def look_up(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        found = np.load(labels, mmap_mode="r")
        for batch in batches:
            clusters = pa.array(found[batch.column("node").to_numpy()])
            yield pa.RecordBatch.from_arrays(
                [batch.column("id"), clusters], names=["id", "cluster"]
            )

    return ids.mapInArrow(look_up, schema)
