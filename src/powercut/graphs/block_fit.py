"""Fitting a block model from one start: estimate hyperparameters, improve labels, repeat.

`alternate` is thorough: full multilevel cycles until the labels no longer change. `refine` is for
large graphs: it starts from a coarse partition and divides its clusters into subclusters.
"""

from dataclasses import replace

import numpy as np

from powercut import _core
from powercut._typing import Labels, Random
from powercut.graphs.block_model import BlockModel
from powercut.graphs.description import describe
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.graphs.multilevel import Multilevel
from powercut.graphs.scores import ClusterStats, GraphScore
from powercut.graphs.starts import connect
from powercut.partition import canonical_labels, changed_clusters, compact_labels
from powercut.progress import ProgressReporter
from powercut.search.fit import Fit
from powercut.search.objective import SearchResult

MAX_ROUNDS = 12
# Rounds in which the clusters of a large graph are divided; three have always been enough.
MAX_DIVISIONS = 8

BlockFit = Fit[BlockModel, GraphScore]


def by_description_length(fit: BlockFit) -> float:
    """Return the description length, tempered by the fit's tradeoff; lower is better."""
    return fit.description.tempered(fit.model.tradeoff)


def evaluate(graph: Graph, level: Level, labels: Labels, model: BlockModel) -> BlockFit:
    """Return the fit of a model to given labels, without improving them."""
    stats = level.cluster_stats(labels)
    objective = model.estimate(stats)
    j = objective.value(stats)
    description = describe(graph, level, labels, model, stats=stats)
    return BlockFit(SearchResult(labels, j, np.array([j])), model, objective, description)


def alternate(
    graph: Graph,
    level: Level,
    labels: Labels,
    model: BlockModel,
    *,
    random: Random,
    cancel: _core.CancellationToken | None = None,
) -> BlockFit:
    """Alternate between estimating hyperparameters and improving labels, until they converge.

    Each round estimates the background rate and the prior at the current labels, then runs one
    multilevel cycle. After the last round the labels are improved to a local minimum of J.
    If the description is then longer than at the start, the start is returned.
    """
    labels = compact_labels(labels)[0]
    start = evaluate(graph, level, labels, model)
    stats = level.cluster_stats(labels)
    for _ in range(MAX_ROUNDS):
        before, objective = canonical_labels(labels), model.estimate(stats)
        cycled = Multilevel(level, objective, random=random, cancel=cancel).cycle(labels)
        labels, stats = cycled.labels, cycled.stats
        if (cancel and cancel.expired()) or np.array_equal(before, canonical_labels(labels)):
            break
    objective = model.estimate(stats)
    search = Multilevel(level, objective, random=random, cancel=cancel)
    end = _block_fit(graph, level, search.improve(labels), model, search)
    return min(end, start, key=by_description_length)


def refine(
    graph: Graph,
    level: Level,
    labels: Labels,
    model: BlockModel,
    *,
    random: Random,
    reporter: ProgressReporter,
) -> BlockFit:
    """Divide clusters, merge the subclusters, move nodes; repeat until no cluster divides.

    Every step re-estimates the hyperparameters. After the first round only clusters that changed
    are tried again. At the end clusters are merged and nodes moved to a local minimum of J.

    `labels` must be compact.
    """

    def search(stats: ClusterStats) -> Multilevel:
        objective = model.estimate(stats)
        return Multilevel(level, objective, random=random, cancel=reporter, brisk=True)

    stats = level.cluster_stats(labels)
    divisible = np.ones(len(stats.counts), dtype=np.bool_)
    for _ in range(MAX_DIVISIONS):
        with reporter.part(0.6):
            parts, n_parts = search(stats).divide(labels, divisible)
            if n_parts == len(divisible):
                break
            merged = search(level.cluster_stats(parts)).merge(parts, n_parts)
            if merged is None:
                break
            moved = search(merged.stats).move(merged.labels[parts])
            labels, stats = moved.labels, moved.stats
            divisible = changed_clusters(parts, labels)
    last = search(stats)
    moved = last.settle(labels)
    return _block_fit(graph, level, moved.labels, model, last, moved.stats)


def connected(graph: Graph, level: Level, fit: BlockFit, *, random: Random) -> BlockFit:
    """Make every cluster connected; the parameters of J stay those of `fit`."""
    found = connect(level, fit.objective, fit.found, random=random)
    if found is fit.found:
        return fit
    description = describe(graph, level, found.labels, fit.model)
    return replace(fit, found=found, description=description)


def _block_fit(
    graph: Graph,
    level: Level,
    labels: Labels,
    model: BlockModel,
    search: Multilevel,
    stats: ClusterStats | None = None,
) -> BlockFit:
    """Return the fit that a search ended with; J now includes its constant."""
    objective = search.objective
    path = np.asarray(search.path) + objective.regulariser.constant(level.n_original)
    found = SearchResult(labels, float(path[-1]), path)
    return BlockFit(found, model, objective, describe(graph, level, labels, model, stats=stats))
