"""What an update writes: to a graph folder, and to the state of ``powercut watch``."""

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from powercut import Graph, PowerLawCut
from powercut.cli import _watch_state
from powercut.disk import write_blocks
from powercut.disk.updates import GraphFolder

COLUMNS = [
    "update, s",
    "folder, bytes",
    "s",
    "state, bytes",
    "s",
    "whole state, bytes",
    "s",
    "read",
]


def files(folder: Path) -> dict[Path, tuple[int, int]]:
    """Return the inode and the size of each file."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path: (path.stat().st_ino, path.stat().st_size) for path in paths}


def written(folder: Path, work: Callable[[], Any]) -> tuple[Any, int, float]:
    """Return what some work returns, the bytes that it writes to a folder, and its seconds.

    A file that has grown was appended to; one with another inode was replaced.
    """
    before, start = files(folder), time.perf_counter()
    result = work()
    seconds, n_bytes = time.perf_counter() - start, 0
    for path, (inode, size) in files(folder).items():
        old_inode, old_size = before.get(path, (inode, 0))
        n_bytes += size - old_size if inode == old_inode else size
    return result, n_bytes, seconds


def measure(first: Graph, changes: dict[str, Any]) -> list[str]:
    """Return the values of `COLUMNS` for an update of a graph; times are wall-clock times."""
    with tempfile.TemporaryDirectory() as name:
        whole, state = Path(name, "whole"), Path(name, "state")
        folder = GraphFolder(write_blocks(Path(name, "graph"), first))
        folder.open()
        model = PowerLawCut(random_state=0, n_jobs=1).fit(first)
        before = _watch_state.write(state, _watch_state.State(model))
        start = time.perf_counter()
        model.update(**changes)
        values = [f"{time.perf_counter() - start:.3f}"]
        for where, work in (
            (folder.path, lambda: folder.follow(model._graph, model._input.change)),
            (state, lambda: _watch_state.write(state, replace(before, number=1))),
            (whole, lambda: _watch_state.write(whole, _watch_state.State(model))),
        ):
            _, n_bytes, seconds = written(where, work)
            values += [f"{n_bytes:,}", f"{seconds:.3f}"]
        start = time.perf_counter()
        _watch_state.read(state)
        return [*values, f"{time.perf_counter() - start:.3f}"]
