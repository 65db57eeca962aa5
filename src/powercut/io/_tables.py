"""Writing columns of values as text, CSV, Parquet or NPZ."""

import gzip
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from powercut._atomic import atomic_open
from powercut.io._errors import missing

Column = npt.NDArray[Any]
# Lines formatted at a time.
LINES = 1 << 16
# Text is quoted if it has blanks, control characters, quotes or delimiters, if it begins like a
# comment or with a byte-order mark, and if it is empty.
QUOTED = re.compile(r'[\s\x00-\x1f\x7f",;]|^[#%\ufeff]|^$')


def as_column(values: npt.ArrayLike) -> Column:
    """Return values as an array; text as objects, since fixed width loses NUL at the end."""
    column = np.asarray(values)
    if column.dtype.kind == "U" and not isinstance(values, np.ndarray):
        return np.array(values, dtype=object)
    return column


@contextmanager
def written(target: Any) -> Iterator[BinaryIO]:
    """Open a path for writing, compressed if it ends in .gz; yield an open file unchanged.

    A path gets its content when the block ends without an exception, whole or not at all.
    """
    if not isinstance(target, str | os.PathLike):
        yield target
    elif os.fspath(target).lower().endswith(".gz"):
        # Without a time stamp: the same content makes the same file.
        with atomic_open(target) as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
            yield cast(BinaryIO, file)
    else:
        with atomic_open(target) as file:
            yield cast(BinaryIO, file)


def write_text(file: BinaryIO, columns: Sequence[Column], delimiter: str) -> None:
    """Write columns as text, without a header."""
    for start in range(0, len(columns[0]), LINES):
        cells = [_cells(column[start : start + LINES]) for column in columns]
        lines = map(delimiter.join, zip(*cells, strict=True))
        file.write(("\n".join(lines) + "\n").encode())


def write_table(file: Any, columns: Mapping[str, Column], kind: str) -> None:
    """Write named columns in a format: text, csv, parquet or npz."""
    if kind == "text":
        write_text(file, list(columns.values()), "\t")
    elif kind == "csv":
        names = np.array(list(columns), dtype=object)
        file.write((",".join(_cells(names)) + "\n").encode())
        write_text(file, list(columns.values()), ",")
    elif kind == "npz":
        # Fixed-width strings: arrays of objects would need pickle.
        fixed = {
            name: _fixed_width(column) if column.dtype == object else column
            for name, column in columns.items()
        }
        np.savez_compressed(file, allow_pickle=False, **fixed)
    else:
        try:
            import pyarrow as pa
            from pyarrow import parquet
        except ImportError as error:
            raise missing("pyarrow", "a Parquet file") from error
        # An empty array of objects does not tell that it is text.
        typed = {
            name: pa.array(column, pa.string())
            if column.dtype == object and not len(column)
            else column
            for name, column in columns.items()
        }
        parquet.write_table(pa.table(typed), file)


def _cells(column: Column) -> list[str]:
    values = column.tolist()
    if column.dtype.kind not in "OUS":
        return list(map(repr if column.dtype.kind == "f" else str, values))
    return [
        '"' + cell.replace('"', '""') + '"' if QUOTED.search(cell) else cell
        for cell in map(str, values)
    ]


def _fixed_width(column: Column) -> Column:
    texts = list(map(str, column))
    fixed = np.array(texts)
    if fixed.tolist() != texts:  # NumPy fills shorter texts with NUL
        raise ValueError('NPZ cannot store text that ends in NUL; choose the format "parquet".')
    return fixed
