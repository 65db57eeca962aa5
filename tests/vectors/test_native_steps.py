"""Native steps of a fit of Gaussian clusters, beside the same steps in NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

from powercut import _core
from powercut._typing import LABEL, FloatArray, Labels
from powercut.vectors.covariances import COVARIANCES, Covariance
from powercut.vectors.gaussian_prior import HYPER_WEIGHT, LEAST_KAPPA, PooledPoints
from powercut.vectors.points import Points
from powercut.vectors.scores import Gaussian

SEEDS = st.integers(0, 2**32 - 1)


def some_points(seed: int, n: int, d: int) -> tuple[Points, Labels, int]:
    """Return points of a few overlapping clusters, compact labels and their number."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 5))
    labels = np.append(np.arange(k), rng.integers(k, size=n - k)).astype(LABEL)
    values = rng.normal(size=(k, d))[labels] + rng.exponential(size=d) * rng.normal(size=(n, d))
    return Points(values, weight=rng.exponential(size=n) + 0.1), labels, k


class NumPyStep:
    """One update of all hyperparameters, as in `powercut.vectors.gaussian_prior`."""

    def __init__(self, clusters: Points, score: Gaussian, whole: PooledPoints, most: float) -> None:
        form, weight, d = score.form, clusters.weights, score.form.d
        self.form, self.clusters = form, clusters
        shapes = score.shape + form.rate * weight
        precisions = shapes[:, None] * form.inverse(score.posterior_scale(clusters))
        share = weight / (score.kappa + weight)
        self.mean = self._weighted_mean(precisions * share[:, None])
        length = self._squared_lengths(clusters.values - self.mean, precisions)
        slope = (d / (score.kappa + weight) + length * share**2).sum()
        self.kappa = min(max(d * clusters.n / slope, LEAST_KAPPA), most)
        precision = precisions.sum(axis=0) + HYPER_WEIGHT / score.shape * whole.precision
        scale = (clusters.n * score.shape + HYPER_WEIGHT) * form.inverse(precision)
        scale = form.at_least(scale, score.shape * whole.floor)
        self.variance = scale / score.shape
        between = Gaussian(form, self.mean, self.kappa, score.shape, scale)
        self.rest = between.posterior_scale(clusters) - scale

    def cost(self, log_shape: float) -> float:
        """Return the cost of all clusters, without the terms of pi."""
        form, weight, shape = self.form, self.clusters.weights, np.exp(log_shape)
        more, size = form.rate * weight, form.log_size(self.variance)
        rise = form.log_size(self.variance + self.rest / shape) - size
        arguments = form.shapes(shape)
        gammas = (gammaln(arguments + more[:, None]) - gammaln(arguments)).sum()
        cost = (shape + more) @ rise + (form.degree * log_shape + size) * more.sum()
        kappas = 0.5 * form.d * np.log1p(weight / self.kappa).sum()
        return float(cost - form.times * gammas + kappas)

    def _matrices(self, precisions: FloatArray) -> FloatArray:
        d, k = self.form.d, len(precisions)
        if self.form.width == d * d and d > 1:
            return precisions.reshape(k, d, d)
        return np.stack([np.diag(np.broadcast_to(row, d)) for row in precisions])

    def _weighted_mean(self, precisions: FloatArray) -> FloatArray:
        matrices = self._matrices(precisions)
        pull = np.einsum("cij,cj->i", matrices, self.clusters.values)
        return np.asarray(np.linalg.solve(matrices.sum(axis=0), pull))

    def _squared_lengths(self, away: FloatArray, precisions: FloatArray) -> FloatArray:
        return np.asarray(np.einsum("ci,cij,cj->c", away, self._matrices(precisions), away))


@pytest.mark.parametrize("name", sorted(COVARIANCES))
@given(seed=SEEDS, d=st.integers(1, 5))
def test_a_step_of_the_prior_is_that_of_numpy(name: str, seed: int, d: int) -> None:
    points, labels, k = some_points(seed, 40, d)
    form: Covariance = COVARIANCES[name](d)
    clusters, whole = points.aggregate(labels, k, form.scatter), PooledPoints.of(points, form)
    now, most = whole.first(), 30.0
    for _ in range(2):  # the second from where no number is a default
        arguments = whole.precision, whole.floor, HYPER_WEIGHT, LEAST_KAPPA, most
        mean, kappa, shape, scale, cost = _core.improve_prior(
            clusters.native, now.native, *arguments
        )
        expected = NumPyStep(clusters, now, whole, most)
        np.testing.assert_allclose(mean, expected.mean, rtol=1e-8, atol=1e-10)
        assert kappa == pytest.approx(expected.kappa, rel=1e-8)
        np.testing.assert_allclose(scale, shape * expected.variance, rtol=1e-8, atol=1e-12)
        assert cost == pytest.approx(expected.cost(np.log(shape)), rel=1e-9, abs=1e-8)
        low = max(form.least_shape, now.shape / 8)
        high = min(max(form.least_shape, most / 2), now.shape * 8)
        if low < high:
            bounds = np.log(low), np.log(high)
            best = minimize_scalar(
                expected.cost, bounds=bounds, method="bounded", options={"xatol": 1e-2}
            )
            assert cost <= min(best.fun, expected.cost(np.log(now.shape))) + 1e-6
        now = Gaussian(form, mean, kappa, shape, scale)


def halves_by_numpy(
    points: Points, labels: Labels, k: int, keys: FloatArray, steps: int
) -> tuple[Labels, FloatArray]:
    """Return halves of clusters, and by how much each point is nearer to its own at the end."""
    values, weights = points.values, points.weights
    members = [np.flatnonzero(labels == c) for c in range(k)]
    first = np.array([some[keys[0, some].argmax()] for some in members])
    to_first = np.square(values - values[first][labels]).sum(axis=1)
    with np.errstate(divide="ignore"):
        far = np.log(weights * to_first) + keys[1]
    second = np.array([some[far[some].argmax()] for some in members])
    gap = np.square(values - values[second][labels]).sum(axis=1) - to_first
    for _ in range(steps):
        nearer = gap < 0
        for c, some in enumerate(members):
            one, two = some[~nearer[some]], some[nearer[some]]
            gap[some] = np.inf
            if len(one) and len(two):
                means = [
                    np.average(values[part], axis=0, weights=weights[part]) for part in (one, two)
                ]
                squares = [np.square(values[some] - mean).sum(axis=1) for mean in means]
                gap[some] = squares[1] - squares[0]
            elif len(two):
                gap[some] = -np.inf
            assert labels[some[0]] == c
    return (2 * labels + (gap < 0)).astype(LABEL), np.abs(gap)


@given(seed=SEEDS, d=st.integers(1, 4), steps=st.integers(0, 3))
def test_halves_are_those_of_numpy(seed: int, d: int, steps: int) -> None:
    points, labels, k = some_points(seed, 30, d)
    keys = np.random.default_rng(seed).gumbel(size=(2, 30))
    found = [
        _core.halve(points.native, labels, k, keys[0], keys[1], steps, n_threads)
        for n_threads in (1, 2)
    ]
    np.testing.assert_array_equal(found[0], found[1])
    expected, gap = halves_by_numpy(points, labels, k, keys, steps)
    if gap.min() > 1e-9:  # no point is between two means
        np.testing.assert_array_equal(found[0], expected)
