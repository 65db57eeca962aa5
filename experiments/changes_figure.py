"""The picture of clusters through time in docs/updates.md: Les Misérables, chapter by chapter.

    python experiments/changes_figure.py jean.dat --figure docs/_static/changes.png
    python experiments/changes_figure.py --quick    # a made-up graph; writes no file

The file jean.dat of the Stanford GraphBase (D. E. Knuth. 1993), which lists who meets whom in each
chapter, is at https://github.com/ascherer/sgb. The graph of the first chapters is fitted, and then
updated: the weight of an edge is the number of chapters in which two characters have met so far.
"""

import argparse
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

import powercut
from powercut import PowerLawCut, plot
from powercut._typing import Array, IntArray
from powercut.datasets import make_block_graph

N_STEPS = 10
# Accents of TeX, and the characters of Unicode that combine with the letter before.
ACCENTS = {"'": "\u0301", "`": "\u0300", "^": "\u0302"}
TITLES = ("Madame", "Madamoiselle", "Mother", "Sister", "Lieutenant")
CHAPTER = re.compile(r"(\d\.\d+)\.\d+(?::(.*))?")
Edges = Counter[tuple[str, str]]


@dataclass(frozen=True)
class Step:
    """The last book that was read, and how often characters have met since the step before."""

    name: str
    edges: Edges


def short_name(description: str) -> str:
    """Return the surname, with a title that tells two of a family apart."""
    text = re.sub(r"\\c\{c\}", "ç", description.partition(",")[0])
    text = re.sub(r"\\(['`^])(\w)", lambda found: found[2] + ACCENTS[found[1]], text)
    words = re.sub(r"\(.*\)", "", unicodedata.normalize("NFC", text)).split()
    if len(words[-1]) < 4 or "of" in words:
        return " ".join(words)
    return f"{words[0]} {words[-1]}" if words[0] in TITLES else words[-1]


def chapters(path: Path) -> list[Step]:
    """Read who meets whom in each chapter; each is a step."""
    lines = [line for line in path.read_text("latin-1").splitlines() if not line.startswith("*")]
    described = (line.partition(" ") for line in lines[: lines.index("")])
    names = {code: short_name(text) for code, _, text in described}
    found = []
    for chapter in filter(None, map(CHAPTER.fullmatch, lines)):
        groups = (chapter[2] or "").split(";")
        met = (sorted(names[code] for code in group.split(",") if code) for group in groups)
        pairs = {pair for some in met for pair in combinations(some, 2)}
        found.append(Step(chapter[1], Counter(pairs)))
    return found


def made_up() -> list[Step]:
    """Return the edges of a block graph, as if they came one by one."""
    graph, _ = make_block_graph(300, degree=12, random_state=0)
    rows, columns = graph.adjacency.nonzero()
    ends = [(str(u), str(v)) for u, v in zip(rows, columns, strict=True) if u < v]
    order = np.random.default_rng(0).permutation(len(ends))
    return [Step(str(number), Counter([ends[at]])) for number, at in enumerate(order)]


def joined(steps: list[Step], n: int) -> list[Step]:
    """Join consecutive steps, so that n with about as many meetings each are left."""
    done = np.cumsum([step.edges.total() for step in steps])
    part = np.minimum(n * (done - 1) // done[-1], n - 1)
    groups = [[step for step, at in zip(steps, part, strict=True) if at == i] for i in range(n)]
    return [Step(some[-1].name, sum((step.edges for step in some), Counter())) for some in groups]


def follow(steps: list[Step]) -> tuple[list[Array], list[IntArray], PowerLawCut]:
    """Return the nodes and the ids of their clusters after each step, and the last model."""
    nodes, ids = [], []
    model = PowerLawCut(random_state=0)
    for step in steps:
        u, v = (np.array(ends, dtype=object) for ends in zip(*step.edges, strict=True))
        edges = u, v, np.array(list(step.edges.values()), dtype=np.float64)
        if nodes:
            model.update(added=edges, refit="auto")
        else:
            model.fit(powercut.Graph.from_edges(*edges, symmetrize="max"))
        nodes.append(model.node_names_)
        ids.append(model.cluster_ids_[model.labels_])
        print(step.name, model.n_clusters_, "clusters:", model.cluster_sizes_)
    return nodes, ids, model


def heads(nodes: list[Array], ids: list[IntArray], steps: list[Step]) -> dict[int, str]:
    """Name each cluster by the member that has met most others in it."""
    met: Counter[str] = Counter()
    score: dict[int, Counter[str]] = {}
    for step, some, theirs in zip(steps, nodes, ids, strict=True):
        for pair, n in step.edges.items():
            met.update(dict.fromkeys(pair, n))
        for name, one in zip(some.tolist(), theirs.tolist(), strict=True):
            score.setdefault(one, Counter())[name] += met[name]
    return {one: counted.most_common(1)[0][0] for one, counted in score.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapters", type=Path, nargs="?", help="jean.dat")
    parser.add_argument("--figure", type=Path, help="the file to write; default: none")
    parser.add_argument("--quick", action="store_true", help="draw a made-up graph")
    given = parser.parse_args()
    if given.chapters is None and not given.quick:
        raise SystemExit("give jean.dat of the Stanford GraphBase, or --quick")
    steps = joined(chapters(given.chapters) if given.chapters else made_up(), N_STEPS)
    nodes, ids, _ = follow(steps)
    mpl.use("Agg")
    figure, ax = plt.subplots(figsize=(10, 6), layout="constrained")
    names = [step.name for step in steps]
    plot.changes(ids, nodes=nodes, steps=names, names=heads(nodes, ids, steps), ax=ax)
    ax.set_xlabel("read so far: volume and book of the novel")
    if given.figure:
        figure.savefig(given.figure, dpi=150)


if __name__ == "__main__":
    main()
