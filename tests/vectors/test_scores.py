"""The Gaussian score and its kernel against the reference implementation in reference.py."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_t, t

import reference
from powercut import _core
from powercut._typing import LABEL
from powercut.partition import compact_labels
from powercut.vectors import gaussian_prior
from powercut.vectors.covariances import COVARIANCES, Diagonal, Full, Spherical
from powercut.vectors.gaussian_prior import PooledPoints, _hyper_cost, _step, estimate
from powercut.vectors.multilevel import Multilevel, value_of
from powercut.vectors.points import Points
from powercut.vectors.scores import Gaussian
from strategies import GaussianProblem, gaussian_problems

exact = {"rel": 1e-8, "abs": 1e-8}
repeatable = settings(deadline=None, derandomize=True, max_examples=80)
each_form = pytest.mark.parametrize("name", sorted(COVARIANCES))


def moves(problem: GaussianProblem, points: Points, labels: np.ndarray, seed: int) -> tuple:
    labels = labels.copy()
    prior = problem.regulariser.native
    gain, n_moves, _ = problem.score.moves(points, labels, len(labels), prior, seed, None)
    return labels, gain, n_moves


@given(gaussian_problems())
@repeatable
def test_objective_equals_the_reference(problem: GaussianProblem) -> None:
    points = Points(problem.X, problem.weight)
    ours = value_of(points, problem.labels, problem.objective)
    assert ours == pytest.approx(problem.j(problem.labels), **exact)


@given(gaussian_problems(), st.integers(0, 100))
@repeatable
def test_gain_is_the_difference_of_two_objectives(problem: GaussianProblem, seed: int) -> None:
    points = Points(problem.X, problem.weight)
    labels, gain, n_moves = moves(problem, points, problem.labels, seed)
    assert gain <= 0
    assert (gain < 0) == (n_moves > 0)
    assert problem.j(labels) - problem.j(problem.labels) == pytest.approx(gain, **exact)


@given(gaussian_problems(), st.integers(0, 100))
@repeatable
def test_moves_end_where_no_move_lowers_j(problem: GaussianProblem, seed: int) -> None:
    labels, _, _ = moves(problem, Points(problem.X, problem.weight), problem.labels, seed)
    end = problem.j(labels)
    for i in range(len(labels)):
        for target in [*np.unique(labels).tolist(), int(labels.max()) + 1]:
            assert problem.j(reference.moved(labels, i, target)) >= end - 1e-8 * (1 + abs(end))


@given(gaussian_problems())
@repeatable
def test_margins_are_the_rise_of_j_in_the_best_other_cluster(problem: GaussianProblem) -> None:
    labels, k = problem.labels, int(problem.labels.max()) + 1
    points = (problem.X, problem.weight, None, None)
    prior, native = problem.regulariser.native, problem.score.native
    margins = _core.gaussian_margins(points, labels, k, prior, native, 1, None)
    j = problem.j(labels)
    for i, margin in enumerate(margins):
        others = [problem.j(reference.moved(labels, i, c)) for c in range(k) if c != labels[i]]
        assert margin == pytest.approx(min(others, default=np.inf) - j, **exact)


@given(gaussian_problems(), st.integers(0, 100))
@repeatable
def test_the_gain_of_a_group_is_that_of_its_points_together(
    problem: GaussianProblem, seed: int
) -> None:
    groups, n_groups = compact_labels(problem.labels)
    coarse = Points(problem.X, problem.weight).aggregate(groups, n_groups, problem.score.scatter)
    start = np.arange(n_groups, dtype=LABEL) // 2
    labels, gain, _ = moves(problem, coarse, start, seed)
    assert problem.j(labels[groups]) - problem.j(start[groups]) == pytest.approx(gain, **exact)


@given(gaussian_problems())
@repeatable
def test_groups_of_groups_have_the_scatter_of_their_points(problem: GaussianProblem) -> None:
    points, form = Points(problem.X, problem.weight), problem.score.form
    groups, n_groups = compact_labels(problem.labels)
    once = points.aggregate(groups // 2, (n_groups + 1) // 2, form.scatter)
    twice = points.aggregate(groups, n_groups, form.scatter).aggregate(
        np.arange(n_groups, dtype=LABEL) // 2, (n_groups + 1) // 2, form.scatter
    )
    np.testing.assert_allclose(twice.values, once.values, atol=1e-12)
    np.testing.assert_allclose(twice.scatter, once.scatter, atol=1e-10)
    np.testing.assert_array_equal(twice.counts, once.counts)


@given(gaussian_problems(), st.integers(0, 100))
@repeatable
def test_search_lowers_j_at_every_step(problem: GaussianProblem, seed: int) -> None:
    search = Multilevel(
        Points(problem.X, problem.weight),
        problem.objective,
        random=np.random.default_rng(seed),
    )
    labels = search.improve(problem.labels)
    assert search.path[-1] == pytest.approx(problem.j(labels), **exact)
    assert np.diff(search.path).max(initial=0) <= 1e-10 * np.abs(search.path).max()


def test_the_marginal_likelihood_is_a_chain_of_student_t_densities() -> None:
    x = np.random.default_rng(0).normal(1, 2, 6)
    m, kappa, a, b = 0.5, 0.7, 1.5, 2.0
    nats = 0.0
    for value in x:
        nats -= t.logpdf(value, 2 * a, m, np.sqrt(b * (kappa + 1) / (a * kappa)))
        b += kappa * (value - m) ** 2 / (2 * (kappa + 1))
        m, kappa, a = (kappa * m + value) / (kappa + 1), kappa + 1, a + 0.5
    for form in (Diagonal(1), Spherical(1), Full(1)):
        score = Gaussian(form, np.array([0.5]), 0.7, 1.5, np.array([2.0]))
        one = Points(x[:, None]).aggregate(np.zeros(6, LABEL), 1, form.scatter)
        assert score.cost(one)[0] == pytest.approx(nats, rel=1e-12)


def test_a_point_of_a_full_cluster_has_a_multivariate_t_density() -> None:
    random = np.random.default_rng(0)
    half = random.normal(size=(5, 3))
    scale, shape, kappa, x = half.T @ half, 4.0, 0.5, random.normal(size=3)
    freedom = 2 * shape - 2
    matrix = 2 * scale * (kappa + 1) / (kappa * freedom)
    expected = -multivariate_t.logpdf(x, np.zeros(3), matrix, df=freedom)
    score = Gaussian(Full(3), np.zeros(3), kappa, shape, scale.ravel())
    assert score.cost(Points(x[None], scatter=np.zeros((1, 9))))[0] == pytest.approx(expected)


# Estimates of hyperparameters.


def clusters_of(name: str, *, k: int = 30, size: int = 20, d: int = 3, seed: int = 0) -> tuple:
    random = np.random.default_rng(seed)
    labels = np.repeat(np.arange(k, dtype=LABEL), size)
    spread = random.uniform(0.5, 2.0, k)[labels, None]
    X = random.normal(0, 4, (k, d))[labels] + spread * random.normal(size=(k * size, d))
    points, form = Points(X), COVARIANCES[name](d)
    return points.aggregate(labels, k, form.scatter), PooledPoints.of(points, form)


@each_form
def test_estimated_hyperparameters_maximise_the_marginal_likelihood(name: str) -> None:
    clusters, whole = clusters_of(name)
    best = estimate(clusters, whole, whole.first(), largest=np.inf)

    def cost(score: Gaussian) -> float:
        return float(score.cost(clusters).sum()) + _hyper_cost(score, whole)

    lowest = cost(best)
    for step in (0.9, 1.1):
        scaled = best.scale * step
        for other in (
            Gaussian(best.form, best.mean, best.kappa * step, best.shape, best.scale),
            Gaussian(best.form, best.mean, best.kappa, best.shape * step, best.scale * step),
            Gaussian(best.form, best.mean, best.kappa, best.shape, scaled),
            Gaussian(best.form, best.mean + 5 * (step - 1), best.kappa, best.shape, best.scale),
        ):
            assert cost(other) > lowest - 0.01


@each_form
def test_each_step_of_an_estimate_lowers_the_cost_that_it_returns(name: str) -> None:
    clusters, whole = clusters_of(name)
    score, before = _step(whole.first(), clusters, whole, whole.weight)
    constant = 0.5 * score.form.d * np.log(2 * np.pi) * clusters.weights.sum()
    for _ in range(10):
        score, cost = _step(score, clusters, whole, whole.weight)
        assert cost <= before + 1e-9
        expected = score.cost(clusters).sum() + _hyper_cost(score, whole)
        assert cost + constant == pytest.approx(expected, rel=1e-12)
        before = cost


@each_form
def test_extrapolated_estimates_take_fewer_steps_to_the_same_cost(name: str) -> None:
    # Clusters of equal variance: the prior is strong, and steps are short.
    random = np.random.default_rng(0)
    labels = np.repeat(np.arange(12, dtype=LABEL), 40)
    points = Points(random.normal(0, 4, (12, 4))[labels] + random.normal(size=(480, 4)))
    form = COVARIANCES[name](4)
    clusters, whole = points.aggregate(labels, 12, form.scatter), PooledPoints.of(points, form)

    def estimate_counting_steps() -> tuple[float, int]:
        with mock.patch.object(gaussian_prior, "_step", wraps=_step) as step:
            best = estimate(clusters, whole, whole.first(), largest=np.inf)
        return float(best.cost(clusters).sum()) + _hyper_cost(best, whole), step.call_count

    cost, n_steps = estimate_counting_steps()
    with mock.patch.object(gaussian_prior, "_leap", lambda _before, _first, second, _whole: second):
        slow, n_slow = estimate_counting_steps()
    assert n_steps < n_slow
    assert cost < slow + 0.01


@each_form
def test_one_cluster_and_singletons_have_finite_estimates(name: str) -> None:
    X = np.random.default_rng(0).normal(size=(40, 3))
    form = COVARIANCES[name](3)
    whole = PooledPoints.of(Points(X), form)
    for labels in (np.zeros(40, LABEL), np.arange(40, dtype=LABEL)):
        clusters = Points(X).aggregate(labels, int(labels.max()) + 1, form.scatter)
        score = estimate(clusters, whole, whole.first(), largest=np.inf)
        assert np.isfinite(score.cost(clusters).sum())
        assert 0 < score.kappa <= 40 * (1 + 1e-9)
        assert score.shape <= 20 * (1 + 1e-9)


def test_equal_values_are_not_infinitely_likely() -> None:
    X = np.repeat([[0.0], [1.0], [2.0]], 20, axis=0)
    whole = PooledPoints.of(Points(X), Diagonal(1))
    clusters = Points(X).aggregate(np.repeat([0, 1, 2], 20).astype(LABEL), 3, Diagonal(1).scatter)
    score = estimate(clusters, whole, whole.first(), largest=np.inf)
    assert score.scale[0] / score.shape >= 1 / 12 - 1e-12


@pytest.mark.parametrize("d", [1, 7, 8, 19])
@each_form
def test_the_log_size_with_a_point_is_that_of_the_grown_scale(name: str, d: int) -> None:
    form, random = COVARIANCES[name](d), np.random.default_rng(d)
    x, mean = random.normal(size=(70, d)), random.normal(size=(2, d))
    scale = form.of_features(1 + random.random(d)) + form.squares(random.normal(size=(2, d)))
    part = np.array([0.3, 0.4])
    expected = [form.log_size(scale[c] + part[c] * form.squares(x - mean[c])) for c in (0, 1)]
    for rows in (x, np.asfortranarray(x)):
        found = form.grown_log_sizes(scale, part, rows, mean)
        np.testing.assert_allclose(found, np.transpose(expected), rtol=1e-12)


def test_products_of_huge_squares_do_not_overflow() -> None:
    form, x = COVARIANCES["diagonal"](20), np.full((2, 20), 1e150)
    found = form.grown_log_sizes(np.ones((1, 20)), np.array([0.5]), x, np.zeros((1, 20)))
    np.testing.assert_allclose(found, 20 * (np.log(0.5) + 300 * np.log(10)))
