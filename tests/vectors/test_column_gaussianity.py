"""The test whether clusters of many columns pass as Gaussians with independent columns."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from powercut._typing import LABEL
from powercut.vectors.column_gaussianity import compare_columns_with_gaussian

Draw = Callable[[np.random.Generator, int, int], npt.NDArray[np.float64]]


def student(degrees: int) -> Draw:
    def draw(random: np.random.Generator, n: int, d: int) -> npt.NDArray[np.float64]:
        return random.normal(size=(n, d)) / np.sqrt(random.chisquare(degrees, (n, 1)) / degrees)

    return draw


def on_sphere(random: np.random.Generator, n: int, d: int) -> npt.NDArray[np.float64]:
    X = np.eye(d)[0] + 0.3 * random.normal(size=(n, d))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def curve_in_noise(random: np.random.Generator, n: int, d: int) -> npt.NDArray[np.float64]:
    X = random.normal(size=(n, d))
    X[:, 3] = random.uniform(-9, 9, size=n)
    X[:, 5] = np.abs(X[:, 3])
    return X


OTHERS: dict[str, Draw] = {
    "t of 5 degrees": student(5),
    "t of 20 degrees": student(20),
    "t in each column": lambda random, n, d: random.standard_t(5, size=(n, d)),
    "uniform": lambda random, n, d: random.uniform(size=(n, d)),
    "skewed": lambda random, n, d: random.exponential(size=(n, d)),
    "slightly skewed": lambda random, n, d: random.gamma(25.0, size=(n, d)),
    "correlated": lambda random, n, d: random.normal(size=(n, d)) @ random.normal(size=(d, d)),
    "two lumps": lambda random, n, d: (
        random.normal(size=(n, d)) + 1.5 * random.integers(2, size=(n, 1))
    ),
    "three lumps": lambda random, n, d: (
        random.normal(size=(n, d)) + random.normal(size=(3, d))[random.integers(3, size=n)]
    ),
    "sphere": on_sphere,
    "a curve in noise": curve_in_noise,
}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("n", "d", "k"), [(300, 21, 20), (1000, 50, 5), (2000, 100, 60)])
def test_gaussian_clusters_pass(n: int, d: int, k: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    labels = random.integers(k, size=n).astype(LABEL)
    centre, deviation = random.normal(size=(2, k, d))
    X = centre[labels] + deviation[labels] * random.normal(size=(n, d))
    test = compare_columns_with_gaussian(X, labels)
    assert test.passed, test


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("d", [21, 40, 100])
def test_other_clusters_fail(kind: str, seed: int, d: int) -> None:
    random = np.random.default_rng(seed)
    labels = (np.arange(1000) % 4).astype(LABEL)
    X = OTHERS[kind](random, 1000, d) + 50 * labels[:, None]
    test = compare_columns_with_gaussian(X, labels)
    assert not test.passed, test


def test_shells_of_heavy_tails_fail() -> None:
    # Gaussians of different scale around one mean describe them well.
    X = student(5)(np.random.default_rng(0), 2000, 40)
    radius = np.linalg.norm(X, axis=1)
    shells = np.searchsorted(np.quantile(radius, [0.5, 0.8]), radius).astype(LABEL)
    assert not compare_columns_with_gaussian(X, shells).passed


@pytest.mark.parametrize(("n", "d"), [(12, 30), (60, 21), (200, 64)])
def test_dispersion_and_correlation_have_the_stated_moments(n: int, d: int) -> None:
    random = np.random.default_rng(0)
    one = np.zeros(n, dtype=LABEL)
    times = 400
    tests = [compare_columns_with_gaussian(random.normal(size=(n, d)), one) for _ in range(times)]
    V, C = np.array([(test.dispersion, test.correlation) for test in tests]).T
    of_V, of_C = (2 + 12 / d) / n, 4 * (d - 1) / d * (n - 2) / ((n - 1) ** 2 * (n + 1))
    for found, mean, variance in ((V, 1, of_V), (C, 0, of_C)):
        assert abs(found.mean() - mean) < 4 * np.sqrt(variance / times)
        assert 0.7 < found.var() / variance < 1.4


def test_dispersion_of_heavy_tails_and_of_correlated_columns() -> None:
    random = np.random.default_rng(0)
    n, d = 20_000, 40
    one = np.zeros(n, dtype=LABEL)
    tails = compare_columns_with_gaussian(student(50)(random, n, d), one)
    assert tails.dispersion == pytest.approx(1 + d / 46, rel=0.05)
    common = random.normal(size=(n, d)) + 0.5 * random.normal(size=(n, 1))
    correlated = compare_columns_with_gaussian(common, one)
    assert correlated.dispersion == pytest.approx(1 + (d - 1) * (0.25 / 1.25) ** 2, rel=0.05)
    assert correlated.correlation == pytest.approx((d - 1) * (0.25 / 1.25) ** 2, rel=0.05)


def test_place_and_units_do_not_matter() -> None:
    random = np.random.default_rng(0)
    X, labels = random.normal(size=(500, 30)), (np.arange(500) % 3).astype(LABEL)
    moved = X * random.uniform(0.01, 100, size=30) + random.normal(size=30)
    one = compare_columns_with_gaussian(X, labels)
    other = compare_columns_with_gaussian(moved, labels)
    assert other.dispersion == pytest.approx(one.dispersion)
    assert other.each == pytest.approx(one.each)
    assert other.worst == pytest.approx(one.worst)


def test_constant_columns_and_equal_points_are_left_out() -> None:
    random = np.random.default_rng(0)
    X, labels = random.normal(size=(600, 30)), (np.arange(600) % 2).astype(LABEL)
    with_constant = np.hstack([X, np.full((600, 3), 7.0)])
    expected = compare_columns_with_gaussian(X, labels)
    found = compare_columns_with_gaussian(with_constant, labels)
    assert (found.radial, found.independent, found.each, found.worst) == (
        pytest.approx(expected.radial),
        pytest.approx(expected.independent),
        pytest.approx(expected.each),
        pytest.approx(expected.worst),
    )
    equal = compare_columns_with_gaussian(np.ones((50, 30)), np.zeros(50, dtype=LABEL))
    assert not equal.passed
    assert equal.covered == 0


def test_clusters_too_small_to_tell_do_not_pass() -> None:
    X = np.random.default_rng(0).normal(size=(40, 30))
    test = compare_columns_with_gaussian(X, np.arange(40, dtype=LABEL) // 4)
    assert not test.passed
    assert test.reason == "100% of the points are in clusters too small to tell"


def test_single_precision_is_enough() -> None:
    random = np.random.default_rng(0)
    X, labels = random.normal(size=(500, 30)), np.zeros(500, dtype=LABEL)
    single = compare_columns_with_gaussian(X.astype(np.float32), labels)
    assert single.dispersion == pytest.approx(
        compare_columns_with_gaussian(X, labels).dispersion, rel=1e-4
    )
