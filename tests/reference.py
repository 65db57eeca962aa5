"""Reference implementation in plain NumPy: slow and simple, for the tests only.

Every native kernel has a counterpart here that recomputes from scratch what the kernel
updates incrementally: the change of J by a move is the difference of two complete objectives, an
aggregation is two matrix products, Algorithm 1 is the paper's listing line by line.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components
from scipy.special import gammaln, multigammaln

from powercut._typing import LABEL, FloatArray, Labels
from powercut.graphs.scores import ClusterStats, GraphScore
from powercut.partition import compact_labels
from powercut.prior import PitmanYor

Counts = npt.NDArray[np.int64]


def regulariser(counts: Counts, prior: PitmanYor) -> float:
    """Return ``r = -log EPPF``, by seating one customer after the other.

    Examples
    --------
    >>> from powercut import PitmanYor
    >>> from reference import regulariser
    >>> round(regulariser([2, 1], PitmanYor(1.0, 0.5)), 6) == round(
    ...     -PitmanYor(1.0, 0.5).log_prob([2, 1]), 6
    ... )
    True
    """
    r, seated = 0.0, 0
    for tables, size in enumerate(counts):
        for occupied in range(int(size)):
            if occupied == 0:
                chance = prior.concentration + prior.discount * tables if tables else 1.0
            else:
                chance = occupied - prior.discount
            r -= np.log(chance)
            r += np.log(prior.concentration + seated) if seated else 0.0
            seated += 1
    return float(r)


# Graphs: a dense symmetric matrix A, and the volume, weight and count of each node.


def cluster_stats(
    A: FloatArray, volume: FloatArray, weight: FloatArray, count: Counts, labels: Labels
) -> ClusterStats:
    """Sum inside weight, volume, weight and count over each cluster."""
    member = np.eye(int(labels.max(initial=-1)) + 1)[labels]
    inside = np.einsum("ic,ij,jc->c", member, A, member)
    counts = (count @ member).astype(np.int64)
    return ClusterStats(inside, volume @ member, weight @ member, counts)


def graph_objective(
    A: FloatArray,
    volume: FloatArray,
    weight: FloatArray,
    count: Counts,
    labels: Labels,
    score: GraphScore,
    prior: PitmanYor,
    tradeoff: float,
    alone: float = 0.0,
) -> float:
    """Return ``J = sum_c cost(c) + tradeoff * r(Z)``, including constants.

    `alone` is added to r for each cluster of a single node.
    """
    compact, _ = compact_labels(labels)
    stats = cluster_stats(A, volume, weight, count, compact)
    j = float(np.sum(score.cost(stats)))
    if not tradeoff:
        return j
    return j + tradeoff * (regulariser(stats.counts, prior) + alone * sum(stats.counts == 1))


def moved(labels: Labels, node: int, target: int) -> Labels:
    """Return the labels after one move."""
    after = labels.copy()
    after[node] = target
    return after


def candidate_targets(A: FloatArray, labels: Labels, node: int) -> Iterator[int]:
    """Yield the clusters of the neighbours of a node, then a new one unless it is a singleton."""
    neighbours = np.flatnonzero(A[node])
    yield from np.unique(labels[neighbours[neighbours != node]]).tolist()
    if np.count_nonzero(labels == labels[node]) > 1:
        yield int(labels.max()) + 1


def aggregate(
    A: FloatArray, volume: FloatArray, weight: FloatArray, count: Counts, labels: Labels
) -> tuple[FloatArray, FloatArray, FloatArray, Counts]:
    """Return adjacency, volume, weight and count of the graph whose nodes are the clusters."""
    member = np.eye(int(labels.max(initial=-1)) + 1)[labels]
    return (
        member.T @ A @ member,
        volume @ member,
        weight @ member,
        (count @ member).astype(np.int64),
    )


def split_components(A: FloatArray, labels: Labels) -> Labels:
    """Label each connected component of each cluster, numbered by smallest member."""
    inside = np.where(labels[:, None] == labels, A, 0.0)
    components = connected_components(inside, directed=False)[1]
    first = np.unique(components, return_index=True)[1]
    return np.asarray(np.argsort(np.argsort(first))[components], dtype=LABEL)


# Vectors: rows of X with weights.


def kmeans_objective(
    X: FloatArray,
    weight: FloatArray,
    count: Counts,
    labels: Labels,
    prior: PitmanYor,
    tradeoff: float,
) -> float:
    """Return the weighted within-cluster sum of squares plus ``tradeoff * r(Z)``."""
    compact, k = compact_labels(labels)
    within = 0.0
    for c in range(k):
        x, w = X[compact == c], weight[compact == c]
        within += float(w @ ((x - np.average(x, axis=0, weights=w)) ** 2).sum(axis=1))
    sizes = np.bincount(compact, weights=count).astype(np.int64)
    return within + tradeoff * regulariser(sizes, prior) if tradeoff else within


def point_groups(
    X: FloatArray, weight: FloatArray, count: Counts, labels: Labels
) -> tuple[FloatArray, FloatArray, Counts, FloatArray]:
    """Return mean, weight, count and scatter matrix of each cluster; labels must be compact."""
    member = np.eye(int(labels.max()) + 1)[labels]
    means = (weight[:, None] * member).T @ X / (weight @ member)[:, None]
    away = X - means[labels]
    scatter = np.einsum("i,ic,ip,iq->cpq", weight, member, away, away)
    return means, weight @ member, (count @ member).astype(np.int64), scatter


def nearest_points(
    X: FloatArray, queries: FloatArray, compared: npt.NDArray[np.bool_], k: int
) -> tuple[Labels, FloatArray]:
    """Return the k nearest points of each query, the first of equals first, and their squares.

    Only pairs that are `compared` count; -1 and infinity stand for points that are unknown.
    """
    squares = np.square(queries[:, None, :] - X[None, :, :]).sum(axis=2)
    squares[~compared] = np.inf
    squares = np.pad(squares, ((0, 0), (0, k)), constant_values=np.inf)
    nearest = np.argsort(squares, axis=1, kind="stable")[:, :k].astype(LABEL)
    found = np.take_along_axis(squares, nearest, axis=1)
    nearest[np.isinf(found)] = -1
    return nearest, found


def gaussian_cost(
    x: FloatArray,
    w: FloatArray,
    covariance: str,
    mean: FloatArray,
    kappa: float,
    shape: float,
    scale: FloatArray,
) -> float:
    """Return the negative log marginal likelihood of one Gaussian cluster, by the formulas.

    ``scale`` holds one number per feature, a single number or a matrix, depending on the
    covariance structure. ``b`` below is half of the usual scatter, so the inverse-Wishart
    matrix is ``2 b``.
    """
    d, weight = x.shape[1], w.sum()
    centre = np.average(x, axis=0, weights=w)
    scatter = (w[:, None] * (x - centre)).T @ (x - centre)
    pulled = np.outer(centre - mean, centre - mean)
    b = 0.5 * scatter + 0.5 * kappa * weight / (kappa + weight) * pulled
    cost = 0.5 * d * np.log((kappa + weight) / kappa) + 0.5 * d * weight * np.log(2 * np.pi)
    if covariance == "diagonal":
        a = shape + weight / 2
        for j in range(d):
            cost += a * np.log(scale[j] + b[j, j]) - shape * np.log(scale[j])
            cost -= gammaln(a) - gammaln(shape)
    elif covariance == "spherical":
        a = shape + d * weight / 2
        cost += a * np.log(scale[0] + np.trace(b)) - shape * np.log(scale[0])
        cost -= gammaln(a) - gammaln(shape)
    else:
        a, first = shape + weight / 2, scale.reshape(d, d)
        cost += a * np.log(np.linalg.det(first + b)) - shape * np.log(np.linalg.det(first))
        cost -= multigammaln(a, d) - multigammaln(shape, d)
    return float(cost)


def gaussian_objective(
    X: FloatArray,
    weight: FloatArray,
    labels: Labels,
    gaussian: tuple[str, FloatArray, float, float, FloatArray],
    prior: PitmanYor,
    tradeoff: float,
) -> float:
    """Return the negative log marginal likelihood of all clusters plus ``tradeoff * r(Z)``."""
    compact, k = compact_labels(labels)
    j = 0.0
    for c in range(k):
        j += gaussian_cost(X[compact == c], weight[compact == c], *gaussian)
    return j + tradeoff * regulariser(np.bincount(compact), prior) if tradeoff else j


def kernel_objective(
    K: FloatArray, weight: FloatArray, labels: Labels, prior: PitmanYor, tradeoff: float
) -> float:
    """Return the weighted kernel k-means objective plus ``tradeoff * r(Z)``."""
    compact, k = compact_labels(labels)
    within = float(weight @ np.diag(K))
    for c in range(k):
        w = np.where(compact == c, weight, 0.0)
        within -= float(w @ K @ w / w.sum())
    return within + tradeoff * regulariser(np.bincount(compact), prior) if tradeoff else within


def lloyd(
    K: FloatArray,
    weight: FloatArray,
    labels: Labels,
    prior: PitmanYor,
    tradeoff: float,
    max_passes: int,
) -> tuple[Labels, float]:
    """Run Algorithm 1 of "Power-Law Graph Cuts" in kernel space, line by line.

    A mean is a vector of coefficients over the points; for vectors, K is the linear kernel
    ``X X'``. Returns compact labels, numbered by first member, and the smallest difference between
    the two best choices of any point: at 0 the algorithm leaves the choice open.
    """
    closest = np.inf
    alpha, theta = prior.concentration, prior.discount
    labels = labels.astype(LABEL)
    n = len(labels)
    for _ in range(max_passes):
        means = [
            np.where(labels == c, weight, 0.0) / weight[labels == c].sum()
            for c in range(int(labels.max()) + 1)
        ]
        before = labels.copy()
        for i in range(n):
            own = labels[i]
            size = np.bincount(labels, minlength=len(means))
            k = np.count_nonzero(size)
            singleton = size[own] == 1
            left = alpha + (k - 1) * theta if singleton else size[own] - 1 - theta
            d = np.full(len(means) + 1, np.inf)
            for c, mean in enumerate(means):
                if size[c] == 0:
                    continue
                squared = K[i, i] - 2 * K[i] @ mean + mean @ K @ mean
                d[c] = weight[i] * squared
                if c != own:
                    d[c] += tradeoff * np.log(left / (size[c] - theta))
            if singleton:
                d[own] = 0.0
            else:
                d[-1] = tradeoff * np.log(left / (alpha + k * theta))
            lowest, second = np.partition(d, 1)[:2]
            closest = min(closest, second - lowest)
            best = int(np.argmin(d))
            if d[best] < d[own]:
                labels[i] = best
                if best == len(means):
                    means.append(np.eye(n)[i])
        if np.array_equal(before, labels):
            break
        _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
        labels = np.argsort(np.argsort(first))[inverse].astype(LABEL)
    return labels, closest
