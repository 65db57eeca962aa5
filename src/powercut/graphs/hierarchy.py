"""The search for a hierarchy of clusters around a fitted partition.

Candidates are the coarser partitions of `powercut.graphs.scales`, and divisions of the clusters
(`powercut.graphs.subclusters`). Those are kept that make the description of the whole hierarchy the
shortest (`powercut.graphs.nested`).
"""

from dataclasses import dataclass

from powercut._typing import Labels, Random
from powercut.graphs.level import Level
from powercut.graphs.nested import NestedModel, levels_worth_keeping
from powercut.graphs.scales import Scale, coarser_scales, distinct, finer_scales
from powercut.graphs.size_limits import Folded, SizeLimits, divide_large, fold_small
from powercut.graphs.subclusters import subclusters
from powercut.progress import ProgressReporter

# Shares of the search, for progress reports; that of finer levels is of the rest.
COARSER, FINER = 0.3, 0.8


@dataclass(frozen=True)
class Hierarchy:
    """Nested partitions of a graph.

    Attributes
    ----------
    scales : list of Scale
        Connected components first; each is finer than the one before. The resolution is NaN for
        partitions that were not found by modularity of the whole graph.
    fitted : int
        The position of the fitted partition.
    folded : Folded
        What became of fitted clusters below the minimum size.
    stopped_early : bool
        Whether the time limit ended the search.
    """

    scales: list[Scale]
    fitted: int
    folded: Folded
    stopped_early: bool


def find_hierarchy(
    level: Level,
    labels: Labels,
    model: NestedModel,
    *,
    prune: bool,
    limits: SizeLimits,
    random: Random,
    reporter: ProgressReporter | None = None,
) -> Hierarchy:
    """Find the levels above and below a fitted partition.

    When the time limit of the reporter expires, the levels are those that were found before. They
    are nested, and within the limits of sizes.

    Parameters
    ----------
    level : Level
        The graph, from `powercut.graphs.block_model.block_level`.
    labels : ndarray of int32
        Compact labels of the fitted partition.
    model : NestedModel
        The likelihood of a hierarchy.
    prune : bool
        Whether to keep only levels that make the description shorter. If not, there is one for
        each resolution.
    limits : SizeLimits
        Fitted clusters below the minimum are joined to others before all else; the finest clusters
        are within the maximum.
    random : numpy.random.Generator
        The order of moves.
    reporter : ProgressReporter, optional
        Reports progress, and may end the search early.
    """
    reporter = ProgressReporter() if reporter is None else reporter
    labels, folded = fold_small(level, labels, limits.min_size, model)
    with reporter.part(COARSER):
        coarser = coarser_scales(level, labels, random=random, reporter=reporter)
    with reporter.part(FINER):
        if prune:
            parts = subclusters(level, labels, model, random=random, reporter=reporter)
            finer = [Scale(float("nan"), part) for part in parts]
        else:
            finer = finer_scales(level, labels, random=random, reporter=reporter)
    scales, fitted = [*coarser, Scale(float("nan"), labels), *finer], len(coarser)
    if prune:
        kept = levels_worth_keeping(level, [one.labels for one in scales], model, fitted=fitted)
        scales, fitted = [scales[at] for at in kept], kept.index(fitted)
    if limits.min_size > 1:
        finer = _without_small(level, labels, scales[fitted + 1 :], limits, model)
        scales = [*scales[: fitted + 1], *finer]
    finest = scales[-1].labels
    divided = divide_large(level, finest, limits, model, random=random, cancel=reporter)
    if divided is not finest:
        below = coarser_scales(level, divided, inside=finest, random=random, reporter=reporter)
        below.append(Scale(float("nan"), divided))
        kept = list(range(len(below)))
        if prune:
            kept = levels_worth_keeping(
                level, [one.labels for one in below], model, fitted=len(below) - 1
            )
        scales += [below[at] for at in kept[1:]]
    return Hierarchy(scales, fitted, folded, reporter.expired())


def _without_small(
    level: Level, labels: Labels, finer: list[Scale], limits: SizeLimits, model: NestedModel
) -> list[Scale]:
    """Join small clusters of finer scales inside those of the scale before."""
    found = [Scale(0.0, labels)]
    for scale in finer:
        joined, _ = fold_small(level, scale.labels, limits.min_size, model, within=found[-1].labels)
        found.append(Scale(scale.resolution, joined))
    return distinct(found)[1:]
