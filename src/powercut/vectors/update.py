"""The search after points have come or gone, from the clusters before.

Points that came join the cluster of the nearest mean, and are moved from there, in groups and
alone, to the best cluster or to new ones. Other points are visited only where clusters may have
changed because of them. A cluster is divided and joined to others, by the moves of a fit, once 3%
of its points have come or gone since the last time; so the work of updates is in proportion to what
has changed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from powercut import _core
from powercut._typing import LABEL, BoolArray, FloatArray, Labels, Random
from powercut.partition import compact_labels
from powercut.search.objective import Objective, SearchResult
from powercut.vectors.constraints import PointConstraints
from powercut.vectors.multilevel import Multilevel
from powercut.vectors.points import Points
from powercut.vectors.scores import VectorScore

S = TypeVar("S", bound=VectorScore)

# Division and joins of a cluster are tried when this share of its points has come or gone.
DUE = 0.03


@dataclass(frozen=True)
class PointChanges:
    """Which points have come or gone.

    Attributes
    ----------
    labels : ndarray of int32
        The clusters before; those of points that came are not read.
    came : ndarray of bool
        Whether each point was not there before.
    untried : ndarray of float64
        For each point, how many points have come or gone since divisions and joins of its cluster
        were last tried; the numbers of a cluster are to be summed.
    was_fixed : ndarray of bool, optional
        Whether each point was fixed before; default: none was.
    """

    labels: Labels
    came: BoolArray
    untried: FloatArray
    was_fixed: BoolArray | None = None

    @property
    def rank(self) -> Labels:
        """By what the cluster of a point is known: 2 if it was fixed, 1 if it was there, 0 if not.

        Of points that must share a cluster, those of the highest rank tell which.
        """
        rank = (~self.came).astype(LABEL)
        if self.was_fixed is not None:
            rank[self.was_fixed] = 2
        return rank


@dataclass(frozen=True)
class UpdatedPoints(Generic[S]):
    """The result of an update.

    Attributes
    ----------
    found : SearchResult
        The labels, and J with the parameters estimated again.
    objective : Objective
        J with these parameters.
    untried : ndarray of float64
        As in `PointChanges`.
    """

    found: SearchResult
    objective: Objective[S]
    untried: FloatArray


@dataclass(frozen=True)
class PointUpdateSearch(Generic[S]):
    """A search that visits what has changed.

    Attributes
    ----------
    points : Points
        All points, with those that came.
    evaluate : callable
        Returns J with the parameters estimated from clusters, and a number by which partitions are
        ranked, lower is better. It is called with the clusters and with J before.
    inertia : float
        The gain, in nats, above which a point that was there leaves its cluster.
    random : numpy.random.Generator
        The order in which points are visited, and how clusters are divided.
    brisk : bool
        Whether a search stops early, as in `Multilevel`.
    cancel : CancellationToken or None
        Cancellation token; when its time limit expires, the labels so far are returned.
    constraints : PointConstraints or None
        Constraints of the points.
    """

    points: Points
    evaluate: Callable[[Points, Objective[S]], tuple[Objective[S], float]]
    inertia: float
    random: Random
    brisk: bool = False
    cancel: _core.CancellationToken | None = None
    constraints: PointConstraints | None = None

    def run(self, changes: PointChanges, objective: Objective[S]) -> UpdatedPoints[S]:
        """Improve the clusters of points before some came or went.

        `objective` is J with the parameters estimated before.
        """
        came, untried = changes.came, changes.untried
        start = self._join_nearest(changes.labels, came)
        if self.constraints is not None:
            start = self.constraints.keep(start, changes.rank)
        labels = start
        if came.any():
            newcomers = self._search(objective, came)
            # Groups first: points that leave one by one may end as singletons, which k-means, with
            # no cost of a mean, seldom merges.
            labels = newcomers.improve(newcomers.cycle(start))
        clusters = self._clusters(labels, objective)
        objective, before = self.evaluate(clusters, objective)
        due = (np.bincount(labels, untried, clusters.n) > DUE * clusters.counts)[labels]
        if due.any() and not (self.cancel and self.cancel.expired()):
            divided = self._search(objective, due, inertia=self.inertia).improve(labels)
            parts = self._clusters(divided, objective)
            estimated, after = self.evaluate(parts, objective)
            if after < before:
                labels, clusters, objective = divided, parts, estimated
            untried = np.where(due, 0.0, untried)
        visited = came | due | self._left(start, labels, came)
        final = self._search(objective, visited, inertia=self.inertia)
        labels = final.settle(labels)
        path = np.array([objective.value(clusters), *final.path])
        return UpdatedPoints(SearchResult(labels, float(path[-1]), path), objective, untried)

    def _search(
        self, objective: Objective[S], visited: BoolArray, *, inertia: float = 0.0
    ) -> Multilevel[S]:
        return Multilevel(
            self.points,
            objective,
            random=self.random,
            cancel=self.cancel,
            brisk=self.brisk,
            visited=visited,
            inertia=inertia * objective.regulariser.tradeoff,
            constraints=self.constraints,
        )

    def _clusters(self, labels: Labels, objective: Objective[S]) -> Points:
        return self.points.aggregate(labels, int(labels.max()) + 1, objective.score.scatter)

    def _join_nearest(self, labels: Labels, came: BoolArray) -> Labels:
        """Return labels with those that came in the cluster of the nearest mean."""
        rows = np.flatnonzero(came)
        joined = np.zeros(len(labels), dtype=LABEL)
        joined[~came], k = compact_labels(labels[~came])
        if len(rows) and k:
            joined[rows] = k
            means = self.points.aggregate(joined, k + 1).values[:k]
            joined[rows] = self.points.some(rows).nearest(means)
        return joined

    def _left(self, start: Labels, labels: Labels, came: BoolArray) -> BoolArray:
        """Mark the points of clusters where points that came were at first that founded others.

        Some of them may be nearer to the new clusters.
        """
        is_old = np.zeros(int(labels.max()) + 1, dtype=np.bool_)
        is_old[labels[~came]] = True
        left = np.zeros(int(start.max()) + 1, dtype=np.bool_)
        left[start[~is_old[labels]]] = True
        return left[start]
