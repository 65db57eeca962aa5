"""Fitting a block model from one start: estimate hyperparameters, improve labels, repeat.

`alternate` runs multilevel cycles, `combine` joins what several fits have in common. `refine` is
for large graphs: it starts from a coarse partition and divides its clusters into subclusters.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from powercut import _core
from powercut._typing import LABEL, Labels, Random
from powercut.graphs.block_model import BlockModel
from powercut.graphs.description import describe
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.graphs.multilevel import Multilevel
from powercut.graphs.scores import ClusterStats, GraphScore
from powercut.graphs.spectral import GiantDivisions
from powercut.graphs.starts import connect
from powercut.partition import changed_clusters, common_refinement, compact_labels
from powercut.progress import ProgressReporter, until_expired
from powercut.search.fit import Fit
from powercut.search.objective import SearchResult

# Rounds end when one shortens the description by less than this fraction.
NEGLIGIBLE_GAIN = 1e-5
# Cycles on what several fits have in common.
MAX_COMBINATIONS = 3
# Rounds in which the clusters of a large graph are divided; three have always been enough.
MAX_DIVISIONS = 8

BlockFit = Fit[BlockModel, GraphScore]


def by_description_length(fit: BlockFit) -> float:
    """Return the description length, tempered by the fit's tradeoff; lower is better."""
    return fit.description.tempered(fit.model.tradeoff)


def evaluate(
    graph: Graph,
    level: Level,
    labels: Labels,
    model: BlockModel,
    *,
    stats: ClusterStats | None = None,
    bound: bool = False,
) -> BlockFit:
    """Return the fit of a model to given labels, without improving them.

    If `bound`, its description may be too short; see `powercut.graphs.description`.
    """
    stats = level.cluster_stats(labels) if stats is None else stats
    objective = model.estimate(stats)
    description = describe(
        graph, level, labels, model, stats=stats, estimated=objective, bound=bound
    )
    j = float(objective.score.cost(stats).sum()) + model.tradeoff * description.partition
    return BlockFit(SearchResult(labels, j, np.array([j])), model, objective, description)


def alternate(
    graph: Graph,
    level: Level,
    start: BlockFit,
    *,
    n_rounds: int,
    random: Random,
    cancel: _core.CancellationToken | None = None,
) -> BlockFit:
    """Alternate between estimating hyperparameters and improving labels.

    Each round runs one brisk multilevel cycle at the background rate and the prior estimated from
    the labels before. It ends after `n_rounds`, or when a round hardly shortens the description.
    The shortest description seen is returned, the start's included.
    """
    best = now = start
    for _ in range(n_rounds):
        if cancel and cancel.expired():
            break
        search = Multilevel(level, now.objective, random=random, cancel=cancel, brisk=True)
        end = search.cycle(now.found.labels)
        now = evaluate(graph, level, end.labels, start.model, stats=end.stats)
        length = by_description_length(best)
        gain = length - by_description_length(now)
        best = now if gain > 0 else best
        if gain <= NEGLIGIBLE_GAIN * abs(length):
            break
    return best


def combine(
    graph: Graph,
    level: Level,
    fits: Sequence[BlockFit],
    *,
    random: Random,
    cancel: _core.CancellationToken | None = None,
) -> BlockFit:
    """Return the best fit that is made of what several fits have in common.

    Nodes that share a cluster in all the fits become one node of a small graph. Its nodes are moved
    from the labels of each fit: clusters of one fit are exchanged for those of another.
    """
    model, best = fits[0].model, min(fits, key=by_description_length)
    if len(fits) == 1:
        return best
    groups, n_groups = common_refinement([fit.found.labels for fit in fits])
    coarse = None
    with until_expired(cancel):
        coarse = level.aggregate(groups, n_groups, cancel)
    if coarse is None:
        return best
    for fit in fits:
        labels = np.empty(n_groups, dtype=LABEL)
        labels[groups] = fit.found.labels
        stats = coarse.cluster_stats(labels)
        for _ in range(MAX_COMBINATIONS):
            search = Multilevel(coarse, model.estimate(stats), random=random, cancel=cancel)
            before, cycled = labels, search.cycle(labels)
            labels, stats = cycled.labels, cycled.stats
            if np.array_equal(before, labels):
                break
        end = evaluate(graph, level, labels[groups], model, stats=stats)
        best = min(best, end, key=by_description_length)
    return best


def divide_giants(
    graph: Graph,
    level: Level,
    fit: BlockFit,
    *,
    random: Random,
    cancel: _core.CancellationToken | None = None,
) -> BlockFit:
    """Divide giant clusters by their spectrum while that shortens the description.

    See `powercut.graphs.spectral`. Nodes of the pieces are moved, because k-means places many of
    them wrongly, then pieces are merged.
    """
    giants = GiantDivisions(level, random, fit.model.unit, cancel)
    for _ in range(MAX_DIVISIONS):
        if cancel and cancel.expired():
            break
        shorter = None
        with until_expired(cancel):
            shorter = _shorter_division(graph, level, fit, giants, random, cancel)
        if shorter is None:
            break
        fit = shorter
    return fit


def _shorter_division(
    graph: Graph,
    level: Level,
    fit: BlockFit,
    giants: GiantDivisions,
    random: Random,
    cancel: _core.CancellationToken | None,
) -> BlockFit | None:
    """Return the first division whose description is shorter, None if there is none."""
    labels = compact_labels(fit.found.labels)[0]
    length = by_description_length(fit)
    search = _brisk_search(level, fit.model, random, cancel)
    for parts in giants.of(labels):
        stats = level.cluster_stats(parts)
        # Only nodes of clusters that changed are visited: elsewhere the search has settled.
        changed = changed_clusters(labels, parts)[parts]
        pieces = search(stats).move(parts, stats, first=changed)
        merged = search(pieces.stats).merge(pieces.labels, pieces.n_clusters, pieces.stats)
        if merged is None:
            break
        joined = merged.labels[pieces.labels]
        changed = changed_clusters(labels, joined)[joined]
        moved = search(merged.stats).move(joined, merged.stats, first=changed)
        end = evaluate(graph, level, moved.labels, fit.model, stats=moved.stats)
        if by_description_length(end) < length - NEGLIGIBLE_GAIN * abs(length):
            if level.is_large:  # where a cycle takes longer than all the rest
                return end
            return alternate(graph, level, end, n_rounds=1, random=random, cancel=cancel)
    return None


def settle(
    graph: Graph,
    level: Level,
    fit: BlockFit,
    *,
    random: Random,
    cancel: _core.CancellationToken | None = None,
) -> BlockFit:
    """Merge clusters, and move nodes until no move of a single node lowers J.

    Clusters are not merged if the description is longer afterwards.
    """
    labels = compact_labels(fit.found.labels)[0]
    stats = level.cluster_stats(labels)
    for step in (Multilevel.settle, partial(Multilevel.move, exhaustive=True)):
        search = Multilevel(level, fit.objective, random=random, cancel=cancel)
        moved = step(search, labels, stats)
        end = _block_fit(graph, level, moved.labels, fit.model, search, moved.stats)
        if by_description_length(end) <= by_description_length(fit):
            break
    return end


def refine(
    graph: Graph,
    level: Level,
    labels: Labels,
    model: BlockModel,
    *,
    stats: ClusterStats | None = None,
    refined: Labels | None = None,
    random: Random,
    reporter: ProgressReporter,
) -> BlockFit:
    """Move nodes, divide clusters, merge the subclusters; repeat until no cluster divides.

    Every step re-estimates the hyperparameters. After the first round only clusters that changed
    are tried again. At the end clusters are merged and nodes moved to a local minimum of J.

    `labels` must be compact; `stats` is ``level.cluster_stats(labels)``, if it is known. Clusters
    that differ from one of the partition `refined` by at most a tenth are not tried.
    """
    search = _brisk_search(level, model, random, reporter)
    # A node in the wrong cluster would be a subcluster of its own in the first division.
    stats = level.cluster_stats(labels) if stats is None else stats
    moved = search(stats).move(labels, stats)
    labels, stats = moved.labels, moved.stats
    divisible = np.ones(len(stats.counts), dtype=np.bool_)
    if refined is not None:
        divisible = changed_clusters(refined, labels)
    for _ in range(MAX_DIVISIONS):
        with reporter.part(0.6):
            parts, n_parts = search(stats).divide(labels, divisible)
            if n_parts == len(divisible):
                break
            of_parts = level.cluster_stats(parts)
            merged = search(of_parts).merge(parts, n_parts, of_parts)
            if merged is None:
                break
            moved = search(merged.stats).move(merged.labels[parts], merged.stats)
            labels, stats = moved.labels, moved.stats
            divisible = changed_clusters(parts, labels)
    last = search(stats)
    moved = last.settle(labels, stats)
    return _block_fit(graph, level, moved.labels, model, last, moved.stats)


def connected(
    graph: Graph,
    level: Level,
    fit: BlockFit,
    *,
    random: Random,
    cancel: _core.CancellationToken | None = None,
) -> BlockFit:
    """Make every cluster connected; the parameters of J stay those of `fit`."""
    found = connect(level, fit.objective, fit.found, random=random, cancel=cancel)
    if found is fit.found:
        return fit
    description = describe(graph, level, found.labels, fit.model)
    return replace(fit, found=found, description=description)


def _brisk_search(
    level: Level, model: BlockModel, random: Random, cancel: _core.CancellationToken | None
) -> Callable[[ClusterStats], Multilevel]:
    """Return a function that makes a brisk search with the parameters estimated from clusters."""

    def search(stats: ClusterStats) -> Multilevel:
        objective = model.estimate(stats)
        return Multilevel(level, objective, random=random, cancel=cancel, brisk=True)

    return search


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
