"""Points in shards: files of points, and of their labels, in a folder that all workers see.

A point belongs to a shard by a hash of its id, and the points of a shard are in the order of
another hash. So shards, and all sums over them, do not depend on how the points were partitioned
or on the number of workers. And the first points of each shard are a random sample.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from powercut._atomic import atomic_open
from powercut._typing import Array, FloatArray, Labels
from powercut.remote.records import pack, unpack
from powercut.vectors.points import Points

# Points per shard, and the largest number of shards: the process that adds the sums of all shards
# reads those of each.
POINTS_PER_SHARD, MOST_SHARDS = 1 << 14, 1 << 12


def number_of_shards(n_points: int) -> int:
    """Return in how many shards so many points are kept."""
    return min(MOST_SHARDS, max(1, -(-n_points // POINTS_PER_SHARD)))


@dataclass(frozen=True)
class Shards:
    """The files of a search, in a folder that all workers see.

    Attributes
    ----------
    folder : Path
        The folder.
    n_shards : int
        Number of shards.
    """

    folder: Path
    n_shards: int

    @property
    def points_folder(self) -> Path:
        """The folder of the points."""
        return self.folder / "points"

    def write_points(self, shard: int, values: FloatArray) -> None:
        """Write the points of a shard."""
        with atomic_open(self.points_folder / f"{shard}.npy") as file:
            np.save(file, values)

    def points(self, shard: int) -> FloatArray:
        """Return the points of a shard, memory-mapped; shape (n, d)."""
        path = self.points_folder / f"{shard}.npy"
        # With few points a hash may leave a shard without any.
        return np.load(path, mmap_mode="r") if path.exists() else np.empty((0, self.n_features))

    @property
    def n_features(self) -> int:
        """Number of features."""
        path = next(self.points_folder.glob("[0-9]*.npy"))
        return int(np.load(path, mmap_mode="r").shape[1])

    def sample(self, most: int) -> tuple[FloatArray, list[int]]:
        """Return a random sample of at most `most` points, and how many are from each shard.

        They are the first points of each shard, in the order of the shards; all, if there are no
        more.
        """
        lengths = [len(self.points(shard)) for shard in range(self.n_shards)]
        if sum(lengths) > most:
            each = max(1, most // self.n_shards)
            lengths = [min(each, length) for length in lengths]
        rows = [self.points(shard)[:length] for shard, length in enumerate(lengths)]
        return np.concatenate(rows), lengths

    def labels_folder(self, number: int) -> Path:
        """Return the folder of the labels after a pass."""
        return self.folder / f"labels-{number:04}"

    def sums_folder(self, number: int) -> Path:
        """Return the folder of the sums over the clusters of each shard after a pass."""
        return self.folder / f"sums-{number:04}"

    def begin(self, number: int) -> None:
        """Make the folders of a pass.

        They may exist: tasks of a call that was interrupted write the same files.
        """
        for folder in (self.labels_folder(number), self.sums_folder(number)):
            folder.mkdir(exist_ok=True)

    def keep_only(self, number: int) -> None:
        """Remove the labels and sums of all passes but the labels of one."""
        for folder in (*self.folder.glob("labels-*"), *self.folder.glob("sums-*")):
            if folder != self.labels_folder(number):
                shutil.rmtree(folder, ignore_errors=True)

    def write_labels(self, number: int, shard: int, labels: Labels) -> None:
        """Write the labels of the points of a shard after a pass."""
        with atomic_open(self.labels_folder(number) / f"{shard}.npy") as file:
            np.save(file, labels)

    def labels(self, number: int, shard: int) -> Labels:
        """Return the labels of the points of a shard after a pass."""
        labels: Labels = np.load(self.labels_folder(number) / f"{shard}.npy")
        return labels

    def write_sums(self, number: int, shard: int, labels: Labels, clusters: Points) -> None:
        """Write the clusters of a shard: their labels, and their points as groups."""
        assert clusters.count is not None
        assert clusters.scatter is not None
        arrays: list[Array] = [labels, clusters.values, clusters.count, clusters.scatter]
        with atomic_open(self.sums_folder(number) / f"{shard}") as file:
            file.write(pack(arrays))

    def sums(self, number: int, shard: int) -> tuple[Labels, Points]:
        """Return what `write_sums` wrote."""
        record = (self.sums_folder(number) / f"{shard}").read_bytes()
        labels, values, count, scatter = unpack(record)
        return labels, groups(values, count, scatter)


def groups(values: FloatArray, count: Array, scatter: FloatArray) -> Points:
    """Return groups of points of weight 1."""
    return Points(values, count.astype(np.float64), count, scatter)
