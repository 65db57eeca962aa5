"""Remote workers read the rows of a graph: labels equal those of threads, whatever is killed."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from powercut import Graph, PowerLawCut, _core
from powercut._typing import LABEL
from powercut.datasets import make_block_graph
from powercut.disk import open_blocks, write_blocks
from powercut.graphs import level as levels
from powercut.graphs.pulls import Pulls
from powercut.remote.graphs import RemoteGraph, balanced_parts
from powercut.remote.records import DamagedRecord, pack, read_record, unpack
from powercut.remote.result_log import ResultLog, Results
from powercut.remote.shared_state import Session, mapped_state
from powercut.remote.tasks import FindProposals, Task
from powercut.remote.workers import Workers
from strategies import Problem, compact, problems
from tasks_here import InProcess

repeatable = settings(
    deadline=None,
    derandomize=True,
    max_examples=80,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def remote_of(
    graph: Graph, folder: Path, run: Any = None, *, log: ResultLog | None = None
) -> RemoteGraph:
    rows = folder / "graph"
    if not rows.exists():
        write_blocks(rows, graph)
    run = run or InProcess(folder / "local")
    workers = Workers(folder, run=run, n_at_once=3, log=log)
    return RemoteGraph(graph, rows=rows, workers=workers, least_entries=0)


@given(problems(), st.integers(0, 100), st.booleans(), st.data())
@repeatable
def test_moves_of_single_nodes_equal_those_of_threads(
    tmp_path_factory: pytest.TempPathFactory,
    problem: Problem,
    seed: int,
    exhaustive: bool,
    data: st.DataObject,
) -> None:
    graph = Graph(problem.A)
    level = levels.Level.finest(graph)
    remote = remote_of(graph, tmp_path_factory.mktemp("remote"))
    # Once one task per node, once tasks of several nodes.
    with mock.patch(
        "powercut.remote.graphs.ENTRIES_PER_TASK", data.draw(st.sampled_from([1, 100]))
    ):
        ours, theirs = (
            one.local_moves(
                problem.labels,
                problem.objective,
                random=np.random.default_rng(seed),
                cancel=None,
                exhaustive=exhaustive,
            )
            for one in (level, replace(level, workers=remote))
        )
    np.testing.assert_array_equal(theirs.labels, ours.labels)
    assert (theirs.after, theirs.moves) == (ours.after, ours.moves)


@given(problems(), st.integers(0, 100), st.data())
@repeatable
def test_subclusters_equal_those_of_threads(
    tmp_path_factory: pytest.TempPathFactory, problem: Problem, seed: int, data: st.DataObject
) -> None:
    graph = Graph(problem.A)
    labels = data.draw(compact(graph.n_nodes))
    k = int(labels.max()) + 1
    divisible = np.array(data.draw(st.lists(st.booleans(), min_size=k, max_size=k)))
    level = levels.Level.finest(graph)
    remote = remote_of(graph, tmp_path_factory.mktemp("remote"))
    ours, theirs = (
        one.divide(
            labels, problem.objective, divisible, random=np.random.default_rng(seed), cancel=None
        )
        for one in (level, replace(level, workers=remote))
    )
    np.testing.assert_array_equal(theirs[0], ours[0])
    assert theirs[1] == ours[1]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[Graph, Path, np.ndarray]:
    """Return a graph that is searched like a large one, its folder, and its labels."""
    graph, _ = make_block_graph(3000, degree=12, mixing=0.3, random_state=2)
    folder = tmp_path_factory.mktemp("large")
    with all_are_large():
        labels = PowerLawCut(random_state=0).fit(graph).labels_
    return graph, folder, labels


def all_are_large() -> Any:
    return mock.patch.multiple(levels, LARGE=0, MANY_NODES=0)


def fit_with(remote: RemoteGraph, folder: Path) -> np.ndarray:
    graph = open_blocks(folder / "graph")
    graph.workers = remote
    with all_are_large():
        return PowerLawCut(random_state=0).fit(graph).labels_


def test_a_fit_on_remote_workers_gives_the_same_labels(
    large: tuple[Graph, Path, np.ndarray],
) -> None:
    graph, folder, labels = large
    run = InProcess(folder / "local")
    np.testing.assert_array_equal(fit_with(remote_of(graph, folder, run), folder), labels)
    assert run.calls > 100
    # Rounds that read few entries run in this process, with the same labels.
    few = InProcess(folder / "local")
    remote = remote_of(graph, folder, few)
    remote.least_entries = graph.n_entries // 2
    np.testing.assert_array_equal(fit_with(remote, folder), labels)
    assert 0 < few.calls < run.calls


def test_a_fit_that_was_killed_resumes_and_gives_the_same_labels(
    large: tuple[Graph, Path, np.ndarray],
) -> None:
    graph, folder, labels = large
    path, local = folder / "results.log", folder / "local"
    done = 0
    for dies_after in (7, 40, 0, None):
        log = ResultLog(path)
        run = InProcess(local, dies_after=dies_after)
        remote = remote_of(graph, folder, run, log=log)
        if dies_after is None:
            np.testing.assert_array_equal(fit_with(remote, folder), labels)
        else:
            with pytest.raises(ConnectionError):
                fit_with(remote, folder)
        log.close()
        done += run.calls
        # Killed while it wrote the last result.
        if dies_after == 40:
            with path.open("r+b") as file:
                file.truncate(path.stat().st_size - 3)
            done -= 1
    uninterrupted = InProcess(local)
    fit_with(remote_of(graph, folder, uninterrupted), folder)
    assert done == uninterrupted.calls  # no task ran twice, except the one whose result was lost
    path.unlink()


@pytest.fixture
def small_disk() -> Iterator[Callable[[int], None]]:
    """Limit the size of files, so that writes fail as on a full disk."""
    resource = pytest.importorskip("resource", reason="only Unix limits the size of files")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda most: resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_fit_that_fills_the_disk_fails_and_can_be_resumed(
    large: tuple[Graph, Path, np.ndarray], small_disk: Callable[[int], None]
) -> None:
    graph, folder, labels = large
    path = folder / "full.log"
    log = ResultLog(path)
    remote = remote_of(graph, folder, log=log)
    small_disk(200_000)
    with pytest.raises(OSError, match="too large"):
        fit_with(remote, folder)
    small_disk(-1)
    with suppress(OSError):  # its buffer still holds what could not be written
        log.close()
    assert 0 < path.stat().st_size <= 200_000
    log = ResultLog(path)
    np.testing.assert_array_equal(fit_with(remote_of(graph, folder, log=log), folder), labels)
    log.close()


def test_a_log_of_another_search_is_refused(large: tuple[Graph, Path, np.ndarray]) -> None:
    graph, folder, _ = large
    path = folder / "other.log"
    log = ResultLog(path)
    log.append(12345, [[np.arange(3)]])
    log.close()
    log = ResultLog(path)
    with pytest.raises(ValueError, match="results of another search"):
        fit_with(remote_of(graph, folder, log=log), folder)
    log.close()


def test_invalid_proposals_are_refused(large: tuple[Graph, Path, np.ndarray]) -> None:
    graph, folder, _ = large

    def wrong(task: Task, n_parts: int, what: str) -> Results:
        results = InProcess(folder / "local")(task, n_parts, what)
        if isinstance(task, FindProposals):
            results[0][1] += graph.n_nodes  # targets
        return results

    with pytest.raises(ValueError, match="proposals must lead to a cluster"):
        fit_with(remote_of(graph, folder, wrong), folder)


def test_ctrl_c_in_a_task_ends_the_fit(large: tuple[Graph, Path, np.ndarray]) -> None:
    graph, folder, _ = large

    def interrupted(*_: Any) -> Results:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_with(remote_of(graph, folder, interrupted), folder)


def session_at(folder: Path) -> tuple[Session, Any]:
    labels = np.zeros(4, dtype=LABEL)
    stats = tuple(np.ones(1) for _ in range(3)), np.ones(1, dtype=np.int64)
    session = Session.begin(folder / "run" / "session-1", labels, (*stats[0], stats[1]))
    ints = np.array([1, 2], dtype=LABEL)
    two = (np.full(2, 5.0),) * 3
    return session, (ints, ints, ints, (*two, np.array([6, 7])))


def test_a_worker_that_was_absent_or_killed_catches_up(tmp_path: Path) -> None:
    session, changes = session_at(tmp_path)
    nodes = np.array([3, 1], dtype=LABEL)
    begin, end = session.append(1, nodes, changes)
    _, last = session.append(2, np.array([0], dtype=LABEL), changes)
    state = mapped_state(session.folder, tmp_path)
    np.testing.assert_array_equal(session.nodes(begin), nodes)
    state.advance(end)
    np.testing.assert_array_equal(state.labels, [0, 1, 2, 0])
    np.testing.assert_array_equal(state.batch_of, [0, 1, 0, 1])
    np.testing.assert_array_equal(state.stats[0], [1, 5, 5])
    np.testing.assert_array_equal(state.stats[3], [1, 6, 7])
    state.labels[2] = 9  # a change that was applied in part
    state._applied[0] = 0
    mapped_state.cache_clear()
    another = mapped_state(session.folder, tmp_path)
    another.advance(last)
    np.testing.assert_array_equal(state.labels, [0, 1, 2, 0])  # both map the same file
    np.testing.assert_array_equal(state.batch_of, [2, 1, 0, 1])
    with pytest.raises(RuntimeError, match="this task is out of date"):
        state.advance(end)


def test_a_new_round_resets_the_batches(tmp_path: Path) -> None:
    session, changes = session_at(tmp_path)
    session.append(1, np.array([3], dtype=LABEL), changes)
    session.append(0, np.array([3], dtype=LABEL), changes)  # nodes to revisit
    _, end = session.append(1, np.array([2], dtype=LABEL), changes)
    state = mapped_state(session.folder, tmp_path)
    state.advance(end)
    np.testing.assert_array_equal(state.batch_of, [0, 0, 1, 0])


def test_records_round_trip_and_damage_is_detected(tmp_path: Path) -> None:
    arrays = [np.arange(5), np.array([], dtype=np.float32), np.array([True])]
    record = pack(arrays)
    for back, array in zip(unpack(record), arrays, strict=True):
        np.testing.assert_array_equal(back, array)
        assert back.dtype == array.dtype
    path = tmp_path / "records"
    for at in range(len(record)):
        damaged = bytearray(record)
        damaged[at] ^= 4
        path.write_bytes(damaged)
        with path.open("rb") as file, pytest.raises(DamagedRecord):
            read_record(file)
    with path.open("wb") as file:
        file.write(record[:-1])
    with path.open("rb") as file, pytest.raises(DamagedRecord):
        read_record(file)


def test_parts_are_balanced_with_the_largest_clusters_first() -> None:
    parts = balanced_parts(np.array([1.0, 9.0, -1.0, 8.0, 2.0]), 2)
    np.testing.assert_array_equal(parts, [0, 0, -1, 1, 1])


@pytest.mark.parametrize(
    ("within", "limits", "pulled", "refused"),
    [
        (True, None, False, "moves within groups"),
        (False, (1, 9), False, "limits of sizes"),
        (False, None, True, "pulls"),
    ],
)
def test_remote_workers_refuse_what_they_do_not_support(
    large: tuple[Graph, Path, np.ndarray],
    within: bool,
    limits: tuple[int, int] | None,
    pulled: bool,
    refused: str,
) -> None:
    graph, folder, labels = large
    pulls = Pulls.of(graph.n_nodes, np.array([0]), np.array([1], dtype=LABEL), np.ones(1))
    level = levels.Level.finest(graph)
    objective = ("cpm", [0.1], 1.0, 0.0, 1.0, 0.0)
    with pytest.raises(ValueError, match=f"do not support {refused}"):
        _core.local_moves(
            level.graph,
            level.nodes,
            labels.copy(),
            int(labels.max()) + 1,
            objective,
            labels if within else None,
            False,
            False,
            0.0,
            1,
            0,
            None,
            remote_of(graph, folder).rounds(objective),
            None,
            0.0,
            limits,
            None,
            pulls.native if pulled else None,
            None,
        )
