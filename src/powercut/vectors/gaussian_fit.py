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

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from powercut._typing import LABEL, Labels, Random
from powercut.partition import canonical_labels, compact_labels
from powercut.prior import PitmanYor
from powercut.progress import ProgressReporter
from powercut.search.constraints import Constraints
from powercut.search.fit import Fit
from powercut.search.objective import SearchResult
from powercut.search.seeding import seed_starts
from powercut.search.starts import Start, run_all, start_from_labels
from powercut.vectors.gaussian_model import (
    GaussianFit,
    GaussianModel,
    evaluate,
    in_units_of_data,
)
from powercut.vectors.multilevel import Multilevel
from powercut.vectors.sampling import draw_sample
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
# The last round of a brisk search is one that lowers J by less than this fraction.
LITTLE = 1e-4
# Most clusters to start from: more take long and merge to the same result.
MOST_SEEDS = 1000


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
    constraints: Constraints | None = None,
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
    constraints : Constraints, optional
        What is known of the clusters; the partition keeps it.
    """
    model, standard = GaussianModel.of(
        X,
        covariance=covariance,
        tradeoff=tradeoff,
        prior=prior,
        n_threads=n_jobs,
        constraints=constraints,
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
    points, known = model.points, model.constraints
    coarsest = np.zeros(points.n, dtype=LABEL) if known is None else known.coarsest()

    def from_sample(own: Random, reporter: ProgressReporter) -> Labels:
        with reporter.part(0.5):
            sample = draw_sample(points, own, known)
            part = replace(model, points=sample.points, constraints=sample.constraints)
            # Starts one after the other: each uses all threads.
            fit = fit_model(part, n_jobs=1, random=own, reporter=reporter)
        return sample.extend(
            fit.found.labels,
            points,
            fit.objective,
            random=own,
            reporter=reporter,
            constraints=known,
        )

    one = evaluate(model, coarsest)
    starts: list[Start] = [start_from_labels(one.found.labels)]
    if labels is not None:
        labels = labels if known is None else known.keep(labels)
        starts = [start_from_labels(labels)]
    elif points.is_large:
        starts = [from_sample] * n_init
    elif np.ptp(points.values) > 0:
        draws = DRAWS * n_init if points.n <= FEW_POINTS else n_init
        starts += seed_starts(points.rough_distances(), points.weights, draws, most=MOST_SEEDS)

    def first_round(start: Start, own: Random, reporter: ProgressReporter) -> GaussianFit:
        with reporter.part(0.3, "start"):
            begun = compact_labels(start(own, reporter))[0]
            begun = begun if known is None else known.keep(begun)
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
