"""The adjacency matrix of a graph, ordered by cluster."""

from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from powercut._typing import FloatArray
from powercut.disk.reader import as_graph
from powercut.graphs._adjacency import row_blocks
from powercut.graphs.graph import Graph
from powercut.partition import canonical_labels, check_labels
from powercut.plot._axes import VERMILION, count, make_axes, plain_log

# Clusters with at least this share of the nodes are framed: smaller ones are too small to see.
FRAMED = 0.01


def adjacency(
    graph: Any, labels: npt.ArrayLike, *, bins: int = 400, ax: Axes | None = None
) -> Axes:
    """Draw the adjacency matrix of a graph, with nodes ordered by cluster, the largest first.

    The matrix is binned, so that graphs of any size can be drawn: each pixel is the mean weight
    between two sets of consecutive nodes, white if there is no edge. Clusters with at least 1 %
    of the nodes are framed.

    Parameters
    ----------
    graph : Graph, matrix, networkx or igraph graph
        Anything that `powercut.Graph.wrap` takes.
    labels : array-like of shape (n_nodes,)
        Cluster of each node.
    bins : int, default=400
        Number of bins along each side; at most one per node.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Examples
    --------
    >>> from powercut import PowerLawCut, plot
    >>> from powercut.datasets import make_paper_graph
    >>> graph, truth = make_paper_graph(500, random_state=0)
    >>> ax = plot.adjacency(graph, truth)
    >>> ax.get_title()
    '500 nodes in 15 clusters'
    """
    graph = as_graph(graph)
    n = graph.n_nodes
    if n == 0:
        raise ValueError("the graph has no nodes; there is nothing to draw.")
    labels = canonical_labels(check_labels(labels, n, "labels"))
    if bins < 1:
        raise ValueError(f"bins must be at least 1, got {bins}.")
    bins = min(bins, n)
    ax = make_axes(ax)
    density = _binned(graph, np.argsort(labels, kind="stable"), bins)
    shown = np.ma.masked_equal(density, 0.0)
    sizes = np.bincount(labels)
    if shown.count():
        # An unweighted graph with one bin per node has a single value.
        low, high = float(shown.min()), float(shown.max())
        norm = LogNorm(low if low < high else high / 10, high)
        picture = ax.imshow(
            shown, norm=norm, cmap="Blues", extent=(0, n, n, 0), interpolation="nearest"
        )
        label = "weight" if bins == n else "mean weight of a pair"
        plain_log(ax.figure.colorbar(picture, ax=ax, label=label, shrink=0.8).ax.yaxis)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    for start, size in zip(starts, sizes[sizes >= FRAMED * n], strict=False):
        frame = Rectangle(
            (start, start), size, size, fill=False, edgecolor=VERMILION, linewidth=0.8
        )
        ax.add_patch(frame)
    ax.set(xlim=(0, n), ylim=(n, 0), xlabel="node, by cluster", ylabel="node, by cluster")
    ax.set_aspect("equal")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(4, integer=True))
        axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.set_title(f"{count(n, 'node')} in {count(len(sizes), 'cluster')}")
    return ax


def _binned(graph: Graph, order: npt.NDArray[np.intp], bins: int) -> FloatArray:
    """Return the mean weight of the pairs of nodes in each pair of bins."""
    n = graph.n_nodes
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n) * bins // n
    total = np.zeros(bins * bins)
    for first, last in row_blocks(graph.indptr):
        starts = graph.indptr[first : last + 1]
        entries = slice(int(starts[0]), int(starts[-1]))
        rows = np.repeat(place[first:last], np.diff(starts))
        square = rows * bins + place[graph.indices[entries]]
        weights = None if graph.weights is None else graph.weights[entries]
        total += np.bincount(square, weights, minlength=bins * bins)
    width = np.bincount(place, minlength=bins)
    return total.reshape(bins, bins) / np.outer(width, width)
