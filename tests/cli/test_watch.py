"""``powercut watch``: each batch is applied once, whenever the process is killed."""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import powercut
from killing import run_killed
from powercut import PowerLawCut, cli
from powercut._atomic import locked
from powercut.cli import _batches, _watch_state
from powercut.cli.watch import changed_ids
from powercut.datasets import make_block_graph
from powercut.io import read_changes, read_graph, write_graph

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

N_BATCHES, LAST_WHOLE = 4, 3
ARGUMENTS = ["watch", "graph.txt", "changes", "--once", "--state", "state", "-o", "out"]
# A program that is killed before a call of the system with a text in its arguments.
WATCH = """
import sys
from powercut.cli import main

name, text, *arguments = sys.argv[1:]
kill_at(name, text)
sys.exit(main(arguments))
"""
MOMENTS = {
    "the model of the fit is not whole": ("replace", "model.npz"),
    "the labels of a batch are written, and not yet its changes": ("replace", "changes/00000001"),
    "a record is written, and not yet in the manifest": ("replace", "graph/manifest.json"),
    "the state is written, and not yet under its name": ("rename", "batch-00000003"),
    "the state before is half removed": ("rmdir", "batch-00000000/graph"),
}
# How many edges each batch removes; the third one makes that more than a tenth.
SIZES = (30, 30, 200, 30)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a graph, and batches of changes of its edges and nodes."""
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "changes").mkdir()
    write_graph(folder / "graph.txt", make_block_graph(300, degree=12, random_state=0)[0])
    model = PowerLawCut(random_state=0).fit(read_graph(folder / "graph.txt").graph)
    random = np.random.default_rng(0)
    for number in range(N_BATCHES):
        names = np.arange(len(model.labels_)) if model.node_names_ is None else model.node_names_
        u, v = (names[ends] for ends in np.nonzero(np.triu(model._input.graph.adjacency.toarray())))
        some = random.choice(len(u), SIZES[number], replace=False)
        gone, stays = u[some[0]], v[some[0]]
        lines = [f"- {gone}", f"+ {1000 + number} {stays}"]
        lines += [f"- {u[e]} {v[e]}" for e in some if gone not in (u[e], v[e])]
        path = folder / "changes" / f"{number:03d}.txt"
        path.write_text("\n".join(lines) + "\n")
        model.update(**read_changes(path))
    return folder


@pytest.fixture(scope="module")
def expected(inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return all files that one process writes that is not killed."""
    folder = tmp_path_factory.mktemp("expected")
    shutil.copytree(inputs, folder, dirs_exist_ok=True)
    with contextlib.chdir(folder):
        assert watch() == 0
        return content("state", "out")


@pytest.fixture(autouse=True)
def _files(inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test in a folder with a graph and batches."""
    shutil.copytree(inputs, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


def content(*names: str) -> dict[str, bytes]:
    """Return the files under folders, by path; without the lock and what is temporary."""
    paths = (path for name in names for path in Path(name).rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in sorted(paths) if path.name != "lock"}


def watch(*more: str) -> int:
    return cli.main([*ARGUMENTS, "-q", *more])


def test_files_tell_the_ids_of_all_nodes() -> None:
    assert watch() == 0
    model = PowerLawCut(random_state=0).fit(read_graph("graph.txt").graph)
    tables = []
    for number in range(N_BATCHES):
        model.update(**read_changes(f"changes/{number:03d}.txt"))
        tables.append(model.changes_.to_frame().assign(batch=number + 1))
    labels = pd.read_parquet("out/labels")
    assert list(labels.columns) == ["batch", "node", "id"]
    last = labels.sort_values("batch", kind="stable").groupby("node")["id"].last()
    last = last[last >= 0]
    np.testing.assert_array_equal(last.index, np.sort(model.node_names_))
    ids = pd.Series(model.cluster_ids_[model.labels_], model.node_names_)
    np.testing.assert_array_equal(last, ids.sort_index())
    changes = pd.read_parquet("out/changes")
    for name in ("id", "change", "other", "before", "after", "kept", "batch"):
        np.testing.assert_array_equal(changes[name], pd.concat(tables)[name])


def test_batches_that_come_later_are_applied_by_a_later_process(expected: dict[str, bytes]) -> None:
    later = Path("later")
    Path("changes").rename(later)
    Path("changes").mkdir()
    for path in sorted(later.iterdir()):
        path.rename(Path("changes") / path.name)
        assert watch() == 0
    assert content("state", "out") == expected


def test_constraints_are_kept_through_all_batches() -> None:
    Path("known.tsv").write_text("0\t700\n1\t900\n")
    Path("pairs.txt").write_text("2 3\n3 4\n")
    Path("others.txt").write_text("5 6\n6 7\n")
    files = ["--fixed", "known.tsv", "--must-link", "pairs.txt", "--cannot-link", "others.txt"]
    changes = sorted(Path("changes").iterdir())
    for path in changes[1:]:
        path.rename(path.name)
    assert watch(*files) == 0
    for path in (*files[1::2], "graph.txt"):
        Path(path).unlink()  # the state has what they say
    for path in changes[1:]:
        Path(path.name).rename(path)
    assert watch(*files) == 0
    labels = pd.read_parquet("out/labels").sort_values("batch", kind="stable")
    ids = labels.groupby("node")["id"].last()
    assert (ids[0], ids[1]) == (700, 900)
    assert ids[2] == ids[3] == ids[4] >= 0
    assert ids[5] != ids[6] != ids[7]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_processes_that_are_killed_at_a_write_are_resumed(expected: dict[str, bytes]) -> None:
    for moment in MOMENTS.values():
        run_killed(WATCH, *moment, *ARGUMENTS)
    assert watch() == 0
    assert content("state", "out") == expected


def test_processes_that_are_killed_at_random_moments_are_resumed(
    expected: dict[str, bytes],
) -> None:
    random = np.random.default_rng(0)
    for _ in range(3):
        with subprocess.Popen(
            [sys.executable, "-m", "powercut.cli", *ARGUMENTS], stderr=subprocess.PIPE, bufsize=0
        ) as process:
            assert process.stderr is not None
            process.stderr.readline()  # that the graph is fitted, or the state is read
            time.sleep(random.uniform(0, 0.1))
            process.kill()
    assert watch() == 0
    assert content("state", "out") == expected


def test_files_are_taken_as_they_appear(expected: dict[str, bytes]) -> None:
    later = Path("later")
    Path("changes").rename(later)
    Path("changes").mkdir()
    arguments = [argument for argument in ARGUMENTS if argument != "--once"]
    with subprocess.Popen(
        [sys.executable, "-m", "powercut.cli", *arguments], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert "clusters" in process.stderr.readline()
        for path in sorted(later.iterdir()):
            os.rename(path, Path("changes") / path.name)
            assert process.stderr.readline().startswith(path.name)
        process.kill()
    assert content("out") == {name: data for name, data in expected.items() if "state" not in name}


def test_batches_of_standard_input_are_applied_once(
    expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = [path.read_text() + f"= {path.name}\n" for path in sorted(Path("changes").iterdir())]
    arguments = [("-" if argument == "changes" else argument) for argument in ARGUMENTS]
    for n in (2, 2, len(parts)):  # the stream is sent again from the start
        stream = io.TextIOWrapper(io.BytesIO("".join(parts[:n]).encode()))
        monkeypatch.setattr(sys, "stdin", stream)
        assert cli.main([*arguments, "-q"]) == 0
    assert content("state", "out") == expected


def test_stream_ends_with_the_end_of_a_batch() -> None:
    def names(text: str, last: str = "") -> list[str]:
        return [batch.name for batch in _batches.parts(io.BytesIO(text.encode()), last)]

    assert names("+ 0 1\n= a\n- 0 1\n=b\n\n") == ["a", "b"]
    assert names("+ 0 1\n= a\n- 0 1\n= b\n", last="a") == ["b"]
    with pytest.raises(ValueError, match="ended within a batch, which was not applied"):
        names("+ 0 1\n= a\n- 0 1\n")
    with pytest.raises(ValueError, match="batch 10 on standard input comes after 9"):
        names("+ 0 1\n= 9\n- 0 1\n= 10\n")
    with pytest.raises(ValueError, match="it has no name"):
        names("+ 0 1\n=\n")


def test_files_under_earlier_names_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    Path("changes/.hidden").write_text("not read")
    assert watch() == 0
    Path("changes/0025.txt").write_text("- 5\n")
    assert watch() == 1
    assert "5 files up to 003.txt, but 4 were applied" in capsys.readouterr().err
    batches = _batches.files(Path("changes"), "0", n_applied=9, once=True)
    assert next(batches).name == "000.txt"
    Path("changes/0.txt").write_text("- 5\n")
    with pytest.raises(ValueError, match=r"came after 000\.txt was applied"):
        next(batches)


def test_a_wrong_batch_leaves_the_state_before_it(capsys: pytest.CaptureFixture[str]) -> None:
    right = Path("changes/003.txt").read_text()
    for wrong, message in (
        ("- 5 77777\n", "003.txt: removed has 77777, which is not a node"),
        ("- a b\n", "changes/003.txt: line 1: the id 'a' is not a whole number"),
    ):
        Path("changes/003.txt").write_text(wrong)
        assert watch() == 1
        assert message in capsys.readouterr().err
        state = _watch_state.read(Path("state"))
        assert state is not None
        assert (state.number, state.name) == (3, "002.txt")
    Path("changes/003.txt").write_text(right)
    assert watch() == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seed", "1"], "the state in state is of a fit with --seed 0: leave that option"),
        (["--tradeoff", "2"], "is of a fit with --tradeoff auto"),
    ],
)
def test_options_of_the_fit_are_those_of_the_state(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert watch() == 0
    assert watch(*arguments) == 1
    assert message in capsys.readouterr().err


def test_a_state_has_one_user(capsys: pytest.CaptureFixture[str]) -> None:
    Path("state").mkdir()
    with locked(Path("state"), "powercut watch"):
        assert watch() == 1
    assert "state is used by another powercut watch" in capsys.readouterr().err
    assert watch() == 0


def test_one_standard_input_is_not_two(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["watch", "-", "-", "--state", "s", "-o", "o"]) == 1
    assert "cannot both be standard input" in capsys.readouterr().err


def test_graph_is_read_once() -> None:
    assert watch() == 0
    Path("graph.txt").unlink()
    assert watch() == 0


def test_refit_is_told_or_done(capsys: pytest.CaptureFixture[str]) -> None:
    graph, names = read_graph("graph.txt")
    # All edges of the first nodes lead to others now.
    edges = graph.adjacency.tocoo()
    once = (edges.row < edges.col) & (edges.row < 120)
    u, v = (ends[once] for ends in (edges.row, edges.col))
    new = np.random.default_rng(0).permutation(v)
    pairs = {(min(a, b), max(a, b)) for a, b in zip(u, new, strict=True) if a != b}
    there = set(zip(edges.row.tolist(), edges.col.tolist(), strict=True))
    lines = [f"- {names[a]} {names[b]}" for a, b in zip(u, v, strict=True)]
    lines += [f"+ {names[a]} {names[b]}" for a, b in sorted(pairs - there)]
    for path in Path("changes").iterdir():
        path.unlink()
    Path("changes/1.txt").write_text("\n".join(lines) + "\n")
    still = ["--inertia", "1e9"]
    assert cli.main([*ARGUMENTS, *still]) == 0
    told = capsys.readouterr().err
    assert "warning: A fit would shorten the description" in told
    assert re.search(r"^1\.txt: \d+ clusters, .*, drift \d\.\d+% \(update", told, re.MULTILINE)
    for name in ("state", "out"):
        Path(name).rename(f"warned-{name}")
    assert watch(*still, "--refit", "auto") == 0
    warned, refitted = (
        powercut.load(f"{name}/batch-00000001/model.npz") for name in ("warned-state", "state")
    )
    assert refitted.description_length_ < warned.description_length_


def test_refit_is_refused_with_prior_labels_before_anything_is_computed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("prior.tsv").write_text("8\t1\n9\t1\n")
    assert watch("--prior-labels", "prior.tsv", "--refit", "auto") == 1
    assert "--refit auto cannot tell when a fit is worth it" in capsys.readouterr().err
    assert _watch_state.read(Path("state")) is None
    assert watch("--prior-labels", "prior.tsv", "--refit", "never") == 0
    assert watch("--refit", "warn") == 1
    assert "--refit warn cannot tell when a fit is worth it" in capsys.readouterr().err


def test_coarser_clusters_are_followed_without_a_refit() -> None:
    assert watch("--tradeoff", "3") == 0
    state = _watch_state.read(Path("state"))
    assert state is not None
    assert (state.number, state.model.tradeoff_) == (N_BATCHES, 3)


def test_a_small_batch_is_appended_and_a_large_one_is_written_whole() -> None:
    changes = sorted(Path("changes").iterdir())
    for path in changes:
        path.rename(path.name)
    assert watch() == 0
    whole = []
    for path in changes:
        before = content("state")
        Path(path.name).rename(path)
        assert watch() == 0
        (state,) = Path("state").glob("batch-*")
        whole.append(state.name)
        after = content("state")
        if len(set(whole[-2:])) == 1:
            touched = {name for name in after if after[name] != before.get(name)}
            assert touched == {f"{state}/graph/{name}" for name in ("changes.bin", "manifest.json")}
            old = before.get(f"{state}/graph/changes.bin", b"")
            new = after[f"{state}/graph/changes.bin"]
            assert new.startswith(old)
            assert len(new) - len(old) < 10_000
    first, last = "batch-00000000", f"batch-0000000{LAST_WHOLE}"
    assert whole == [first, first, last, last]


@pytest.mark.parametrize("weighted", [False, True])
def test_a_resumed_model_is_that_of_the_process_before(weighted: bool) -> None:
    if weighted:
        edges = [line.split() for line in Path("graph.txt").read_text().splitlines()]
        lines = [f"{u} {v} {0.1 * (1 + (int(u) + int(v)) % 7)}\n" for u, v, *_ in edges]
        Path("graph.txt").write_text("".join(lines))
    Path("known.tsv").write_text("0\t700\n1\t900\n")
    Path("pairs.txt").write_text("2 3\n3 4\n")
    states = []

    def written(folder: Path, state: Any) -> Any:
        states.append(write(folder, state))
        return states[-1]

    Path("prior.tsv").write_text("8\t700\n9\t5\n10\t5\n")
    write, files = _watch_state.write, ["--fixed", "known.tsv", "--must-link", "pairs.txt"]
    files += ["--prior-labels", "prior.tsv", "--prior-nats", "2.5"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_watch_state, "write", written)
        assert watch(*files) == 0
    resumed, last = _watch_state.read(Path("state")), states[-1]
    assert resumed is not None
    assert resumed.number == last.number == N_BATCHES
    for state in (resumed, last):
        state.model._complete()
    found, expected = (
        {name: value for name, value in vars(state.model).items() if name not in WITHOUT}
        for state in (resumed, last)
    )
    assert_equal(found, expected, "model")
    for name in ("indptr", "indices", "weights", "names"):
        graphs = resumed.model._graph, last.model._graph
        assert_equal(*(getattr(graph, name) for graph in graphs), name)


# Attributes that are not stored, or that are compared by what they lead to.
WITHOUT = ("changes_", "drift_", "_input")


def assert_equal(found: Any, expected: Any, name: str) -> None:
    """Compare values of any kind, also what they are made of."""
    assert type(found) is type(expected), name
    if isinstance(found, np.ndarray):
        assert found.dtype == expected.dtype, name
        np.testing.assert_array_equal(found, expected, err_msg=name)
    elif isinstance(found, dict):
        assert found.keys() == expected.keys(), name
        for key, value in found.items():
            assert_equal(value, expected[key], f"{name}.{key}")
    elif is_dataclass(found):
        for field in fields(found):
            of = field.name
            assert_equal(getattr(found, of), getattr(expected, of), f"{name}.{of}")
    else:
        assert found == expected, name


def test_all_nodes_may_go_and_others_come() -> None:
    Path("graph.txt").write_text("a b\nb c\nc a\n")
    for path in Path("changes").iterdir():
        path.unlink()
    Path("changes/1.txt").write_text("- a\n- b\n- c\n")
    Path("changes/2.txt").write_text("# nothing\n")
    Path("changes/3.txt").write_text("+ d e\n")
    assert watch() == 0
    labels = pd.read_parquet("out/labels")
    assert labels["node"].tolist() == ["a", "b", "c", "a", "b", "c", "d", "e"]
    assert (labels["id"][3:6] == -1).all()
    assert watch() == 0


def test_changed_ids_have_nodes_that_come_and_go() -> None:
    old, new = np.array([5, 6, 7]), np.array([5, 7, 9])
    found = changed_ids(old, np.array([0, 0, 1]), new, np.array([0, 0, 2]), gone=np.array([6]))
    np.testing.assert_array_equal(found["node"], [7, 9, 6])
    np.testing.assert_array_equal(found["id"], [0, 2, -1])
    names = np.array(["a", "b"], dtype=object)
    found = changed_ids(names, np.array([0, 0]), names, np.array([0, 0]))
    assert len(found["node"]) == len(found["id"]) == 0
