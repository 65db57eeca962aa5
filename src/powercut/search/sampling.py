"""From a sample of a large set of points to all of them.

Most of a search goes into finding out which clusters there are, and a sample tells that
of all but the smallest ones. So a large set is searched in a sample first, and all its
points begin in the cluster of the nearest mean; the smallest clusters are then founded
by single points that belong nowhere else.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils import gen_batches

from powercut.partition import Labels, compact_labels
from powercut.points import LARGE, Points
from powercut.progress import Watch
from powercut.search.objective import Random, Regulariser
from powercut.search.points import PointsSearch
from powercut.search.seeding import seed_clusters
from powercut.vector_scores import VectorScore

# Clusters that the search of a sample begins with: more take long and merge to the same.
SEEDS = 1000
# Distances to means that are computed at a time: an interrupt waits for no more.
DISTANCES_AT_ONCE = 2**21


# Makes labels of a sample from cells around seeds, and says what J they were found with.
Improve = Callable[[Points, Labels, Random, Watch], tuple[Labels, VectorScore, Regulariser]]


def sample_start(points: Points, improve: Improve) -> Callable[[Random, Watch], Labels]:
    """Start from the clusters of a sample, and the moves of all points among them.

    Points move by what J was in the sample: what to expect of a cluster cannot be told
    while the smallest ones are still part of others.
    """

    def start(random: Random, watch: Watch) -> Labels:
        sample = draw_sample(points, random)
        with watch.part(0.5):
            seeds = seed_clusters(sample.rough_distances(), sample.weights, SEEDS, random, watch)
            labels, score, regulariser = improve(sample, seeds, random, watch)
        means = sample.aggregate(labels, int(labels.max()) + 1).values
        search = PointsSearch(points, score, regulariser, random=random, cancel=watch, brisk=True)
        return search.move_points(nearest_means(points, means))

    return start


def draw_sample(points: Points, random: Random) -> Points:
    """Return as many of the points as are just not too many to be searched thoroughly."""
    chosen = np.sort(random.choice(points.n, min(points.n, LARGE), replace=False))
    weight = None if points.weight is None else points.weight[chosen]
    return Points(points.values[chosen], weight, n_threads=points.n_threads)


def nearest_means(points: Points, means: npt.NDArray[np.floating]) -> Labels:
    """Label each point by the nearest of the means; those that no point is near are left out."""
    nearest, means = np.empty(points.n, dtype=np.int32), means.astype(points.values.dtype)
    for rows in gen_batches(points.n, max(1, DISTANCES_AT_ONCE // len(means))):
        nearest[rows] = pairwise_distances_argmin(points.values[rows], means)
    return compact_labels(nearest)[0]
