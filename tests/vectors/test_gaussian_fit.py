"""Parameter-free fits of vectors: Gaussian clusters, and k-means with an estimated tradeoff."""

from collections.abc import Iterator
from itertools import count
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pytest
from scipy.stats import t
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import reference
from powercut import PowerLawKernelMeans, PowerLawMeans
from powercut._typing import LABEL
from powercut.datasets import make_blobs
from powercut.prior import PitmanYor
from powercut.progress import ProgressReporter
from powercut.search.prior import bounded_prior
from powercut.search.seeding import seed_clusters
from powercut.vectors.covariances import COVARIANCES
from powercut.vectors.gaussian_fit import (
    BEHIND,
    NEAR,
    ROUGHLY,
    explore,
    promising,
    refine,
)
from powercut.vectors.gaussian_model import GaussianModel, evaluate
from powercut.vectors.gaussian_prior import PooledPoints
from powercut.vectors.kmeans_fit import KMeansModel
from powercut.vectors.points import Points
from powercut.vectors.standardised import Standardised

POINTS, TRUTH = make_blobs(300, n_features=5, random_state=2)
POINTS = POINTS.astype(np.float64)
each_covariance = pytest.mark.parametrize("covariance", ["diagonal", "spherical", "full"])


@each_covariance
def test_planted_clusters_are_found_with_default_parameters(covariance: str) -> None:
    X, truth = make_blobs(600, n_features=8, random_state=0)
    model = PowerLawMeans(covariance=covariance, random_state=0).fit(X)
    assert normalized_mutual_info_score(truth, model.labels_) > 0.95


@each_covariance
@pytest.mark.parametrize("d", [2, 10])
def test_one_gaussian_is_one_cluster(covariance: str, d: int) -> None:
    X = np.random.default_rng(d).normal(size=(800, d))
    with pytest.warns(UserWarning, match="No more than one cluster is supported.* 800 points"):
        model = PowerLawMeans(covariance=covariance, random_state=0).fit(X)
    assert model.n_clusters_ == 1
    assert np.isinf(model.cluster_evidence_).all()


@each_covariance
def test_labels_are_invariant_to_shifting_and_scaling(covariance: str) -> None:
    random = np.random.default_rng(0)
    scale = random.uniform(0.01, 100, 5) if covariance != "spherical" else np.full(5, 7.0)
    moved = POINTS * scale + random.normal(0, 10, 5)
    one, other = (
        PowerLawMeans(covariance=covariance, random_state=0).fit(X) for X in (POINTS, moved)
    )
    np.testing.assert_array_equal(one.labels_, other.labels_)
    nats = len(POINTS) * np.log(scale).sum()
    assert other.objective_ == pytest.approx(one.objective_ + nats, rel=1e-6)
    assert other.description_length_ == pytest.approx(one.description_length_ + nats, rel=1e-6)


@pytest.mark.parametrize("covariance", ["spherical", "full"])
def test_labels_are_invariant_to_rotation(covariance: str) -> None:
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 5)))[0]
    start = PowerLawMeans(covariance=covariance, random_state=0).fit(POINTS).labels_
    one, other = (
        PowerLawMeans(covariance=covariance, random_state=0, init=start).fit(X)
        for X in (POINTS, POINTS @ turn)
    )
    np.testing.assert_array_equal(one.labels_, other.labels_)
    assert other.objective_ == pytest.approx(one.objective_, rel=1e-4)


@each_covariance
def test_objective_equals_j_of_the_labels(covariance: str) -> None:
    weight = np.ones(len(POINTS))
    model = PowerLawMeans(covariance=covariance, tradeoff=1.5, random_state=0)
    model.fit(POINTS)
    kept = model._gaussian
    j = reference.gaussian_objective(
        kept.standard(POINTS),
        weight,
        model.labels_,
        kept.objective.score.native,
        PitmanYor(model.concentration_, model.discount_),
        1.5,
    )
    j += weight.sum() * np.log(kept.standard.deviation).sum()
    assert model.objective_ == pytest.approx(j, rel=1e-9)


def test_description_length_is_j_plus_the_cost_of_its_estimates() -> None:
    model = PowerLawMeans(random_state=0).fit(POINTS)
    estimates = 5 + 5 + 2 + 2
    nats = model.objective_ + 0.5 * estimates * np.log(300)
    assert model.description_length_ == pytest.approx(nats, rel=1e-12)
    heavy = PowerLawMeans(tradeoff=2.0, random_state=0).fit(POINTS)
    prior = PitmanYor(heavy.concentration_, heavy.discount_)
    nats = heavy.objective_ + prior.log_prob(heavy.cluster_sizes_) + 0.5 * estimates * np.log(300)
    assert heavy.description_length_ == pytest.approx(nats, rel=1e-12)


def test_constant_features_and_equal_points_are_handled() -> None:
    plain = PowerLawMeans(random_state=0).fit(POINTS)
    padded = np.column_stack([np.full(300, 0.1), POINTS, np.zeros(300)])
    with_constants = PowerLawMeans(random_state=0).fit(padded)
    np.testing.assert_array_equal(plain.labels_, with_constants.labels_)
    assert with_constants.cluster_centers_.shape == (plain.n_clusters_, 7)
    np.testing.assert_array_equal(with_constants.predict(padded + 0.0), plain.labels_)
    with pytest.warns(UserWarning, match="No more than one cluster"):
        same = PowerLawMeans(random_state=0).fit(np.ones((6, 3)))
    assert same.n_clusters_ == 1
    np.testing.assert_array_equal(same.predict(np.zeros((2, 3))), 0)
    assert PowerLawMeans(random_state=0).fit([[1.0, 2.0]]).n_clusters_ == 1


def test_new_points_go_where_the_student_t_density_is_largest() -> None:
    model = PowerLawMeans(random_state=0).fit(POINTS)
    new = np.random.default_rng(1).normal(0, 2, (20, 5))
    kept, x = model._gaussian, model._gaussian.standard(new)
    score, logs = kept.objective.score, np.empty((20, model.n_clusters_))
    scale = score.posterior_scale(kept.clusters)
    for c, weight in enumerate(model.cluster_sizes_):
        kappa, a = score.kappa + weight, score.shape + weight / 2
        mean = (score.kappa * score.mean + weight * kept.clusters.values[c]) / kappa
        width = np.sqrt(scale[c] * (kappa + 1) / (a * kappa))
        logs[:, c] = t.logpdf(x, 2 * a, mean, width).sum(axis=1)
        logs[:, c] += np.log(weight - model.discount_)
    np.testing.assert_array_equal(model.predict(new), logs.argmax(axis=1))
    p = np.exp(logs - logs.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(new), p, rtol=1e-6, atol=1e-12)


@each_covariance
def test_training_points_are_taken_out_of_their_cluster_first(covariance: str) -> None:
    X = POINTS[:200]
    weight = np.ones(len(X))
    model = PowerLawMeans(covariance=covariance, random_state=0).fit(X)
    assert model.n_clusters_ > 1
    kept = model._gaussian
    x = kept.standard(X)
    prior = PitmanYor(model.concentration_, model.discount_)
    rows = np.r_[:3, np.flatnonzero(model.cluster_sizes_[model.labels_] == 1)[:2]]
    costs = kept.costs(X[rows], rows)
    for row, cost in zip(rows, costs, strict=True):
        js = [
            reference.gaussian_objective(
                x,
                weight,
                reference.moved(model.labels_, row, c),
                kept.objective.score.native,
                prior,
                1.0,
            )
            for c in range(model.n_clusters_)
        ]
        np.testing.assert_allclose(cost - cost.min(), np.array(js) - min(js), atol=1e-7)


def test_the_estimated_prior_never_makes_singletons_free() -> None:
    heavy = np.r_[
        2, np.ones(60, int), 500
    ]  # most likely: a discount above 0.9, a concentration below 0
    assert PitmanYor.fit(heavy).discount > 0.9
    for sizes in (np.ones(100, int), np.array([100]), np.array([40, 30, 20, 5, 3, 1, 1]), heavy):
        prior = bounded_prior(sizes)
        assert prior.discount <= 0.9
        assert prior.concentration <= np.sqrt(sizes.sum())
    assert bounded_prior(np.ones(1000, int)).log_prob(np.ones(1000, int)) < -50


def fit_to_given_labels(X: Any, labels: Any, default_start: str) -> Any:
    """Fit from labels, and check that the default start is used only without labels."""
    refused = AssertionError("default start used")
    with mock.patch(f"powercut.vectors.gaussian_fit.{default_start}", side_effect=refused):
        model = PowerLawMeans(init=labels, random_state=0).fit(X)
        with pytest.raises(AssertionError, match="default start used"):
            PowerLawMeans(random_state=0).fit(X)
    return model


def test_given_labels_are_the_only_start() -> None:
    model = fit_to_given_labels(POINTS, TRUTH, "seed_starts")
    assert normalized_mutual_info_score(TRUTH, model.labels_) > 0.9


def test_constant_features_are_not_standardised() -> None:
    X = np.column_stack([np.ones(50), np.random.default_rng(0).normal(3, 5, (50, 2))])
    standard = Standardised.of(X, common=False)
    np.testing.assert_array_equal(standard.kept, [1, 2])
    np.testing.assert_allclose(standard(X).mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(standard(X).std(axis=0), 1)
    assert np.ptp(Standardised.of(X, common=True).deviation) == 0


# Starts: explored, given up, refined.


PARTITIONS = count()


def ended_at(j: float, k: int = 2, n: int = 40) -> Any:
    """Return a fit of n points in k clusters, as far as ranking is concerned."""
    labels = np.eye(n, dtype=LABEL)[next(PARTITIONS)]  # other ones each time
    return SimpleNamespace(n_clusters=k, found=SimpleNamespace(objective=j, labels=labels))


def test_starts_far_behind_the_best_are_given_up() -> None:
    for j_of_one, limit in ((1e6, 1e6 * BEHIND), (100.0, NEAR)):
        one = ended_at(j_of_one, 1)
        fits = [ended_at(j) for j in (limit + 0.1, limit - 0.1, 0.0, 2 * limit)]
        assert promising(fits, one) == [fits[2], fits[1]]
    assert promising([one], one) == [one]
    worse = [ended_at(101.0), ended_at(100.5), ended_at(101.0 + NEAR)]  # than one cluster
    assert promising(worse, one) == [worse[1], worse[0]]
    too_many = ended_at(-5.0, k=21)
    assert promising([too_many, *fits], one) == [fits[2], fits[1]]


def test_starts_that_lead_to_the_same_clusters_are_searched_once() -> None:
    one, first, second = ended_at(100.0, 1), ended_at(0.0), ended_at(1.0)
    renamed = ended_at(0.0)
    renamed.found.labels = 1 - first.found.labels
    assert promising([second, first, renamed], one) == [renamed, second]


@pytest.mark.filterwarnings("ignore:.*Gaussian")
def test_few_points_are_searched_so_thoroughly_that_the_seed_does_not_matter() -> None:
    X = make_blobs(200, n_features=3, random_state=2)[0]
    fits = [PowerLawMeans(covariance="spherical", random_state=seed).fit(X) for seed in range(4)]
    assert np.ptp([fit.objective_ for fit in fits]) < 0.1


def model_of(X: np.ndarray, covariance: str) -> GaussianModel:
    points, form = Points(X), COVARIANCES[covariance](X.shape[1])
    return GaussianModel(points, PooledPoints.of(points, form), 1.0, None)


@each_covariance
def test_a_round_of_exploring_leaves_labels_of_a_lower_j(covariance: str) -> None:
    model = model_of(Standardised.of(POINTS, common=True)(POINTS), covariance)
    points = model.points
    random, reporter = np.random.default_rng(0), ProgressReporter()
    seeds = seed_clusters(points.squared_distances, points.weights, 60, random)
    first = explore(model, seeds, random, reporter)
    assert first.found.objective < evaluate(model, seeds).found.objective
    again = evaluate(model, first.found.labels, first.objective.score)
    assert first.found.objective == pytest.approx(again.found.objective, abs=10 * ROUGHLY)
    second = explore(model, first.found.labels, random, reporter, score=first.objective.score)
    assert normalized_mutual_info_score(TRUTH, second.found.labels) > 0.9


@each_covariance
def test_refined_labels_are_those_that_no_point_can_improve(covariance: str) -> None:
    X = Standardised.of(POINTS, common=True)(POINTS)
    model = model_of(X, covariance)
    start = evaluate(model, TRUTH.astype(LABEL))
    for brisk_from in (0, len(X)):
        with mock.patch("powercut.vectors.gaussian_model.BRISK", brisk_from):
            fit = refine(start, np.random.default_rng(0), ProgressReporter())
        assert fit.found.objective < start.found.objective
        labels = fit.found.labels.copy()
        score, prior = fit.objective.score, fit.objective.regulariser.native
        score.moves(model.points, labels, fit.n_clusters, prior, 0, None)
        np.testing.assert_array_equal(labels, fit.found.labels)


def test_a_search_without_time_keeps_its_labels() -> None:
    model = model_of(POINTS, "diagonal")
    expired = mock.Mock(spec=ProgressReporter, expired=lambda: True)
    labels = TRUTH.astype(LABEL)
    fit = explore(model, labels, np.random.default_rng(0), expired)
    np.testing.assert_array_equal(fit.found.labels, labels)


# Large sets.


@pytest.fixture
def _small_sets_are_large() -> Iterator[None]:
    with mock.patch("powercut.vectors.points.LARGE", 2500):
        yield


@pytest.mark.usefixtures("_small_sets_are_large")
@pytest.mark.parametrize(
    "parameters",
    [{}, {"covariance": "spherical"}, {"score": "kmeans"}, {"score": "kmeans", "tradeoff": 20.0}],
)
def test_a_large_set_is_fitted_from_a_sample_on_any_number_of_threads(parameters: Any) -> None:
    X, truth = make_blobs(8000, n_features=8, spread=8.0, random_state=1)
    models = [PowerLawMeans(random_state=0, n_jobs=n, **parameters).fit(X) for n in (1, 3)]
    one, other = models
    assert normalized_mutual_info_score(truth, one.labels_) > 0.99
    np.testing.assert_array_equal(one.labels_, other.labels_)
    assert one.objective_ == other.objective_
    np.testing.assert_array_equal(one.margins_, other.margins_)
    assert one.margins_.min() >= -1e-6 or "score" in parameters
    path = one.objective_path_
    assert np.diff(path).max(initial=0) <= 1e-12 * np.abs(path).max()


@pytest.mark.usefixtures("_small_sets_are_large")
@pytest.mark.filterwarnings("ignore:The .* clusters do not pass as Gaussian")
@pytest.mark.parametrize("covariance", ["diagonal", "full"])
@pytest.mark.parametrize("d", [2, 3])
def test_a_large_set_of_overlapping_clusters_ends_as_low_as_from_the_truth(
    covariance: str, d: int
) -> None:
    X, truth = make_blobs(8000, n_features=d, spread=2.0, random_state=1)
    model = PowerLawMeans(covariance=covariance, random_state=0)
    found, from_truth = model.fit(X), PowerLawMeans(covariance=covariance, init=truth).fit(X)
    gap = found.objective_ - from_truth.objective_
    assert gap <= 0.002 * abs(from_truth.objective_)
    assert found.n_clusters_ <= 2 * from_truth.n_clusters_


@pytest.mark.usefixtures("_small_sets_are_large")
def test_a_large_set_may_be_one_cluster() -> None:
    X = np.random.default_rng(0).normal(size=(6000, 3))
    with pytest.warns(UserWarning, match="No more than one cluster"):
        assert PowerLawMeans(random_state=0).fit(X).n_clusters_ == 1


@pytest.mark.usefixtures("_small_sets_are_large")
def test_given_labels_of_a_large_set_are_the_only_start() -> None:
    X, truth = make_blobs(6000, n_features=8, random_state=1)
    model = fit_to_given_labels(X, truth, "draw_sample")
    assert normalized_mutual_info_score(truth, model.labels_) > 0.99


# k-means.


def test_the_tradeoff_of_kmeans_is_a_multiple_of_twice_the_variance() -> None:
    random = np.random.default_rng(0)
    centres = random.normal(0, 40, (6, 4))
    X = centres[random.integers(0, 6, 500)] + 1.5 * random.normal(size=(500, 4))
    model = PowerLawMeans("kmeans", random_state=0).fit(X)
    assert model.n_clusters_ == 6
    assert model.tradeoff_ / (2 * 1.5**2) == pytest.approx(round(model.tradeoff_ / 4.5), rel=0.1)
    assert (model.concentration_, model.discount_) == (1.0, 0.0)
    scaled = PowerLawMeans("kmeans", random_state=0).fit(8 * X)
    np.testing.assert_array_equal(scaled.labels_, model.labels_)
    assert scaled.tradeoff_ == pytest.approx(64 * model.tradeoff_)
    model.set_params(tradeoff=3.0).fit(X)
    assert not hasattr(model, "description_length_")


def test_kmeans_does_not_end_in_singletons() -> None:
    for seed in range(3):
        X = np.random.default_rng(seed).normal(size=(200, 2))
        assert PowerLawMeans("kmeans", random_state=0).fit(X).n_clusters_ <= 100
    assert PowerLawMeans("kmeans", random_state=0).fit(np.ones((5, 2))).n_clusters_ == 1


def test_kmeans_finds_clusters_in_many_dimensions() -> None:
    # At a tradeoff of a few times the variance, singletons would lower J.
    X, truth = make_blobs(400, n_features=64, random_state=1)
    model = PowerLawMeans("kmeans", random_state=0).fit(X)
    assert normalized_mutual_info_score(truth, model.labels_) > 0.99


def test_description_length_of_kmeans_is_that_of_spherical_gaussians() -> None:
    labels = TRUTH.astype(LABEL)
    k = int(labels.max()) + 1
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(POINTS))
    prior = PitmanYor(1.0, 0.0)
    model = KMeansModel(Points(POINTS, weight), prior)
    clusters = model.clusters(labels)
    nats = -prior.log_prob(np.bincount(labels)) + 0.5 * (5 * k + 1) * np.log(300)
    for x, w, c in zip(POINTS, weight, labels, strict=True):
        mean = np.average(POINTS[labels == c], axis=0, weights=weight[labels == c])
        var = model.variance(clusters) / w
        nats += 0.5 * ((x - mean) @ (x - mean) / var + 5 * np.log(2 * np.pi * var))
    assert model.describe(clusters).nats == pytest.approx(nats, rel=1e-12)


# Invalid and degenerate input.


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"score": "gauss"}, "score must be one of"),
        ({"covariance": "tied"}, "covariance must be one of"),
        ({"discount": 0.3}, "give both or neither"),
        ({"tradeoff": -1.0}, "tradeoff == -1.0, must be >= 0"),
        ({"algorithm": "lloyd"}, "score='gaussian' has none"),
        ({"score": "kmeans", "algorithm": "lloyd"}, "does not estimate the tradeoff"),
    ],
)
def test_invalid_parameters_are_refused(parameters: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PowerLawMeans(**parameters).fit(POINTS)


@pytest.mark.parametrize("estimator", [PowerLawMeans, PowerLawKernelMeans])
def test_unknown_parameters_are_reported_with_the_class(estimator: Any) -> None:
    with pytest.raises(TypeError, match=rf"^{estimator.__name__} has no parameter gamma: "):
        estimator(gamma=1.0)


def test_concentration_and_discount_may_be_given() -> None:
    model = PowerLawMeans(concentration=2.0, discount=0.3, random_state=0).fit(POINTS)
    assert (model.concentration_, model.discount_, model.tradeoff_) == (2.0, 0.3, 1.0)


def test_collinear_features_are_handled() -> None:
    random = np.random.default_rng(0)
    X = np.r_[random.normal(size=(60, 2)), random.normal(size=(40, 2)) + 20]
    for rows in (np.c_[X, X[:, 0]], np.c_[X, X @ [1.0, 1.0]], np.c_[X[:, 0], 2 * X[:, 0] + 1]):
        model = PowerLawMeans(covariance="full", random_state=0).fit(rows)
        assert adjusted_rand_score(np.repeat([0, 1], [60, 40]), model.labels_) > 0.9
        assert np.isfinite(model.description_length_)
        assert np.isfinite(model.predict_proba(rows)).all()


@pytest.mark.filterwarnings("ignore:No more than one cluster:UserWarning")
@each_covariance
@pytest.mark.parametrize("shape", [(1, 3), (2, 2), (3, 1), (10, 2), (20, 20), (8, 20)])
def test_very_few_points_are_not_all_singletons(covariance: str, shape: tuple[int, int]) -> None:
    X = np.random.default_rng(0).normal(size=shape)
    for rows in (X, np.ones(shape)):
        model = PowerLawMeans(covariance=covariance, random_state=0).fit(rows)
        assert 2 * model.n_clusters_ <= max(2, len(X))
        assert np.isfinite(model.description_length_)
        assert np.isfinite(model.predict_proba(rows)).all()


def test_uninformative_init_labels_are_overcome() -> None:
    random = np.random.default_rng(0)
    truth = np.repeat([0, 1], 100)
    X = random.normal(size=(200, 3)) + 20 * truth[:, None]
    for init in (np.zeros(200, int), np.arange(200) % 5):
        model = PowerLawMeans(init=init, random_state=0).fit(X)
        np.testing.assert_array_equal(model.labels_, truth)


def test_groups_of_equal_points_are_clusters_of_kmeans() -> None:
    model = PowerLawMeans("kmeans", random_state=0).fit(np.repeat([[0.0], [10.0]], 50, axis=0))
    np.testing.assert_array_equal(model.labels_, np.repeat([0, 1], 50))


def test_predict_refuses_points_whose_squares_overflow() -> None:
    model = PowerLawMeans(random_state=0).fit(POINTS)
    with pytest.raises(ValueError, match="squares of X overflow"):
        model.predict(np.full((1, 5), 1e200))
