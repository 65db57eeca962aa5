"""Nearest neighbours from the edges of a graph, and the dimension that they show."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from powercut import neighbors
from powercut.graphs.density import Nearest

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("make", [np.asarray, np.float32, sp.csr_array])
def test_shortest_edges_lead_to_the_nearest_neighbours(make: type) -> None:
    X = RANDOM.normal(size=(200, 3))
    nearest = Nearest.of(make(X), neighbors.graph(X, n_neighbors=7), 7)
    distance, index = NearestNeighbors(n_neighbors=7).fit(X).kneighbors()
    np.testing.assert_array_equal(nearest.index, index)
    np.testing.assert_allclose(nearest.distance, distance, rtol=1e-5)
    np.testing.assert_allclose(nearest.log_radius, np.log(distance[:, -1]), rtol=1e-4)


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_dimension_is_that_of_the_set_and_not_of_the_space(dimension: int) -> None:
    flat = RANDOM.uniform(size=(2000, dimension)) @ RANDOM.normal(size=(dimension, 8))
    nearest = Nearest.of(flat, neighbors.graph(flat), 15)
    assert nearest.dimension(most=8) == pytest.approx(dimension, rel=0.15)
    assert nearest.dimension(most=1) == 1.0


def test_equal_points_have_a_finite_density() -> None:
    X = np.repeat(RANDOM.normal(size=(5, 2)), 20, axis=0)
    nearest = Nearest.of(X, neighbors.graph(X, n_neighbors=4), 4)
    assert np.isfinite(nearest.log_radius).all()
    assert nearest.dimension(most=2) >= 1


def test_neighbours_are_searched_and_those_of_other_points_too() -> None:
    X = RANDOM.normal(size=(200, 3))
    searched, from_graph = Nearest.search(X, 7), Nearest.of(X, neighbors.graph(X, n_neighbors=7), 7)
    np.testing.assert_array_equal(searched.index, from_graph.index)
    new = RANDOM.normal(size=(10, 3))
    distance, _ = NearestNeighbors(n_neighbors=7).fit(X).kneighbors(new)
    np.testing.assert_allclose(searched.log_radius_at(new), np.log(distance[:, -1]))
