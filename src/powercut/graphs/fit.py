"""The partition of minimum description length, with all hyperparameters estimated.

The search (`powercut.graphs.block_search`) assumes independent edges. Dependent edges
(`powercut.graphs.dependence`) overstate the evidence for clusters. The likelihood is then
tempered: clusters are merged, and searched again, at a larger tradeoff, which compensates for the
dependence. The first round of a search shows that already, so the rest of it is saved.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from powercut import _core
from powercut._typing import LABEL, Labels
from powercut.graphs.block_fit import BlockFit, by_description_length
from powercut.graphs.block_model import BlockModel
from powercut.graphs.block_search import BlockSearch
from powercut.graphs.dependence import closure_ratio, is_spatial, needed_tradeoff, separation
from powercut.graphs.description import describe
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.graphs.merging import merge_clusters
from powercut.graphs.multilevel import Multilevel
from powercut.partition import compact_labels
from powercut.prior import PitmanYor
from powercut.progress import until_expired
from powercut.search.objective import SearchResult

# The tradeoff stays 1 if its estimate is below this.
MIN_TEMPERED = 1.1
# Clusters may be pieces of one cloud if the closure of wedges across them is more than this many
# times the closure inside, and their separation is less than this.
BLENDING, SEPARATED = 0.4, 0.7
# The tradeoff has converged when the ratio of two successive values is above this.
CONVERGED = 0.97
MAX_TRADEOFFS = 12
# Searches of all nodes at a tradeoff that was found by merging clusters.
MAX_SEARCHES = 3
# Rounds of estimating hyperparameters and merging clusters.
MAX_MERGES = 4


def fit_blocks(
    search: BlockSearch,
    *,
    unit: float,
    tradeoff: float | None = None,
    prior: PitmanYor | None = None,
) -> BlockFit:
    """Find the partition of minimum description length.

    If the search says so, its clusters are connected.

    Parameters
    ----------
    search : BlockSearch
        The graph, and how thorough the search is.
    unit : float
        Number of independent counts per unit of weight; see `counts_per_weight`.
    tradeoff : float, optional
        Weight of the size prior against the log-likelihood. By default 1 if edges are
        independent, and estimated from their dependence if they are not.
    prior : PitmanYor, optional
        The size prior; by default its hyperparameters are estimated.
    """
    # Coarser partitions are unions of the clusters at tradeoff 1, unless there are labels to
    # start from.
    merges = tradeoff is not None and tradeoff > 1 and search.labels is None
    first = 1.0 if tradeoff is None or merges else tradeoff
    models = [
        BlockModel.of(
            search.graph, degree_corrected=corrected, unit=unit, tradeoff=first, prior=prior
        )
        for corrected in (False, True)
    ]
    if tradeoff is None:
        return _fit_tempered(search, models)
    fit = search.best(models)
    if not merges or search.graph.n_nodes == 0:
        return fit
    return coarser(search.graph, search.level, fit, [tradeoff], search.reporter)[0]


def coarser(
    graph: Graph,
    level: Level,
    fit: BlockFit,
    tradeoffs: Sequence[float],
    cancel: _core.CancellationToken | None = None,
) -> list[BlockFit]:
    """Merge the clusters of a fit up to each of some tradeoffs; see `powercut.graphs.merging`."""
    fine = compact_labels(fit.found.labels)[0]
    fine_stats = level.cluster_stats(fine)
    estimated = fit.model.estimate(fine_stats)
    merges = merge_clusters(level, fine, estimated, cancel)
    fits = []
    for tradeoff in tradeoffs:
        labels, model = merges.at(tradeoff), fit.model.with_tradeoff(tradeoff)
        regulariser = replace(estimated.regulariser, tradeoff=tradeoff)
        objective = replace(estimated, regulariser=regulariser)
        stats = level.cluster_stats(labels)
        path = np.array([objective.value(fine_stats), objective.value(stats)])
        found = SearchResult(labels, float(path[-1]), path)
        description = describe(graph, level, labels, model, stats=stats)
        fits.append(BlockFit(found, model, objective, description))
    return fits


def _fit_tempered(search: BlockSearch, models: Sequence[BlockModel]) -> BlockFit:
    """Return the fit at the tradeoff that the dependence of edges asks for."""
    if search.has_several_starts:
        with search.reporter.part(0.15):
            first = search.first_round(models)
        with search.reporter.part(0.3, "tradeoff"):
            tempered = _temper(search, first.end)
        if tempered is not None:
            return tempered
        with search.reporter.part(0.9):
            fit = search.continued(first, models)
    else:
        with search.reporter.part(0.8):
            fit = search.best(models)
    with search.reporter.part(1.0, "tradeoff"):
        return _temper(search, fit) or fit


def _temper(search: BlockSearch, fit: BlockFit) -> BlockFit | None:
    """Search at a larger tradeoff if edges inside clusters are dependent; None if they are not.

    First the tradeoff is raised until no connected component would be split if its edges were
    as dependent as those inside the clusters that were found. Dependence is first measured
    inside clusters of low resolution: inside those of `fit`, few triangles are left over,
    and inside whole components clusters add triangles of their own. Then it is lowered to the
    value that the clusters need. Up to there, the clusters of `fit` are only merged; at the end
    all nodes are moved.

    The pieces of one cloud explain a part of its triangles by their density, and ask for too
    little. But they blend into each other, all around: if so, dependence is measured again,
    inside whole components.
    """
    graph, level, random = search.graph, search.level, search.random
    if search.reporter.expired() or not is_spatial(
        graph, level.expand(fit.found.labels), random=random, n_threads=level.n_threads
    ):
        return None
    components = level.components
    needed = _needed_tradeoff(search, search.low_resolution, fit.model, unsplit=components)
    labels, tradeoff = _merge_clusters(search, fit, needed)
    ratio, _ = closure_ratio(graph, level.expand(labels), random=random, n_threads=level.n_threads)
    if ratio > BLENDING and separation(level, labels) < SEPARATED:
        needed = _needed_tradeoff(search, components, fit.model)
        labels, tradeoff = _merge_clusters(search, fit, needed)
    # Labels given by the user are the only start.
    coarse = search.modularity_starts[:-1] if search.has_several_starts else []
    for _ in range(MAX_SEARCHES):
        if tradeoff < MIN_TEMPERED:
            return None
        model = fit.model.with_tradeoff(tradeoff)
        with search.reporter.part(0.5):
            if level.is_large:
                fit = search.refine(labels, model, random=search.random)
            else:
                fit = search.improve(search.evaluate([labels, *coarse], model))
        (whole,) = search.evaluate([search.whole], model)
        if by_description_length(whole) <= by_description_length(fit):
            # Moves found no structure; the spectrum may.
            fit = whole if level.is_large else search.divide_giants(whole)
        needed = _needed_tradeoff(search, fit.found.labels, model)
        if needed > CONVERGED * tradeoff or search.reporter.expired():
            break
        tradeoff, labels, coarse = needed, fit.found.labels, []
    return fit


def _merge_clusters(search: BlockSearch, fit: BlockFit, needed: float) -> tuple[Labels, float]:
    """Merge the clusters of `fit` at rising, then at falling tradeoffs; return the last."""
    fine, components = fit.found.labels, search.level.components
    clusters = None
    with until_expired(search.reporter):
        clusters = search.level.aggregate(fine, fit.n_clusters, search.reporter)
    if clusters is None:
        return fine, 1.0
    apart = np.arange(fit.n_clusters, dtype=LABEL)
    labels, tradeoff = apart, 1.0
    for _ in range(MAX_TRADEOFFS):
        if CONVERGED * needed <= tradeoff or search.reporter.expired():
            break
        tradeoff = needed
        labels = _merge(search, clusters, labels, fit.model.with_tradeoff(tradeoff))
        needed = _needed_tradeoff(search, labels[fine], fit.model, unsplit=components)
    for _ in range(MAX_TRADEOFFS):
        needed = _needed_tradeoff(search, labels[fine], fit.model)
        if needed > CONVERGED * tradeoff or search.reporter.expired():
            break
        tradeoff = needed
        labels = _merge(search, clusters, apart, fit.model.with_tradeoff(tradeoff))
    return labels[fine], tradeoff


def _merge(search: BlockSearch, clusters: Level, labels: Labels, model: BlockModel) -> Labels:
    """Return labels of clusters after moves of whole clusters, at re-estimated parameters."""
    for _ in range(MAX_MERGES):
        objective = model.estimate(clusters.cluster_stats(labels))
        moves = Multilevel(clusters, objective, random=search.random, cancel=search.reporter)
        before, labels = labels, moves.improve(labels)
        if np.array_equal(before, labels):
            break
    return labels


def _needed_tradeoff(
    search: BlockSearch, labels: Labels, model: BlockModel, *, unsplit: Labels | None = None
) -> float:
    level = search.level
    return needed_tradeoff(
        search.graph,
        level.expand(labels),
        model,
        random=search.random,
        unsplit=None if unsplit is None else level.expand(unsplit),
        n_threads=level.n_threads,
    )
