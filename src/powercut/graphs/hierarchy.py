"""The search for a hierarchy of clusters around a fitted partition.

Candidates are the coarser and finer partitions of `powercut.graphs.scales`. Those are kept that
make the description of the whole hierarchy the shortest (`powercut.graphs.nested`).
"""

from dataclasses import dataclass

from powercut import _core
from powercut._typing import Labels, Random
from powercut.graphs.level import Level
from powercut.graphs.nested import NestedModel, levels_worth_keeping
from powercut.graphs.scales import Scale, coarser_scales, finer_scales


@dataclass(frozen=True)
class Hierarchy:
    """Nested partitions of a graph.

    Attributes
    ----------
    scales : list of Scale
        Connected components first; each is finer than the one before. The resolution of the
        fitted partition is NaN.
    fitted : int
        The position of the fitted partition.
    """

    scales: list[Scale]
    fitted: int


def find_hierarchy(
    level: Level,
    labels: Labels,
    model: NestedModel,
    *,
    prune: bool,
    random: Random,
    cancel: _core.CancellationToken | None = None,
) -> Hierarchy:
    """Find the levels above and below a fitted partition.

    Parameters
    ----------
    level : Level
        The graph, from `powercut.graphs.block_model.block_level`.
    labels : ndarray of int32
        Compact labels of the fitted partition.
    model : NestedModel
        The likelihood of a hierarchy.
    prune : bool
        Whether to leave out levels that make the description longer.
    random : numpy.random.Generator
        The order of moves.
    cancel : CancellationToken, optional
        Cancellation token.
    """
    coarser = coarser_scales(level, labels, random=random, cancel=cancel)
    finer = finer_scales(level, labels, random=random, cancel=cancel)
    scales, fitted = [*coarser, Scale(float("nan"), labels), *finer], len(coarser)
    if not prune:
        return Hierarchy(scales, fitted)
    kept = levels_worth_keeping(level, [one.labels for one in scales], model, fitted=fitted)
    return Hierarchy([scales[at] for at in kept], kept.index(fitted))
