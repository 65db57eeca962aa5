"""The number of clusters over the tradeoff."""

import numpy as np
from matplotlib.axes import Axes

from powercut._typing import FloatArray
from powercut.plot._axes import BLACK, BLUE, SKY, make_axes, plain_log, tidy
from powercut.results.plateaus import TradeoffPath

# Plateaus shorter than this share of the longest are not marked.
MARKED = 0.2


def tradeoff_path(path: TradeoffPath, *, agreement: float = 0.95, ax: Axes | None = None) -> Axes:
    """Draw the number of clusters over the tradeoff, with plateaus of persistent partitions.

    Parameters
    ----------
    path : TradeoffPath
        From `powercut.tradeoff_path`.
    agreement : float, default=0.95
        Smallest agreement within a plateau; see `powercut.TradeoffPath.plateaus`.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Examples
    --------
    >>> import powercut
    >>> from powercut import plot
    >>> graph, _ = powercut.datasets.make_paper_graph(200, random_state=0)
    >>> path = powercut.tradeoff_path(graph, tradeoffs=[1, 2, 4], random_state=0)
    >>> ax = plot.tradeoff_path(path)
    >>> ax.get_xlabel()
    'tradeoff'
    """
    if len(path) == 0:
        raise ValueError("the path has no partitions; there is nothing to draw.")
    ax = make_axes(ax)
    edges = _edges(path)
    plateaus = path.plateaus(agreement=agreement)
    marked = [p for p in plateaus if p.persistence >= MARKED * plateaus[0].persistence]
    for plateau in marked:
        first, last = np.searchsorted(path.tradeoffs, [plateau.first, plateau.last])
        low, high = edges[first], edges[last + 1]
        # White edges separate adjacent plateaus.
        ax.axvspan(low, high, facecolor=SKY, alpha=0.3, edgecolor="white", linewidth=4)
        ax.text(
            np.sqrt(low * high), 1.01, f"{plateau.n_clusters:,}", color=BLUE, ha="center",
            va="bottom", transform=ax.get_xaxis_transform(),
        )  # fmt: skip
    ax.stairs(path.n_clusters, edges, baseline=None, color=BLACK, linewidth=1)
    ax.plot(path.tradeoffs, path.n_clusters, "o", color=BLACK, markersize=4)
    ax.set(xscale="log", yscale="log", xlabel="tradeoff", ylabel="clusters")
    ax.set_xlim(edges[0], edges[-1])
    ax.margins(y=0.1)
    plain_log(ax.xaxis)
    plain_log(ax.yaxis)
    ax.set_title("shaded: ranges over which the partition persists", pad=20)
    tidy(ax)
    return ax


def _edges(path: TradeoffPath) -> FloatArray:
    """Return the edges between tradeoffs, and half a step beyond the ends."""
    logs = np.log(path.tradeoffs)
    steps = np.diff(logs) if len(logs) > 1 else np.array([np.log(2)])
    ends = logs[0] - steps[0] / 2, logs[-1] + steps[-1] / 2
    between = (logs[1:] + logs[:-1]) / 2
    return np.asarray(np.exp(np.concatenate([ends[:1], between, ends[1:]])))
