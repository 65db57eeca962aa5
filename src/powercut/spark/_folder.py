"""The working folder of a call, from which an interrupted call can be resumed.

``about.json`` says what the folder belongs to: the arguments of the call, a fingerprint of its
rows, and, once the labels are complete, their checksum.
"""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from powercut._atomic import TEMPORARY, atomic_open
from powercut._typing import Array
from powercut.remote.records import checksum

ABOUT, LABELS = "about.json", "labels.npy"
ARGUMENTS, ROWS, LABELS_CHECKSUM = "arguments", "rows", "labels_checksum"
COUNT = "number of rows"
# Parameters that do not change the result.
WITHOUT_EFFECT = ("n_jobs", "progress")


def begin(path: Path, arguments: dict[str, Any], *, resume: bool) -> None:
    """Make the folder, or check that its content is from a call with the same arguments.

    Parameters
    ----------
    path : Path
        The folder.
    arguments : dict
        The arguments of the call. The parameters of the estimator are in ``parameters``.
    resume : bool
        Whether the folder may exist.
    """
    if path.exists() and not resume:
        raise FileExistsError(
            f"{path} exists: remove it, choose another folder, or continue with resume=True."
        )
    path.mkdir(parents=True, exist_ok=True)
    left_behind = set(path.glob(f"{TEMPORARY}*"))  # by a call that was killed
    if not (path / ABOUT).exists() and set(path.iterdir()) - left_behind:
        raise ValueError(f"{path} is not from an interrupted call: choose another folder.")
    parameters = arguments.get("parameters", {})
    kept = {name: value for name, value in parameters.items() if name not in WITHOUT_EFFECT}
    _remember(path, ARGUMENTS, {**arguments, "parameters": kept})
    for left in left_behind:
        shutil.rmtree(left) if left.is_dir() else left.unlink()


def check_rows(path: Path, rows: Any) -> int:
    """Remember the rows of a DataFrame by a fingerprint, or check that they are the same.

    Parameters
    ----------
    path : Path
        The folder.
    rows : pyspark.sql.DataFrame
        The columns of the data that are used.

    Returns
    -------
    int
        The number of rows.
    """
    found = fingerprint(rows)
    _remember(path, ROWS, found)
    return int(found[COUNT])


def fingerprint(rows: Any) -> dict[str, Any]:
    """Return column types, number and hashes of the rows; their order does not matter.

    Each row has two 64-bit hashes, and each hash is summed over the rows. The workers compute both.
    """
    from pyspark.sql import functions as f

    names = [f"column_{i}" for i in range(len(rows.columns))]  # such that none needs quotes
    # Decimals, because sums of integers overflow.
    hashes = (f.sum(f.xxhash64(f.lit(seed), *names).cast("decimal(38,0)")) for seed in (0, 1))
    count, *sums = rows.toDF(*names).agg(f.count(f.lit(1)), *hashes).first()
    return {
        "columns": dict(rows.dtypes),
        COUNT: count,
        "hash of the rows": " ".join(map(str, sums)),
    }


def write_labels(path: Path, labels: Array) -> None:
    """Write the labels, one or several for each row, and then their checksum."""
    with atomic_open(path / LABELS) as file:
        np.save(file, labels)
    _write(path, {**_read(path), LABELS_CHECKSUM: checksum(labels)})


def has_labels(path: Path, n: int) -> bool:
    """Return whether the labels of `n` rows are complete; raise if they are damaged."""
    about, file = _read(path), path / LABELS
    if LABELS_CHECKSUM not in about or not file.exists():
        return False
    try:
        labels = np.load(file, allow_pickle=False)
        found = labels.shape[:1], checksum(labels)
    except (ValueError, EOFError):
        found = None
    if found != ((n,), about[LABELS_CHECKSUM]):
        raise ValueError(
            f"{file} is damaged: it does not hold the labels that were written. Remove it and "
            "resume; the graph and the ids are kept."
        )
    return True


def _remember(path: Path, name: str, value: dict[str, Any]) -> None:
    """Store a value in the description of the folder, or raise if another one is there."""
    about = _read(path)
    now = json.loads(json.dumps(value, default=_as_json))
    then = about.setdefault(name, now)
    if then != now:
        raise ValueError(
            f"{path} is from a call with other {name} ({_differences(then, now)}): resume with the "
            f"same {name}, or start again in another folder."
        )
    _write(path, about)


def _differences(then: dict[str, Any], now: dict[str, Any]) -> str:
    flat_then, flat_now = ({**side, **side.get("parameters", {})} for side in (then, now))
    return "; ".join(
        f"{key} was {flat_then.get(key)!r} and is {flat_now.get(key)!r}"
        for key in {**flat_then, **flat_now}
        if key != "parameters" and flat_then.get(key) != flat_now.get(key)
    )


def _read(path: Path) -> dict[str, Any]:
    file = path / ABOUT
    if not file.exists():
        return {}
    try:
        about: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if not all(
            isinstance(about[name], dict) for name in {ARGUMENTS, *about} - {LABELS_CHECKSUM}
        ):
            raise ValueError("no objects")
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{file} is damaged, or from an earlier version: start again in another folder."
        ) from error
    return about


def _write(path: Path, about: dict[str, Any]) -> None:
    with atomic_open(path / ABOUT, "w", encoding="utf-8") as file:
        json.dump(about, file, indent=1, sort_keys=True)


def _as_json(value: Any) -> Any:
    """Return what stands for a value that JSON does not have."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and value.dtype != object:
        digest = hashlib.sha256(np.ascontiguousarray(value).data).hexdigest()
        return f"array of {value.dtype}, shape {value.shape}, sha256 {digest}"
    return repr(value)
