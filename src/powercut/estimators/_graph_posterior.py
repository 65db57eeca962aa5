"""J with a node in each of the clusters of a graph."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from powercut.estimators._posterior import Index, seat_costs
from powercut.partition import Labels
from powercut.scores import ClusterStats
from powercut.search.objective import Objective

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class GraphPosterior:
    """The clusters of a fitted graph, as one more node sees them.

    Attributes
    ----------
    objective : Objective
        J.
    labels : ndarray of int32
        Cluster of each training node.
    weight : ndarray of float64 or None
        Weights of the training nodes; new ones weigh 1.
    stats : ClusterStats
        The four sums over each cluster.
    """

    objective: Objective
    labels: Labels
    weight: FloatArray | None
    stats: ClusterStats

    def costs(self, rows: sp.csr_array, index: Index) -> FloatArray:
        """Return J with each node in each cluster, up to a constant for each node.

        A node can join the clusters it has an edge to (any, if it has none). A
        training node is taken out of its cluster first.

        Parameters
        ----------
        rows : csr_array of shape (m, n)
            Weights of the edges of each node to the training nodes.
        index : ndarray of shape (m,)
            Which training node each row is, or -1.
        """
        m, k = len(index), len(self.stats.count)
        known = np.flatnonzero(index >= 0)
        own = np.full(m, -1, dtype=np.intp)
        own[known] = self.labels[index[known]]

        volume = np.asarray(rows.sum(axis=1), dtype=np.float64).reshape(m, 1)
        loop = np.zeros((m, 1))
        loop[known, 0] = np.asarray(rows[known, index[known]]).reshape(-1)
        weight = np.ones((m, 1))
        if self.weight is not None:
            weight[known, 0] = self.weight[index[known]]
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
        others.count[mine] -= 1
        joined = ClusterStats(
            others.inside + 2 * links + loop,
            others.volume + volume,
            others.weight + weight,
            others.count + 1,
        )
        cost = self.objective.score.worth(joined) - self._worth(others)
        cost += seat_costs(self.objective.regulariser, self.stats.count, own)
        possible = links > 0
        possible[mine] = True
        return np.where(possible | ~possible.any(axis=1, keepdims=True), cost, np.inf)

    def _worth(self, c: ClusterStats) -> FloatArray:
        """Return what clusters are worth, nothing where a node that left was alone."""
        occupied = c.count > 0
        worth = np.zeros(c.count.shape)
        worth[occupied] = self.objective.score.worth(c.map(lambda array: array[occupied]))
        return worth
