r"""The tradeoff of k-means, estimated from the clusters.

The lowest J is the most probable partition of a Pitman-Yor mixture of round Gaussians of
one variance :math:`\sigma^2` when the tradeoff is :math:`2 \sigma^2` (section 4.3 of the
paper). From each of several starts the variance is estimated at the current labels,
within sum of squares over :math:`d (n - k)`, and the labels improved at that tradeoff, as
long as this shortens the description of the points.

J does not charge for the means, so at that tradeoff every outlier is a cluster, and where
clusters overlap each round finds smaller ones, down to single points. So twice and four
times the tradeoff are tried too. The description length does charge for the means, and
says which round, start and multiple to keep.
"""

from dataclasses import dataclass
from math import log, pi

import numpy as np

from powercut.partition import Labels, compact_labels
from powercut.points import LEAST_VARIANCE, Points
from powercut.prior import PitmanYor
from powercut.progress import Watch
from powercut.search.objective import Found, Random, Regulariser
from powercut.search.points import PointsSearch, objective
from powercut.search.sampling import sample_start
from powercut.search.schedule import Start, given, run_starts, seed_starts
from powercut.vector_scores import KMeans

MAX_ROUNDS = 12
# What a round usually takes of the time that is left.
ROUND = 0.4
# Tradeoffs to try, as multiples of 2 sigma^2.
MULTIPLES = (1.0, 2.0, 4.0)


@dataclass(frozen=True)
class KMeansFit:
    """A partition, the regulariser it was found with, and its description length in nats."""

    found: Found
    regulariser: Regulariser
    description_length: float


def fit_kmeans(
    points: Points,
    prior: PitmanYor,
    *,
    labels: Labels | None = None,
    n_init: int = 1,
    n_jobs: int = 1,
    random: Random,
    watch: Watch,
) -> KMeansFit:
    """Find the partition of shortest description, and with it the tradeoff.

    Parameters
    ----------
    points : Points
        The points.
    prior : PitmanYor
        Of the cluster sizes.
    labels : ndarray of int32, optional
        The one start to take, in place of the several.
    n_init : int
        How many times each random start is drawn.
    n_jobs : int
        How many searches run at once; the result does not depend on it.
    random : numpy.random.Generator
        Decides seeds and random orders.
    watch : Watch
        Ends the search after a time with the best so far, and hears how far it is.
    """

    def length(fit: KMeansFit) -> float:
        return fit.description_length

    def best_multiple(some: Points, start: Labels, own: Random, watch: Watch) -> KMeansFit:
        multiples = watch.each(MULTIPLES, of=len(MULTIPLES))
        return min(
            (alternate(some, start, prior, m, random=own, watch=watch) for m in multiples),
            key=length,
        )

    def search_sample(
        sample: Points, seeds: Labels, own: Random, watch: Watch
    ) -> tuple[Labels, KMeans, Regulariser]:
        fit = best_multiple(sample, seeds, own, watch)
        return fit.found.labels, KMeans(points.values.shape[1]), fit.regulariser

    def improve(start: Labels, own: Random, watch: Watch) -> KMeansFit:
        return best_multiple(points, start, own, watch)

    starts: list[Start] = [given(np.zeros(points.n, dtype=np.int32))]
    if labels is not None:
        starts = [given(labels)]
    elif points.is_large:
        starts += [sample_start(points, search_sample)] * n_init
    else:
        starts += seed_starts(points.squared_distances, points.weights, n_init)
    return run_starts(
        starts,
        improve,
        rank=length,
        large=points.is_large,
        n_jobs=n_jobs,
        random=random,
        watch=watch,
    )


def alternate(
    points: Points,
    labels: Labels,
    prior: PitmanYor,
    multiple: float = 1.0,
    *,
    random: Random,
    watch: Watch,
) -> KMeansFit:
    """Estimate and search in turn as long as that shortens the description."""
    labels, score = compact_labels(labels)[0], KMeans(points.values.shape[1])
    best: KMeansFit | None = None
    for _ in range(MAX_ROUNDS):
        regulariser = Regulariser(prior, 2 * multiple * variance(points, labels))
        search = PointsSearch(
            points, score, regulariser, random=random, cancel=watch, brisk=points.is_large
        )
        if best is None:
            j = objective(points, labels, score, regulariser)
            best = _described(points, Found(labels, j, np.array([j])), regulariser)
        with watch.part(ROUND):
            labels = search.improve(labels)
        path = np.asarray(search.path)
        fit = _described(points, Found(labels, float(path[-1]), path), regulariser)
        if fit.description_length >= best.description_length:
            break
        best = fit
        if watch.expired():
            break
    assert best is not None
    return best


def _described(points: Points, found: Found, regulariser: Regulariser) -> KMeansFit:
    length = description_length(points, found.labels, regulariser.prior)
    return KMeansFit(found, regulariser, length)


def variance(points: Points, labels: Labels) -> float:
    """Return the variance of a feature within clusters, 0 where all points coincide.

    It is never below what rounding to the smallest step of a feature makes, nor below a
    millionth of the total, or clusters of equal points would be infinitely likely. Two
    points a cluster are needed on average to tell; with fewer, the squares are divided
    as if there were.
    """
    n, d = points.values.shape
    k = int(labels.max()) + 1
    within = float(KMeans(d).worth(points.aggregate(labels, k, KMeans(d).scatter)).sum())
    floor = float(np.maximum(points.rounding, LEAST_VARIANCE * points.variance).mean())
    return max(within / float(d * max(n - k, n / 2)), floor)


def description_length(points: Points, labels: Labels, prior: PitmanYor) -> float:
    """Return the nats that describe the points by round clusters of one variance.

    The partition, the points around their means, and half the logarithm of their number
    for each coordinate of a mean and for the variance. Partitions into more than half as
    many clusters as points, where no variance can be told, are never the shortest.
    """
    n, d = points.values.shape
    k = int(labels.max()) + 1
    sigma = variance(points, labels)
    if sigma == 0 or (2 * k > n and k > 1):
        return 0.0 if k == 1 else float("inf")
    clusters = points.aggregate(labels, k, KMeans(d).scatter)
    nats = -prior.log_prob(clusters.counts)
    nats += float(KMeans(d).worth(clusters).sum()) / (2 * sigma)
    nats += 0.5 * d * (n * log(2 * pi * sigma) - float(np.log(points.weights).sum()))
    return float(nats + 0.5 * (k * d + 1) * log(n))
