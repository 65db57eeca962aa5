"""Work on several items at once."""

import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import _base as futures_base
from typing import Any

import numpy as np
import pytest

from powercut._typing import Random
from powercut.progress import ProgressReporter
from powercut.search.starts import result_of, run_all


@pytest.fixture
def no_conditions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where a future is waited for by a condition: there an interrupt breaks locks."""
    wait = threading.Condition.wait

    def refuse(self: threading.Condition, timeout: float | None = None) -> bool:
        callers = {frame.filename for frame in traceback.extract_stack()}
        assert futures_base.__file__ not in callers
        return wait(self, timeout)

    monkeypatch.setattr(threading.Condition, "wait", refuse)


def slow_square(at: int, _random: Random, _reporter: ProgressReporter) -> int:
    time.sleep(0.05)
    return at * at


@pytest.mark.usefixtures("no_conditions")
@pytest.mark.parametrize("n_jobs", [2, 5])
def test_results_are_in_order_and_no_condition_is_waited_for(n_jobs: int) -> None:
    found = run_all(
        range(4),
        slow_square,
        n_jobs=n_jobs,
        random=np.random.default_rng(0),
        reporter=ProgressReporter(),
    )
    assert found == [0, 1, 4, 9]


@pytest.mark.usefixtures("no_conditions")
def test_the_result_of_a_future_is_waited_for_without_a_condition() -> None:
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(slow_square, 3, np.random.default_rng(0), ProgressReporter())
        assert result_of(future) == 9


def test_an_exception_stops_all() -> None:
    def fail(at: int, *_: Any) -> int:
        raise ValueError(f"item {at}")

    with pytest.raises(ValueError, match="item"):
        run_all(
            range(3),
            fail,
            n_jobs=2,
            random=np.random.default_rng(0),
            reporter=ProgressReporter(),
        )
