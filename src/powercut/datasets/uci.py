"""The six UCI data sets of "Power-Law Graph Cuts"."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.datasets import fetch_file, get_data_home

from powercut._validation import check_choice

Column = npt.NDArray[np.float64] | npt.NDArray[np.str_]
Features = npt.NDArray[np.float64]

# The Weka collection of UCI data sets, at a fixed commit.
SOURCE = (
    "https://raw.githubusercontent.com/renatopp/arff-datasets/"
    "c59f172882592bb58982cc54d2d3c8a2b57e9b73/classification/"
)


@dataclass(frozen=True)
class _File:
    remote: str
    sha256: str
    target: str
    left_out: tuple[str, ...] = ()
    # Attributes that the file declares as nominal, but that are counts.
    counts: tuple[str, ...] = ()


FILES = {
    "audiology": _File(
        "audiology.arff",
        "dbf1ce6d199ced56f7124cb5737155b1caf9b7190c571dc5ceb68cf194abcd3a",
        "class",
    ),
    "ecoli": _File(
        "ecoli.arff", "1628f2d06962f257949eb04cd0101a1ce8718d35da52122242f1778ffbaecc5f", "class"
    ),
    "glass": _File(
        "glass.arff", "7666478791baf605953d43f670c2d24b6492dd6467b86520db9a93c5fd84c3d1", "Type"
    ),
    "hypothyroid": _File(
        "hypothyroid.arff",
        "dd2e5172f863bf0e5e8042c3acccd85e2c0e68a3ba2656353782522709fd927d",
        "Class",
        ("TBG",),  # missing in all rows
    ),
    "page-blocks": _File(
        "page.blocks.arff",
        "73649a8d2c716a6ff4ef329586d4e3e5d7b75b8116cd2167eb24bfa542f81f3f",
        "class",
    ),
    "flags": _File(
        "flags.arff",
        "0e66d7b86230c13ac9f68e7e9704b61983afac0d1a1b88a8a5aa2306b7e8d9bc",
        "religion",
        ("name",),  # different in every row
        ("bars", "stripes", "colours", "circles", "crosses", "saltires", "quarters", "sunstars"),
    ),
}


def load_uci(
    name: str, *, encoding: str = "one-hot", data_home: str | Path | None = None
) -> tuple[Features, npt.NDArray[np.str_]]:
    """Load a data set of the paper: features in [0, 1], and the classes.

    Parameters
    ----------
    name : {"audiology", "ecoli", "glass", "hypothyroid", "page-blocks", "flags"}
        The class of ``flags`` is the religion.
    encoding : {"one-hot", "ordinal"}, default="one-hot"
        Encoding of nominal values. ``"one-hot"``: one indicator feature per value of an
        attribute, or a single one for an attribute with two values; a missing value counts as
        a further value. ``"ordinal"``: the index in the list of values that the file declares;
        a missing value is replaced by the most frequent one. With both encodings the counts
        in ``flags`` (bars, stripes and so on) are numbers, and a missing number is replaced by
        the mean of its attribute.
    data_home : path, optional
        Folder with ``uci/NAME.arff``. Default: the environment variable ``POWERCUT_DATA``. A
        missing file is downloaded once, into the data folder of scikit-learn.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), float64
        Features scaled to [0, 1]; constant features are left out.
    classes : ndarray of shape (n_samples,), str
        The class of each row.

    Raises
    ------
    ValueError
        If the sha256 of the file is wrong.

    Examples
    --------
    >>> from powercut.datasets import load_uci
    >>> X, classes = load_uci("ecoli")  # doctest: +SKIP
    >>> X.shape, len(set(classes))  # doctest: +SKIP
    ((336, 7), 8)
    """
    check_choice("name", name, tuple(FILES))
    check_choice("encoding", encoding, tuple(ENCODINGS))
    file = FILES[name]
    columns = _read(_find(name, data_home))
    classes = columns.pop(file.target)[0].astype(np.str_)
    features = []
    for attribute, (column, values) in columns.items():
        if attribute in file.left_out:
            continue
        if attribute in file.counts:
            column, values = column.astype(np.float64), ()
        features.append(ENCODINGS[encoding](column, values) if values else _number(column))
    X = np.column_stack(features)
    low, high = X.min(axis=0), X.max(axis=0)
    varies = high > low
    return (X[:, varies] - low[varies]) / (high - low)[varies], classes


def _find(name: str, data_home: str | Path | None) -> Path:
    """Return the file, local or downloaded, after checking its sha256."""
    folder = os.environ.get("POWERCUT_DATA") if data_home is None else data_home
    if folder is not None:
        path = Path(folder) / "uci" / f"{name}.arff"
        if path.exists():
            if hashlib.sha256(path.read_bytes()).hexdigest() != FILES[name].sha256:
                raise ValueError(
                    f"{path} is not the expected file: its sha256 is not "
                    f"{FILES[name].sha256}. Remove it to download the right one."
                )
            return path
    return Path(
        fetch_file(
            SOURCE + FILES[name].remote,
            folder=Path(get_data_home()) / "powercut" / "uci",
            local_filename=f"{name}.arff",
            sha256=FILES[name].sha256,
        )
    )


def _read(path: Path) -> dict[str, tuple[Column, tuple[str, ...]]]:
    """Return the column of each attribute, with its declared values if it is nominal."""
    # Slow to import, and needed for these files only.
    from scipy.io import arff

    rows, meta = arff.loadarff(path)
    return {
        name: (rows[name].astype(np.str_) if kind == "nominal" else rows[name], values or ())
        for name, (kind, values) in ((name, meta[name]) for name in meta.names())
    }


def _number(column: Column) -> Features:
    numbers = column.astype(np.float64)
    return np.where(np.isnan(numbers), np.nanmean(numbers), numbers)


def _one_hot(column: Column, values: tuple[str, ...]) -> Features:
    present = [value for value in (*values, "?") if (column == value).any()]
    # For two values, the indicator of the second is enough.
    shown = present[1:] if len(present) == 2 else present
    return np.column_stack([column == value for value in shown]).astype(np.float64)


def _ordinal(column: Column, values: tuple[str, ...]) -> Features:
    counts = [np.count_nonzero(column == value) for value in values]
    known = np.where(column == "?", values[int(np.argmax(counts))], column)
    return np.array([values.index(value) for value in known], dtype=np.float64)


ENCODINGS: dict[str, Callable[[Column, tuple[str, ...]], Features]] = {
    "one-hot": _one_hot,
    "ordinal": _ordinal,
}
