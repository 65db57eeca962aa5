"""A level on which prior labels attract nodes to clusters."""

from dataclasses import dataclass

import numpy as np

from powercut._typing import Labels
from powercut.graphs.level import Level
from powercut.graphs.prior_labels import PriorLabels
from powercut.graphs.pulls import Pulls
from powercut.graphs.scores import GraphObjective
from powercut.partition import compact_labels
from powercut.search.objective import j_per_nat


@dataclass(frozen=True)
class AttractedLevel:
    """A level, and prior labels of nodes of its graph.

    Homes of nodes, as in `PriorLabels.homes`, are those of the nodes of the graph; labels of
    clusters are those of the nodes of the level.

    Attributes
    ----------
    level : Level
        The level.
    prior : PriorLabels
        The prior labels.
    connected : bool
        Whether clusters are to be connected. Nodes in the cluster of their label count as
        connected with each other.
    """

    level: Level
    prior: PriorLabels
    connected: bool

    def homes(self, labels: Labels) -> Labels:
        """Return the cluster of the prior label of each node."""
        return self.prior.homes(self.level.expand(labels))

    def pulls(self, homes: Labels, objective: GraphObjective) -> Pulls:
        """Return what J rises by, outside of its home, for each node of the level."""
        scale = j_per_nat(objective.regulariser.tradeoff)
        return self.prior.pulls(self.level, homes, scale=scale)

    def nats(self, labels: Labels, homes: Labels) -> float:
        """Return what the prior labels of nodes that are not at home cost."""
        nodes = self.prior.nodes
        away = self.level.expand(labels)[nodes] != homes[nodes]
        return self.prior.nats * np.count_nonzero(away)

    def cost(self, labels: Labels, objective: GraphObjective) -> float:
        """Return the same as a part of J, at the best homes."""
        scale = j_per_nat(objective.regulariser.tradeoff)
        return scale * self.nats(labels, self.homes(labels))

    def connect(self, labels: Labels) -> tuple[Labels, Labels]:
        """Split clusters that are to be connected; return labels, and the homes of nodes then.

        Labels that need no split are returned as they are.
        """
        while True:
            homes = self.homes(labels)
            k, n_parts = int(labels.max(initial=-1)) + 1, 0
            if self.connected:
                parts, n_parts = self.level.split_components(labels)
            if n_parts > k:
                pulls = self.prior.pulls(self.level, homes, scale=1.0)
                parts, n_parts = compact_labels(pulls.connect(labels, parts))
            if n_parts <= k:
                return labels, homes
            labels = parts
