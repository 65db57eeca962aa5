"""The subcommands, run as from a shell."""

import io
import json
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from powercut import cli
from powercut.cli import completion
from powercut.cli._messages import in_options
from powercut.io import read_labels

COMMAND = [sys.executable, "-m", "powercut.cli"]
WITH_EXAMPLES = [
    name for name in cli.COMMANDS if hasattr(import_module(f"powercut.cli.{name}"), "EXAMPLES")
]


@dataclass
class Done:
    """Exit code and output of a command."""

    code: int
    out: bytes
    err: str


class Shell:
    """Runs commands in a folder: powercut in this process, to save the time of imports."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.monkeypatch = monkeypatch
        monkeypatch.chdir(folder)

    def powercut(self, *arguments: str, text: bytes = b"") -> Done:
        stdin, stdout, stderr = io.BytesIO(text), io.BytesIO(), io.StringIO()
        stdin.name = "<stdin>"  # type: ignore[attr-defined]
        with self.monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(stdin))
            patch.setattr(sys, "stdout", io.TextIOWrapper(stdout, write_through=True))
            patch.setattr(sys, "stderr", stderr)
            try:
                code = cli.main(arguments)
            except SystemExit as end:
                code = int(str(end.code))
            return Done(code, stdout.getvalue(), stderr.getvalue())

    def line(self, line: str) -> Done:
        """Run a command line with pipes and, at its end, redirection to a file."""
        line, _, file = line.partition(">")
        done = Done(0, b"", "")
        for part in line.split("|"):
            name, *arguments = shlex.split(part)
            if name == "powercut":
                done = self.powercut(*arguments, text=done.out)
            else:
                ran = subprocess.run(
                    [name, *arguments], input=done.out, capture_output=True, check=True
                )
                done = Done(ran.returncode, ran.stdout, ran.stderr.decode())
            assert done.code == 0, done.err
        if file:
            Path(file.strip()).write_bytes(done.out)
        return done


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shell:
    return Shell(monkeypatch, tmp_path)


@pytest.fixture
def graph(tmp_path: Path) -> str:
    """Write a graph of two cliques of unequal size with an edge between them, nodes by name."""
    groups = ["abcdefghijkl", "mnopqrst"]
    edges = [f"{u},{v}" for group in groups for u in group for v in group if u < v]
    (tmp_path / "graph.csv").write_text("\n".join(["source,target", *edges, "a,m"]) + "\n")
    return "graph.csv"


def test_sizes_of_clusters_are_limited(shell: Shell, graph: str) -> None:
    limits = "--min-size 3 --max-size 6"
    done = shell.line(f"powercut cluster {graph} {limits} --json")
    sizes = json.loads(done.out)["cluster_sizes"]
    assert sum(sizes) == 20
    assert min(sizes) >= 3
    assert max(sizes) <= 6


def test_clusters_are_constrained(shell: Shell, graph: str) -> None:
    Path("known.tsv").write_text("a\tleft\nb\tright\nm\tright\n")
    Path("pairs.txt").write_text("c d\nd n\n")
    Path("others.txt").write_text("e f\n")
    files = "--fixed known.tsv --must-link pairs.txt --cannot-link others.txt"
    done = shell.line(f"powercut cluster {graph} {files}")
    of = dict(line.split("\t") for line in done.out.decode().splitlines())
    assert of["b"] == of["m"] != of["a"]
    assert of["c"] == of["d"] == of["n"]
    assert of["e"] != of["f"]


def test_prior_labels_attract_nodes(shell: Shell, graph: str) -> None:
    free = shell.line(f"powercut cluster {graph}")
    of = dict(line.split("\t") for line in free.out.decode().splitlines())
    # All nodes of the largest cluster, and one of another that has the same label.
    wrong = next(node for node, cluster in of.items() if cluster != "0")
    one, *others = (node for node, cluster in of.items() if cluster == "0")
    prior = "".join(f"{node}\tleft\n" for node in (*others, wrong))
    Path("prior.tsv").write_text(prior)
    Path("known.tsv").write_text(f"{one}\tleft\n")
    done = shell.line(f"powercut cluster {graph} --prior-labels prior.tsv --prior-nats 0.01 --json")
    assert json.loads(done.out)["n_prior_moved"] == 1
    files = "--fixed known.tsv --prior-labels prior.tsv"
    done = shell.line(f"powercut cluster {graph} {files} --prior-nats 1e6")
    of = dict(line.split("\t") for line in done.out.decode().splitlines())
    assert len({of[node] for node in (one, *others, wrong)}) == 1
    Path("known.tsv").write_text(f"{one}\t3\n")
    done = shell.powercut("cluster", graph, *files.split())
    assert done.code == 1
    assert "labels of one file are words, and those of the other numbers" in done.err


def test_constraints_of_numbered_nodes(shell: Shell) -> None:
    Path("graph.txt").write_text("".join(f"{u} {v}\n" for u in range(7) for v in range(u)))
    Path("known.txt").write_text("0\n" * 3 + "1\n" * 3 + "-1\n")  # a label per node, in order
    Path("pairs.txt").write_text("6 2\n")
    done = shell.line("powercut cluster graph.txt --fixed known.txt --must-link pairs.txt")
    labels = [line.split("\t")[1] for line in done.out.decode().splitlines()]
    assert labels == ["0", "0", "0", "1", "1", "1", "0"]


def test_points_are_constrained(shell: Shell) -> None:
    Path("points.txt").write_text("".join(f"{x} {x % 3}\n" for x in (0, 1, 2, 3, 50, 51, 52, 53)))
    Path("known.tsv").write_text("0\tleft\n4\tright\n1\tright\n")
    Path("pairs.txt").write_text("2 5\n")
    Path("others.txt").write_text("6 7\n")
    files = "--fixed known.tsv --must-link pairs.txt --cannot-link others.txt"
    done = shell.line(f"powercut means points.txt --score kmeans --tradeoff 9 {files}")
    of = [line.split("\t")[1] for line in done.out.decode().splitlines()]
    assert of[1] == of[4] != of[0]
    assert of[2] == of[5]
    assert of[6] != of[7]
    Path("known.tsv").write_text("8\t1\n")
    done = shell.powercut("means", "points.txt", "--fixed", "known.tsv")
    assert done.code == 1
    assert "fixed has 8, which is not a point" in done.err


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("--fixed", "a 0\na 1\n", "known.txt: there are several labels of the node a"),
        ("--fixed", "zz 0\n", "fixed has 'zz', which is not a node"),
        ("--must-link", "a zz\n", "--must-link has 'zz', which is not a node"),
        ("--cannot-link", "a a\n", "node 'a' cannot link with itself"),
    ],
)
def test_wrong_constraints_are_named(
    option: str, text: str, message: str, shell: Shell, graph: str
) -> None:
    Path("known.txt").write_text(text)
    done = shell.powercut("cluster", graph, option, "known.txt")
    assert done.code == 1
    assert message in done.err


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_in_help_run(name: str, shell: Shell) -> None:
    if name == "segment":
        pytest.importorskip("skimage.io").imsave("photo.png", np.eye(64, dtype=np.uint8) * 255)
    help_text = shell.powercut(name, "--help").out.decode()
    examples = import_module(f"powercut.cli.{name}").EXAMPLES.strip().splitlines()
    assert examples
    for line in examples:
        assert f"  {line}\n" in help_text
        done = shell.line(line)
        assert "error" not in done.err
    files = re.findall(r"(?:-o|--truth|>) (\S+)", "\n".join(examples))
    assert all(Path(file).stat().st_size for file in files)


def test_help_takes_less_than_a_second() -> None:
    seconds: list[float] = []
    while not seconds or (seconds[-1] >= 1 and len(seconds) < 5):
        start = time.perf_counter()
        subprocess.run([*COMMAND, "--help"], check=True, capture_output=True)
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 1


@pytest.mark.parametrize("line", ["--help", "cluster absent.txt", "compare absent.tsv absent.tsv"])
def test_help_and_missing_files_import_no_array_library(line: str) -> None:
    assert not imported_by(line) & {"numpy", "scipy", "sklearn"}


def test_cluster_does_not_import_scikit_learn(
    graph: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    imported = imported_by(f"cluster {graph} -o labels.tsv")
    assert Path("labels.tsv").exists()
    assert not imported & {"sklearn", "pandas", "joblib", "pyarrow", "scipy.optimize"}


def imported_by(line: str) -> set[str]:
    """Return the modules that a process has imported by the end of a command."""
    program = (
        "import sys\nfrom powercut.cli import main\n"
        f"try:\n    main({line.split()!r})\nexcept SystemExit:\n    pass\n"
        "print('imported', *sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("suffix", ["tsv", "csv", "csv.gz", "parquet", "npz"])
def test_labels_are_written_in_every_format(suffix: str, graph: str, shell: Shell) -> None:
    done = shell.powercut("cluster", graph, "-o", f"labels.{suffix}")
    assert (done.code, done.out) == (0, b"")
    assert "20 nodes, 95 edges: 2 clusters, largest 12 (" in done.err
    labels, names = read_labels(f"labels.{suffix}")
    assert names is not None
    found = dict(zip(names, labels, strict=True))
    assert [found[name] for name in "abcdefghijkl"] == [0] * 12
    assert [found[name] for name in "mnopqrst"] == [1] * 8


def test_labels_are_written_to_a_pipe_without_a_progress_bar(graph: str, shell: Shell) -> None:
    done = shell.powercut("cluster", "-", text=Path(graph).read_bytes())
    assert done.out.splitlines()[0] == b"a\t0"
    assert len(done.out.splitlines()) == 20
    assert "[" not in done.err
    assert shell.powercut("cluster", graph, "-q").err == ""


def test_json_replaces_labels_on_standard_output(graph: str, shell: Shell) -> None:
    done = shell.powercut("cluster", graph, "--json")
    summary = json.loads(done.out)
    assert summary["cluster_sizes"] == [12, 8]
    assert (summary["n_nodes"], summary["n_edges"]) == (20, 95)
    assert done.err == ""
    json.loads(shell.powercut("cluster", graph, "--json", "-o", "labels.tsv").out)
    assert len(Path("labels.tsv").read_text().splitlines()) == 20


@pytest.mark.parametrize(
    ("line", "text", "code", "message"),
    [
        ("cluster absent.txt", b"", 1, "absent.txt: No such file or directory"),
        ("cluster -", b"1 2\n1 x\n", 1, "<stdin>: line 2, column 3: the id 'x'"),
        ("cluster - --format npz", b"none", 1, "<stdin>: cannot be read as npz"),
        ("cluster - -o no/such/labels.tsv", b"0 1\n", 1, "the folder no/such does not exist"),
        ("cluster - --score best", b"0 1\n", 2, "invalid choice: 'best'"),
        ("cluster - --tradeoff -1", b"0 1\n", 1, "tradeoff"),
        ("cluster", b"", 2, "GRAPH"),
        ("cluster - --key x", b"0 1\n", 1, "key is not an option of the format 'edges'"),
        ("means -", b"1 2\n3 x\n", 1, "<stdin>: line 2, column 3: 'x' is not a number"),
        ("sizes -", b"", 1, "<stdin>: there are no labels"),
        ("generate blobs --mixing 0.1", b"", 1, "--mixing is not an option of blobs"),
        ("generate paper --edges 9", b"", 1, "--edges is not an option of paper"),
        ("generate blocks --edges 9 --nodes 9", b"", 1, "--nodes and --edges exclude each other"),
        ("generate blocks --edges 1.5", b"", 2, "invalid whole number: '1.5'"),
        ("generate blocks --output-format folder", b"", 1, "name it by --output"),
        ("cluster - --format folder", b"", 1, "needs a path"),
        ("cluster - --shift 0", b"0 1\n", 1, "--shift 0.0 has no effect with --score likelihood"),
        ("cluster - --score ncut --resolution 1", b"0 1\n", 1, "--resolution 1.0 has no effect"),
        ("cluster - --min-size 4 --max-size 5", b"0 1\n", 1, "--max-size must be at least 7"),
        ("means - --score kmeans --covariance full", b"1 2\n", 1, "--covariance full has no"),
        ("cluster - --json --output-format csv", b"0 1\n", 1, "--output-format has no effect"),
        ("means - --json --output-format csv", b"1 2\n", 1, "--output-format has no effect"),
        ("path - --output-format csv", b"0 1\n", 1, "--output-format has no effect without"),
        ("sizes - --json --top 3", b"0\n1\n", 1, "--top has no effect with --json"),
        ("completion tcsh", b"", 2, "invalid choice: 'tcsh'"),
    ],
)
def test_errors_have_a_message_and_an_exit_code(
    line: str, text: bytes, code: int, message: str, shell: Shell
) -> None:
    done = shell.powercut(*line.split(), text=text)
    assert done.code == code
    assert message in done.err
    assert done.out == b""


def test_a_folder_of_generated_edges_is_clustered(shell: Shell) -> None:
    shell.powercut("generate", "blocks", "--edges", "2e4", "-o", "big.folder", "--truth", "t.tsv")
    shell.powercut("generate", "blocks", "--nodes", "2000", "-o", "graph.npz")
    for name in ("big.folder", "graph.npz"):
        assert shell.powercut("cluster", name, "-o", f"{name}.tsv").code == 0
    labels = [Path(f"{name}.tsv").read_bytes() for name in ("big.folder", "graph.npz")]
    assert labels[0] == labels[1]
    assert b"2000" in shell.powercut("compare", "t.tsv", "big.folder.tsv").out


def test_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    made = f"{shlex.join(COMMAND)} generate blocks --nodes 30000"
    script = f"{made} | head -n 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, cwd=tmp_path, check=False)
    assert done.returncode == 141
    assert done.stderr == b""


@pytest.fixture
def default_interrupts() -> Iterator[None]:
    """Restore the default handling of Ctrl-C, which processes in the background ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("default_interrupts")
def test_interrupt_ends_with_130(tmp_path: Path) -> None:
    # The command waits for input that never comes until it is interrupted.
    with subprocess.Popen(
        [*COMMAND, "cluster", "-", "-o", "labels.tsv"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"0 1\n" * 100_000)  # more than a pipe holds: it is reading now
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == b"powercut: interrupted\n"
    assert not (tmp_path / "labels.tsv").exists()


def test_warnings_are_printed_on_one_line(shell: Shell) -> None:
    text = "".join(f"{u} {v}\n" for u in range(12) for v in range(u))
    done = shell.powercut("cluster", "-", "-q", text=text.encode())
    assert done.code == 0
    assert done.err.startswith("powercut: warning: No more than one cluster is supported")
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (
            ["--symmetrize", "none"],
            b"a b 1\nb a 2\n",
            "combine the directions with --symmetrize sum",
        ),
        ([], b"a b c d\n", "--no-weighted to read only the first two"),
        (["--resolution", "2"], b"a b\n", "--resolution 2.0 has no effect with --score likelihood"),
        (["--max-bytes", "1"], b"a b\n", "pass a larger --max-bytes\n"),
    ],
)
def test_messages_name_options(
    arguments: list[str], text: bytes, message: str, shell: Shell
) -> None:
    done = shell.powercut("cluster", "-", "-q", *arguments, text=text)
    assert done.code == 1
    assert message in done.err


def test_what_is_no_option_of_the_command_stays_as_it_is() -> None:
    assert in_options('affinity="rbf" n_init=3 x_ n_jobs=4', {"jobs"}) == (
        'affinity="rbf" n_init=3 x_ --jobs 4'
    )


def test_repeated_edges_are_told(shell: Shell) -> None:
    text = "".join(f"{u} {v}\n" for u in range(8) for v in range(u)) + "1 0\n7 6\n1 0\n0 1\n"
    done = shell.powercut("cluster", "-", text=text.encode())
    # The last edge is listed in the other direction, and does not count twice.
    assert "8 nodes, 28 edges (weights of 3 repeated ones summed): 1 cluster" in done.err
    summary = json.loads(shell.powercut("cluster", "-", "--json", text=text.encode()).out)
    assert (summary["n_edges"], summary["n_repeats"]) == (28, 3)


def test_a_search_that_was_stopped_is_told(graph: str, shell: Shell) -> None:
    done = shell.powercut("cluster", graph, "--max-seconds", "0", "-o", "labels.tsv")
    assert ", search stopped early (start" in done.err
    assert "structure" not in done.err
    done = shell.powercut("cluster", graph, "--max-seconds", "0", "--json")
    assert json.loads(done.out)["stopped_early"] is True


def test_a_tree_whose_search_was_stopped_is_whole(graph: str, shell: Shell) -> None:
    done = shell.powercut("tree", graph, "--max-seconds", "0", "--json")
    assert json.loads(done.out)["stopped_early"] is True
    assert "a tree of the levels so far" in done.err
    assert "raise it for a longer search" in done.err
    done = shell.powercut("tree", graph, "-q", "-o", "tree.csv")
    assert (done.out, done.err) == (b"", "")
    assert len(Path("tree.csv").read_text().splitlines()) == 1 + 2 * 20


BAR = r" *\d+% \[#*\.*\] \d+:\d\d (input|start|search|tradeoff|levels|results|done)"


@pytest.mark.parametrize(
    ("command", "summary"),
    [("cluster", "20 nodes, 95 edges: 2 clusters"), ("tree", "2 levels of 20 nodes")],
)
def test_progress_bar_in_a_terminal_is_erased_at_the_end(
    command: str, summary: str, graph: str, tmp_path: Path
) -> None:
    pexpect = pytest.importorskip("pexpect")
    terminal = pexpect.spawn(
        COMMAND[0],
        [*COMMAND[1:], command, graph, "-o", "labels.tsv"],
        cwd=tmp_path,
        dimensions=(24, 60),
        encoding="utf-8",
        timeout=60,
    )
    terminal.expect(r"\[#*\.*\] 0:\d\d ")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
    # The bar is erased, and the summary printed in its place.
    assert re.search(rf"\r\x1b\[K{summary}", terminal.before)
    shown = [line for line in re.findall(r"\r([^\r\n\x1b]*)\x1b\[K", terminal.before) if line]
    assert shown
    assert all(len(line) < 60 for line in shown)
    whole = rf"{BAR}(: (\d+ clusters?|\d+:\d\d left|level of \d+|round \d+)(, .*[a-z\d])?)?"
    assert all(re.fullmatch(whole, line) for line in shown)
    assert re.fullmatch(rf"{BAR}: \d+ clusters.*", shown[-1])


def test_compare_matches_names(shell: Shell) -> None:
    Path("one.csv").write_text("node,label\nb,1\na,0\nc,1\n")
    Path("other.txt").write_text("a x\nb y\nc y\nd y\n")
    done = shell.powercut("compare", "one.csv", "other.txt")
    assert done.code == 1
    assert "1 names are in one file only, such as 'd'" in done.err
    done = shell.powercut("compare", "one.csv", "other.txt", "--common", "--json")
    summary = json.loads(done.out)
    assert summary["adjusted_mutual_information"] == 1
    assert summary["n"] == 3
    Path("nameless.txt").write_text("0\n1\n1\n")
    done = shell.powercut("compare", "one.csv", "nameless.txt", "--common")
    assert done.code == 1
    assert "--common has no effect on files without names" in done.err


def test_path_writes_one_column_per_tradeoff(graph: str, shell: Shell) -> None:
    done = shell.powercut("path", graph, "--tradeoffs", "1", "50", "-o", "path.csv", "--json")
    assert json.loads(done.out)["n_clusters"] == [2, 1]
    lines = Path("path.csv").read_text().splitlines()
    assert (lines[0], lines[1], lines[-1]) == ("node,1,50", "a,0,0", "t,1,0")


def test_tree_writes_one_line_per_node_and_cluster(graph: str, shell: Shell) -> None:
    done = shell.powercut("tree", graph, "-o", "tree.csv", "--json")
    summary = json.loads(done.out)
    assert summary["n_clusters"] == [1, 2]
    assert summary["resolutions"] == [0, None]
    lines = Path("tree.csv").read_text().splitlines()
    assert lines[:2] == ["node,cluster,parent_cluster,level,is_final_cluster", "a,0,-1,0,False"]
    assert lines[-1] == "t,2,0,1,True"
    assert len(lines) == 1 + 2 * 20


def test_tree_writes_newick_and_json_within_sizes(graph: str, shell: Shell) -> None:
    done = shell.powercut("tree", graph, "--max-size", "4", "--min-size", "2", "-o", "tree.nwk")
    assert b"fitted" in done.out
    assert Path("tree.nwk").read_text().startswith("(((a:0,b:0,c:0,d:0)")
    shell.powercut("tree", graph, "--max-size", "4", "-o", "tree.json", "--all-levels")
    clusters = json.loads(Path("tree.json").read_text())["clusters"]
    assert max(len(one["members"]) for one in clusters if "members" in one) <= 4
    done = shell.powercut("tree", graph, "--max-size", "4", "--min-size", "3")
    assert done.code == 1
    assert "--max-size must be at least 5" in done.err


def test_same_seed_makes_the_same_files(shell: Shell) -> None:
    for name in ("one", "other"):
        shell.powercut("generate", "blobs", "--nodes", "50", "-o", f"{name}.csv.gz")
    assert Path("one.csv.gz").read_bytes() == Path("other.csv.gz").read_bytes()
    first, second = (shell.powercut("means", f"{name}.csv.gz", "-q") for name in ("one", "other"))
    assert first.out == second.out
    assert len(first.out.splitlines()) == 50


def test_completion_names_every_command_and_option(shell: Shell) -> None:
    commands = completion.commands_of(cli.make_parser())
    assert [command.name for command in commands] == list(cli.COMMANDS)
    for name in completion.SHELLS:
        script = shell.powercut("completion", name).out.decode()
        for command in commands:
            assert command.name in script
            for flag in command.flags:
                assert (flag if name != "fish" else flag.lstrip("-")) in script


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("clu", {"cluster"}),
        ("cluster --sco", {"--score"}),
        ("cluster --score m", {"modularity"}),
        ("generate bl", {"blocks", "blobs"}),
        ("sizes lab", {"labels.tsv"}),
        ("cluster -o lab", {"labels.tsv"}),
    ],
)
def test_bash_completes(typed: str, offered: set[str], shell: Shell) -> None:
    Path("labels.tsv").touch()
    Path("complete.bash").write_bytes(shell.powercut("completion", "bash").out)
    words = ["powercut", *typed.split(" ")]
    script = (
        "source complete.bash\n"
        f"COMP_WORDS=({shlex.join(words)}) COMP_CWORD={len(words) - 1}\n"
        '_powercut; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == offered


def test_man_page_is_up_to_date() -> None:
    docs = Path(__file__).parents[2] / "docs"
    page = subprocess.run(
        [sys.executable, docs / "make_man.py"], capture_output=True, text=True, check=True
    ).stdout
    assert (docs / "powercut.1").read_text() == page, (
        "run: python docs/make_man.py > docs/powercut.1"
    )
    for command in completion.commands_of(cli.make_parser()):
        assert f"powercut {command.name}" in page
        assert all(flag.replace("-", "\\-") in page for flag in command.flags)
