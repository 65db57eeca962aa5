"""Search a large set of points via a sample.

Most of the time of a search goes into finding the clusters, and a sample shows all but the
smallest ones. So a sample is searched first, and all points start in the cluster of the nearest
mean. The smallest clusters are then opened by single points that fit no other cluster.
"""

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut._typing import Labels, Random
from powercut.partition import compact_labels
from powercut.progress import ProgressReporter, until_expired
from powercut.search.seeding import seed_clusters
from powercut.vectors.multilevel import Multilevel
from powercut.vectors.points import Points
from powercut.vectors.scores import PointsObjective

# Clusters that the search of a sample starts from: more take long and merge to the same result.
SEEDS = 1000


def seeded_sample(
    points: Points, random: Random, reporter: ProgressReporter
) -> tuple[Points, Labels]:
    """Return a sample, and its partition into cells around many seeds."""
    sample = points.sample(random)
    distances = sample.rough_distances()
    return sample, seed_clusters(distances, sample.weights, SEEDS, random, reporter)


def extend_to_all_points(
    sample: Points,
    labels: Labels,
    points: Points,
    objective: PointsObjective,
    *,
    random: Random,
    reporter: ProgressReporter,
) -> Labels:
    """Extend the clusters of a sample to all points: nearest means first, then moves of points.

    Points move at the hyperparameters of the sample. These cannot be estimated again while the
    smallest clusters are still part of others.
    """
    means = sample.aggregate(labels, int(labels.max()) + 1).values
    search = Multilevel(points, objective, random=random, cancel=reporter, brisk=True)
    return search.move_points(nearest_means(points, means, reporter))


def nearest_means(
    points: Points, means: npt.NDArray[np.floating], cancel: _core.CancellationToken | None = None
) -> Labels:
    """Label each point by the nearest mean; means without points are left out.

    This is completed even if the time is up, because there are no labels of all points yet.
    """
    with until_expired(cancel):
        return compact_labels(points.nearest(means, cancel))[0]
    return compact_labels(points.nearest(means))[0]
