"""Synthetic data with planted clusters of Pitman-Yor sizes."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from powercut._typing import Labels
from powercut.datasets._planted import planted, simple_graph
from powercut.graphs.graph import Graph
from powercut.prior import PitmanYor


def make_paper_graph(
    n: int = 4000,
    *,
    n_clusters: tuple[int, int] = (13, 15),
    concentration: float = 1.0,
    discount: float = 0.2,
    inside: float = 0.3,
    between: float = 0.01,
    spread: float = 0.001,
    random_state: Any = None,
) -> tuple[Graph, Labels]:
    """Make the synthetic graph of "Power-Law Graph Cuts".

    Cluster sizes are drawn from a Pitman-Yor partition, repeatedly until the number of clusters
    is in the given range. Each pair of clusters has its own edge density, drawn from a normal
    distribution with mean `inside` within a cluster and `between` for two clusters.

    Parameters
    ----------
    n : int, default=4000
        Number of nodes.
    n_clusters : tuple of int, default=(13, 15)
        Smallest and largest number of clusters.
    concentration, discount : float
        Of the Pitman-Yor partition.
    inside, between : float
        Mean edge densities.
    spread : float, default=0.001
        Standard deviation of the densities. The paper's "N(0.3, 0.001)" may also
        mean a variance of 0.001, that is, a spread of 0.0316.
    random_state : int, RandomState instance or None, default=None
        Seed of the random generator.

    Returns
    -------
    graph : Graph
        Without weights.
    labels : ndarray of shape (n,), int32
        The planted cluster of each node.

    Examples
    --------
    >>> from powercut.datasets import make_paper_graph
    >>> graph, labels = make_paper_graph(500, n_clusters=(5, 9), random_state=0)
    >>> graph.n_nodes, 5 <= len(set(labels)) <= 9
    (500, True)
    """
    random = check_random_state(random_state)
    prior = PitmanYor(concentration, discount)
    expected = prior.expected_clusters(n)
    if (
        not n_clusters[0] <= n_clusters[1]
        or n_clusters[1] < expected / 4
        or n_clusters[0] > 4 * expected
    ):
        raise ValueError(
            f"n_clusters={n_clusters} is improbable: {n} nodes have about {expected:.0f} clusters "
            f"at concentration {concentration} and discount {discount}. Choose a range around that."
        )
    while True:
        labels = planted(n, prior, random)
        k = int(labels.max()) + 1
        if n_clusters[0] <= k <= n_clusters[1]:
            break
    density = np.triu(random.normal(between, spread, (k, k)), 1)
    density += density.T
    density[np.diag_indices(k)] = random.normal(inside, spread, k)
    density = np.clip(density, 0, 1)
    u, v = [], []
    for start in range(0, n, 512):
        batch = labels[start : start + 512]
        row, column = np.nonzero(random.random_sample((len(batch), n)) < density[batch][:, labels])
        above = row + start < column
        u.append(row[above] + start)
        v.append(column[above])
    return simple_graph(n, np.concatenate(u), np.concatenate(v)), labels


def make_blobs(
    n: int = 100_000,
    *,
    n_features: int = 16,
    concentration: float = 1.0,
    discount: float = 0.2,
    spread: float = 3.0,
    random_state: Any = None,
) -> tuple[npt.NDArray[np.float32], Labels]:
    """Make spherical Gaussian clusters of Pitman-Yor sizes and unit variance.

    Parameters
    ----------
    n : int, default=100_000
        Number of points.
    n_features : int, default=16
        Dimensions.
    concentration, discount : float
        Of the Pitman-Yor partition.
    spread : float, default=3
        Standard deviation of each coordinate of the centres.
    random_state : int, RandomState instance or None, default=None
        Seed of the random generator.

    Returns
    -------
    X : ndarray of shape (n, n_features), float32
        The points.
    labels : ndarray of shape (n,), int32
        The planted cluster of each point.

    Examples
    --------
    >>> from powercut.datasets import make_blobs
    >>> X, labels = make_blobs(100, n_features=2, random_state=0)
    >>> X.shape
    (100, 2)
    """
    random = check_random_state(random_state)
    labels = planted(n, PitmanYor(concentration, discount), random)
    centres = random.normal(0, spread, (int(labels.max()) + 1, n_features))
    X = centres[labels] + random.normal(0, 1, (n, n_features))
    return X.astype(np.float32), labels
