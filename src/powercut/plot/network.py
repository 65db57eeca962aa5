"""A graph as nodes and links; a large graph as a map of its largest clusters."""

from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb

from powercut._typing import LABEL, FloatArray, Labels
from powercut.disk.reader import as_graph
from powercut.graphs.graph import Graph
from powercut.partition import canonical_labels, check_labels
from powercut.plot._axes import GREY, as_text, cluster_colours, count, make_axes
from powercut.plot._layout import layout
from powercut.plot.between import relative_weights

# A graph of more nodes than this is drawn as a map of this many largest clusters.
MOST_NODES, N_LARGEST = 300, 40
# Up to this many nodes have their name beside them.
NAMED = 80
# Links of a map to draw for each cluster, the strongest ones; more would hide each other.
LINKS = 3


def network(
    graph: Any,
    labels: npt.ArrayLike,
    *,
    names: npt.ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a graph as nodes and links, or a map of its largest clusters.

    Up to 300 nodes are drawn one by one, in the colours of their clusters, with names if they are
    at most 80. Of a larger graph, the 40 largest clusters are drawn, as discs whose areas are their
    sizes, and for each the three links that exceed most what degrees let expect; singletons are
    left out. Nodes that share neighbours are drawn close to each other; places say nothing else,
    and are not random.

    Parameters
    ----------
    graph : Graph, matrix, networkx or igraph graph
        Anything that `powercut.Graph.wrap` takes.
    labels : array-like of shape (n_nodes,)
        Cluster of each node.
    names : array-like of shape (n_nodes,), optional
        Name of each node. Default: those of the graph, if it has any.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Examples
    --------
    >>> import networkx as nx
    >>> from powercut import PowerLawCut, plot
    >>> G = nx.karate_club_graph()
    >>> ax = plot.network(G, PowerLawCut(random_state=0).fit_predict(G))
    >>> ax.get_title()
    '34 nodes, 3 clusters'
    """
    graph = as_graph(graph)
    labels = canonical_labels(check_labels(labels, graph.n_nodes, "labels"))
    given = graph.names if names is None else np.asarray(names)
    if given is not None and given.shape != (graph.n_nodes,):
        raise ValueError(f"names has shape {given.shape}; {graph.n_nodes} names are needed.")
    ax = make_axes(ax)
    if graph.n_nodes <= MOST_NODES:
        _draw_nodes(ax, graph, labels, given)
    else:
        _draw_clusters(ax, graph, labels)
    ax.set_aspect("equal", adjustable="datalim")
    ax.axis("off")
    ax.margins(0.08)
    return ax


def _draw_nodes(ax: Axes, graph: Graph, labels: Labels, names: npt.NDArray[Any] | None) -> None:
    k = int(labels.max(initial=-1)) + 1
    linked = graph.adjacency.toarray() > 0
    np.fill_diagonal(linked, False)
    places = layout(linked)
    colours = cluster_colours(k)
    row, column = np.triu(linked).nonzero()
    inside = labels[row] == labels[column]
    drawn = np.where(inside[:, None], colours[labels[row]], to_rgb(GREY))
    order = np.argsort(inside, kind="stable")  # links inside clusters on top
    links = LineCollection(
        list(places[np.column_stack([row, column])[order]]),
        colors=drawn[order],
        linewidths=0.8,
        alpha=0.35 if len(row) > 150 else 0.6,
        zorder=1,
    )
    ax.add_collection(links)
    size = 900.0 / max(graph.n_nodes, 15)
    ax.scatter(
        places[:, 0],
        places[:, 1],
        s=size,
        c=colours[labels],
        edgecolors="white",
        linewidths=0.5,
        zorder=2,
    )
    if graph.n_nodes <= NAMED:
        for node, (x, y) in enumerate(places):
            ax.annotate(
                as_text(node if names is None else names[node]),
                (x, y),
                xytext=(0, np.sqrt(size) / 2 + 1),
                textcoords="offset points",
                ha="center",
                va="bottom",
                fontsize="xx-small",
                parse_math=False,
                zorder=3,
            )
    ax.set_title(f"{count(graph.n_nodes, 'node')}, {count(k, 'cluster')}", fontsize="small")


def _draw_clusters(ax: Axes, graph: Graph, labels: Labels) -> None:
    sizes = np.bincount(labels)
    k = min(int(np.count_nonzero(sizes > 1)) or len(sizes), N_LARGEST)
    strength = _strongest_links(graph, labels, k)
    places = layout(strength > 0)
    row, column = np.triu(strength).nonzero()
    if len(row):
        relative = strength[row, column] / strength.max()
        widths = 0.5 + 3 * np.sqrt(relative)
        ends = list(places[np.column_stack([row, column])])
        ax.add_collection(LineCollection(ends, colors=GREY, linewidths=widths, zorder=1))
    area = 10 + 700 * sizes[:k] / sizes[0]
    colours = cluster_colours(k)
    ax.scatter(
        places[:, 0], places[:, 1], s=area, c=colours, edgecolors="white", linewidths=0.5, zorder=2
    )
    for cluster, (x, y) in enumerate(places):
        fits = area[cluster] > 150
        dark = fits and colours[cluster].mean() < 0.4
        ax.annotate(
            f"{cluster}",
            (x, y),
            xytext=(0, 0 if fits else np.sqrt(area[cluster]) / 2 + 1),
            textcoords="offset points",
            ha="center",
            va="center" if fits else "bottom",
            fontsize="x-small",
            color="white" if dark else "black",
            zorder=3,
        )
    title = f"{count(graph.n_nodes, 'node')}, {count(len(sizes), 'cluster')}"
    if k < len(sizes):
        title += f", the {k} largest drawn"
    ax.set_title(title, fontsize="small")


def _strongest_links(graph: Graph, labels: Labels, k: int) -> FloatArray:
    """Return weights between the k largest clusters, relative to what degrees let expect.

    All but the strongest of each cluster are 0.
    """
    others = LABEL(k)  # all smaller clusters together
    n_groups = min(int(labels.max()), k) + 1
    found = relative_weights(graph, np.minimum(labels, others), n_groups)
    ratio, expected = (matrix[:k, :k] for matrix in found)
    np.fill_diagonal(ratio, 0)
    # Ratios of few edges are large by chance; in standard deviations, few edges say little.
    significance = np.where(ratio > 0, (ratio - 1) * np.sqrt(expected), -np.inf)
    rank = np.argsort(np.argsort(-significance, axis=1, kind="stable"), axis=1)
    kept = np.where(rank < LINKS, ratio, 0)
    return np.asarray(np.maximum(kept, kept.T))
