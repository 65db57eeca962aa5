"""Cluster sizes: compared with the powerlaw package, and with the definitions."""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.special import zeta

from powercut import PitmanYor, size_distribution
from powercut.results.sizes import _compare, _fit_tail, _geometric


def labels_of(sizes: np.ndarray) -> np.ndarray:
    return np.repeat(np.arange(len(sizes)), sizes)


def power_law_sizes(exponent: float, n: int, seed: int) -> np.ndarray:
    """Draw from a discrete power law from 1 on, by inversion of its distribution."""
    support = np.arange(1, 200_000)
    cdf = 1 - zeta(exponent, support + 1.0) / zeta(exponent, 1)
    return support[np.searchsorted(cdf, np.random.default_rng(seed).random(n) * cdf[-1])]


SAMPLES = {
    "pitman-yor": np.bincount(PitmanYor(10.0, 0.5).sample(100_000, random_state=0)),
    "heavy": np.bincount(PitmanYor(1.0, 0.8).sample(30_000, random_state=1)),
    "power-law": power_law_sizes(2.5, 2000, 0),
    "log-normal": np.ceil(np.random.default_rng(0).lognormal(2, 1, 1500)).astype(int),
    "geometric": np.random.default_rng(0).geometric(0.05, 1500),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_tail_agrees_with_the_powerlaw_package(name: str) -> None:
    sizes = SAMPLES[name]
    found = size_distribution(labels_of(sizes)).power_law
    assert found is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        powerlaw: Any = pytest.importorskip("powerlaw")
        options = {"discrete": True, "verbose": False, "parameter_ranges": {"alpha": [1.0, 20.0]}}
        theirs = powerlaw.Fit(sizes, xmin=found.smallest, **options)
        exponent, distance = theirs.power_law.alpha, theirs.power_law.D
        ratios = {
            other: theirs.distribution_compare("power_law", other, normalized_ratio=True)
            for other in ("lognormal", "exponential")
        }
        best_distance = powerlaw.Fit(sizes, **options).power_law.D
    assert found.exponent == pytest.approx(exponent, abs=1e-3)
    assert found.distance == pytest.approx(distance, abs=1e-3)
    assert found.distance <= best_distance + 1e-3
    assert found.n_tail == np.count_nonzero(sizes >= found.smallest)
    for other, comparison in {
        "lognormal": found.against_lognormal,
        "exponential": found.against_exponential,
    }.items():
        ratio, p_value = ratios[other]
        assert comparison.log_ratio == pytest.approx(ratio, abs=0.02, rel=0.01)
        assert comparison.p_value == pytest.approx(p_value, abs=0.02)


@pytest.mark.parametrize("name", SAMPLES)
def test_distance_is_the_largest_gap_at_any_size(name: str) -> None:
    sizes = SAMPLES[name]
    found = size_distribution(labels_of(sizes)).power_law
    assert found is not None
    tail = np.sort(sizes[sizes >= found.smallest])
    every = np.arange(found.smallest, tail[-1] + 1)
    empirical = np.searchsorted(tail, every, side="right") / len(tail)
    model = 1 - zeta(found.exponent, every + 1.0) / zeta(found.exponent, found.smallest)
    assert found.distance == pytest.approx(np.abs(empirical - model).max(), rel=1e-9)


def test_true_distribution_of_the_tail_is_preferred() -> None:
    against = {name: size_distribution(labels_of(SAMPLES[name])).power_law for name in SAMPLES}
    assert against["power-law"].exponent == pytest.approx(2.5, abs=0.1)
    assert against["power-law"].against_exponential.log_ratio > 3
    assert against["power-law"].against_exponential.p_value < 0.01
    assert against["power-law"].against_lognormal.p_value > 0.05


def test_geometric_sizes_are_not_a_power_law() -> None:

    sizes = SAMPLES["geometric"]
    exponent, _ = _fit_tail(sizes, 1)
    power = -exponent * np.log(sizes) - np.log(zeta(exponent, 1))
    comparison = _compare(power, _geometric(sizes, 1))
    assert comparison.log_ratio < -10
    assert comparison.p_value < 1e-6


def test_sizes_and_prior_are_those_of_the_labels() -> None:
    found = size_distribution(["a", "b", "a", "c", "a", "b"])
    np.testing.assert_array_equal(found.sizes, [3, 2, 1])
    assert found.prior == PitmanYor.fit([3, 2, 1])


def test_discount_and_exponent_of_a_pitman_yor_partition_agree() -> None:
    found = size_distribution(labels_of(SAMPLES["pitman-yor"]))
    assert found.prior.discount == pytest.approx(0.5, abs=0.03)
    assert found.power_law is not None
    assert found.power_law.exponent == pytest.approx(1.5, abs=0.1)  # 1 + discount


@pytest.mark.parametrize("labels", [[0], [0, 0, 0], [0, 1, 2]])
def test_clusters_of_equal_size_have_no_power_law(labels: list[int]) -> None:
    assert size_distribution(labels).power_law is None


def test_two_distinct_sizes_are_enough_for_a_power_law() -> None:
    tail = size_distribution([0, 0, 1]).power_law
    assert tail is not None
    assert tail.n_tail == 2


def test_empty_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="labels are empty"):
        size_distribution([])
