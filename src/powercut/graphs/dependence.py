r"""How far edges depend on each other, and the tradeoff that makes up for it.

A block model takes edges for independent. Where two neighbours of a node tend to be
neighbours (a nearest-neighbour graph, friends of friends), a handful of edges is
evidence for one fact, not for a handful, and the most probable partition at tradeoff 1
splits what belongs together: one Gaussian cloud of 4,000 points and its 15 nearest
neighbours falls into a hundred clusters.

The triangles tell. Inside the clusters, let C be the part of the wedges i - j - k that
an edge between i and k closes, :math:`\hat C` the part that the block model expects,
and t the triangles beyond expectation that an edge lies in. Both
:math:`C - \hat C` and t are 0 where edges are independent. Structureless clouds of
points say how to use them: nearly all nearest-neighbour graphs of one Gaussian cloud stay
whole at

.. math:: \lambda = 1 + t \, \min\{0.6\, \bar n^{1/4} (C - \hat C),\; 0.8\}

for 8 to 30 neighbours, 250 to 4,000 points and 2 to 20 dimensions; :math:`\bar n` is the
size of the cluster that a node is in, on average. ``experiments/calibration.py``
measures it.
"""

import numpy as np

from powercut import _core
from powercut._typing import Labels, Random
from powercut.graphs.block_model import BlockModel, counts_per_weight
from powercut.graphs.graph import Graph
from powercut.search.objective import draw_seed

# Wedges that are looked at: C is then known to about 0.001.
WEDGES = 200_000
TINY = float(np.finfo(np.float64).tiny)
BY_CLOSURE, AT_MOST = 0.6, 0.8


def needed_tradeoff(
    graph: Graph,
    labels: Labels,
    model: BlockModel,
    *,
    random: Random,
    whole: Labels | None = None,
) -> float:
    """Return the tradeoff at which clusters that are like these inside would stay whole.

    Parameters
    ----------
    graph : Graph
        The graph.
    labels : ndarray of int32
        Its clusters.
    model : BlockModel
        What is expected of them.
    random : numpy.random.Generator
        Decides which wedges are looked at.
    whole : ndarray of int32, optional
        What is to stay whole, if not the clusters themselves.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import kneighbors_graph
    >>> from powercut import Graph
    >>> from powercut.graphs.block_model import BlockModel
    >>> from powercut.graphs.dependence import needed_tradeoff
    >>> random = np.random.default_rng(0)
    >>> A = kneighbors_graph(random.normal(size=(500, 5)), 15)
    >>> cloud, one = Graph(A.maximum(A.T)), np.zeros(500, dtype=np.int32)
    >>> uniform = BlockModel(degree_corrected=False, unit=1.0)
    >>> 5 < needed_tradeoff(cloud, one, uniform, random=random) < 7
    True
    """
    sizes = np.bincount(labels if whole is None else whole)
    mean_size = float(sizes @ sizes) / max(1, len(labels))
    # Weights may be counts, but how far edges depend on each other has no unit.
    strength = counts_per_weight(graph, "strength")
    alike = BlockModel(model.degree_corrected, strength)
    triangles, closure = excess_triangles(graph, labels, alike, random)
    more = triangles * min(BY_CLOSURE * mean_size**0.25 * closure, AT_MOST)
    return float(1 + more * model.unit / strength)


def excess_triangles(
    graph: Graph, labels: Labels, model: BlockModel, random: Random
) -> tuple[float, float]:
    r"""Return t and :math:`C - \hat C`, both 0 where triangles are no more than expected.

    With weights, wedges count by the product of their two weights and are closed by the
    weight of the third edge, all in counts.
    """
    strength = _core.inside_degrees(graph.arrays, labels, False, 1)
    total = float(strength.sum())
    if not TINY < total * total < np.inf:  # no edges, or weights whose products are no numbers
        return 0.0, 0.0
    size = strength if model.degree_corrected else np.ones(graph.n_nodes)
    squares = np.bincount(labels, weights=size) ** 2 - np.bincount(labels, weights=size**2)
    density = np.divide(
        np.bincount(labels, weights=strength),
        squares,
        out=np.zeros(len(squares)),
        where=squares > 0,
    )
    n_wedges, surplus = _core.draw_wedges(
        graph.arrays, labels, strength, size, density, WEDGES, draw_seed(random)
    )
    if surplus <= 0:
        return 0.0, 0.0
    beyond = model.unit * surplus / n_wedges
    squared_weights = (
        total
        if graph.weights is None
        else float(_core.inside_degrees(graph.arrays, labels, True, 1).sum())
    )
    wedges_per_edge = model.unit * (float(strength @ strength) - squared_weights) / total
    return beyond * wedges_per_edge, beyond
