"""Distances to the nearest neighbours, and the density and dimension that they show."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize

from powercut.graphs.density import Neighborhoods

RANDOM = np.random.default_rng(0)


def search(X: Any, k: int) -> Neighborhoods:
    return Neighborhoods.search(X, k, random=np.random.default_rng(0))


@pytest.mark.parametrize("dimension", [3, 6])
@pytest.mark.parametrize("make", [np.asarray, np.float32, sp.csr_array])
def test_neighbours_are_the_nearest_of_training_and_of_other_points(
    make: type, dimension: int
) -> None:
    X, new = RANDOM.normal(size=(200, dimension)), RANDOM.normal(size=(10, dimension))
    around = search(make(X), 7)
    true = NearestNeighbors(n_neighbors=7).fit(X)
    distance, index = true.kneighbors()
    np.testing.assert_array_equal(around.neighbors.indices, index)
    np.testing.assert_allclose(around.neighbors.distances, distance, rtol=1e-5)
    np.testing.assert_allclose(around.log_radius, np.log(distance[:, -1]), rtol=1e-4)
    log_radius = np.log(true.kneighbors(new)[0][:, -1])
    np.testing.assert_allclose(around.log_radius_at(make(new)), log_radius, rtol=1e-4)


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_dimension_is_that_of_the_set_and_not_of_the_space(dimension: int) -> None:
    # A sphere has no border, where points have few neighbours.
    sphere = normalize(RANDOM.normal(size=(2000, dimension + 1)))
    basis = np.linalg.qr(RANDOM.normal(size=(8, dimension + 1))).Q.T
    around = search(sphere @ basis, 15)
    assert around.dimension(most=8) == pytest.approx(dimension, rel=0.15)
    assert around.dimension(most=1) == 1.0


def test_equal_points_have_a_finite_density() -> None:
    X = np.repeat(RANDOM.normal(size=(5, 2)), 20, axis=0)
    around = search(X, 4)
    assert np.isfinite(around.log_radius).all()
    assert around.dimension(most=2) >= 1


def test_a_single_point_has_no_neighbours() -> None:
    assert search(np.zeros((1, 2)), 0).log_radius == [0.0]
