"""The table of labels: what it has with and without its script, and that names are only text."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from powercut.report import _html, _labels
from powercut.report._subject import Subject

UNSOUND = [
    "</script><script>document.title='hacked'</script>",
    "<!--<script>",
    "]]>",
    "'\"`\\",
    "&lt;b&gt;",
    "line\u2028paragraph\u2029end",
    "half \ud83d",
    "<img src=x onerror=\"document.title='hacked'\">",
    "𝄞 clef",
    "",
]
BROWSER = shutil.which("chromium")
needs_browser = pytest.mark.skipif(BROWSER is None, reason="chromium is not installed")


def subject(labels: Any, margins: Any, names: Any = None) -> Subject:
    model = SimpleNamespace(labels_=np.array(labels), margins_=np.array(margins, dtype=float))
    return Subject(model, None, None, None if names is None else np.asarray(names, dtype=object))


class Cells(HTMLParser):
    """The text of each cell of the body of a table, and the elements that there are."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: list[str] = []
        self.inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        self.inside = tag == "td" or (self.inside and tag == "span")
        if tag == "td":
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "td"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.rows[-1][-1] += data


def body(text: str) -> list[list[str]]:
    return [row for row in Cells(text).rows if row]


def data(fragment: str) -> Any:
    (found,) = re.findall(r'<script type="application/json">(.*?)</script>', fragment, re.DOTALL)
    return json.loads(found)


def test_least_certain_labels_are_shown_without_the_script() -> None:
    found = body(_labels.label_table(subject([0, 0, -1, 1], [np.inf, 12.34, 0.5, -3.0], [*"abcd"])))
    assert found == [
        ["d", "1", "-3.0"],
        ["c", "outlier", "0.5"],
        ["b", "0", "12.3"],
        ["a", "0", "infinite"],
    ]


def test_all_labels_are_embedded_once_and_compactly() -> None:
    n = 5000
    margins = np.linspace(-0.01, 99, n)
    fragment = _labels.label_table(subject(np.arange(n) % 7, margins))
    assert len(body(fragment)) == _labels.N_ROWS
    found = data(fragment)
    assert found["names"] is None
    assert found["labels"] == (np.arange(n) % 7).tolist()
    assert found["margins"] == np.round(margins, 1).tolist()
    assert "-0.0" not in fragment
    assert len(fragment) < 8 * n + 10_000


def test_too_many_labels_are_left_out_and_the_page_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_labels, "MOST_ROWS", 30)
    whole = _labels.label_table(subject(np.zeros(30, dtype=int), np.arange(30)))
    assert "<script" in whole
    part = _labels.label_table(subject(np.zeros(31, dtype=int), np.arange(31)))
    assert "<script" not in part
    assert "<form" not in part
    assert "Showing 20 of 31 points" in part
    assert "lists up to 30:" in part
    assert len(body(part)) == _labels.N_ROWS


@pytest.mark.parametrize("name", UNSOUND)
def test_names_are_only_text(name: str) -> None:
    sound = _labels.label_table(subject([0], [1.0], ["sound"]))
    fragment = _labels.label_table(subject([0], [1.0], [name]))
    assert data(fragment)["names"] == [name]
    assert Cells(fragment).tags == Cells(sound).tags
    assert body(fragment) == [[name, "0", "1.0"]]
    content = re.findall(r'json">(.*?)</script>', fragment, re.DOTALL)[0]
    assert content.isascii()
    assert "<" not in content


def in_browser(folder: Path, fragment: str, *, then: str = "") -> str:
    """Return a page with this fragment as a browser has it after a script."""
    assert BROWSER is not None
    page = _html.page("untouched", [_html.PageSection("Labels", "Labels", [fragment])])
    page = page.replace("</body>", f"<script>{then}</script></body>")
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile"]
    return subprocess.run(
        [BROWSER, *options, "--dump-dom", path.as_uri()],
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    ).stdout


@needs_browser
def test_browser_shows_the_rows_of_a_page_without_scripts(tmp_path: Path) -> None:
    # Half a character crashes chromium where it prints the page.
    names = [*(name.replace("\ud83d", "") for name in UNSOUND), "a", "b", "c", "d"]
    margins = [*range(len(UNSOUND)), np.inf, 1234.56, -0.04, -7.25]
    labels = [*range(len(UNSOUND)), -1, 3, 0, 0]
    fragment = _labels.label_table(subject(labels, margins, names))
    text = in_browser(tmp_path, fragment)
    assert "<title>untouched</title>" in text
    assert body(text) == body(fragment)
    assert "<form>" in text
    assert f"Showing {len(names)} of {len(names)} points." in text


# What a reader does, and the rows that are then shown.
ACTIONS = {
    "": range(20),
    "type('name', 'NODE 12')": [12, *range(120, 130)],
    "type('name', ''); type('cluster', '3')": range(3, 50, 10),
    "type('name', '7')": [],
    "type('name', ''); type('cluster', ''); sort(2)": range(129, 109, -1),
    "sort(0)": range(20),
    "sort(0); sort(1)": [
        0,
        10,
        20,
        30,
        40,
        1,
        11,
        21,
        31,
        41,
        2,
        12,
        22,
        32,
        42,
        3,
        13,
        23,
        33,
        43,
    ],
    "type('cluster', '40'); more()": range(50, 130),
}
READER = """
const type = (name, value) => {
  const input = document.querySelector(`[name=${name}]`);
  input.value = value;
  input.dispatchEvent(new Event("input", {bubbles: true}));
};
const sort = (column) => document.querySelectorAll("th button")[column].click();
const more = () => document.querySelector(".more").click();
const rows = () => [...document.querySelectorAll("tbody tr")].map((row) => row.cells[0].innerText);
const seen = [];
"""


@needs_browser
def test_browser_searches_and_sorts(tmp_path: Path) -> None:
    labels = [row % 10 if row < 50 else 40 for row in range(130)]
    names = [f"Node {row}" for row in range(130)]
    script = READER + "".join(f"{action}; seen.push(rows());\n" for action in ACTIONS)
    text = in_browser(
        tmp_path,
        _labels.label_table(subject(labels, np.arange(130), names)),
        then=script + "document.title = JSON.stringify(seen);",
    )
    (title,) = re.findall("<title>(.*?)</title>", text)
    for seen, expected in zip(json.loads(title), ACTIONS.values(), strict=True):
        assert seen == [names[row] for row in expected]
