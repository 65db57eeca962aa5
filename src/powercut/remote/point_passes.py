"""Cluster points in shards: this process fits a sample, workers make passes over all points.

In a pass, workers move the points of each shard to other clusters or to new ones, all shards at
once, and return the clusters of each shard as groups of points (`powercut.remote.point_tasks`).
This process adds the groups in the order of the shards, joins clusters where that lowers J,
estimates the hyperparameters again, and writes the state, from which workers make the next pass.
Sums over clusters are all that it reads, so its memory does not depend on the number of points.

Shards move their points at the same time, so a pass may in principle raise J. Then the labels of
the pass before are final.
"""

import uuid
from dataclasses import dataclass, replace

import numpy as np

from powercut._typing import LABEL, BoolArray, FloatArray, Labels
from powercut.prior import PitmanYor
from powercut.remote.pass_state import PassState
from powercut.remote.point_tasks import DescribeShards, MovePoints, most_new
from powercut.remote.shards import Shards, groups
from powercut.remote.workers import RunTask, joined
from powercut.search.objective import Objective, Regulariser
from powercut.vectors.covariances import COVARIANCES
from powercut.vectors.gaussian_model import GaussianModel
from powercut.vectors.gaussian_prior import PooledPoints
from powercut.vectors.multilevel import Multilevel
from powercut.vectors.points import Points
from powercut.vectors.scores import Gaussian, KMeans, PointsObjective
from powercut.vectors.standardised import Standardised

# The last pass is one that moves no point, or lowers J by less than the fraction LITTLE.
MAX_PASSES, LITTLE = 50, 1e-5
# Tasks per worker slot: the last ones to end are then short.
TASKS_PER_SLOT = 4
# Groups of so many shards are added at a time.
SHARDS_AT_ONCE = 4


@dataclass(frozen=True)
class Moments:
    """Mean and variance of each feature, and whether it has more than one value."""

    mean: FloatArray
    variance: FloatArray
    varies: BoolArray

    def standardised(self, *, common: bool) -> Standardised:
        """Return the units in which Gaussian clusters are searched."""
        return Standardised.of_moments(self.mean, self.variance, self.varies, common=common)

    def centred(self) -> Standardised:
        """Return the units in which k-means is searched: only the mean is subtracted."""
        d = len(self.mean)
        return Standardised(self.mean, np.ones(d), np.arange(d))


@dataclass(frozen=True)
class Model:
    """What is fixed during a search.

    Attributes
    ----------
    covariance : str, optional
        Structure of Gaussian clusters; None for k-means.
    prior : PitmanYor, optional
        The size prior; None if it is estimated.
    tradeoff : float
        Its weight.
    """

    covariance: str | None
    prior: PitmanYor | None
    tradeoff: float

    def estimate(
        self, clusters: Points, rounding: FloatArray, before: PointsObjective | None = None
    ) -> PointsObjective:
        """Return J with the hyperparameters that suit these clusters.

        Parameters
        ----------
        clusters : Points
            The clusters.
        rounding : ndarray
            As in `PooledPoints.of`.
        before : Objective, optional
            J of the pass before, where the estimation begins.
        """
        d = clusters.values.shape[1]
        if self.covariance is None:
            assert self.prior is not None
            return Objective(KMeans(d), Regulariser(self.prior, self.tradeoff))
        form = COVARIANCES[self.covariance](d)
        whole = PooledPoints.of(clusters, form, rounding=rounding)
        start = before.score if before is not None else None
        assert start is None or isinstance(start, Gaussian)
        model = GaussianModel(clusters, whole, self.tradeoff, self.prior)
        return model.estimate(clusters, start=start)


class Passes:
    """Passes over the points of shards, made by workers.

    Parameters
    ----------
    shards : Shards
        The points.
    run : callable
        As in `powercut.remote.workers.Workers`.
    n_at_once : int
        How many tasks can run at the same time; the result does not depend on it.
    """

    def __init__(self, shards: Shards, *, run: RunTask, n_at_once: int) -> None:
        self.shards = shards
        self._run = run
        self._n_parts = min(shards.n_shards, TASKS_PER_SLOT * n_at_once)
        # Workers outlive a search, and keep the last state they have read.
        self._name = uuid.uuid4().hex

    def describe(self) -> Moments:
        """Return the moments of the features of all points."""
        what = "describe the features"
        numbers, found = joined(self._run(DescribeShards(self.shards), self._n_parts, what))
        order = np.argsort(numbers[:, 0])
        count, (mean, squares, low, high) = numbers[order, 1], np.moveaxis(found[order], 1, 0)
        pooled = groups(np.ascontiguousarray(mean), count, np.ascontiguousarray(squares))
        one = pooled.aggregate(np.zeros(len(count), dtype=LABEL), 1, "features")
        assert one.scatter is not None
        variance = one.scatter[0] / count.sum()
        if not np.isfinite(variance).all():
            raise ValueError("the squares of the features overflow float64: scale them down.")
        low, high = low.min(axis=0), high.max(axis=0)
        return Moments(np.where(low < high, one.values[0], low), variance, low < high)

    def begin(
        self, model: Model, sample: FloatArray, lengths: list[int], labels: Labels, seed: int
    ) -> PassState:
        """Return the state before the first pass, from the labels of a sample.

        Parameters
        ----------
        model : Model
            The model.
        sample, lengths
            As returned by `Shards.sample`.
        labels : ndarray of int32
            The clusters of the sample.
        seed : int
            Seed of the order of moves.
        """
        moments = self.describe()
        units = moments.centred()
        if model.covariance is not None:
            units = moments.standardised(common=model.covariance == "spherical")
        points, k = Points(units(sample)), int(labels.max()) + 1
        scatter = "total" if model.covariance is None else COVARIANCES[model.covariance].scatter
        clusters = points.aggregate(labels, k, scatter)
        objective = model.estimate(clusters, points.rounding)
        self.shards.begin(0)
        for shard, some in enumerate(np.split(labels, np.cumsum(lengths)[:-1])):
            self.shards.write_labels(0, shard, some)
        cluster_of = np.arange(k, dtype=LABEL)
        state = PassState(0, clusters, cluster_of, objective, units, seed, np.empty(0))
        state.write(self.shards.folder)
        return state

    def run(self, model: Model, state: PassState, sample: FloatArray) -> PassState:
        """Make passes until the labels settle; return the final state.

        Parameters
        ----------
        model : Model
            The model.
        state : PassState
            The state after the last whole pass.
        sample : ndarray
            A sample of the points: it shows to how many digits they are rounded.
        """
        rounding = Points(state.units(sample)).rounding
        while not state.done:
            state = self._next(model, state, rounding)
            state.write(self.shards.folder)
            self.shards.keep_only(state.number)
        return state

    def _next(self, model: Model, before: PassState, rounding: FloatArray) -> PassState:
        """Make a pass; return the state after it, or the one before as final if J has risen."""
        number = before.number + 1
        self.shards.begin(number)
        task = MovePoints(self.shards, number, self._name)
        (moved,) = joined(self._run(task, self._n_parts, f"pass {number}: move points"))
        used, parts = self._added(before, number)
        random = np.random.default_rng([before.seed, number])
        search = Multilevel(parts, before.objective, random=random)
        labels = search.move_points(np.arange(parts.n, dtype=LABEL))
        clusters = parts.aggregate(labels, int(labels.max()) + 1, before.scatter)
        objective = model.estimate(clusters, rounding, before.objective)
        j = objective.value(clusters)
        last = before.path[-1] if number > 1 else np.inf
        if j > last:
            return _final(before)
        cluster_of = np.full(used.max() + 1, -1, dtype=LABEL)
        cluster_of[used] = labels
        after = replace(
            before,
            number=number,
            clusters=clusters,
            cluster_of=cluster_of,
            objective=objective,
            path=np.append(before.path, j),
        )
        is_last = last - j <= LITTLE * abs(j) or not moved.sum() or number == MAX_PASSES
        return _final(after) if is_last else after

    def _added(self, before: PassState, number: int) -> tuple[Labels, Points]:
        """Return the labels after a pass, and their points as groups: sums over all shards."""
        n_labels = before.clusters.n + self.shards.n_shards * most_new(self.shards.n_shards)
        used, total = np.empty(0, dtype=LABEL), before.clusters.some(slice(0))
        for first in range(0, self.shards.n_shards, SHARDS_AT_ONCE):
            some = range(first, min(first + SHARDS_AT_ONCE, self.shards.n_shards))
            read = [(used, total), *(self.shards.sums(number, shard) for shard in some)]
            labels = np.concatenate([labels for labels, _ in read])
            number_of = np.full(n_labels, -1, dtype=LABEL)
            used = np.unique(labels)
            number_of[used] = np.arange(len(used))
            parts = concatenated([clusters for _, clusters in read])
            total = parts.aggregate(number_of[labels], len(used), before.scatter)
        return used, total


def concatenated(some: list[Points]) -> Points:
    """Return groups of several lists as one."""
    return groups(
        np.concatenate([points.values for points in some]),
        np.concatenate([points.counts for points in some]),
        np.concatenate([points.scatter for points in some if points.scatter is not None]),
    )


def _final(state: PassState) -> PassState:
    """Return a state with its clusters in canonical order, the largest first."""
    order = np.argsort(-state.clusters.counts, kind="stable")
    place = np.empty(len(order) + 1, dtype=LABEL)
    place[order], place[-1] = np.arange(len(order)), -1  # -1 stays -1
    return replace(
        state, clusters=state.clusters.some(order), cluster_of=place[state.cluster_of], done=True
    )
