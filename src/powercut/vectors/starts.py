"""Starts of the search of points, for k-means at a given tradeoff.

The starts are partitions around few to many k-means++ seeds and, if there are not too many points,
the result of Algorithm 1, from which exact moves can only lower J. A large set starts from the
clusters of a sample. All starts are improved to convergence, and the lowest J is kept.
"""

import numpy as np

from powercut._typing import Labels, Random
from powercut.progress import ProgressReporter
from powercut.search.constraints import Constraints
from powercut.search.lloyd import MAX_PASSES
from powercut.search.objective import Objective, Regulariser, SearchResult
from powercut.search.seeding import LLOYD_POINTS, seed_starts
from powercut.search.starts import Start, by_objective, run_starts, start_from_labels
from powercut.vectors.constraints import PointConstraints
from powercut.vectors.lloyd import lloyd_points
from powercut.vectors.multilevel import Multilevel
from powercut.vectors.points import Points
from powercut.vectors.sampling import seeded_sample
from powercut.vectors.scores import KMeans


def search_points(
    points: Points,
    regulariser: Regulariser,
    *,
    labels: Labels | None = None,
    n_init: int = 1,
    n_jobs: int = 1,
    random: Random,
    reporter: ProgressReporter | None = None,
    constraints: Constraints | None = None,
) -> SearchResult:
    """Minimise J by exact moves from several starts, and keep the best partition.

    Parameters
    ----------
    points : Points
        The points.
    regulariser : Regulariser
        The size prior and its tradeoff, added to the within sum of squares.
    labels : ndarray of int32, optional
        The only start, in place of the default starts.
    n_init : int
        How many times each random start is drawn.
    n_jobs : int
        How many searches run in parallel; the result does not depend on it.
    random : numpy.random.Generator
        Source of seeds and random orders.
    reporter : ProgressReporter, optional
        Reports progress, and may end the search early with the best partition so far.
    constraints : Constraints, optional
        What is known of the clusters; the partition keeps it.
    """

    def from_lloyd(_: Random, reporter: ProgressReporter) -> Labels:
        return lloyd_points(points, regulariser, max_iter=MAX_PASSES, cancel=reporter).labels

    objective = Objective(KMeans(points.values.shape[1]), regulariser)
    brisk = points.is_large
    known = PointConstraints.of(points, constraints, objective.score.scatter)

    def improve_some(
        some: Points,
        start: Labels,
        own: Random,
        reporter: ProgressReporter,
        constraints: PointConstraints | None,
    ) -> SearchResult:
        search = Multilevel(
            some, objective, random=own, cancel=reporter, brisk=brisk, constraints=constraints
        )
        end = search.improve(start)
        path = np.asarray(search.path)
        return SearchResult(end, float(path[-1]), path)

    def from_sample(own: Random, reporter: ProgressReporter) -> Labels:
        with reporter.part(0.5):
            sample, seeds = seeded_sample(points, own, reporter, known)
            end = improve_some(sample.points, seeds, own, reporter, sample.constraints).labels
        return sample.extend(
            end, points, objective, random=own, reporter=reporter, constraints=known
        )

    def from_pinned(_random: Random, _reporter: ProgressReporter) -> Labels:
        assert known is not None
        return known.coarsest()

    def improve(start: Labels, own: Random, reporter: ProgressReporter) -> SearchResult:
        start = start if known is None else known.keep(start)
        return improve_some(points, start, own, reporter, known)

    if labels is not None:
        starts: list[Start] = [start_from_labels(labels)]
    elif points.is_large:
        starts = [from_sample] * n_init
    else:
        seeds = seed_starts(points.squared_distances, points.weights, n_init)
        starts = [from_lloyd, *seeds] if points.n <= LLOYD_POINTS else seeds
        if known is not None and np.count_nonzero(known.pinned) > 1:
            starts = [from_pinned, *starts]
    return run_starts(
        starts,
        improve,
        rank=by_objective,
        large=points.is_large,
        n_jobs=n_jobs,
        random=random,
        reporter=reporter,
    )
