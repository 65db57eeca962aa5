"""Progress, time limits and Ctrl-C of `cluster_tree`."""

import os
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from interrupts import LIMIT, delay_of_interrupt
from powercut import ClusterTree, PowerLawCut, Progress, cluster_tree
from powercut.datasets import make_block_graph
from powercut.progress import ProgressReporter
from powercut.results.comparison import is_nested

GRAPH = make_block_graph(3000, mixing=0.4, random_state=0)[0]
MODEL = PowerLawCut(random_state=0).fit(GRAPH)
SIZES = {"max_size": 20}


@pytest.fixture(autouse=True)
def interrupts_raise() -> Iterator[None]:
    """Let SIGINT raise; shells ignore it in background processes."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(params=[False, True], ids=["small", "large"])
def _either_size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param:
        monkeypatch.setattr("powercut.graphs.level.LARGE", 1000)
        monkeypatch.setattr("powercut.graphs.level.MANY_NODES", 1000)


def assert_whole(tree: ClusterTree, *, max_size: int | None = None, **_: Any) -> None:
    """Check that the levels are nested, and the finest clusters within the limit."""
    levels = [tree.cut(level=level) for level in range(tree.n_levels)]
    assert all(is_nested(fine, coarse) for coarse, fine in pairwise(levels))
    assert len(np.unique(tree.leaf)) == tree.is_leaf.sum()
    assert (tree.evidence[1:] <= tree.evidence[tree.parent[1:]]).all()
    if max_size is not None:
        assert tree.size[tree.is_leaf].max() <= max_size


@pytest.mark.parametrize("fitted", [False, True])
def test_progress_is_that_of_fit_and_levels(fitted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProgressReporter, "interval", 0.0)
    reports: list[Progress] = []
    threads: set[int] = set()

    def callback(progress: Progress) -> None:
        reports.append(progress)
        threads.add(threading.get_ident())

    estimator = MODEL if fitted else PowerLawCut(random_state=0)
    tree = cluster_tree(GRAPH, estimator=estimator, progress=callback)
    assert np.array_equal(tree.leaf, cluster_tree(GRAPH, estimator=estimator).leaf)
    assert threads == {threading.get_ident()}
    fractions = [report.fraction for report in reports]
    assert fractions[0] == 0
    assert fractions == sorted(fractions)
    assert (fractions[-1], reports[-1].stage) == (1, "done")
    assert reports[-1].objective == MODEL.objective_
    stages = [report.stage for report in reports]
    assert "levels" in stages
    assert ("search" in stages) is not fitted
    assert stages.count("done") == 1
    assert not tree.stopped_early
    assert estimator.progress is None


def test_progress_of_the_estimator_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProgressReporter, "interval", 0.0)
    reports: list[Progress] = []
    cluster_tree(GRAPH, estimator=PowerLawCut(progress=reports.append, random_state=0))
    assert reports[-1].stage == "done"
    assert "levels" in {report.stage for report in reports}


@pytest.mark.usefixtures("_either_size")
@pytest.mark.parametrize("prune", [True, False])
@pytest.mark.parametrize("limits", [{}, SIZES], ids=["any", "sizes"])
def test_a_time_limit_gives_a_whole_tree(limits: dict[str, int], prune: bool) -> None:
    message = r"a tree of the levels so far.* max_seconds=0"
    with pytest.warns(ConvergenceWarning, match=message) as caught:
        tree = cluster_tree(GRAPH, estimator=MODEL, max_seconds=0, prune=prune, **limits)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert tree.stopped_early
    assert_whole(tree, **limits)
    if not limits:
        assert np.array_equal(tree.cut(), MODEL.labels_)
        assert tree.n_levels == 2


def test_one_time_limit_and_one_warning_for_fit_and_levels() -> None:
    with pytest.warns(ConvergenceWarning, match="stopped early") as caught:
        tree = cluster_tree(GRAPH, max_seconds=0, random_state=0)
    assert len(caught) == 1
    assert_whole(tree)


def test_a_generous_time_limit_changes_nothing() -> None:
    one, other = (cluster_tree(GRAPH, random_state=0, max_seconds=limit) for limit in (None, 600))
    assert np.array_equal(one.leaf, other.leaf)
    assert np.array_equal(one.evidence, other.evidence)


class InterruptAt:
    """A callback that interrupts at some report; every chance to report is taken."""

    def __init__(self, number: int) -> None:
        self.left = number

    def __call__(self, _progress: Progress) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.usefixtures("_either_size")
@pytest.mark.parametrize("limits", [{}, SIZES], ids=["any", "sizes"])
def test_an_interrupt_at_any_moment_returns_a_whole_tree(
    limits: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ProgressReporter, "interval", 0.0)
    before = signal.getsignal(signal.SIGINT)
    n_levels = set()
    for number in (1, 4, 16, 64, 128, 256):
        callback = InterruptAt(number)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tree = cluster_tree(
                GRAPH,
                estimator=MODEL,
                prune=False,
                on_interrupt="return",
                progress=callback,
                **limits,
            )
        assert tree.stopped_early == (callback.left <= 0)
        messages = [str(one.message) for one in caught]
        assert len(messages) == tree.stopped_early
        assert all("stopped by an interrupt" in message for message in messages)
        assert_whole(tree, **limits)
        n_levels.add(tree.n_levels)
    assert len(n_levels) > 2
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_is_raised_soon_and_the_next_tree_is_the_same() -> None:
    graph = make_block_graph(25_000, degree=22, random_state=0)[0]
    model = PowerLawCut(random_state=0).fit(graph)
    began = time.monotonic()
    undisturbed = cluster_tree(graph, estimator=model)
    seconds = time.monotonic() - began
    for part in (0.2, 0.5, 0.8):
        delay = delay_of_interrupt(lambda: cluster_tree(graph, estimator=model), part * seconds)
        assert delay is None or delay < LIMIT
    again = cluster_tree(graph, estimator=model)
    assert np.array_equal(again.leaf, undisturbed.leaf)
