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

from powercut import PowerLawCut, PowerLawMeans
from powercut.datasets import make_blobs, make_block_graph

GRAPH = make_block_graph(60_000, random_state=0)[0]
POINTS = make_blobs(30_000, n_features=16, random_state=0)[0]


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
