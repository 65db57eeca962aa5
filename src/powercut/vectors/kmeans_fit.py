r"""Fit k-means with an estimated tradeoff.

At tradeoff :math:`2 \sigma^2`, the partition of lowest J is the MAP partition of a Pitman-Yor
mixture of spherical Gaussians of one variance :math:`\sigma^2` (section 4.3 of the paper). From
each of several starts, alternate between estimating the variance at the current labels (within
sum of squares over :math:`d (n - k)`) and improving the labels at that tradeoff, as long as this
shortens the description length.

J has no cost for the means. So at that tradeoff every outlier is a cluster, and where clusters
overlap each round finds smaller ones, down to singletons. In many dimensions d this happens at
once, since a singleton saves its squared distance to the mean, about :math:`d \sigma^2`. So the
tradeoff is multiplied by d / 4, if that is more than 1, and by 1, 2 and 4 in turn. The
description length includes the cost of the means, and selects the round, the start and the
multiple. In a large set the multiple is selected on a sample (`powercut.vectors.sampling`), from
few and from many seeds, and one cluster is a candidate without a search.
"""

from dataclasses import dataclass, replace
from math import log, pi

import numpy as np

from powercut._typing import LABEL, Labels, Random
from powercut.partition import compact_labels
from powercut.prior import PitmanYor
from powercut.progress import ProgressReporter
from powercut.search.constraints import Constraints
from powercut.search.fit import Description, Fit
from powercut.search.objective import Objective, Regulariser, SearchResult
from powercut.search.seeding import seed_starts
from powercut.search.starts import Start, run_starts, start_from_labels
from powercut.vectors.constraints import PointConstraints
from powercut.vectors.multilevel import Multilevel
from powercut.vectors.points import LEAST_VARIANCE, Points
from powercut.vectors.sampling import SEEDS, draw_sample
from powercut.vectors.scores import KMeans

MAX_ROUNDS = 12
# Fraction of the remaining time that a round usually takes.
ROUND = 0.4
# In a large set, a round ends with a cycle that lowers J by no more than this fraction: the next
# round has another tradeoff, which changes J by far more.
ROUGHLY = 1e-3
# Tradeoffs to try, as multiples of 2 sigma^2, times d / FEW_DIMENSIONS in more dimensions d.
MULTIPLES = (1.0, 2.0, 4.0)
FEW_DIMENSIONS = 4


@dataclass(frozen=True)
class KMeansModel:
    """The data and parameters that are fixed during a search.

    Attributes
    ----------
    points : Points
        The points.
    prior : PitmanYor
        The size prior.
    multiple : float
        The tradeoff, divided by twice the estimated variance.
    constraints : PointConstraints or None
        What is known of the clusters.
    """

    points: Points
    prior: PitmanYor
    multiple: float = 1.0
    constraints: PointConstraints | None = None

    @property
    def score(self) -> KMeans:
        """The within sum of squares."""
        return KMeans(self.points.values.shape[1])

    def clusters(self, labels: Labels) -> Points:
        """Return the clusters as points, with the scatter that the score needs."""
        return self.points.aggregate(labels, int(labels.max()) + 1, self.score.scatter)

    def estimate(self, clusters: Points) -> Objective[KMeans]:
        """Return J at the tradeoff estimated from these clusters."""
        tradeoff = 2 * self.multiple * self.variance(clusters)
        return Objective(self.score, Regulariser(self.prior, tradeoff))

    def variance(self, clusters: Points) -> float:
        """Return the variance of a feature within clusters, 0 where all points coincide.

        It is never below the variance of rounding to the smallest step of a feature, nor below a
        millionth of the total; otherwise clusters of equal points would be infinitely likely. The
        estimate needs two points per cluster on average; with fewer, the degrees of freedom are
        those of two per cluster.
        """
        n, d = self.points.values.shape
        within = float(self.score.cost(clusters).sum())
        points = self.points
        floor = float(np.maximum(points.rounding, LEAST_VARIANCE * points.variance).mean())
        return max(within / float(d * max(n - clusters.n, n / 2)), floor)

    def describe(self, clusters: Points) -> Description:
        """Return the description length, in nats, by spherical Gaussians of one variance.

        It is the sum of -ln EPPF of the partition, minus the log-likelihood of the points around
        their means, and half the logarithm of n for each coordinate of a mean and for the
        variance. It is infinite for partitions into more than n / 2 clusters, where no variance
        can be estimated.
        """
        n, d = self.points.values.shape
        k, sigma = clusters.n, self.variance(clusters)
        if sigma == 0 or (2 * k > n and k > 1):
            return Description(0.0 if k == 1 else float("inf"), 0.0, 0.0)
        volume = n * log(2 * pi * sigma) - float(np.log(self.points.weights).sum())
        return Description(
            float(self.score.cost(clusters).sum()) / (2 * sigma) + 0.5 * d * volume,
            -self.prior.log_prob(clusters.counts),
            0.5 * (k * d + 1) * log(n),
        )


KMeansFit = Fit[KMeansModel, KMeans]


def fit_kmeans(
    points: Points,
    prior: PitmanYor,
    *,
    labels: Labels | None = None,
    n_init: int = 1,
    n_jobs: int = 1,
    random: Random,
    reporter: ProgressReporter,
    constraints: Constraints | None = None,
) -> KMeansFit:
    """Find the partition of shortest description length, and the tradeoff.

    Parameters
    ----------
    points : Points
        The points.
    prior : PitmanYor
        The size prior.
    labels : ndarray of int32, optional
        The only start, in place of the default starts.
    n_init : int
        How many times each random start is drawn.
    n_jobs : int
        How many searches run in parallel; the result does not depend on it.
    random : numpy.random.Generator
        Source of seeds and random orders.
    reporter : ProgressReporter
        Reports progress, and may end the search early with the best partition so far.
    constraints : Constraints, optional
        What is known of the clusters; the partition keeps it.
    """
    model, brisk = KMeansModel(points, prior), points.is_large
    known = PointConstraints.of(points, constraints, model.score.scatter)
    one: Labels = np.zeros(points.n, dtype=LABEL)
    if known is not None:
        model, one = replace(model, constraints=known), known.coarsest()

    def best_multiple(
        some: KMeansModel, start: Labels, own: Random, reporter: ProgressReporter
    ) -> KMeansFit:
        multiples = reporter.each(MULTIPLES, of=len(MULTIPLES))
        more = max(1.0, model.score.d / FEW_DIMENSIONS)
        models = (replace(some, multiple=more * multiple) for multiple in multiples)
        fits = (alternate(one, start, random=own, reporter=reporter, brisk=brisk) for one in models)
        return min(fits, key=by_description_length)

    def improve(start: Labels, own: Random, reporter: ProgressReporter) -> KMeansFit:
        return best_multiple(model, start if known is None else known.keep(start), own, reporter)

    def improve_from_sample(_: Labels, own: Random, reporter: ProgressReporter) -> KMeansFit:
        with reporter.part(0.5):
            sample = draw_sample(points, own, known)
            part = replace(model, points=sample.points, constraints=sample.constraints)
            distances = sample.points.rough_distances()
            few_to_many = seed_starts(distances, sample.points.weights, 1, most=SEEDS)
            starts = reporter.each(few_to_many, of=len(few_to_many))
            fits = (
                best_multiple(part, sample.keep(start(own, reporter)), own, reporter)
                for start in starts
            )
            fit = min(fits, key=by_description_length)
        start = sample.extend(
            fit.found.labels,
            points,
            fit.objective,
            random=own,
            reporter=reporter,
            constraints=known,
        )
        chosen = replace(model, multiple=fit.model.multiple)
        return alternate(chosen, start, random=own, reporter=reporter, brisk=brisk)

    by_sample = points.is_large and labels is None
    starts: list[Start] = [start_from_labels(one)]
    if labels is not None:
        starts = [start_from_labels(labels)]
    elif by_sample:
        starts *= n_init
    else:
        starts += seed_starts(points.squared_distances, points.weights, n_init)
    fit = run_starts(
        starts,
        improve_from_sample if by_sample else improve,
        rank=by_description_length,
        large=points.is_large,
        n_jobs=n_jobs,
        random=random,
        reporter=reporter,
    )
    return min(fit, evaluate(model, one), key=by_description_length) if by_sample else fit


def by_description_length(fit: KMeansFit) -> float:
    """Return the description length; lower is better."""
    return fit.description.nats


def evaluate(model: KMeansModel, labels: Labels) -> KMeansFit:
    """Return the fit of given labels, without a search."""
    clusters = model.clusters(labels)
    objective = model.estimate(clusters)
    j = objective.value(clusters)
    return Fit(SearchResult(labels, j, np.array([j])), model, objective, model.describe(clusters))


def alternate(
    model: KMeansModel, labels: Labels, *, random: Random, reporter: ProgressReporter, brisk: bool
) -> KMeansFit:
    """Alternate between estimating the tradeoff and improving labels, while that pays.

    It pays as long as the description length falls.
    """
    best = evaluate(model, compact_labels(labels)[0])
    for _ in range(MAX_ROUNDS):
        objective = model.estimate(model.clusters(best.found.labels))
        search = Multilevel(
            model.points,
            objective,
            random=random,
            cancel=reporter,
            brisk=brisk,
            constraints=model.constraints,
        )
        with reporter.part(ROUND):
            labels = best.found.labels
            if brisk:
                # A tradeoff that is too small shows at once, and takes longest.
                labels = search.cycle(search.move_points(labels))
                if model.describe(model.clusters(labels)).nats >= best.description.nats:
                    break
            labels = search.improve(labels, negligible=ROUGHLY if brisk else None)
        description = model.describe(model.clusters(labels))
        if description.nats >= best.description.nats:
            break
        path = np.asarray(search.path)
        best = Fit(SearchResult(labels, float(path[-1]), path), model, objective, description)
        if reporter.expired():
            break
    return best
