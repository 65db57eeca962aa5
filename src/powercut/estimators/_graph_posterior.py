"""J with a node in each cluster of a graph, for `predict`."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from powercut._typing import FloatArray, Labels, Positions
from powercut.estimators._posterior import seat_costs
from powercut.graphs._adjacency import row_sums
from powercut.graphs.scores import ClusterStats, GraphObjective


@dataclass(frozen=True)
class GraphPosterior:
    """The clusters of a fitted graph, and J with one more node in each of them.

    Attributes
    ----------
    objective : GraphObjective
        J.
    labels : ndarray of int32
        Cluster of each training node.
    weight : ndarray of float64 or None
        Weights of the training nodes; new nodes have weight 1.
    stats : ClusterStats
        The four sums of each cluster.
    """

    objective: GraphObjective
    labels: Labels
    weight: FloatArray | None
    stats: ClusterStats

    def costs(self, rows: sp.csr_array, index: Positions) -> FloatArray:
        """Return J with each node in each cluster, up to a constant per node.

        A node can join the clusters it has an edge to (any cluster, if it has no edges). A
        training node is removed from its cluster first.

        Parameters
        ----------
        rows : csr_array of shape (m, n)
            Weights of the edges of each node to the training nodes.
        index : ndarray of shape (m,)
            Which training node each row is, or -1.
        """
        m, k = len(index), len(self.stats.counts)
        known = np.flatnonzero(index >= 0)
        own = np.full(m, -1, dtype=np.intp)
        own[known] = self.labels[index[known]]

        volume = row_sums(rows.indptr, rows.data).reshape(m, 1)
        loop = np.zeros((m, 1))
        loop[known, 0] = np.asarray(rows[known, index[known]]).reshape(-1)
        given = np.ones(m)
        if self.weight is not None:
            given[known] = self.weight[index[known]]
        weight = self.objective.score.node_weight(volume[:, 0], given)
        assert weight is not None  # as they were given
        weight = weight.reshape(m, 1)
        member = sp.csr_array(
            (np.ones(len(self.labels)), self.labels, np.arange(len(self.labels) + 1)),
            shape=(len(self.labels), k),
        )
        links = (rows @ member).toarray()
        links[known, own[known]] -= loop[known, 0]

        mine = (known, own[known])
        others = self.stats.map(lambda array: np.tile(array, (m, 1)))
        others.inside[mine] -= 2 * links[mine] + loop[known, 0]
        others.volume[mine] -= volume[known, 0]
        others.weight[mine] -= weight[known, 0]
        others.counts[mine] -= 1
        joined = ClusterStats(
            others.inside + 2 * links + loop,
            others.volume + volume,
            others.weight + weight,
            others.counts + 1,
        )
        cost = self.objective.score.cost(joined) - self._cost(others)
        cost += seat_costs(self.objective.regulariser, self.stats.counts, own)
        possible = links > 0
        possible[mine] = True
        return np.where(possible | ~possible.any(axis=1, keepdims=True), cost, np.inf)

    def _cost(self, c: ClusterStats) -> FloatArray:
        """Return the cost of each cluster, 0 where the removed node was a singleton."""
        occupied = c.counts > 0
        cost = np.zeros(c.counts.shape)
        cost[occupied] = self.objective.score.cost(c.map(lambda array: array[occupied]))
        return cost
