"""Points whose best moves are found by tasks on remote workers.

Tasks propose the best moves of a batch of points against a frozen snapshot of the clusters.
`powercut._core` in this process commits them: it makes the moves, and opens the new clusters, that
still lower J after all moves before them (optimistic concurrency control: Pan, Gonzalez, Jegelka,
Broderick and Jordan, 2013). The best move of a node of a graph depends on the labels of its
neighbours; that of a point depends on no label but its own. So tasks are sent the labels of their
batch, and workers keep a copy of the clusters only.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from powercut import _core
from powercut._typing import Array, Labels
from powercut.remote.records import checksum, pack, read_record
from powercut.remote.tasks import part_of
from powercut.remote.workers import Workers, joined
from powercut.vectors.points import Points

# Points times clusters times features of a batch that justifies a job: half a second of one core.
PRODUCTS_PER_BATCH = 2.0**32


@dataclass(frozen=True)
class PointFiles:
    """A folder with the arrays of the points, visible to all workers."""

    folder: Path

    @classmethod
    def write(cls, points: "_core._PointArrays", folder: Path) -> "PointFiles":
        """Write the points to a new folder."""
        values, weight, *_ = points
        folder.mkdir()
        np.save(folder / "values.npy", values)
        if weight is not None:
            np.save(folder / "weight.npy", weight)
        return cls(folder)

    @property
    def points(self) -> Points:
        """The points, memory-mapped."""
        return _mapped_points(self.folder)


@lru_cache(maxsize=1)
def _mapped_points(folder: Path) -> Points:
    values, weight = (folder / f"{name}.npy" for name in ("values", "weight"))
    return Points(
        np.load(values, mmap_mode="r"),
        np.load(weight, mmap_mode="r") if weight.exists() else None,
    )


class RemotePoints:
    """Run the steps of a search that read all points as tasks over shared files.

    Parameters
    ----------
    workers : Workers
        Runs the tasks.
    least_products : float
        Batches of fewer points times clusters times features are processed here, not by tasks.
    """

    def __init__(self, workers: Workers, *, least_products: float = PRODUCTS_PER_BATCH) -> None:
        self.workers = workers
        self.least_products = least_products
        self._files: PointFiles | None = None

    def rounds(
        self,
        points: "_core._PointArrays",
        prior: "_core._Prior",
        gaussian: "_core._Gaussian | None",
    ) -> "_core.RemoteVectorWorkers":
        """Return the callbacks of `powercut._core` for moves of points."""
        return _Rounds(self, points, prior, gaussian)

    def nearest(self, points: "_core._PointArrays", means: Array) -> Labels:
        """Return the index of the nearest mean for each point; ties go to the first."""
        task = FindNearest(self.files(points), np.ascontiguousarray(means))
        results = self.workers.request(
            task, self.workers.n_at_once, checksum(task.means), "find nearest means"
        )
        (nearest,) = joined(results)
        return nearest

    def files(self, points: "_core._PointArrays") -> PointFiles:
        """Return the files of the points, which are written at the first call."""
        if self._files is None:
            self._files = PointFiles.write(points, self.workers.folder / "points")
        return self._files


class _Rounds:
    """Callbacks of `powercut._core` for moves of points at one objective."""

    def __init__(
        self,
        remote: RemotePoints,
        points: "_core._PointArrays",
        prior: "_core._Prior",
        gaussian: "_core._Gaussian | None",
    ) -> None:
        self._remote, self._points = remote, points
        self._prior, self._gaussian = prior, gaussian
        self._log: Path | None = None
        self._pass = self._batch = 0

    @property
    def least_products(self) -> float:
        return self._remote.least_products

    def begin(self, clusters: "_core._ClusterStates") -> None:
        folder = self._remote.workers.next_folder()
        folder.mkdir()
        self._log = folder / "clusters.log"
        self._log.write_bytes(pack(clusters))
        self._pass, self._batch = self._pass + 1, 0

    def propose(
        self,
        points: Labels,
        labels: Labels,
        seen: Array,
        others: Array,
        changes: "_core._ClusterStates",
    ) -> tuple[Array, Array]:
        assert self._log is not None, "begin comes first"
        with self._log.open("ab") as file:
            file.write(pack([*changes, points, labels, seen, others]))
            end = file.tell()
        self._batch += 1
        files = self._remote.files(self._points)
        task = FindTargets(files, self._log, end, self._prior, self._gaussian)
        results = self._remote.workers.request(
            task,
            min(self._remote.workers.n_at_once, len(points)),
            checksum(points, labels, others),
            f"pass {self._pass}, batch {self._batch}: propose moves of points",
        )
        targets, costs = joined(results)
        return targets, costs


@dataclass(frozen=True)
class FindTargets:
    """Propose the best moves of the points of a batch, once the log is applied up to `end`."""

    files: PointFiles
    log: Path
    end: int
    prior: "_core._Prior"
    gaussian: "_core._Gaussian | None"

    def __call__(self, part: int, n_parts: int, local: Path) -> list[Array]:  # noqa: ARG002
        """Return best labels of one part of the batch, and bounds on the cost of all others."""
        clusters = _replayed_clusters(self)
        clusters.advance(self.end)
        some = part_of(len(clusters.visits[0]), part, n_parts)
        return list(clusters.native.propose(*(array[some] for array in clusters.visits)))


@dataclass(frozen=True)
class FindNearest:
    """Find the nearest mean of each point."""

    files: PointFiles
    means: Array

    def __call__(self, part: int, n_parts: int, local: Path) -> list[Array]:  # noqa: ARG002
        """Return the nearest means of one part of the points."""
        points = self.files.points
        return [points.some(part_of(points.n, part, n_parts)).nearest(self.means)]


class ReplayedClusters:
    """A worker's copy of the clusters, kept up to date by replaying the log of changes.

    Attributes
    ----------
    native : _core.ClusterReplicas
        The clusters.
    visits : list of ndarray
        The batch of the last record that was applied. For each point: its number, its label, how
        many moves had been made when it was last visited, and the bound on the cost of all other
        clusters found then.
    """

    def __init__(self, task: FindTargets) -> None:
        self.log = task.log
        self.native = _core.ClusterReplicas(task.files.points.native, task.prior, task.gaussian)
        self.visits: list[Array] = []
        self._applied = 0

    def advance(self, end: int) -> None:
        """Apply all changes of the log up to `end`."""
        if self._applied > end:
            raise RuntimeError("this task is out of date: later moves have been applied.")
        with self.log.open("rb") as log:
            log.seek(self._applied)
            while log.tell() < end:
                record = read_record(log)
                assert record is not None, (
                    "log record missing: it must be written before its task is sent"
                )
                label, size, changed, numbers, *visits = record
                take = self.native.load if self._applied else self.native.set
                take((label, size, changed, numbers))
                self.visits, self._applied = visits, log.tell()


# The copy that this process holds: at most one, of the latest search.
_replayed: list[ReplayedClusters] = []


def _replayed_clusters(task: FindTargets) -> ReplayedClusters:
    """Return this process's copy of the clusters of a task, a new one for another search."""
    if not _replayed or _replayed[0].log != task.log:
        _replayed[:] = [ReplayedClusters(task)]
    return _replayed[0]
