r"""Clusters inside clusters, by a likelihood of their own.

The block model of a fit has one background rate for the whole graph. Two clusters that are joined
by more than that rate may therefore be one cluster of the fit, if each of them is small. In a
hierarchy every cluster p is a graph of its own, with its own background rate :math:`b_p`, the
density between its subclusters, and subclusters may be told apart.

All clusters are divided by one call of the search: with pairs of size :math:`b_p s_i s_j` in place
of :math:`s_i s_j`, the background rate of every cluster is 1. The rates are estimated from the
division, in a few rounds.
"""

from dataclasses import replace

import numpy as np

from powercut import _core
from powercut._typing import FloatArray, Labels, Random
from powercut.graphs.block_model import INITIAL_RATE
from powercut.graphs.level import Level
from powercut.graphs.nested import NestedModel, parents_of
from powercut.graphs.scores import ClusterStats, GraphObjective, Likelihood
from powercut.prior import PitmanYor
from powercut.search.objective import Objective

# Rounds of estimating the background rates and dividing.
N_ROUNDS = 3
# How often subclusters are divided again.
MAX_DIVISIONS = 8


def subclusters(
    level: Level,
    labels: Labels,
    model: NestedModel,
    *,
    random: Random,
    cancel: _core.CancellationToken | None = None,
) -> list[Labels]:
    """Divide clusters, and the subclusters again, while that makes the description shorter.

    Parameters
    ----------
    level : Level
        The graph, from `powercut.graphs.block_model.block_level`.
    labels : ndarray of int32
        Compact labels.
    model : NestedModel
        The likelihood of a hierarchy.
    random : numpy.random.Generator
        The order of moves.
    cancel : CancellationToken, optional
        Cancellation token.

    Returns
    -------
    list of ndarrays of int32
        Nested partitions, each finer than the one before.
    """
    found: list[Labels] = []
    stats, nowhere = level.cluster_stats(labels), np.zeros(0, dtype=np.intp)
    for _ in range(MAX_DIVISIONS):
        parts = _divided(level, labels, stats, model, random, cancel)
        part_stats, parent = level.cluster_stats(parts), parents_of(parts, labels)
        with_parts = model.nats(stats, part_stats, parent) + model.nats(part_stats, None, nowhere)
        if with_parts >= model.nats(stats, None, nowhere):
            break
        found.append(parts)
        labels, stats = parts, part_stats
    return found


def _divided(
    level: Level,
    labels: Labels,
    stats: ClusterStats,
    model: NestedModel,
    random: Random,
    cancel: _core.CancellationToken | None,
) -> Labels:
    """Divide each cluster by the likelihood at its own background rate."""
    blocks, n_clusters = model.model, len(stats.counts)
    pairs = blocks.pairs(stats)
    rate = INITIAL_RATE * np.divide(stats.inside, pairs, out=np.zeros(n_clusters), where=pairs > 0)
    objective: GraphObjective = Objective(
        Likelihood(1.0, degree_corrected=True, self_loops=blocks.self_loops, unit=blocks.unit),
        blocks.regulariser(PitmanYor(1.0, 0.5)),
    )
    parts = labels
    for _ in range(N_ROUNDS):
        own = _with_rates(level, rate[labels], degree_corrected=blocks.degree_corrected)
        parts, n_parts = own.divide(labels, objective, rate > 0, random=random, cancel=cancel)
        if n_parts == n_clusters:
            break
        between, size = model.rest(stats, level.cluster_stats(parts), parents_of(parts, labels))
        np.divide(between, size, out=rate, where=(between > 0) & (size > 0))
    return _core.split_components(level.graph, parts, cancel)[0]


def _with_rates(level: Level, rate: FloatArray, *, degree_corrected: bool) -> Level:
    """Return the level with node sizes such that the rates are those of the pairs."""
    size = np.sqrt(rate) * (level.nodes[0] if degree_corrected else 1.0)
    weight = None if level.nodes[1] is None else np.square(size)
    return replace(level, nodes=(size, weight, None), workers=None)
