"""Figure 2: cluster sizes on ecoli, all rows clustered with validated settings."""

from pathlib import Path

import numpy as np

from powercut._typing import Labels
from powercut.datasets import load_uci
from powercut.partition import canonical_labels, compact_labels
from powercut.progress import ProgressReporter
from powercut.reproduce._figures import ACCENT, INK, new_figure
from powercut.reproduce._paper import FIGURE_SIZES
from powercut.reproduce._protocol import Sample, splits
from powercut.reproduce._section import Cell, Picture, Section, Table
from powercut.reproduce._vectors import OTHERS, OURS

PAPERS = {
    "Algorithm 1": FIGURE_SIZES["Algorithm 1"],
    "pyp-means": FIGURE_SIZES["pyp-means"],
    "k-means, true k": FIGURE_SIZES["k-means"],
}
TEXT = """\
All 336 rows of ecoli, with settings validated on 30 percent of the rows (the first split). Class \
sizes range from 143 to 2. k-means, DP-means and pyp-means split the largest class into parts of \
similar sizes; the power-law methods do not split it, and find a tail of small clusters."""


def figure_sizes(folder: Path, *, quick: bool, reporter: ProgressReporter) -> Section:  # noqa: ARG001
    """Cluster ecoli by each method, and draw the cluster sizes."""
    everything = Sample(*load_uci("ecoli", encoding="ordinal"))
    validation, _ = next(splits("ecoli", "ordinal", quick=quick))
    methods = OURS | OTHERS
    found: dict[str, Labels] = {"classes": compact_labels(everything.classes)[0]}
    for name in reporter.each(methods, of=len(methods), stage="ecoli"):
        labels = methods[name](validation, everything, 0)
        assert labels is not None
        found[name] = labels
    sizes = {name: np.bincount(canonical_labels(labels)) for name, labels in found.items()}
    rows: list[list[Cell]] = [
        [
            name,
            None if name == "classes" else everything.score(labels).nmi,
            PAPERS.get(name),
            len(sizes[name]),
            " ".join(map(str, sizes[name])),
        ]
        for name, labels in found.items()
    ]
    columns = ["", "NMI", "paper: NMI", "k", "sizes"]
    return Section(
        "figure-sizes",
        "Figure 2: cluster sizes on ecoli",
        [TEXT, _picture(sizes, rows), Table("figure-sizes", "Cluster sizes.", columns, rows)],
    )


def _picture(sizes: dict[str, "np.ndarray"], rows: list[list[Cell]]) -> Picture:
    """Draw the sizes of each partition in descending order."""
    figure = new_figure(13, 5.6)
    columns = 4
    axes = figure.subplots(-(-len(sizes) // columns), columns, sharex=True, sharey=True)
    most = max(map(len, sizes.values()))
    for axis, (name, counts), row in zip(axes.flat, sizes.items(), rows, strict=False):
        axis.bar(np.arange(1, len(counts) + 1), counts, color=ACCENT if row[1] is None else INK)
        axis.set_title(name if row[1] is None else f"{name}, NMI {row[1]:.3f}", fontsize=11)
        axis.xaxis.get_major_locator().set_params(integer=True)
        axis.set_xlim(0.3, min(most, 20) + 0.7)
        axis.spines[["top", "right"]].set_visible(False)
    for axis in axes.flat[len(sizes) :]:
        axis.set_axis_off()
    figure.supxlabel("cluster, largest first")
    figure.supylabel("members")
    return Picture.of(
        figure, "figure-sizes", "Sizes of the classes of ecoli, and of the clusters found."
    )
