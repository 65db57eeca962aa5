"""From a sample of a large set of points to all of them.

Most of a search goes into finding out which clusters there are, and a sample tells that
of all but the smallest ones. So a large set is searched in a sample first, and all its
points begin in the cluster of the nearest mean; the smallest clusters are then founded
by single points that belong nowhere else.
"""

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut._typing import Labels, Random
from powercut.partition import compact_labels
from powercut.progress import ProgressReporter, until_expired
from powercut.search.seeding import seed_clusters
from powercut.vectors.multilevel import Multilevel
from powercut.vectors.points import LARGE, Points
from powercut.vectors.scores import PointsObjective

# Clusters that the search of a sample begins with: more take long and merge to the same.
SEEDS = 1000


def seeded_sample(
    points: Points, random: Random, reporter: ProgressReporter
) -> tuple[Points, Labels]:
    """Return a sample, and its cells around many seeds."""
    sample = draw_sample(points, random)
    distances = sample.rough_distances()
    return sample, seed_clusters(distances, sample.weights, SEEDS, random, reporter)


def carry_over(
    sample: Points,
    labels: Labels,
    points: Points,
    objective: PointsObjective,
    *,
    random: Random,
    reporter: ProgressReporter,
) -> Labels:
    """Return the clusters of a sample and of all points, moved among them.

    Points move by what J was in the sample: what to expect of a cluster cannot be told
    while the smallest ones are still part of others.
    """
    means = sample.aggregate(labels, int(labels.max()) + 1).values
    search = Multilevel(points, objective, random=random, cancel=reporter, brisk=True)
    return search.move_points(nearest_means(points, means, reporter))


def draw_sample(points: Points, random: Random) -> Points:
    """Return as many of the points as are just not too many to be searched thoroughly."""
    return points.some(np.sort(random.choice(points.n, min(points.n, LARGE), replace=False)))


def nearest_means(
    points: Points, means: npt.NDArray[np.floating], cancel: _core.CancelFlag | None = None
) -> Labels:
    """Label each point by the nearest of the means; those that no point is near are left out.

    This is done to its end also where the time is up: there are no labels of all points yet.
    """
    with until_expired(cancel):
        return compact_labels(points.nearest(means, cancel))[0]
    return compact_labels(points.nearest(means))[0]
