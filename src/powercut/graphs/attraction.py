"""The search for clusters while prior labels attract nodes, from clusters that were found before.

J' is J plus what prior labels cost (`powercut.graphs.prior_labels`). Nodes move while that lowers
J' at the present homes of labels, then homes are chosen again, for which J' is lowest. Moves of
single nodes do not leave the surroundings of their start. So there are two starts: the clusters of
a fit without prior labels, and those of a fit with nodes fixed at them. The first is best if labels
cost next to nothing, the second if they cost a lot.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from powercut import _core
from powercut._typing import LABEL, Labels, Random
from powercut.graphs.attracted_level import AttractedLevel
from powercut.graphs.pulls import Pulls
from powercut.graphs.scores import ClusterStats, GraphObjective
from powercut.partition import compact_labels
from powercut.progress import until_expired
from powercut.search.objective import SearchResult, j_per_nat

# Rounds of moving nodes and estimating parameters; four have always been enough.
MAX_ROUNDS = 8


@dataclass(frozen=True)
class Start:
    """Clusters from which nodes move.

    Attributes
    ----------
    labels : ndarray of int32
        The clusters of the nodes of the level that is searched.
    objective : GraphObjective
        J at first.
    estimate : callable
        Returns J at parameters estimated from the sums over clusters.
    length : callable
        Returns what partitions are compared by, from labels and the sums over clusters: the
        description length, or J.
    per_nat : float
        How much of that a nat is.
    joins : bool
        Whether clusters of labels are joined to others where that lowers J'.
    """

    labels: Labels
    objective: GraphObjective
    estimate: Callable[[ClusterStats], GraphObjective]
    length: Callable[[Labels, ClusterStats], float]
    per_nat: float
    joins: bool


@dataclass(frozen=True)
class Attracted:
    """Where a search ended.

    Attributes
    ----------
    found : SearchResult
        The labels, and J'.
    objective : GraphObjective
        J.
    total : float
        What partitions are compared by, with the cost of prior labels.
    """

    found: SearchResult
    objective: GraphObjective
    total: float


@dataclass(frozen=True)
class Attraction:
    """A search in which prior labels attract nodes.

    Attributes
    ----------
    attracted : AttractedLevel
        The level that is searched, and the labels.
    random : numpy.random.Generator
        The order in which nodes are visited.
    cancel : CancellationToken or None
        Cancellation token; when its time limit expires, the labels so far are returned.
    """

    attracted: AttractedLevel
    random: Random
    cancel: _core.CancellationToken | None = None

    def run(self, start: Start) -> Attracted:
        """Move nodes, choose homes and estimate parameters until nothing moves.

        Nodes with prior labels are visited first, all others if clusters change. So the start is
        returned if labels cost too little to move any.
        """
        attracted, level = self.attracted, self.attracted.level
        given = compact_labels(start.labels)[0]
        labels, homes = attracted.connect(given)
        objective, everywhere = start.objective, labels is not given
        best: Attracted | None = None
        for _ in range(MAX_ROUNDS):
            pulls = attracted.pulls(homes, objective)
            joined = self._join(labels, pulls, objective) if start.joins else labels
            if joined is not labels:
                everywhere = True
                labels, homes = attracted.connect(joined)
                pulls = attracted.pulls(homes, objective)
            moved = level.local_moves(
                labels,
                objective,
                random=self.random,
                cancel=self.cancel,
                keep_connected=attracted.connected,
                exhaustive=everywhere,
                first=None if everywhere else pulls.pulled,
                pulls=pulls,
            )
            # Pulls do not have the cost of labels without a home.
            prior, scale = attracted.prior, j_per_nat(objective.regulariser.tradeoff)
            homeless = scale * prior.nats * np.count_nonzero(homes[prior.nodes] < 0)
            constant = objective.regulariser.constant(level.n_original) + homeless
            labels, homes = attracted.connect(moved.labels)
            end = self._end(start, labels, homes, objective)
            # Homes that are chosen again cost no more; but clusters may have to be split then.
            last = end.found.objective if labels is moved.labels else moved.after + constant
            path = np.array([max(moved.before + constant, last), last])
            end = replace(end, found=replace(end.found, path=path))
            if best is not None and end.total >= best.total:
                break
            best = end
            if moved.moves == 0 or (self.cancel and self.cancel.expired()):
                break
            objective, everywhere = start.estimate(level.cluster_stats(labels)), True
        assert best is not None
        return best

    def _end(
        self, start: Start, labels: Labels, homes: Labels, objective: GraphObjective
    ) -> Attracted:
        """Return the end of a round, without its path."""
        stats = self.attracted.level.cluster_stats(labels)
        nats = self.attracted.nats(labels, homes)
        j = objective.value(stats) + j_per_nat(objective.regulariser.tradeoff) * nats
        found = SearchResult(labels, j, np.array([j]))
        return Attracted(found, objective, start.length(labels, stats) + start.per_nat * nats)

    def _join(self, labels: Labels, pulls: Pulls, objective: GraphObjective) -> Labels:
        """Join clusters that attract nodes to others, where that is worth their labels."""
        k = int(labels.max(initial=-1)) + 1
        clusters = None
        with until_expired(self.cancel):
            clusters = self.attracted.level.aggregate(labels, k, self.cancel)
        if clusters is None:
            return labels
        joined = clusters.local_moves(
            np.arange(k, dtype=LABEL),
            objective,
            random=self.random,
            cancel=self.cancel,
            first=np.isin(np.arange(k), pulls.homes),
            pulls=pulls.aggregate(labels, k),
        )
        return joined.labels[labels] if joined.moves else labels
