"""Ctrl-C and `max_seconds` end a long fit soon, and the process can go on."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from interrupts import LIMIT, delay_of_interrupt
from powercut import (
    Graph,
    PitmanYor,
    PowerLawClusters,
    PowerLawCut,
    PowerLawKernelMeans,
    PowerLawMeans,
    tradeoff_path,
)
from powercut._typing import Labels
from powercut.datasets import make_blobs, make_block_graph

GRAPH = make_block_graph(60_000, random_state=0)[0]
POINTS = make_blobs(30_000, n_features=16, random_state=0)[0]


@cache
def large_graph() -> Graph:
    """Make a graph just above the threshold for large graphs."""
    return make_block_graph(50_000, degree=22, random_state=0)[0]


@cache
def undisturbed_labels() -> tuple[Labels, float]:
    """Return the labels of `large_graph`, and the seconds of a fit."""
    began = time.monotonic()
    labels = PowerLawCut(random_state=0).fit(large_graph()).labels_
    return labels, time.monotonic() - began


@pytest.fixture(autouse=True)
def interrupts_raise() -> Iterator[None]:
    """Let SIGINT raise; shells ignore it in background processes."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@contextmanager
def interrupted_after(seconds: float) -> Iterator[list[float]]:
    """Send this process a SIGINT after some seconds, and record when."""
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
        (PowerLawClusters(random_state=0), POINTS),
        (PowerLawMeans(random_state=0), POINTS),
        (PowerLawMeans("kmeans", tradeoff=8.0, random_state=0), POINTS),
        (PowerLawMeans("kmeans", tradeoff=8.0, algorithm="lloyd"), POINTS),
    ],
    ids=["graph", "clusters", "gaussian", "kmeans", "lloyd"],
)
def test_an_interrupt_is_raised_soon_and_the_process_goes_on(
    model: Any, X: Any, n_jobs: int
) -> None:
    model.set_params(n_jobs=n_jobs)
    with interrupted_after(0.3) as sent, pytest.raises(KeyboardInterrupt):
        model.fit(X)
    assert time.monotonic() - sent[0] < 1.0
    small = np.array([[0.0], [0.1], [0.2], [5.0]])
    labels = PowerLawMeans("kmeans", tradeoff=0.5, random_state=0).fit(small).labels_
    np.testing.assert_array_equal(labels, [0, 0, 0, 1])


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_an_interrupt_of_a_large_fit_is_raised_soon(part: float, n_jobs: int) -> None:
    graph, model = large_graph(), PowerLawCut(random_state=0, n_jobs=n_jobs)
    undisturbed, seconds = undisturbed_labels()
    delay = None
    while delay is None:  # the fit ended before the interrupt
        delay = delay_of_interrupt(lambda: clone(model).fit(graph), part * seconds)
        seconds /= 2
    assert delay < LIMIT
    np.testing.assert_array_equal(clone(model).fit(graph).labels_, undisturbed)


def test_a_fit_in_another_thread_does_not_handle_signals() -> None:
    with ThreadPoolExecutor(1) as pool:
        fit = pool.submit(PowerLawCut(random_state=0).fit, GRAPH)
        with interrupted_after(0.2), pytest.raises(KeyboardInterrupt):
            fit.result()
        labels = fit.result().labels_
    np.testing.assert_array_equal(labels, PowerLawCut(random_state=0).fit(GRAPH).labels_)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_of_a_tradeoff_path_ends_all_its_fits(n_jobs: int) -> None:
    threads = threading.active_count()
    with interrupted_after(1.0) as sent, pytest.raises(KeyboardInterrupt):
        tradeoff_path(GRAPH, tradeoffs=[1.0, 2.0, 4.0], n_jobs=n_jobs, random_state=0)
    assert time.monotonic() - sent[0] < 1.0
    assert threading.active_count() == threads


SLOW_GRAPH = make_block_graph(20_000, mixing=0.4, random_state=0)[0]
SLOW_POINTS = make_blobs(6000, n_features=8, random_state=0)[0]
VECTOR_MODELS = {
    "clusters": PowerLawClusters(random_state=0),
    "gaussian": PowerLawMeans(random_state=0),
    "kmeans": PowerLawMeans("kmeans", random_state=0),
    "kmeans-given": PowerLawMeans("kmeans", tradeoff=8.0, random_state=0),
    "lloyd": PowerLawMeans("kmeans", tradeoff=8.0, algorithm="lloyd"),
    "kernel": PowerLawKernelMeans(8.0, random_state=0),
}
SCORES = pytest.mark.parametrize(
    "parameters", [{}, {"score": "modularity", "tradeoff": 1.0}], ids=["likelihood", "modularity"]
)


@SCORES
@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("seconds", [0.0, 0.03, 0.1])
def test_max_seconds_returns_the_best_partition_of_nodes_so_far(
    parameters: dict[str, Any], large: bool, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr("powercut.graphs.level.LARGE", 1000)
        monkeypatch.setattr("powercut.graphs.level.MANY_NODES", 1000)
    model = PowerLawCut(**parameters, random_state=0, max_seconds=seconds)
    began = time.monotonic()
    with pytest.warns(ConvergenceWarning, match="stopped early"):
        model.fit(SLOW_GRAPH)
    assert time.monotonic() - began < seconds + 2
    assert len(model.labels_) == SLOW_GRAPH.n_nodes
    assert np.all(np.diff(model.objective_path_) <= 1e-9 * np.abs(model.objective_path_[0]))


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("seconds", [0.0, 0.05])
@pytest.mark.parametrize("model", VECTOR_MODELS.values(), ids=VECTOR_MODELS)
def test_max_seconds_returns_the_best_partition_of_points_so_far(
    model: Any, seconds: float, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr("powercut.vectors.points.LARGE", 1000)
        monkeypatch.setattr("powercut.vectors.sampling.SEEDS", 100)
    model = clone(model).set_params(max_seconds=seconds, n_jobs=2)
    kernel = isinstance(model, PowerLawKernelMeans)
    X = SLOW_POINTS[:1500] @ SLOW_POINTS[:1500].T if kernel else SLOW_POINTS
    began = time.monotonic()
    with pytest.warns(ConvergenceWarning, match="stopped early"):
        model.fit(X)
    assert time.monotonic() - began < seconds + 4
    assert len(model.labels_) == len(X)
    assert np.all(np.diff(model.objective_path_) <= 1e-9 * np.abs(model.objective_path_[0]))
    if isinstance(model, PowerLawMeans) and model.score == "kmeans":
        squares = np.square(X - model.cluster_centers_[model.labels_]).sum()
        prior = PitmanYor(model.concentration_, model.discount_)
        j = squares - model.tradeoff_ * prior.log_prob(model.cluster_sizes_)
        np.testing.assert_allclose(model.objective_, j, rtol=1e-9)


def test_more_seconds_give_a_better_partition() -> None:
    model = PowerLawMeans("kmeans", tradeoff=8.0, random_state=0)
    j = []
    for seconds in (0.0, 0.2):
        with pytest.warns(ConvergenceWarning, match="stopped early"):
            j.append(clone(model).set_params(max_seconds=seconds).fit(SLOW_POINTS).objective_)
    assert j[1] < j[0]


@pytest.mark.parametrize(
    "model",
    [
        PowerLawCut(random_state=0),
        PowerLawCut("modularity", tradeoff=1.0, random_state=0),
        PowerLawClusters(random_state=0),
        PowerLawMeans(random_state=0),
        PowerLawMeans("kmeans", random_state=0),
        PowerLawMeans("kmeans", tradeoff=8.0, algorithm="lloyd"),
        PowerLawKernelMeans(8.0, random_state=0),
    ],
)
def test_a_generous_time_limit_does_not_change_the_labels(model: Any) -> None:
    X: Any = make_block_graph(500, random_state=0)[0]
    if not isinstance(model, PowerLawCut):
        X = SLOW_POINTS[:200]
        X = X @ X.T if isinstance(model, PowerLawKernelMeans) else X
    patient = clone(model).set_params(max_seconds=60).fit(X)
    np.testing.assert_array_equal(patient.labels_, clone(model).fit(X).labels_)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    ("model", "X"),
    [
        (PowerLawCut(random_state=0), SLOW_GRAPH),
        (PowerLawClusters(random_state=0), SLOW_GRAPH),
        (PowerLawMeans(random_state=0), POINTS),
    ],
    ids=["graph", "clusters-graph", "points"],
)
def test_an_interrupt_can_return_the_best_partition_so_far(model: Any, X: Any, n_jobs: int) -> None:
    model = clone(model).set_params(on_interrupt="return", n_jobs=n_jobs)
    before = signal.getsignal(signal.SIGINT)
    with interrupted_after(0.7) as sent, pytest.warns(ConvergenceWarning, match="interrupt"):
        model.fit(X)
    assert time.monotonic() - sent[0] < 2
    assert model.n_clusters_ > 1
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    "estimator", [PowerLawClusters, PowerLawCut, PowerLawMeans, PowerLawKernelMeans]
)
def test_stopping_parameters_are_checked(estimator: Any) -> None:
    with pytest.raises(ValueError, match="on_interrupt"):
        estimator(on_interrupt="ask").fit(np.eye(5))
    with pytest.raises(ValueError, match="max_seconds"):
        estimator(max_seconds=-1).fit(np.eye(5))
