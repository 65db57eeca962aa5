r"""Places of nodes in the plane, by stress majorisation.

Distances in the plane shall be those along the edges. The stress is the sum over pairs of nodes of
:math:`(\lVert x_i - x_j \rVert - d_{ij})^2 / d_{ij}^2`; each step minimises a bound of it, by a
system of linear equations (E. Gansner, Y. Koren, S. North. Graph Drawing by Stress Majorization.
2004). The start is classical scaling, so that nothing is random. Nodes with equal
neighbours are in the same place there, from which no step could part them; a spiral does.
"""

import numpy as np
import scipy.linalg
from scipy.sparse.csgraph import shortest_path

from powercut._typing import BoolArray, FloatArray

MAX_STEPS, CONVERGED = 500, 1e-5
# Components are apart by this many times the largest distance inside them.
APART = 0.2
# Size of the spiral, relative to the mean distance.
SPIRAL = 0.01


def layout(linked: BoolArray) -> FloatArray:
    """Return places of shape (n, 2) for the nodes of a small graph, centred.

    `linked` is the adjacency matrix, symmetric and without self-loops.

    An edge is as long as its ends have neighbours that they do not share, so that the nodes of a
    cluster are drawn together.
    """
    n = len(linked)
    if n < 2:
        return np.zeros((n, 2))
    distance = _distances(linked)
    weight = np.zeros_like(distance)
    np.divide(1.0, distance**2, out=weight, where=distance > 0)
    factor = scipy.linalg.cho_factor(_laplacian(weight)[1:, 1:])
    places, stress = _classical_scaling(distance) + SPIRAL * distance.mean() * _spiral(n), np.inf
    for _ in range(MAX_STEPS):
        apart = np.linalg.norm(places[:, None] - places, axis=2)
        before, stress = stress, float((weight * (apart - distance) ** 2).sum())
        if before - stress <= CONVERGED * stress:
            break
        ratio = np.zeros_like(apart)
        np.divide(weight * distance, apart, out=ratio, where=apart > 0)
        target = _laplacian(ratio) @ places
        places = np.vstack([np.zeros(2), scipy.linalg.cho_solve(factor, target[1:])])
    return np.asarray(places - places.mean(axis=0))


def _distances(linked: BoolArray) -> FloatArray:
    """Return the lengths of shortest paths; nodes of other components are far away."""
    count = linked.astype(np.float64)
    degree = count.sum(axis=1)
    lengths = np.where(linked, np.sqrt(degree[:, None] + degree - 2 * count @ count), 0)
    distance = np.asarray(shortest_path(lengths, directed=False))
    reached = np.isfinite(distance)
    distance[~reached] = (1 + APART) * max(distance[reached].max(), 1.0)
    return distance


def _classical_scaling(distance: FloatArray) -> FloatArray:
    """Return the two principal coordinates of the squared distances."""
    squares = distance**2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    values, vectors = (part[..., -2:] for part in np.linalg.eigh(-centred / 2))
    # The sign of an eigenvector is arbitrary, and not the same on all machines.
    vectors *= np.sign(vectors[np.abs(vectors).argmax(axis=0), range(vectors.shape[1])])
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0)))


def _spiral(n: int) -> FloatArray:
    """Return points that fill the unit disc evenly, no two of them close."""
    number = np.arange(n) + 0.5
    angle = np.pi * (3 - np.sqrt(5)) * number  # the golden angle
    return np.asarray(
        np.sqrt(number / n)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    )


def _laplacian(weight: FloatArray) -> FloatArray:
    return np.asarray(np.diag(weight.sum(axis=1)) - weight)
