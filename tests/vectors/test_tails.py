"""Outlier scores: their rate where there are no outliers, and beside some."""

from collections.abc import Callable

import numpy as np
import pytest

from powercut._typing import LABEL
from powercut.vectors.tails import OUTLIER, Tails


@pytest.mark.parametrize("d", [1, 2, 10])
def test_few_gaussian_sets_have_an_outlier(d: int) -> None:
    random, n_sets = np.random.default_rng(d), 300
    one = np.zeros(500, dtype=LABEL)
    found = 0
    for _ in range(n_sets):
        t = 0.5 * (random.normal(size=(500, d)) ** 2).sum(axis=1)
        found += int((Tails.of(t, one).scores(t, one) > OUTLIER).any())
    assert found <= 0.05 * n_sets


# Sparseness of n points of one cluster: minus a log-density, or the logarithm of a distance.
LAWS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "exponential": lambda random, n: random.exponential(size=n),
    "gaussian": lambda random, n: 0.5 * random.normal(size=n) ** 2,
    "student": lambda random, n: np.log(np.abs(random.standard_t(3, size=n))),
    "cauchy": lambda random, n: np.log(np.abs(random.standard_cauchy(size=n))),
}


@pytest.mark.parametrize("n", [100, 500, 2000])
@pytest.mark.parametrize("law", LAWS)
def test_scores_are_calibrated_for_clusters_of_all_sizes_and_tails(law: str, n: int) -> None:
    """Where a score is 0, one point is expected: about one point of a cluster is beyond.

    This is what makes the tail a decile. Half of the points, or a fifth, are no exponential tail:
    the number is then wrong by a factor that grows with n. A tail that is shorter than a decile is
    estimated from few points, and a few outliers are half of it (the test below).
    """
    random, n_sets = np.random.default_rng(n), 300
    one = np.zeros(n, dtype=LABEL)
    n_beyond, n_with_outliers = 0, 0
    for _ in range(n_sets):
        t = LAWS[law](random, n)
        score = Tails.of(t, one).scores(t, one)
        n_beyond += int(np.count_nonzero(score > 0))
        n_with_outliers += int((score > OUTLIER).any())
    assert 0.25 < n_beyond / n_sets < 2
    assert n_with_outliers <= 0.08 * n_sets


def test_outliers_do_not_hide_each_other() -> None:
    t = np.random.default_rng(0).exponential(size=1000)
    t[:40] = 40.0
    one = np.zeros(1000, dtype=LABEL)
    score = Tails.of(t, one).scores(t, one)
    assert (score[:40] > OUTLIER).all()
    assert (score[40:] <= OUTLIER).all()


def test_each_cluster_has_its_own_tail_unless_it_is_small() -> None:
    random = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], [500, 500, 5]).astype(LABEL)
    t = random.exponential(size=1005) + 50.0 * (labels == 1) + 500.0 * (labels == 2)
    score = Tails.of(t, labels).scores(t, labels)
    assert (score[:1000] <= OUTLIER).all()
    assert (score[1000:] > OUTLIER).all()


def test_equal_points_have_no_outliers_among_them() -> None:
    one = np.zeros(100, dtype=LABEL)
    tails = Tails.of(np.zeros(100), one)
    assert (tails.scores(np.zeros(100), one) <= 0).all()
    assert tails.scores(np.ones(1), one[:1])[0] > OUTLIER
