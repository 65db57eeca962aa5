"""Pictures of segmentations: the size distribution of segments, and example images."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from powercut._typing import IntArray
from powercut.datasets import HumanSegmentations
from powercut.image import overlay
from powercut.image.measures import LabelMap, People
from powercut.reproduce._section import Picture
from powercut.reproduce._segmenters import OURS, SPECTRAL

Shown = npt.NDArray[np.float64]
PEOPLE = "people"
COLOURS = {PEOPLE: "black", OURS: "#d1495b", SPECTRAL: "#30638e"}
OTHER_COLOURS = ("#8f9779", "#c9a227", "#9b7ebd")
# Two examples side by side on the contact sheet.
PER_ROW = 2


@dataclass(frozen=True)
class Example:
    """One image of the contact sheet, as segmented by a person, power-law and normalized cuts."""

    name: str
    panels: tuple[Shown, ...]


def size_picture(sizes: Mapping[str, IntArray]) -> Picture:
    """Draw the complementary cumulative distribution of segment sizes, on logarithmic axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.6))
    axes = figure.subplots()
    others = iter(OTHER_COLOURS)
    for name, each in sizes.items():
        ordered = np.sort(each)
        share = 1 - np.arange(len(ordered)) / len(ordered)
        known = COLOURS.get(name)
        axes.plot(
            ordered,
            share,
            label=name,
            color=known or next(others),
            linewidth=2.2 if known else 1.2,
            zorder=3 if known else 2,
        )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="size of segment (pixels)",
        ylabel="share of segments at least as large",
        xlim=(10, None),
        ylim=(1e-3, 1.2),
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    return Picture.of(
        figure,
        "images_sizes",
        "Sizes of the segments drawn by people, and of the segments found by each method with its "
        "fixed setting.",
    )


def most_typical(segmentations: Sequence[LabelMap]) -> LabelMap:
    """Return the human segmentation with the best covering of all others."""
    agreements = [
        People([*segmentations[:i], *segmentations[i + 1 :]]).compare(one).covering
        for i, one in enumerate(segmentations)
    ]
    return segmentations[int(np.argmax(agreements))]


def make_example(example: HumanSegmentations, ours: LabelMap, spectral: LabelMap) -> Example:
    """Overlay an image with the segmentations of a person, power-law and normalized cuts."""
    image = example.image()
    human = most_typical(example.segmentations())
    return Example(example.name, tuple(overlay(image, each) for each in (human, ours, spectral)))


def contact_sheet(examples: Sequence[Example], caption: str) -> Picture:
    """Draw examples, all of the same shape, in rows of two."""
    from matplotlib.figure import Figure

    titles = ("a person", "power-law cuts", "normalized cuts, true k")
    columns = PER_ROW * len(titles)
    rows = -(-len(examples) // PER_ROW)
    height, width = examples[0].panels[0].shape[:2]
    panel = 2.4
    figure = Figure(figsize=(columns * panel, rows * panel * height / width + 0.3))
    # A narrow column keeps two examples apart.
    widths = [1, 1, 1, 0.06, 1, 1, 1]
    cells = figure.add_gridspec(rows, len(widths), width_ratios=widths, wspace=0.02, hspace=0.03)
    for i, example in enumerate(examples):
        row, place = divmod(i, PER_ROW)
        for j, (shown, title) in enumerate(zip(example.panels, titles, strict=True)):
            axes = figure.add_subplot(cells[row, place * (len(titles) + 1) + j])
            axes.imshow(shown, interpolation="lanczos")
            axes.set_axis_off()
            if row == 0:
                axes.set_title(title, fontsize=10)
    return Picture.of(figure, "images_contact_sheet", caption, dpi=110)
