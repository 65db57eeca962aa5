"""A callback hears how far a fit is, and may end it."""

import gc
import sys
import threading
import time
import weakref
from contextlib import closing
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from powercut import (
    PitmanYor,
    PowerLawCut,
    PowerLawKernelMeans,
    PowerLawMeans,
    Progress,
    tradeoff_path,
)
from powercut.datasets import make_blobs, make_block_graph
from powercut.graphs.level import Level
from powercut.graphs.scores import Modularity
from powercut.progress import ProgressReporter
from powercut.search.objective import Objective, Regulariser

GRAPH = make_block_graph(500, mixing=0.3, random_state=0)[0]
POINTS = make_blobs(200, n_features=8, random_state=0)[0]
SMALL = POINTS[:100]

FITS: dict[str, tuple[Any, Any]] = {
    "likelihood": (PowerLawCut(random_state=0), GRAPH),
    "modularity": (PowerLawCut("modularity", tradeoff=1.0, random_state=0), GRAPH),
    "ncut-lloyd": (PowerLawCut("ncut", shift=1.0, tradeoff=0.1, algorithm="lloyd"), GRAPH),
    "gaussian": (PowerLawMeans(random_state=0), POINTS),
    "kmeans": (PowerLawMeans("kmeans", random_state=0), POINTS),
    "kmeans-given": (PowerLawMeans("kmeans", tradeoff=8.0, random_state=0), POINTS),
    "kmeans-lloyd": (PowerLawMeans("kmeans", tradeoff=8.0, algorithm="lloyd"), POINTS),
    "kernel": (PowerLawKernelMeans(8.0, random_state=0), SMALL @ SMALL.T),
}
every_fit = pytest.mark.parametrize(("model", "X"), FITS.values(), ids=FITS)


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Report whenever there is something to tell: fits of tests are short."""
    monkeypatch.setattr(ProgressReporter, "interval", 0.0)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("large", [False, True])
@every_fit
def test_a_callback_hears_all_of_a_fit_and_changes_nothing(
    model: Any, X: Any, large: bool, n_jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr("powercut.graphs.level.LARGE", 100)
        monkeypatch.setattr("powercut.graphs.level.MANY_NODES", 100)
        monkeypatch.setattr("powercut.vectors.points.LARGE", 100)
        monkeypatch.setattr("powercut.vectors.sampling.SEEDS", 20)
    if n_jobs > 1:
        monkeypatch.setattr(ProgressReporter, "interval", 0.001)  # that much time to wait
    heard: list[Progress] = []
    threads: set[int] = set()

    def listen(progress: Progress) -> None:
        heard.append(progress)
        threads.add(threading.get_ident())

    alone = clone(model).set_params(n_jobs=n_jobs).fit(X)
    told = clone(model).set_params(n_jobs=n_jobs, progress=listen).fit(X)
    np.testing.assert_array_equal(told.labels_, alone.labels_)
    assert told.objective_ == alone.objective_
    assert threads == {threading.get_ident()}
    fractions = [one.fraction for one in heard]
    assert fractions[0] == 0
    assert fractions == sorted(fractions)
    assert heard[-1].fraction == 1
    assert heard[-1].stage == "done"
    assert heard[-1].objective == told.objective_
    if n_jobs == 1:  # what threads do within a moment may be missed
        assert {"input", "search", "results"} <= {one.stage for one in heard}
        assert len({one.fraction for one in heard}) >= 4
        assert max(one.moves for one in heard) > 0
        assert any(np.isfinite(one.objective) for one in heard[:-1])
    seconds = [one.seconds for one in heard]
    assert seconds == sorted(seconds)


def test_rounds_of_a_long_kernel_are_heard_while_it_runs() -> None:
    graph = make_block_graph(150_000, mixing=0.4, random_state=0)[0]
    level, alone = Level.finest(graph), np.arange(150_000, dtype=np.int32)
    objective = Objective(Modularity(1.0, graph.total_weight), Regulariser(PitmanYor(1, 0.5), 0.1))
    heard: list[Progress] = []
    with closing(ProgressReporter(heard.append)) as reporter:
        moved = level.local_moves(
            alone, objective, random=np.random.default_rng(0), cancel=reporter
        )
    at_work = [one for one in heard if one.round > 0]
    assert {one.level_size for one in at_work} == {150_000}
    assert 0 < at_work[0].moves < moved.moves
    # Before the first round nobody knows it.
    values = [one.objective for one in heard if not np.isnan(one.objective)]
    assert values == sorted(values, reverse=True)
    after = moved.after + objective.regulariser.constant(150_000)
    assert values[0] > values[-1] > after


def test_reports_keep_their_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProgressReporter, "interval", 0.05)
    heard: list[float] = []
    model = PowerLawMeans(random_state=0, progress=lambda _: heard.append(time.monotonic()))
    model.fit(POINTS)
    assert len(heard) > 3
    assert np.diff(heard)[:-1].min() >= 0.05


class GivenUpError(Exception):
    """What a callback raises."""


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("after", [0, 3])
@pytest.mark.parametrize("name", ["likelihood", "kmeans", "kmeans-lloyd"])
def test_what_a_callback_raises_ends_the_fit(name: str, after: int, n_jobs: int) -> None:
    calls = 0

    def give_up(_: Progress) -> None:
        nonlocal calls
        calls += 1
        if calls > after:
            raise GivenUpError

    model, X = FITS[name]
    model = clone(model).set_params(n_jobs=n_jobs, progress=give_up)
    threads = threading.active_count()
    with pytest.raises(GivenUpError):
        model.fit(X)
    assert calls == after + 1
    assert not hasattr(model, "labels_")
    assert threading.active_count() == threads
    again = model.set_params(progress=None).fit(X)
    np.testing.assert_array_equal(again.labels_, clone(FITS[name][0]).fit(X).labels_)


def test_a_callback_may_fit_another_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProgressReporter, "interval", 0.02)
    within = []

    def fit_another(_: Progress) -> None:
        within.append(PowerLawMeans("kmeans", tradeoff=1.0, random_state=0).fit(SMALL).labels_)

    model = PowerLawMeans(random_state=0, progress=fit_another).fit(SMALL)
    np.testing.assert_array_equal(model.labels_, PowerLawMeans(random_state=0).fit(SMALL).labels_)
    assert all(np.array_equal(one, within[0]) for one in within)


def test_a_callback_is_let_go_of() -> None:
    class Listener:
        def __call__(self, _: Progress) -> None:
            pass

    listener = Listener()
    PowerLawMeans(random_state=0, progress=listener).fit(SMALL)
    there = weakref.ref(listener)
    del listener
    gc.collect()
    assert there() is None


def test_a_path_does_not_report_its_many_fits() -> None:
    heard: list[Progress] = []
    estimator = PowerLawMeans(progress=heard.append, random_state=0)
    tradeoff_path(SMALL, estimator=estimator, tradeoffs=[1.0, 4.0])
    assert heard == []


@pytest.mark.parametrize("progress", [True, "tqdm", "rich"])
def test_a_bar_is_shown(
    progress: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tqdm" if progress is True else progress)
    monkeypatch.setenv("COLUMNS", "120")
    PowerLawMeans(random_state=0, progress=progress).fit(SMALL)
    shown = "".join(capsys.readouterr())
    assert "100%" in shown
    assert "done: level of " in shown


@pytest.mark.parametrize(
    ("progress", "remedy"),
    [(True, r"pip install \"powercut\[progress\]\""), ("rich", "pip install rich")],
)
def test_a_missing_package_is_named(
    progress: Any, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("tqdm.auto", "rich"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=remedy):
        PowerLawMeans(progress=progress).fit(SMALL)


@pytest.mark.parametrize("progress", ["bar", 1.5, ["tqdm"]])
def test_progress_is_checked(progress: Any) -> None:
    with pytest.raises(ValueError, match="progress must be None, True"):
        PowerLawMeans(progress=progress).fit(SMALL)


def test_parts_nest_and_never_go_back() -> None:
    heard: list[Progress] = []
    with closing(ProgressReporter(heard.append)) as reporter:
        reporter.interval = 0.0
        with reporter.part(0.25, "first"):
            reporter.tick()
        for _ in reporter.each(range(3), of=3):
            with reporter.part(0.9, "inner"):
                reporter.tick()
            with reporter.part(1.0):
                reporter.tick()
        reporter.finish(0.0)
    fractions = [one.fraction for one in heard]
    assert fractions == sorted(fractions)
    entered = [0.0, 0.25, 0.475, 0.5, 0.725, 0.75, 0.975, 1.0]
    np.testing.assert_allclose(sorted(set(fractions)), entered, rtol=1e-12)
    assert {one.stage for one in heard} == {"first", "input", "inner", "done"}


def test_other_threads_neither_call_nor_count() -> None:
    heard: list[Progress] = []
    with closing(ProgressReporter(heard.append)) as reporter:

        def work() -> None:
            with reporter.part(1.0, "elsewhere"):
                reporter.tick()

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert heard == []
        reporter.tick()
    assert heard[-1].fraction == 0
