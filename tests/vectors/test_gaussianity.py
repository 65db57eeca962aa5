"""The test whether clusters pass as Gaussian."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from powercut._typing import LABEL
from powercut.vectors.gaussianity import compare_with_gaussian, principal_scores

Draw = Callable[[np.random.Generator, int, int], npt.NDArray[np.float64]]
OTHERS: dict[str, Draw] = {
    "uniform": lambda random, n, d: random.uniform(size=(n, d)),
    "heavy tails": lambda random, n, d: random.standard_t(3, size=(n, d)),
    "skewed": lambda random, n, d: random.exponential(size=(n, d)),
    "two lumps": lambda random, n, d: (
        random.normal(size=(n, d)) + 5 * random.integers(2, size=(n, 1))
    ),
}


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("n", "d"), [(100, 1), (300, 2), (2000, 10)])
def test_gaussian_clusters_pass(n: int, d: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    labels = random.integers(2, size=n).astype(LABEL)
    X = random.normal(size=(n, d)) @ random.normal(size=(d, d)) + 20 * labels[:, None]
    test = compare_with_gaussian(X, labels)
    assert test.passed, test
    assert test.covered == 1


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("d", [1, 2, 10])
def test_other_clusters_fail(kind: str, seed: int, d: int) -> None:
    X = OTHERS[kind](np.random.default_rng(seed), 1000, d)
    test = compare_with_gaussian(X, np.zeros(1000, dtype=LABEL))
    assert not test.passed, test


def test_clusters_too_small_to_tell_do_not_pass() -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    test = compare_with_gaussian(X, np.arange(40, dtype=LABEL) // 4)
    assert not test.passed
    assert test.reason == "100% of the points are in clusters too small to tell"


def test_shape_and_place_do_not_matter() -> None:
    random = np.random.default_rng(0)
    X, labels = random.normal(size=(500, 3)), np.zeros(500, dtype=LABEL)
    turned = X @ random.normal(size=(3, 3)) + 100
    one, other = compare_with_gaussian(X, labels), compare_with_gaussian(turned, labels)
    # The axes differ, the radial part of the moments does not.
    assert one.passed
    assert other.passed


def test_flat_axes_are_dropped() -> None:
    random = np.random.default_rng(0)
    plane = random.normal(size=(200, 2)) @ random.normal(size=(2, 5))
    scores = principal_scores(plane)
    assert scores.shape == (200, 2)
    np.testing.assert_allclose(scores.std(axis=0), 1)
