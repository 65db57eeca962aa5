"""Reading and writing points: rows of numbers."""

import io
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from powercut.graphs._adjacency import as_float
from powercut.io._source import Source, errors_named, fail, format_of, missing, opened, text_of
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

    Returns
    -------
    ndarray of shape (n, n_features), float32 or float64

    Examples
    --------
    >>> import io
    >>> from powercut.io import read_points
    >>> read_points(io.BytesIO(b"x,y\n0,1.5\n2,3\n"))
    array([[0. , 1.5],
           [2. , 3. ]])
    """
    kind = format_of(source, format, SUFFIXES, "text")
    with opened(source) as file:
        if kind == "text":
            return _read_text(file, source)
        seekable = file if file.seekable() else io.BytesIO(file.read())
        with errors_named(source, kind):
            points = {"npy": _npy, "npz": _npz, "parquet": _parquet}[kind](seekable)
            if points.ndim != 2 or points.dtype.kind not in "iufb":
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


def _npy(file: Any) -> npt.NDArray[Any]:
    return np.asarray(np.load(file, allow_pickle=False))


def _npz(file: Any) -> npt.NDArray[Any]:
    with np.load(file, allow_pickle=False) as arrays:
        if "X" in arrays.files:
            return np.asarray(arrays["X"])
        if len(arrays.files) != 1:
            raise ValueError(f"the arrays are {arrays.files}, and none of them is X")
        return np.asarray(arrays[arrays.files[0]])


def _parquet(file: Any) -> npt.NDArray[Any]:
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise missing("pyarrow", "a Parquet file") from error
    table = parquet.read_table(file)
    table.validate(full=True)
    return np.column_stack([column.to_numpy() for column in table.columns])


def _read_text(file: Any, source: Any) -> Points:
    lines = text_of(file, source).splitlines()
    data = [i for i, line in enumerate(lines) if line.strip() and line.lstrip()[0] not in "#%"]
    if not data:
        fail(source, "there are no points")
    delimiter = next((mark for mark in ",;\t" if mark in lines[data[0]]), None)
    if any(not _is_number(cell) for cell in lines[data[0]].split(delimiter)):
        data = data[1:]  # without the header
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            rows = (lines[i] for i in data)
            return np.loadtxt(rows, delimiter=delimiter, comments=None, ndmin=2, dtype=np.float64)
    except (ValueError, UserWarning) as error:
        _find_error(lines, data, delimiter, source)
        fail(source, error)


def _find_error(lines: list[str], data: list[int], delimiter: str | None, source: Any) -> None:
    """Raise for the first malformed cell or line, with its position."""
    if not data:
        fail(source, "there are no points")
    width = len(lines[data[0]].split(delimiter))
    for i in data:
        cells = lines[i].split(delimiter)
        at = 1
        for cell in cells:
            if not _is_number(cell):
                start = at + lines[i][at - 1 :].find(cell)
                fail(source, f"line {i + 1}, column {start}: {cell.strip()[:40]!r} is not a number")
            at += len(cell) + 1
        if len(cells) != width:
            fail(source, f"line {i + 1}: there are {len(cells)} columns, but {width} in the first")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
