"""Multilevel search: exact local moves of points, parts of clusters and clusters.

    J = sum_c score(weight, mean and scatter of c)  +  tradeoff * r(Z)

Points that move together are aggregated into one point at their mean, with their
weight, count and scatter. So one kernel moves single points, parts of clusters
(which splits clusters) and clusters (which merges them).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Generic, TypeVar

import numpy as np

from powercut import _core
from powercut._typing import LABEL, BoolArray, Labels, Positions, Random
from powercut._utils import cached_property
from powercut.partition import compact_labels
from powercut.progress import report_clusters, until_expired
from powercut.search.conflicts import Conflicts
from powercut.search.objective import Objective, draw_seed
from powercut.vectors.constraints import PointConstraints
from powercut.vectors.points import Points
from powercut.vectors.scores import PointsObjective, VectorScore

S = TypeVar("S", bound=VectorScore)

# Stop after a cycle that lowers J by less than this fraction.
NEGLIGIBLE = 1e-9
MAX_CYCLES = 100
# A brisk search stops after a cycle that lowers J by less than the fraction LITTLE, and leaves
# points, or groups of points, after a pass that moves less than the fraction FEW of them.
LITTLE, FEW = 1e-5, 0.1
# How many times clusters are halved in a cycle: into halves, quarters and eighths.
HALVINGS = 3
# Steps of 2-means that improve the halves. They take less time than it takes to move the halves.
HALF_STEPS = 2


def halve(points: Points, labels: Labels, k: int, random: Random) -> tuple[Labels, int]:
    """Split every cluster in two: k-means++ seeding, then a few steps of 2-means."""
    first, second = random.gumbel(size=(2, points.n))
    halves = _core.halve(points.native, labels, k, first, second, HALF_STEPS, points.n_threads)
    return compact_labels(halves)


class Multilevel(Generic[S]):
    """Cycles of exact moves on several levels: clusters, parts of clusters, points.

    A cycle moves clusters (merging), then halves, quarters and eighths of clusters
    (splitting and exchanging), then points. Points are also moved before the first cycle.

    Parameters
    ----------
    points : Points
        The points.
    objective : Objective
        J, the objective to minimise.
    random : numpy.random.Generator
        Decides the order in which points are visited, and how clusters are halved.
    cancel : CancellationToken, optional
        Cancellation token: cancels the search from another thread, or ends it after some time
        with the best partition so far.
    brisk : bool
        Whether to stop each cycle early, when few points move. The rest of the moves is left to
        the next cycle, and to `settle`.
    visited : ndarray of bool, optional
        The points that may move, alone or with other visited points of their cluster; default: all.
    inertia : float
        A move must lower J by more than this.
    constraints : PointConstraints, optional
        Constraints of the points. Labels that the search starts from must keep them; then all do.

    Attributes
    ----------
    path : list of float
        J before the first move and after each round of moves.
    """

    def __init__(
        self,
        points: Points,
        objective: Objective[S],
        *,
        random: Random,
        cancel: _core.CancellationToken | None = None,
        brisk: bool = False,
        visited: BoolArray | None = None,
        inertia: float = 0.0,
        constraints: PointConstraints | None = None,
    ) -> None:
        self.points = points if constraints is None else constraints.units
        self.constraints = constraints
        self.objective = objective
        self.random = random
        self.cancel = cancel
        self.brisk = brisk
        self.visited = visited if constraints is None else constraints.movable(visited)
        self.inertia = inertia
        self.path: list[float] = []
        # Labels at which no move of a single point lowers J, once they are known.
        self._settled: Labels | None = None

    def improve(self, labels: Labels, *, negligible: float | None = None) -> Labels:
        """Run cycles to convergence; at the end no move of a single point lowers J.

        The last cycle is one that lowers J by no more than the fraction `negligible`; the default
        depends on whether the search is brisk.
        """
        least = self.negligible if negligible is None else negligible
        return self._on_units(lambda units: self._improve(units, least), labels)

    def cycle(self, labels: Labels) -> Labels:
        """Move clusters, then parts of clusters, then points."""
        return self._on_units(self._cycle, labels)

    def move_points(self, labels: Labels) -> Labels:
        """Move single points until no move lowers J; if brisk, until few points move."""
        return self._on_units(lambda units: self._move_points(units, self._few), labels)

    def settle(self, labels: Labels) -> Labels:
        """Move single points until no move lowers J."""
        return self._on_units(lambda units: self._move_points(units, 0.0), labels)

    def _on_units(self, step: Callable[[Labels], Labels], labels: Labels) -> Labels:
        """Take a step of the search with the units of the constraints, if there are any."""
        if self.constraints is None:
            return step(labels)
        return self.constraints.expand(step(self.constraints.contract(labels)))

    def _improve(self, labels: Labels, least: float) -> Labels:
        labels = compact_labels(labels)[0]
        if not self.path:
            self._record(value_of(self.points, labels, self.objective))
        labels = self._move_points(labels, self._few)
        for _ in range(MAX_CYCLES):
            start = self.path[-1]
            labels = self._cycle(labels)
            if start - self.path[-1] <= least * abs(start) or self.is_time_up:
                break
        return self._move_points(labels, 0.0) if self.brisk else labels

    @property
    def is_time_up(self) -> bool:
        """Whether the search has to end with the best partition so far."""
        return self.cancel is not None and self.cancel.expired()

    @property
    def negligible(self) -> float:
        """Fraction of J that a cycle has to gain for another cycle to follow."""
        return LITTLE if self.brisk else NEGLIGIBLE

    @property
    def _few(self) -> float:
        """Fraction of points, or of groups, that a pass has to move for another to follow."""
        return FEW if self.brisk else 0.0

    def _cycle(self, labels: Labels) -> Labels:
        groups, n_groups = labels, int(labels.max(initial=-1)) + 1
        visited: BoolArray | None = None
        conflicts: Conflicts | None = None
        if self.visited is not None:
            # The visited points of a cluster are one group, the others another.
            groups, n_groups = compact_labels(2 * labels + self.visited)
        for depth in range(HALVINGS + 1):
            if self.is_time_up:
                break
            if depth:
                groups, n_groups = self._halve(groups, n_groups)
            coarse = self.points.aggregate(groups, n_groups, self.objective.score.scatter)
            label_of_group = np.empty(n_groups, dtype=LABEL)
            label_of_group[groups] = labels
            if self.visited is not None:
                visited = np.empty(n_groups, dtype=np.bool_)
                visited[groups] = self.visited
            if self._conflicts is not None:
                conflicts = self._conflicts.aggregate(groups, n_groups)
            labels = self._move(coarse, label_of_group, self._few, visited, conflicts)[groups]
        return self._move_points(labels, self._few)

    def _halve(self, groups: Labels, n_groups: int) -> tuple[Labels, int]:
        """Split every group of visited points in two."""
        if self.visited is None:
            return halve(self.points, groups, n_groups, self.random)
        rows, points = self._visited_points
        halves, _ = halve(points, *compact_labels(groups[rows]), self.random)
        groups = groups.copy()
        groups[rows] = n_groups + halves
        return compact_labels(groups)

    @cached_property
    def _visited_points(self) -> tuple[Positions, Points]:
        assert self.visited is not None
        rows = np.flatnonzero(self.visited)
        # Halves are those of means.
        return rows, replace(self.points, scatter=None).some(rows)

    @property
    def _conflicts(self) -> Conflicts | None:
        return None if self.constraints is None else self.constraints.conflicts

    def _move_points(self, labels: Labels, negligible: float) -> Labels:
        if self._settled is not None and np.array_equal(labels, self._settled):
            return labels
        moved = self._move(self.points, labels, negligible, self.visited, self._conflicts)
        if (negligible == 0 or np.array_equal(labels, moved)) and not self.is_time_up:
            self._settled = moved
        return moved

    def _move(
        self,
        points: Points,
        labels: Labels,
        negligible: float,
        visited: BoolArray | None,
        conflicts: Conflicts | None,
    ) -> Labels:
        """Move points, or groups of points, and record J."""
        moved, k = compact_labels(labels)
        score, prior = self.objective.score, self.objective.regulariser.native
        with until_expired(self.cancel):
            score.moves(
                points,
                moved,
                k,
                prior,
                draw_seed(self.random),
                self.cancel,
                negligible,
                visited=visited,
                inertia=self.inertia,
                conflicts=conflicts,
            )
        moved = compact_labels(moved)[0]
        report_clusters(self.cancel, moved)
        if self.path and np.array_equal(labels, moved):
            self._record(self.path[-1])
        else:  # recomputed: the sum of gains would lose precision
            self._record(value_of(points, moved, self.objective))
        return moved

    def _record(self, j: float) -> None:
        self.path.append(j)
        if self.cancel is not None:
            self.cancel.report_objective(j)


def value_of(points: Points, labels: Labels, objective: PointsObjective) -> float:
    """Return J of a partition into clusters 0 to k - 1, all constants included."""
    k = int(labels.max(initial=-1)) + 1
    return objective.value(points.aggregate(labels, k, objective.score.scatter))
