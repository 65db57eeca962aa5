"""Limits of cluster sizes: small clusters are folded into neighbours, large ones divided.

A cluster below the minimum is joined to the neighbour for which that loses the fewest nats
(`powercut.graphs.nested`), the cheapest join first. A cluster above the maximum is divided by the
modularity of its own subgraph, and parts that are too large are divided again; parts that have no
parts themselves are split evenly, into nodes that are close to each other. Then nodes move and
parts join, as in every search, while that raises the modularity of the whole graph and all sizes
stay within the limits. A cluster that has no parts at all stays as it was split.
"""

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from powercut import _core
from powercut._typing import LABEL, BoolArray, FloatArray, Labels, Random
from powercut._validation import check_whole
from powercut.graphs.joins import JoiningClusters
from powercut.graphs.level import Level
from powercut.graphs.merging import MergingClusters, components
from powercut.graphs.nested import NestedModel, parents_of
from powercut.graphs.scales import divided_clusters, modularity, without_weight_between
from powercut.graphs.scores import GraphObjective
from powercut.partition import common_refinement
from powercut.progress import until_expired


@dataclass(frozen=True)
class SizeLimits:
    """The sizes that clusters may have; at least twice the minimum fits into the maximum."""

    min_size: int = 1
    max_size: int | None = None

    @classmethod
    def of(cls, min_size: Any, max_size: Any) -> "SizeLimits":
        """Return the limits that a user set, or raise if no partition may be within them."""
        least = 1 if min_size is None else check_whole(min_size, "min_size", min_val=1)
        if max_size is None:
            return cls(least)
        most = check_whole(max_size, "max_size", min_val=1)
        if most < 2 * least - 1:
            raise ValueError(
                f"min_size={least} and max_size={most}: a cluster of {most + 1} nodes cannot be "
                f"divided within both; max_size must be at least {2 * least - 1}."
            )
        return cls(least, most)

    @property
    def native(self) -> tuple[int, int]:
        """What `Level.local_moves` takes."""
        return self.min_size, np.iinfo(np.int64).max if self.max_size is None else self.max_size


@dataclass(frozen=True)
class Folded:
    """What became of clusters below the minimum size.

    Attributes
    ----------
    n_clusters : int
        How many clusters were joined to others.
    nats : float
        What the log-likelihood lost by that.
    n_left : int
        How many are still below the minimum: they have no neighbours.
    """

    n_clusters: int
    nats: float
    n_left: int

    def warn_if_left(self, min_size: int, stacklevel: int) -> None:
        """Warn if clusters are still below the minimum."""
        if self.n_left:
            warnings.warn(
                f"{self.n_left} clusters have fewer than min_size={min_size} nodes and no "
                "neighbour to be joined to.",
                stacklevel=stacklevel + 1,
            )


def limit_sizes(
    level: Level,
    labels: Labels,
    limits: SizeLimits,
    model: NestedModel,
    *,
    random: Random,
    cancel: _core.CancellationToken | None = None,
) -> tuple[Labels, Folded]:
    """Fold small clusters into neighbours, then divide large ones."""
    labels, folded = fold_small(level, labels, limits.min_size, model)
    return divide_large(level, labels, limits, model, random=random, cancel=cancel), folded


def improve_within(
    level: Level,
    labels: Labels,
    limits: SizeLimits,
    objective: GraphObjective,
    *,
    connected: bool,
    within: Labels | None = None,
    random: Random,
    cancel: _core.CancellationToken | None = None,
) -> Labels:
    """Lower J by moves of nodes and joins of clusters that keep to the limits.

    Clusters that are not within the limits at the start may stay so. One that is too small may gain
    nodes, even if it is still too small then, but is not divided.

    Parameters
    ----------
    level : Level
        The graph.
    labels : ndarray of int32
        The initial partition.
    limits : SizeLimits
        The sizes that moves and joins may leave clusters with.
    objective : GraphObjective
        J.
    connected : bool
        Whether to reject moves that would disconnect a cluster.
    within : ndarray of int32, optional
        A coarser partition: clusters stay inside its groups.
    random : numpy.random.Generator
        The order in which nodes are visited.
    cancel : CancellationToken, optional
        Cancellation token; when its time limit expires, the labels so far are returned.
    """
    # Exhaustive: places in full clusters become free without a move next to those who wait.
    moves = partial(
        Level.local_moves,
        objective=objective,
        random=random,
        cancel=cancel,
        exhaustive=True,
        limits=limits.native,
    )
    while True:
        moved = moves(level, labels, within=within, keep_connected=connected)
        k = moved.n_clusters
        groups = None if within is None else parents_of(moved.labels, within)
        clusters = level.aggregate(moved.labels, k, None)
        joined = moves(clusters, np.arange(k, dtype=LABEL), within=groups)
        labels = joined.labels[moved.labels]
        if joined.n_clusters == k:
            return labels


def fold_small(
    level: Level,
    labels: Labels,
    min_size: int,
    model: NestedModel,
    *,
    within: Labels | None = None,
) -> tuple[Labels, Folded]:
    """Join each cluster below the minimum size to a neighbour.

    Parameters
    ----------
    level : Level
        The graph.
    labels : ndarray of int32
        Compact labels.
    min_size : int
        Number of nodes.
    model : NestedModel
        Tells how many nats a join loses.
    within : ndarray of int32, optional
        A coarser partition: clusters are joined only inside one of its groups.
    """
    if min_size == 1:
        return labels, Folded(0, 0.0, 0)
    joins = _JoiningSmall(_clusters(level, labels, within), model, min_size)
    folded, n_joins, nats = _joined(joins, labels)
    n_left = int(np.count_nonzero(np.bincount(folded) < min_size))
    return folded, Folded(n_joins, nats, n_left)


def _clusters(level: Level, labels: Labels, within: Labels | None) -> Level:
    """Return the graph of the clusters, without weight between the groups of `within`."""
    clusters = level.aggregate(labels, int(labels.max(initial=-1)) + 1, None)
    if within is None:
        return clusters
    return without_weight_between(clusters, parents_of(labels, within))


def _joined(joins: MergingClusters, labels: Labels) -> tuple[Labels, int, float]:
    """Return the labels after all joins, the number of these, and the sum of their prices."""
    pairs, total = [], 0.0
    for pair, price in joins.merge_all():
        pairs.append(pair)
        total += price
    n_clusters = int(labels.max(initial=-1)) + 1
    joined = components(n_clusters, np.array(pairs, dtype=np.int64).reshape(-1, 2))
    return joined[labels], len(pairs), total


class _JoiningSmall(JoiningClusters):
    """Joins of which at least one cluster is below a size."""

    def __init__(self, clusters: Level, model: NestedModel, min_size: int) -> None:
        super().__init__(clusters, model)
        self._min_size = min_size

    def _prices(self, one: int, others: npt.NDArray[np.intp], between: FloatArray) -> FloatArray:
        sizes = self._stats.counts
        small = np.minimum(sizes[one], sizes[others]) < self._min_size
        prices = np.full(len(others), np.inf)
        if small.any():
            prices[small] = super()._prices(one, others[small], between[small])
        return prices


def divide_large(
    level: Level,
    labels: Labels,
    limits: SizeLimits,
    model: NestedModel,
    *,
    random: Random,
    cancel: _core.CancellationToken | None = None,
) -> Labels:
    """Return a partition of the clusters that is within the limits.

    When the time limit of `cancel` expires, what is too large is split evenly.
    """
    most, least = limits.max_size, limits.min_size
    if most is None or np.bincount(labels).max(initial=0) <= most:
        return labels
    divide = partial(
        _divided, level, max_size=most, min_size=least, model=model, random=random, cancel=cancel
    )
    divided, evenly = divide(labels)
    split = np.where(evenly, divided + 1, LABEL(0))
    while np.bincount(divided).max() > most:
        divided, _ = divide(divided)
    improved = improve_within(
        level,
        divided,
        limits,
        modularity(1.0, float(level.nodes[0].sum())),
        connected=True,
        within=common_refinement([labels, split])[0],
        random=random,
        cancel=cancel,
    )
    return common_refinement([split, np.where(evenly, LABEL(0), improved)])[0]


def _divided(
    level: Level,
    labels: Labels,
    *,
    max_size: int,
    min_size: int,
    model: NestedModel,
    random: Random,
    cancel: _core.CancellationToken | None,
) -> tuple[Labels, BoolArray]:
    """Divide large clusters once: by modularity, or evenly where that does not divide.

    Returns the labels, and whether the cluster of each node was split evenly.
    """
    parts, large = labels, np.bincount(labels) > max_size
    with until_expired(cancel):
        parts, _ = divided_clusters(
            level, labels, large, thorough=True, random=random, cancel=cancel
        )
    if min_size > 1:
        parts, _ = fold_small(level, parts, min_size, model, within=labels)
    parent = parents_of(parts, labels)
    undivided = np.bincount(parent) == 1
    # A part without neighbours among the others cannot be joined to them.
    small = np.bincount(parts) < min_size
    evenly = (large & (undivided | (np.bincount(parent, small) > 0)))[labels]
    parts = np.where(evenly, LABEL(parts.max() + 1), parts)
    parts, _ = common_refinement([labels, parts])
    return _split_evenly(level, parts, evenly, max_size), evenly


def _split_evenly(level: Level, labels: Labels, marked: BoolArray, max_size: int) -> Labels:
    """Split the clusters of marked nodes into parts of equal size, no more than necessary.

    Nodes are ordered so that neighbours are close (reverse Cuthill-McKee).
    """
    if not marked.any():
        return labels
    indptr, indices, _ = level.graph
    assert indptr is not None
    assert indices is not None
    ones = np.ones(len(indices), dtype=np.int8)
    adjacency = csr_array((ones, indices, indptr), shape=(level.n, level.n))
    part = np.zeros(level.n, dtype=LABEL)
    by_cluster = np.flatnonzero(marked)[np.argsort(labels[marked], kind="stable")]
    starts = np.flatnonzero(np.diff(labels[by_cluster])) + 1
    for members in np.split(by_cluster, starts):
        order = reverse_cuthill_mckee(adjacency[members][:, members], symmetric_mode=True)
        n_parts = -(-len(members) // max_size)
        for number, some in enumerate(np.array_split(members[order], n_parts)):
            part[some] = number
    return common_refinement([labels, part])[0]
