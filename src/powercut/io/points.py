"""Reading and writing points: rows of numbers."""

import re
import warnings
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from powercut.graphs._adjacency import as_float
from powercut.io._arrays import check_archive
from powercut.io._errors import fail, file_errors
from powercut.io._parquet import open_parquet
from powercut.io._records import records
from powercut.io._source import Input, Source, check_max_bytes, format_of, opened
from powercut.io._tables import write_text, written

SUFFIXES = {
    ".txt": "text",
    ".tsv": "text",
    ".csv": "text",
    ".npy": "npy",
    ".npz": "npz",
    ".parquet": "parquet",
    ".pq": "parquet",
}
POINT_FORMATS = ("text", "npy", "npz", "parquet")
Points = npt.NDArray[np.floating[Any]]


def read_points(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002 (what pandas and others call it)
    max_bytes: int | None = None,
) -> Points:
    r"""Read rows of numbers.

    Parameters
    ----------
    source : path or binary file
        Text separated by commas, semicolons, tabs or spaces, whose first line may be a header;
        a NumPy array; an NPZ archive with a single array, or with an array ``X``; or a Parquet
        file, of which all columns are read.
    format : {"text", "npy", "npz", "parquet"}, optional
        Default: determined by the suffix, else ``text``.
    max_bytes : int, optional
        Most bytes that the content may take, as in `read_graph`.

    Returns
    -------
    ndarray of shape (n, n_features), float32 or float64

    Raises
    ------
    FileError
        If the content is invalid, or over the limit.

    Examples
    --------
    >>> import io
    >>> from powercut.io import read_points
    >>> read_points(io.BytesIO(b"x,y\n0,1.5\n2,3\n"))
    array([[0. , 1.5],
           [2. , 3. ]])
    """
    kind = format_of(source, format, SUFFIXES, "text")
    check_max_bytes(max_bytes)
    with file_errors(source, kind), opened(source, max_bytes) as file:
        if kind == "text":
            return _read_text(file.utf8(), source)
        points = {"npy": _npy, "npz": _npz, "parquet": _parquet}[kind](file)
        if points.ndim != 2 or 0 in points.shape[1:] or points.dtype.kind not in "iufb":
            fail(
                source,
                f"the array has type {points.dtype} and shape {points.shape}; points must be "
                "rows of numbers",
            )
        return as_float(points)


def write_points(
    target: str | Any,
    points: Points,
    *,
    format: str | None = None,  # noqa: A002
) -> None:
    """Write rows of numbers as text with commas, or as a NumPy array.

    Parameters
    ----------
    target : path or binary file
        Where to write. A path that ends in ``.gz`` is compressed.
    points : ndarray of shape (n, n_features)
        The rows.
    format : {"text", "npy"}, optional
        Default: determined by the suffix, else ``text``.
    """
    kind = format_of(target, format, {".npy": "npy", ".csv": "text"}, "text")
    with written(target) as file:
        if kind == "npy":
            np.save(file, points, allow_pickle=False)
        else:
            write_text(file, list(points.T), ",")


def _npy(file: Input) -> npt.NDArray[Any]:
    return np.asarray(np.load(file.seekable(), allow_pickle=False))


def _npz(file: Input) -> npt.NDArray[Any]:
    check_archive(file)
    with np.load(file.seekable(), allow_pickle=False) as arrays:
        if "X" in arrays.files:
            return np.asarray(arrays["X"])
        if len(arrays.files) != 1:
            fail(file.source, f"the arrays are {arrays.files}, and none of them is X")
        return np.asarray(arrays[arrays.files[0]])


def _parquet(file: Input) -> npt.NDArray[Any]:
    table = open_parquet(file).read()
    table.validate(full=True)
    return np.column_stack([column.to_numpy() for column in table.columns])


def _read_text(text: bytes, source: Any) -> Points:
    rows = partial(records, text, b"")
    _, first = next(rows(), (0, b""))
    delimiter = next((mark for mark in (b",", b";", b"\t") if mark in first), b"").decode() or None
    start = 0 if all(map(_is_number, first.decode().split(delimiter))) else 1
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return np.loadtxt(
                (row.decode() for _, row in islice(rows(), start, None)),
                delimiter=delimiter,
                comments=None,
                ndmin=2,
                dtype=np.float64,
            )
    except (ValueError, UserWarning) as error:
        _find_error(islice(rows(), start, None), delimiter, source)
        fail(source, error)


def _find_error(rows: Iterator[tuple[int, bytes]], delimiter: str | None, source: Any) -> None:
    """Raise for the first malformed cell or line, with its position."""
    width = 0
    for number, row in rows:
        line = row.decode()
        cells = line.split(delimiter)
        for k, cell in enumerate(cells):
            if not _is_number(cell):
                message = f"{cell.strip()[:40]!r} is not a number"
                fail(source, message, line=number, column=_column(line, k, delimiter))
        width = width or len(cells)
        if len(cells) != width:
            message = f"there are {len(cells)} columns, but {width} in the first"
            fail(source, message, line=number)
    if not width:
        fail(source, "there are no points")


def _column(line: str, k: int, delimiter: str | None) -> int:
    """Return where cell k begins, counted from 1."""
    if delimiter is None:
        return next(islice(re.finditer(r"\S+", line), k, None)).start() + 1
    cells = line.split(delimiter)
    blanks = len(cells[k]) - len(cells[k].lstrip())
    return sum(len(cell) + 1 for cell in cells[:k]) + (blanks if cells[k].strip() else 0) + 1


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
