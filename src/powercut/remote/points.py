"""An engine whose tasks look at points wherever a function takes them.

Of a block of points, tasks find the best moves against clusters that nobody changes meanwhile;
who makes the moves, and founds the new clusters that still gain with all moves before them made,
is `powercut._core` in this process (optimistic concurrency control: Pan, Gonzalez, Jegelka,
Broderick and Jordan, 2013). Unlike the rows of a graph, points see no labels but their own, so
tasks are told those of their block, and keep nothing but the clusters.
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

# Points times clusters times features of a block that is worth a job: half a second of one core.
PRODUCTS_PER_BATCH = 2.0**32


@dataclass(frozen=True)
class PointFiles:
    """Where the points are: a folder of arrays that all workers see."""

    folder: Path

    @classmethod
    def write(cls, points: "_core._PointArrays", folder: Path) -> "PointFiles":
        """Write the points down."""
        values, weight, *_ = points
        folder.mkdir()
        np.save(folder / "values.npy", values)
        if weight is not None:
            np.save(folder / "weight.npy", weight)
        return cls(folder)

    @property
    def points(self) -> Points:
        """The points, mapped."""
        return _mapped_points(self.folder)


@lru_cache(maxsize=1)
def _mapped_points(folder: Path) -> Points:
    values, weight = (folder / f"{name}.npy" for name in ("values", "weight"))
    return Points(
        np.load(values, mmap_mode="r"),
        np.load(weight, mmap_mode="r") if weight.exists() else None,
    )


class RemotePoints:
    """Tasks that look at the points of one search, in files that all of them see.

    Parameters
    ----------
    workers : Workers
        Who runs the tasks.
    least_products : float
        Points times clusters times features of a block that is not worth a task if it has fewer.
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
    ) -> "_core.PointsElsewhere":
        """Return what `powercut._core` asks while it moves points."""
        return _Rounds(self, points, prior, gaussian)

    def nearest(self, points: "_core._PointArrays", means: Array) -> Labels:
        """Return the nearest of the means for each point, the first of equals."""
        task = FindNearest(self.files(points), np.ascontiguousarray(means))
        question = checksum(task.means)
        answers = self.workers.request(task, self.workers.n_at_once, question, "find nearest means")
        (nearest,) = joined(answers)
        return nearest

    def files(self, points: "_core._PointArrays") -> PointFiles:
        """Return where the tasks find the points, which are written down when first asked for."""
        if self._files is None:
            self._files = PointFiles.write(points, self.workers.folder / "points")
        return self._files


class _Rounds:
    """Rounds of moves at one objective."""

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
        self._pass = self._block = 0

    @property
    def least_products(self) -> float:
        return self._remote.least_products

    def begin(self, clusters: "_core._ClusterStates") -> None:
        folder = self._remote.workers.next_folder()
        folder.mkdir()
        self._log = folder / "clusters.log"
        self._log.write_bytes(pack(clusters))
        self._pass, self._block = self._pass + 1, 0

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
        self._block += 1
        files = self._remote.files(self._points)
        task = FindTargets(files, self._log, end, self._prior, self._gaussian)
        answers = self._remote.workers.request(
            task,
            min(self._remote.workers.n_at_once, len(points)),
            checksum(points, labels, others),
            f"pass {self._pass}, block {self._block}: propose moves of points",
        )
        targets, costs = joined(answers)
        return targets, costs


@dataclass(frozen=True)
class FindTargets:
    """Find the best moves of the points of a block, after the changes up to some place."""

    files: PointFiles
    log: Path
    end: int
    prior: "_core._Prior"
    gaussian: "_core._Gaussian | None"

    def __call__(self, part: int, n_parts: int, local: Path) -> list[Array]:  # noqa: ARG002
        """Return the targets of consecutive points of the block, and what others cost."""
        clusters = _following(self)
        clusters.advance(self.end)
        some = part_of(len(clusters.visits[0]), part, n_parts)
        return list(clusters.native.propose(*(array[some] for array in clusters.visits)))


@dataclass(frozen=True)
class FindNearest:
    """Find the nearest of some means."""

    files: PointFiles
    means: Array

    def __call__(self, part: int, n_parts: int, local: Path) -> list[Array]:  # noqa: ARG002
        """Return those of consecutive points."""
        points = self.files.points
        return [points.some(part_of(points.n, part, n_parts)).nearest(self.means)]


class FollowedClusters:
    """Clusters that a log tells of, as they are after some change.

    Attributes
    ----------
    native : _core.PointClusters
        The clusters.
    visits : list of ndarray
        The points that the last change was written for: their numbers, labels, when they were
        seen last and what others cost then.
    """

    def __init__(self, task: FindTargets) -> None:
        self.log = task.log
        self.native = _core.PointClusters(task.files.points.native, task.prior, task.gaussian)
        self.visits: list[Array] = []
        self._applied = 0

    def advance(self, end: int) -> None:
        """Make all changes up to `end`."""
        if self._applied > end:
            raise RuntimeError("this task is late: the moves have gone on without it.")
        with self.log.open("rb") as log:
            log.seek(self._applied)
            while log.tell() < end:
                record = read_record(log)
                assert record is not None, "a task is only told of what has been written"
                label, size, changed, numbers, *visits = record
                take = self.native.load if self._applied else self.native.set
                take((label, size, changed, numbers))
                self.visits, self._applied = visits, log.tell()


_followed: list[FollowedClusters] = []


def _following(task: FindTargets) -> FollowedClusters:
    """Return the clusters of a task, which this process may have followed before."""
    if not _followed or _followed[0].log != task.log:
        _followed[:] = [FollowedClusters(task)]
    return _followed[0]
