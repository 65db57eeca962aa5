"""DPMeans, PYPMeans and NormalizedCut."""

import math
import warnings
from collections.abc import Callable
from typing import Any
from unittest import mock

import igraph
import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from powercut import _core
from powercut._typing import LABEL
from powercut.baselines import DPMeans, NormalizedCut, PYPMeans, dp_means, normalized_cut
from powercut.graphs.graph import Graph
from powercut.partition import canonical_labels

Array = npt.NDArray[np.float64]

seeds = st.integers(0, 2**32 - 1)
property_test = settings(deadline=None, derandomize=True, max_examples=40)


EXPECTED_FAILURES = {
    ("DPMeans", "PYPMeans"): {
        "check_sample_weight_equivalence_on_dense_data": (
            "weights must be positive; and a cluster is founded by one point, so a point of "
            "weight 2 may found one where two of weight 1 do not"
        ),
    },
    ("NormalizedCut",): {
        "check_clustering": "hands over vectors where a square matrix of weights is due",
    },
}


def expected_failures(estimator: Any) -> dict[str, str]:
    if getattr(estimator, "affinity", "precomputed") != "precomputed":
        return {}
    name = type(estimator).__name__
    return next(checks for names, checks in EXPECTED_FAILURES.items() if name in names)


@parametrize_with_checks(
    [
        DPMeans(1.0),
        PYPMeans(1.0, 0.1),
        NormalizedCut(2),
        NormalizedCut(2, affinity="rbf"),
        NormalizedCut(2, affinity="nearest_neighbors", n_neighbors=3),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


# DPMeans and PYPMeans against plain reference implementations.


def weighted_means(X: Array, weights: Array, labels: list[int]) -> dict[int, Array]:
    own = np.array(labels)
    return {
        c: np.average(X[own == c], axis=0, weights=weights[own == c]) for c in sorted(set(labels))
    }


def sum_of_squares(X: Array, weights: Array, labels: list[int]) -> float:
    centers = weighted_means(X, weights, labels)
    return sum(
        float(w * np.sum((x - centers[c]) ** 2)) for x, w, c in zip(X, weights, labels, strict=True)
    )


def one_pass(
    X: Array, weights: Array, labels: list[int], price: Callable[[int], float]
) -> list[int]:
    centers = list(weighted_means(X, weights, labels).values())
    moved = []
    for x, w in zip(X, weights, strict=True):
        distances = [float(np.sum((x - center) ** 2)) for center in centers]
        if w * min(distances) > price(len(centers)):
            centers.append(x)
            moved.append(len(centers) - 1)
        else:
            moved.append(int(np.argmin(distances)))
    return moved


def slow_dp_means(X: Array, weights: Array, penalty: float) -> tuple[list[int], list[float]]:
    labels, path = [0] * len(X), []
    while True:
        path.append(sum_of_squares(X, weights, labels) + penalty * len(set(labels)))
        moved = list(canonical_labels(one_pass(X, weights, labels, lambda _: penalty)))
        if moved == labels:
            return labels, path
        labels = moved


def regulariser(k: Any, penalty: float, discount: float) -> Any:
    return (penalty - discount * np.log(k)) * k


def slow_pyp_means(
    X: Array, weights: Array, penalty: float, discount: float
) -> tuple[list[int], list[float]]:
    def objective(labels: list[int]) -> float:
        k = len(set(labels))
        return sum_of_squares(X, weights, labels) + regulariser(k, penalty, discount)

    def price(k: int) -> float:
        return regulariser(k + 1, penalty, discount) - regulariser(k, penalty, discount)

    labels, path = [0] * len(X), []
    while True:
        path.append(objective(labels))
        moved = one_pass(X, weights, labels, price)
        while True:
            pairs = [(a, b) for a in set(moved) for b in set(moved) if a < b]
            merged = [[a if c == b else c for c in moved] for a, b in pairs]
            best = min(merged, key=objective, default=moved)
            if objective(best) >= objective(moved):
                break
            moved = best
        moved = list(canonical_labels(moved))
        if moved == labels:
            return labels, path
        labels = moved


def random_points(seed: int, n: int) -> tuple[Array, Array]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 2)) + 3 * random.integers(0, 3, size=(n, 1))
    return X, random.uniform(0.5, 2.0, size=n)


@property_test
@given(seeds, st.integers(1, 40), st.floats(0.3, 20.0))
def test_dp_means_is_the_sequential_algorithm(seed: int, n: int, penalty: float) -> None:
    X, weights = random_points(seed, n)
    labels, path = slow_dp_means(X, weights, penalty)
    fitted = DPMeans(penalty).fit(X, sample_weight=weights)
    np.testing.assert_array_equal(fitted.labels_, labels)
    np.testing.assert_allclose(fitted.objective_path_, path, rtol=1e-12)


@settings(property_test, max_examples=100)
@given(seeds, st.integers(1, 14), st.floats(0.5, 8.0), st.floats(0.0, 0.4))
def test_pyp_means_is_the_sequential_algorithm(
    seed: int, n: int, penalty: float, ratio: float
) -> None:
    # The peak of r is at k = 4 with ratio 0.4, at k = 55 with 0.2: some end as singletons.
    X, weights = random_points(seed, n)
    labels, path = slow_pyp_means(X, weights, penalty, ratio * penalty)
    fitted = PYPMeans(penalty, ratio * penalty).fit(X, sample_weight=weights)
    np.testing.assert_array_equal(fitted.labels_, labels)
    np.testing.assert_allclose(fitted.objective_path_, path, rtol=1e-12)


@pytest.mark.parametrize("model", [DPMeans(2.0), PYPMeans(2.0, 0.3)])
def test_result_does_not_depend_on_the_batch_size(
    model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, _ = random_points(0, 200)
    expected = model.fit(X).labels_
    assert len(set(expected)) > 3
    monkeypatch.setattr(dp_means, "ROWS_AT_ONCE", 17)
    np.testing.assert_array_equal(model.fit(X).labels_, expected)


@pytest.mark.parametrize("model", [DPMeans(200.0), PYPMeans(200.0, 2.0)])
def test_result_does_not_depend_on_the_number_of_threads(
    model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("powercut.vectors.points.LARGE", 1000)
    # Use n_jobs threads even with fewer processors.
    monkeypatch.setattr(dp_means, "effective_jobs", int)
    X, _ = make_blobs(3000, n_features=64, centers=80, random_state=0)
    one = model.set_params(n_jobs=1).fit(X)
    labels, path = one.labels_, one.objective_path_
    assert one.n_clusters_ > 50
    for n_jobs in (2, 3, 8):
        with mock.patch("powercut._core.nearest_means", wraps=_core.nearest_means) as native:
            other = clone(model).set_params(n_jobs=n_jobs).fit(X)
        assert {call.args[4] for call in native.call_args_list} == {n_jobs}
        np.testing.assert_array_equal(other.labels_, labels)
        np.testing.assert_array_equal(other.objective_path_, path)
        np.testing.assert_array_equal(other.predict(X), labels)


@pytest.mark.parametrize("model", [DPMeans(300.0), PYPMeans(300.0, 3.0)])
def test_distance_bounds_do_not_change_the_result(model: Any) -> None:
    X, _ = make_blobs(2000, n_features=8, centers=30, random_state=0)
    bounds_used = []

    def record(points: Any, means: Any, nearest: Any, beyond: Any, *rest: Any) -> Any:
        bounds_used.append(beyond.max() > 0)
        return find(points, means, nearest, beyond, *rest)

    def without_bounds(points: Any, means: Any, nearest: Any, beyond: Any, *rest: Any) -> Any:
        return find(points, means, nearest, np.zeros_like(beyond), *rest)

    find = _core.nearest_means
    with mock.patch("powercut._core.nearest_means", record):
        bounded = clone(model).fit(X)
    with mock.patch("powercut._core.nearest_means", without_bounds):
        plain = clone(model).fit(X)
    assert bounded.n_iter_ > 3
    assert any(bounds_used)
    np.testing.assert_array_equal(bounded.labels_, plain.labels_)
    np.testing.assert_array_equal(bounded.objective_path_, plain.objective_path_)


@property_test
@given(seeds, st.integers(1, 60), st.floats(0.05, 30.0), st.floats(0.0, 2.0))
def test_objective_never_rises(seed: int, n: int, penalty: float, ratio: float) -> None:
    # With ratio 2 the regulariser falls from k = 1 on, with 0.2 from k = 55.
    X, weights = random_points(seed, n)
    X[n // 2 :] = X[0]  # equal points too
    for model in (DPMeans(penalty), PYPMeans(penalty, ratio * penalty)):
        fitted = model.fit(X, sample_weight=weights)
        path = fitted.objective_path_
        assert np.all(np.diff(path) <= 1e-12 * np.abs(path).max())
        discount = getattr(model, "discount", 0.0)
        k = fitted.n_clusters_
        squares = sum_of_squares(X, weights, list(fitted.labels_))
        expected = squares + regulariser(k, penalty, discount)
        assert fitted.objective_ == path[-1] == pytest.approx(expected, rel=1e-12, abs=1e-12)
        assert len(set(fitted.labels_)) == k == len(fitted.cluster_centers_)
        np.testing.assert_array_equal(fitted.labels_, canonical_labels(fitted.labels_))


@property_test
@given(seeds, st.floats(0.3, 20.0))
def test_predict_repeats_the_fit(seed: int, penalty: float) -> None:
    # Points on a grid: distances tie.
    X = np.random.default_rng(seed).integers(0, 6, size=(40, 2)).astype(float)
    for model in (DPMeans(penalty), PYPMeans(penalty, penalty / 10)):
        np.testing.assert_array_equal(model.fit(X).predict(X), model.labels_)


def test_dp_means_by_hand() -> None:
    # Mean 3: 0 and 8 are farther than sqrt(5) from it; 1 and 3 are nearer to founder 0
    # and to the mean; then {0, 1}, {3}, {8} have their means, and nothing changes.
    fitted = DPMeans(5.0).fit([[0.0], [1.0], [3.0], [8.0]])
    np.testing.assert_array_equal(fitted.labels_, [0, 0, 1, 2])
    np.testing.assert_array_equal(fitted.cluster_centers_, [[0.5], [3.0], [8.0]])
    np.testing.assert_allclose(fitted.objective_path_, [38 + 5, 0.5 + 15])
    assert fitted.n_iter_ == 2
    np.testing.assert_array_equal(fitted.predict([[2.0], [5.0], [100.0]]), [1, 1, 2])


def test_penalty_determines_the_number_of_clusters() -> None:
    X, _ = random_points(1, 50)
    assert DPMeans(1e6).fit(X).n_clusters_ == 1
    assert DPMeans(1e-9).fit(X).n_clusters_ == 50
    assert PYPMeans(1e-9, 0.0).fit(X).n_clusters_ == 50


def test_weights_scale_with_the_penalty() -> None:
    X, weights = random_points(2, 80)
    light = DPMeans(2.0).fit(X, sample_weight=weights)
    heavy = DPMeans(16.0).fit(X, sample_weight=8 * weights)
    assert 1 < light.n_clusters_ < 80
    np.testing.assert_array_equal(light.labels_, heavy.labels_)
    assert heavy.objective_ == pytest.approx(8 * light.objective_)


def test_pyp_means_merges_clusters_that_dp_means_does_not() -> None:
    # In the first pass 0 and 4 become singletons, beside {2}, at the mean. Splitting
    # a pair saves 2, half of its squared distance, and costs 3.
    X = [[0.0], [2.0], [4.0]]
    assert DPMeans(3.0).fit(X).n_clusters_ == 3
    merged = PYPMeans(3.0, 0.0).fit(X)
    np.testing.assert_array_equal(merged.labels_, [0, 0, 1])
    assert merged.objective_ == pytest.approx(2 + 2 * 3)


def test_pyp_means_has_more_clusters_than_dp_means() -> None:
    X, _ = make_blobs(300, centers=12, random_state=0)
    few = DPMeans(60.0).fit(X)
    many = PYPMeans(60.0, 60.0 / 6).fit(X)
    assert 1 < few.n_clusters_ < many.n_clusters_ < 148


def test_unconverged_fits_warn() -> None:
    X, _ = random_points(3, 100)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 "):
        assert DPMeans(2.0, max_iter=1).fit(X).n_iter_ == 1


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (DPMeans(0.0), "penalty == 0.0, must be > 0"),
        (DPMeans(math.nan), "penalty == nan, must be finite"),
        (DPMeans(1.0, max_iter=0), "max_iter == 0, must be >= 1"),
        (PYPMeans(-1.0, 0.1), "penalty == -1.0, must be > 0"),
        (PYPMeans(1.0, -0.1), "discount == -0.1, must be >= 0"),
        (PYPMeans(1.0, math.inf), "discount == inf, must be finite"),
        (NormalizedCut(0), "n_clusters == 0, must be >= 1"),
        (NormalizedCut(4), r"n_clusters=4 is more than the 3 nodes with an edge \(n_samples=3"),
        (NormalizedCut(2, affinity="cosine"), "affinity must be one of .* got 'cosine'"),
        (NormalizedCut(2, affinity="rbf", gamma=0.0), "gamma == 0.0, must be > 0"),
        (
            NormalizedCut(2, affinity="nearest_neighbors", n_neighbors=0),
            "n_neighbors == 0, must be >= 1",
        ),
    ],
)
def test_invalid_parameters_are_named(model: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model.fit([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]])


# The trivial optimum of pyp-means, discount = penalty / 6. Any partition into k clusters
# costs at least r(k), the singletons cost r(n) exactly.


def test_regulariser_rises_then_falls_below_its_start() -> None:
    r = regulariser(np.arange(1, 5001), 1.0, 1 / 6)
    assert np.argmax(r) + 1 == 148
    assert np.all(np.diff(np.diff(r)) < 0)  # concave: least at one of the ends
    least_of_all = [n for n in range(2, 5001) if r[n - 1] < r[: n - 1].min()]
    assert least_of_all == list(range(398, 5001))
    assert np.argmax(r < 0) + 1 == 404 == math.floor(math.exp(6)) + 1
    n = np.arange(2, 5001)
    np.testing.assert_array_equal(n * np.log(n) / (n - 1) > 6, n >= 398)


def test_singletons_are_better_than_the_fit_of_500_points() -> None:
    X = np.random.default_rng(0).normal(size=(500, 5))
    for penalty in (20.0, 100.0, 1000.0):
        fitted = PYPMeans(penalty, penalty / 6).fit(X)
        assert fitted.n_clusters_ < 148
        assert regulariser(500, penalty, penalty / 6) < fitted.objective_


def test_singletons_are_worse_than_the_fit_of_100_points() -> None:
    X = np.random.default_rng(0).normal(size=(100, 5))
    for penalty in (50.0, 100.0, 1000.0):
        fitted = PYPMeans(penalty, penalty / 6).fit(X)
        assert fitted.n_clusters_ < 100
        assert fitted.objective_ < regulariser(100, penalty, penalty / 6)


@pytest.mark.parametrize(("n", "is_better"), [(397, True), (398, False)])
def test_one_tight_cluster_is_better_than_singletons_up_to_397_points(
    n: int, is_better: bool
) -> None:
    X = 1e-6 * np.random.default_rng(0).normal(size=(n, 2))
    fitted = PYPMeans(1.0, 1 / 6).fit(X)
    assert fitted.n_clusters_ == 1
    assert (fitted.objective_ < regulariser(n, 1.0, 1 / 6)) == is_better


def test_beyond_the_peak_the_fit_ends_in_singletons() -> None:
    X = np.random.default_rng(0).normal(size=(500, 5))
    X[100:110] = X[100]
    fitted = PYPMeans(5.0, 5.0 / 6).fit(X)
    np.testing.assert_array_equal(fitted.labels_, np.arange(500))
    assert fitted.objective_ == pytest.approx(regulariser(500, 5.0, 5.0 / 6))
    np.testing.assert_array_equal(fitted.predict(X[100:110]), [100] * 10)


# NormalizedCut.


def planted(sizes: list[int], *, inside: float = 0.7, seed: int = 0) -> tuple[Any, Array]:
    truth = np.repeat(np.arange(len(sizes)), sizes)
    graph = nx.stochastic_block_model(
        sizes, np.full((len(sizes),) * 2, 0.03) + (inside - 0.03) * np.eye(len(sizes)), seed=seed
    )
    return nx.to_scipy_sparse_array(graph, dtype=float, format="csr"), truth


def slow_normalized_cut(A: Array, labels: Array) -> float:
    total = 0.0
    for c in np.unique(labels):
        inside = labels == c
        total += A[inside][:, ~inside].sum() / A[inside].sum()
    return total


@pytest.mark.parametrize("dense_up_to", [0, 10**6])
def test_planted_clusters_are_found(dense_up_to: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(normalized_cut, "_DENSE", dense_up_to)
    A, truth = planted([60, 40, 30, 20])
    fitted = NormalizedCut(4, random_state=0).fit(A)
    np.testing.assert_array_equal(fitted.labels_, canonical_labels(truth))
    assert fitted.n_clusters_ == 4
    assert fitted.objective_ == pytest.approx(slow_normalized_cut(A.toarray(), truth))


@property_test
@given(seeds, st.integers(1, 5))
def test_objective_is_the_normalized_cut(seed: int, k: int) -> None:
    random = np.random.default_rng(seed)
    A = random.exponential(size=(12, 12)) * (random.random((12, 12)) < 0.6)
    A += A.T + 0.1  # self-loops too
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = NormalizedCut(k, random_state=0).fit(A)
    assert fitted.objective_ == pytest.approx(slow_normalized_cut(A, fitted.labels_), abs=1e-12)


def test_every_graph_type_gives_the_same_labels() -> None:
    A, _ = planted([30, 20, 10])
    upper = sparse.triu(A).tocoo()
    forms = [
        A,
        sparse.csc_array(A),
        sparse.coo_matrix(A),
        A.toarray(),
        A.toarray().tolist(),
        A.astype(np.float32),
        A.astype(bool),
        Graph(A),
        nx.from_scipy_sparse_array(A),
        igraph.Graph(60, list(zip(upper.row.tolist(), upper.col.tolist(), strict=True))),
    ]
    first = NormalizedCut(3, random_state=0).fit(forms[0])
    for form in forms[1:]:
        fitted = NormalizedCut(3, random_state=0).fit(form)
        np.testing.assert_array_equal(fitted.labels_, first.labels_)
        assert fitted.n_features_in_ == 60


@pytest.mark.parametrize(
    "settings",
    [
        {"affinity": "rbf", "gamma": 0.3, "random_state": 0},
        {"affinity": "nearest_neighbors", "n_neighbors": 8, "random_state": 0},
    ],
)
def test_affinities_are_those_of_spectral_clustering(settings: dict[str, Any]) -> None:
    X, _ = make_blobs(100, centers=5, cluster_std=2.0, random_state=0)
    theirs = sparse.csr_array(SpectralClustering(5, **settings).fit(X).affinity_matrix_)
    theirs = theirs - sparse.diags_array(theirs.diagonal())  # as its Laplacian does
    from_vectors = NormalizedCut(5, **settings).fit(X)
    from_matrix = NormalizedCut(5, random_state=0).fit(theirs)
    np.testing.assert_array_equal(from_vectors.labels_, from_matrix.labels_)
    assert from_vectors.objective_ == pytest.approx(from_matrix.objective_, rel=1e-12)


def test_curved_clusters_are_found() -> None:
    X, truth = make_circles(300, noise=0.03, factor=0.5, random_state=0)
    rings = NormalizedCut(2, affinity="rbf", gamma=50.0, random_state=0).fit(X)
    assert adjusted_rand_score(truth, rings.labels_) == 1
    X, truth = make_moons(700, noise=0.06, random_state=0)
    moons = NormalizedCut(2, affinity="nearest_neighbors", random_state=0).fit(X)
    assert moons.objective_ > 0  # one component: the eigenvectors decide
    assert adjusted_rand_score(truth, moons.labels_) == 1


def test_quality_is_that_of_spectral_clustering() -> None:
    A, truth = planted([150, 60, 30, 15, 8], inside=0.25, seed=1)
    theirs = SpectralClustering(
        5, affinity="precomputed", assign_labels="discretize", random_state=0
    ).fit_predict(A.toarray())
    ours = NormalizedCut(5, random_state=0).fit(A)
    assert ours.objective_ <= 1.01 * slow_normalized_cut(A.toarray(), theirs)
    assert adjusted_rand_score(truth, ours.labels_) > 0.9


def test_same_random_state_gives_the_same_labels() -> None:
    A, _ = planted([400, 200, 100], inside=0.05)
    fits = [NormalizedCut(6, random_state=s).fit(A).labels_ for s in (0, 0, 1)]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert np.any(fits[0] != fits[2])
    first, second = (normalized_cut._leading(A, 6, np.random.RandomState(0)) for _ in range(2))
    np.testing.assert_array_equal(first[1], second[1])


def test_isolated_nodes_join_the_largest_cluster() -> None:
    A, truth = planted([40, 25, 15])
    kept = np.setdiff1d(np.arange(84), [0, 17, 50, 83])
    with_holes = sparse.lil_array((84, 84))
    with_holes[np.ix_(kept, kept)] = A.toarray()
    expected = np.zeros(84, dtype=int)
    expected[kept] = truth
    fitted = NormalizedCut(3, random_state=0).fit(with_holes)
    np.testing.assert_array_equal(fitted.labels_, expected)
    assert fitted.objective_ == pytest.approx(slow_normalized_cut(A.toarray(), truth))


def test_more_components_than_clusters() -> None:
    A = sparse.block_diag([np.ones((n, n)) for n in (3, 6, 2, 5, 1)], format="csr")
    fitted = NormalizedCut(3, random_state=0).fit(A)
    by_component = np.repeat([2, 0, 0, 1, 0], (3, 6, 2, 5, 1))
    np.testing.assert_array_equal(fitted.labels_, by_component)
    assert fitted.objective_ == 0


@pytest.mark.parametrize("dense_up_to", [0, 10**6])
def test_fewer_components_than_clusters(dense_up_to: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(normalized_cut, "_DENSE", dense_up_to)
    blocks = [planted([50, 30]), planted([40]), planted([20, 10])]
    A = sparse.block_diag([block for block, _ in blocks], format="csr")
    truth = np.repeat([0, 1, 2, 3, 4], [50, 30, 40, 20, 10])
    fitted = NormalizedCut(5, random_state=0).fit(A)
    np.testing.assert_array_equal(fitted.labels_, canonical_labels(truth))


@pytest.mark.parametrize("dense_up_to", [0, 10**6])
def test_leading_eigenvectors_with_repeated_eigenvalues(
    dense_up_to: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(normalized_cut, "_DENSE", dense_up_to)
    block, _ = planted([30, 20])
    A = sparse.block_diag([block, block, block], format="csr")  # each value three times
    scale = sparse.diags_array(1 / np.sqrt(A.sum(axis=1)))
    matrix = (scale @ A @ scale).tocsr()
    vectors = normalized_cut._embed(
        matrix, np.repeat([0, 1, 2], 50).astype(LABEL), 3, 7, np.random.RandomState(0)
    )
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(7), atol=1e-10)
    values = np.sum(vectors * (matrix @ vectors), axis=0)
    np.testing.assert_allclose(matrix @ vectors, values * vectors, atol=1e-10)
    np.testing.assert_allclose(
        np.sort(values), np.linalg.eigvalsh(matrix.toarray())[-7:], atol=1e-10
    )


@property_test
@given(seeds, st.integers(1, 8))
def test_rotated_partition_is_recovered(seed: int, k: int) -> None:
    random = np.random.default_rng(seed)
    truth = np.concatenate([np.arange(k), random.integers(0, k, 50)])
    rotation, _ = np.linalg.qr(random.normal(size=(k, k)))
    rows = np.eye(k)[truth] @ rotation * random.uniform(0.1, 10, size=(len(truth), 1))
    labels = normalized_cut._discretize(rows, np.random.RandomState(0))
    np.testing.assert_array_equal(canonical_labels(labels), canonical_labels(truth))


@property_test
@given(seeds)
def test_length_of_a_row_does_not_matter(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(40, 4))
    longer = rows * 2.0 ** random.integers(-5, 5, size=(40, 1))
    labels = [normalized_cut._discretize(some, np.random.RandomState(0)) for some in (rows, longer)]
    np.testing.assert_array_equal(labels[0], labels[1])


def test_every_component_has_its_eigenvector() -> None:
    # Two pairs of cliques whose links are lost in rounding, and one clique apart: five
    # eigenvalues are 1 up to rounding, that of the last a little less, and four vectors
    # are taken.
    pair = np.kron(np.eye(2), np.full((5, 5), 0.2)) + 1e-20
    last = np.full((5, 5), 0.2 * (1 - 1e-14))
    matrix = sparse.block_diag([pair, pair, last], format="csr")
    component = np.repeat([0, 1, 2], [10, 10, 5]).astype(LABEL)
    vectors = normalized_cut._embed(matrix, component, 3, 4, np.random.RandomState(0))
    for c in range(3):
        assert vectors[component == c].any()


def test_as_many_clusters_as_nodes() -> None:
    A, _ = planted([6, 4])
    fitted = NormalizedCut(10, random_state=0).fit(A)
    assert fitted.n_clusters_ == 10
    assert fitted.objective_ == pytest.approx(10)


def test_empty_clusters_are_reported() -> None:
    A = np.random.default_rng(19).random((40, 40))
    with pytest.warns(ConvergenceWarning, match="of n_clusters=20 clusters empty"):
        fitted = NormalizedCut(20, random_state=0).fit(A + A.T)
    assert fitted.n_clusters_ == len(set(fitted.labels_)) < 20
