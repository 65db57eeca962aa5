"""Axes to draw on, and a palette for colour-blind readers."""

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import to_rgb
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from powercut._typing import FloatArray

# M. Okabe, K. Ito. Color Universal Design. 2008. Without yellow, which is hardly visible on white.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK = "#E69F00", "#56B4E9", "#000000"
PALETTE = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)
GREY = "#BBBBBB"
# Number of largest clusters with a colour of their own. Each hue comes in three tints.
N_COLOURS = 3 * len(PALETTE)
# Characters of a name that are drawn.
LONGEST = 30


def make_axes(ax: Axes | None) -> Axes:
    """Return the axes, or new ones if None."""
    if ax is not None:
        return ax
    return plt.subplots(layout="constrained")[1]


def cluster_colours(k: int) -> FloatArray:
    """Return an RGB colour for each of k clusters, the largest first; grey from `N_COLOURS` on."""
    full = np.array([to_rgb(colour) for colour in PALETTE])
    tints = np.concatenate([full, 0.55 * full, 0.5 + 0.5 * full])
    rest = np.tile(to_rgb(GREY), (max(0, k - N_COLOURS), 1))
    return np.concatenate([tints, rest])[:k]


def tidy(ax: Axes) -> None:
    """Remove the top and right spines."""
    ax.spines[["top", "right"]].set_visible(False)


def plain_log(axis: Axis) -> None:
    """Label a logarithmic axis with plain numbers; with more ticks if it spans less than 100x."""
    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1,) if high > 100 * low else (1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axis.set_minor_formatter(NullFormatter())


def count(n: int, noun: str) -> str:
    """Return a number with its noun: 1 cluster, 1,000 clusters."""
    return f"{n:,} {noun}" + "s" * (n != 1)


def as_text(name: object) -> str:
    """Return a name from the data as one short line that can be drawn."""
    text = str(name).encode("utf-8", "replace").decode("utf-8")
    text = "".join(c if c.isprintable() else " " for c in text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
