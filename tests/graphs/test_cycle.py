"""One cycle over all levels, in one kernel: against its steps, and cancelled."""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference_multilevel
from powercut import Graph, PitmanYor, _core
from powercut._typing import LABEL
from powercut.datasets import make_block_graph
from powercut.disk import write_blocks
from powercut.graphs.level import Cycled, Level
from powercut.graphs.multilevel import Multilevel
from powercut.graphs.scores import GraphObjective, Modularity
from powercut.remote.graphs import RemoteGraph
from powercut.remote.workers import Workers
from powercut.search.objective import Objective, Regulariser
from strategies import Problem, problems
from tasks_here import InProcess

exact = {"rel": 1e-9, "abs": 1e-9}
repeatable = settings(deadline=None, derandomize=True, max_examples=100)


def cycled(
    level: Level,
    labels: np.ndarray,
    objective: GraphObjective,
    seed: int = 0,
    *,
    cancel: _core.CancellationToken | None = None,
    negligible: float = 0.0,
) -> Cycled:
    random = reference_multilevel.Seeds(iter([seed]))
    return level.cycle(labels, objective, random=random, cancel=cancel, negligible=negligible)


def block_problem(n: int) -> tuple[Level, GraphObjective]:
    graph, _ = make_block_graph(n, mixing=0.3, random_state=0)
    prior = Regulariser(PitmanYor(1.0, 0.5), 0.1)
    return Level.finest(graph), Objective(Modularity(1.0, graph.total_weight), prior)


@given(problems(max_nodes=14), st.integers(0, 2**64 - 1), st.sampled_from([0.0, 0.1]))
@repeatable
def test_a_cycle_equals_its_steps(problem: Problem, seed: int, negligible: float) -> None:
    args = problem.level, problem.labels, problem.objective
    found = cycled(*args, seed, negligible=negligible)
    labels, path = reference_multilevel.cycle(*args, seed, negligible)
    np.testing.assert_array_equal(found.labels, labels)
    assert found.path == path


@given(problems(max_nodes=14), st.integers(0, 100))
@repeatable
def test_j_never_rises_and_equals_the_recomputed_one(problem: Problem, seed: int) -> None:
    start = problem.labels.copy()
    found = cycled(problem.level, start, problem.objective, seed)
    np.testing.assert_array_equal(start, problem.labels)
    path = np.asarray(found.path) + problem.constant
    assert path[0] == pytest.approx(problem.j(problem.labels), **exact)
    assert path[-1] == pytest.approx(problem.j(found.labels), **exact)
    assert np.diff(path).max(initial=0) <= 1e-12 * np.abs(path).max()
    np.testing.assert_array_equal(np.unique(found.labels), np.arange(len(found.stats.counts)))
    for sums, again in zip(
        found.stats.arrays, problem.level.cluster_stats(found.labels).arrays, strict=True
    ):
        np.testing.assert_allclose(sums, again, rtol=1e-9, atol=1e-9)


def test_steps_of_a_larger_graph() -> None:
    level, objective = block_problem(2000)
    found = cycled(level, np.arange(2000, dtype=LABEL), objective, 7)
    labels, path = reference_multilevel.cycle(level, np.arange(2000, dtype=LABEL), objective, 7)
    np.testing.assert_array_equal(found.labels, labels)
    assert found.path == path
    assert len(path) > 4  # several levels


def test_labels_do_not_depend_on_the_number_of_threads() -> None:
    level, objective = block_problem(20_000)
    start = np.arange(level.n, dtype=LABEL)
    one, three = (
        cycled(replace(level, n_threads=n_threads), start, objective) for n_threads in (1, 3)
    )
    np.testing.assert_array_equal(one.labels, three.labels)
    assert one.path == three.path


def test_labels_do_not_depend_on_remote_workers(tmp_path: Path) -> None:
    graph, _ = make_block_graph(300, mixing=0.3, random_state=0)
    level, objective = block_problem(300)
    write_blocks(tmp_path / "graph", graph)
    workers = Workers(tmp_path, run=InProcess(tmp_path / "local"), n_at_once=3, log=None)
    remote = RemoteGraph(graph, rows=tmp_path / "graph", workers=workers, least_entries=0)
    start = np.arange(level.n, dtype=LABEL)
    ours, theirs = (
        cycled(one, start, objective) for one in (level, replace(level, workers=remote))
    )
    np.testing.assert_array_equal(theirs.labels, ours.labels)
    assert theirs.path == pytest.approx(ours.path, **exact)


@pytest.mark.parametrize("seconds", [0.0, 0.02])
def test_at_the_time_limit_the_labels_so_far_are_returned(seconds: float) -> None:
    level, objective = block_problem(50_000)
    labels = np.arange(level.n, dtype=LABEL)
    before = level.objective(labels, level.n, objective)
    cancel = _core.CancellationToken()
    cancel.expire_in(seconds)
    search = Multilevel(level, objective, random=np.random.default_rng(0), cancel=cancel)
    start = time.monotonic()
    found = search.cycle(labels)
    assert time.monotonic() - start < seconds + 1
    after = level.objective(found.labels, len(found.stats.counts), objective)
    assert after <= before
    assert search.path[-1] == pytest.approx(after, **exact)


def test_a_small_graph_stops_after_one_level_when_the_time_is_up() -> None:
    level, objective = block_problem(100)
    cancel = _core.CancellationToken()
    cancel.expire_in(0)
    labels = np.arange(100, dtype=LABEL)
    found = cycled(level, labels, objective, cancel=cancel)
    moved = level.local_moves(
        labels,
        objective,
        random=reference_multilevel.Seeds(reference_multilevel.split_mix(0)),
        cancel=None,
    )
    assert found.path == pytest.approx([moved.after, moved.after], **exact)


def test_a_cancelled_cycle_raises() -> None:
    level, objective = block_problem(100)
    cancel = _core.CancellationToken()
    cancel.set()
    with pytest.raises(_core.Cancelled):
        cycled(level, np.arange(100, dtype=LABEL), objective, cancel=cancel)


def test_no_nodes() -> None:
    level = Level.finest(Graph(np.zeros((0, 0))))
    objective = Objective(Modularity(1.0, 1.0), Regulariser(PitmanYor(1.0, 0.5), 1.0))
    found = cycled(level, np.zeros(0, dtype=LABEL), objective)
    assert len(found.labels) == 0
    assert found.path == [0, 0]
