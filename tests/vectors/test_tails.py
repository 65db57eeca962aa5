"""Outlier scores: their rate where there are no outliers, and beside some."""

import numpy as np
import pytest

from powercut.vectors.tails import OUTLIER, Tails


@pytest.mark.parametrize("d", [1, 2, 10])
def test_few_gaussian_sets_have_an_outlier(d: int) -> None:
    random, n_sets = np.random.default_rng(d), 300
    one = np.zeros(500, dtype=np.int32)
    found = 0
    for _ in range(n_sets):
        t = 0.5 * (random.normal(size=(500, d)) ** 2).sum(axis=1)
        found += int((Tails.of(t, one).scores(t, one) > OUTLIER).any())
    assert found <= 0.05 * n_sets


def test_outliers_do_not_hide_each_other() -> None:
    t = np.random.default_rng(0).exponential(size=1000)
    t[:40] = 40.0
    one = np.zeros(1000, dtype=np.int32)
    score = Tails.of(t, one).scores(t, one)
    assert (score[:40] > OUTLIER).all()
    assert (score[40:] <= OUTLIER).all()


def test_each_cluster_has_its_own_tail_unless_it_is_small() -> None:
    random = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], [500, 500, 5]).astype(np.int32)
    t = random.exponential(size=1005) + 50.0 * (labels == 1) + 500.0 * (labels == 2)
    score = Tails.of(t, labels).scores(t, labels)
    assert (score[:1000] <= OUTLIER).all()
    assert (score[1000:] > OUTLIER).all()


def test_equal_points_have_no_outliers_among_them() -> None:
    one = np.zeros(100, dtype=np.int32)
    tails = Tails.of(np.zeros(100), one)
    assert (tails.scores(np.zeros(100), one) <= 0).all()
    assert tails.scores(np.ones(1), one[:1])[0] > OUTLIER
