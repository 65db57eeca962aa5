"""Confidence in a partition: margins of nodes, and evidence for clusters."""

import numpy as np
import numpy.typing as npt

from powercut._typing import LABEL, FloatArray, Labels
from powercut.graphs.level import Level
from powercut.graphs.nearest import PointSearch
from powercut.graphs.pulls import Pulls
from powercut.graphs.scores import ClusterStats, GraphObjective
from powercut.search.objective import j_per_nat
from powercut.vectors.points import Points
from powercut.vectors.scores import PointsObjective

# For clusters of points, merges with this many nearest clusters are evaluated.
NEAREST = 32


def node_margins(
    level: Level,
    labels: Labels,
    objective: GraphObjective,
    *,
    limits: tuple[int, int] | None = None,
    pulls: Pulls | None = None,
    stats: ClusterStats | None = None,
) -> FloatArray:
    """Return the log posterior odds, in nats, of each node's cluster against the best other.

    It is the rise of J, divided by the tradeoff, if the node moves to the best other
    cluster that it has an edge to, or becomes a singleton, within the limits of sizes. Infinite for
    a node that has no such move, as without neighbours. Pulls are a part of J. `stats` is
    ``level.cluster_stats(labels)``, if it is known.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut import PowerLawCut
    >>> A = np.kron(np.eye(2), np.ones((20, 20)))
    >>> np.fill_diagonal(A, 0)
    >>> A[0, 20:25] = A[20:25, 0] = 1
    >>> margins = PowerLawCut(random_state=0).fit(A).margins_
    >>> int(margins.argmin())
    0
    """
    margins = level.margins(labels, objective, limits=limits, pulls=pulls, stats=stats)
    return margins / j_per_nat(objective.regulariser.tradeoff)


def cluster_evidence(level: Level, labels: Labels, objective: GraphObjective) -> FloatArray:
    """Return the evidence for each cluster, in nats, against merging with the best other.

    It is the rise of J, divided by the tradeoff, if the cluster merges with the best
    cluster that it has an edge to or, if there is none, with the largest other one.
    Infinite for the only cluster.
    """
    k = int(labels.max(initial=-1)) + 1
    if k < 2:
        return np.full(k, np.inf)
    clusters = level.aggregate(labels, k, None)
    each = np.arange(k, dtype=LABEL)
    stats = clusters.cluster_stats(each)
    rise = clusters.margins(each, objective, stats=stats)
    apart = np.isinf(rise)
    largest, second = np.argsort(-stats.counts, kind="stable")[:2]
    beside = np.flatnonzero(apart & (each != largest))
    rise[beside] = _merge(stats, int(largest), beside, objective)
    if apart[largest]:
        rise[largest] = _merge(stats, int(largest), np.array([second]), objective)[0]
    return rise / j_per_nat(objective.regulariser.tradeoff)


def _merge(
    stats: ClusterStats, one: int, others: npt.NDArray[np.intp], objective: GraphObjective
) -> FloatArray:
    """Return the rise of J if a cluster merges with each of `others`, to which it has no edges."""
    mine, theirs = stats.map(lambda a: a[[one]]), stats.map(lambda a: a[others])
    both = stats.map(lambda a: a[others] + a[one])
    cost = objective.score.cost
    rise = cost(both) - cost(theirs) - cost(mine)
    return np.asarray(rise + objective.regulariser.merging(stats.counts, one, others))


def point_cluster_evidence(clusters: Points, objective: PointsObjective) -> FloatArray:
    """Return the evidence for each cluster of points, in nats, against merging with another.

    The other cluster is the best of those with the nearest means.

    Parameters
    ----------
    clusters : Points
        The clusters as points, with their scatter.
    objective : Objective
        J.
    """
    score, regulariser = objective.score, objective.regulariser
    evidence = np.full(clusters.n, np.inf)
    cost, sizes = score.cost(clusters), clusters.counts
    if clusters.n == 1:
        return evidence
    search = PointSearch(clusters.values, n_threads=clusters.n_threads)
    nearest = search.nearest_others(min(clusters.n - 1, NEAREST)).indices
    for c, others in enumerate(nearest):
        both = np.concatenate([others, np.full(len(others), c)])
        assert clusters.scatter is not None
        pairs = Points(
            clusters.values[both], clusters.weights[both], sizes[both], clusters.scatter[both]
        )
        labels = np.tile(np.arange(len(others), dtype=LABEL), 2)
        merged = pairs.aggregate(labels, len(others), score.scatter)
        rise = score.cost(merged) - cost[others] - cost[c]
        rise += regulariser.merging(sizes, c, others)
        evidence[c] = rise.min()
    return evidence / j_per_nat(regulariser.tradeoff)
