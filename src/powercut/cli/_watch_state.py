"""The state of ``powercut watch``: the model and its graph after each batch, whole on disk.

A state is a folder ``batch-NUMBER`` with the model, the graph and the name of the batch. It gets
its name when it is complete, and then the one before is removed. So the last one is always whole,
and what a killed process has begun is done again.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from powercut._atomic import TEMPORARY, atomic_open, new_folder

MODEL, GRAPH, BATCH = "model.npz", "graph", "batch.json"
FORMAT, VERSION = "powercut watch", 1


@dataclass(frozen=True)
class State:
    """What is known after a batch.

    Attributes
    ----------
    model : PowerLawCut
        The model.
    number : int
        How many batches have been applied.
    name : str
        The name of the last one; empty if there was none.
    graph : Path or None
        Where the graph is, if the model does not have it because it was loaded.
    """

    model: Any
    number: int = 0
    name: str = ""
    graph: Path | None = None


def read(folder: Path) -> State | None:
    """Return the last state in a folder, or None; remove what killed processes have left."""
    states = sorted(folder.glob("batch-*"))
    for old in (*folder.glob(f"{TEMPORARY}*"), *states[:-1]):
        shutil.rmtree(old)
    if not states:
        return None
    from powercut.results.storage import load

    last = states[-1]
    batch = json.loads((last / BATCH).read_text(encoding="utf-8"))
    if batch["format"] != FORMAT or batch["version"] > VERSION:
        raise ValueError(f"{last} was written by another version of powercut: upgrade it.")
    return State(load(last / MODEL), batch["number"], batch["name"], last / GRAPH)


def write(folder: Path, state: State) -> None:
    """Write a state, whole or not at all, and remove the one before."""
    from powercut.disk import write_blocks
    from powercut.results.storage import save

    before = list(folder.glob("batch-*"))
    with new_folder(folder / f"batch-{state.number:08d}") as new:
        save(new / MODEL, model=state.model)
        write_blocks(new / GRAPH, state.model._graph)
        batch = {"format": FORMAT, "version": VERSION, "number": state.number, "name": state.name}
        with atomic_open(new / BATCH, "w", encoding="utf-8") as file:
            json.dump(batch, file)
    for old in before:
        shutil.rmtree(old)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make a folder, and keep other processes from using it; a killed process releases it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as file:
        try:
            _lock(file)
        except OSError as error:
            raise ValueError(f"{folder} is used by another powercut watch.") from error
        yield


def _lock(file: IO[str]) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
