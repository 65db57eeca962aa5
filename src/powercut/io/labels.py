"""Reading and writing cluster labels."""

import csv
import io
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from powercut.io._named import Names, as_names
from powercut.io._source import Source, errors_named, fail, format_of, missing, opened, text_of
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
# Known names of the column of labels, in lower case.
HEADINGS = frozenset({"label", "labels", "cluster", "community", "class", "group", "truth"})


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
        and a header. Parquet and NPZ: columns ``node`` and ``label``. Default: determined by the
        suffix, else ``text``.

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
        raise ValueError(
            f"names have shape {node.shape} and labels {label.shape}; pass one name per label"
        )
    kind = format_of(target, format, SUFFIXES, "text")
    with written(target) as file:
        write_table(file, {"node": node, "label": label}, kind)


def read_labels(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002
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
        with errors_named(source, kind):
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
                fail(source, f"line {number}: there are {width} columns; one or two are expected")
            if row[-1].lower() in HEADINGS:
                continue
        if len(row) != width or not all(row):
            fail(source, f"line {number}: {line[:40]!r} does not have {width} columns")
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
    """Return the cells as integers if all are integers, else as strings."""
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
