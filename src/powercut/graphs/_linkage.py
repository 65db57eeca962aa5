"""The linkage matrix of a tree of clusters."""

from collections.abc import Iterator

import numpy as np
from scipy.cluster.hierarchy import DisjointSet

from powercut._typing import LABEL, FloatArray, IntArray, Positions
from powercut.graphs.joins import join_pairs
from powercut.graphs.level import Level
from powercut.graphs.nested import NestedModel
from powercut.partition import compact_labels

# Two leaves whose clusters are joined, and the nats at which this happens.
Join = tuple[int, int, float]


def make_linkage(
    parent: IntArray, level: IntArray, evidence: FloatArray, leaves: Level, model: NestedModel
) -> FloatArray:
    """Join the leaves of a tree two at a time, and return scipy's linkage matrix.

    Parameters
    ----------
    parent, level, evidence : ndarray
        As in `powercut.ClusterTree`.
    leaves : Level
        The graph of the leaves, in the order of their numbers.
    model : NestedModel
        Tells how many nats a join loses.
    """
    n = leaves.n
    joins = list(_joins(parent, level, evidence, leaves, model))
    # The sort is stable: at equal nats, joins of children come before those of their parents.
    joins.sort(key=lambda join: join[2])
    joined, cluster = DisjointSet(range(n)), np.arange(n)
    size = [1] * n
    linkage = np.empty((len(joins), 4))
    for row, (one, other, nats) in enumerate(joins):
        first, second = sorted((int(cluster[joined[one]]), int(cluster[joined[other]])))
        size.append(size[first] + size[second])
        linkage[row] = first, second, nats, size[-1]
        joined.merge(one, other)
        cluster[joined[one]] = n + row
    return linkage


def _joins(
    parent: IntArray, level: IntArray, evidence: FloatArray, leaves: Level, model: NestedModel
) -> Iterator[Join]:
    """Yield the joins of all levels, the finest level first, then those of components."""
    inner = np.zeros(len(parent), dtype=np.bool_)
    inner[parent[parent >= 0]] = True
    cluster = np.flatnonzero(~inner)  # the one that each leaf belongs to
    for one in range(int(level.max(initial=0)), 0, -1):
        divided = level[cluster] == one
        above = np.where(divided, parent[cluster], cluster)
        yield from _joins_of_level(cluster, above, evidence, leaves, model)
        cluster = above
    stats = leaves.cluster_stats(compact_labels(cluster)[0])
    roots, first = np.unique(cluster, return_index=True)
    apart = model.evidence(stats.total, stats, np.zeros(len(roots), dtype=np.intp))
    nats = float(max(evidence.max(initial=0.0), apart.max(initial=0.0)))
    yield from ((int(first[0]), int(leaf), nats) for leaf in first[1:])


def _joins_of_level(
    cluster: Positions, above: Positions, evidence: FloatArray, leaves: Level, model: NestedModel
) -> Iterator[Join]:
    """Yield the joins of the clusters of one level, parent by parent.

    Nats lie between the evidence for the children and that for the parent, which the last join
    completes.
    """
    own, first, position = np.unique(cluster, return_index=True, return_inverse=True)
    graph = leaves.aggregate(position.astype(LABEL), len(own), None)
    parents = above[first]
    joins: dict[int, list[Join]] = {}
    for one, other, nats in join_pairs(graph, compact_labels(parents)[0], model):
        join = (int(first[one]), int(first[other]), nats)
        joins.setdefault(int(parents[one]), []).append(join)
    least = np.zeros(len(evidence))
    np.maximum.at(least, parents, evidence[own])
    for number, of_parent in joins.items():
        nats, most = float(least[number]), float(evidence[number])
        for one, other, lost in of_parent[:-1]:
            nats = most if np.isnan(lost) else min(max(nats, lost), most)
            yield one, other, nats
        yield *of_parent[-1][:2], most
