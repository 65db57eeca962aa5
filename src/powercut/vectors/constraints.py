"""What is known of the clusters of points: the units that a search moves in place of the points.

Points that must share a cluster become one unit, at their mean, with their weight, count and
scatter. These are sufficient: J of a partition of the units is J of the partition of the points.
Units with fixed labels are pinned: each has a cluster of its own from the start, and never moves.
What may join it comes to it. Other units that must not share a cluster are in conflict
(`powercut.search.conflicts`), and no move joins them.
"""

from dataclasses import dataclass, replace
from typing import overload

import numpy as np

from powercut._typing import LABEL, BoolArray, Labels, Positions
from powercut._utils import cached_property
from powercut.partition import compact_labels, separate
from powercut.search.conflicts import Conflicts
from powercut.search.constraints import Constraints
from powercut.search.known import FREE
from powercut.vectors.points import Points, row_squares


@dataclass(frozen=True)
class PointConstraints:
    """Constraints of points that do not contradict each other.

    Attributes
    ----------
    points : Points
        The points.
    scatter : str
        The scatter that the score needs, as `Points.aggregate` names it.
    unit_of : ndarray of int32
        The unit of each point. Units of several points come first.
    pinned : ndarray of bool
        Whether each unit stays in its cluster.
    conflicts : Conflicts or None
        The units that must not share a cluster.
    """

    points: Points
    scatter: str
    unit_of: Labels
    pinned: BoolArray
    conflicts: Conflicts | None

    @overload
    @classmethod
    def of(cls, points: Points, constraints: None, scatter: str) -> None: ...

    @overload
    @classmethod
    def of(cls, points: Points, constraints: Constraints, scatter: str) -> "PointConstraints": ...

    @classmethod
    def of(
        cls, points: Points, constraints: Constraints | None, scatter: str
    ) -> "PointConstraints | None":
        """Make the units of points; none if nothing is known.

        Examples
        --------
        >>> import numpy as np
        >>> from powercut.search.constraints import Constraints
        >>> from powercut.search.known import Known
        >>> from powercut.vectors.constraints import PointConstraints
        >>> from powercut.vectors.points import Points
        >>> known = Known(None, np.array([[1, 3]]), np.empty((0, 2), dtype=np.intp))
        >>> points = Points(np.array([[0.0], [1.0], [5.0], [3.0]]))
        >>> made = PointConstraints.of(points, Constraints.of(4, known), "total")
        >>> made.units.values.ravel()
        array([2., 0., 5.])
        >>> made.units.scatter  # of the first one only: single points have none
        array([[2.]])
        """
        if constraints is None:
            return None
        pinned = np.zeros(constraints.n_groups, dtype=np.bool_)
        if constraints.fixed is not None:
            pinned[constraints.groups[constraints.fixed != FREE]] = True
        return cls._ordered(points, scatter, constraints.groups, pinned, constraints.conflicts)

    @classmethod
    def _ordered(
        cls,
        points: Points,
        scatter: str,
        groups: Labels,
        pinned: BoolArray,
        conflicts: Conflicts | None,
    ) -> "PointConstraints":
        """Make units of the groups: first those of several points."""
        order = np.argsort(np.bincount(groups, minlength=len(pinned)) == 1, kind="stable")
        rank = np.empty(len(order), dtype=LABEL)
        rank[order] = np.arange(len(order))
        if conflicts is not None:
            conflicts = conflicts.aggregate(rank, len(rank))
        return cls(points, scatter, rank[groups], pinned[order], conflicts)

    def some(self, rows: Positions) -> "PointConstraints":
        """Return what follows for a subset of the points."""
        there, groups = np.unique(self.unit_of[rows], return_inverse=True)
        conflicts = self.conflicts
        if conflicts is not None:
            conflicts = conflicts.some(there.astype(np.intp))
        return self._ordered(
            self.points.some(rows),
            self.scatter,
            groups.astype(LABEL),
            self.pinned[there],
            conflicts,
        )

    @cached_property
    def units(self) -> Points:
        """The units. Only those of several points have scatter."""
        several = int(np.count_nonzero(self._sizes > 1))
        if not several:
            return self.points
        members = np.flatnonzero(self.unit_of < several)
        singles = self._first[several:]
        groups = self.points.some(members).aggregate(self.unit_of[members], several, self.scatter)
        alone = self.points.some(singles)
        return replace(
            groups,
            values=np.concatenate([groups.values, alone.values]),
            weight=np.concatenate([groups.weights, alone.weights]),
            count=np.concatenate([groups.counts, alone.counts]),
        )

    @cached_property
    def _sizes(self) -> Positions:
        return np.bincount(self.unit_of, minlength=len(self.pinned))

    @cached_property
    def _first(self) -> Positions:
        """The first point of each unit."""
        first = np.empty(len(self.pinned), dtype=np.intp)
        first[self.unit_of[::-1]] = np.arange(len(self.unit_of))[::-1]
        return first

    def movable(self, visited: BoolArray | None = None) -> BoolArray | None:
        """Return the units of visited points, default all, that are not pinned; None if all."""
        if visited is None:
            return ~self.pinned if self.pinned.any() else None
        movable = np.zeros(len(self.pinned), dtype=np.bool_)
        movable[self.unit_of[visited]] = True
        return movable & ~self.pinned

    def contract(self, labels: Labels) -> Labels:
        """Return the labels of units, from those of points that keep the constraints."""
        return labels[self._first]

    def expand(self, labels: Labels) -> Labels:
        """Return the labels of points, from those of units."""
        return labels[self.unit_of]

    def keep(self, labels: Labels, rank: Labels | None = None) -> Labels:
        """Return labels of points, changed where they do not keep the constraints.

        Points that must share a cluster go to that of most of them. Where units of one cluster are
        in conflict, one stays; of the others, pinned units found clusters, and the rest go to the
        nearest cluster that they may join. If points have a rank, those of the highest one in a
        unit tell where it goes, and of the pinned units in a cluster one of the highest stays.
        """
        units = self.contract(labels)
        ranks = np.zeros(len(self.pinned), dtype=LABEL)
        votes = self._sizes[self.unit_of] > 1
        if rank is not None:
            np.maximum.at(ranks, self.unit_of, rank)
            votes &= rank == ranks[self.unit_of]
        members = np.flatnonzero(votes)
        if len(members):
            pairs = np.stack([self.unit_of[members], labels[members]])
            pairs, count = np.unique(pairs, axis=1, return_counts=True)
            unit, label = pairs[:, np.argsort(count, kind="stable")]
            units[unit] = label  # the last one, that of most, stays
        if ranks.any():
            units = self._pinned_apart(units, ranks)
        return compact_labels(self._resolve(units)[self.unit_of])[0]

    def _pinned_apart(self, units: Labels, ranks: Labels) -> Labels:
        """Return labels of units: pinned ones in a cluster with one of higher rank found others."""
        pinned = np.flatnonzero(self.pinned)
        highest = np.full(int(units.max()) + 1, -1, dtype=LABEL)
        np.maximum.at(highest, units[pinned], ranks[pinned])
        leaves = np.zeros(len(units), dtype=np.bool_)
        leaves[pinned] = ranks[pinned] < highest[units[pinned]]
        return separate(units, leaves)

    def follow(self, labels: Labels, rows: Positions, of_rows: Labels) -> Labels:
        """Return labels with pinned units in the clusters of those of their points among `rows`."""
        cluster = np.full(len(self.pinned), -1, dtype=LABEL)
        cluster[self.unit_of[rows]] = np.where(self.pinned[self.unit_of[rows]], of_rows, -1)
        known = cluster[self.unit_of]
        return np.where(known >= 0, known, labels).astype(LABEL)

    def coarsest(self) -> Labels:
        """Return a partition into few clusters: one around each pinned unit, or a single one."""
        units = np.zeros(len(self.pinned), dtype=LABEL)
        pinned = np.flatnonzero(self.pinned)
        if len(pinned) > 1:
            units = self.units.nearest(self.units.values[pinned])
            units[pinned] = np.arange(len(pinned))
        return compact_labels(self._resolve(units)[self.unit_of])[0]

    def _resolve(self, units: Labels) -> Labels:
        """Return labels of units that keep the conflicts."""
        if self.conflicts is None:
            return units
        leaves = self.conflicts.superfluous(units)
        stay = np.flatnonzero(~leaves)
        labels = np.full(len(units), -1, dtype=LABEL)
        labels[stay], k = compact_labels(units[stay])
        founders = np.flatnonzero(leaves & self.pinned)
        labels[founders] = k + np.arange(len(founders))
        placed = np.flatnonzero(labels >= 0)
        some = replace(self.units, scatter=None).some(placed)
        means = some.aggregate(labels[placed], k + len(founders)).values
        # Clusters of one unit each would suggest to the prior that there are to be many.
        for unit in np.flatnonzero(labels < 0).tolist():
            barred = labels[self.conflicts.others(unit)]
            away = row_squares(means - self.units.values[unit])
            away[barred[barred >= 0]] = np.inf
            labels[unit] = away.argmin()
            if not np.isfinite(away[labels[unit]]):
                labels[unit] = len(means)
                means = np.concatenate([means, self.units.values[unit : unit + 1]])
        return labels
