"""Parquet files, opened so that a small file cannot fill the memory."""

from typing import Any

from powercut.io._errors import missing
from powercut.io._parquet_pages import check_pages
from powercut.io._source import Input

# Bytes counted for a value, of whatever type.
VALUE = 8


def pyarrow(what: str) -> Any:
    """Return the package pyarrow, which `what` needs."""
    try:
        import pyarrow as pa
        import pyarrow.ipc
    except ImportError as error:
        raise missing("pyarrow", what) from error
    return pa


def is_text(kind: Any) -> bool:
    """Return whether an Arrow type is text, or a dictionary of text."""
    pa = pyarrow("a column of text")
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    tests = ("is_string", "is_large_string", "is_string_view")
    return any(getattr(pa.types, test)(kind) for test in tests if hasattr(pa.types, test))


def open_parquet(file: Input) -> Any:
    """Return a `pyarrow.parquet.ParquetFile`, after a check of its rows and pages.

    Columns of text are read as dictionaries: a long name that is repeated takes no space in the
    file, and should take none in memory.
    """
    pyarrow("a Parquet file")
    from pyarrow import parquet

    stored = file.seekable()
    found = parquet.ParquetFile(stored)
    n_rows, schema = found.metadata.num_rows, found.schema_arrow
    file.limit.check(VALUE * n_rows * max(1, len(schema)), f"{n_rows:,} rows")
    check_pages(stored, file.limit)
    texts = [field.name for field in schema if is_text(field.type)]
    return parquet.ParquetFile(stored, metadata=found.metadata, read_dictionary=texts)
