"""Trees of clusters: dendrograms, and icicles for many clusters."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb

from powercut._typing import FloatArray, IntArray
from powercut._validation import check_choice
from powercut.graphs.tree import ClusterTree
from powercut.plot._axes import BLACK, GREY, N_COLOURS, cluster_colours, count, make_axes, tidy

KINDS = ("auto", "dendrogram", "icicle")
# A tree with more finest clusters than this is an icicle by default.
FEW = 50
# Up to this many finest clusters have a label in a dendrogram.
LABELLED = 80
# Clusters of an icicle have a border, and a label, from these shares of the nodes on.
BORDERED, NUMBERED = 0.003, 0.02


def tree(
    tree: ClusterTree,
    *,
    kind: str = "auto",
    names: Mapping[int, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a tree of clusters, with the fitted level marked.

    A dendrogram has a line for each cluster, which forks at the nats that are lost if its children
    are joined; dots are the fitted clusters. An icicle has a column for each level, and a cluster
    is a box up to the level that divides it, whose height is its number of nodes; the number of
    fitted clusters is bold. Clusters have the colour of the fitted cluster that they are in, black
    or grey above the fit.

    Parameters
    ----------
    tree : ClusterTree
        From `powercut.cluster_tree`.
    kind : {"auto", "dendrogram", "icicle"}, default="auto"
        ``"auto"`` is a dendrogram for up to 50 finest clusters.
    names : mapping of int to str, optional
        Texts for some clusters, by their number in the tree, in place of their sizes.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Examples
    --------
    >>> import networkx as nx
    >>> import powercut
    >>> from powercut import plot
    >>> tree = powercut.cluster_tree(nx.les_miserables_graph(), random_state=0)
    >>> ax = plot.tree(tree)
    >>> ax.get_xlabel()
    'nats lost if joined'
    """
    check_choice("kind", kind, KINDS)
    if tree.n_nodes == 0:
        raise ValueError("the tree has no nodes; there is nothing to draw.")
    few = int(np.count_nonzero(tree.is_leaf)) <= FEW
    ax = make_axes(ax)
    if kind == "dendrogram" or (kind == "auto" and few):
        return _dendrogram(tree, names or {}, ax)
    return _icicle(tree, names or {}, ax)


def _dendrogram(tree: ClusterTree, given: Mapping[int, str], ax: Axes) -> Axes:
    leaf = tree.is_leaf
    n_leaves = _sums(tree, leaf.astype(np.int64))
    middle = _starts(tree, n_leaves) + 0.5 * (n_leaves - 1)
    child = np.flatnonzero(tree.parent >= 0)
    parent = tree.parent[child]
    x, colour = tree.evidence, _colours(tree, BLACK)
    along = [((x[p], middle[c]), (x[c], middle[c])) for p, c in zip(parent, child, strict=True)]
    low, high = (np.full(tree.n_clusters, middle[0]) for _ in range(2))
    low[parent], high[parent] = np.inf, -np.inf
    np.minimum.at(low, parent, middle[child])
    np.maximum.at(high, parent, middle[child])
    inner = np.flatnonzero(~leaf)
    across = [((x[p], low[p]), (x[p], high[p])) for p in inner]
    thin = 1.5 if len(child) <= 2 * LABELLED else 0.5
    ax.add_collection(LineCollection(along, colors=colour[child], linewidths=thin))
    ax.add_collection(LineCollection(across, colors=colour[inner], linewidths=thin))
    fitted = np.unique(tree.clusters_of_level(tree.fitted_level))
    dot = 25 if len(fitted) <= LABELLED else 4
    ax.scatter(x[fitted], middle[fitted], s=dot, color=colour[fitted], zorder=3, clip_on=False)
    # Nats span orders of magnitude, and the finest clusters have none.
    ax.set_xscale("function", functions=(_square_root, np.square))
    ax.set_xlim(1.05 * float(x.max()) or 1.0, 0)
    total = int(np.count_nonzero(leaf))
    ax.set_ylim(total - 0.5, -0.5)
    if total <= LABELLED:
        leaves = np.flatnonzero(leaf)
        names = [given.get(int(c), f"{c}: {count(int(tree.size[c]), 'node')}") for c in leaves]
        ax.set_yticks(middle[leaves], names, fontsize=_font(total))
        ax.yaxis.tick_right()
        ax.tick_params(axis="y", length=0)
    else:
        ax.set_yticks([])
        ax.set_ylabel(count(total, "finest cluster"))
    ax.set_xlabel("nats lost if joined")
    ax.set_title(f"dots: the fitted level, {count(len(fitted), 'cluster')}")
    tidy(ax)
    ax.spines["left"].set_visible(False)
    return ax


def _icicle(tree: ClusterTree, given: Mapping[int, str], ax: Axes) -> Axes:
    start, colour = _starts(tree, tree.size), _colours(tree, GREY)
    # A cluster is one box, up to the level that divides it.
    left, right = tree.level, np.full(tree.n_clusters, tree.n_levels)
    child = np.flatnonzero(tree.parent >= 0)
    right[tree.parent[child]] = left[child]
    bottom = start + tree.size
    boxes = np.stack(
        [left, start, right, start, right, bottom, left, bottom], axis=1, dtype=np.float64
    ).reshape(-1, 4, 2)
    tall = (tree.size >= BORDERED * tree.n_nodes)[:, None]
    edges = np.where(tall, 1.0, colour)
    for cluster in np.flatnonzero(tree.size >= NUMBERED * tree.n_nodes):
        ax.text(
            0.5 * (left[cluster] + right[cluster]), 0.5 * (start[cluster] + bottom[cluster]),
            given.get(int(cluster), f"{tree.size[cluster]:,}"), ha="center", va="center",
            fontsize="x-small", color=_readable(colour[cluster]),
        )  # fmt: skip
    ax.add_collection(
        PolyCollection(list(boxes), facecolors=colour, edgecolors=edges, linewidths=0.4)
    )
    ax.set_xlim(0, tree.n_levels)
    ax.set_ylim(tree.n_nodes, 0)
    numbers = [f"{level.n_clusters:,}" for level in tree.summary()]
    ax.set_xticks(np.arange(tree.n_levels) + 0.5, numbers)
    ax.get_xticklabels()[tree.fitted_level].set_fontweight("bold")
    ax.set_xlabel("clusters of each level; bold: the fitted one")
    ax.set_ylabel("nodes")
    ax.tick_params(axis="x", length=0)
    tidy(ax)
    return ax


def _font(n: int) -> str:
    return "medium" if n <= 15 else "small" if n <= 30 else "xx-small"


def _square_root(values: FloatArray) -> FloatArray:
    return np.sqrt(np.maximum(values, 0.0))


def _sums(tree: ClusterTree, values: IntArray) -> IntArray:
    """Return the sums over the leaves inside each cluster."""
    sums = values.copy()
    for level in range(tree.n_levels - 1, 0, -1):
        some = np.flatnonzero(tree.level == level)
        np.add.at(sums, tree.parent[some], sums[some])
    return sums


def _starts(tree: ClusterTree, lengths: IntArray) -> IntArray:
    """Return where each cluster begins, if clusters lie beside each other inside their parents."""
    order = np.lexsort((np.arange(tree.n_clusters), tree.parent))
    before = np.cumsum(lengths[order]) - lengths[order]
    first = np.flatnonzero(np.diff(tree.parent[order], prepend=-2))
    group = np.cumsum(np.bincount(first, minlength=len(order))) - 1
    start = np.empty(tree.n_clusters, dtype=np.int64)
    start[order] = before - before[first][group]
    for level in range(1, tree.n_levels):
        some = np.flatnonzero(tree.level == level)
        start[some] += start[tree.parent[some]]
    return start


def _colours(tree: ClusterTree, above: str) -> FloatArray:
    """Return the colour of each cluster: that of its fitted cluster, or another one above the fit.

    Fitted clusters without a colour of their own alternate between two greys.
    """
    numbers, labels = tree.clusters_of_level(tree.fitted_level), tree.cut()
    fitted, first = np.unique(numbers, return_index=True)
    rank = labels[first]
    own = cluster_colours(len(fitted))[rank]
    own[(rank >= N_COLOURS) & (np.arange(len(fitted)) % 2 == 1)] *= 0.8
    colours = np.tile(to_rgb(above), (tree.n_clusters, 1))
    colours[fitted] = own
    for level in range(tree.fitted_level + 1, tree.n_levels):
        some = np.flatnonzero(tree.level == level)
        colours[some] = colours[tree.parent[some]]
    return colours


def _readable(colour: FloatArray) -> str:
    """Return black or white, whichever can be read on a colour."""
    return "black" if float(colour @ [0.299, 0.587, 0.114]) > 0.5 else "white"
