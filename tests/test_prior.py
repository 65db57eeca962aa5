"""The Pitman-Yor prior against enumeration, exact arithmetic and simulation."""

import dataclasses
import functools
import math
import pickle
import time
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import gamma, gammaln, psi

from powercut import _core
from powercut._special import log_rising
from powercut._typing import LABEL
from powercut.prior import PitmanYor
from powercut.search.prior import bounded_prior
from reference_prior import best_first_weight, likelihood_maxima

PARAMETERS = [
    (1.0, 0.0),
    (0.05, 0.0),
    (30.0, 0.0),
    (0.0, 0.3),
    (1.0, 0.5),
    (20.0, 0.25),
    (-0.2, 0.5),
    (-0.6999, 0.7),
    (-0.9, 0.95),
    (3.0, 0.999),
]
EXTREME = [
    (1e-300, 0.0),
    (1e-8, 0.0),
    (1.0, 5e-324),
    (1.0, 1e-16),
    (20.0, 1e-12),
    (-0.9999, 0.99999),
    (50.0, 0.999999),
    (1e6, 0.5),
    (1e12, 0.1),
]
priors = pytest.mark.parametrize(("concentration", "discount"), PARAMETERS)
extreme_priors = pytest.mark.parametrize(("concentration", "discount"), PARAMETERS + EXTREME)


def set_partitions(n):
    """Return the labels of every partition of n points, clusters in order of first appearance."""
    sequences = [()]
    for _ in range(n):
        sequences = [
            (*labels, c) for labels in sequences for c in range(max(labels, default=-1) + 2)
        ]
    return sequences


@functools.cache
def partitions_by_sizes(n):
    """Count the set partitions of n points with each multiset of sizes."""
    return Counter(tuple(sorted(Counter(labels).values())) for labels in set_partitions(n))


def seating_log_prob(labels, concentration, discount):
    """Sum the log probabilities of the seating choices of all customers, by definition."""
    seated, total = Counter(), 0.0
    for n, table in enumerate(labels):
        if n:
            new = concentration + discount * len(seated)
            weight = seated[table] - discount if table in seated else new
            total += math.log(weight / (concentration + n))
        seated[table] += 1
    return total


def rising(x, m):
    return math.prod((x + i for i in range(m)), start=Fraction(1))


def exact_log_prob(sizes, concentration, discount):
    """Evaluate the formula in rational arithmetic, and take the logarithm with fifty digits."""
    alpha, theta = Fraction(concentration), Fraction(discount)
    probability = math.prod((alpha + j * theta for j in range(1, len(sizes))), start=Fraction(1))
    probability *= math.prod(rising(1 - theta, size - 1) for size in sizes)
    probability /= rising(alpha + 1, sum(sizes) - 1)
    with localcontext(prec=50):
        return (Decimal(probability.numerator) / Decimal(probability.denominator)).ln()


def exact_expected_clusters(n, concentration, discount):
    """Add the expectations of one customer after the other, in rational arithmetic."""
    alpha, theta, expected = Fraction(concentration), Fraction(discount), Fraction(1)
    for seated in range(1, n):
        expected += (alpha + theta * expected) / (alpha + seated)
    return expected


def sample_sizes(concentration, discount, n, seed):
    return np.bincount(PitmanYor(concentration, discount).sample(n, random_state=seed))


class TestLogProb:
    """The probability of a partition."""

    @priors
    @pytest.mark.parametrize("n", range(1, 9))
    def test_probabilities_of_all_partitions_sum_to_one(self, n, concentration, discount):
        prior = PitmanYor(concentration, discount)
        total = sum(m * math.exp(prior.log_prob(s)) for s, m in partitions_by_sizes(n).items())
        assert total == pytest.approx(1, rel=1e-12)

    @priors
    def test_log_prob_is_the_sum_of_seating_log_probabilities(self, concentration, discount):
        prior = PitmanYor(concentration, discount)
        for labels in set_partitions(6):
            expected = seating_log_prob(labels, concentration, discount)
            assert prior.log_prob(np.bincount(labels)) == pytest.approx(expected, abs=1e-11)

    @settings(deadline=None, derandomize=True)
    @given(
        st.lists(st.integers(0, 6), min_size=1, max_size=40).flatmap(
            lambda labels: st.tuples(st.just(labels), st.permutations(labels))
        ),
        st.sampled_from(PARAMETERS),
    )
    def test_log_prob_does_not_depend_on_the_order_of_arrival(self, orders, parameters):
        for order in orders:
            sizes = list(Counter(order).values())
            expected = seating_log_prob(order, *parameters)
            assert PitmanYor(*parameters).log_prob(sizes) == pytest.approx(expected, abs=1e-10)

    @pytest.mark.parametrize("concentration", [0.01, 1.0, 7.5, 1e4])
    @pytest.mark.parametrize("sizes", [[1], [5], [1, 1, 1], [4, 2, 1, 1], [30, 20, 3]])
    def test_no_discount_is_ewens(self, sizes, concentration):
        n = sum(sizes)
        ewens = (
            len(sizes) * math.log(concentration)
            + sum(math.log(math.factorial(size - 1)) for size in sizes)
            - sum(math.log(concentration + i) for i in range(n))
        )
        assert PitmanYor(concentration, 0).log_prob(sizes) == pytest.approx(ewens, abs=1e-9)

    @extreme_priors
    @pytest.mark.parametrize(
        "sizes", [[1], [2], [40], [1] * 20, [30, 1, 1, 1], [10, 10, 10], [200, 3]], ids=str
    )
    def test_exact_arithmetic(self, sizes, concentration, discount):
        exact = exact_log_prob(sizes, concentration, discount)
        error = abs(float(Decimal(PitmanYor(concentration, discount).log_prob(sizes)) - exact))
        # At most one rounding error per logarithm in the formula.
        magnitude = 1 + sum(sizes) * math.log(sum(sizes) + 2 + abs(concentration))
        magnitude += len(sizes) * abs(math.log(concentration + discount))
        assert error < 1e-15 * magnitude

    def test_empty_partition(self):
        assert PitmanYor(1, 0.5).log_prob([]) == 0
        assert PitmanYor(1, 0.5).log_prob(np.array([], dtype=int)) == 0

    def test_order_and_dtype_of_sizes_do_not_matter(self):
        prior = PitmanYor(2, 0.3)
        expected = prior.log_prob([5, 1, 3, 3])
        for dtype in (np.uint8, LABEL, np.uint64):
            assert prior.log_prob(np.array([3, 5, 3, 1], dtype=dtype)) == expected

    def test_continuous_at_discount_zero(self):
        sizes = [1] * 30 + [2] * 10 + [50, 400]
        alpha, k = 3.0, len(sizes)
        at_zero = PitmanYor(alpha, 0).log_prob(sizes)
        slope = k * (k - 1) / (2 * alpha) - sum(1 / i for size in sizes for i in range(1, size))
        for discount in (1e-6, 1e-8, 1e-9):
            change = PitmanYor(alpha, discount).log_prob(sizes) - at_zero
            assert change == pytest.approx(slope * discount, rel=1e-3)
        for discount in (1e-18, 1e-100, 5e-324):
            assert PitmanYor(alpha, discount).log_prob(sizes) == pytest.approx(at_zero, rel=1e-15)

    @pytest.mark.parametrize("discount", [0, 1e-15, 1e-6, 0.5, 0.999])
    def test_a_million_clusters(self, discount):
        k, alpha = 10**6, 12.5
        singletons = math.fsum(np.log((alpha + discount * np.arange(1, k)) / (alpha + np.r_[1:k])))
        found = PitmanYor(alpha, discount).log_prob(np.ones(k, dtype=int))
        assert found == pytest.approx(singletons, rel=1e-10)

    @pytest.mark.parametrize("concentration", [-0.2, 1.0, 1000.0])
    @pytest.mark.parametrize("others", [[], [1], [7, 3, 3]])
    def test_one_more_point_in_a_billion(self, others, concentration):
        n, theta = 10**9, 0.4
        prior = PitmanYor(concentration, theta)
        before = prior.log_prob([n, *others])
        change = prior.log_prob([n + 1, *others]) - before
        ratio_less_one = -(theta + concentration + sum(others)) / (concentration + n + sum(others))
        rounding = 2 * np.spacing(abs(before))  # of the two values
        assert change == pytest.approx(math.log1p(ratio_less_one), abs=2e-12 + rounding)

    def test_several_clusters_of_a_billion_points(self):
        n, prior = 10**9, PitmanYor(3, 0.4)
        change = prior.log_prob([n + 1, n, n]) - prior.log_prob([n, n, n])
        # The three terms are near 2e10, where the floating-point spacing is 4e-6.
        assert change == pytest.approx(math.log((n - 0.4) / (3 * n + 3)), abs=2e-5)


class TestExpectedClusters:
    """Expected numbers of clusters, in total and of each size."""

    @priors
    @pytest.mark.parametrize("n", range(1, 9))
    def test_enumeration(self, n, concentration, discount):
        prior = PitmanYor(concentration, discount)
        expected, expected_of_size = 0.0, np.zeros(n)
        for sizes, multiplicity in partitions_by_sizes(n).items():
            probability = multiplicity * math.exp(prior.log_prob(sizes))
            expected += probability * len(sizes)
            expected_of_size += probability * np.bincount(sizes, minlength=n + 1)[1:]
        assert prior.expected_clusters(n) == pytest.approx(expected, rel=1e-12)
        np.testing.assert_allclose(
            prior.expected_clusters_of_size(n, np.arange(1, n + 1)), expected_of_size, rtol=1e-11
        )

    @extreme_priors
    @pytest.mark.parametrize("n", [1, 2, 10, 16, 17, 18, 60])
    def test_exact_arithmetic(self, n, concentration, discount):
        exact = float(exact_expected_clusters(n, concentration, discount))
        found = PitmanYor(concentration, discount).expected_clusters(n)
        assert found == pytest.approx(exact, rel=1e-14)

    @extreme_priors
    @pytest.mark.parametrize("n", [1, 2, 60])
    def test_exact_arithmetic_of_size(self, n, concentration, discount):
        alpha, theta = Fraction(concentration), Fraction(discount)
        sizes = sorted({1, 2, n // 2, n - 1, n} & set(range(1, n + 1)))
        exact = [
            math.comb(n, m)
            * rising(1 - theta, m - 1)
            * rising(alpha + theta, n - m)
            / rising(alpha + 1, n - 1)
            for m in sizes
        ]
        found = PitmanYor(concentration, discount).expected_clusters_of_size(n, sizes)
        np.testing.assert_allclose(found, np.array(exact, dtype=float), rtol=1e-12, atol=1e-300)

    @priors
    def test_sizes_add_up(self, concentration, discount):
        n, prior = 20_000, PitmanYor(concentration, discount)
        of_size = prior.expected_clusters_of_size(n, np.arange(1, n + 1))
        assert of_size.sum() == pytest.approx(prior.expected_clusters(n), rel=1e-11)
        assert of_size @ np.arange(1, n + 1) == pytest.approx(n, rel=1e-11)

    def test_grows_like_a_power(self):
        alpha, theta, n = 4.0, 0.6, 10**15
        limit = gamma(alpha + 1) / (theta * gamma(alpha + theta)) * n**theta
        assert PitmanYor(alpha, theta).expected_clusters(n) == pytest.approx(limit, rel=1e-7)

    def test_sizes_fall_like_a_power(self):
        of_size = PitmanYor(4, 0.6).expected_clusters_of_size(10**12, [1000, 10_000])
        assert np.log10(of_size[0] / of_size[1]) == pytest.approx(1.6, abs=1e-3)

    def test_shape_follows_size(self):
        prior = PitmanYor(1, 0.5)
        assert prior.expected_clusters_of_size(9, 3).shape == ()
        assert prior.expected_clusters_of_size(9, [[1, 2], [3, 4]]).shape == (2, 2)
        assert prior.expected_clusters_of_size(9, []).shape == (0,)

    def test_no_points_and_sizes_beyond_n(self):
        prior = PitmanYor(-0.5, 0.9)
        assert prior.expected_clusters(0) == 0
        np.testing.assert_array_equal(prior.expected_clusters_of_size(0, [1, 2]), [0, 0])
        found = prior.expected_clusters_of_size(1, [1, 2, 10**9])
        np.testing.assert_allclose(found, [1, 0, 0], rtol=1e-14)


class TestSample:
    """Draws from the native sampler."""

    @pytest.mark.parametrize(("concentration", "discount"), [(1, 0), (2, 0.5), (-0.2, 0.6)])
    def test_frequencies_of_partitions_agree_with_their_probabilities(
        self, concentration, discount
    ):
        prior, random_state = PitmanYor(concentration, discount), np.random.RandomState(0)
        draws = 6000
        seen = Counter(tuple(prior.sample(4, random_state=random_state)) for _ in range(draws))
        partitions = set_partitions(4)
        assert set(seen) <= set(partitions)  # clusters are numbered in order of opening
        expected = [draws * math.exp(prior.log_prob(np.bincount(z))) for z in partitions]
        assert stats.chisquare([seen[z] for z in partitions], expected).pvalue > 0.01

    @pytest.mark.parametrize(("concentration", "discount"), [(5, 0), (1, 0.3), (-0.4, 0.8)])
    def test_numbers_of_clusters_agree_with_expectations(self, concentration, discount):
        n, draws, prior = 2000, 400, PitmanYor(concentration, discount)
        sizes = [sample_sizes(concentration, discount, n, seed) for seed in range(draws)]
        clusters = np.array([len(s) for s in sizes])
        of_size = np.array([[np.sum(s == m) for m in (1, 2, 3)] for s in sizes])
        observed = np.column_stack([clusters, of_size])
        expected = [prior.expected_clusters(n), *prior.expected_clusters_of_size(n, [1, 2, 3])]
        z = (observed.mean(axis=0) - expected) / (observed.std(axis=0) / math.sqrt(draws))
        assert np.abs(z).max() < 3

    def test_reproducible(self):
        prior = PitmanYor(3, 0.4)
        np.testing.assert_array_equal(
            prior.sample(1000, random_state=5), prior.sample(1000, random_state=5)
        )
        assert not np.array_equal(
            prior.sample(1000, random_state=5), prior.sample(1000, random_state=6)
        )

    def test_random_state_advances(self):
        prior, random_state = PitmanYor(3, 0.4), np.random.RandomState(0)
        first, second = (prior.sample(1000, random_state=random_state) for _ in range(2))
        assert not np.array_equal(first, second)

    def test_dtype_and_no_points(self):
        labels = PitmanYor(3, 0.4).sample(0)
        assert labels.shape == (0,)
        assert labels.dtype == LABEL

    def test_ten_million_points(self):
        start = time.perf_counter()
        labels = PitmanYor(10, 0.5).sample(10**7, random_state=0)
        assert time.perf_counter() - start < 20
        assert labels.shape == (10**7,)
        assert np.bincount(labels).min() > 0


class TestFit:
    """Maximum likelihood, inside and on the boundary."""

    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize(
        ("concentration", "discount"), [(100, 0.2), (10, 0.5), (500, 0.5), (-0.3, 0.7), (50, 0.9)]
    )
    def test_recovers_the_parameters(self, concentration, discount, seed):
        truth = PitmanYor(concentration, discount)
        sizes = sample_sizes(concentration, discount, 200_000, seed)
        fitted = PitmanYor.fit(sizes)
        # Twice the gain in log-likelihood over the truth is chi-square with 2 degrees.
        gain = fitted.log_prob(sizes) - truth.log_prob(sizes)
        assert 0 <= gain < stats.chi2(2).ppf(0.999) / 2
        assert fitted.discount == pytest.approx(discount, abs=2 / math.sqrt(len(sizes)))

    @pytest.mark.parametrize("concentration", [0.5, 20, 2000])
    def test_recovers_a_chinese_restaurant(self, concentration):
        sizes = sample_sizes(concentration, 0, 200_000, 1)
        fitted = PitmanYor.fit(sizes)
        assert fitted.discount < 0.1
        gain = fitted.log_prob(sizes) - PitmanYor(concentration, 0).log_prob(sizes)
        assert 0 <= gain < stats.chi2(2).ppf(0.999) / 2

    @pytest.mark.parametrize(
        "sizes",
        [
            *(sizes for n in range(2, 7) for sizes in partitions_by_sizes(n)),
            [1] * 100 + [2],
            [1] * 100 + [1000],
            [1] * 5 + [10] * 5 + [1000],
            [2] * 50,
            [10**9, 1],
            [10**9, 10**6, 1, 1, 1],
            [3] * 200 + [50_000],
        ],
        ids=lambda sizes: f"{len(sizes)}-{max(sizes)}-{sum(sizes)}",
    )
    def test_no_point_of_a_fine_grid_is_more_likely(self, sizes):
        fitted = PitmanYor.fit(sizes).log_prob(sizes)
        discounts = np.r_[0:0.98:25j, 0.99, 0.9999, 1 - 1e-6]
        grid = [
            PitmanYor(first - discount, discount).log_prob(sizes)
            for discount in discounts
            for first in np.geomspace(1e-6, 1e9, 16)
        ]
        assert fitted >= max(grid) - 1e-12 * abs(fitted) - 1e-15

    @pytest.mark.parametrize(("concentration", "discount"), [(30, 0.4), (1000, 0.1), (-0.3, 0.7)])
    def test_stationary(self, concentration, discount):
        sizes = sample_sizes(concentration, discount, 100_000, 0)
        fitted = PitmanYor.fit(sizes)
        best, first = fitted.log_prob(sizes), fitted.concentration + fitted.discount
        for step in (1e-2, 1e-3):
            for angle in np.linspace(0, 2 * np.pi, 16, endpoint=False):
                near = fitted.discount + step * np.sin(angle)
                other = PitmanYor(first * np.exp(step * np.cos(angle)) - near, near)
                assert other.log_prob(sizes) < best

    @pytest.mark.parametrize("size", [1, 2, 1000, 10**9])
    def test_one_cluster(self, size):
        assert PitmanYor.fit([size]) == PitmanYor(1e-6, 0)

    @pytest.mark.parametrize("k", [2, 3, 1000, 10**6])
    def test_singletons_only(self, k):
        fitted = PitmanYor.fit(np.ones(k, dtype=int))
        assert fitted.discount == 1 - 1e-6
        assert fitted.concentration + fitted.discount == 1e9
        assert fitted.log_prob(np.ones(k, dtype=int)) == pytest.approx(0, abs=1e-3)

    def test_equal_sizes_have_discount_zero(self):
        assert PitmanYor.fit([20] * 100).discount == 0

    def test_a_million_clusters(self):
        sizes = sample_sizes(5000, 0.8, 4 * 10**6, 0)
        assert len(sizes) > 10**6
        fitted = PitmanYor.fit(sizes)
        assert fitted.discount == pytest.approx(0.8, abs=0.003)
        gain = fitted.log_prob(sizes) - PitmanYor(5000, 0.8).log_prob(sizes)
        assert 0 <= gain < stats.chi2(2).ppf(0.999) / 2

    def test_fast_enough_for_a_loop(self):
        sizes = sample_sizes(400, 0.2, 10**6, 0)
        assert 4000 < len(sizes) < 12_000
        start = time.perf_counter()
        for _ in range(20):
            PitmanYor.fit(sizes)
        assert (time.perf_counter() - start) / 20 < 0.05

    @settings(deadline=None, derandomize=True)
    @given(st.lists(st.integers(1, 6) | st.integers(1, 2000), min_size=1, max_size=40))
    def test_native_and_numpy_maxima_agree(self, sizes):
        sizes = np.array(sizes)
        maxima = [PitmanYor(*maximum) for maximum in likelihood_maxima(sizes)]
        best = max(maxima, key=lambda prior: prior.log_prob(sizes))
        fitted = PitmanYor.fit(sizes)
        assert fitted.discount == pytest.approx(best.discount, rel=1e-9, abs=1e-9)
        # The best concentration changes with the discount, and rounding of the derivative moves
        # the peaks of priors that are all but flat.
        first, best_first = (
            fitted.concentration + fitted.discount,
            best.concentration + best.discount,
        )
        assert first == pytest.approx(best_first, rel=1e-9 * max(10, best_first))
        at = min(fitted.discount, 0.9)
        concentration = _core.most_likely_concentration(at, len(sizes), int(sizes.sum()))
        exact = best_first_weight(at, len(sizes), int(sizes.sum()))
        assert concentration + at == pytest.approx(exact, rel=1e-11 * max(1, exact))

    @pytest.mark.parametrize("sizes", [[1] * 30, [1] * 300 + [2], [3] * 20, [9, 4, 1, 1], [5]])
    def test_bounded(self, sizes):
        sizes = np.array(sizes)
        fitted, bounded = PitmanYor.fit(sizes), bounded_prior(sizes)
        assert bounded.discount == min(fitted.discount, 0.9)
        best = best_first_weight(bounded.discount, len(sizes), int(sizes.sum())) - bounded.discount
        assert bounded.concentration == pytest.approx(min(best, math.sqrt(sizes.sum())), rel=1e-9)

    def test_nothing_to_fit(self):
        with pytest.raises(ValueError, match="nothing to fit"):
            PitmanYor.fit([])


class TestValidation:
    """Error messages for invalid arguments."""

    @pytest.mark.parametrize("discount", [-0.1, 1, 1.5])
    def test_discount_out_of_range(self, discount):
        with pytest.raises(ValueError, match="discount must be at least 0 and below 1"):
            PitmanYor(2, discount)

    @pytest.mark.parametrize(("concentration", "discount"), [(0, 0), (-0.5, 0.5), (-1, 0.2)])
    def test_concentration_too_small(self, concentration, discount):
        with pytest.raises(ValueError, match="concentration must be greater than -discount"):
            PitmanYor(concentration, discount)

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
    def test_not_finite(self, value):
        with pytest.raises(ValueError, match="concentration must be finite"):
            PitmanYor(value, 0.5)
        with pytest.raises(ValueError, match="discount must be finite"):
            PitmanYor(1, value)

    def test_not_a_number(self):
        with pytest.raises(TypeError, match="concentration must be a number, got '1'"):
            PitmanYor("1", 0.5)
        with pytest.raises(TypeError, match="discount must be a number, got None"):
            PitmanYor(1, None)

    @pytest.mark.parametrize("method", [PitmanYor(1, 0.5).log_prob, PitmanYor.fit])
    def test_sizes(self, method):
        with pytest.raises(TypeError, match="sizes must be integers, got float64"):
            method([2.0, 1.5])
        with pytest.raises(TypeError, match="sizes must be integers, got bool"):
            method([True, False])
        with pytest.raises(ValueError, match="at least 1, but element 2 is 0"):
            method([3, 1, 0, -1])
        with pytest.raises(ValueError, match=r"one dimension, got shape \(1, 2\)"):
            method([[3, 1]])
        with pytest.raises(ValueError, match="one dimension"):
            method(3)
        with pytest.raises(
            ValueError, match=r"at most 2\*\*53, but element 1 is 9223372036854775808"
        ):
            method(np.array([1, 2**63], dtype=np.uint64))
        with pytest.raises(ValueError, match=r"add up to more than 2\*\*53"):
            method([2**53, 2])

    def test_size(self):
        with pytest.raises(TypeError, match="size must be integers"):
            PitmanYor(1, 0.5).expected_clusters_of_size(5, 1.0)
        with pytest.raises(ValueError, match="size must be at least 1, but element 0 is 0"):
            PitmanYor(1, 0.5).expected_clusters_of_size(5, 0)

    def test_number_of_points(self):
        prior = PitmanYor(1, 0.5)
        for call in (
            prior.sample,
            prior.expected_clusters,
            lambda n: prior.expected_clusters_of_size(n, 1),
        ):
            with pytest.raises(ValueError, match="n == -1, must be >= 0"):
                call(-1)
            with pytest.raises(TypeError, match="n must be an instance of"):
                call(2.5)
        with pytest.raises(ValueError, match=f"must be <= {np.iinfo(LABEL).max}"):
            prior.sample(int(np.iinfo(LABEL).max) + 1)


class TestValueObject:
    """A prior is an immutable value object."""

    def test_immutable(self):
        prior = PitmanYor(1, 0.5)
        with pytest.raises(dataclasses.FrozenInstanceError):
            prior.discount = 0.2

    def test_equality_and_hash(self):
        assert PitmanYor(1, 0.5) == PitmanYor(concentration=np.float64(1), discount=0.5)
        assert len({PitmanYor(1, 0.5), PitmanYor(1.0, 0.5), PitmanYor(1, 0.4)}) == 2

    def test_repr(self):
        prior = PitmanYor(np.float32(2), 0.25)
        assert repr(prior) == "PitmanYor(concentration=2.0, discount=0.25)"

    def test_pickle(self):
        prior = PitmanYor(-0.2, 0.25)
        assert pickle.loads(pickle.dumps(prior)) == prior


@settings(deadline=None, derandomize=True)
@given(
    st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=4),
    st.lists(st.floats(0, 1e6), min_size=0, max_size=8),
)
def test_rising_factorials_are_those_of_scipy(x, d):
    x, d = np.array(x), np.array(d)[:, None]
    high, low = gammaln(x + d), gammaln(x)
    error = np.abs(log_rising(x, d) - (high - low))
    assert np.all(error <= 1e-12 * (1 + np.abs(high) + np.abs(low)))


@settings(deadline=None, derandomize=True)
@given(st.floats(1e-6, 1e6), st.integers(0, 10**6))
def test_digamma_rises_as_that_of_scipy(x, d):
    rounding = 1e-15 * (abs(psi(x)) + abs(psi(x + d)))
    assert _core.digamma_rise(x, d) == pytest.approx(psi(x + d) - psi(x), rel=1e-13, abs=rounding)
