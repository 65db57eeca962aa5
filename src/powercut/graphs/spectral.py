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

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh_tridiagonal

from powercut import _core
from powercut._typing import BoolArray, FloatArray, Labels, Random
from powercut.graphs.level import Level
from powercut.partition import compact_labels
from powercut.search.seeding import seed_clusters

# A giant has at least this share of the nodes, and at least so many. Smaller clusters are found by
# local moves.
GIANT_SHARE, GIANT_NODES = 0.02, 500
# Pieces of a giant; one vector fewer separates them.
N_PIECES = 8
# Steps of the Lanczos iteration, each of which multiplies A by a vector.
N_STEPS = 50
# The vectors span all that products can reach when the next is shorter than this.
EXHAUSTED = 1e-3
# k-means ends after so many passes, or when a smaller share of the nodes changes.
MAX_PASSES, FEW_CHANGES = 10, 0.001

Float32Array = npt.NDArray[np.float32]


def giants(counts: npt.NDArray[np.int64]) -> BoolArray:
    """Mark the clusters that are large enough to be divided, given the sizes of all."""
    least = max(GIANT_NODES, GIANT_SHARE * float(counts.sum()))
    return np.asarray(counts >= least)


def divide_by_spectrum(
    level: Level,
    labels: Labels,
    divisible: BoolArray,
    *,
    random: Random,
    cancel: _core.CancellationToken | None = None,
) -> Labels:
    """Return compact labels in which each divisible cluster is divided into `N_PIECES` pieces.

    Parameters
    ----------
    level : Level
        The finest level of the graph.
    labels : ndarray of int32
        Compact labels.
    divisible : ndarray of bool
        The clusters to divide.
    random : numpy.random.Generator
        Source of the vectors that iterations start from, and of the first means of k-means.
    cancel : CancellationToken, optional
        Cancellation token.
    """
    parts = N_PIECES * labels
    for cluster in np.flatnonzero(divisible):
        members = np.flatnonzero(labels == cluster).astype(np.int32)
        rows = embed(level, members, random=random, cancel=cancel)
        parts[members] += _k_means(rows, random, level.n_threads, cancel)
    return compact_labels(parts)[0]


def embed(
    level: Level,
    members: Labels,
    *,
    random: Random,
    cancel: _core.CancellationToken | None = None,
) -> Float32Array:
    """Return a row per member of a cluster, from eigenvectors of the graph inside it.

    The eigenvectors are those of N in the space that `N_STEPS` products with it span (the Lanczos
    iteration). Sums over nodes are by `numpy.einsum`, which adds in the same order for every
    number of threads.
    """
    n, x = len(members), np.zeros(level.n)

    def product(y: npt.NDArray[np.floating]) -> FloatArray:
        x[members] = y
        return _core.row_products(level.graph, members, x, level.n_threads, cancel)

    degrees = product(np.ones(n))
    mean = float(degrees.mean())
    if mean <= 0:
        return np.zeros((n, 1), dtype=np.float32)
    scale = 1 / np.sqrt(degrees + mean)
    basis = np.empty((N_STEPS + 1, n), dtype=np.float32)
    basis[0] = 1 / (scale * np.sqrt(2 * mean * n))
    y = random.standard_normal(n)
    y -= basis[0] * np.einsum("j,j", basis[0], y)
    diagonal: list[float] = []
    beside: list[float] = []
    for k in range(1, N_STEPS + 1):
        size = float(np.sqrt(np.einsum("j,j", y, y)))
        if size < EXHAUSTED:
            break
        basis[k] = y / size
        y = scale * product(scale * basis[k])
        # Against all vectors before: rounding would let the first eigenvectors come back.
        along = np.einsum("ij,j", basis[: k + 1], y)
        y -= np.einsum("i,ij", along, basis[: k + 1])
        beside.append(size)
        diagonal.append(along[k])
    _, vectors = eigh_tridiagonal(diagonal, beside[1:])
    leading = vectors[:, : -N_PIECES : -1].astype(np.float32)
    rows = np.einsum("ki,kj->ji", leading, basis[1 : len(diagonal) + 1])
    rows *= scale[:, None]
    return np.asarray(rows / rows.std(axis=0))


def _k_means(
    rows: Float32Array, random: Random, n_threads: int, cancel: _core.CancellationToken | None
) -> Labels:
    """Divide rows into at most `N_PIECES` groups of small variance."""

    def squared_distances(row: int) -> FloatArray:
        difference = rows - rows[row]
        return np.einsum("ij,ij->i", difference, difference)

    n = len(rows)
    labels = seed_clusters(squared_distances, np.ones(n), N_PIECES, random, cancel)
    points = (np.ascontiguousarray(rows), None, None, None)
    for _ in range(MAX_PASSES):
        before, k = compact_labels(labels)
        means = _core.point_groups(points, before, k, "none", n_threads)[0]
        labels = before.copy()
        _core.nearest_means(points, means, labels, np.zeros(n), n_threads, cancel)
        if np.count_nonzero(labels != before) <= FEW_CHANGES * n:
            break
    return labels
