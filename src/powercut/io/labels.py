"""Labels of clusters in files."""

import csv
import io
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from powercut.io._named import Names, as_names
from powercut.io._source import Source, blamed, fail, format_of, missing, opened, text_of
from powercut.io._tables import write_table, written

SUFFIXES = {
    ".tsv": "text",
    ".txt": "text",
    ".csv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".npz": "npz",
}
LABEL_FORMATS = ("text", "csv", "parquet", "npz")
# What the column of labels is called by those who name it, in lower case.
HEADINGS = frozenset({"label", "labels", "cluster", "community", "class", "group", "truth"})


class NamedLabels(NamedTuple):
    """Labels that were read, and of what.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Integers, or strings (dtype object).
    names : ndarray of shape (n,) or None
        What the labelled things are called; None where the file does not say.
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
        The cluster of each.
    names : array-like of shape (n,), optional
        What nodes are called, as `read_graph` returns it; by default 0, 1, 2, ...
    format : {"text", "csv", "parquet", "npz"}, optional
        Name and label in each line, separated by a tab; the same with commas and a header;
        or columns ``node`` and ``label``. By default told by the suffix, ``text`` if by nothing
        else.

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
    label = np.asarray(labels)
    node = np.arange(len(label)) if names is None else np.asarray(names)
    if node.shape != label.shape or label.ndim != 1:
        raise ValueError(f"there are {node.shape} names for labels of shape {label.shape}")
    kind = format_of(target, format, SUFFIXES, "text")
    with written(target) as file:
        write_table(file, {"node": node, "label": label}, kind)


def read_labels(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002
) -> NamedLabels:
    r"""Read labels, alone or with the names of what is labelled before them.

    Parameters
    ----------
    source : path or binary file
        In text and CSV the last of one or two columns is the label; a header is known by its
        name (label, cluster, community, class and the like). In Parquet and NPZ it is the
        column ``label``, or the last, and the one before it the names.
    format : {"text", "csv", "parquet", "npz"}, optional
        By default told by the suffix, ``text`` if by nothing else.

    Returns
    -------
    NamedLabels
        ``labels`` and ``names``.

    Examples
    --------
    >>> import io
    >>> from powercut.io import read_labels
    >>> labels, names = read_labels(io.BytesIO(b"ann 0\nbob 0\ncarl 1\n"))
    >>> labels
    array([0, 0, 1])
    """
    kind = format_of(source, format, SUFFIXES, "text")
    with opened(source) as file:
        if kind in ("text", "csv"):
            return _read_text(file, source)
        with blamed(source, kind):
            return _of_columns(_columns(file, kind), source)


def _read_text(file: Any, source: Any) -> NamedLabels:
    names: list[str] = []
    labels: list[str] = []
    width = 0
    for number, line in enumerate(text_of(file, source).splitlines(), start=1):
        line = line.strip()
        if not line or line[0] in "#%":
            continue
        row = _split(line)
        if not width:
            width = len(row)
            if width > 2:
                fail(source, f"line {number}: there are {width} columns, not one or two")
            if row[-1].lower() in HEADINGS:
                continue
        if len(row) != width or not all(row):
            fail(source, f"line {number}: {line[:40]!r} has no {width} columns, as the first")
        labels.append(row[-1])
        names.extend(row[:-1])
    if not labels:
        fail(source, "there are no labels")
    return NamedLabels(_as_numbers(labels), _as_numbers(names) if names else None)


def _split(line: str) -> list[str]:
    for delimiter in "\t,;":
        if delimiter in line:
            return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
    return line.split()


def _as_numbers(cells: list[str]) -> npt.NDArray[Any]:
    """Return whole numbers where all are, strings otherwise."""
    try:
        return np.array(cells).astype(np.int64)
    except (ValueError, OverflowError):
        return as_names(cells)


def _columns(file: Any, kind: str) -> dict[str, npt.NDArray[Any]]:
    seekable = file if file.seekable() else io.BytesIO(file.read())
    if kind == "npz":
        with np.load(seekable, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise missing("pyarrow", "a Parquet file") from error
    table = parquet.read_table(seekable)
    # pandas keeps an index in columns of such names.
    names = [name for name in table.column_names if not name.startswith("__")]
    return {name: table.column(name).to_numpy() for name in names}


def _of_columns(columns: dict[str, npt.NDArray[Any]], source: Any) -> NamedLabels:
    if not columns:
        fail(source, "there are no columns")
    label = "label" if "label" in columns else list(columns)[-1]
    others = [name for name in columns if name != label]
    if len(others) > 1:
        fail(source, f"there are the columns {list(columns)}; labels have one or two")
    labels = columns[label]
    names = columns[others[0]] if others else None
    shapes = {column.shape for column in columns.values()}
    if len(shapes) > 1 or labels.ndim != 1 or not len(labels) or labels.dtype.kind not in "iuOU":
        fail(source, f"the column {label!r} does not hold a label, number or text, for each name")
    if labels.dtype == object and not all(isinstance(value, str) for value in labels):
        fail(source, f"the column {label!r} has missing values, or other things than text")
    return NamedLabels(labels, names)
