"""A cycle of the multilevel search step by step, from the kernels of its steps; for the tests only.

It draws its seeds as ``_core.cycle`` does, so that both end with the same labels.
"""

from collections.abc import Iterator

import numpy as np

from powercut._typing import LABEL, Labels
from powercut.graphs.level import Level
from powercut.graphs.scores import GraphObjective

BITS = 2**64 - 1


def split_mix(seed: int) -> Iterator[int]:
    """Yield the numbers of SplitMix64, as ``src/core/base/random.hpp`` draws them.

    Examples
    --------
    >>> from reference_multilevel import split_mix
    >>> hex(next(split_mix(0)))
    '0xe220a8397b1dcdaf'
    """
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & BITS
        z = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & BITS
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & BITS
        yield z ^ (z >> 31)


class Seeds:
    """Gives the numbers of a sequence where a generator is asked for a seed."""

    def __init__(self, numbers: Iterator[int]) -> None:
        self._numbers = numbers

    def integers(self, _bound: int) -> int:
        """Return the next number; the bound is that of the kernels."""
        return next(self._numbers)


def cycle(
    level: Level, labels: Labels, objective: GraphObjective, seed: int, negligible: float = 0.0
) -> tuple[Labels, list[float]]:
    """Coarsen level by level, refine on the way back; return labels and J after each round."""
    random = Seeds(split_mix(seed))
    path: list[float] = []

    def move(level: Level, labels: Labels) -> Labels:
        moved = level.local_moves(
            labels, objective, random=random, cancel=None, negligible=negligible
        )
        if not path:
            path.append(moved.before)
        path.append(moved.after if moved.moves else path[-1])
        return moved.labels

    def subclusters(level: Level, labels: Labels) -> tuple[Labels, int]:
        moved = level.local_moves(
            np.arange(level.n, dtype=LABEL),
            objective.without_prior(),
            random=random,
            cancel=None,
            within=labels,
            negligible=negligible,
        )
        return moved.labels, moved.n_clusters

    labels = move(level, labels)
    finer_levels: list[tuple[Level, Labels]] = []
    while True:
        groups, n_groups = subclusters(level, labels)
        if n_groups == level.n:
            groups, n_groups = labels, int(labels.max(initial=-1)) + 1
        if n_groups == level.n:
            break
        finer_levels.append((level, groups))
        level = level.aggregate(groups, n_groups, None)
        label_of_group = np.empty(n_groups, dtype=LABEL)
        label_of_group[groups] = labels
        labels = move(level, label_of_group)
    for finer, groups in reversed(finer_levels):
        labels = move(finer, labels[groups])
    return labels, path
