"""k-means++ seeding, for vectors and for kernel matrices."""

from collections.abc import Callable

import numpy as np

from powercut import _core
from powercut._typing import LABEL, FloatArray, Labels, Random
from powercut.partition import compact_labels
from powercut.search.starts import Start

# Up to this many points the result of Algorithm 1 is one of the starts, so that exact moves never
# end with a higher J. For more points it is the slowest start, and its J is far above the others'.
LLOYD_POINTS = 2000


def seed_clusters(
    squared_distances: Callable[[int], FloatArray],
    weight: FloatArray,
    k: int,
    random: Random,
    cancel: _core.CancellationToken | None = None,
) -> Labels:
    """Draw `k` seeds by k-means++ and assign every point to the nearest seed.

    Parameters
    ----------
    squared_distances : callable
        Returns the squared distance of every point to the given one.
    weight : ndarray of shape (n,)
        Weights of the points. The probability that a point is drawn is proportional to its
        weight times its squared distance to the nearest seed.
    k : int
        Number of seeds; fewer if points coincide.
    random : numpy.random.Generator
        Draws the seeds.
    cancel : CancellationToken, optional
        Cancellation token; when its time limit expires, the seeds drawn so far are used.
    """
    n = len(weight)
    nearest = np.full(n, np.inf)
    labels = np.zeros(n, dtype=LABEL)
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
        seed = min(int(drawn), n - 1)  # the product may round up to the total mass
    return compact_labels(labels)[0]


def seed_counts(n: int) -> list[int]:
    """Return the numbers of seeds to try for n points: n^(1/4), n^(1/2), n^(3/4)."""
    return sorted({max(1, round(n**power)) for power in (0.25, 0.5, 0.75)})


def seed_starts(
    squared_distances: Callable[[int], FloatArray],
    weight: FloatArray,
    n_init: int,
    *,
    most: int | None = None,
) -> list[Start]:
    """Return k-means++ starts, `n_init` for each number of seeds in `seed_counts`.

    The numbers of seeds are limited to `most`.
    """

    def start(k: int) -> Start:
        return lambda random, reporter: seed_clusters(
            squared_distances, weight, k, random, reporter
        )

    counts = seed_counts(len(weight))
    if most is not None:
        counts = sorted({min(k, most) for k in counts})
    return [start(k) for _ in range(n_init) for k in counts]
