"""Edges in columns of Arrow tables and Parquet files.

A table is any object with ``__arrow_c_stream__``, as of pyarrow, polars, pandas or DuckDB.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut.io._arrow_bodies import check_bodies, is_file
from powercut.io._errors import fail
from powercut.io._named import NamedGraph, Options, graph_of_edges
from powercut.io._parquet import VALUE, is_text, open_parquet, pyarrow
from powercut.io._source import Limit, Source, opened

BATCH = 1 << 18


def is_table(source: Any) -> bool:
    """Return whether an object exports Arrow data."""
    return hasattr(source, "__arrow_c_stream__")


def read_table(source: Any, options: Options) -> NamedGraph:
    """Read the edges of a table."""
    reader = pyarrow("a table").RecordBatchReader.from_stream(source)
    return _read(reader.schema, iter(reader), source, options)


def read_ipc(source: Source, options: Options) -> NamedGraph:
    """Read an Arrow file (Feather) or an Arrow stream."""
    pa = pyarrow("an Arrow file")
    with opened(source, options.max_bytes) as file:
        stored = file.seekable()
        check_bodies(stored, file.limit)
        if not is_file(stored):
            reader = pa.ipc.open_stream(stored)
            return _read(reader.schema, iter(reader), source, options, file.limit)
        table = pa.ipc.open_file(stored)
        batches = (table.get_batch(i) for i in range(table.num_record_batches))
        return _read(table.schema, batches, source, options, file.limit)


def read_parquet(source: Source, options: Options) -> NamedGraph:
    """Read the columns of edges in a Parquet file."""
    with opened(source, options.max_bytes) as file:
        table = open_parquet(file)
        columns = _columns(table.schema_arrow, source, options)
        batches = table.iter_batches(batch_size=BATCH, columns=list(columns))
        return _read(table.schema_arrow, batches, source, options, file.limit)


def _columns(schema: Any, source: Any, options: Options) -> tuple[str, ...]:
    """Return the names of the two columns of ends and, if present, of the weights."""
    names: list[str] = list(schema.names)
    if options.columns is not None:
        absent = [name for name in options.columns if names.count(name) != 1]
        if absent:
            fail(source, f"there is no column {absent[0]!r}, or more than one; columns are {names}")
        return options.columns
    if len(names) not in (2, 3) or len(set(names)) < len(names):
        fail(
            source,
            f"the columns are {names}: select those of edges by columns=(source, target) or "
            "columns=(source, target, weight)",
        )
    return tuple(names)


def _read(
    schema: Any, batches: Iterator[Any], source: Any, options: Options, limit: Limit | None = None
) -> NamedGraph:
    pa = pyarrow("a table")
    columns = _columns(schema, source, options)
    kinds = {is_text(schema.field(name).type) for name in columns[:2]}
    if len(kinds) == 2:
        fail(source, f"of the columns {columns[:2]}, one holds names and the other numbers")
    named = options.ids == "names" or kinds == {True}
    edges = _core.EdgeList(named, len(columns) == 3)
    done = taken = 0
    for batch in batches:
        given = [_column(batch, name, done) for name in columns]
        if limit is not None:
            taken += VALUE * batch.num_rows * len(columns)
            limit.check(taken, f"{done + batch.num_rows:,} rows")
            taken += sum(int(_lengths(pa, end).sum()) for end in given[:2] if is_text(end.type))
            limit.check(taken, "the names")
        for column in given:
            # Offsets, views and indices of a file may point anywhere: Arrow does not check them.
            column.validate(full=True)
        u, v = (_ends(pa, *end, named) for end in zip(columns[:2], given[:2], strict=True))
        weight = _weights(pa, columns[2], given[2], done) if len(columns) == 3 else None
        (edges.add_names if named else edges.add_numbers)(u, v, weight)
        done += batch.num_rows
    if edges.size == 0:
        fail(source, "there are no edges")
    return graph_of_edges(edges, source, options)


def _column(batch: Any, name: str, done: int) -> Any:
    column = batch.column(batch.schema.get_field_index(name))
    column.validate()  # the sizes of buffers, not what is in them
    if column.null_count:
        at = done + int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise ValueError(f"column {name!r} has no value in row {at}, counted from 0")
    return column


def _lengths(pa: Any, column: Any) -> npt.NDArray[np.int64]:
    """Return the number of bytes of each text, of a column that may be unsound.

    Values of a dictionary, and views, may share one long text, which would be copied for each.
    """
    if pa.types.is_dictionary(column.type):
        column.dictionary.validate()
        indices: npt.NDArray[np.int64] = column.indices.to_numpy(zero_copy_only=False)
        return _lengths(pa, column.dictionary)[indices]
    _, where, *_ = column.buffers()
    if not len(column) or where is None:
        return np.zeros(len(column), dtype=np.int64)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        dtype = np.int32 if pa.types.is_string(column.type) else np.int64
        all_offsets: npt.NDArray[np.int64] = np.frombuffer(where, dtype).astype(np.int64)
        offsets = all_offsets[column.offset : column.offset + len(column) + 1]
        return offsets[1:] - offsets[:-1]
    views = np.frombuffer(where, np.int32)[: 4 * (column.offset + len(column))].reshape(-1, 4)
    return views[column.offset :, 0].astype(np.int64)


def _ends(pa: Any, name: str, column: Any, named: bool) -> Any:
    if named:
        return _text(column.cast(pa.large_string()))
    if not pa.types.is_integer(column.type):
        raise ValueError(
            f"column {name!r} holds {column.type}; ends of edges must be integers or text"
        )
    return np.ascontiguousarray(column.cast(pa.int64()).to_numpy(zero_copy_only=False))


def _text(column: Any) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Return the bytes of all strings of a column, and their offsets."""
    _, offsets, text = column.buffers()
    first, end = column.offset, column.offset + len(column) + 1
    where = np.frombuffer(offsets, dtype=np.int64)[first:end] if offsets else np.zeros(1, np.int64)
    return np.frombuffer(text or b"", dtype=np.uint8), where


def _weights(pa: Any, name: str, column: Any, done: int) -> npt.NDArray[np.float64]:
    values = np.ascontiguousarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False))
    wrong = np.flatnonzero(~((values >= 0) & (values < np.inf)))
    if len(wrong):
        raise ValueError(
            f"column {name!r} is {values[wrong[0]]} in row {done + wrong[0]}, counted from 0; "
            "weights must be finite and not negative"
        )
    return values
