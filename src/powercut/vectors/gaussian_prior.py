r"""The prior on the parameters of Gaussian clusters, estimated from the clusters (empirical Bayes).

The hyperparameters are the prior mean m, the scale b, and their pseudo-counts :math:`\kappa` and
2a. They maximise the marginal likelihood of the current clusters. Each update lowers a tangent
upper bound of minus the summed log marginal likelihood (logarithms are concave), so the marginal
likelihood never falls. Where the prior is strong such steps are short, so pairs of them are
extrapolated. All updates are equivariant: they shift and scale with the features. (The length of
an extrapolation is not; it supposes features of similar variance, and points are standardised.)

A weak hyperprior keeps b away from 0: a factor :math:`\rho e^{-\rho}` for the ratio
:math:`\rho` of the expected to the total variance, with the weight of one more cluster. And the
expected variance is never below the resolution of the data: a millionth of the total, or the
variance of rounding to the smallest step between two values of a feature. Without this floor,
clusters of equal values would be infinitely likely.
"""

from dataclasses import dataclass

import numpy as np

from powercut import _core
from powercut._typing import LABEL, FloatArray
from powercut._utils import cached_property
from powercut.vectors.covariances import Covariance
from powercut.vectors.points import LEAST_VARIANCE, Points
from powercut.vectors.scores import Gaussian

# Weight of the hyperprior, in clusters.
HYPER_WEIGHT = 1.0
LEAST_KAPPA = 1e-6
MAX_STEPS = 100
# Iterate while a step gains more nats than this.
NEGLIGIBLE = 1e-3


@dataclass(frozen=True)
class PooledPoints:
    """All points as one cluster: the reference for hyperparameters.

    Attributes
    ----------
    form : Covariance
        The covariance structure.
    weight : float
        Total weight of the points, and the largest pseudo-count of a prior.
    mean : ndarray of shape (d,)
        Weighted mean.
    variance, floor : ndarray of shape (form.width,)
        Total variance, and the smallest expected variance of a cluster.
    """

    form: Covariance
    weight: float
    mean: FloatArray
    variance: FloatArray
    floor: FloatArray

    @classmethod
    def of(
        cls, points: Points, form: Covariance, *, rounding: FloatArray | None = None
    ) -> "PooledPoints":
        """Compute the statistics of all points.

        `rounding` is the variance of rounding each feature, if `points` are groups, which do not
        show it.
        """
        one = points.aggregate(np.zeros(points.n, dtype=LABEL), 1, form.scatter)
        assert one.scatter is not None
        weight = float(one.weights[0])
        floor = form.of_features(points.rounding if rounding is None else rounding)
        variance = 0.5 * one.scatter[0] / (form.rate * weight)
        # Points are in units in which the variance of a feature is 1.
        floor = np.maximum(floor, LEAST_VARIANCE * form.of_features(np.ones(form.d)))
        return cls(form, weight, one.values[0], form.at_least(variance, floor), floor)

    @cached_property
    def precision(self) -> FloatArray:
        """Inverse of the total variance; shape (form.width,)."""
        return self.form.inverse(self.variance)

    @cached_property
    def log_size(self) -> float:
        """Logarithm of the size of the total variance."""
        return float(self.form.log_size(self.variance))

    def first(self) -> Gaussian:
        """Return initial hyperparameters: the total variance, as a prior of a few points."""
        shape = self.form.least_shape + 0.5
        return Gaussian(self.form, self.mean, 0.1, shape, shape * self.variance)


def estimate(
    clusters: Points,
    whole: PooledPoints,
    start: Gaussian,
    *,
    largest: float,
    negligible: float = NEGLIGIBLE,
) -> Gaussian:
    """Return the hyperparameters that maximise the marginal likelihood of these clusters.

    Parameters
    ----------
    clusters : Points
        The clusters, with their scatter.
    whole : PooledPoints
        All points as one cluster.
    start : Gaussian
        Initial hyperparameters.
    largest : float
        Largest pseudo-count of the prior, in points. With a small one clusters merge and split
        freely; a large one lets the prior hold all clusters to one variance.
    negligible : float
        Iterate while a step gains more nats than this.
    """
    most = min(largest, whole.weight)
    score, before = _step(start, clusters, whole, most)
    for _ in range(MAX_STEPS):
        first, after_first = _step(score, clusters, whole, most)
        if not before - after_first > negligible:
            return first
        second, after = _step(first, clusters, whole, most)
        leap, after_leap = _step(_leap(score, first, second, whole), clusters, whole, most)
        score, before = (leap, after_leap) if after_leap < after else (second, after)
    return score


def _step(
    score: Gaussian, clusters: Points, whole: PooledPoints, largest: float
) -> tuple[Gaussian, float]:
    """Update all hyperparameters once; return them with minus the log-likelihood, up to a constant.

    Mean, kappa and scale each minimise the same tangent bound; the shape is then exact.
    """
    mean, kappa, shape, scale, cost = _core.improve_prior(
        clusters.native,
        score.native,
        whole.precision,
        whole.floor,
        HYPER_WEIGHT,
        LEAST_KAPPA,
        largest,
    )
    score = Gaussian(score.form, mean, kappa, shape, scale)
    return score, cost + _hyper_cost(score, whole)


def _leap(before: Gaussian, first: Gaussian, second: Gaussian, whole: PooledPoints) -> Gaussian:
    """Extrapolate two steps, as far as their lengths suggest (SQUAREM, Varadhan & Roland 2008).

    Steps are slow where the prior is strong: each then moves the scale by a small part of the way.
    """
    form = before.form

    def ahead(u: FloatArray, v: FloatArray, w: FloatArray) -> FloatArray:
        step, turn = v - u, (w - v) - (v - u)
        bend = float(np.linalg.norm(turn))
        length = max(1.0, float(np.linalg.norm(step)) / bend) if bend > 0 else 1.0
        return np.asarray(u + 2 * length * step + length**2 * turn)

    scores = (before, first, second)
    mean = ahead(*(score.mean for score in scores))
    variance = ahead(*(score.scale / score.shape for score in scores))
    counts = ahead(*(np.log([score.kappa, score.shape]) for score in scores))
    kappa, shape = np.exp(np.clip(counts, *np.log([LEAST_KAPPA, whole.weight])))
    shape = max(form.least_shape, float(shape))
    return Gaussian(form, mean, float(kappa), shape, shape * form.at_least(variance, whole.floor))


def _hyper_cost(score: Gaussian, whole: PooledPoints) -> float:
    """Return minus the log of the hyperprior."""
    ratio = score.form.log_size(score.scale / score.shape) - whole.log_size
    trace = whole.precision @ score.scale / score.shape
    return HYPER_WEIGHT * float(trace - ratio)
