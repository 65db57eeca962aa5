r"""Fit Gaussian clusters; all hyperparameters are estimated.

From each of several starts, alternate between estimating the hyperparameters (the prior on the
parameters of a cluster, `powercut.vectors.gaussian_prior`, and the Pitman-Yor prior) at the
current labels and improving the labels at these estimates. In the first rounds (`explore`) the
prior on the parameters of a cluster counts as a few points at most, so that clusters merge and
split freely; after each round, starts that are far behind the best are given up. For the others it
is then as strong as the clusters support, and they are searched until convergence (`refine`). The
results are ranked by J, which at tradeoff 1 is the description length of the points in nats
(without the cost of the estimates); one cluster is always among the candidates.

A large set has one start: the clusters of a sample (`powercut.vectors.sampling`), which is fitted
from all starts as a set of its size. Many seeds alone would not do. Where clusters overlap, points
are spread evenly over cells that are small, and two such cells have the same J apart and joined:
halving the volume gains ln 2 per point, and telling the halves apart costs as much. So cells around
many seeds hardly merge, and clusters are found from few.
"""

from dataclasses import dataclass, replace
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt

from powercut._typing import Labels, Random
from powercut.partition import canonical_labels, compact_labels
from powercut.prior import PitmanYor
from powercut.progress import ProgressReporter
from powercut.search.fit import Description, Fit
from powercut.search.objective import Objective, Regulariser, SearchResult
from powercut.search.prior import bounded_prior
from powercut.search.seeding import seed_starts
from powercut.search.starts import Start, run_all, start_from_labels
from powercut.vectors.covariances import COVARIANCES
from powercut.vectors.gaussian_prior import NEGLIGIBLE, PooledPoints, estimate
from powercut.vectors.multilevel import Multilevel
from powercut.vectors.points import Points
from powercut.vectors.sampling import extend_to_all_points
from powercut.vectors.scores import Gaussian
from powercut.vectors.standardised import Standardised

MAX_ROUNDS = 12
# Fraction of the remaining time that a round usually takes.
ROUND = 0.4
# Strength of the prior on a cluster's parameters, in points, while clusters merge and split freely.
FEW = 2.0
# While a start is explored, its hyperparameters are estimated to so many nats.
ROUGHLY = 0.1
# Rounds that explore a start. A start whose J is then behind the best by more than NEAR nats, and
# by more than the fraction BEHIND of what the best has gained over one cluster, is given up.
EXPLORING_ROUNDS, NEAR, BEHIND = 3, 30.0, 0.02
# Each random start is drawn DRAWS times if there are no more than FEW_POINTS: the search of so few
# takes little time, and often ends in a poor minimum.
FEW_POINTS, DRAWS = 500, 3
# More points than this are searched briskly: moves of few points are left to the next round, and
# the last round is one that lowers J by less than the fraction LITTLE.
BRISK, LITTLE = 5000, 1e-4
# Most clusters to start from: more take long and merge to the same result.
MOST_SEEDS = 1000


@dataclass(frozen=True)
class GaussianModel:
    """The data and parameters that are fixed during a search."""

    points: Points
    whole: PooledPoints
    tradeoff: float
    prior: PitmanYor | None

    @classmethod
    def of(
        cls,
        X: npt.NDArray[np.floating],
        *,
        covariance: str,
        tradeoff: float = 1.0,
        prior: PitmanYor | None = None,
        n_threads: int = 1,
    ) -> tuple["GaussianModel", Standardised]:
        """Standardise points; parameters as in `fit_gaussian`."""
        standard = Standardised.of(X, common=covariance == "spherical")
        points = Points.finest(standard(X), n_threads=n_threads)
        form = COVARIANCES[covariance](len(standard.kept))
        return cls(points, PooledPoints.of(points, form), tradeoff, prior), standard

    def clusters(self, labels: Labels) -> Points:
        """Return the clusters as points, with the scatter that the score needs."""
        return self.points.aggregate(labels, int(labels.max()) + 1, self.whole.form.scatter)

    def estimate(
        self,
        clusters: Points,
        *,
        start: Gaussian | None = None,
        largest: float = np.inf,
        negligible: float = NEGLIGIBLE,
    ) -> Objective[Gaussian]:
        """Return J at the estimated hyperparameters; parameters as in `estimate`."""
        start = self.whole.first() if start is None else start
        score = estimate(clusters, self.whole, start, largest=largest, negligible=negligible)
        prior = self.prior or bounded_prior(clusters.counts)
        return Objective(score, Regulariser(prior, self.tradeoff))

    @property
    def is_brisk(self) -> bool:
        """Whether there are so many points that a search stops early."""
        return self.points.n > BRISK

    def search(
        self, objective: Objective[Gaussian], random: Random, reporter: ProgressReporter
    ) -> Multilevel[Gaussian]:
        """Return a search of the points for a low J."""
        return Multilevel(
            self.points, objective, random=random, cancel=reporter, brisk=self.is_brisk
        )

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
    random : numpy.random.Generator
        Source of seeds and random orders.
    reporter : ProgressReporter
        Reports progress, and may end the search early with the best partition so far.
    """
    model, standard = GaussianModel.of(
        X, covariance=covariance, tradeoff=tradeoff, prior=prior, n_threads=n_jobs
    )
    fit = fit_model(
        model, labels=labels, n_init=n_init, n_jobs=n_jobs, random=random, reporter=reporter
    )
    return in_units_of_data(fit, standard), standard


def fit_model(
    model: GaussianModel,
    *,
    labels: Labels | None = None,
    n_init: int = 1,
    n_jobs: int,
    random: Random,
    reporter: ProgressReporter,
) -> GaussianFit:
    """Find the partition of lowest J from several starts; parameters as in `fit_gaussian`."""
    points = model.points

    def from_sample(own: Random, reporter: ProgressReporter) -> Labels:
        with reporter.part(0.5):
            sample = points.sample(own)
            part = replace(model, points=sample)
            # Starts one after the other: each uses all threads.
            fit = fit_model(part, n_jobs=1, random=own, reporter=reporter)
        return extend_to_all_points(
            sample, fit.found.labels, points, fit.objective, random=own, reporter=reporter
        )

    one = evaluate(model, np.zeros(points.n, dtype=np.int32))
    starts: list[Start] = [start_from_labels(one.found.labels)]
    if labels is not None:
        starts = [start_from_labels(labels)]
    elif points.is_large:
        starts = [from_sample] * n_init
    elif np.ptp(points.values) > 0:
        draws = DRAWS * n_init if points.n <= FEW_POINTS else n_init
        starts += seed_starts(points.rough_distances(), points.weights, draws, most=MOST_SEEDS)

    def first_round(start: Start, own: Random, reporter: ProgressReporter) -> GaussianFit:
        with reporter.part(0.3, "start"):
            begun = compact_labels(start(own, reporter))[0]
        return evaluate(model, begun) if points.is_large else explore(model, begun, own, reporter)

    def next_round(fit: GaussianFit, own: Random, reporter: ProgressReporter) -> GaussianFit:
        return explore(model, fit.found.labels, own, reporter, score=fit.objective.score)

    parallel: dict[str, Any] = {
        "n_jobs": 1 if points.is_large else n_jobs,
        "random": random,
        "reporter": reporter,
    }
    with reporter.part(0.3, "search"):
        fits = promising(run_all(starts, first_round, **parallel), one)
    # Labels from a sample are good.
    for _ in range(0 if points.is_large else EXPLORING_ROUNDS - 1):
        with reporter.part(0.15, "search"):
            fits = promising(run_all(fits, next_round, **parallel), one)
    if labels is not None and not points.is_large:
        # Given labels may be good or arbitrary, so both are tried.
        fits = [evaluate(model, compact_labels(labels)[0]), *fits]
    with reporter.part(1.0, "search"):
        fits = run_all(fits, refine, **parallel)
    return min(fits if labels is not None else [*fits, one], key=by_objective_if_valid)


def in_units_of_data(fit: GaussianFit, standard: Standardised) -> GaussianFit:
    """Return a fit of standardised points with J, and nats, of the points as they were given."""
    extra = fit.model.whole.weight * standard.log_volume
    found = SearchResult(fit.found.labels, fit.found.objective + extra, fit.found.path + extra)
    description = replace(fit.description, data=fit.description.data + extra)
    return replace(fit, found=found, description=description)


def by_objective_if_valid(fit: GaussianFit) -> float:
    """Return J, or infinity for more than n / 2 clusters, where no variance can be estimated."""
    k, n = fit.n_clusters, len(fit.found.labels)
    return np.inf if k > 1 and 2 * k > n else fit.found.objective


def promising(fits: list[GaussianFit], one: GaussianFit) -> list[GaussianFit]:
    """Return the best of the fits and those that are not far behind it, each once, best first."""
    distinct = {canonical_labels(fit.found.labels).tobytes(): fit for fit in fits}
    ranked = sorted(distinct.values(), key=by_objective_if_valid)
    best = by_objective_if_valid(ranked[0])
    most = best + max(NEAR, BEHIND * (one.found.objective - best))
    return [fit for fit in ranked if by_objective_if_valid(fit) <= most]


def evaluate(
    model: GaussianModel,
    labels: Labels,
    start: Gaussian | None = None,
    *,
    negligible: float = NEGLIGIBLE,
) -> GaussianFit:
    """Return the fit of given labels, without a search; options as in `estimate`."""
    clusters = model.clusters(labels)
    objective = model.estimate(clusters, start=start, negligible=negligible)
    j = objective.value(clusters)
    found = SearchResult(labels, j, np.array([j]))
    return Fit(found, model, objective, model.describe(found, objective.regulariser))


def explore(
    model: GaussianModel,
    labels: Labels,
    random: Random,
    reporter: ProgressReporter,
    *,
    score: Gaussian | None = None,
) -> GaussianFit:
    """Let clusters merge and split freely, for one round.

    Rough labels, such as cells around seeds, carry little information about the hyperparameters,
    so the prior on the parameters of a cluster is weak. `score` has those of the round before.
    """
    moves = [Multilevel[Gaussian].cycle]
    if score is None:
        # Points first: clusters that merge before their points have moved merge too much.
        moves.insert(0, Multilevel[Gaussian].move_points)
    for move in moves:
        if reporter.expired():
            break
        clusters = model.clusters(labels)
        objective = model.estimate(clusters, start=score, largest=FEW, negligible=ROUGHLY)
        search = model.search(objective, random, reporter)
        labels, score = move(search, labels), objective.score
    return evaluate(model, labels, score, negligible=ROUGHLY)


def refine(fit: GaussianFit, random: Random, reporter: ProgressReporter) -> GaussianFit:
    """Alternate between estimating hyperparameters and improving labels, until convergence."""
    model, labels = fit.model, fit.found.labels
    objective = model.estimate(model.clusters(labels), start=fit.objective.score)
    last = np.inf
    for _ in range(MAX_ROUNDS):
        if reporter.expired():
            break
        before, step = labels, model.search(objective, random, reporter)
        with reporter.part(ROUND):
            labels = step.cycle(labels)
        if np.array_equal(before, labels):
            break
        objective = model.estimate(model.clusters(labels), start=objective.score)
        j = step.path[-1]
        if model.is_brisk and last - j <= LITTLE * abs(j):
            break
        last = j
    final = model.search(objective, random, reporter)
    labels = final.settle(labels) if model.is_brisk else final.improve(labels)
    path = np.asarray(final.path)
    found = SearchResult(labels, float(path[-1]), path)
    return Fit(found, model, objective, model.describe(found, objective.regulariser))
