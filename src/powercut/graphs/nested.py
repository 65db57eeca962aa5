r"""The evidence for nested clusters, and which levels of a hierarchy are worth describing.

A hierarchy gives every cluster p that is divided a density of its own for the weight between its
children. With :math:`A` the weight and :math:`P` the size of the pairs of nodes inside a cluster
(`powercut.graphs.scores`), and :math:`B_p = A_p - \sum_c A_c`, :math:`Q_p = P_p - \sum_c P_c` those
between the children c of p, the log-likelihood that is lost when the children are joined is

.. math:: \frac{u}{2 \lambda} \left[ \sum_c A_c \ln\frac{A_c}{P_c} + B_p \ln\frac{B_p}{Q_p}
          - A_p \ln\frac{A_p}{P_p} \right] \ge 0,

the *evidence* for the division of p, in nats; u is the number of counts per unit of weight, and
the tradeoff :math:`\lambda` of the fit tempers it if edges depend on each other. The sum over all p
is the log-likelihood of the hierarchy (a degree-corrected or uniform hierarchical random graph)
against that of a graph without clusters.

To describe a hierarchy one needs a density for each p, half the logarithm of the count that it is
estimated from; the partition of the nodes at the finest level, and the grouping of the clusters of
each level into those of the next, each under a Pitman-Yor prior with estimated hyperparameters, and
2 nats for each single node, as in `powercut.graphs.description`.
Levels are left out where that makes the description shorter.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, xlogy

from powercut._typing import LABEL, BoolArray, FloatArray, IntArray, Labels, Positions
from powercut.graphs.block_model import ALONE, BlockModel
from powercut.graphs.level import Level
from powercut.graphs.scores import ClusterStats
from powercut.search.prior import bounded_prior

# Nats that a level costs beyond its parameters: whether there is another one.
PER_LEVEL = float(np.log(2))


@dataclass(frozen=True)
class NestedModel:
    """The likelihood of nested clusters.

    Attributes
    ----------
    model : BlockModel
        Tells the size of the pairs of nodes, the counts per weight and the tradeoff.
    """

    model: BlockModel

    def log_likelihood(self, weight: FloatArray, pairs: FloatArray) -> FloatArray:
        r"""Return :math:`u A \ln(A / P) / 2 \lambda` of weight A among pairs of size P."""
        density = np.divide(weight, pairs, out=np.ones_like(weight), where=(pairs > 0))
        scale = 0.5 * self.model.unit / self.model.tradeoff
        return np.asarray(scale * xlogy(weight, density))

    def rest(
        self, parents: ClusterStats, children: ClusterStats, parent: Labels | Positions
    ) -> tuple[FloatArray, FloatArray]:
        """Return the weight between the children of each parent, and the size of its pairs."""
        k = len(parents.counts)
        weight = parents.inside - np.bincount(parent, children.inside, k)
        all_pairs = self.model.pairs(parents)
        pairs = all_pairs - np.bincount(parent, self.model.pairs(children), k)
        # Differences of equal sums need not be exactly 0.
        none = np.bincount(parent, minlength=k) == 1
        weight, pairs = np.where(none, 0.0, weight), np.where(none, 0.0, pairs)
        return np.maximum(weight, 0.0), np.maximum(pairs, 0.0)

    def evidence(
        self, parents: ClusterStats, children: ClusterStats, parent: Labels | Positions
    ) -> FloatArray:
        """Return the nats that are lost if the children of each parent are joined."""
        k = len(parents.counts)
        apart = self.log_likelihood(children.inside, self.model.pairs(children))
        joined = self.log_likelihood(parents.inside, self.model.pairs(parents))
        between = self.log_likelihood(*self.rest(parents, children, parent))
        return np.maximum(np.bincount(parent, apart, k) + between - joined, 0.0)

    def divisions_that_pay(
        self, parents: ClusterStats, children: ClusterStats, parent: Labels | Positions
    ) -> BoolArray:
        """Return for which parents the evidence exceeds the nats that describe the division.

        These are the change of the log-probability of the sizes, at the prior estimated from
        the parents, 2 nats for each single node, and the densities.
        """
        k = len(parents.counts)
        prior = bounded_prior(parents.counts)
        alpha, theta = prior.concentration, prior.discount
        more = np.bincount(parent, minlength=k) - 1
        sizes = np.bincount(parent, _log_weight(children.counts, theta), k)
        prior_nats = _log_weight(parents.counts, theta) - sizes - more * np.log(alpha + k * theta)
        rest, _ = self.rest(parents, children, parent)
        alone = ALONE * np.bincount(parent, children.counts == 1, k)
        densities = np.bincount(parent, self._density_nats(children.inside), k)
        more_densities = densities + self._density_nats(rest) - self._density_nats(parents.inside)
        evidence = self.evidence(parents, children, parent)
        return np.asarray((more > 0) & (evidence > prior_nats + alone + more_densities))

    def nats(
        self, parents: ClusterStats, children: ClusterStats | None, parent: Labels | Positions
    ) -> float:
        """Return the description length of one level, given the next finer one.

        `children` is None for the finest level, which is a partition of the nodes.
        """
        if children is None:
            weight, pairs = parents.inside, self.model.pairs(parents)
            groups = parents.counts
            alone = ALONE * int(np.count_nonzero(groups == 1))
        else:
            weight, pairs = self.rest(parents, children, parent)
            groups = np.bincount(parent, minlength=len(parents.counts))
            alone = 0.0
        edges = self._density_nats(weight).sum() - self.log_likelihood(weight, pairs).sum()
        return float(edges) + _partition_nats(groups) + alone + PER_LEVEL

    def _density_nats(self, weight: FloatArray) -> FloatArray:
        return np.asarray(0.5 * np.log1p(0.5 * self.model.unit * weight))


def _log_weight(sizes: IntArray, theta: float) -> FloatArray:
    return np.asarray(gammaln(sizes - theta) - gammaln(1 - theta))


def _partition_nats(sizes: IntArray) -> float:
    """Return -log EPPF at the most likely prior, and the nats of its two hyperparameters."""
    if not len(sizes):
        return 0.0
    prior = bounded_prior(sizes)
    alpha, theta = prior.concentration, prior.discount
    return float(2 * np.log1p(alpha) - np.log1p(-theta)) - prior.log_prob(sizes)


def parents_of(fine: Labels, coarse: Labels) -> Labels:
    """Return the cluster of `coarse` that each cluster of `fine` lies in."""
    parent = np.zeros(int(fine.max(initial=-1)) + 1, dtype=LABEL)
    parent[fine] = coarse
    return parent


def levels_worth_keeping(
    level: Level, levels: list[Labels], model: NestedModel, *, fitted: int
) -> list[int]:
    """Return the positions of the levels whose hierarchy has the shortest description.

    Parameters
    ----------
    level : Level
        The graph.
    levels : list of ndarrays of int32
        Compact labels of nested partitions, the coarsest first.
    model : NestedModel
        The likelihood.
    fitted : int
        The position of the fitted partition. It and the first are always kept.

    Examples
    --------
    Cliques of four in groups of four; a level of two cliques each is not worth its description:

    >>> import numpy as np
    >>> from powercut import Graph
    >>> from powercut.graphs.block_model import BlockModel, block_level
    >>> clique = np.arange(64) // 4
    >>> A = np.where(clique[:, None] // 4 == clique // 4, 0.4, 0.02)
    >>> A = np.random.default_rng(0).random((64, 64)) < A
    >>> A = np.triu(A | (clique[:, None] == clique), 1)
    >>> graph = Graph(A | A.T)
    >>> levels = [(clique // size).astype(np.int32) for size in (16, 4, 2, 1)]
    >>> model = NestedModel(BlockModel.of(graph, degree_corrected=False))
    >>> levels_worth_keeping(block_level(graph), levels, model, fitted=3)
    [0, 1, 3]
    """
    finest = int(levels[-1].max(initial=-1)) + 1
    clusters = level.aggregate(levels[-1], finest, None)
    maps = [parents_of(levels[-1], labels) for labels in levels]
    stats = [clusters.cluster_stats(labels) for labels in maps]
    n = len(levels)
    shortest, before = np.full(n + 1, np.inf), np.zeros(n + 1, dtype=np.intp)
    shortest[0] = 0.0
    for end in range(1, n + 1):
        for start in range(end):
            if start < fitted < end:
                continue
            children = stats[end] if end < n else None
            parent = parents_of(maps[end], maps[start]) if end < n else np.zeros(0, dtype=LABEL)
            nats = shortest[start] + model.nats(stats[start], children, parent)
            if nats < shortest[end]:
                shortest[end], before[end] = nats, start
    kept, at = [], n
    while at > 0:
        at = int(before[at])
        kept.append(at)
    return kept[::-1]
