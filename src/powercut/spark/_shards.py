"""Write the points of a DataFrame to shards, and map labels of shards back to ids."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from powercut._typing import LABEL
from powercut.remote.pass_state import PassState
from powercut.remote.shards import Shards
from powercut.spark._ids import cluster_type, is_written

IDS = "ids"


def write_shards(points: Any, shards: Shards, width: int) -> None:
    """Let workers write the points of each shard, and the ids with their place in it.

    This is the only shuffle. Shards, and the order in them, follow from hashes of the ids, so
    they do not depend on the partitions of the DataFrame.

    Parameters
    ----------
    points : pyspark.sql.DataFrame
        Columns ``id`` and ``features``, an array of numbers.
    shards : Shards
        Where to write to.
    width : int
        Number of features.
    """
    from pyspark.sql import functions as f
    from pyspark.sql.types import IntegerType, LongType, StructField, StructType

    path = shards.folder / IDS
    if is_written(path):
        return
    shards.points_folder.mkdir(exist_ok=True)
    shard = f.pmod(f.xxhash64("id"), f.lit(shards.n_shards)).cast("int")
    placed = points.withColumns({"shard": shard, "key": f.xxhash64(f.lit(1), "id")})
    placed = placed.repartition("shard").sortWithinPartitions("shard", "key", "id")
    schema = StructType(
        [
            points.schema["id"],
            StructField("shard", IntegerType(), nullable=False),
            StructField("place", LongType(), nullable=False),
        ]
    )

    def put(batches: Iterator[Any]) -> Iterator[Any]:
        writer = _Writer(shards, width)
        for batch in batches:
            yield from writer.add(batch)
        writer.finish()

    # Overwrites what an interrupted call left.
    placed.mapInArrow(put, schema).write.mode("overwrite").parquet(path.as_uri())


class _Writer:
    """Writes the shards of a partition, which are sorted, one after the other."""

    def __init__(self, shards: Shards, width: int) -> None:
        self._shards, self._width = shards, width
        self._shard, self._n = -1, 0
        self._values: list[Any] = []
        self._last: Any = None

    def add(self, batch: Any) -> Iterator[Any]:
        """Add rows; yield ids, shards and places of the same rows."""
        import pyarrow as pa

        if not len(batch):
            return
        self._check_ids(batch.column("id"))
        values, shard = self._checked(batch), batch.column("shard").to_numpy()
        place = np.empty(len(batch), dtype=np.int64)
        starts = np.flatnonzero(np.diff(shard, prepend=-1))
        for start, end in zip(starts, [*starts[1:], len(batch)], strict=True):
            if shard[start] != self._shard:
                self.finish()
                self._shard = int(shard[start])
            place[start:end] = np.arange(self._n, self._n + end - start)
            self._n += int(end - start)
            self._values.append(values[start:end])
        columns = [batch.column("id"), batch.column("shard"), pa.array(place)]
        yield pa.RecordBatch.from_arrays(columns, names=["id", "shard", "place"])

    def finish(self) -> None:
        """Write the last shard."""
        if self._n:
            self._shards.write_points(self._shard, np.concatenate(self._values))
        self._values, self._n = [], 0

    def _check_ids(self, ids: Any) -> None:
        if ids.null_count:
            raise ValueError("an id is null: remove rows without an id.")
        values = [self._last, *ids.to_pylist()]
        for before, after in pairwise(values):
            if before == after:
                raise ValueError(f"the id {after!r} belongs to several points: ids must be unique.")
        self._last = values[-1]

    def _checked(self, batch: Any) -> Any:
        """Return the vectors as a matrix, if all are complete."""
        ids, vectors = batch.column("id"), batch.column("features")
        lengths = np.diff(vectors.offsets.to_numpy())  # 0 for null
        wrong = np.flatnonzero(lengths != self._width)
        if len(wrong):
            at = int(wrong[0])
            raise ValueError(
                f"the point with id {ids[at]} has {lengths[at]} features, and another one has "
                f"{self._width}: all points need the same number."
            )
        # A null becomes NaN.
        values = vectors.flatten().to_numpy(zero_copy_only=False).reshape(-1, self._width)
        wrong = np.flatnonzero(~np.isfinite(values).all(axis=1))
        if len(wrong):
            at = int(wrong[0])
            feature = int(np.flatnonzero(~np.isfinite(values[at]))[0])
            raise ValueError(
                f"feature {feature} of the point with id {ids[at]} is null or not finite: remove "
                "or fill such features."
            )
        return values


def with_clusters(session: Any, shards: Shards) -> Any:
    """Return a DataFrame of the ids and their clusters, read from the labels of the last pass."""
    from pyspark.sql.types import StructField, StructType

    ids = session.read.parquet((shards.folder / IDS).as_uri())
    cluster = StructField("cluster", cluster_type(), nullable=False)
    schema = StructType([ids.schema["id"], cluster])

    def look_up(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        state = PassState.read(shards.folder)
        for batch in batches:
            shard, place = (batch.column(name).to_numpy() for name in ("shard", "place"))
            labels = np.empty(len(batch), dtype=LABEL)
            for one in np.unique(shard):
                rows = shard == one
                labels[rows] = shards.labels(state.number, int(one))[place[rows]]
            columns = [batch.column("id"), pa.array(state.cluster_of[labels])]
            yield pa.RecordBatch.from_arrays(columns, names=["id", "cluster"])

    return ids.mapInArrow(look_up, schema)
