"""The reproduction of the paper: report, protocol and command."""

import csv
import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from powercut import Graph
from powercut._typing import LABEL
from powercut.cli import main
from powercut.cli.reproduce import make_bar
from powercut.progress import Progress, ProgressReporter
from powercut.reproduce import PARTS, Picture, Section, Table, _graphs, reproduce, synthetic
from powercut.reproduce._protocol import QUICK_RUNS, Sample, Score, Scores, splits, validate
from powercut.reproduce._report import write_report
from powercut.reproduce._tables import comparison, verdict

FOLDER = os.environ.get("POWERCUT_DATA")
needs_data = pytest.mark.skipif(FOLDER is None, reason="POWERCUT_DATA is not set")


@pytest.fixture
def section() -> Section:
    table = Table("t", "A <table>", ["name", "NMI"], [["x", 0.12345], ["y", None]], {(0, 1)})
    return Section("s", "Title", ["Some **bold** `code`", table, Picture("p", "A picture", b"PNG")])


def test_report_is_written_as_csv_png_markdown_and_html(section: Section, tmp_path: Path) -> None:
    write_report(tmp_path, [section], quick=True)
    with (tmp_path / "t.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [["name", "NMI"], ["x", "0.12345"], ["y", ""]]
    assert (tmp_path / "p.png").read_bytes() == b"PNG"
    markdown = (tmp_path / "report.md").read_text()
    assert "| x | **0.123** |" in markdown
    assert "![A picture](p.png)" in markdown
    page = (tmp_path / "index.html").read_text()
    assert "A &lt;table&gt;" in page
    assert "<strong>bold</strong> <code>code</code>" in page
    assert '<td>x</td><td class="number marked">0.123</td>' in page
    assert '<a href="#s">s</a>' in page
    assert '<section id="s">' in page
    assert "data:image/png;base64,UE5H" in page
    assert "This is a quick run" in page
    assert "This is a quick run" in markdown


def test_page_is_self_contained(section: Section, tmp_path: Path) -> None:
    write_report(tmp_path, [section], quick=False)
    page = (tmp_path / "index.html").read_text()
    assert "http" not in page
    assert 'src="p.png"' not in page
    assert "quick" not in page


def test_validation_prefers_the_number_of_classes() -> None:
    sample = Sample(np.zeros((8, 1)), np.array(list("aaaabbbb")))
    partitions = {
        "one": [0] * 8,
        "wrong": [0, 1] * 4,
        "right": [0] * 4 + [1] * 4,
        "many": list(range(8)),
        "never": [0] * 8,
    }
    tried = []

    def fit(setting: str) -> np.ndarray:
        tried.append(setting)
        return np.array(partitions[setting], dtype=LABEL)

    assert validate(fit, [["one", "wrong"], ["right", "many", "never"]], sample) == "right"
    assert tried == ["one", "wrong", "right", "many"]  # a walk ends at too many clusters


def test_validation_takes_the_closest_number_of_clusters_if_none_is_close() -> None:
    sample = Sample(np.zeros((8, 1)), np.array(list("aabbccdd")))
    partitions = {1: [0] * 8, 8: list(range(8))}
    chosen = validate(lambda k: np.array(partitions[k], dtype=LABEL), [[1, 8]], sample)
    assert chosen == 1


@needs_data
def test_splits_are_disjoint_and_seeded() -> None:
    first, again = (list(splits("ecoli", "ordinal", quick=True)) for _ in range(2))
    assert len(first) == QUICK_RUNS
    validation, rest = first[0]
    assert (len(validation.X), len(rest.X)) == (90, 210)
    np.testing.assert_array_equal(rest.X, again[0][1].X)
    assert not np.array_equal(rest.X, first[1][1].X)


@pytest.fixture
def results() -> list[Scores]:
    def scores(name: str, ours: float, theirs: float) -> Scores:
        by_method = {"ours": [Score(ours, 0.0, 3)], "no": [], "rival": [Score(theirs, 0.0, 3)]}
        return Scores(name, "ordinal", 3.0, 0.5, by_method)

    return [scores("ecoli", 0.8, 0.7), scores("glass", 0.3, 0.4)]


PAPER = {"ecoli": {"ours": 0.7, "k": 0.5}, "glass": {"ours": 0.4, "k": 0.3}}


def test_comparison_marks_results_at_or_above_the_paper(results: list[Scores]) -> None:
    table = comparison("t", "", results, ours=("ours", "no"), others={"rival": "k"}, paper=PAPER)
    assert table.columns[-4:] == ["our best", "paper: ours", "rival", "paper: k"]
    assert list(table.rows[0]) == ["ecoli", "3.0", 0.8, None, 0.8, 0.7, 0.7, 0.5]
    assert table.marked == {(0, 4)}


def test_verdict_names_the_exceptions(results: list[Scores]) -> None:
    text = verdict(results, ("ours", "no"), "rival", PAPER)
    assert "own result on 1 of 2 data sets (not on glass)" in text
    assert "above rival in the same runs on 1 of 2 (not on glass)" in text


def test_similarities_join_all_points() -> None:
    X = np.array([[0.0], [0.1], [0.2], [100.0]])
    (width, *_), unit = _graphs.widths(Sample(X, np.array(list("aabb")))), np.median(pdist(X))
    assert width == _graphs.WIDTHS[0] * unit
    dense = _graphs.similarity_graph(X, width).adjacency.toarray()
    assert dense[0, 1] == pytest.approx(np.exp(-0.01 / (2 * width**2)))
    assert (dense > 0).sum() == 12


def test_normalized_cuts_validate_the_width(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = []

    def similarity_graph(X: np.ndarray, width: float) -> Graph:
        """Join the classes only at the width 0.3 of the median distance."""
        chosen.append(width)
        halves = np.arange(len(X)) % 2 if width != widths[1] else np.arange(len(X)) * 2 // len(X)
        return Graph(np.equal.outer(halves, halves) + 0.01)

    validation = Sample(np.arange(8.0)[:, None], np.array(list("aaaabbbb")))
    sample = Sample(np.arange(12.0)[:, None], np.array(list("aaaaaabbbbbb")))
    widths = _graphs.widths(validation)
    monkeypatch.setattr(_graphs, "similarity_graph", similarity_graph)
    labels = _graphs.normalized_cuts(validation, sample, 0)
    assert chosen == [*widths, widths[1]]
    np.testing.assert_array_equal(labels, [0] * 6 + [1] * 6)


def test_synthetic_clusters_are_recovered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthetic, "SHIFTS", (-0.2,))
    monkeypatch.setattr(synthetic, "TRADEOFFS", (1e-4,))
    monkeypatch.setattr(synthetic, "QUICK_GRAPHS", 1)
    reports: list[Progress] = []
    (section,) = reproduce("synthetic", tmp_path, quick=True, progress=reports.append)
    means = section.tables[0]
    assert [row[0] for row in means.rows] == ["deviation", "variance", "the paper"]
    assert means.rows[0][3] > 0.95  # nothing to set
    assert list(means.rows[2][3:]) == [None, 0.866, 0.687]
    assert (tmp_path / "synthetic.png").read_bytes().startswith(b"\x89PNG")
    assert reports[-1].fraction == 1.0
    assert reports[-1].stage == "done"


def test_unknown_part_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="what must be one of"):
        reproduce("table9", tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["reproduce", "table9", "-o", str(tmp_path)])
    assert end.value.code == 2


def test_missing_matplotlib_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    from powercut.reproduce._figures import new_figure

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r'pip install "powercut\[plot\]"'):
        new_figure(1, 1)


def test_command_runs_the_parts_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from powercut import reproduce as package

    made = []

    class Module:
        def __getattr__(self, name: str) -> object:
            def make(_: Path, *, quick: bool, reporter: ProgressReporter) -> Section:
                made.append((name, quick))
                reporter.tick()
                return Section(name, name, [])

            return make

    monkeypatch.setattr(package, "import_module", lambda _: Module())
    assert main(["reproduce", "all", "-o", str(tmp_path / "new"), "--quick"]) == 0
    assert made == [(part.replace("-", "_"), True) for part in PARTS]
    printed = capsys.readouterr()
    assert printed.out.strip() == str(tmp_path / "new" / "index.html")
    assert "100%" in printed.err


def test_bar_is_drawn_in_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = Progress(0.5, "ecoli", 0, 0, 0, float("nan"), 65.0)
    show = make_bar()
    show(report)
    show(report)
    assert capsys.readouterr().err == " 50%   1:05 ecoli\n"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    show(report)
    shown = capsys.readouterr().err
    assert "████████████············" in shown
    assert not shown.endswith("\n")
    monkeypatch.setenv("COLUMNS", "40")
    show(replace(report, stage="a stage of many words"))
    assert len(capsys.readouterr().err.removeprefix("\r\x1b[K")) == 39
