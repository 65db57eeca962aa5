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

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh_tridiagonal

from powercut import _core
from powercut._typing import FloatArray, Labels, Random
from powercut.graphs.level import Level
from powercut.partition import compact_labels
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


def divisions(
    level: Level,
    labels: Labels,
    *,
    unit: float = 1.0,
    random: Random,
    cancel: _core.CancellationToken | None = None,
) -> Iterator[Labels]:
    """Yield compact labels in which each giant is divided, into fewer and fewer pieces.

    There are none if no giant has structure.

    Parameters
    ----------
    level : Level
        The finest level of the graph.
    labels : ndarray of int32
        Compact labels.
    unit : float
        Number of counts per unit of weight.
    random : numpy.random.Generator
        Source of the vectors that iterations start from, and of the first means of k-means.
    cancel : CancellationToken, optional
        Cancellation token.
    """
    sizes = np.bincount(labels)
    giants = np.flatnonzero(sizes >= max(GIANT_NODES, GIANT_SHARE * len(labels)))
    embedded = []
    for cluster in giants:
        rows = _embedding(level, labels, int(cluster), unit, random, cancel)
        if rows is not None:
            embedded.append((np.flatnonzero(labels == cluster), rows))
    if not embedded:
        return
    for n_pieces in N_PIECES:
        parts, first = labels.copy(), len(sizes)
        for members, rows in embedded:
            leading = np.ascontiguousarray(rows[:, : n_pieces - 1])
            pieces = k_means(leading, n_pieces, random, level.n_threads, cancel)
            parts[members] = first + pieces
            first += n_pieces
        yield compact_labels(parts)[0]


def _embedding(
    level: Level,
    labels: Labels,
    cluster: int,
    unit: float,
    random: Random,
    cancel: _core.CancellationToken | None,
) -> Float32Array | None:
    """Return a row for each member of a cluster, None if the cluster has no structure."""
    spectrum = Spectrum.of(
        _core.cluster_graph(level.graph, level.nodes, labels, cluster, cancel),
        n_steps=N_STEPS_IF_LARGE if level.is_large else N_STEPS,
        n_threads=level.n_threads,
        random=random,
        cancel=cancel,
    )
    return spectrum.rows if spectrum.has_structure(unit) else None


@dataclass(frozen=True)
class Spectrum:
    """Leading eigenvalues and eigenvectors of the graph inside a cluster.

    Attributes
    ----------
    degree : float
        Mean degree inside the cluster, the sum of weights.
    values : ndarray
        The leading eigenvalues of N, the largest first.
    rows : ndarray of shape (n, k)
        The embedding: a row per member, of unit variance in each column.
    """

    degree: float
    values: FloatArray
    rows: Float32Array

    @classmethod
    def of(
        cls,
        graph: ClusterGraph,
        *,
        n_steps: int = N_STEPS,
        n_threads: int = 1,
        random: Random,
        cancel: _core.CancellationToken | None = None,
    ) -> "Spectrum":
        """Find the spectrum in the space that products with N span (Lanczos).

        Sums over nodes are by `numpy.einsum`, which adds in the same order for every number of
        threads.
        """

        def product(y: FloatArray) -> FloatArray:
            return _core.row_products(graph, y, n_threads, cancel)

        n = len(graph[0]) - 1
        degrees = product(np.ones(n))
        mean = float(degrees.mean())
        if mean <= 0:
            return cls(0.0, np.zeros(1), np.zeros((n, 1), dtype=np.float32))
        scale = 1 / np.sqrt(degrees + mean)
        # Single precision is enough, and takes half of the memory.
        basis = np.empty((n_steps + 1, n), dtype=np.float32)
        basis[0] = np.sqrt((degrees / mean + 1) / (2 * n))
        y = random.standard_normal(n, dtype=np.float32)
        y -= basis[0] * np.einsum("j,j", basis[0], y)
        diagonal, beside = [], []
        for k in range(1, n_steps + 1):
            size = np.sqrt(np.einsum("j,j", y, y))
            if size < EXHAUSTED:
                break
            basis[k] = y / size
            y = (scale * product(scale * basis[k])).astype(np.float32)
            # Against all vectors before: rounding would let the first eigenvectors come back.
            along = np.einsum("ij,j", basis[: k + 1], y)
            y -= np.einsum("i,ij", along, basis[: k + 1])
            beside.append(size)
            diagonal.append(along[k])
        values, vectors = eigh_tridiagonal(diagonal, beside[1:])
        leading = slice(None, -N_VECTORS - 1, -1)
        combination = vectors[:, leading].astype(np.float32)
        rows = np.einsum("ki,kj->ji", combination, basis[1 : len(diagonal) + 1])
        rows /= basis[0][:, None]
        return cls(mean, values[leading], rows / rows.std(axis=0))

    def has_structure(self, unit: float = 1.0) -> bool:
        r"""Return whether the leading eigenvalue is above those of a random graph.

        Those of a random graph of mean degree d, in counts, are at most about
        :math:`2 \sqrt{d - 1} / (d + t)`, as on an infinite tree of that degree. Here t = d.
        """
        d = unit * self.degree
        return d <= 1 or bool(self.values[0] > ABOVE * np.sqrt(d - 1) / d)


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
