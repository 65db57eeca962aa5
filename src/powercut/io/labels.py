"""Reading and writing cluster labels."""

import re
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from powercut.io._arrays import check_archive
from powercut.io._errors import fail, file_errors
from powercut.io._named import Names, as_names
from powercut.io._parquet import open_parquet
from powercut.io._records import (
    DELIMITERS,
    FieldError,
    fields,
    next_record,
    records,
    without_quoted,
)
from powercut.io._source import Input, Source, check_max_bytes, format_of, opened
from powercut.io._tables import as_column, write_table, written

SUFFIXES = {
    ".tsv": "text",
    ".txt": "text",
    ".csv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".npz": "npz",
}
LABEL_FORMATS = ("text", "csv", "parquet", "npz")
# Known names of the column of labels, in lower case.
HEADINGS = frozenset({"label", "labels", "cluster", "community", "class", "group", "truth"})
# Integers in the form in which they are written. Any other, such as 007, is text.
INTEGER = re.compile(b"0|-?[1-9][0-9]{0,18}")


class NamedLabels(NamedTuple):
    """Labels that were read, and the names of the labelled items.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Integers, or strings (dtype object).
    names : ndarray of shape (n,) or None
        Names of the labelled items; None if the file has none.
    """

    labels: npt.NDArray[Any]
    names: Names | None


def write_labels(
    target: str | Any,
    labels: npt.ArrayLike,
    *,
    names: npt.ArrayLike | None = None,
    format: str | None = None,  # noqa: A002 (what pandas and others call it)
) -> None:
    """Write the cluster of each node or point.

    Parameters
    ----------
    target : path or binary file
        Where to write. A path that ends in ``.gz`` is compressed.
    labels : array-like of shape (n,)
        Cluster of each node or point.
    names : array-like of shape (n,), optional
        Names of the nodes, as returned by `read_graph`. Default: 0, 1, 2, ...
    format : {"text", "csv", "parquet", "npz"}, optional
        Text: one line per node with name and label, separated by a tab. CSV: the same with commas
        and a header. Names that are not plain words are quoted in both. Parquet and NPZ: columns
        ``node`` and ``label``. Default: determined by the suffix, else ``text``.

    Examples
    --------
    >>> import io
    >>> from powercut.io import write_labels
    >>> file = io.BytesIO()
    >>> write_labels(file, [0, 0, 1], names=["ann", "bob", "carl"], format="csv")
    >>> print(file.getvalue().decode())
    node,label
    ann,0
    bob,0
    carl,1
    """
    label = as_column(labels)
    node = np.arange(len(label)) if names is None else as_column(names)
    if node.shape != label.shape or label.ndim != 1:
        raise ValueError(
            f"names have shape {node.shape} and labels {label.shape}; pass one name per label"
        )
    kind = format_of(target, format, SUFFIXES, "text")
    with written(target) as file:
        if kind == "text" and len(label) and str(label[0]).lower() in HEADINGS:
            file.write(b"node\tlabel\n")  # without it the first row would be read as a header
        write_table(file, {"node": node, "label": label}, kind)


def read_labels(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002
    max_bytes: int | None = None,
) -> NamedLabels:
    r"""Read labels, with the names of the labelled items if the file has them.

    Parameters
    ----------
    source : path or binary file
        Text and CSV have one or two columns, of which the last is the label; a header is
        recognised by its name (label, cluster, community, class and the like). In Parquet and
        NPZ the label is the column ``label``, or the last one, and the other column has names.
    format : {"text", "csv", "parquet", "npz"}, optional
        Default: determined by the suffix, else ``text``.
    max_bytes : int, optional
        Most bytes that the content may take, as in `read_graph`.

    Returns
    -------
    NamedLabels
        ``labels`` and ``names``, each as integers if all are integers, else as text.

    Raises
    ------
    FileError
        If the content is invalid, or over the limit.

    Examples
    --------
    >>> import io
    >>> from powercut.io import read_labels
    >>> labels, names = read_labels(io.BytesIO(b"ann 0\nbob 0\ncarl 1\n"))
    >>> labels
    array([0, 0, 1])
    """
    kind = format_of(source, format, SUFFIXES, "text")
    check_max_bytes(max_bytes)
    with file_errors(source, kind), opened(source, max_bytes) as file:
        if kind in ("text", "csv"):
            return _read_text(file.utf8(), source)
        columns = _npz_columns(file) if kind == "npz" else _parquet_columns(file)
        return _of_columns(columns, source)


def _read_text(text: bytes, source: Any) -> NamedLabels:
    begin, end = next_record(text, 0)
    bare = without_quoted(text[begin:end])
    delimiter = next((one for one in DELIMITERS if one in bare), b"")
    cells: list[bytes] = []
    width = 0
    for line, record in records(text, delimiter):
        try:
            row = fields(record, delimiter)
        except FieldError as error:
            message = "the quote is not closed, or followed by more text; quotes in it are doubled"
            fail(source, message, line=line, column=error.args[0])
        if not width:
            width = len(row)
            if width > 2:
                fail(source, f"there are {width} columns; one or two are expected", line=line)
            if (row[-1] or b"").decode().lower() in HEADINGS:
                continue
        if len(row) != width or None in row:
            shown = record.strip()[:40].decode(errors="replace")
            fail(source, f"{shown!r} does not have {width} columns", line=line)
        cells += cast(list[bytes], row)
    if not cells:
        fail(source, "there are no labels")
    names = _as_numbers(cells[::2]) if width == 2 else None
    return NamedLabels(_as_numbers(cells[width - 1 :: width]), names)


def _as_numbers(cells: list[bytes]) -> npt.NDArray[Any]:
    """Return the cells as integers if all are integers, else as strings."""
    if all(map(INTEGER.fullmatch, cells)):
        try:
            return np.fromiter(map(int, cells), dtype=np.int64, count=len(cells))
        except OverflowError:  # more than 64 bits
            pass
    return as_names([cell.decode() for cell in cells])


def _npz_columns(file: Input) -> dict[str, npt.NDArray[Any]]:
    check_archive(file)
    with np.load(file.seekable(), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def _parquet_columns(file: Input) -> dict[str, npt.NDArray[Any]]:
    table = open_parquet(file).read()
    table.validate(full=True)
    # pandas stores an index in columns with such names.
    names = [name for name in table.column_names if not name.startswith("__")]
    return {name: table.column(name).to_numpy() for name in names}


def _of_columns(columns: dict[str, npt.NDArray[Any]], source: Any) -> NamedLabels:
    if not columns:
        fail(source, "there are no columns")
    label = "label" if "label" in columns else list(columns)[-1]
    others = [name for name in columns if name != label]
    if len(others) > 1:
        fail(source, f"the columns are {list(columns)}; one or two are expected")
    labels = columns[label]
    names = columns[others[0]] if others else None
    shapes = {column.shape for column in columns.values()}
    if len(shapes) > 1 or labels.ndim != 1 or not len(labels) or labels.dtype.kind not in "iuOU":
        fail(source, f"the column {label!r} does not hold one label, integer or text, per name")
    if labels.dtype == object and not all(isinstance(value, str) for value in labels):
        fail(source, f"the column {label!r} has missing values, or values that are not text")
    return NamedLabels(labels, names)
