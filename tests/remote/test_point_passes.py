"""Passes over points in shards: as good as one machine, the same for any number of tasks."""

import gc
import tempfile
import tracemalloc
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from powercut import PowerLawMeans
from powercut._typing import LABEL
from powercut.datasets import make_blobs
from powercut.prior import PitmanYor
from powercut.remote import point_tasks
from powercut.remote.pass_state import PassState
from powercut.remote.point_passes import Model, Passes
from powercut.remote.point_tasks import MovePoints, without
from powercut.remote.shards import Shards, number_of_shards
from powercut.remote.workers import RunTask
from powercut.search.objective import Objective, Regulariser
from powercut.vectors.covariances import COVARIANCES
from powercut.vectors.gaussian_prior import PooledPoints
from powercut.vectors.multilevel import value_of
from powercut.vectors.points import Points
from powercut.vectors.scores import KMeans, VectorScore
from tasks_here import InProcess

PER_SHARD, SAMPLE = 100, 300


def in_shards(X: np.ndarray, folder: Path) -> tuple[Shards, list[np.ndarray]]:
    """Write points to shards at random; return also the rows of each."""
    random = np.random.default_rng(0)
    with mock.patch("powercut.remote.shards.POINTS_PER_SHARD", PER_SHARD):
        shards = Shards(folder, number_of_shards(len(X)))
    shards.points_folder.mkdir(parents=True)
    order, of = random.permutation(len(X)), random.integers(0, shards.n_shards, len(X))
    rows = [order[of[order] == shard] for shard in range(shards.n_shards)]
    for shard, some in enumerate(rows):
        if len(some):
            shards.write_points(shard, X[some])
    return shards, rows


def clustered(
    X: np.ndarray,
    folder: Path,
    run: RunTask,
    *,
    n_at_once: int = 2,
    resume: bool = False,
    **parameters: Any,
) -> tuple[np.ndarray, PassState]:
    """Return labels and final state, as `powercut.spark.means` finds them."""
    shards, rows = in_shards(X, folder) if not resume else _found(X, folder)
    estimator = PowerLawMeans(random_state=0, **parameters)
    prior, _ = estimator._prior_and_tradeoff()
    passes = Passes(shards, run=run, n_at_once=n_at_once)
    sample, lengths = shards.sample(SAMPLE)
    estimator.fit(sample)
    covariance = estimator.covariance_ if estimator.score == "gaussian" else None
    model = Model(covariance, prior, estimator.tradeoff_)
    if resume and (folder / "state.npz").exists():
        state = PassState.read(folder)
    else:
        state = passes.begin(model, sample, lengths, estimator.labels_, 7)
    state = passes.run(model, state, sample)
    labels = np.empty(len(X), dtype=LABEL)
    for shard, some in enumerate(rows):
        labels[some] = state.cluster_of[shards.labels(state.number, shard)]
    return labels, state


def _found(X: np.ndarray, folder: Path) -> tuple[Shards, list[np.ndarray]]:
    with tempfile.TemporaryDirectory() as again:
        shards, rows = in_shards(X, Path(again))
    return Shards(folder, shards.n_shards), rows


def score_of(points: Points, name: str) -> VectorScore:
    d = points.values.shape[1]
    return KMeans(d) if name == "kmeans" else PooledPoints.of(points, COVARIANCES[name](d)).first()


@pytest.mark.parametrize("name", ["kmeans", *COVARIANCES])
def test_moves_of_some_points_know_the_others_by_their_sums(name: str) -> None:
    random = np.random.default_rng(3)
    X = random.normal(0, 1, (300, 3)) + 4 * random.integers(0, 4, (300, 1))
    points, labels = Points(X), random.integers(0, 6, 300, dtype=LABEL)
    score, regulariser = score_of(points, name), Regulariser(PitmanYor(1.0, 0.3), tradeoff=1.0)
    objective = Objective(score, regulariser)
    here, n_here = points.some(slice(100)), 100
    elsewhere = points.some(slice(n_here, None)).aggregate(labels[n_here:], 6, score.scatter)
    found = labels[:n_here].copy()
    gain, moves, _ = score.moves(here, found, 6, regulariser.native, 0, None, elsewhere=elsewhere)
    assert moves > 0
    all_labels = np.concatenate([found, labels[n_here:]])
    before, after = (value_of(points, some, objective) for some in (labels, all_labels))
    assert gain == pytest.approx(after - before)
    # With the other points themselves, no move of these lowers J either.
    visited = np.arange(300) < n_here
    k = int(all_labels.max()) + 1
    again = score.moves(points, all_labels, k, regulariser.native, 0, None, visited=visited)
    assert again[1] == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda v, w, c, s: (v[:1], w[:1], c[:1], s[:1]), "a row for each cluster"),
        (lambda v, _, c, s: (v, None, c, s), "weights and counts"),
        (lambda v, w, c, _: (v, w, c, None), "the scatter of the score"),
    ],
)
def test_sums_that_are_not_complete_are_refused(change: Callable[..., Any], message: str) -> None:
    points, labels = Points(np.random.default_rng(0).normal(size=(9, 2))), np.arange(9) % 2
    score = score_of(points, "diagonal")
    parts = points.aggregate(labels.astype(LABEL), 2, "features")
    elsewhere = Points(*change(*parts.native))
    with pytest.raises(ValueError, match=message):
        score.moves(points, labels.astype(LABEL), 2, (1.0, 0.0, 1.0), 0, None, elsewhere=elsewhere)


@pytest.mark.parametrize("kind", ["total", "features", "matrix"])
def test_a_part_is_taken_out_of_the_sums(kind: str) -> None:
    random = np.random.default_rng(0)
    points, labels = Points(random.normal(5, 1, (60, 3))), random.integers(0, 4, 60, dtype=LABEL)
    labels[:10] = np.where(labels[:10] == 3, 0, labels[:10])
    labels[10:] = np.where(labels[10:] == 2, 1, labels[10:])  # cluster 2 is all in the part
    part = points.some(slice(10)).aggregate(labels[:10], 4, kind)
    rest = without(points.aggregate(labels, 4, kind), part, kind)
    expected = points.some(slice(10, None)).aggregate(labels[10:], 4, kind)
    for ours, theirs in zip(rest.native, expected.native, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)


@pytest.mark.parametrize(
    "parameters",
    [
        {"covariance": "diagonal"},
        {"covariance": "spherical"},
        {"covariance": "full", "concentration": 5.0, "discount": 0.2},
        {"score": "kmeans", "tradeoff": 4.0},
    ],
)
def test_j_is_that_of_one_machine(tmp_path: Path, parameters: dict[str, Any]) -> None:
    X, _ = make_blobs(2000, n_features=5, random_state=0)
    labels, state = clustered(X, tmp_path / "work", InProcess(tmp_path), **parameters)
    model = PowerLawMeans(random_state=0, **parameters).fit(X)
    assert adjusted_rand_score(labels, model.labels_) > 0.95
    j = state.path[-1]
    if model.score == "gaussian":
        j += len(X) * state.units.log_volume
    assert j <= model.objective_ + 0.002 * abs(model.objective_)
    assert (np.diff(state.path) <= 0).all()
    # The state has the sums of the labels, and the largest cluster is the first.
    clusters = Points(state.units(X)).aggregate(labels, state.clusters.n, state.scatter)
    np.testing.assert_array_equal(clusters.counts, state.clusters.counts)
    np.testing.assert_allclose(clusters.scatter, state.clusters.scatter, rtol=1e-6, atol=1e-6)
    assert (np.diff(clusters.counts) <= 0).all()


def test_labels_do_not_depend_on_the_number_of_tasks_and_interruptions(tmp_path: Path) -> None:
    X, _ = make_blobs(1500, n_features=4, random_state=1)
    expected, state = clustered(X, tmp_path / "one", InProcess(tmp_path), n_at_once=1)
    labels, _ = clustered(X, tmp_path / "many", InProcess(tmp_path), n_at_once=50)
    np.testing.assert_array_equal(labels, expected)
    assert state.number > 2
    for number, dies_after in enumerate((0, 1, 1, 2, None)):
        run = InProcess(tmp_path, dies_after=dies_after)
        if dies_after is not None:
            with pytest.raises(ConnectionError):
                clustered(X, tmp_path / "work", run, resume=number > 0)
            continue
        labels, again = clustered(X, tmp_path / "work", run, resume=True)
    np.testing.assert_array_equal(labels, expected)
    np.testing.assert_array_equal(again.path, state.path)


def test_the_memory_of_the_driver_does_not_depend_on_the_number_of_points(tmp_path: Path) -> None:
    peaks = []
    for n in (1_000, 10_000):
        X = np.random.default_rng(0).normal(size=(n, 8)) + 9 * (np.arange(n) % 5)[:, None]
        with mock.patch("powercut.remote.shards.MOST_SHARDS", 10):
            shards, _ = in_shards(X, tmp_path / str(n))
        del X
        sample, lengths = shards.sample(SAMPLE)
        labels = PowerLawMeans(random_state=0).fit(sample).labels_
        highest = [0]

        def run(task: Any, n_parts: int, what: str, highest: list[int] = highest) -> Any:
            highest.append(tracemalloc.get_traced_memory()[1])
            results = InProcess(tmp_path)(task, n_parts, what)
            tracemalloc.reset_peak()  # that was the workers' memory
            return results

        passes, model = Passes(shards, run=run, n_at_once=2), Model("diagonal", None, 1.0)
        gc.collect()
        tracemalloc.start()
        passes.run(model, passes.begin(model, sample, lengths, labels, 0), sample)
        peaks.append(max(*highest, tracemalloc.get_traced_memory()[1]))
        tracemalloc.stop()
    # A tenth of what the additional points take.
    assert peaks[1] - peaks[0] < 0.1 * 9_000 * 8 * np.dtype(np.float64).itemsize


def test_a_shard_opens_no_more_clusters_than_it_may(tmp_path: Path) -> None:
    before = np.zeros(9, dtype=LABEL)
    labels = np.array([0, 1, 2, 2, 3, 4, 4, 4, 5], dtype=LABEL)
    with mock.patch.object(point_tasks, "MOST_NEW", 8):  # two in each of four shards
        task = MovePoints(Shards(tmp_path, 4), 1, "run")
        numbered = task._numbered(labels, before, 2, 6, shard=3)
    np.testing.assert_array_equal(numbered, [0, 1, 9, 9, 0, 8, 8, 8, 0])


def test_labels_of_a_pass_that_raises_j_are_not_taken(tmp_path: Path) -> None:
    X, _ = make_blobs(1500, n_features=4, random_state=1)
    rising, estimate = count(), Model.estimate

    class Rising(Objective[VectorScore]):
        def value(self, clusters: Any) -> float:  # noqa: ARG002
            return float(next(rising))

    def estimated(*arguments: Any) -> Any:
        objective = estimate(*arguments)
        return Rising(objective.score, objective.regulariser)

    with mock.patch.object(Model, "estimate", estimated):
        labels, state = clustered(X, tmp_path / "work", InProcess(tmp_path))
    assert state.number == 1
    assert state.done
    np.testing.assert_array_equal(np.bincount(labels), state.clusters.counts)
    assert [path.name for path in (tmp_path / "work").glob("*-*")] == ["labels-0001"]


def test_tasks_of_another_pass_are_refused(tmp_path: Path) -> None:
    X, _ = make_blobs(300, n_features=3, random_state=0)
    clustered(X, tmp_path / "work", InProcess(tmp_path))
    with pytest.raises(RuntimeError, match="out of date"):
        MovePoints(Shards(tmp_path / "work", 3), 99, "late")(0, 1, tmp_path)


@pytest.mark.filterwarnings("ignore:No more than one cluster")
def test_constant_features_and_overflow(tmp_path: Path) -> None:
    X = np.zeros((500, 3))
    _, state = clustered(X + 0.1, tmp_path / "equal", InProcess(tmp_path))
    assert state.clusters.n == 1
    X[:, 1] = np.random.default_rng(0).normal(size=500)
    labels, state = clustered(X, tmp_path / "one", InProcess(tmp_path))
    assert state.units.kept.tolist() == [1]
    assert not labels.any()
    shards, _ = in_shards(X * 1e300, tmp_path / "large")
    with pytest.raises(ValueError, match="overflow"):
        Passes(shards, run=InProcess(tmp_path), n_at_once=1).describe()
