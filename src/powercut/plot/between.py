"""The weight between clusters, relative to its expectation."""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from matplotlib.axes import Axes

from powercut._typing import LABEL, FloatArray
from powercut.disk.reader import as_graph
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.partition import canonical_labels, check_labels
from powercut.plot._axes import GREY, count, make_axes

# Up to this many rows the ratios are written into the cells.
WRITTEN = 10
# The colour scale ends at ratios of 2 to the power of plus and minus this.
STRONGEST = 5.0


def between_clusters(
    graph: Any, labels: npt.ArrayLike, *, n_largest: int = 20, ax: Axes | None = None
) -> Axes:
    r"""Draw the weight between each pair of clusters, relative to the configuration model.

    The ratio is :math:`A_{cd} M / (V_c V_d)`, with the weight :math:`A_{cd}` between clusters c and
    d, the volume :math:`V_c` of a cluster (the sum of its degrees) and the sum :math:`M` of all
    volumes. It is 1 if edges depend on degrees only, not on clusters. Grey: no edge.

    Parameters
    ----------
    graph : Graph, matrix, networkx or igraph graph
        Anything that `powercut.Graph.wrap` takes.
    labels : array-like of shape (n_nodes,)
        Cluster of each node.
    n_largest : int, default=20
        Number of largest clusters to draw; all others are combined in the last row.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that were drawn on.

    Examples
    --------
    >>> from powercut import plot
    >>> from powercut.datasets import make_paper_graph
    >>> graph, truth = make_paper_graph(500, random_state=0)
    >>> ax = plot.between_clusters(graph, truth, n_largest=5)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['0', '1', '2', '3', '4', '10 others']
    """
    graph = as_graph(graph)
    if graph.total_weight == 0:
        raise ValueError("the graph has no edges; there is no weight between clusters to draw.")
    if n_largest < 1:
        raise ValueError(f"n_largest must be at least 1, got {n_largest}.")
    labels = canonical_labels(check_labels(labels, graph.n_nodes, "labels"))
    k = int(labels.max()) + 1
    names = [str(c) for c in range(min(k, n_largest))]
    if k > n_largest:
        names.append(count(k - n_largest, "other"))
    ratio, _ = relative_weights(graph, np.minimum(labels, n_largest), len(names))
    ax = make_axes(ax)
    with np.errstate(divide="ignore"):
        shown = np.ma.masked_invalid(np.log2(ratio))
    picture = ax.imshow(shown, cmap="PuOr_r", vmin=-STRONGEST, vmax=STRONGEST)
    ax.set_facecolor(GREY)
    bar = ax.figure.colorbar(picture, ax=ax, shrink=0.8, extend="both")
    ticks = np.arange(-4, 5, 2)
    bar.set_ticks(ticks.tolist(), labels=[f"{2.0**t:.4g}" for t in ticks])
    bar.set_label("weight relative to expectation")
    if len(names) <= WRITTEN:
        for (row, column), value in np.ndenumerate(ratio):
            dark = abs(np.log2(value)) > 0.6 * STRONGEST if value > 0 else False
            ax.text(
                column, row, f"{value:.2g}", ha="center", va="center", fontsize="x-small",
                color="white" if dark else "black",
            )  # fmt: skip
    places = range(len(names))
    ax.set_yticks(places, names)
    if len(names) > WRITTEN:
        ax.set_xticks(places, names, rotation=90)
    else:
        ax.set_xticks(places, [name.replace(" ", "\n") for name in names])
    ax.set(xlabel="cluster", ylabel="cluster")
    return ax


def relative_weights(
    graph: Graph, groups: npt.NDArray[LABEL], k: int
) -> tuple[FloatArray, FloatArray]:
    """Return the weight between k groups of nodes, relative to its expectation, and that."""
    between = Level.finest(graph).aggregate(groups, k, None)
    indptr, indices, weights = between.graph
    matrix = sp.csr_array((weights, indices, indptr), shape=(k, k)).toarray()
    volume = between.nodes[0]
    expected = np.outer(volume, volume) / (graph.total_weight or 1.0)
    ratio = np.zeros((k, k))
    np.divide(matrix, expected, out=ratio, where=expected > 0)
    return ratio, expected
