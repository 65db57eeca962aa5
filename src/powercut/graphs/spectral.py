r"""Division of large clusters by their spectrum.

Local moves and aggregation build clusters from the links of a few nodes. Where several large
clusters mix, a small group of nodes has nearly as many links to another cluster as to its own,
and the search ends with all of them in one cluster. Eigenvectors use all links at once: they tell
clusters apart nearly up to the mixing at which no method can.

Let A be the adjacency matrix inside a cluster, D the diagonal matrix of the degrees there and t
their mean. The embedding of a node is its row in

.. math:: (D + t I)^{-1/2}\, U, \qquad U = \text{leading eigenvectors of }
          N = (D + t I)^{-1/2} A \, (D + t I)^{-1/2},

orthogonal to :math:`(D + t I)^{1/2} 1`, the leading one of any graph with these degrees. Adding t
keeps eigenvectors from concentrating on a few nodes of low degree. k-means divides the rows.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh_tridiagonal

from powercut import _core
from powercut._typing import LABEL, FloatArray, Labels, Random
from powercut.graphs.level import Level
from powercut.partition import changed_clusters, compact_labels
from powercut.search.seeding import seed_clusters

# A giant has at least this share of the nodes, and at least so many. Smaller clusters are found by
# local moves.
GIANT_SHARE, GIANT_NODES = 0.02, 500
# Leading eigenvectors that are used.
N_VECTORS = 7
# Pieces of a giant, in the order of trial: more than there may be clusters, for pieces are merged
# afterwards, or few, because pieces that are too small merge in the wrong way.
N_PIECES = (16, 8, 4, 2)
# Steps of the Lanczos iteration, each of which multiplies A by a vector, and keeps one; fewer in
# large graphs, where these vectors would take most of the memory of a fit.
N_STEPS, N_STEPS_IF_LARGE = 50, 36
# The vectors span all that products can reach when the next is shorter than this.
EXHAUSTED = 1e-3
# A cluster has structure if its leading eigenvalue is so many times that of a random graph.
ABOVE = 1.01
# Passes of k-means. Nodes are moved afterwards, so that more passes do not help.
N_PASSES = 3

Float32Array = npt.NDArray[np.float32]
# Offsets, indices and weights of compressed rows; no weights if all are 1.
ClusterGraph = tuple[npt.NDArray[np.int64], Labels, FloatArray | None]


@dataclass
class GiantDivisions:
    """Divisions of giants, each time into fewer and fewer pieces.

    A giant without structure is not looked at again until it changes. One whose pieces were merged
    again is: other pieces may be better, and its neighbours have changed.

    Attributes
    ----------
    level : Level
        The finest level of the graph.
    random : numpy.random.Generator
        Source of the vectors that iterations start from, and of the first means of k-means.
    unit : float
        Number of counts per unit of weight.
    cancel : CancellationToken, optional
        Cancellation token.
    """

    level: Level
    random: Random
    unit: float = 1.0
    cancel: _core.CancellationToken | None = None
    _labels: Labels | None = field(default=None, init=False)
    # The clusters of these labels that have no structure.
    _unstructured: set[int] = field(default_factory=set, init=False)

    def of(self, labels: Labels) -> Iterator[Labels]:
        """Yield compact labels in which each giant is divided, into fewer and fewer pieces.

        There are none if no giant has structure. `labels` must be compact.
        """
        sizes = np.bincount(labels)
        giants = np.flatnonzero(sizes >= max(GIANT_NODES, GIANT_SHARE * len(labels)))
        known = self._still_unstructured(labels)
        self._labels, self._unstructured = labels, set()
        embedded = []
        for cluster in map(int, giants):
            rows = None
            if not known[cluster]:
                rows = _embedding(self.level, labels, cluster, self.unit, self.random, self.cancel)
            if rows is None:
                self._unstructured.add(cluster)
            else:
                embedded.append((np.flatnonzero(labels == cluster), rows))
        if not embedded:
            return
        for n_pieces in N_PIECES:
            parts, first = labels.copy(), len(sizes)
            for members, rows in embedded:
                leading = np.ascontiguousarray(rows[:, : n_pieces - 1])
                pieces = k_means(leading, n_pieces, self.random, self.level.n_threads, self.cancel)
                parts[members] = first + pieces
                first += n_pieces
            yield compact_labels(parts)[0]

    def _still_unstructured(self, labels: Labels) -> npt.NDArray[np.bool_]:
        """Mark clusters that had no structure before, and have hardly changed since."""
        if self._labels is None:
            return np.zeros(int(labels.max(initial=-1)) + 1, dtype=np.bool_)
        changed = changed_clusters(self._labels, labels)
        before = np.empty(len(changed), dtype=LABEL)
        before[labels] = self._labels
        return ~changed & np.isin(before, list(self._unstructured))


def _embedding(
    level: Level,
    labels: Labels,
    cluster: int,
    unit: float,
    random: Random,
    cancel: _core.CancellationToken | None,
) -> Float32Array | None:
    """Return a row for each member of a cluster, None if the cluster has no structure."""
    graph = NormalisedGraph.of(
        _core.cluster_graph(level.graph, level.nodes, labels, cluster, level.n_threads, cancel),
        n_threads=level.n_threads,
        cancel=cancel,
    )
    n_steps = N_STEPS_IF_LARGE if level.is_large else N_STEPS
    start = random.standard_normal(graph.n_nodes, dtype=np.float32)
    # Most clusters have none, and the leading eigenvalue costs a fraction of the vectors.
    if not graph.has_structure(start, n_steps=n_steps, unit=unit):
        return None
    return graph.embedding(start, n_steps=n_steps)[1]


@dataclass(frozen=True)
class NormalisedGraph:
    """The matrix N of the graph inside a cluster.

    Its eigenvectors are searched in the space that products of N with a start span (Lanczos). Sums
    over nodes are by `numpy.einsum`, which adds in the same order for every number of threads.
    Vectors are of single precision, which is enough and takes half of the memory.

    Attributes
    ----------
    graph : tuple
        The graph inside the cluster, as compressed rows.
    degree : float
        Mean degree, the sum of weights.
    scale : ndarray
        The diagonal of ``(D / t + I)^{-1/2}``.
    known : ndarray of float32
        The leading eigenvector of any graph with these degrees, of length 1.
    n_threads : int
        Number of threads of a product.
    cancel : CancellationToken or None
        Cancellation token.
    """

    graph: ClusterGraph
    degree: float
    scale: FloatArray
    known: Float32Array
    n_threads: int = 1
    cancel: _core.CancellationToken | None = None

    @classmethod
    def of(
        cls,
        graph: ClusterGraph,
        *,
        n_threads: int = 1,
        cancel: _core.CancellationToken | None = None,
    ) -> "NormalisedGraph":
        """Sum the degrees; without edges, all are 0."""
        n = len(graph[0]) - 1
        degrees = _core.row_products(graph, np.ones(n), n_threads, cancel)
        mean = float(degrees.mean())
        if mean <= 0:
            return cls(graph, 0.0, np.zeros(n), np.zeros(n, dtype=np.float32), n_threads, cancel)
        known = np.sqrt((degrees / mean + 1) / (2 * n)).astype(np.float32)
        return cls(graph, mean, 1 / np.sqrt(degrees / mean + 1), known, n_threads, cancel)

    @property
    def n_nodes(self) -> int:
        """How many members the cluster has."""
        return len(self.scale)

    def has_structure(
        self, start: Float32Array, *, n_steps: int = N_STEPS, unit: float = 1.0
    ) -> bool:
        r"""Return whether the leading eigenvalue is above those of a random graph.

        Those of a random graph of mean degree d, in counts, are at most about
        :math:`2 \sqrt{d - 1} / (d + t)`, as on an infinite tree of that degree. Here t = d.
        """
        d = unit * self.degree
        if d <= 1:
            return True
        leading = self.leading_eigenvalue(start, n_steps=n_steps)
        return leading > ABOVE * math.sqrt(d - 1) / d

    def leading_eigenvalue(self, start: Float32Array, *, n_steps: int = N_STEPS) -> float:
        """Return the largest eigenvalue but the known one.

        Vectors are made orthogonal only to the two before. Through rounding some eigenvalues are
        found twice, which does not change the largest.
        """
        diagonal, beside = _core.lanczos(
            self.graph,
            self.scale,
            self.degree,
            self.known,
            start,
            n_steps,
            EXHAUSTED,
            self.n_threads,
            self.cancel,
        )
        return float(eigh_tridiagonal(diagonal, beside, eigvals_only=True)[-1])

    def embedding(
        self, start: Float32Array, *, n_steps: int = N_STEPS
    ) -> tuple[FloatArray, Float32Array]:
        """Return the leading eigenvalues, the largest first, and a row for each node.

        Each column of the rows has unit variance.
        """
        n = self.n_nodes
        if self.degree <= 0:
            return np.zeros(1), np.zeros((n, 1), dtype=np.float32)
        basis = np.empty((n_steps + 1, n), dtype=np.float32)
        basis[0] = self.known
        y = self._without_known(start)
        diagonal: list[float] = []
        beside: list[float] = []
        for k in range(1, n_steps + 1):
            size = np.sqrt(np.einsum("j,j", y, y))
            if size < EXHAUSTED:
                break
            basis[k] = y / size
            y = self._product(basis[k])
            # Against all vectors before: rounding would let the first eigenvectors come back.
            along = np.einsum("ij,j", basis[: k + 1], y)
            y -= np.einsum("i,ij", along, basis[: k + 1])
            beside.append(size)
            diagonal.append(along[k])
        values, vectors = eigh_tridiagonal(diagonal, beside[1:])
        leading = slice(None, -N_VECTORS - 1, -1)
        combination = vectors[:, leading].astype(np.float32)
        rows = np.einsum("ki,kj->ji", combination, basis[1 : len(diagonal) + 1])
        rows /= self.known[:, None]
        return values[leading], rows / rows.std(axis=0)

    def _product(self, y: Float32Array) -> Float32Array:
        scaled = _core.row_products(self.graph, self.scale * y, self.n_threads, self.cancel)
        return (self.scale * (scaled / self.degree)).astype(np.float32)

    def _without_known(self, y: Float32Array) -> Float32Array:
        """Return the part of a vector that is orthogonal to the known eigenvector."""
        return np.asarray(y - self.known * np.einsum("j,j", self.known, y))


def k_means(
    rows: Float32Array,
    n_groups: int,
    random: Random,
    n_threads: int,
    cancel: _core.CancellationToken | None,
) -> Labels:
    """Return at most `n_groups` groups of rows that are close to each other."""

    def squared_distances(row: int) -> FloatArray:
        difference = rows - rows[row]
        return np.asarray(np.einsum("ij,ij->i", difference, difference), dtype=np.float64)

    n = len(rows)
    labels = seed_clusters(squared_distances, np.ones(n), n_groups, random, cancel)
    points = (rows, None, None, None)
    for _ in range(N_PASSES):
        labels, k = compact_labels(labels)
        means = _core.point_groups(points, labels, k, "none", n_threads)[0]
        _core.nearest_means(points, means, labels, np.zeros(n), n_threads, cancel)
    return labels
