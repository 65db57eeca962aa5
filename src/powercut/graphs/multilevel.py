"""Exact local moves on every grain of a graph.

A cycle goes down and up again. Down: move single nodes; find, inside each
cluster, the pieces that hold together most tightly; make each piece one node;
move those (a piece that leaves for a new cluster splits its old one, a piece
that is a whole cluster merges two); and so on until nothing is left to join.
Up: take each level's nodes apart again and move them. Aggregation is exact, so
every move on every level lowers the one J, and J never rises.
"""

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut._typing import Labels, Random
from powercut.graphs.level import Level, Moved
from powercut.graphs.scores import GraphObjective
from powercut.progress import until_expired

# A cycle that gains less than this part of J is the last one.
NEGLIGIBLE = 1e-9
MAX_CYCLES = 50
# A brisk search leaves a grain when a round moves less than this part of its nodes.
FEW = 0.1


class Multilevel:
    """Cycles of local moves over all grains, for one objective.

    Parameters
    ----------
    level : Level
        The graph.
    objective : GraphObjective
        What to lower.
    random : numpy.random.Generator
        The order in which nodes are visited.
    cancel : CancelFlag, optional
        Ends the work from another thread, or after a time with the best so far.
    brisk : bool
        Whether to leave the last few moves of each grain to the next.

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
        cancel: _core.CancelFlag | None = None,
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
        """Part of the nodes that has to move in a round for another to follow."""
        return FEW if self.brisk else 0.0

    @property
    def is_time_up(self) -> bool:
        """Whether to end with the best so far."""
        return self.cancel is not None and self.cancel.expired()

    def improve(self, labels: Labels) -> Labels:
        """Run cycles until one gains nothing, and end where no node gains by a move."""
        for _ in range(MAX_CYCLES):
            start = len(self.path)
            labels = self.cycle(labels)
            gain = self.path[start] - self.path[-1]
            if gain <= NEGLIGIBLE * abs(self.path[-1]) or self.is_time_up:
                break
        return self._moves(self.level, labels, exhaustive=True)

    def cycle(self, labels: Labels) -> Labels:
        """Go down to the coarsest grain and up again."""
        level = self.level
        labels = self._moves(level, labels)
        grains: list[tuple[Level, Labels]] = []
        while not self.is_time_up:
            groups, n_groups = self._subclusters(level, labels)
            if n_groups == level.n:
                groups, n_groups = labels, int(labels.max(initial=-1)) + 1
            coarse = None if n_groups == level.n else level.coarser(groups, n_groups, self.cancel)
            if coarse is None:
                break
            grains.append((level, groups))
            level = coarse
            label_of_group = np.empty(n_groups, dtype=np.int32)
            label_of_group[groups] = labels
            labels = self._moves(level, label_of_group)
        for finer, groups in reversed(grains):
            labels = self._moves(finer, labels[groups])
        return labels

    def move(self, labels: Labels) -> Moved:
        """Move single nodes."""
        return self._moved(self.level, labels)

    def descend(self) -> Labels:
        """Join nodes, and what was joined, while that gains."""
        return self.level.descend(
            self.objective, random=self.random, cancel=self.cancel, negligible=self.negligible
        )

    def divide(self, labels: Labels, divisible: npt.NDArray[np.bool_]) -> tuple[Labels, int]:
        """Divide clusters from inside, those that may be; return the pieces and their number."""
        with until_expired(self.cancel):
            return self.level.divide(
                labels, self.objective, divisible, random=self.random, cancel=self.cancel
            )
        return labels, len(divisible)

    def merge(self, groups: Labels, n_groups: int) -> Moved | None:
        """Move groups as a whole; None where the time is up."""
        moved = self.level.merge(
            groups,
            n_groups,
            self.objective,
            random=self.random,
            cancel=self.cancel,
            negligible=self.negligible,
        )
        return moved and self._noted(moved)

    def settle(self, labels: Labels) -> Moved:
        """Move clusters as a whole, then nodes to where none gains."""
        merged = self.merge(labels, int(labels.max(initial=-1)) + 1)
        if merged is not None:
            labels = merged.labels[labels]
        return self._moved(self.level, labels, exhaustive=True)

    def _moves(self, level: Level, labels: Labels, *, exhaustive: bool = False) -> Labels:
        return self._moved(level, labels, exhaustive=exhaustive).labels

    def _moved(self, level: Level, labels: Labels, *, exhaustive: bool = False) -> Moved:
        moved = level.local_moves(
            labels,
            self.objective,
            random=self.random,
            cancel=self.cancel,
            exhaustive=exhaustive,
            negligible=self.negligible,
        )
        return self._noted(moved)

    def _noted(self, moved: Moved) -> Moved:
        """Tell the path of J what was reached."""
        if not self.path:
            self.path.append(moved.before)
        self.path.append(moved.after if moved.moves else self.path[-1])
        return moved

    def _subclusters(self, level: Level, labels: Labels) -> tuple[Labels, int]:
        """Join nodes within their cluster while the score alone, without the prior, gains.

        The prior is left out because it resists every merge of two single nodes.
        """
        moved = level.local_moves(
            np.arange(level.n, dtype=np.int32),
            self.objective.without_prior(),
            random=self.random,
            cancel=self.cancel,
            within=labels,
            negligible=self.negligible,
        )
        return moved.labels, moved.n_clusters
