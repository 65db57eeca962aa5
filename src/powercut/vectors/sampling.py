"""Search a large set of points via a sample.

Most of the time of a search goes into finding the clusters, and a sample shows all but the
smallest ones. So a sample is searched first, and all points start in the cluster of the nearest
mean. The smallest clusters are then opened by single points that fit no other cluster.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut._typing import Labels, Positions, Random
from powercut.partition import compact_labels
from powercut.progress import ProgressReporter, until_expired
from powercut.search.seeding import seed_clusters
from powercut.vectors.constraints import PointConstraints
from powercut.vectors.multilevel import Multilevel
from powercut.vectors.points import Points
from powercut.vectors.scores import PointsObjective

# Clusters that the search of a sample starts from: more take long and merge to the same result.
SEEDS = 1000


@dataclass(frozen=True)
class Sample:
    """A sample of points.

    Attributes
    ----------
    rows : ndarray of intp
        Which points it has.
    points : Points
        These points.
    constraints : PointConstraints or None
        What follows for them from the constraints of all points.
    """

    rows: Positions
    points: Points
    constraints: PointConstraints | None

    def keep(self, labels: Labels) -> Labels:
        """Return labels of the sample, changed where its constraints need it."""
        return labels if self.constraints is None else self.constraints.keep(labels)

    def extend(
        self,
        labels: Labels,
        points: Points,
        objective: PointsObjective,
        *,
        random: Random,
        reporter: ProgressReporter,
        constraints: PointConstraints | None = None,
    ) -> Labels:
        """Extend clusters of the sample to all points: nearest means first, then moves of points.

        Points move at the hyperparameters of the sample. These cannot be estimated again while the
        smallest clusters are still part of others.
        """
        means = self.points.aggregate(labels, int(labels.max()) + 1).values
        search = Multilevel(
            points, objective, random=random, cancel=reporter, brisk=True, constraints=constraints
        )
        start = nearest_means(points, means, reporter)
        if constraints is not None:
            start = constraints.keep(constraints.follow(start, self.rows, labels))
        return search.move_points(compact_labels(start)[0])


def seeded_sample(
    points: Points,
    random: Random,
    reporter: ProgressReporter,
    constraints: PointConstraints | None = None,
) -> tuple[Sample, Labels]:
    """Return a sample, and its partition into cells around many seeds."""
    sample = draw_sample(points, random, constraints)
    distances = sample.points.rough_distances()
    labels = seed_clusters(distances, sample.points.weights, SEEDS, random, reporter)
    return sample, sample.keep(labels)


def draw_sample(
    points: Points, random: Random, constraints: PointConstraints | None = None
) -> Sample:
    """Return a random sample of a large set."""
    rows = points.sample(random)
    some = None if constraints is None else constraints.some(rows)
    return Sample(rows, points.some(rows), some)


def nearest_means(
    points: Points, means: npt.NDArray[np.floating], cancel: _core.CancellationToken | None = None
) -> Labels:
    """Label each point by the nearest mean.

    This is completed even if the time is up, because there are no labels of all points yet.
    """
    with until_expired(cancel):
        return points.nearest(means, cancel)
    return points.nearest(means)
