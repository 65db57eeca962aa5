"""Progress reports of fits to a callback, which may end the fit."""

import gc
import re
import sys
import threading
import time
import weakref
from contextlib import closing
from typing import Any
from unittest import mock

import numpy as np
import pytest
from sklearn.base import clone

from powercut import (
    PitmanYor,
    PowerLawClusters,
    PowerLawCut,
    PowerLawKernelMeans,
    PowerLawMeans,
    Progress,
    _bars,
)
from powercut._typing import LABEL
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
    "clusters-gaussian": (PowerLawClusters(random_state=0), POINTS),
    "clusters-graph": (PowerLawClusters(random_state=0), GRAPH),
    "gaussian": (PowerLawMeans(random_state=0), POINTS),
    "kmeans": (PowerLawMeans("kmeans", random_state=0), POINTS),
    "kmeans-given": (PowerLawMeans("kmeans", tradeoff=8.0, random_state=0), POINTS),
    "kmeans-lloyd": (PowerLawMeans("kmeans", tradeoff=8.0, algorithm="lloyd"), POINTS),
    "kernel": (PowerLawKernelMeans(8.0, random_state=0), SMALL @ SMALL.T),
}
every_fit = pytest.mark.parametrize(("model", "X"), FITS.values(), ids=FITS)


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Report at every opportunity, because the fits of these tests are short."""
    monkeypatch.setattr(ProgressReporter, "interval", 0.0)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("large", [False, True])
@every_fit
def test_a_callback_receives_all_reports_and_does_not_change_the_fit(
    model: Any, X: Any, large: bool, n_jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr("powercut.graphs.level.LARGE", 100)
        monkeypatch.setattr("powercut.graphs.level.MANY_NODES", 100)
        monkeypatch.setattr("powercut.vectors.points.LARGE", 100)
        monkeypatch.setattr("powercut.vectors.sampling.SEEDS", 20)
    if n_jobs > 1:
        monkeypatch.setattr(ProgressReporter, "interval", 0.001)  # wait this long between reports
    reports: list[Progress] = []
    threads: set[int] = set()

    def callback(progress: Progress) -> None:
        reports.append(progress)
        threads.add(threading.get_ident())

    silent = clone(model).set_params(n_jobs=n_jobs).fit(X)
    reported = clone(model).set_params(n_jobs=n_jobs, progress=callback).fit(X)
    np.testing.assert_array_equal(reported.labels_, silent.labels_)
    assert reported.objective_ == silent.objective_
    assert threads == {threading.get_ident()}
    fractions = [report.fraction for report in reports]
    assert fractions[0] == 0
    assert fractions == sorted(fractions)
    assert reports[-1].fraction == 1
    assert reports[-1].stage == "done"
    assert reports[-1].objective == reported.objective_
    if n_jobs == 1:  # reports may miss short steps of other threads
        assert {"input", "search", "results"} <= {report.stage for report in reports}
        assert len({report.fraction for report in reports}) >= 4
        assert max(report.moves for report in reports) > 0
        assert any(np.isfinite(report.objective) for report in reports[:-1])
    seconds = [report.seconds for report in reports]
    assert seconds == sorted(seconds)


def test_rounds_of_a_long_kernel_are_reported_while_it_runs() -> None:
    graph = make_block_graph(150_000, mixing=0.4, random_state=0)[0]
    level, singletons = Level.finest(graph), np.arange(150_000, dtype=LABEL)
    objective = Objective(Modularity(1.0, graph.total_weight), Regulariser(PitmanYor(1, 0.5), 0.1))
    reports: list[Progress] = []
    with closing(ProgressReporter(reports.append)) as reporter:
        moved = level.local_moves(
            singletons, objective, random=np.random.default_rng(0), cancel=reporter
        )
    at_work = [report for report in reports if report.round > 0]
    assert {report.level_size for report in at_work} == {150_000}
    assert 0 < at_work[0].moves < moved.moves
    # J is NaN before the first round.
    values = [report.objective for report in reports if not np.isnan(report.objective)]
    assert values == sorted(values, reverse=True)
    after = moved.after + objective.regulariser.constant(150_000)
    assert values[0] > values[-1] > after


def test_reports_are_at_least_an_interval_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProgressReporter, "interval", 0.005)
    reports: list[float] = []
    model = PowerLawMeans(random_state=0, progress=lambda _: reports.append(time.monotonic()))
    model.fit(POINTS)
    assert len(reports) > 3
    assert np.diff(reports)[:-1].min() >= 0.005


class GivenUpError(Exception):
    """Raised by a callback."""


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("after", [0, 3])
@pytest.mark.parametrize("name", ["clusters-gaussian", "likelihood", "kmeans", "kmeans-lloyd"])
def test_an_exception_in_a_callback_ends_the_fit(name: str, after: int, n_jobs: int) -> None:
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


def test_a_callback_is_released_after_the_fit() -> None:
    class Callback:
        def __call__(self, _: Progress) -> None:
            pass

    callback = Callback()
    PowerLawMeans(random_state=0, progress=callback).fit(SMALL)
    reference = weakref.ref(callback)
    del callback
    gc.collect()
    assert reference() is None


@pytest.mark.parametrize("progress", [True, "tqdm", "rich"])
def test_a_progress_bar_is_shown(
    progress: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tqdm" if progress is True else progress)
    monkeypatch.setenv("COLUMNS", "120")
    PowerLawMeans(random_state=0, progress=progress).fit(SMALL)
    shown = "".join(capsys.readouterr())
    assert "100%" in shown
    assert re.search(r"done: \d+ clusters, level of ", shown)


def test_true_needs_no_other_package(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_bars, "find_spec", lambda _: None)
    model = PowerLawMeans(random_state=0, progress=True).fit(SMALL)
    captured = capsys.readouterr()
    lines = captured.err.removesuffix("\n").split("\r")[1:]
    assert captured.out == ""
    assert {len(line) for line in lines} == {79}  # spaces erase the line before
    assert re.match(r"  0% \[\.{20}\] 0:00 input +$", lines[0])
    ended = rf"100% \[#{{20}}\] 0:\d\d done: {model.n_clusters_} clusters?, level of "
    assert re.match(ended, lines[-1])


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (None, "search: 1 cluster, 1:01:40 left, level of 2,000, round 3, 40 moves, J = -0.5"),
        (64, "search: 1 cluster, 1:01:40 left, level of 2,000, round 3"),
        (55, "search: 1 cluster, 1:01:40 left, level of 2,000"),
        (31, "search: 1 cluster, 1:01:40 left"),
        (30, "search: 1 cluster"),
        (16, "search"),
        (4, "sear"),
    ],
)
def test_a_line_has_whole_parts_only(width: int | None, line: str) -> None:
    report = Progress(0.25, "search", 2000, 3, 40, -0.5, seconds=3700 / 3, n_clusters=1)
    assert report.seconds_left == pytest.approx(3700)
    assert report.describe(width) == line


def test_nothing_is_said_of_what_is_not_known() -> None:
    assert str(Progress(0.0, "input", 0, 0, 0, float("nan"), 0.0)) == "input"
    assert str(Progress(1.0, "done", 0, 0, 0, -1.0, 9.0, n_clusters=12)) == "done: 12 clusters"


@every_fit
def test_clusters_so_far_end_with_those_found(model: Any, X: Any) -> None:
    reports: list[Progress] = []
    model = clone(model).set_params(progress=reports.append).fit(X)
    assert reports[0].n_clusters == 0
    assert reports[-1].n_clusters == model.n_clusters_
    if getattr(model, "algorithm", None) != "lloyd":
        assert any(report.n_clusters for report in reports[:-1])


@pytest.mark.parametrize(
    ("progress", "remedy"),
    [("tqdm", r"pip install \"powercut\[progress\]\""), ("rich", "pip install rich")],
)
def test_error_message_names_the_missing_package(
    progress: Any, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("tqdm.auto", "rich"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=remedy):
        PowerLawMeans(progress=progress).fit(SMALL)


@pytest.mark.parametrize("progress", ["bar", 1.5, ["tqdm"]])
def test_invalid_progress_is_rejected(progress: Any) -> None:
    with pytest.raises(ValueError, match="progress must be None, True"):
        PowerLawMeans(progress=progress).fit(SMALL)


def test_parts_nest_and_the_fraction_never_decreases() -> None:
    reports: list[Progress] = []
    frozen = mock.patch("powercut.progress.time.monotonic", return_value=7.0)
    with frozen, closing(ProgressReporter(reports.append)) as reporter:
        reporter.interval = 0.0
        with reporter.part(0.25, "first"):
            reporter.tick()
        for _ in reporter.each(range(3), of=3):
            with reporter.part(0.9, "inner"):
                reporter.tick()
            with reporter.part(1.0):
                reporter.tick()
        reporter.finish(0.0)
    fractions = [report.fraction for report in reports]
    assert fractions == sorted(fractions)
    entered = [0.0, 0.25, 0.475, 0.5, 0.725, 0.75, 0.975, 1.0]
    np.testing.assert_allclose(sorted(set(fractions)), entered, rtol=1e-12)
    assert {report.stage for report in reports} == {"first", "input", "inner", "done"}


def test_the_fraction_rises_inside_a_part_and_stays_below_its_end() -> None:
    reports: list[Progress] = []
    clock = mock.patch("powercut.progress.time.monotonic", return_value=0.0)
    with clock as now, closing(ProgressReporter(reports.append)) as reporter:
        reporter.interval = 0.0
        with reporter.part(0.25):
            now.return_value = 1.0
        with reporter.part(1 / 3):  # as long as the first, by its share
            for now.return_value in (1.0, 2.0, 4.0, 1000.0):
                reporter.tick()
        reporter.tick()
    fractions = [report.fraction for report in reports[-5:]]
    np.testing.assert_allclose(fractions, [0.25, 0.375, 0.4375, 0.5, 0.5], atol=1e-3)
    assert fractions[3] < 0.5


def test_parts_of_other_threads_are_ignored() -> None:
    reports: list[Progress] = []
    with closing(ProgressReporter(reports.append)) as reporter:

        def work() -> None:
            with reporter.part(1.0, "other thread"):
                reporter.tick()

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert reports == []
        reporter.tick()
    assert reports[-1].fraction == 0
