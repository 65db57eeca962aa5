"""Joins of two clusters at a time, in the order of the nats that they lose.

A level of a hierarchy joins any number of clusters into one. A dendrogram joins two at a time:
among the children of one parent, the two with an edge between them whose join loses the fewest
nats come first. Children without edges between them come last.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import DisjointSet

from powercut._typing import FloatArray, Labels
from powercut.graphs.level import Level
from powercut.graphs.merging import MergingClusters
from powercut.graphs.nested import NestedModel
from powercut.graphs.scales import without_weight_between


class JoiningClusters(MergingClusters):
    """Clusters that join in the order of the nats that are lost.

    Parameters
    ----------
    level : Level
        An aggregated level; each of its nodes is a cluster.
    model : NestedModel
        Tells how many nats a join loses.
    """

    def __init__(self, level: Level, model: NestedModel) -> None:
        super().__init__(level)
        self._model = model

    def _prices(self, one: int, others: npt.NDArray[np.intp], between: FloatArray) -> FloatArray:
        pairs, log_likelihood = self._model.model.pairs, self._model.log_likelihood
        mine = self._stats.map(lambda sums: sums[[one]])
        theirs = self._stats.map(lambda sums: sums[others])
        both = self._both(one, others, between)
        rest = np.maximum(pairs(both) - pairs(mine) - pairs(theirs), 0.0)
        apart = sum(log_likelihood(c.inside, pairs(c)) for c in (mine, theirs))
        lost = apart + log_likelihood(2 * between, rest) - log_likelihood(both.inside, pairs(both))
        return np.maximum(lost, 0.0)


def join_pairs(
    clusters: Level, parents: Labels, model: NestedModel
) -> Iterator[tuple[int, int, float]]:
    """Join the clusters of each parent, two at a time.

    Parameters
    ----------
    clusters : Level
        An aggregated level, each node of which is a cluster.
    parents : ndarray of int32
        The parent of each cluster.
    model : NestedModel
        Tells how many nats a join loses.

    Yields
    ------
    one, other, nats
        A cluster of each of the two that are joined, and the nats that this loses; NaN if no edge
        leads from one to the other.
    """
    joined = DisjointSet(range(clusters.n))
    inside = without_weight_between(clusters, parents)
    for (one, other), nats in JoiningClusters(inside, model).merge_all():
        joined.merge(one, other)
        yield one, other, nats
    # What is left of a parent has no edges between; join it to the parent's first cluster.
    first: dict[int, int] = {}
    for cluster, parent in enumerate(parents.tolist()):
        one = first.setdefault(parent, cluster)
        if joined.merge(one, cluster):
            yield one, cluster, float("nan")
