r"""Gaussian clusters with nothing to set.

From each of several starts, what is expected of a cluster (`powercut.gaussian_prior`)
and the Pitman-Yor prior are estimated at the current labels, and the labels improved at
these estimates, until they stay. First no expectation may be worth more than a few
points, so that clusters are free to merge and to split; then as much as the clusters
agree on. The starts are ranked by J, which at tradeoff 1 is the nats that describe the
points, one cluster always among them. A large set is searched from one start, by way of a
sample (`powercut.search.sampling`), and briskly.
"""

from dataclasses import dataclass, replace
from math import log

import numpy as np
import numpy.typing as npt

from powercut._engine import PointsEngine
from powercut._slices import slices
from powercut.covariances import COVARIANCES
from powercut.gaussian_prior import Whole, estimate
from powercut.partition import Labels, compact_labels
from powercut.points import ROWS_AT_ONCE, Points, mean_and_variance, varies
from powercut.prior import PitmanYor, bounded_prior
from powercut.progress import Watch
from powercut.search.objective import Found, Random, Regulariser
from powercut.search.points import PointsSearch, objective
from powercut.search.sampling import carry_over, seeded_sample
from powercut.search.schedule import Start, given, run_starts, seed_starts
from powercut.vector_scores import Gaussian

FloatArray = npt.NDArray[np.float64]

MAX_ROUNDS = 12
# What a round usually takes of the time that is left.
ROUND = 0.4
# Points that an expectation may be worth while clusters still merge and split.
FEW = 2.0
# Clusters to start from at most: more take long and merge to the same.
MOST_SEEDS = 1000


@dataclass(frozen=True)
class Standardised:
    """Points with each feature shifted to mean 0 and scaled to deviation 1.

    Features that are constant are left out: they tell no two points apart. With one
    common scale, all features keep their proportions.

    Attributes
    ----------
    mean, deviation : ndarray of shape (d,)
        What was subtracted from the features that are kept, and what divided them.
    kept : ndarray of int
        Which features these are.
    """

    mean: FloatArray
    deviation: FloatArray
    kept: npt.NDArray[np.intp]

    @classmethod
    def of(cls, X: npt.NDArray[np.floating], *, common: bool) -> "Standardised":
        """Find means and deviations."""
        mean, variance = mean_and_variance(X)
        # The mean of a feature that is constant may be off by rounding.
        kept = np.flatnonzero((variance > 0) & varies(X))
        mean, deviation = mean[kept], np.sqrt(variance[kept])
        if not len(kept):  # all points are one, to which any feature will do
            return cls(X[0, :1].astype(np.float64), np.ones(1), np.zeros(1, dtype=np.intp))
        if common:
            deviation = np.full(len(kept), np.sqrt(np.mean(deviation**2)))
        return cls(mean, deviation, kept)

    def __call__(self, X: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
        """Return rows in standard units."""
        standard = np.empty((len(X), len(self.kept)), dtype=X.dtype)
        for rows in slices(len(X), ROWS_AT_ONCE):
            standard[rows] = (X[rows, self.kept] - self.mean) / self.deviation
        return standard

    @property
    def log_volume(self) -> float:
        """Nats that a unit of weight costs more in the units of X."""
        return float(np.log(self.deviation).sum())


@dataclass(frozen=True)
class GaussianFit:
    """A partition, and the estimates it was found with, in standard units.

    Attributes
    ----------
    found : Found
        Labels, and J in the units of X.
    score, regulariser : Gaussian, Regulariser
        What J is made of.
    description_length : float
        Nats, in the units of X.
    """

    found: Found
    score: Gaussian
    regulariser: Regulariser
    description_length: float


@dataclass(frozen=True)
class GaussianModel:
    """What does not change during a search."""

    points: Points
    whole: Whole
    tradeoff: float
    prior: PitmanYor | None

    def estimate(
        self, labels: Labels, start: Gaussian, *, largest: float
    ) -> tuple[Gaussian, Regulariser]:
        """Return the estimates at these labels."""
        clusters = self.points.aggregate(labels, int(labels.max()) + 1, self.whole.form.scatter)
        score = estimate(clusters, self.whole, start, largest=largest)
        return score, Regulariser(self.prior or bounded_prior(clusters.counts), self.tradeoff)


def fit_gaussian(
    X: npt.NDArray[np.floating],
    *,
    covariance: str = "diagonal",
    tradeoff: float = 1.0,
    prior: PitmanYor | None = None,
    labels: Labels | None = None,
    n_init: int = 1,
    n_jobs: int = 1,
    engine: PointsEngine | None = None,
    random: Random,
    watch: Watch,
) -> tuple[GaussianFit, Standardised]:
    """Find the partition of shortest description from several starts.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The points.
    covariance : {"diagonal", "spherical", "full"}
        The form of the clusters.
    tradeoff : float
        What the prior counts against the likelihood.
    prior : PitmanYor, optional
        Estimated where it is not given.
    labels : ndarray of int32, optional
        The one start to take, in place of the several.
    n_init : int
        How many times each random start is drawn.
    n_jobs : int
        How many searches run at once; the result does not depend on it.
    engine : PointsEngine, optional
        Who looks at the points of a large set; the result does not depend on it.
    random : numpy.random.Generator
        Decides seeds and random orders.
    watch : Watch
        Ends the search after a time with the best so far, and hears how far it is.
    """
    standard = Standardised.of(X, common=covariance == "spherical")
    points = Points.finest(standard(X), n_threads=n_jobs, engine=engine)
    form = COVARIANCES[covariance](len(standard.kept))
    model = GaussianModel(points, Whole.of(points, form), tradeoff, prior)

    def from_sample(own: Random, watch: Watch) -> Labels:
        with watch.part(0.5):
            sample, seeds = seeded_sample(points, own, watch)
            part = replace(model, points=sample)
            fit = alternate(part, seeds, random=own, watch=watch, brisk=True)
        j = fit.score, fit.regulariser
        return carry_over(sample, fit.found.labels, points, *j, random=own, watch=watch)

    one = np.zeros(points.n, dtype=np.int32)
    starts: list[Start] = [given(one)]
    if labels is not None:
        starts = [given(labels)]
    elif points.is_large:
        starts = [from_sample] * n_init
    elif np.ptp(points.values) > 0:
        starts += seed_starts(points.rough_distances(), points.weights, n_init, most=MOST_SEEDS)

    def improve(start: Labels, own: Random, watch: Watch) -> GaussianFit:
        # What labels that somebody has are worth, nobody knows; those of a sample were searched.
        roughly = (False, True) if labels is not None else (not points.is_large,)
        fits = [alternate(model, start, rough=r, random=own, watch=watch) for r in roughly]
        return min(fits, key=rank)

    fit = run_starts(
        starts,
        improve,
        rank=rank,
        large=points.is_large,
        n_jobs=n_jobs,
        random=random,
        watch=watch,
    )
    if points.is_large and labels is None:
        fit = min(fit, as_it_is(model, one), key=rank)
    extra = model.whole.weight * standard.log_volume
    found = Found(fit.found.labels, fit.found.objective + extra, fit.found.path + extra)
    length = fit.description_length + extra
    return replace(fit, found=found, description_length=length), standard


def rank(fit: GaussianFit) -> float:
    """Return J; of more clusters than half the points, where no variance can be told, no number."""
    k, n = int(fit.found.labels.max()) + 1, len(fit.found.labels)
    return np.inf if k > 1 and 2 * k > n else fit.found.objective


def as_it_is(model: GaussianModel, labels: Labels) -> GaussianFit:
    """Return the fit of labels that nobody moves."""
    score, regulariser = model.estimate(labels, model.whole.first(), largest=np.inf)
    j = objective(model.points, labels, score, regulariser)
    found = Found(labels, j, np.array([j]))
    return GaussianFit(found, score, regulariser, description_length(model, found, regulariser))


def alternate(
    model: GaussianModel,
    labels: Labels,
    *,
    rough: bool = True,
    random: Random,
    watch: Watch,
    brisk: bool | None = None,
) -> GaussianFit:
    """Estimate and search in turn until the labels stay; then search to the end.

    Rough labels, such as cells around seeds, say little of what to expect of a cluster:
    from them clusters first merge and split freely. A brisk search, which is usual for a
    large set, ends where a round gains little.
    """
    labels = compact_labels(labels)[0]
    score = model.whole.first()
    brisk = model.points.is_large if brisk is None else brisk

    def search_at(largest: float) -> PointsSearch:
        nonlocal score
        score, regulariser = model.estimate(labels, score, largest=largest)
        return PointsSearch(
            model.points, score, regulariser, random=random, cancel=watch, brisk=brisk
        )

    if rough and not watch.expired():
        # Whole clusters that merge before their points have found their places merge too much.
        labels = search_at(FEW).move_points(labels)
    settled: PointsSearch | None = None
    for largest in (FEW, np.inf) if rough else (np.inf,):
        last, settled = np.inf, None
        for _ in range(MAX_ROUNDS):
            if watch.expired():
                break
            before, search = labels, search_at(largest)
            with watch.part(ROUND):
                labels = search.cycle(labels)
            j = search.path[-1]
            if np.array_equal(before, labels):
                settled = search
                break
            if brisk and last - j < search.negligible * abs(j):
                break
            last = j
    search = settled or search_at(np.inf)
    labels = search.improve(labels)
    regulariser = search.regulariser
    path = np.asarray(search.path)
    found = Found(labels, float(path[-1]), path)
    return GaussianFit(found, score, regulariser, description_length(model, found, regulariser))


def description_length(model: GaussianModel, found: Found, regulariser: Regulariser) -> float:
    """Return the nats that describe the points: J at tradeoff 1, and its estimates.

    Each number that was estimated costs half the logarithm of the number of points.
    """
    sizes = np.bincount(found.labels)
    prior = replace(regulariser, tradeoff=1.0)
    likelihood = found.objective - regulariser.value(sizes)
    estimated = model.whole.form.d + model.whole.form.n_parameters + 2
    estimated += 2 if model.prior is None else 0
    return likelihood + prior.value(sizes) + 0.5 * estimated * log(len(found.labels))
