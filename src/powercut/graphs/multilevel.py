"""Multilevel search: exact local moves at every level of a graph.

A cycle first coarsens the graph, then refines the partition level by level. To coarsen: move single
nodes; find subclusters inside each cluster; aggregate each subcluster to one node; move these
nodes, and repeat until nothing can be aggregated any more. A subcluster that moves to a
new cluster splits its old cluster; one that is a cluster of its own and moves merges two
clusters. To refine: go back to the nodes of the next finer level and move them. Aggregation
is exact, so every move at every level lowers the same J, and J never increases.
"""

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut._typing import BoolArray, Labels, Random
from powercut.graphs.level import Cycled, Level, Moved
from powercut.graphs.scores import ClusterStats, GraphObjective
from powercut.progress import report_clusters, until_expired

# Stop after a cycle that lowers J by less than this fraction.
NEGLIGIBLE_GAIN = 1e-9
MAX_CYCLES = 50
# A brisk search leaves a level after a round that moves at most this share of its nodes.
FEW_MOVES = 0.1


class Multilevel:
    """Cycles of local moves over all levels, for one objective.

    Parameters
    ----------
    level : Level
        The finest level of the graph.
    objective : GraphObjective
        J, to be minimised.
    random : numpy.random.Generator
        The order in which nodes are visited.
    cancel : CancellationToken, optional
        Cancellation token. Another thread may cancel the search; when the time limit
        expires, the search ends with the best labels so far.
    brisk : bool
        Whether to stop each level early, when few nodes move.

    Attributes
    ----------
    path : list of float
        J, without its constant, before the first move and after each round of moves.
    """

    def __init__(
        self,
        level: Level,
        objective: GraphObjective,
        *,
        random: Random,
        cancel: _core.CancellationToken | None = None,
        brisk: bool = False,
    ) -> None:
        self.level = level
        self.objective = objective
        self.random = random
        self.cancel = cancel
        self.brisk = brisk
        self.path: list[float] = []

    @property
    def negligible(self) -> float:
        """Share of the nodes that has to move in a round for another round to follow."""
        return FEW_MOVES if self.brisk else 0.0

    @property
    def is_time_up(self) -> bool:
        """Whether the time limit has expired: end with the best labels so far."""
        return self.cancel is not None and self.cancel.expired()

    def improve(self, labels: Labels) -> Labels:
        """Run cycles until J stops falling; end where no move of a single node lowers it."""
        for _ in range(MAX_CYCLES):
            start = len(self.path)
            labels = self.cycle(labels).labels
            gain = self.path[start] - self.path[-1]
            if gain <= NEGLIGIBLE_GAIN * abs(self.path[-1]) or self.is_time_up:
                break
        return self.move(labels, exhaustive=True).labels

    def cycle(self, labels: Labels) -> Cycled:
        """Coarsen the graph level by level, then refine the partition on the way back."""
        cycled = self.level.cycle(
            labels,
            self.objective,
            random=self.random,
            cancel=self.cancel,
            negligible=self.negligible,
        )
        self.path += cycled.path[1:] if self.path else cycled.path
        report_clusters(self.cancel, cycled.labels)
        return cycled

    def move(
        self,
        labels: Labels,
        stats: ClusterStats | None = None,
        *,
        exhaustive: bool = False,
        first: BoolArray | None = None,
    ) -> Moved:
        """Move single nodes; if `exhaustive`, until no move of a single node lowers J.

        `stats` are the sums over the clusters, here and below, if they are known. If `first` tells
        which nodes to visit, others are visited only when a neighbour has moved.
        """
        moved = self.level.local_moves(
            labels,
            self.objective,
            random=self.random,
            cancel=self.cancel,
            exhaustive=exhaustive,
            negligible=self.negligible,
            first=first,
            stats=stats,
        )
        return self._record(moved)

    def coarsen(self, of_nodes: GraphObjective | None = None) -> Labels:
        """Coarsen from singletons, without refinement; return the coarsest partition.

        Single nodes are moved by another objective, if it is given. Levels then have one round
        each: what it leaves is joined on the next level.
        """
        return self.level.coarsen(
            self.objective,
            of_nodes=of_nodes,
            random=self.random,
            cancel=self.cancel,
            negligible=self.negligible if of_nodes is None else 1.0,
        )

    def divide(self, labels: Labels, divisible: npt.NDArray[np.bool_]) -> tuple[Labels, int]:
        """Divide the divisible clusters; return the subclusters and their number."""
        with until_expired(self.cancel):
            return self.level.divide(
                labels, self.objective, divisible, random=self.random, cancel=self.cancel
            )
        return labels, len(divisible)

    def merge(
        self, groups: Labels, n_groups: int, stats: ClusterStats | None = None
    ) -> Moved | None:
        """Move groups of nodes, initially one cluster each; None if the time limit expired."""
        moved = self.level.merge(
            groups,
            n_groups,
            self.objective,
            random=self.random,
            cancel=self.cancel,
            negligible=self.negligible,
            stats=stats,
        )
        return moved and self._record(moved)

    def settle(self, labels: Labels, stats: ClusterStats | None = None) -> Moved:
        """Merge clusters, then move nodes until no move of a single node lowers J."""
        merged = self.merge(labels, int(labels.max(initial=-1)) + 1, stats)
        if merged is not None:
            labels, stats = merged.labels[labels], merged.stats
        return self.move(labels, stats, exhaustive=True)

    def _record(self, moved: Moved) -> Moved:
        """Append the J that was reached to the path, and report the clusters."""
        if not self.path:
            self.path.append(moved.before)
        self.path.append(moved.after if moved.moves else self.path[-1])
        report_clusters(self.cancel, moved.labels)
        return moved
