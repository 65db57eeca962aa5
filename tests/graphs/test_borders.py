"""Borders between clusters: how many points are there, and whether they are sparser."""

import numpy as np
import numpy.typing as npt
import pytest

from powercut._typing import LABEL
from powercut.graphs.borders import LEAST, Borders

Points = npt.NDArray[np.float64]


def borders(X: Points, labels: npt.NDArray[np.int64]) -> Borders:
    return Borders.of(X, labels.astype(LABEL), random=np.random.default_rng(0))


@pytest.mark.parametrize(("d", "n_cells"), [(1, 100), (2, 5), (5, 5)])
def test_cells_of_a_cube_are_pieces(d: int, n_cells: int) -> None:
    X = np.random.default_rng(0).uniform(size=(2000, d))
    assert borders(X, np.floor(n_cells * X[:, 0]).astype(np.int64)).are_of_pieces


@pytest.mark.parametrize("deviations", [3.5, 5.0])
def test_gaussians_are_sparser_where_they_meet(deviations: float) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, 2))
    X[1000:, 0] += deviations
    found = borders(X, (X[:, 0] > deviations / 2).astype(np.int64))
    assert found.gap > 0.3
    assert not found.are_of_pieces


def test_clusters_far_apart_have_no_border() -> None:
    side = np.repeat([0, 1], 50)
    X = np.random.default_rng(0).normal(size=(100, 2)) + 100.0 * side[:, None]
    assert borders(X, side) == Borders(0.0, np.inf)


def test_points_of_small_clusters_do_not_count() -> None:
    X = np.random.default_rng(0).normal(size=(200, 2))
    labels = np.zeros(200, dtype=np.int64)
    labels[: LEAST - 1] = 1  # here and there in the other cluster
    few = borders(X, labels)
    assert few.share < borders(X, np.where(np.arange(200) < LEAST, 1, 0)).share


def test_the_gap_does_not_depend_on_scale_or_names() -> None:
    X = np.random.default_rng(0).normal(size=(300, 3))
    labels = (X[:, 0] > 0).astype(np.int64)
    once, again = borders(X, labels), borders(1000 * X, 1 - labels)
    assert again.share == once.share
    assert again.gap == pytest.approx(once.gap)
