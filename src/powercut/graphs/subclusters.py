r"""Clusters inside clusters, by a likelihood of their own.

The block model of a fit has one background rate for the whole graph. Two clusters that are joined
by more than that rate may therefore be one cluster of the fit, if each of them is small. In a
hierarchy every cluster p is a graph of its own, with its own background rate :math:`b_p`, the
density between its subclusters, and subclusters may be told apart.

The search starts from the division of each cluster by its own modularity, which tells the rates.
With pairs of size :math:`b_p s_i s_j` in place of :math:`s_i s_j`, the background rate of every
cluster is 1, so that one search moves the nodes of all clusters, each inside its own. A division
is kept if its evidence exceeds the nats that describe it (`powercut.graphs.nested`).
"""

from dataclasses import replace

import numpy as np

from powercut import _core
from powercut._typing import LABEL, BoolArray, FloatArray, Labels, Random
from powercut.graphs.block_model import INITIAL_RATE
from powercut.graphs.level import Level
from powercut.graphs.multilevel import Multilevel
from powercut.graphs.nested import NestedModel, parents_of
from powercut.graphs.scales import divided_clusters, without_weight_between
from powercut.graphs.scores import ClusterStats, GraphObjective, Likelihood
from powercut.partition import compact_labels
from powercut.progress import ProgressReporter, until_expired
from powercut.search.objective import Objective
from powercut.search.prior import bounded_prior

# How often subclusters are divided again.
MAX_DIVISIONS = 8
# In a matrix of more entries, the nodes move only if the division that they start from makes the
# description shorter. Where it did not, the moves made it longer still, and took longer than a fit.
MANY_ENTRIES = 2**18
# The parent of each child of the finest clusters: these have no children.
NOWHERE = np.zeros(0, dtype=np.intp)


def subclusters(
    level: Level,
    labels: Labels,
    model: NestedModel,
    *,
    random: Random,
    reporter: ProgressReporter | None = None,
) -> list[Labels]:
    """Divide clusters, and the subclusters again, where the evidence pays for the description.

    It ends with the first level that would make the description of all levels longer.

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
    reporter : ProgressReporter, optional
        Reports progress, and may end the search early, with the partitions so far.

    Returns
    -------
    list of ndarrays of int32
        Nested partitions, each finer than the one before.
    """
    reporter = ProgressReporter() if reporter is None else reporter
    found: list[Labels] = []
    stats = level.cluster_stats(labels)
    divisible = stats.counts > 1
    for _ in range(MAX_DIVISIONS):
        divided = None
        with reporter.part(0.6), until_expired(reporter):
            divided = _divided(level, labels, stats, divisible, model, random, reporter)
        if divided is None or reporter.expired():  # moves that were stopped are not a level
            break
        labels, stats, divisible = divided
        found.append(labels)
    return found


def _divided(
    level: Level,
    labels: Labels,
    stats: ClusterStats,
    divisible: BoolArray,
    model: NestedModel,
    random: Random,
    cancel: _core.CancellationToken,
) -> tuple[Labels, ClusterStats, BoolArray] | None:
    """Divide clusters where that pays; return None if it makes the description longer.

    Returns the labels, their sums, and which clusters are new and so may be divided again.
    """
    start, n_parts = divided_clusters(level, labels, divisible, random=random, cancel=cancel)
    if n_parts == len(divisible):
        return None
    if (
        level.n_entries > MANY_ENTRIES
        and _kept(level, labels, start, stats, divisible, model) is None
    ):
        return None
    # The nodes of clusters that are not divisible get groups of their own, without edges.
    own = np.arange(len(labels), dtype=LABEL) + LABEL(len(divisible))
    groups = np.where(divisible[labels], labels, own)
    parts = _improved(level, labels, groups, stats, start, model, random, cancel)
    return _kept(level, labels, parts, stats, divisible, model)


def _kept(
    level: Level,
    labels: Labels,
    parts: Labels,
    stats: ClusterStats,
    divisible: BoolArray,
    model: NestedModel,
) -> tuple[Labels, ClusterStats, BoolArray] | None:
    """Keep the divisions that pay; return None if they make the description longer."""
    pays = divisible & model.divisions_that_pay(
        stats, level.cluster_stats(parts), parents_of(parts, labels)
    )
    if not pays.any():
        return None
    finer, n_finer = compact_labels(np.where(pays[labels], len(pays) + parts, labels))
    finer_stats, parent = level.cluster_stats(finer), parents_of(finer, labels)
    nats = model.nats(stats, finer_stats, parent) + model.nats(finer_stats, None, NOWHERE)
    if nats >= model.nats(stats, None, NOWHERE):
        return None
    new = np.zeros(n_finer, dtype=np.bool_)
    new[finer] = pays[labels]
    return finer, finer_stats, new


def _improved(
    level: Level,
    labels: Labels,
    groups: Labels,
    stats: ClusterStats,
    start: Labels,
    model: NestedModel,
    random: Random,
    cancel: _core.CancellationToken,
) -> Labels:
    """Move nodes inside their groups, by the likelihood at the background rate of their cluster."""
    blocks, start_stats = model.model, level.cluster_stats(start)
    all_pairs = blocks.pairs(stats)
    rate = np.divide(stats.inside, all_pairs, out=np.zeros(len(all_pairs)), where=all_pairs > 0)
    rate *= INITIAL_RATE  # where there is no weight between the parts
    between, pairs = model.rest(stats, start_stats, parents_of(start, labels))
    np.divide(between, pairs, out=rate, where=(between > 0) & (pairs > 0))
    inside = without_weight_between(level, groups)
    own = _with_rates(inside, rate[labels], degree_corrected=blocks.degree_corrected)
    objective: GraphObjective = Objective(
        Likelihood(1.0, degree_corrected=True, self_loops=blocks.self_loops, unit=blocks.unit),
        blocks.regulariser(bounded_prior(start_stats.counts)),
    )
    search = Multilevel(own, objective, random=random, cancel=cancel, brisk=True)
    return inside.split_components(search.cycle(start).labels, cancel)[0]


def _with_rates(level: Level, rate: FloatArray, *, degree_corrected: bool) -> Level:
    """Return the level with node sizes such that the rates are those of the pairs."""
    size = np.sqrt(rate) * (level.nodes[0] if degree_corrected else 1.0)
    weight = None if level.nodes[1] is None else np.square(size)
    return replace(level, nodes=(size, weight, None))
