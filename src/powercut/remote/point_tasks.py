"""What workers do with the points of shards: describe them, and move them between clusters.

A pass moves the points of each shard by the exact moves of `powercut.vectors.multilevel`, against
clusters whose other members do not move meanwhile. These are known by their sums alone: the
clusters of all points, without the points of the shard.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from powercut._typing import LABEL, Array, FloatArray, Labels
from powercut.remote.pass_state import PassState
from powercut.remote.shards import Shards, groups
from powercut.vectors.covariances import COVARIANCES, Covariance
from powercut.vectors.points import Points

# A shard is left after a sweep that moves less than this fraction of its points.
FEW = 0.1
# Most clusters that a pass opens, in all shards together; the largest ones are kept.
MOST_NEW = 1 << 13


@dataclass(frozen=True)
class DescribeShards:
    """Compute the moments and the range of each feature."""

    shards: Shards

    def __call__(self, part: int, n_parts: int, local: Path) -> list[Array]:  # noqa: ARG002
        """Return number, count, mean, sum of squares, least and largest value of each shard."""
        numbers, found = [], []
        for shard in range(part, self.shards.n_shards, n_parts):
            X = self.shards.points(shard)
            if not len(X):
                continue
            with np.errstate(over="ignore"):
                one = Points(X).aggregate(np.zeros(len(X), dtype=LABEL), 1, "features")
            assert one.scatter is not None
            numbers.append((shard, len(X)))
            found.append((one.values[0], one.scatter[0], X.min(axis=0), X.max(axis=0)))
        d = self.shards.n_features
        return [
            np.array(numbers, dtype=np.int64).reshape(-1, 2),
            np.array(found, dtype=np.float64).reshape(-1, 4, d),
        ]


@dataclass(frozen=True)
class MovePoints:
    """Move the points of each shard, and write their labels and the sums over the clusters.

    Attributes
    ----------
    shards : Shards
        The files.
    number : int
        Number of the pass. The state after the one before is in the folder.
    run : str
        A name that no other search has: workers keep the last state that they read.
    """

    shards: Shards
    number: int
    run: str

    def __call__(self, part: int, n_parts: int, local: Path) -> list[Array]:  # noqa: ARG002
        """Return how many points of the shards of one part have moved."""
        state = _state(self.shards.folder, self.number - 1, self.run)
        moved = sum(
            self._move(state, shard) for shard in range(part, self.shards.n_shards, n_parts)
        )
        return [np.array([moved])]

    def _move(self, state: PassState, shard: int) -> int:
        """Move the points of a shard; return how many have another label."""
        X = state.units(np.asarray(self.shards.points(shard)))
        before, k = state.cluster_of[self.shards.labels(state.number, shard)], state.clusters.n
        points, score, kind = Points(X), state.objective.score, state.scatter
        rest = without(
            state.clusters, points.some(slice(len(before))).aggregate(before, k, kind), kind
        )
        # Points that were not in the sample have no labels before the first pass.
        new = points.some(slice(len(before), None))
        before = np.concatenate([before, new.nearest(state.clusters.values)]).astype(LABEL)
        labels, n_labels = before.copy(), k
        if len(X):
            seed = int(np.random.default_rng([state.seed, self.number, shard]).integers(2**63))
            prior = state.objective.regulariser.native
            _, _, n_labels = score.moves(points, labels, k, prior, seed, None, FEW, elsewhere=rest)
        labels = self._numbered(labels, before, k, n_labels, shard)
        there, compact = np.unique(labels, return_inverse=True)
        clusters = points.aggregate(compact.astype(LABEL), len(there), kind)
        self.shards.write_labels(self.number, shard, labels)
        self.shards.write_sums(self.number, shard, there.astype(LABEL), clusters)
        return int(np.count_nonzero(labels != before))

    def _numbered(
        self, labels: Labels, before: Labels, k: int, n_labels: int, shard: int
    ) -> Labels:
        """Give clusters that the shard has opened labels that no other shard uses.

        If there are too many, points of the smallest ones stay where they were.
        """
        most = most_new(self.shards.n_shards)
        sizes = np.bincount(labels, minlength=n_labels)[k:]
        largest = np.argsort(-sizes, kind="stable")[: min(most, np.count_nonzero(sizes))]
        number = np.full(n_labels, -1, dtype=LABEL)
        number[:k] = np.arange(k)
        number[k + largest] = k + most * shard + np.arange(len(largest))
        numbered = number[labels]
        return np.where(numbered >= 0, numbered, before)


def most_new(n_shards: int) -> int:
    """Return how many clusters a pass may open in each shard."""
    return max(1, MOST_NEW // n_shards)


def without(clusters: Points, part: Points, kind: str) -> Points:
    """Return clusters without some of their points.

    Parameters
    ----------
    clusters, part : Points
        The clusters, and the points to remove, as one group for each cluster.
    kind : str
        The scatter that they have, as `Points.aggregate` names it.
    """
    assert clusters.scatter is not None
    assert part.scatter is not None
    count = clusters.counts - part.counts
    all_of_it, some, left = (n.astype(np.float64) for n in (clusters.counts, part.counts, count))
    there = np.maximum(left, 1)[:, None]
    values = (all_of_it[:, None] * clusters.values - some[:, None] * part.values) / there
    apart = (left * some / all_of_it)[:, None] * squares(kind, values - part.values)
    scatter = clusters.scatter - part.scatter - apart
    if kind != "matrix":
        scatter = np.maximum(scatter, 0.0)  # rounding
    alone, empty = count <= 1, count == 0
    scatter[alone], values[empty] = 0.0, 0.0
    return groups(values, count, scatter)


def squares(kind: str, away: FloatArray) -> FloatArray:
    """Return the squares of each row in the form of a scatter."""
    form: type[Covariance] = next(one for one in COVARIANCES.values() if one.scatter == kind)
    return form(away.shape[1]).squares(away)


@lru_cache(maxsize=1)
def _state(folder: Path, number: int, run: str) -> PassState:  # noqa: ARG001
    state = PassState.read(folder)
    if state.number != number:
        raise RuntimeError("this task is out of date: another pass has begun.")
    return state
