r"""Fit Gaussian clusters; all hyperparameters are estimated.

From each of several starts, alternate between estimating the hyperparameters (the prior on the
parameters of a cluster, `powercut.vectors.gaussian_prior`, and the Pitman-Yor prior) at the
current labels and improving the labels at these estimates, until convergence. At first the prior
on the parameters of a cluster counts as a few points at most, so that clusters merge and split
freely; then it is as strong as the clusters support. The results are ranked by J, which at
tradeoff 1 is the description length of the points in nats (without the cost of the estimates); one
cluster is always among the candidates. A large set is searched from one start, via a sample
(`powercut.vectors.sampling`), and each search stops early, when few points move.
"""

from dataclasses import dataclass, replace
from math import log

import numpy as np
import numpy.typing as npt

from powercut._typing import Labels, Random
from powercut.partition import compact_labels
from powercut.prior import PitmanYor
from powercut.progress import ProgressReporter
from powercut.search.fit import Description, Fit
from powercut.search.objective import Objective, Regulariser, SearchResult
from powercut.search.prior import bounded_prior
from powercut.search.remote_workers import PointWorkers
from powercut.search.seeding import seed_starts
from powercut.search.starts import Start, run_starts, start_from_labels
from powercut.vectors.covariances import COVARIANCES
from powercut.vectors.gaussian_prior import PooledPoints, estimate
from powercut.vectors.multilevel import Multilevel
from powercut.vectors.points import Points
from powercut.vectors.sampling import extend_to_all_points, seeded_sample
from powercut.vectors.scores import Gaussian
from powercut.vectors.standardised import Standardised

MAX_ROUNDS = 12
# Fraction of the remaining time that a round usually takes.
ROUND = 0.4
# Strength of the prior on a cluster's parameters, in points, while clusters merge and split freely.
FEW = 2.0
# Most clusters to start from: more take long and merge to the same result.
MOST_SEEDS = 1000


@dataclass(frozen=True)
class GaussianModel:
    """The data and parameters that are fixed during a search."""

    points: Points
    whole: PooledPoints
    tradeoff: float
    prior: PitmanYor | None

    def clusters(self, labels: Labels) -> Points:
        """Return the clusters as points, with the scatter that the score needs."""
        return self.points.aggregate(labels, int(labels.max()) + 1, self.whole.form.scatter)

    def estimate(
        self, clusters: Points, *, start: Gaussian | None = None, largest: float = np.inf
    ) -> Objective[Gaussian]:
        """Return J at the estimated hyperparameters; `start` and `largest` as in `estimate`."""
        start = self.whole.first() if start is None else start
        score = estimate(clusters, self.whole, start, largest=largest)
        prior = self.prior or bounded_prior(clusters.counts)
        return Objective(score, Regulariser(prior, self.tradeoff))

    def describe(self, found: SearchResult, regulariser: Regulariser) -> Description:
        """Return the description length in nats: J at tradeoff 1, and the cost of the estimates.

        Each estimated number costs half the logarithm of the number of points.
        """
        sizes = np.bincount(found.labels)
        estimated = self.whole.form.d + self.whole.form.n_parameters + 2
        estimated += 2 if self.prior is None else 0
        return Description(
            found.objective - regulariser.value(sizes),
            replace(regulariser, tradeoff=1.0).value(sizes),
            0.5 * estimated * log(len(found.labels)),
        )


GaussianFit = Fit[GaussianModel, Gaussian]


def fit_gaussian(
    X: npt.NDArray[np.floating],
    *,
    covariance: str = "diagonal",
    tradeoff: float = 1.0,
    prior: PitmanYor | None = None,
    labels: Labels | None = None,
    n_init: int = 1,
    n_jobs: int = 1,
    workers: PointWorkers | None = None,
    random: Random,
    reporter: ProgressReporter,
) -> tuple[GaussianFit, Standardised]:
    """Find the partition of lowest J from several starts.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The points.
    covariance : {"diagonal", "spherical", "full"}
        The covariance structure of the clusters.
    tradeoff : float
        Weight of the size prior against the log-likelihood.
    prior : PitmanYor, optional
        The size prior. Estimated if not given.
    labels : ndarray of int32, optional
        The only start, in place of the default starts.
    n_init : int
        How many times each random start is drawn.
    n_jobs : int
        How many searches run in parallel; the result does not depend on it.
    workers : PointWorkers, optional
        Remote workers for a large set; the result does not depend on them.
    random : numpy.random.Generator
        Source of seeds and random orders.
    reporter : ProgressReporter
        Reports progress, and may end the search early with the best partition so far.
    """
    standard = Standardised.of(X, common=covariance == "spherical")
    points = Points.finest(standard(X), n_threads=n_jobs, workers=workers)
    form = COVARIANCES[covariance](len(standard.kept))
    model = GaussianModel(points, PooledPoints.of(points, form), tradeoff, prior)

    def from_sample(own: Random, reporter: ProgressReporter) -> Labels:
        with reporter.part(0.5):
            sample, seeds = seeded_sample(points, own, reporter)
            part = replace(model, points=sample)
            fit = alternate(part, seeds, random=own, reporter=reporter, brisk=True)
        return extend_to_all_points(
            sample, fit.found.labels, points, fit.objective, random=own, reporter=reporter
        )

    one = np.zeros(points.n, dtype=np.int32)
    starts: list[Start] = [start_from_labels(one)]
    if labels is not None:
        starts = [start_from_labels(labels)]
    elif points.is_large:
        starts = [from_sample] * n_init
    elif np.ptp(points.values) > 0:
        starts += seed_starts(points.rough_distances(), points.weights, n_init, most=MOST_SEEDS)

    def improve(start: Labels, own: Random, reporter: ProgressReporter) -> GaussianFit:
        # Given labels may be good or arbitrary, so both are tried. Labels from a sample are good.
        roughly = (False, True) if labels is not None else (not points.is_large,)
        fits = [alternate(model, start, rough=r, random=own, reporter=reporter) for r in roughly]
        return min(fits, key=by_objective_if_valid)

    fit = run_starts(
        starts,
        improve,
        rank=by_objective_if_valid,
        large=points.is_large,
        n_jobs=n_jobs,
        random=random,
        reporter=reporter,
    )
    if points.is_large and labels is None:
        fit = min(fit, evaluate(model, one), key=by_objective_if_valid)
    extra = model.whole.weight * standard.log_volume
    found = SearchResult(fit.found.labels, fit.found.objective + extra, fit.found.path + extra)
    description = replace(fit.description, data=fit.description.data + extra)
    return replace(fit, found=found, description=description), standard


def by_objective_if_valid(fit: GaussianFit) -> float:
    """Return J, or infinity for more than n / 2 clusters, where no variance can be estimated."""
    k, n = fit.n_clusters, len(fit.found.labels)
    return np.inf if k > 1 and 2 * k > n else fit.found.objective


def evaluate(model: GaussianModel, labels: Labels) -> GaussianFit:
    """Return the fit of given labels, without a search."""
    clusters = model.clusters(labels)
    objective = model.estimate(clusters)
    j = objective.value(clusters)
    found = SearchResult(labels, j, np.array([j]))
    return Fit(found, model, objective, model.describe(found, objective.regulariser))


def alternate(
    model: GaussianModel,
    labels: Labels,
    *,
    rough: bool = True,
    random: Random,
    reporter: ProgressReporter,
    brisk: bool | None = None,
) -> GaussianFit:
    """Alternate between estimating hyperparameters and improving labels, until convergence.

    `rough` labels, such as cells around seeds, carry little information about the hyperparameters:
    from them clusters first merge and split freely, under a weak prior on their parameters. A
    `brisk` search, the default for a large set, stops when a round gains little.
    """
    labels = compact_labels(labels)[0]
    score: Gaussian | None = None
    brisk = model.points.is_large if brisk is None else brisk

    def search_at(largest: float) -> Multilevel[Gaussian]:
        nonlocal score
        objective = model.estimate(model.clusters(labels), start=score, largest=largest)
        score = objective.score
        return Multilevel(model.points, objective, random=random, cancel=reporter, brisk=brisk)

    if rough and not reporter.expired():
        # Points first: clusters that merge before their points have moved merge too much.
        labels = search_at(FEW).move_points(labels)
    converged: Multilevel[Gaussian] | None = None
    for largest in (FEW, np.inf) if rough else (np.inf,):
        last, converged = np.inf, None
        for _ in range(MAX_ROUNDS):
            if reporter.expired():
                break
            before, search = labels, search_at(largest)
            with reporter.part(ROUND):
                labels = search.cycle(labels)
            j = search.path[-1]
            if np.array_equal(before, labels):
                converged = search
                break
            if brisk and last - j < search.negligible * abs(j):
                break
            last = j
    search = converged or search_at(np.inf)
    labels = search.improve(labels)
    path = np.asarray(search.path)
    found = SearchResult(labels, float(path[-1]), path)
    description = model.describe(found, search.objective.regulariser)
    return Fit(found, model, search.objective, description)
