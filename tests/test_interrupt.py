"""Ctrl-C ends long work soon, and the process goes on."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from powercut import PowerLawCut, PowerLawMeans
from powercut.datasets import make_blobs, make_block_graph

GRAPH = make_block_graph(60_000, random_state=0)[0]
POINTS = make_blobs(30_000, n_features=16, random_state=0)[0]


@pytest.fixture(autouse=True)
def interrupts_raise() -> Iterator[None]:
    """Let SIGINT raise, as Python does unless a shell has it ignored in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@contextmanager
def interrupted_after(seconds: float) -> Iterator[list[float]]:
    """Send this process a SIGINT, and note when."""
    sent: list[float] = []

    def send() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(seconds, send)
    timer.start()
    try:
        yield sent
    finally:
        timer.cancel()
        timer.join()


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    ("model", "X"),
    [
        (PowerLawCut("modularity", tradeoff=1.0, random_state=0), GRAPH),
        (PowerLawMeans(random_state=0), POINTS),
        (PowerLawMeans("kmeans", tradeoff=8.0, random_state=0), POINTS),
        (PowerLawMeans("kmeans", tradeoff=8.0, algorithm="lloyd"), POINTS),
    ],
    ids=["graph", "gaussian", "kmeans", "lloyd"],
)
def test_an_interrupt_is_raised_soon_and_does_no_harm(model: Any, X: Any, n_jobs: int) -> None:
    model.set_params(n_jobs=n_jobs)
    with interrupted_after(0.3) as sent, pytest.raises(KeyboardInterrupt):
        model.fit(X)
    assert time.monotonic() - sent[0] < 1.0
    small = np.array([[0.0], [0.1], [0.2], [5.0]])
    labels = PowerLawMeans("kmeans", tradeoff=0.5, random_state=0).fit(small).labels_
    np.testing.assert_array_equal(labels, [0, 0, 0, 1])


SLOW_GRAPH = make_block_graph(20_000, mixing=0.4, random_state=0)[0]
SCORES = pytest.mark.parametrize(
    "parameters", [{}, {"score": "modularity", "tradeoff": 1.0}], ids=["likelihood", "modularity"]
)


@SCORES
@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("seconds", [0.0, 0.1, 0.4])
@pytest.mark.filterwarnings("ignore:No more than one cluster")  # nothing else was looked at
def test_when_the_time_is_up_the_best_so_far_is_returned(
    parameters: dict[str, Any], large: bool, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr("powercut.search.level.LARGE", 1000)
        monkeypatch.setattr("powercut.search.level.MANY_NODES", 1000)
    model = PowerLawCut(**parameters, random_state=0, max_seconds=seconds)
    began = time.monotonic()
    with pytest.warns(ConvergenceWarning, match="stopped early"):
        model.fit(SLOW_GRAPH)
    assert time.monotonic() - began < seconds + 2
    assert len(model.labels_) == SLOW_GRAPH.n_nodes
    assert np.all(np.diff(model.objective_path_) <= 1e-9 * np.abs(model.objective_path_[0]))


@SCORES
def test_enough_time_changes_nothing(parameters: dict[str, Any]) -> None:
    graph = make_block_graph(500, random_state=0)[0]
    patient = PowerLawCut(**parameters, random_state=0, max_seconds=60).fit(graph)
    np.testing.assert_array_equal(
        patient.labels_, PowerLawCut(**parameters, random_state=0).fit(graph).labels_
    )


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_may_return_the_best_so_far(n_jobs: int) -> None:
    model = PowerLawCut(random_state=0, on_interrupt="return", n_jobs=n_jobs)
    before = signal.getsignal(signal.SIGINT)
    with interrupted_after(0.5) as sent, pytest.warns(ConvergenceWarning, match="interrupt"):
        model.fit(SLOW_GRAPH)
    assert time.monotonic() - sent[0] < 2
    assert model.n_clusters_ > 1
    assert signal.getsignal(signal.SIGINT) is before


def test_stopping_is_checked() -> None:
    graph = make_block_graph(50, random_state=0)[0]
    with pytest.raises(ValueError, match="on_interrupt"):
        PowerLawCut(on_interrupt="ask").fit(graph)
    with pytest.raises(ValueError, match="max_seconds"):
        PowerLawCut(max_seconds=-1).fit(graph)
