"""Partitions around points drawn with k-means++, of vectors or of a kernel matrix."""

from collections.abc import Callable

import numpy as np

from powercut import _core
from powercut._typing import FloatArray, Labels, Random
from powercut.partition import compact_labels
from powercut.search.starts import Start

# Up to so many points Algorithm 1's own end is one of the starts, so that exact moves never end
# above it. Beyond, it takes longest of all and is far above the others.
LLOYD_POINTS = 2000


def seed_clusters(
    squared_distances: Callable[[int], FloatArray],
    weight: FloatArray,
    k: int,
    random: Random,
    cancel: _core.CancelFlag | None = None,
) -> Labels:
    """Draw `k` points, each far from those before it, and partition all around them.

    Parameters
    ----------
    squared_distances : callable
        Returns the squared distance of every point to the given one.
    weight : ndarray of shape (n,)
        Weights of the points: one is drawn in proportion to weight times squared
        distance to the nearest seed.
    k : int
        How many seeds; fewer where points coincide.
    random : numpy.random.Generator
        Decides.
    cancel : CancelFlag, optional
        Ends the work from another thread, or after a time with the seeds so far.
    """
    n = len(weight)
    nearest = np.full(n, np.inf)
    labels = np.zeros(n, dtype=np.int32)
    seed = int(random.integers(n))
    for c in range(min(k, n)):
        if cancel is not None and cancel.is_set():
            raise _core.Cancelled("cancelled")
        if cancel is not None and cancel.expired() and c > 0:
            break
        squared = squared_distances(seed)
        closer = squared < nearest
        labels[closer] = c
        nearest[closer] = np.maximum(squared[closer], 0.0)
        mass = np.cumsum(weight * nearest)
        if mass[-1] <= 0:
            break
        drawn = np.searchsorted(mass, random.random() * mass[-1], side="right")
        seed = min(int(drawn), n - 1)  # the product may round up to the whole mass
    return compact_labels(labels)[0]


def seed_counts(n: int) -> list[int]:
    """Return few, several and many seeds for n points: n^(1/4), n^(1/2), n^(3/4)."""
    return sorted({max(1, round(n**power)) for power in (0.25, 0.5, 0.75)})


def seed_starts(
    squared_distances: Callable[[int], FloatArray],
    weight: FloatArray,
    n_init: int,
    *,
    most: int | None = None,
) -> list[Start]:
    """Return starts from few, several and many k-means++ seeds, at most `most`, `n_init` times."""

    def start(k: int) -> Start:
        return lambda random, reporter: seed_clusters(
            squared_distances, weight, k, random, reporter
        )

    counts = seed_counts(len(weight))
    if most is not None:
        counts = sorted({min(k, most) for k in counts})
    return [start(k) for _ in range(n_init) for k in counts]
