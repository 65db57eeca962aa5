r"""Dependence between edges, and the tradeoff that compensates for it.

A block model assumes independent edges. If two neighbours of a node tend to be neighbours of each
other (nearest-neighbour graphs, friends of friends), several edges carry the evidence of one, and
the MAP partition at tradeoff 1 has too many clusters: the graph of the 15 nearest neighbours
of 4,000 points from a single Gaussian is split into a hundred clusters.

The likelihood must be tempered, and triangles show by how much. A wedge is a path i - j - k; an
edge between i and k closes it to a triangle. Inside the clusters, let C be the share of
closed wedges, :math:`\hat C` the share that the block model expects, and t the mean number of
triangles per edge beyond expectation. Both :math:`C - \hat C` and t are 0 for independent
edges. The formula was calibrated on data without clusters: nearly all nearest-neighbour graphs
of a single Gaussian remain one cluster at the tradeoff

.. math:: \lambda = 1 + t \, \min\{0.6\, \bar n^{1/4} (C - \hat C),\; 0.9\}

for 8 to 30 neighbours, 250 to 10,000 points and 2 to 20 dimensions, where :math:`\bar n` is the
mean over nodes of the size of their cluster. ``experiments/calibration.py`` repeats the
calibration.

Cliques have triangles too, and their edges are dependent: co-authors of a paper, actors in a scene.
But there the dependence ends at the clique, and the clusters that it makes are real. Two ratios
tell such graphs from those of neighbours in a space, where a cluster blends into the next:

- R, the closure of wedges with one edge inside a cluster and one between clusters, divided by
  the closure of wedges inside. Neighbourhoods overlap the borders of clusters, cliques do not.
- H, how evenly the triangles are spread over the edges: the harmonic mean of 1 + t over edges,
  divided by the arithmetic mean, where t is the number of triangles on an edge.

The tradeoff stays 1 if ``R * H < 0.1``. The product is below 0.08 on graphs of co-authors and
co-purchases, random projections of hypergraphs and planted partitions, and above 0.12 on
nearest-neighbour graphs, of one cloud or of real data.

R is also high where one cloud was cut into pieces, each of which blends into the next. But it is as
high for clusters that overlap in a few places, because it has only the wedges there. Pieces have
neighbours in others all around. So let :math:`c_i` and :math:`c_j` be the clusters of the two ends
of an edge drawn at random. The separation

.. math:: S = \frac{I(c_i; c_j)}{H(c_i)}

is their mutual information, divided by the entropy of one of them: 1 if no edge joins two clusters,
and 0 if one end says nothing about the other. Pieces are joined only if R is above 0.4 and S is
below 0.7. Of 510 sets without clusters (Gaussians, cubes, spheres, sheets, heavy and skewed tails;
500 and 1,500 points in 3 to 60 columns), R was above 0.4 for 15, of which S was above 0.7 for one;
it was above 0.7 for a third of those sets of overlapping clusters where R was above 0.4.
"""

import numpy as np

from powercut import _core
from powercut._typing import LABEL, Labels, Random
from powercut.graphs.block_model import BlockModel, counts_per_weight
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.partition import compact_labels
from powercut.search.objective import draw_seed

# Sampled wedges: enough to estimate the tradeoff of a cloud to one or two percent.
WEDGES = 50_000
# Sampled edges; all are used if there are no more.
EDGES = 10_000
# Least R * H of a graph of neighbours.
SPATIAL = 0.1
# Least mean of 1 / (1 + t) over edges in t triangles if most edges are in none.
TREELIKE = 0.8
TINY = float(np.finfo(np.float64).tiny)
# The two constants of the formula above.
CLOSURE_FACTOR, MAX_FACTOR = 0.6, 0.9


def needed_tradeoff(
    graph: Graph,
    labels: Labels,
    model: BlockModel,
    *,
    random: Random,
    unsplit: Labels | None = None,
    n_threads: int = 1,
) -> float:
    """Return the tradeoff that compensates for the dependence of edges inside clusters.

    At this tradeoff the search does not split a cluster of the size of those in `unsplit` whose
    edges are as dependent as the edges inside `labels`.

    Parameters
    ----------
    graph : Graph
        The graph.
    labels : ndarray of int32
        The clusters inside which dependence is measured.
    model : BlockModel
        The model that gives the expected number of triangles.
    random : numpy.random.Generator
        Draws the sample of wedges.
    unsplit : ndarray of int32, optional
        The partition whose clusters should not be split, by default `labels`.
    n_threads : int
        Number of threads; the result does not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import kneighbors_graph
    >>> from powercut import Graph
    >>> from powercut.graphs.block_model import BlockModel
    >>> from powercut.graphs.dependence import needed_tradeoff
    >>> random = np.random.default_rng(0)
    >>> A = kneighbors_graph(random.normal(size=(500, 5)), 15)
    >>> graph, one_cluster = Graph(A.maximum(A.T)), np.zeros(500, dtype=np.int32)
    >>> uniform = BlockModel(degree_corrected=False, unit=1.0)
    >>> 5 < needed_tradeoff(graph, one_cluster, uniform, random=random) < 8
    True
    """
    sizes = np.bincount(labels if unsplit is None else unsplit)
    mean_size = float(sizes @ sizes) / max(1, len(labels))
    # Dependence has no unit: measure it with weights as strengths, even if they are counts.
    unit = counts_per_weight(graph, "strength")
    scaled_model = BlockModel(model.degree_corrected, unit)
    triangles, closure = excess_triangles(graph, labels, scaled_model, random, n_threads)
    excess = triangles * min(CLOSURE_FACTOR * mean_size**0.25 * closure, MAX_FACTOR)
    return float(1 + excess * model.unit / unit)


def is_spatial(graph: Graph, labels: Labels, *, random: Random, n_threads: int = 1) -> bool:
    """Return whether triangles are those of neighbours in a space rather than those of cliques.

    Parameters
    ----------
    graph : Graph
        The graph; its weights are not used.
    labels : ndarray of int32
        Clusters, found at tradeoff 1.
    random : numpy.random.Generator
        Draws the sample of edges.
    n_threads : int
        Number of threads; the result does not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import kneighbors_graph
    >>> from powercut import Graph
    >>> from powercut.graphs.dependence import is_spatial
    >>> random = np.random.default_rng(0)
    >>> X = np.sort(random.normal(size=(500, 1)), axis=0)
    >>> A = kneighbors_graph(X, 15)
    >>> is_spatial(Graph(A.maximum(A.T)), np.arange(500, dtype=np.int32) // 50, random=random)
    True
    """
    ratio, evenness = closure_ratio(graph, labels, random=random, n_threads=n_threads)
    return ratio * evenness >= SPATIAL


def is_treelike(graph: Graph) -> bool:
    """Return whether most edges are in no triangle; from a sample that is always the same.

    Then two neighbours of a node are seldom neighbours of each other: clusters are sparse, and look
    like trees around a node.

    Examples
    --------
    >>> from powercut.datasets import make_block_graph
    >>> from powercut.graphs.dependence import is_treelike
    >>> [is_treelike(make_block_graph(n, degree=10, random_state=0)[0]) for n in (100, 20_000)]
    [False, True]
    """
    one_cluster = np.zeros(graph.n_nodes, dtype=LABEL)
    _, alone, _, _ = _core.sample_triangles(graph.arrays, one_cluster, 1, EDGES, 0)
    return alone >= TREELIKE


def closure_ratio(
    graph: Graph, labels: Labels, *, random: Random, n_threads: int = 1
) -> tuple[float, float]:
    """Return R and H; R is 0 if there are no triangles inside clusters or across them."""
    neighbors = np.diff(graph.indptr).astype(np.float64)
    own = _core.inside_degrees((*graph.arrays[:2], None), labels, False, n_threads)
    n_labels = int(labels.max(initial=-1)) + 1
    per_edge, inverse, inside, across = _core.sample_triangles(
        graph.arrays, labels, n_labels, EDGES, draw_seed(random)
    )
    wedges_inside, wedges_across = float(own @ (own - 1)), float(own @ (neighbors - own))
    if not inside or not wedges_across:
        return 0.0, 1.0
    # A triangle across has one edge inside: each of its two edges between closes a wedge.
    ratio = 0.5 * across / wedges_across / (inside / wedges_inside)
    return ratio, 1 / inverse / (1 + per_edge)


def separation(level: Level, labels: Labels) -> float:
    """Return S: how much of its cluster one end of an edge tells about the other.

    It is 1 for a single cluster, and without edges.

    Parameters
    ----------
    level : Level
        The graph, with its weights.
    labels : ndarray of int32
        Clusters of the nodes of the level.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut import Graph
    >>> from powercut.graphs.dependence import separation
    >>> from powercut.graphs.level import Level
    >>> path = Level.finest(Graph.from_edges([0, 1, 2], [1, 2, 3], symmetrize="max"))
    >>> halves = np.array([0, 0, 1, 1], dtype=np.int32)
    >>> round(separation(path, halves), 2), separation(path, np.zeros(4, dtype=np.int32))
    (0.08, 1.0)
    """
    compact, k = compact_labels(labels)
    indptr, indices, weights = level.aggregate(compact, k, None).graph
    assert indptr is not None
    assert indices is not None
    stored = np.ones(len(indices)) if weights is None else weights.astype(np.float64)
    some = np.flatnonzero(stored)
    if not len(some):
        return 1.0
    rows = np.repeat(np.arange(k), np.diff(indptr))[some]
    joint = stored[some] / stored.sum()
    share = np.bincount(rows, joint, k)
    told = joint @ np.log(joint / (share[rows] * share[indices[some]]))
    share = share[share > 0]
    entropy = -(share @ np.log(share))
    return float(told / entropy) if entropy > 0 else 1.0


def excess_triangles(
    graph: Graph, labels: Labels, model: BlockModel, random: Random, n_threads: int = 1
) -> tuple[float, float]:
    r"""Return t and :math:`C - \hat C`; both are 0 if there are no more triangles than expected.

    In a weighted graph a wedge counts by the product of its two weights, and is closed by the
    weight of the third edge, all in units of counts.
    """
    strength = _core.inside_degrees(graph.arrays, labels, False, n_threads)
    total = float(strength.sum())
    if not TINY < total * total < np.inf:  # no edges, or squared weights under- or overflow
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
        else float(_core.inside_degrees(graph.arrays, labels, True, n_threads).sum())
    )
    wedges_per_edge = model.unit * (float(strength @ strength) - squared_weights) / total
    return beyond * wedges_per_edge, beyond
