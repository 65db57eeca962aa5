"""Edges in columns of Arrow tables and Parquet files.

A table is any object with ``__arrow_c_stream__``, as of pyarrow, polars, pandas or DuckDB.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut.io._named import NamedGraph, Options, graph_of_edges
from powercut.io._source import Source, errors_named, fail, missing, opened

BATCH = 1 << 18


def is_table(source: Any) -> bool:
    """Return whether an object exports Arrow data."""
    return hasattr(source, "__arrow_c_stream__")


def read_table(source: Any, options: Options) -> NamedGraph:
    """Read the edges of a table."""
    pa = _pyarrow("a table")
    with errors_named(source, "a table of edges"):
        reader = pa.RecordBatchReader.from_stream(source)
        return _read(reader.schema, iter(reader), source, options)


def read_ipc(source: Source, options: Options) -> NamedGraph:
    """Read an Arrow file (Feather) or an Arrow stream."""
    pa = _pyarrow("an Arrow file")
    with opened(source) as file, errors_named(source, "Arrow"):
        start = file.peek(6)[:6]  # type: ignore[attr-defined]
        if start != b"ARROW1":
            reader = pa.ipc.open_stream(file)
            return _read(reader.schema, iter(reader), source, options)
        table = pa.ipc.open_file(file if file.seekable() else pa.py_buffer(file.read()))
        batches = (table.get_batch(i) for i in range(table.num_record_batches))
        return _read(table.schema, batches, source, options)


def read_parquet(source: Source, options: Options) -> NamedGraph:
    """Read the columns of edges in a Parquet file."""
    pa = _pyarrow("a Parquet file")
    from pyarrow import parquet

    with opened(source) as file, errors_named(source, "Parquet"):
        table = parquet.ParquetFile(file if file.seekable() else pa.py_buffer(file.read()))
        columns = _columns(table.schema_arrow, source, options)
        batches = table.iter_batches(batch_size=BATCH, columns=list(columns))
        return _read(table.schema_arrow, batches, source, options)


def _pyarrow(what: str) -> Any:
    try:
        import pyarrow as pa
        import pyarrow.ipc
    except ImportError as error:
        raise missing("pyarrow", what) from error
    return pa


def _columns(schema: Any, source: Any, options: Options) -> tuple[str, ...]:
    """Return the names of the two columns of ends and, if present, of the weights."""
    names: list[str] = list(schema.names)
    if options.columns is not None:
        absent = [name for name in options.columns if names.count(name) != 1]
        if absent:
            fail(source, f"there is no column {absent[0]!r}, or more than one; columns are {names}")
        if len(options.columns) not in (2, 3):
            raise ValueError(
                f"columns must be (source, target) or (source, target, weight), "
                f"got {options.columns}"
            )
        return options.columns
    if len(names) not in (2, 3) or len(set(names)) < len(names):
        fail(
            source,
            f"the columns are {names}: select those of edges by columns=(source, target) or "
            "columns=(source, target, weight)",
        )
    return tuple(names)


def _read(schema: Any, batches: Iterator[Any], source: Any, options: Options) -> NamedGraph:
    import pyarrow as pa

    columns = _columns(schema, source, options)
    kinds = {_is_text(pa, schema.field(name).type) for name in columns[:2]}
    if len(kinds) == 2:
        fail(source, f"of the columns {columns[:2]}, one holds names and the other numbers")
    named = options.ids == "names" or kinds == {True}
    edges = _core.EdgeList(named, len(columns) == 3)
    done = 0
    for batch in batches:
        u, v = (_ends(pa, batch, name, named, done) for name in columns[:2])
        weight = _weights(pa, batch, columns[2], done) if len(columns) == 3 else None
        (edges.add_names if named else edges.add_numbers)(u, v, weight)
        done += batch.num_rows
    if edges.size == 0:
        fail(source, "there are no edges")
    return graph_of_edges(edges, source, options)


def _is_text(pa: Any, kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    tests = ("is_string", "is_large_string", "is_string_view")
    return any(getattr(pa.types, test)(kind) for test in tests if hasattr(pa.types, test))


def _column(batch: Any, name: str, done: int) -> Any:
    column = batch.column(batch.schema.get_field_index(name))
    # Offsets, views and indices of a file may point anywhere: Arrow itself does not check them.
    column.validate(full=True)
    if column.null_count:
        at = done + column.is_null().to_pylist().index(True)
        raise ValueError(f"column {name!r} has no value in row {at}, counted from 0")
    return column


def _ends(pa: Any, batch: Any, name: str, named: bool, done: int) -> Any:
    column = _column(batch, name, done)
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


def _weights(pa: Any, batch: Any, name: str, done: int) -> npt.NDArray[np.float64]:
    column = _column(batch, name, done)
    values = np.ascontiguousarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False))
    wrong = np.flatnonzero(~((values >= 0) & (values < np.inf)))
    if len(wrong):
        raise ValueError(
            f"column {name!r} is {values[wrong[0]]} in row {done + wrong[0]}, counted from 0; "
            "weights must be finite and not negative"
        )
    return values
