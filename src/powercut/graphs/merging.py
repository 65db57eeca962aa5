r"""Coarser partitions: clusters of a fit are merged, each merge at a tradeoff of its own.

A search at a tradeoff above 1 with an estimated prior need not be coarser. At any tradeoff the
partition into singletons costs the prior almost nothing (discount near 1), and so does that into
one cluster (concentration near 0): sparse graphs shatter, others collapse. So the prior stays the
one that was estimated at tradeoff 1, and its clusters are merged only.

If two clusters merge, the log-likelihood falls by :math:`\ell \ge 0` and that of the sizes rises by
p. The merge pays from the tradeoff :math:`\lambda = \ell / p` on. The two clusters with the
smallest :math:`\lambda` merge first, then the next two, until none are left that have an edge
between them. A partition at a larger tradeoff thus consists of unions of the clusters at any
smaller one: the number of clusters never increases, and no node becomes a singleton.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import gammaln

from powercut import _core
from powercut._typing import LABEL, FloatArray, Labels
from powercut.graphs.level import Level
from powercut.graphs.scores import ClusterStats, GraphObjective
from powercut.search.conflicts import MergingConflicts


@dataclass(frozen=True)
class Merges:
    """All merges of the clusters of a partition, in the order of their tradeoffs.

    Attributes
    ----------
    labels : ndarray of int32
        The clusters that are merged.
    pairs : ndarray of shape (n_merges, 2)
        A cluster of each of the two that merge.
    tradeoffs : ndarray of shape (n_merges,)
        From this tradeoff on the two are one; never decreasing.
    """

    labels: Labels
    pairs: npt.NDArray[np.int64]
    tradeoffs: FloatArray

    def at(self, tradeoff: float) -> Labels:
        """Return the compact labels at a tradeoff."""
        n_clusters = int(self.labels.max(initial=-1)) + 1
        pairs = self.pairs[self.tradeoffs <= tradeoff]
        return components(n_clusters, pairs)[self.labels]


def merge_clusters(
    level: Level,
    labels: Labels,
    objective: GraphObjective,
    cancel: _core.CancellationToken | None = None,
) -> Merges:
    """Merge clusters until no two have an edge between them.

    Parameters
    ----------
    level : Level
        The graph.
    labels : ndarray of int32
        Compact labels of the clusters.
    objective : GraphObjective
        Its score is the log-likelihood that merges lose, its prior that of the sizes.
    cancel : CancellationToken, optional
        Cancellation token.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut import Graph
    >>> from powercut.graphs.block_model import BlockModel, block_level
    >>> A = np.kron(np.eye(3), np.ones((10, 10)) - np.eye(10))
    >>> A[9, 10] = A[10, 9] = 1
    >>> graph, labels = Graph(A), np.repeat(np.arange(3, dtype=np.int32), 10)
    >>> level, model = block_level(graph), BlockModel.of(graph, degree_corrected=False)
    >>> objective = model.estimate(level.cluster_stats(labels))
    >>> merges = merge_clusters(level, labels, objective)
    >>> merges.pairs.tolist(), bool(merges.tradeoffs[0] > 1)
    ([[0, 1]], True)
    """
    n_clusters = int(labels.max(initial=-1)) + 1
    clusters = _ByTradeoff(level.aggregate(labels, n_clusters, None), objective)
    pairs, tradeoffs = [], [0.0]
    for pair, tradeoff in clusters.merge_all():
        if cancel is not None and cancel.expired():
            break
        pairs.append(pair)
        tradeoffs.append(max(tradeoff, tradeoffs[-1]))
    return Merges(labels, np.array(pairs, dtype=np.int64).reshape(-1, 2), np.array(tradeoffs[1:]))


class MergingClusters(ABC):
    """Clusters that merge, the pair of lowest price first: their sums, and the weights between.

    Each cluster has its best partner in a heap. After a merge, partners of others may be gone;
    these look for a new one when it is their turn. Their old price is not larger than the new
    one, and the pairs with the merged cluster are in its own entry, so no pair is missed.

    Parameters
    ----------
    level : Level
        An aggregated level; each of its nodes is a cluster. Only clusters with an edge between
        them merge, and none in conflict.
    """

    def __init__(self, level: Level) -> None:
        self._stats = level.cluster_stats(np.arange(level.n, dtype=LABEL))
        self._n = level.n
        indptr, indices, weights = level.graph
        assert indptr is not None
        assert indices is not None
        assert weights is not None
        self._between = [
            {
                int(other): float(weight)
                for other, weight in zip(indices[a:b], weights[a:b], strict=True)
                if other != one
            }
            for one, (a, b) in enumerate(pairwise(indptr))
        ]
        self._version = [0] * level.n
        self._conflicts = None if level.conflicts is None else MergingConflicts(level.conflicts)

    @abstractmethod
    def _prices(self, one: int, others: npt.NDArray[np.intp], between: FloatArray) -> FloatArray:
        """Return the price of merging `one` with each of `others`; infinite if they never merge."""

    def merge_all(self) -> Iterator[tuple[tuple[int, int], float]]:
        """Yield the pairs that merge, with their prices."""
        heap = [entry for one in range(self._n) for entry in self._best(one)]
        heapify(heap)
        while heap:
            price, one, other, version, version_of_other = heappop(heap)
            if self._version[one] != version:
                continue
            if self._version[other] == version_of_other:
                # Merges of others may have made this one a little cheaper.
                yield (one, other), min(price, self._price(one, other))
                one = self._merge(one, other)
            for entry in self._best(one):
                heappush(heap, entry)

    def _best(self, one: int) -> Iterator[tuple[float, int, int, int, int]]:
        """Yield the best partner of a cluster as an entry of the heap, if it has one."""
        if not self._between[one]:
            return
        others = np.fromiter(self._between[one], dtype=np.intp)
        between = np.fromiter(self._between[one].values(), dtype=np.float64)
        prices = self._prices(one, others, between)
        if self._conflicts is not None:
            prices[self._conflicts.between(one, others)] = np.inf
        best = int(np.lexsort((others, prices))[0])
        if np.isfinite(prices[best]):
            other = int(others[best])
            yield float(prices[best]), one, other, self._version[one], self._version[other]

    def _price(self, one: int, other: int) -> float:
        between = np.array([self._between[one][other]])
        return float(self._prices(one, np.array([other]), between)[0])

    def _both(self, one: int, others: npt.NDArray[np.intp], between: FloatArray) -> ClusterStats:
        """Return the sums of `one` merged with each of `others`."""
        inside, volume, weight, counts = (sums[one] + sums[others] for sums in self._stats.arrays)
        return ClusterStats(inside + 2 * between, volume, weight, counts)

    def _merge(self, one: int, other: int) -> int:
        """Merge two clusters; return the one that is left, with more neighbours."""
        if len(self._between[one]) < len(self._between[other]):
            one, other = other, one
        stats, between = self._stats, self._between
        stats.inside[one] += 2 * between[one].pop(other)
        for sums in stats.arrays:
            sums[one] += sums[other]
        del between[other][one]
        for third, weight in between[other].items():
            between[one][third] = between[third][one] = between[one].get(third, 0.0) + weight
            del between[third][other]
        between[other].clear()
        if self._conflicts is not None:
            self._conflicts.merge(one, other)
        self._version[one] += 1
        self._version[other] += 1
        self._n -= 1
        return one


class _ByTradeoff(MergingClusters):
    """Clusters that merge in the order of the tradeoffs from which on that pays."""

    def __init__(self, level: Level, objective: GraphObjective) -> None:
        super().__init__(level)
        self._score, self._prior = objective.score, objective.regulariser
        self._cost = self._score.cost(self._stats)

    def _prices(self, one: int, others: npt.NDArray[np.intp], between: FloatArray) -> FloatArray:
        lost, won = self._lost(one, others, between), self._won(one, others)
        never = np.full(len(others), np.inf)
        return np.asarray(np.divide(lost, won, out=never, where=won > 0))

    def _lost(self, one: int, others: npt.NDArray[np.intp], between: FloatArray) -> FloatArray:
        """Return by how much the log-likelihood falls if `one` merges with each of `others`."""
        both = self._both(one, others, between)
        return np.asarray(self._score.cost(both) - self._cost[one] - self._cost[others])

    def _won(self, one: int, others: npt.NDArray[np.intp]) -> FloatArray:
        """Return by how much the log-probability of the sizes rises."""
        sizes, regulariser = self._stats.counts, self._prior
        alpha, theta = regulariser.prior.concentration, regulariser.prior.discount
        log_gamma = gammaln(sizes[others] - theta) + gammaln(sizes[one] - theta)
        grown = gammaln(sizes[others] + sizes[one] - theta) - log_gamma + gammaln(1 - theta)
        singletons = (sizes[others] == 1).astype(np.float64) + (sizes[one] == 1)
        opened = np.log(alpha + (self._n - 1) * theta)
        return np.asarray(grown - opened + regulariser.alone * singletons)

    def _merge(self, one: int, other: int) -> int:
        one = super()._merge(one, other)
        self._cost[one] = self._score.cost(self._stats.map(lambda sums: sums[[one]]))[0]
        return one


def components(n: int, pairs: npt.NDArray[np.int64]) -> Labels:
    """Return compact labels of the connected components of n clusters joined by pairs."""
    ones = np.ones(len(pairs))
    joined = coo_array((ones, (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    labels: Labels = connected_components(joined, directed=False)[1].astype(LABEL)
    return labels
