"""The model of Gaussian clusters: its data, its estimates, and the fit of given labels."""

from dataclasses import dataclass, replace
from math import log

import numpy as np
import numpy.typing as npt

from powercut._typing import Labels, Random
from powercut.prior import PitmanYor
from powercut.progress import ProgressReporter
from powercut.search.constraints import Constraints
from powercut.search.fit import Description, Fit
from powercut.search.objective import Objective, Regulariser, SearchResult
from powercut.search.prior import bounded_prior
from powercut.vectors.constraints import PointConstraints
from powercut.vectors.covariances import COVARIANCES
from powercut.vectors.gaussian_prior import NEGLIGIBLE, PooledPoints, estimate
from powercut.vectors.multilevel import Multilevel
from powercut.vectors.points import Points
from powercut.vectors.scores import Gaussian
from powercut.vectors.standardised import Standardised

# More points than this are searched briskly: moves of few points are left to the next round.
BRISK = 5000


@dataclass(frozen=True)
class GaussianModel:
    """The data and parameters that are fixed during a search."""

    points: Points
    whole: PooledPoints
    tradeoff: float
    prior: PitmanYor | None
    constraints: PointConstraints | None = None

    @classmethod
    def of(
        cls,
        X: npt.NDArray[np.floating],
        *,
        covariance: str,
        tradeoff: float = 1.0,
        prior: PitmanYor | None = None,
        n_threads: int = 1,
        constraints: Constraints | None = None,
    ) -> tuple["GaussianModel", Standardised]:
        """Standardise points; parameters as in `fit_gaussian`."""
        standard = Standardised.of(X, common=covariance == "spherical")
        points = Points.finest(standard(X), n_threads=n_threads)
        form = COVARIANCES[covariance](len(standard.kept))
        known = PointConstraints.of(points, constraints, form.scatter)
        return cls(points, PooledPoints.of(points, form), tradeoff, prior, known), standard

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
            self.points,
            objective,
            random=random,
            cancel=reporter,
            brisk=self.is_brisk,
            constraints=self.constraints,
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


def in_units_of_data(fit: GaussianFit, standard: Standardised) -> GaussianFit:
    """Return a fit of standardised points with J, and nats, of the points as they were given."""
    extra = fit.model.whole.weight * standard.log_volume
    found = SearchResult(fit.found.labels, fit.found.objective + extra, fit.found.path + extra)
    description = replace(fit.description, data=fit.description.data + extra)
    return replace(fit, found=found, description=description)
