"""The report is a self-contained page, and its values are those of the model."""

import base64
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import powercut
from powercut import PowerLawCut, PowerLawKernelMeans, PowerLawMeans
from powercut.datasets import make_blobs, make_paper_graph

pytest.importorskip("matplotlib")
from powercut.report import write_report

VOID = {"meta", "img", "input"}


class Page(HTMLParser):
    """Checks that tags are closed in order, and records text, links, ids, images and scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.images: list[dict[str, str | None]] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.scripts: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.links += [values[name] or "" for name in ("src", "href") if name in values]
        self.ids += [values["id"] or ""] if "id" in values else []
        if tag == "img":
            self.images.append(values)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
        else:
            self.text += data


@pytest.fixture(scope="module")
def fitted() -> tuple[Any, Any]:
    graph, _ = make_paper_graph(400, random_state=0)
    return PowerLawCut(random_state=0).fit(graph), graph


def page(folder: Path, **options: Any) -> Page:
    write_report(folder / "report.html", **options)
    return Page((folder / "report.html").read_text(encoding="utf-8"))


def test_report_on_a_graph_has_tables_and_figures(fitted: tuple[Any, Any], tmp_path: Path) -> None:
    model, graph = fitted
    path = powercut.tradeoff_path(graph, tradeoffs=[1, 4], random_state=0)
    found = page(tmp_path, model=model, data=graph, tradeoffs=path, title="A & B <graph>")
    assert found.text.count("A & B <graph>") == 2
    for heading in ("Data", "Sizes", "Confidence", "Largest clusters", "Figures", "Parameters"):
        assert f"\n{heading}\n" in found.text
    assert f"{model.description_length_:,.0f} nats" in found.text
    assert f"{graph.n_edges:,}" in found.text
    captions = " ".join(image["alt"] or "" for image in found.images)
    for words in ("by rank", "adjacency matrix", "strongest links", "over the tradeoff"):
        assert words in captions
    # All links are to sections of the page, or embedded images.
    inner = [link[1:] for link in found.links if link.startswith("#")]
    assert inner == found.ids
    assert "largest-clusters" in inner
    embedded = [link for link in found.links if not link.startswith("#")]
    assert len(embedded) == len(found.images) > 0
    for link in embedded:
        kind, _, encoded = link.partition(",")
        assert kind == "data:image/svg+xml;base64"
        ElementTree.fromstring(base64.b64decode(encoded))
    text = (tmp_path / "report.html").read_text()
    assert not re.search(r"<script [^>]*src|@import|url\(|\bimport\b|fetch\(|https?://", text)


def test_tree_of_a_model_has_a_section_of_its_own(tmp_path: Path) -> None:
    graph, _ = make_paper_graph(200, random_state=0)
    model = PowerLawCut(tree=True, random_state=0).fit(graph)
    found = page(tmp_path, model=model)
    assert "\nScales\n" in found.text
    assert any("at all scales" in (image["alt"] or "") for image in found.images)
    scales = found.text[found.text.rindex("\nScales\n") : found.text.rindex("\nParameters\n")]
    for level in model.tree_.summary():
        assert f"{level.n_clusters:,}{level.largest:,}{level.nats:,.1f}" in scales.replace("\n", "")
    assert scales.count("fitted") == 1


def test_nodes_have_the_names_of_the_graph(tmp_path: Path) -> None:
    graph = nx.les_miserables_graph()
    model = PowerLawCut(random_state=0).fit(graph)
    found = page(tmp_path, model=model, data=graph)
    assert "Myriel" in found.text
    captions = [image["alt"] for image in found.images]
    assert "The graph, with nodes in the colours of their clusters." in captions


def test_same_model_makes_the_same_page(fitted: tuple[Any, Any], tmp_path: Path) -> None:
    for name in ("one.html", "two.html"):
        write_report(tmp_path / name, model=fitted[0])
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_members_of_largest_margin_are_named(fitted: tuple[Any, Any], tmp_path: Path) -> None:
    model, graph = fitted
    names = [f"<node {i}>" for i in range(graph.n_nodes)]
    found = page(tmp_path, model=model, names=names)
    members = np.flatnonzero(model.labels_ == 0)
    top = members[model.margins_[members].argmax()]
    assert f"<node {top}>" in found.text


def test_names_with_half_a_character_are_written(fitted: tuple[Any, Any], tmp_path: Path) -> None:
    model, graph = fitted
    found = page(tmp_path, model=model, names=["\ud83d"] * graph.n_nodes, title="cut off \ud83d")
    assert "cut off \ufffd" in found.text


def test_sections_without_content_are_left_out(fitted: tuple[Any, Any], tmp_path: Path) -> None:
    found = page(tmp_path, model=fitted[0])
    assert "\nData\n" not in found.text
    assert "\nFigures\n" not in found.text
    assert "\nSizes\n" in found.text
    assert "data" not in found.ids
    assert found.ids == [link[1:] for link in found.links if link.startswith("#")]


@pytest.mark.parametrize("kind", ["dense", "sparse", "plane", "column"])
def test_vectors_are_drawn_in_the_plane(kind: str, tmp_path: Path) -> None:
    X, truth = make_blobs(200, n_features=4, random_state=0)
    X = {"dense": X, "sparse": X, "plane": X[:, :2], "column": X[:, :1]}[kind]
    model = PowerLawMeans("kmeans", tradeoff=1.0, init=truth, random_state=0).fit(X)
    found = page(tmp_path, model=model, data=sparse.csr_array(X) if kind == "sparse" else X)
    drawn = [image["alt"] for image in found.images if "The points" in (image["alt"] or "")]
    assert len(drawn) == (kind != "column")
    assert f"200 of {X.shape[1]} features" in found.text


def test_graph_made_from_vectors_is_drawn_as_both(tmp_path: Path) -> None:
    X, _ = make_blobs(200, n_features=4, random_state=0)
    model = PowerLawCut(affinity="nearest_neighbors", random_state=0).fit(X)
    captions = " ".join(image["alt"] or "" for image in page(tmp_path, model=model, data=X).images)
    assert "adjacency matrix" in captions
    assert "The points" in captions


def test_few_clusters_have_no_distribution_of_sizes(
    fitted: tuple[Any, Any], tmp_path: Path
) -> None:
    many = page(tmp_path, model=fitted[0])
    assert fitted[0].n_clusters_ >= 10
    assert "power law: exponent" in many.text
    few = PowerLawCut(random_state=0).fit(nx.karate_club_graph())
    found = page(tmp_path, model=few)
    assert "\nSizes\n" in found.text
    assert "Pitman-Yor discount" in found.text
    assert "power law: exponent" not in found.text
    assert "not fitted to the sizes of fewer than 10 clusters" in found.text
    assert not [image for image in found.images if "by rank" in (image["alt"] or "")]


def test_data_of_a_graph_are_told_in_plain_numbers(tmp_path: Path) -> None:
    star = np.zeros((3002, 3002), dtype=np.float32)
    star[0, 1:] = star[1:, 0] = 0.5
    star[1, 2] = star[2, 1] = 12345
    model = PowerLawCut("modularity", tradeoff=0, random_state=0).fit(sparse.csr_array(star))
    found = page(tmp_path, model=model, data=sparse.csr_array(star))
    assert "weights0.5 to 12,345" in found.text
    assert "largest degree12,346" in found.text
    assert "median degree0.5" in found.text


@pytest.mark.parametrize("labels", [[0], [0, 0, 0], [0, 1, 2]])
def test_degenerate_partitions_have_a_report(labels: list[int], tmp_path: Path) -> None:
    n = len(labels)
    K = np.eye(n)
    model = PowerLawKernelMeans(init=labels, algorithm="lloyd", max_iter=1).fit(K)
    found = page(tmp_path, model=model, data=K)
    assert "nan" not in found.text.lower()


@pytest.mark.parametrize("what", ["data", "names"])
def test_data_of_another_length_are_refused(
    what: str, fitted: tuple[Any, Any], tmp_path: Path
) -> None:
    model, graph = fitted
    other = {"data": graph.adjacency[:5, :5], "names": ["a"]}[what]
    with pytest.raises(ValueError, match="was fitted to 400"):
        write_report(tmp_path / "report.html", model=model, **{what: other})
    assert not list(tmp_path.iterdir())


def test_unfitted_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not fitted"):
        write_report(tmp_path / "report.html", model=PowerLawCut())


def test_without_matplotlib_the_error_says_how_to_install_it() -> None:
    program = "import sys; sys.modules['matplotlib'] = None; from powercut import report"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert 'pip install "powercut[plot]"' in run.stderr
