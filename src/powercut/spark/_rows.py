"""Write the edges of a DataFrame as a graph folder: one shuffle, then all workers write.

No edge passes through the driver. Each task sorts the entries of a row range and writes them to a
file of its own. When the driver knows the lengths of all files, a second task per row range copies
the entries to their position in the arrays.
"""

import os
import uuid
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from powercut._typing import Array, IntArray
from powercut.disk.array_file import ArrayFile
from powercut.disk.folder import new_graph_folder
from powercut.disk.manifest import (
    INDICES,
    OFFSETS,
    WEIGHTS,
    Manifest,
    RowRange,
    array_path,
)
from powercut.disk.sorting import BY_PAIR, COLUMN, MOST_ROWS, ONE, Keys, combined, moved_to
from powercut.graphs._adjacency import as_float, check_weights, index_type, offset_type
from powercut.remote.records import pack, unpack
from powercut.spark._tasks import SparkTasks

SORTED_PART = "first_row long, length long, weighted boolean, path string"


def entries_of(edges: Any, ids: Any, src: str, dst: str, weight: str | None) -> Any:
    """Return the entries of all edges in both directions: row, column, mirrored[, weight]."""
    from pyspark.sql import functions as f

    weights = [] if weight is None else [f.col(weight).cast("double").alias("weight")]
    ends = (
        edges.select(f.col(src).alias("a"), f.col(dst).alias("b"), *weights)
        .join(ids.select(f.col("id").alias("a"), f.col("node").alias("u")), "a")
        .join(ids.select(f.col("id").alias("b"), f.col("node").alias("v")), "b")
    )
    there, back = (
        f.struct(
            f.col(row).alias("row"), f.col(column).alias("column"), f.lit(way).alias("mirrored")
        )
        for row, column, way in (("u", "v", 0), ("v", "u", 1))
    )
    both = f.when(f.col("u") == f.col("v"), f.array(there)).otherwise(f.array(there, back))
    kept = [] if weight is None else ["weight"]
    return ends.select(f.explode(both).alias("entry"), *kept).select("entry.*", *kept)


def write_rows(
    entries: Any, path: Path, *, n_nodes: int, n_parts: int, symmetrize: str, tasks: SparkTasks
) -> None:
    """Write a graph folder that `powercut.disk.open_blocks` opens.

    Parameters
    ----------
    entries : pyspark.sql.DataFrame
        As `entries_of` returns them.
    path : Path
        The folder to make.
    n_nodes : int
        Number of rows.
    n_parts : int
        In how many row ranges to sort.
    symmetrize : {"max", "sum", "mean"}
        How both directions combine.
    tasks : SparkTasks
        Runs the tasks.
    """
    tasks.describe("sort the edges")
    with new_graph_folder(path) as folder:
        sorted_parts = folder / "parts"
        sorted_parts.mkdir()

        def sort(batches: Iterator[Any]) -> Iterator[Any]:
            return _sorted_part(batches, sorted_parts, symmetrize)

        ranges = entries.repartitionByRange(n_parts, "row")
        parts = sorted(ranges.mapInArrow(sort, SORTED_PART).collect())
        if not parts:
            raise ValueError("there are no edges.")
        row_ranges = _row_ranges(parts, n_nodes)
        n_entries = row_ranges[-1].end_entry
        dtypes: dict[str, Any] = {OFFSETS: offset_type(n_entries), INDICES: index_type(n_nodes)}
        if any(part.weighted for part in parts):
            dtypes[WEIGHTS] = np.float64
        for name, dtype in dtypes.items():
            with ArrayFile(array_path(folder, name), dtype) as file:
                file.reserve(n_nodes + 1 if name == OFFSETS else n_entries)
        firsts = tuple(part.first_row for part in parts)
        paths = tuple(part.path for part in parts)
        task = CopyRows(folder, paths, firsts, row_ranges, dtypes)
        results = tasks.run(task, len(row_ranges), "write the rows")
        written = tuple(
            replace(rows, checksums=dict(zip(dtypes, checksums.tolist(), strict=True)))
            for rows, (checksums,) in zip(row_ranges, results, strict=True)
        )
        types = {name: np.dtype(dtype).newbyteorder("<").str for name, dtype in dtypes.items()}
        manifest = Manifest(n_nodes, n_entries, types, written)
        for part in sorted_parts.iterdir():
            part.unlink()
        sorted_parts.rmdir()
        manifest.write(folder)


def _row_ranges(parts: list[Any], n_nodes: int) -> tuple[RowRange, ...]:
    """Return the row ranges of the sorted parts, in row order, without checksums."""
    firsts = [0, *(part.first_row for part in parts[1:]), n_nodes]
    ends = np.cumsum([0, *(part.length for part in parts)]).tolist()
    return tuple(
        RowRange(*rows, *entries, checksums={})
        for rows, entries in zip(pairwise(firsts), pairwise(ends), strict=True)
    )


def _sorted_part(batches: Iterator[Any], folder: Path, symmetrize: str) -> Iterator[Any]:
    """Write the sorted entries of a row range to a file of this task attempt; yield its path."""
    import pyarrow as pa

    all_rows: list[IntArray] = []
    all_keys: list[Keys] = []
    all_weights: list[Array] = []
    for batch in batches:
        row, column, mirrored = (batch.column(i).to_numpy().astype(np.int64) for i in range(3))
        all_rows.append(row)
        all_keys.append(column.view(np.uint64) << ONE | mirrored.view(np.uint64))
        if batch.num_columns > 3:
            if batch.column(3).null_count:
                raise ValueError("the weight of an edge is null: give each edge a weight.")
            all_weights.append(as_float(batch.column(3).to_numpy()))
    if not all_keys:
        return
    rows, keys = np.concatenate(all_rows), np.concatenate(all_keys)
    weights = _checked(all_weights, rows, keys) if all_weights else None
    first_row = int(rows.min())
    if int(rows.max()) - first_row >= MOST_ROWS:
        raise ValueError(f"a part has more than {MOST_ROWS:,} rows: raise `n_parts`.")
    keys = moved_to(rows - first_row, keys)
    del all_rows, all_keys, rows
    if weights is not None:
        # A shuffle delivers entries in any order, and rounded sums depend on the order.
        order = np.argsort(weights, kind="stable")
        keys, weights = keys[order], weights[order]
    pairs, weights = combined(keys, weights, first_row, symmetrize)
    weights = None if weights is None or (weights == 1).all() else as_float(weights)
    path = folder / uuid.uuid4().hex
    path.write_bytes(pack([pairs] if weights is None else [pairs, weights]))
    columns = [first_row], [len(pairs)], [weights is not None], [str(path)]
    yield pa.RecordBatch.from_arrays(
        [pa.array(column) for column in columns], names=["first_row", "length", "weighted", "path"]
    )


def _checked(all_weights: list[Array], rows: IntArray, keys: Keys) -> Array:
    weights = np.concatenate(all_weights)
    check_weights(weights, lambda at: (rows[at], keys[at] >> ONE & COLUMN))
    return weights


@dataclass(frozen=True)
class CopyRows:
    """Copy sorted entries to their position in the arrays, and return the checksums."""

    folder: Path
    parts: tuple[str, ...]
    first_rows: tuple[int, ...]
    row_ranges: tuple[RowRange, ...]
    dtypes: dict[str, Any]

    def __call__(self, part: int, n_parts: int, local: Path) -> list[Array]:  # noqa: ARG002
        """Copy one row range."""
        pairs, *weights = unpack(Path(self.parts[part]).read_bytes())
        rows = self.row_ranges[part]
        # Rows before the first and after the last that has entries are in the range, too.
        row = np.clip(np.arange(*rows.items(OFFSETS)) - self.first_rows[part], 0, MOST_ROWS)
        ends = row.astype(np.uint64) << BY_PAIR
        arrays = {
            OFFSETS: rows.first_entry + np.searchsorted(pairs, ends),
            INDICES: pairs & COLUMN,
            WEIGHTS: weights[0] if weights else np.ones(len(pairs)),
        }
        checksums = [
            write_at(array_path(self.folder, name), arrays[name].astype(dtype), rows.items(name)[0])
            for name, dtype in self.dtypes.items()
        ]
        return [np.array(checksums, dtype=np.int64)]


def write_at(path: Path, values: Array, start: int) -> int:
    """Write items to an array file from position `start`; return the CRC-32 of their bytes."""
    data = values.astype(values.dtype.newbyteorder("<"), copy=False).data
    with path.open("r+b") as file:
        np.lib.format.read_magic(file)
        np.lib.format.read_array_header_1_0(file)
        file.seek(start * values.itemsize, os.SEEK_CUR)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return zlib.crc32(data)
