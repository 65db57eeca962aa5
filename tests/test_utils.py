"""Root finding: accuracy, and number of function evaluations."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from powercut._utils import root_between

FUNCTIONS: dict[str, Callable[[float], float]] = {
    "line": lambda x: x,
    "cube": lambda x: x**3,
    "steep": lambda x: math.exp(8 * x) - 1,
    "bent": lambda x: math.atan(50 * x) + 0.2 * x,
    "step": lambda x: 1.0 if x > 0 else -1.0,
}


@settings(deadline=None, derandomize=True)
@given(
    st.sampled_from(sorted(FUNCTIONS)),
    st.floats(0.01, 3),
    st.floats(0.01, 3),
    st.sampled_from([-1, 1]),
    st.floats(-100, 100),
)
def test_roots_are_accurate_after_few_evaluations(
    name: str, below: float, above: float, sign: int, shift: float
) -> None:
    evaluations = 0

    def function(x: float) -> float:
        nonlocal evaluations
        evaluations += 1
        return sign * FUNCTIONS[name](x - shift)

    low, high = shift - below, shift + above
    found = root_between(function, low, high, tolerance=1e-10)
    assert evaluations < 72  # twice as many as bisection would take
    assert found == pytest.approx(shift, rel=1e-14, abs=1e-10)


@pytest.mark.parametrize("ends", [(0, 1), (-1, 0)])
def test_an_end_point_may_be_the_root(ends: tuple[float, float]) -> None:
    assert root_between(lambda x: x, *ends, tolerance=1e-10) == 0
    assert root_between(lambda x: -x, *ends, tolerance=1e-10) == 0
