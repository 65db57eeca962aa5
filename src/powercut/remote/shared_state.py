"""Labels and cluster sums as tasks see them: files that all workers of an executor map.

The process that commits the moves writes a session: the labels and cluster sums at the start, and
a log of all changes since. Each task carries an offset into the log. A worker that runs the task
first applies the log to the mapped arrays up to that offset, unless another worker has done so.
A change stores new values, not differences. So if a worker is killed while it applies a change,
another one simply applies the change again.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from powercut import _core
from powercut._typing import LABEL, Array
from powercut.remote.records import pack, read_record

LABELS, BATCH_OF, SUMS, COUNT, APPLIED = "labels", "batch_of", "sums", "count", "applied"


@dataclass(frozen=True)
class Session:
    """The state of a search for its tasks, written by the process that commits the moves."""

    folder: Path

    @classmethod
    def begin(cls, folder: Path, labels: Array, stats: "_core._ClusterArrays") -> "Session":
        """Write labels and cluster sums before the first round, to a new folder."""
        folder.mkdir(parents=True)
        np.save(folder / f"{LABELS}.npy", labels)
        np.save(folder / f"{SUMS}.npy", np.stack(stats[:3]))
        np.save(folder / f"{COUNT}.npy", stats[3])
        return cls(folder)

    @property
    def log(self) -> Path:
        """The log of changes."""
        return self.folder / "changes.log"

    def array(self, name: str) -> Array:
        """Return an array as it was before the first round."""
        array: Array = np.load(self.folder / f"{name}.npy", mmap_mode="r")
        return array

    def append(self, number: int, nodes: Array, changes: "_core._Changes") -> tuple[int, int]:
        """Append changes and the nodes of a task; return where the record begins and ends."""
        moved, labels, clusters, stats = changes
        record = pack([np.array([number]), nodes, moved, labels, clusters, *stats])
        with self.log.open("ab") as file:
            begin = file.tell()
            file.write(record)
        return begin, begin + len(record)

    def nodes(self, begin: int) -> Array:
        """Return the nodes of the task whose record begins there in the log."""
        with self.log.open("rb") as file:
            file.seek(begin)
            record = read_record(file)
        assert record is not None, "log record missing: it must be written before its task is sent"
        return record[1]


class MappedState:
    """The state after some change, in arrays that several processes map.

    Attributes
    ----------
    labels : ndarray of int32
        Labels of all nodes.
    batch_of : ndarray of uint16
        Number of each node's batch in the round, 0 for nodes that are not visited in it.
    """

    def __init__(self, session: Session, local: Path) -> None:
        self.session = session
        run, number = session.folder.parent.name, session.folder.name
        self._folder = local / f"powercut-{run}"
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._locked():
            ready = self._folder / f"{number}.ready"
            if not ready.exists():
                for old in self._folder.glob("session-*"):
                    old.unlink()
                self._make(number)
                ready.touch()
        self.labels, self.batch_of, self._sums, self._count, self._applied = (
            np.load(self._file(number, name), mmap_mode="r+")
            for name in (LABELS, BATCH_OF, SUMS, COUNT, APPLIED)
        )

    def advance(self, end: int) -> None:
        """Apply all changes of the log up to `end` that have not been applied."""
        with self._locked():
            if self._applied[0] == end:
                return
            if self._applied[0] > end:
                raise RuntimeError("this task is out of date: later moves have been applied.")
            with self.session.log.open("rb") as log:
                log.seek(self._applied[0])
                while log.tell() < end:
                    record = read_record(log)
                    assert record is not None, (
                        "log record missing: it must be written before its task is sent"
                    )
                    self._apply(record)
                    self._applied[0] = log.tell()

    @property
    def stats(self) -> "_core._ClusterArrays":
        """The four sums over each cluster."""
        n = int(self._applied[1])
        inside, volume, weight = (np.ascontiguousarray(sums[:n]) for sums in self._sums)
        return inside, volume, weight, self._count[:n]

    def _apply(self, record: list[Array]) -> None:
        (number,), nodes, moved, labels, clusters, *stats = record
        if number == 1:
            self.batch_of[:] = 0
        if number:
            self.batch_of[nodes] = number
        self.labels[moved] = labels
        for sums, values in zip((*self._sums, self._count), stats, strict=True):
            sums[clusters] = values
        self._applied[1] = max(self._applied[1], clusters.max(initial=-1) + 1)

    def _file(self, number: str, name: str) -> Path:
        return self._folder / f"{number}.{name}.npy"

    def _make(self, number: str) -> None:
        labels, sums, count = (self.session.array(name) for name in (LABELS, SUMS, COUNT))
        n, k = len(labels), len(count)
        most = max(n, k)  # labels of emptied clusters are reused before new ones are made
        for name, dtype, shape, values in (
            (LABELS, LABEL, (n,), labels),
            (BATCH_OF, np.uint16, (n,), None),
            (SUMS, np.float64, (3, most), sums),
            (COUNT, np.int64, (most,), count),
            (APPLIED, np.int64, (2,), np.array([0, k])),
        ):
            array = np.lib.format.open_memmap(
                self._file(number, name), mode="w+", dtype=dtype, shape=shape
            )
            if values is not None:
                array[..., : values.shape[-1]] = values

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold a file lock that excludes the other workers; it is released if the process dies."""
        with (self._folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


@lru_cache(maxsize=1)
def mapped_state(session: Path, local: Path) -> MappedState:
    """Return the state of a session, in the files of a local folder."""
    return MappedState(Session(session), local)
