"""Nearest-neighbour graphs: they have the true neighbours, and are reproducible."""

from threading import Thread
from typing import Any
from unittest import mock

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import (
    KNeighborsTransformer,
    NearestNeighbors,
    RadiusNeighborsTransformer,
)

from powercut import PowerLawCut, _core, neighbors
from powercut.datasets import make_blobs
from powercut.graphs import neighbor_index

X = np.random.default_rng(0).normal(size=(60, 3))


def by_definition(points: Any, k: int, metric: str) -> np.ndarray:
    distance = pairwise_distances(points, metric=metric)
    np.fill_diagonal(distance, np.inf)
    chosen = np.zeros(distance.shape, dtype=bool)
    np.put_along_axis(chosen, np.argsort(distance, axis=1)[:, :k], True, axis=1)
    return chosen | chosen.T


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, np.float32])
def test_two_points_are_connected_if_either_is_among_the_nearest_of_the_other(
    metric: str, form: Any
) -> None:
    graph = neighbors.graph(form(X), n_neighbors=5, metric=metric)
    np.testing.assert_array_equal(graph.adjacency.toarray(), by_definition(X, 5, metric))
    assert graph.weights is None


def test_graph_does_not_depend_on_the_number_of_threads() -> None:
    one, two = (neighbors.graph(X, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.indices, two.indices)


@pytest.mark.parametrize("n_dimensions", [2, 3])
def test_trees_are_asked_in_one_thread(n_dimensions: int) -> None:
    # Threads of joblib would stay if an interrupt came while they run.
    points = np.random.default_rng(0).normal(size=(3000, n_dimensions))
    with mock.patch.object(Thread, "start", autospec=True, side_effect=Thread.start) as start:
        neighbors.graph(points, n_jobs=2)
    start.assert_not_called()


def test_transformers_determine_the_neighbours() -> None:
    transformer = KNeighborsTransformer(n_neighbors=4, mode="distance")
    graph = neighbors.graph(X, algorithm=transformer)
    np.testing.assert_array_equal(graph.adjacency.toarray(), by_definition(X, 4, "euclidean"))
    assert not hasattr(transformer, "n_samples_fit_")
    radius = neighbors.graph(X, algorithm=RadiusNeighborsTransformer(radius=0.8))
    near = pairwise_distances(X) <= 0.8
    np.fill_diagonal(near, False)
    np.testing.assert_array_equal(radius.adjacency.toarray(), near)


@pytest.mark.parametrize("algorithm", ["exact", KNeighborsTransformer(n_neighbors=3)])
def test_equal_points_are_neighbours(algorithm: Any) -> None:
    points = np.repeat([[0.0], [9.0]], 5, axis=0)
    n_neighbors = 3 if algorithm == "exact" else None
    graph = neighbors.graph(points, n_neighbors=n_neighbors, algorithm=algorithm)
    adjacency = graph.adjacency.toarray()
    assert not adjacency[:5, 5:].any()
    assert (adjacency.sum(axis=1) >= 3).all()
    assert not adjacency.diagonal().any()


@pytest.mark.parametrize("n", [1, 2, 4])
def test_few_points_are_all_neighbours(n: int) -> None:
    graph = neighbors.graph(X[:n], n_neighbors=15)
    np.testing.assert_array_equal(graph.adjacency.toarray(), 1 - np.eye(n))


def by_exact_search(points: Any, **how: Any) -> Any:
    return neighbors.graph(points, algorithm="exact", **how).adjacency


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_approximate_search_finds_nearly_all_neighbours(metric: str, dtype: Any) -> None:
    points = make_blobs(4000, n_features=10, spread=0.5, random_state=0)[0].astype(dtype)
    exact = by_exact_search(points, metric=metric)
    found = neighbors.graph(points, algorithm="approximate", metric=metric).adjacency
    assert exact.sum() > found.multiply(exact).sum() > 0.95 * exact.sum()
    assert (np.diff(found.indptr) >= 15).all()


@pytest.mark.parametrize("algorithm", ["exact", "approximate"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_graph_of_many_points_depends_on_the_seed_and_on_no_threads(
    metric: str, algorithm: str
) -> None:
    points = make_blobs(3000, n_features=8, spread=0.5, random_state=0)[0]
    how = {"metric": metric, "algorithm": algorithm}
    one, again, three = (neighbors.graph(points, n_jobs=n, **how) for n in (1, 1, 3))  # type: ignore[arg-type]
    np.testing.assert_array_equal(one.indices, again.indices)
    np.testing.assert_array_equal(one.indices, three.indices)
    other = neighbors.graph(points, random_state=1, **how)  # type: ignore[arg-type]
    same = len(one.indices) == len(other.indices) and (one.indices == other.indices).all()
    assert same == (algorithm == "exact")


def test_many_points_of_many_dimensions_are_searched_approximately(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    points = make_blobs(3000, n_features=8, spread=0.5, random_state=0)[0]
    exact = by_exact_search(points)
    assert (neighbors.graph(points).adjacency != exact).nnz == 0
    monkeypatch.setattr(neighbor_index, "LARGEST_EXACT", 2999)
    approximate = neighbors.graph(points, algorithm="approximate").adjacency
    assert (neighbors.graph(points).adjacency != approximate).nnz == 0
    assert (approximate != exact).nnz > 0
    # Other metrics, sparse points and few dimensions are searched exactly.
    few = points[:, :2].copy()
    assert (neighbors.graph(few).adjacency != by_exact_search(few)).nnz == 0
    assert (neighbors.graph(sparse.csr_array(points)).adjacency != exact).nnz == 0
    manhattan = neighbors.graph(points, metric="manhattan").adjacency
    assert (manhattan != by_exact_search(points, metric="manhattan")).nnz == 0


@pytest.mark.parametrize("metric", ["euclidean", "l2", "sqeuclidean", "cosine", "manhattan"])
@pytest.mark.parametrize("d", [2, 6])
def test_distances_are_those_of_the_metric(metric: str, d: int) -> None:
    points, new = (np.random.default_rng(seed).normal(size=(50, d)) for seed in (0, 1))
    index = neighbor_index.neighbor_index(
        points,
        n_neighbors=4,
        metric=metric,
        algorithm="exact",
        n_threads=1,
        random=np.random.default_rng(0),
    )
    expected = np.sort(pairwise_distances(new, points, metric=metric), axis=1)[:, :4]
    np.testing.assert_allclose(index.nearest(new).distances, expected, rtol=1e-12, atol=1e-14)
    expected = np.sort(pairwise_distances(points, metric=metric), axis=1)[:, 1:5]
    np.testing.assert_allclose(index.nearest_others().distances, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("algorithm", ["exact", "approximate"])
def test_points_are_not_copied_to_float64(dtype: Any, algorithm: str) -> None:
    points = make_blobs(3000, n_features=8, random_state=0)[0].astype(dtype)
    with mock.patch("powercut._core.find_nearest_points", wraps=_core.find_nearest_points) as find:
        neighbors.graph(points, algorithm=algorithm)
    for call in find.call_args_list:
        X = call.args[0][0]
        assert X.dtype == np.float32
        assert np.shares_memory(X, points) == (dtype == np.float32)


def test_vectors_of_half_precision_are_clustered_as_float32() -> None:
    points = make_blobs(300, n_features=8, random_state=0)[0].astype(np.float16)
    model = PowerLawCut(affinity="nearest_neighbors", random_state=0).fit(points)
    same = PowerLawCut(affinity="nearest_neighbors", random_state=0).fit(points.astype(np.float32))
    np.testing.assert_array_equal(model.labels_, same.labels_)
    np.testing.assert_array_equal(model.predict(points), model.labels_)
    assert model._input.X.dtype == np.float32


def test_predictions_for_many_points_do_not_depend_on_the_number_of_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(neighbor_index, "LARGEST_EXACT", 1000)
    points = make_blobs(3000, n_features=8, random_state=0)[0]
    one, two = (
        PowerLawCut(affinity="nearest_neighbors", random_state=0, n_jobs=n_jobs).fit(points[:2000])
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.predict(points), two.predict(points))
    np.testing.assert_array_equal(one.predict(points)[:2000], one.labels_)


def distances(k: int, form: Any = sparse.csr_array) -> Any:
    return form(NearestNeighbors(n_neighbors=k).fit(X).kneighbors_graph(mode="distance"))


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_precomputed_neighbours_are_taken_as_they_are(form: Any) -> None:
    graph = neighbors.graph(distances(7, form), metric="precomputed")
    np.testing.assert_array_equal(graph.adjacency.toarray(), by_definition(X, 7, "euclidean"))
    graph = neighbors.graph(distances(7, form), metric="precomputed", n_neighbors=4)
    np.testing.assert_array_equal(graph.adjacency.toarray(), by_definition(X, 4, "euclidean"))
    # With each point among its own neighbours, as KNeighborsTransformer returns them.
    own = KNeighborsTransformer(n_neighbors=6).fit_transform(X)
    graph = neighbors.graph(form(own), metric="precomputed", n_neighbors=4)
    np.testing.assert_array_equal(graph.adjacency.toarray(), by_definition(X, 4, "euclidean"))


def test_precomputed_distances_of_all_points_are_searched() -> None:
    graph = neighbors.graph(pairwise_distances(X), metric="precomputed", n_neighbors=5)
    np.testing.assert_array_equal(graph.adjacency.toarray(), by_definition(X, 5, "euclidean"))


def test_equal_points_are_precomputed_neighbours() -> None:
    near = sparse.csr_array((np.zeros(4), [1, 0, 3, 2], [0, 1, 2, 3, 4]), shape=(4, 4))
    assert neighbors.graph(near, metric="precomputed").indices.tolist() == [1, 0, 3, 2]


class NotSquare:
    """A transformer whose matrix is not square."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002
        return {}

    def fit_transform(self, points: Any) -> Any:
        return sparse.csr_array((len(points), 3))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"algorithm": "annoy"}, "must be one of"),
        ({"algorithm": NotSquare()}, "shape"),
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
        ({"metric": "manhattan", "algorithm": "approximate"}, "'euclidean'.*use algorithm='exact'"),
        ({"metric": "precomputed", "algorithm": "approximate"}, "is for points"),
        ({"metric": "nearness"}, "nearness"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        neighbors.graph(X, **options)


NEGATIVE = sparse.csr_array(([1.0, -1.0], [1, 0], [0, 1, 2]), shape=(2, 2))


@pytest.mark.parametrize(
    ("points", "options", "message"),
    [
        (np.vstack([X, np.zeros(3)]), {"metric": "cosine"}, "row 60 of X is zero"),
        (sparse.csr_array(np.vstack([X, np.zeros(3)])), {"metric": "cosine"}, "row 60 of X"),
        (sparse.csr_array(X), {"algorithm": "approximate"}, "sparse points.*TruncatedSVD"),
        (sparse.csr_array(abs(X)), {"metric": "precomputed"}, r"shape \(60, 3\)"),
        (abs(X), {"metric": "precomputed"}, "square"),
        (distances(4), {"metric": "precomputed", "n_neighbors": 5}, "row 0 of X has .* of 4"),
        (NEGATIVE, {"metric": "precomputed"}, "Negative"),
        (np.where(X > 2, np.nan, X), {}, "NaN"),
    ],
)
def test_invalid_points_are_rejected(points: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        neighbors.graph(points, **options)
