r"""Hills of a density on a graph: its peaks, each with all that flows up to it.

From each node, walk to the densest neighbour until none is denser: the nodes that reach the same
peak are its basin. Two basins meet at a saddle, the densest edge between them (an edge is as dense
as the less dense of its ends). A density that is estimated has many peaks by chance. A peak
is real if it stands higher above its saddle than the estimate varies; others join the hill across
their highest saddle. This is the persistence-based clustering ToMATo.

The logarithm of a density from k neighbours has the standard deviation :math:`1 / \sqrt k`, and the
largest of n such values is about :math:`\sqrt{2 \ln n / k}` above their mean. In the plane that is
how high a peak stands by chance: paths lead around places that are sparse by chance. On a line, or
along a thin band, no path does, and saddles are too low as well. So a hill is kept if

.. math:: \ln \rho_\mathrm{peak} - \ln \rho_\mathrm{saddle} \ge 1.5 \sqrt{2 \ln n / k}

at which almost all lines, bands, squares and clouds without clusters stay whole.

ToMATo is due to Chazal, Guibas, Oudot and Skraba, Persistence-Based Clustering in Riemannian
Manifolds, Journal of the ACM 60(6), 2013.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from powercut._typing import FloatArray, Labels, Positions
from powercut.graphs.graph import Graph
from powercut.partition import compact_labels

# Takes the two ends of some edges.
Between = Callable[[Positions, Positions], FloatArray]
# Least height of a hill, in units of the height of the largest of n peaks in the plane.
HEIGHT = 1.5


@dataclass(frozen=True)
class Hills:
    """The hills of a density.

    Attributes
    ----------
    labels : ndarray of int32
        Hill of each node.
    prominence : ndarray of float64
        Height of each hill above its highest saddle; of two hills that meet there, that of the
        lower one. Infinite for a hill that meets no other.
    """

    labels: Labels
    prominence: FloatArray


def least_prominence(n: int, n_neighbors: int) -> float:
    """Return the height above its saddle from which a hill among n points is no chance."""
    return HEIGHT * sqrt(2 * log(max(n, 2)) / n_neighbors)


def find_hills(
    graph: Graph,
    density: FloatArray,
    *,
    height: float,
    least: int,
    between: Between | None = None,
    within: Labels | None = None,
) -> Hills:
    """Return the hills of a density on a graph.

    Parameters
    ----------
    graph : Graph
        The graph; its weights are not used.
    density : ndarray of shape (n,)
        Logarithm of the density at each node.
    height : float
        Least prominence of a hill.
    least : int
        Least number of nodes of a hill that meets another.
    between : callable, optional
        Returns the logarithm of the density between the two ends of each of some edges, which are
        given as two arrays of nodes. Edges may jump over a valley without points; with this, they
        are as dense as their middle if that is less dense than both ends.
    within : ndarray of int32, optional
        A partition: only edges inside its clusters are used, and every hill is inside one.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut import Graph
    >>> from powercut.graphs.hills import find_hills
    >>> path = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], symmetrize="max")
    >>> density = np.array([3.0, 2.0, 0.0, 1.0, 2.0])
    >>> find_hills(path, density, height=1.5, least=1).labels
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> find_hills(path, density, height=2.5, least=1).labels
    array([0, 0, 0, 0, 0], dtype=int32)
    """
    n = graph.n_nodes
    order = np.argsort(-density, kind="stable")
    rank = np.empty(n, dtype=np.int64)
    rank[order] = np.arange(n)
    u = np.repeat(np.arange(n), np.diff(graph.indptr))
    v = graph.indices
    if within is not None:
        inside = within[u] == within[v]
        u, v = u[inside], v[inside]
    peak = _climb(u, v, rank, order)
    across = peak[u] < peak[v]
    u, v = u[across], v[across].astype(np.intp)
    saddle = np.minimum(density[u], density[v])
    if between is not None and len(u):
        saddle = np.minimum(saddle, between(u, v))
    pairs = _highest(peak[u], peak[v], saddle, n)

    union = _Union(n)
    beside = []
    for a, b, level in zip(*(array.tolist() for array in pairs), strict=True):
        a, b = union.find(a), union.find(b)
        if a == b:
            continue
        high, low = (a, b) if rank[a] < rank[b] else (b, a)
        if density[low] - level < height:
            union.join(low, high)
        else:
            beside.append((high, low, level))
    size = np.bincount(union.roots(peak), minlength=n)
    for a, b, _ in beside:
        a, b = union.find(a), union.find(b)
        if a != b and min(size[a], size[b]) < least:
            high, low = (a, b) if rank[a] < rank[b] else (b, a)
            union.join(low, high)
            size[high] += size[low]
    roots = union.roots(peak)
    prominence = np.full(n, np.inf)
    for a, b, level in beside:
        a, b = union.find(a), union.find(b)
        if a != b:
            above = min(density[a], density[b]) - level
            prominence[[a, b]] = np.minimum(prominence[[a, b]], above)
    compact, _ = compact_labels(roots)
    return Hills(compact, prominence[np.unique(roots)])


def _climb(u: Any, v: Any, rank: Any, order: Any) -> npt.NDArray[np.int64]:
    """Return the peak that each node reaches; edges (u, v) are sorted by u."""
    best = rank.copy()
    if len(u):
        first = np.flatnonzero(np.diff(u, prepend=-1))
        best[u[first]] = np.minimum(rank[u[first]], np.minimum.reduceat(rank[v], first))
    up: npt.NDArray[np.int64] = order[best]
    while True:
        further = up[up]
        if np.array_equal(further, up):
            return up
        up = further


def _highest(a: Any, b: Any, height: Any, n: int) -> tuple[Any, Any, Any]:
    """Return each pair once, with its greatest height, highest first."""
    falling = np.lexsort((b, a, -height))
    a, b, height = a[falling], b[falling], height[falling]
    _, first = np.unique(a * n + b, return_index=True)
    first.sort()
    return a[first], b[first], height[first]


class _Union:
    """Disjoint sets; a set is named by one of its members."""

    def __init__(self, n: int) -> None:
        self._parent = list(range(n))

    def find(self, x: int) -> int:
        parent = self._parent
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    def join(self, low: int, high: int) -> None:
        """Join a set to another, whose name the union has."""
        self._parent[low] = high

    def roots(self, members: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the name of the set of each of some members."""
        names, inverse = np.unique(members, return_inverse=True)
        found = np.array([self.find(x) for x in names.tolist()], dtype=np.int64)
        return np.asarray(found[inverse])
