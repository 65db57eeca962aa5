r"""The tradeoff of k-means, estimated from the clusters.

The lowest J is the most probable partition of a Pitman-Yor mixture of round Gaussians of
one variance :math:`\sigma^2` when the tradeoff is :math:`2 \sigma^2` (section 4.3 of the
paper). From each of several starts the variance is estimated at the current labels,
within sum of squares over :math:`d (n - k)`, and the labels improved at that tradeoff, as
long as this shortens the description of the points.

J does not charge for the means, so at that tradeoff every outlier is a cluster, and where
clusters overlap each round finds smaller ones, down to single points; in many dimensions
d at once, since a point alone saves its distance to the mean, about :math:`d \sigma^2`. So d / 4
times the tradeoff, if that is more, and twice and four times as much are tried. The
description length does charge for the means, and says which round, start and multiple to
keep. Of a large set, a sample tells the multiple (`powercut.search.sampling`), and one
cluster is compared with as it is.
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
from powercut.search.sampling import carry_over, seeded_sample
from powercut.search.schedule import Start, given, run_starts, seed_starts
from powercut.vector_scores import KMeans

MAX_ROUNDS = 12
# What a round usually takes of the time that is left.
ROUND = 0.4
# Tradeoffs to try, as multiples of 2 sigma^2; in more than so many dimensions, of as much more.
MULTIPLES = (1.0, 2.0, 4.0)
FEW_DIMENSIONS = 4


@dataclass(frozen=True)
class KMeansFit:
    """A partition and what it was found with.

    Attributes
    ----------
    found : Found
        Labels, and J.
    regulariser : Regulariser
        What J is made of, beside the sum of squares.
    multiple : float
        Its tradeoff, over twice the variance that was estimated.
    description_length : float
        Nats.
    """

    found: Found
    regulariser: Regulariser
    multiple: float
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
    score, brisk = KMeans(points.values.shape[1]), points.is_large

    def best_multiple(some: Points, start: Labels, own: Random, watch: Watch) -> KMeansFit:
        multiples = watch.each(MULTIPLES, of=len(MULTIPLES))
        more = max(1.0, score.d / FEW_DIMENSIONS)
        fits = (alternate(some, start, prior, more * m, own, watch, brisk=brisk) for m in multiples)
        return min(fits, key=length)

    def improve(start: Labels, own: Random, watch: Watch) -> KMeansFit:
        return best_multiple(points, start, own, watch)

    def improve_from_sample(_: Labels, own: Random, watch: Watch) -> KMeansFit:
        with watch.part(0.5):
            sample, seeds = seeded_sample(points, own, watch)
            fit = best_multiple(sample, seeds, own, watch)
        j = score, fit.regulariser
        start = carry_over(sample, fit.found.labels, points, *j, random=own, watch=watch)
        return alternate(points, start, prior, fit.multiple, own, watch, brisk=brisk)

    one = np.zeros(points.n, dtype=np.int32)
    by_sample = points.is_large and labels is None
    starts: list[Start] = [given(one)]
    if labels is not None:
        starts = [given(labels)]
    elif by_sample:
        starts *= n_init
    else:
        starts += seed_starts(points.squared_distances, points.weights, n_init)
    fit = run_starts(
        starts,
        improve_from_sample if by_sample else improve,
        rank=length,
        large=points.is_large,
        n_jobs=n_jobs,
        random=random,
        watch=watch,
    )
    return min(fit, as_it_is(points, one, prior, 1.0), key=length) if by_sample else fit


def length(fit: KMeansFit) -> float:
    """Rank fits by their description length."""
    return fit.description_length


def as_it_is(points: Points, labels: Labels, prior: PitmanYor, multiple: float) -> KMeansFit:
    """Return the fit of labels that nobody moves."""
    regulariser = Regulariser(prior, 2 * multiple * variance(points, labels))
    j = objective(points, labels, KMeans(points.values.shape[1]), regulariser)
    nats = description_length(points, labels, prior)
    return KMeansFit(Found(labels, j, np.array([j])), regulariser, multiple, nats)


def alternate(
    points: Points,
    labels: Labels,
    prior: PitmanYor,
    multiple: float,
    random: Random,
    watch: Watch,
    *,
    brisk: bool,
) -> KMeansFit:
    """Estimate and search in turn as long as that shortens the description."""
    score = KMeans(points.values.shape[1])
    best = as_it_is(points, compact_labels(labels)[0], prior, multiple)
    for _ in range(MAX_ROUNDS):
        regulariser = Regulariser(prior, 2 * multiple * variance(points, best.found.labels))
        search = PointsSearch(points, score, regulariser, random=random, cancel=watch, brisk=brisk)
        with watch.part(ROUND):
            labels = search.improve(best.found.labels)
        nats = description_length(points, labels, prior)
        if nats >= best.description_length:
            break
        path = np.asarray(search.path)
        best = KMeansFit(Found(labels, float(path[-1]), path), regulariser, multiple, nats)
        if watch.expired():
            break
    return best


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
