"""Batches of changes, in order of their names: files of a folder, or parts of a stream."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

# Seconds between two looks at a folder.
PAUSE = 0.5
# The first character of the line that ends a batch of a stream.
END = b"="
REMEDY = "Names must ascend: fill numbers with zeros on the left."


@dataclass(frozen=True)
class Batch:
    """A batch of changes: its name, and the path or binary file to read it from."""

    name: str
    source: Any


def files(folder: Path, last: str, *, n_applied: int, once: bool) -> Iterator[Batch]:
    """Yield the files of a folder in ascending order of their names, as they appear.

    Names that begin with a dot are left out, so that a file can be renamed when it is whole.

    Parameters
    ----------
    folder : Path
        The folder.
    last : str
        Files up to this name have been applied.
    n_applied : int
        How many these are; some may have been deleted since.
    once : bool
        Whether to end when no file is left, and not to wait for more.
    """
    known = {name for name in _names(folder) if name <= last}
    if len(known) > n_applied:
        raise ValueError(
            f"{folder} has {len(known)} files up to {last}, but {n_applied} were applied: a file "
            f"came under a name before it. {REMEDY}"
        )
    while True:
        names = _names(folder)
        late = [name for name in names if name <= last and name not in known]
        if late:
            raise ValueError(f"{folder / late[0]} came after {last} was applied. {REMEDY}")
        new = [name for name in names if name > last]
        if new:
            last = new[0]
            known.add(last)
            yield Batch(last, folder / last)
        elif once:
            return
        else:
            time.sleep(PAUSE)


def _names(folder: Path) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(
            entry.name for entry in entries if not entry.name.startswith(".") and entry.is_file()
        )


def parts(stream: BinaryIO, last: str) -> Iterator[Batch]:
    """Yield the batches of a stream, each of which ends with a line ``= NAME``.

    Names ascend. Those up to `last` have been applied, and are skipped: a stream may be sent again.
    """
    lines: list[bytes] = []
    first = True
    for line in stream:
        if not line.startswith(END):
            lines.append(line)
            continue
        name = line[len(END) :].strip().decode(errors="replace")
        if not name:
            raise ValueError("a batch on standard input ends with a line = NAME; it has no name")
        if name > last:
            first, last = False, name
            content = io.BytesIO(b"".join(lines))
            content.name = f"<stdin>, batch {name}"
            yield Batch(name, content)
        elif not first:
            raise ValueError(f"batch {name} on standard input comes after {last}. {REMEDY}")
        lines.clear()
    if b"".join(lines).strip():
        raise ValueError(
            "standard input ended within a batch, which was not applied: it ends with a line = NAME"
        )
