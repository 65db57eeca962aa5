"""Remote workers propose moves of points: labels equal those of threads, whatever is killed."""

from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from powercut import PowerLawMeans
from powercut.datasets import make_blobs
from powercut.prior import PitmanYor
from powercut.remote import points as remote_points
from powercut.remote.points import FindTargets, RemotePoints
from powercut.remote.result_log import ResultLog
from powercut.remote.workers import Workers
from powercut.search.objective import Regulariser
from powercut.vectors.covariances import COVARIANCES
from powercut.vectors.gaussian_prior import PooledPoints
from powercut.vectors.points import Points
from powercut.vectors.scores import KMeans, VectorScore
from tasks_here import InProcess

repeatable = settings(
    deadline=None,
    derandomize=True,
    max_examples=20,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def remote_in(folder: Path, run: Any = None, **options: Any) -> RemotePoints:
    workers = Workers(folder, run=run or InProcess(folder / "local"), n_at_once=3, **options)
    return RemotePoints(workers, least_products=0)


def score_of(points: Points, name: str) -> VectorScore:
    d = points.values.shape[1]
    return KMeans(d) if name == "kmeans" else PooledPoints.of(points, COVARIANCES[name](d)).first()


def moved(points: Points, labels: np.ndarray, score: VectorScore, seed: int) -> Any:
    found, prior = labels.copy(), Regulariser(PitmanYor(1.0, 0.3), tradeoff=1.0)
    k = int(labels.max()) + 1
    return found, score.moves(points, found, k, prior.native, seed, None)


@given(
    st.sampled_from(["kmeans", *COVARIANCES]),
    st.integers(2, 100),
    st.integers(1, 5),
    st.sampled_from([np.float32, np.float64]),
    st.integers(0, 2**32),
)
# Points in more than one batch.
@example(name="kmeans", n=2100, d=2, dtype=np.float32, seed=0)
@example(name="full", n=2100, d=3, dtype=np.float64, seed=1)
@repeatable
def test_moves_equal_those_of_threads(
    tmp_path_factory: pytest.TempPathFactory, name: str, n: int, d: int, dtype: Any, seed: int
) -> None:
    random = np.random.default_rng(seed)
    X = (random.normal(0, 1, (n, d)) + 4 * random.integers(0, 4, (n, 1))).astype(dtype)
    points = Points(X, random.uniform(0.5, 2.0, n) if name == "kmeans" else None)
    labels, score = random.integers(0, 6, n, dtype=np.int32), score_of(points, name)
    folder = tmp_path_factory.mktemp("remote")
    ours = moved(points, labels, score, seed)
    theirs = moved(replace(points, workers=remote_in(folder)), labels, score, seed)
    np.testing.assert_array_equal(theirs[0], ours[0])
    assert theirs[1] == ours[1]


def test_nearest_means_equal_those_of_threads(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    points, means = Points(random.normal(0, 1, (100, 3))), random.normal(0, 1, (7, 3))
    run = InProcess(tmp_path / "local")
    remote = remote_in(tmp_path, run)
    found = replace(points, workers=remote).nearest(means)
    np.testing.assert_array_equal(found, points.nearest(means))
    assert run.calls == 1
    remote.least_products = 100 * 7 * 3 + 1
    replace(points, workers=remote).nearest(means)
    assert run.calls == 1


def test_points_are_not_written_if_no_task_needs_them(tmp_path: Path) -> None:
    points = Points(np.random.default_rng(0).normal(0, 1, (50, 2)))
    run = InProcess(tmp_path / "local")
    remote = remote_in(tmp_path, run)
    remote.least_products = np.inf
    moved(replace(points, workers=remote), np.zeros(50, np.int32), score_of(points, "kmeans"), 0)
    assert run.calls == 0
    assert not list(remote.workers.folder.iterdir())


def all_are_large() -> ExitStack:
    stack = ExitStack()
    for module in ("points", "sampling"):
        stack.enter_context(mock.patch(f"powercut.vectors.{module}.LARGE", 120))
    return stack


@pytest.mark.parametrize("score", ["gaussian", "kmeans"])
def test_a_fit_that_was_killed_resumes_and_gives_the_same_labels(
    tmp_path: Path, score: str
) -> None:
    X, _ = make_blobs(350, n_features=8, random_state=0)
    model = PowerLawMeans(score, random_state=0)
    with all_are_large():
        labels = model.fit(X).labels_
        done = 0
        for dies_after in (1, 150, 0, None):
            run = InProcess(tmp_path / "local", dies_after=dies_after)
            with closing(ResultLog(tmp_path / "results.log")) as log:
                model._workers = remote_in(tmp_path, run, log=log)
                if dies_after is None:
                    np.testing.assert_array_equal(model.fit(X).labels_, labels)
                else:
                    with pytest.raises(ConnectionError):
                        model.fit(X)
            done += run.calls
            remote_points._replayed.clear()  # as in a new process
        uninterrupted = InProcess(tmp_path / "local")
        model._workers = remote_in(tmp_path, uninterrupted)
        model.fit(X)
    assert done == uninterrupted.calls  # no task ran twice


def test_a_new_worker_replays_all_changes_and_old_tasks_are_refused(
    tmp_path: Path,
) -> None:
    tasks: list[FindTargets] = []

    def run(task: FindTargets, n_parts: int, what: str) -> Any:
        tasks.append(task)
        if len(tasks) in (3, 500):
            remote_points._replayed.clear()
        return InProcess(tmp_path)(task, n_parts, what)

    random = np.random.default_rng(3)
    points = Points(random.normal(0, 1, (400, 2)) + 5 * random.integers(0, 3, (400, 1)))
    labels = random.integers(0, 5, 400, dtype=np.int32)
    score = score_of(points, "diagonal")
    theirs = moved(replace(points, workers=remote_in(tmp_path, run)), labels, score, 0)
    np.testing.assert_array_equal(theirs[0], moved(points, labels, score, 0)[0])
    last = [task for task in tasks if task.log == tasks[-1].log]
    assert len(last) > 1
    with pytest.raises(RuntimeError, match="out of date"):
        last[0](0, 1, tmp_path)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ([np.zeros(1, np.int32), np.zeros(2)], "each point must have a target"),
        ([np.full(2, 99, np.int32), np.zeros(2)], "must move to a cluster"),
    ],
)
def test_invalid_proposals_are_refused(
    tmp_path: Path, result: list[np.ndarray], message: str
) -> None:
    points = Points(np.random.default_rng(0).normal(0, 1, (2048, 2)))
    remote = remote_in(tmp_path, lambda *_: [result])
    with pytest.raises(ValueError, match=message):
        moved(
            replace(points, workers=remote), np.zeros(2048, np.int32), score_of(points, "kmeans"), 0
        )
