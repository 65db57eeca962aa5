"""Nearest-neighbour graphs: they have the true neighbours, and are reproducible."""

import sys
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import KNeighborsTransformer, RadiusNeighborsTransformer

from powercut import neighbors
from powercut.datasets import make_blobs

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


def test_pynndescent_finds_nearly_all_neighbours_and_is_reproducible() -> None:
    pytest.importorskip("pynndescent", reason='pip install "powercut[neighbors]" to test it')
    points, _ = make_blobs(1500, n_features=10, random_state=0)
    exact = neighbors.graph(points).adjacency
    found, again = (neighbors.graph(points, algorithm="pynndescent") for _ in range(2))
    np.testing.assert_array_equal(found.indices, again.indices)
    assert found.adjacency.multiply(exact).sum() > 0.95 * exact.sum()
    assert (np.diff(found.indptr) >= 15).all()


def test_error_message_names_the_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynndescent", None)
    with pytest.raises(ImportError, match=r'pip install "powercut\[neighbors\]"'):
        neighbors.graph(X, algorithm="pynndescent")


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
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        neighbors.graph(X, **options)
