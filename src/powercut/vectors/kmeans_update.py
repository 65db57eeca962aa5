"""Update the clusters of k-means after points have come or gone."""

from dataclasses import replace

import numpy as np

from powercut._typing import FloatArray, Random
from powercut.progress import ProgressReporter
from powercut.search.constraints import Constraints
from powercut.search.fit import Fit
from powercut.search.objective import Objective, Regulariser
from powercut.vectors.constraints import PointConstraints
from powercut.vectors.kmeans_fit import KMeansFit, KMeansModel
from powercut.vectors.points import Points
from powercut.vectors.scores import KMeans
from powercut.vectors.update import PointChanges, PointUpdateSearch


def update_kmeans(
    points: Points,
    changes: PointChanges,
    before: Regulariser,
    *,
    estimates: bool,
    inertia: float,
    random: Random,
    reporter: ProgressReporter,
    constraints: Constraints | None = None,
) -> tuple[KMeansFit, FloatArray]:
    """Return the clusters after an update, and what is yet to be tried.

    Parameters
    ----------
    points : Points
        The points that stayed, and those that came.
    changes : PointChanges
        Which came, and the clusters of the others.
    before : Regulariser
        Prior and tradeoff before the update.
    estimates : bool
        Whether the tradeoff is estimated again: it stays the same multiple of the variance within
        clusters. Then clusters are divided only if that shortens the description, as in a fit: a
        smaller variance could else divide them without end.
    inertia : float
        The gain, in nats, above which a point that was there leaves its cluster.
    random : numpy.random.Generator
        The order in which points are visited, and how clusters are divided.
    reporter : ProgressReporter
        Reports progress, and may end the search early with the best partition so far.
    constraints : Constraints, optional
        What is known of the clusters; the partition keeps it.
    """
    model = KMeansModel(points, before.prior)
    known = PointConstraints.of(points, constraints, model.score.scatter)
    stayed = np.flatnonzero(~changes.came)
    if estimates and len(stayed):
        old = replace(model, points=points.some(stayed))
        variance = old.variance(old.clusters(changes.labels[stayed]))
        if variance > 0 < before.tradeoff:
            model = replace(model, multiple=before.tradeoff / (2 * variance))

    def evaluate(clusters: Points, now: Objective[KMeans]) -> tuple[Objective[KMeans], float]:
        if estimates:
            return model.estimate(clusters), model.describe(clusters).nats
        return now, now.value(clusters)

    search = PointUpdateSearch(
        points,
        evaluate,
        inertia=inertia,
        random=random,
        brisk=points.is_large,
        cancel=reporter,
        constraints=known,
    )
    updated = search.run(changes, Objective(model.score, before))
    description = model.describe(model.clusters(updated.found.labels))
    return Fit(updated.found, model, updated.objective, description), updated.untried
