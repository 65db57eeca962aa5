"""The rule whether columns are scaled, one case per reason."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import PCA
from sklearn.preprocessing import normalize

from powercut.vectors.scaling import choose_scaling

RANDOM = np.random.default_rng(0)
TABLE = RANDOM.normal([0.0, 5.0, 0.0], [1.0, 100.0, 0.01], size=(300, 3))
ONE_UNIT: dict[str, Any] = {
    "sparse": sp.random_array((50, 4), density=0.3, rng=RANDOM, format="csr"),
    "fewer than two": np.column_stack([RANDOM.normal(size=50), np.full(50, 7.0)]),
    "equal lengths": normalize(RANDOM.normal(size=(100, 5)) * [1, 1, 1, 0.01, 0.001]),
    "principal components": PCA().fit_transform(TABLE),
    "one range": RANDOM.integers(0, 17, size=(200, 5)) * [1, 1, 1, 1, 0.01],
    "like spreads": RANDOM.normal([0.0, 50.0, 100.0], [1.0, 2.0, 4.0], size=(200, 3)),
}


@pytest.mark.parametrize("reason", ONE_UNIT)
def test_columns_of_one_unit_are_not_scaled(reason: str) -> None:
    X = ONE_UNIT[reason]
    scaling = choose_scaling(X)
    assert reason in scaling.why
    assert not scaling.is_scaled
    assert scaling(X) is X


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_columns_with_units_are_divided_by_their_spread(dtype: type) -> None:
    X = TABLE.astype(dtype)
    scaling = choose_scaling(X)
    assert "units" in scaling.why
    np.testing.assert_allclose(scaling.scale, X.std(axis=0), rtol=1e-4)
    assert scaling(X).dtype == dtype
    np.testing.assert_allclose(scaling(X).std(axis=0), 1, rtol=1e-4)


def test_a_few_extreme_values_do_not_set_the_scale() -> None:
    X = TABLE.copy()
    X[:3, 1] = 1e6
    assert choose_scaling(X).scale[1] == pytest.approx(100, rel=0.2)


def test_a_column_of_mostly_equal_values_has_its_standard_deviation() -> None:
    rare = np.zeros(300)
    rare[:30] = 1.0
    scaling = choose_scaling(np.column_stack([TABLE, rare]))
    assert scaling.scale[3] == pytest.approx(rare.std())


def test_constant_columns_never_count() -> None:
    both = choose_scaling(np.column_stack([TABLE, np.full(300, 1e9)]))
    np.testing.assert_array_equal(both.scale, [*choose_scaling(TABLE).scale, 1.0])


def test_a_large_offset_does_not_make_rows_equally_long() -> None:
    assert choose_scaling(TABLE + 1e6).is_scaled


def test_the_rule_can_be_overruled() -> None:
    assert not choose_scaling(TABLE, "none").is_scaled
    pixels = ONE_UNIT["one range"]
    np.testing.assert_allclose(choose_scaling(pixels, "columns").scale, pixels.std(axis=0))
    counts = ONE_UNIT["sparse"]
    scaled = choose_scaling(counts, "columns")(counts)
    np.testing.assert_allclose(scaled.toarray().std(axis=0), 1)


@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1e6))
def test_the_unit_of_all_columns_does_not_matter(seed: int, unit: float) -> None:
    random = np.random.default_rng(seed)
    X: npt.NDArray[np.float64] = random.normal(size=(40, 3)) * random.lognormal(sigma=2, size=3)
    one, other = choose_scaling(X), choose_scaling(unit * X)
    assert one.why == other.why
    np.testing.assert_allclose(one(X) * (1 if one.is_scaled else unit), other(unit * X), rtol=1e-6)
