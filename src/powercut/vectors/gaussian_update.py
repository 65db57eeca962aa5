"""Update Gaussian clusters after points have come or gone; hyperparameters are estimated again."""

from dataclasses import replace

import numpy as np

from powercut._typing import FloatArray, Random, Rows
from powercut.prior import PitmanYor
from powercut.progress import ProgressReporter
from powercut.search.constraints import Constraints
from powercut.search.fit import Fit
from powercut.search.objective import Objective
from powercut.vectors.constraints import PointConstraints
from powercut.vectors.gaussian_model import GaussianFit, GaussianModel, in_units_of_data
from powercut.vectors.gaussian_prior import PooledPoints
from powercut.vectors.points import Points
from powercut.vectors.scores import Gaussian
from powercut.vectors.standardised import Standardised
from powercut.vectors.update import PointChanges, PointUpdateSearch


def update_gaussian(
    X: Rows,
    changes: PointChanges,
    before: Objective[Gaussian],
    standard_before: Standardised,
    *,
    tradeoff: float,
    prior: PitmanYor | None,
    inertia: float,
    n_jobs: int,
    random: Random,
    reporter: ProgressReporter,
    constraints: Constraints | None = None,
) -> tuple[GaussianFit, Standardised, FloatArray]:
    """Return the clusters after an update, the units of the points, and what is yet to be tried.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The points that stayed, and those that came.
    changes : PointChanges
        Which came, and the clusters of the others.
    before : Objective
        J before the update, of points in the units `standard_before`.
    tradeoff, prior
        As in `fit_gaussian`.
    inertia : float
        The gain, in nats, above which a point that was there leaves its cluster.
    n_jobs, random, reporter, constraints
        As in `fit_gaussian`.
    """
    form = before.score.form
    standard = Standardised.of(X, common=form.name == "spherical")
    form = type(form)(len(standard.kept))
    points = Points.finest(standard(X), n_threads=n_jobs)
    known = PointConstraints.of(points, constraints, form.scatter)
    model = GaussianModel(points, PooledPoints.of(points, form), tradeoff, prior, known)
    if np.array_equal(standard.kept, standard_before.kept):
        start = replace(before, score=restandardised(before.score, standard_before, standard))
    else:  # features vary that were constant, or the reverse
        there = np.flatnonzero(changes.came == changes.came.all())  # all, if none stayed
        old = replace(model, points=points.some(there))
        start = model.estimate(old.clusters(changes.labels[there]))

    def evaluate(
        clusters: Points, before: Objective[Gaussian]
    ) -> tuple[Objective[Gaussian], float]:
        objective = model.estimate(clusters, start=before.score)
        return objective, objective.value(clusters)

    search = PointUpdateSearch(
        points,
        evaluate,
        inertia=inertia,
        random=random,
        brisk=model.is_brisk,
        cancel=reporter,
        constraints=known,
    )
    updated = search.run(changes, start)
    description = model.describe(updated.found, updated.objective.regulariser)
    fit = Fit(updated.found, model, updated.objective, description)
    return in_units_of_data(fit, standard), standard, updated.untried


def restandardised(score: Gaussian, before: Standardised, now: Standardised) -> Gaussian:
    """Return the hyperparameters of the same features in other units."""
    form, ratio = score.form, before.deviation / now.deviation
    mean = score.mean * ratio + (before.mean - now.mean) / now.deviation
    squares, ones = form.squares(ratio[None]), form.squares(np.ones((1, form.d)))
    return replace(score, mean=mean, scale=score.scale * (squares / ones)[0])
