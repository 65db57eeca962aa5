"""The subcommands, as a user of the shell meets them."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from powercut import cli
from powercut.io import read_labels

COMMAND = [sys.executable, "-m", "powercut.cli"]
WITH_EXAMPLES = [
    name for name in cli.COMMANDS if hasattr(import_module(f"powercut.cli.{name}"), "EXAMPLES")
]


def powercut(*arguments: str, folder: Path, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *arguments], input=text, capture_output=True, cwd=folder)


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """Two cliques of unequal size, by name, and an edge between them."""
    groups = ["abcdefghijkl", "mnopqrst"]
    edges = [f"{u},{v}" for group in groups for u in group for v in group if u < v]
    path = tmp_path / "graph.csv"
    path.write_text("\n".join(["source,target", *edges, "a,m"]) + "\n")
    return path


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_of_help_run(name: str, tmp_path: Path) -> None:
    help_text = subprocess.run(
        [*COMMAND, name, "--help"], capture_output=True, text=True, check=True
    ).stdout
    examples = import_module(f"powercut.cli.{name}").EXAMPLES.strip().splitlines()
    assert all(f"  {line}\n" in help_text for line in examples)
    script = f'powercut() {{ {shlex.join(COMMAND)} "$@"; }}\nset -e -o pipefail\n'
    done = subprocess.run(
        ["bash", "-c", script + "\n".join(examples)], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "error" not in done.stderr


def test_help_is_there_in_less_than_a_second() -> None:
    seconds = []
    while not seconds or (seconds[-1] >= 1 and len(seconds) < 5):
        start = time.perf_counter()
        subprocess.run([*COMMAND, "--help"], check=True, capture_output=True)
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 1


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys\nfrom powercut.cli import make_parser\nmake_parser()\n"
        "print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("suffix", ["tsv", "csv", "csv.gz", "parquet", "npz"])
def test_labels_are_written_in_every_format(suffix: str, graph: Path, tmp_path: Path) -> None:
    done = powercut("cluster", str(graph), "-o", f"labels.{suffix}", folder=tmp_path)
    assert done.returncode == 0
    assert done.stdout == b""
    assert b"20 nodes, 95 edges: 2 clusters, the largest of 12 (" in done.stderr
    labels, names = read_labels(tmp_path / f"labels.{suffix}")
    assert names is not None
    found = dict(zip(names, labels, strict=True))
    assert [found[name] for name in "abcdefghijkl"] == [0] * 12
    assert [found[name] for name in "mnopqrst"] == [1] * 8


def test_pipes_have_labels_and_no_bar(graph: Path, tmp_path: Path) -> None:
    done = powercut("cluster", "-", folder=tmp_path, text=graph.read_bytes())
    assert done.stdout.splitlines()[0] == b"a\t0"
    assert len(done.stdout.splitlines()) == 20
    assert b"[" not in done.stderr
    assert powercut("cluster", str(graph), "-q", folder=tmp_path).stderr == b""


def test_json_is_one_object_and_labels_go_where_they_are_wanted(
    graph: Path, tmp_path: Path
) -> None:
    done = powercut("cluster", str(graph), "--json", "-o", "labels.tsv", folder=tmp_path)
    summary = json.loads(done.stdout)
    assert summary["cluster_sizes"] == [12, 8]
    assert summary["n_nodes"], summary["n_edges"] == (20, 95)
    assert (tmp_path / "labels.tsv").exists()
    assert done.stderr == b""


@pytest.mark.parametrize(
    ("arguments", "text", "code", "message"),
    [
        (["cluster", "absent.txt"], b"", 1, "absent.txt: No such file or directory"),
        (["cluster", "-"], b"1 2\n1 x\n", 1, "<stdin>: line 2, column 3: the id 'x'"),
        (["cluster", "-", "--format", "npz"], b"none", 1, "<stdin>: this cannot be read as NPZ"),
        (["cluster", "-", "-o", "no/such/labels.tsv"], b"0 1\n", 1, "there is no folder no/such"),
        (["cluster", "-", "--score", "best"], b"0 1\n", 2, "invalid choice: 'best'"),
        (["cluster", "-", "--tradeoff", "-1"], b"0 1\n", 1, "tradeoff"),
        (["cluster"], b"", 2, "GRAPH"),
        (["cluster", "-", "--key", "x"], b"0 1\n", 1, "key is no option of the format 'edges'"),
        (["means", "-"], b"1 2\n3 x\n", 1, "<stdin>: line 2, column 3: 'x' is not a number"),
        (["sizes", "-"], b"", 1, "<stdin>: there are no labels"),
        (["generate", "blobs", "--mixing", "0.1"], b"", 1, "--mixing is no option of blobs"),
    ],
)
def test_errors_have_a_message_and_an_exit_code(
    arguments: list[str], text: bytes, code: int, message: str, tmp_path: Path
) -> None:
    done = powercut(*arguments, folder=tmp_path, text=text)
    assert done.returncode == code
    assert message in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()
    assert done.stdout == b""


def test_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    script = f"{shlex.join(COMMAND)} generate blocks --nodes 3000 | head -n 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, cwd=tmp_path)
    assert done.returncode == 141
    assert done.stderr == b""


def test_interrupt_ends_with_130(tmp_path: Path) -> None:
    powercut("generate", "blocks", "--nodes", "100000", "-o", "graph.npz", folder=tmp_path)
    with subprocess.Popen(
        [*COMMAND, "cluster", "graph.npz", "-o", "labels.tsv"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err == b"powercut: interrupted\n"
    assert not (tmp_path / "labels.tsv").exists()


def test_warnings_are_lines_of_their_own(tmp_path: Path) -> None:
    text = "".join(f"{u} {v}\n" for u in range(12) for v in range(u))
    done = powercut("cluster", "-", "-q", folder=tmp_path, text=text.encode())
    assert done.returncode == 0
    assert done.stderr.startswith(b"powercut: warning: No more than one cluster is supported")
    assert len(done.stderr.splitlines()) == 1


def test_compare_matches_names(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("node,label\nb,1\na,0\nc,1\n")
    (tmp_path / "other.txt").write_text("a x\nb y\nc y\nd y\n")
    done = powercut("compare", "one.csv", "other.txt", folder=tmp_path)
    assert done.returncode == 1
    assert b"'d' is labelled in one file and not in the other" in done.stderr
    done = powercut("compare", "one.csv", "other.txt", "--common", "--json", folder=tmp_path)
    summary = json.loads(done.stdout)
    assert summary["adjusted_mutual_information"] == 1
    assert summary["n"] == 3


def test_path_writes_a_column_for_each_tradeoff(graph: Path, tmp_path: Path) -> None:
    done = powercut(
        "path", str(graph), "--tradeoffs", "1", "20", "-o", "path.csv", "--json", folder=tmp_path
    )
    summary = json.loads(done.stdout)
    assert summary["n_clusters"] == [2, 1]
    lines = (tmp_path / "path.csv").read_text().splitlines()
    assert lines[0] == "node,1,20"
    assert lines[1] == "a,0,0"
    assert lines[-1] == "t,1,0"


def test_same_seed_makes_the_same_files(tmp_path: Path) -> None:
    for name in ("one", "other"):
        powercut("generate", "blobs", "--nodes", "50", "-o", f"{name}.csv.gz", folder=tmp_path)
    assert (tmp_path / "one.csv.gz").read_bytes() == (tmp_path / "other.csv.gz").read_bytes()
    first = powercut("means", "one.csv.gz", "-q", folder=tmp_path).stdout
    assert first == powercut("means", "other.csv.gz", "-q", folder=tmp_path).stdout
    assert len(np.loadtxt(first.decode().splitlines())) == 50
