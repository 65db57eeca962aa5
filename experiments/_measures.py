"""Agreement of a partition with the known classes, and of its cluster sizes with theirs."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.metrics import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    normalized_mutual_info_score,
)

from powercut.partition import compact_labels

LARGE = 10  # smallest size of the clusters that k_large counts


@dataclass(frozen=True)
class Measures:
    """Agreement of a partition with the truth; see `measure`."""

    nmi: float
    ami: float
    ari: float
    k: int
    k_large: int
    size_distance: float
    singletons: int


def measure(truth: npt.ArrayLike, found: npt.ArrayLike) -> Measures:
    """Compare a partition with the truth, over the nodes whose class is known.

    Parameters
    ----------
    truth : array-like of int
        Class of each node; nodes of class -1 are left out of every measure but `singletons`. If
        no class is known, clusters of all nodes are counted, and the agreement is nan.
    found : array-like of int
        Cluster of each node.
    """
    truth, found = np.asarray(truth), np.asarray(found)
    singletons = count_clusters(found) - count_clusters(found, smallest=2)
    known = truth >= 0
    if not known.any():
        k, k_large = count_clusters(found), count_clusters(found, smallest=LARGE)
        return Measures(np.nan, np.nan, np.nan, k, k_large, np.nan, singletons)
    truth, found = truth[known], found[known]
    return Measures(
        nmi=float(normalized_mutual_info_score(truth, found)),
        ami=float(adjusted_mutual_info_score(truth, found)),
        ari=float(adjusted_rand_score(truth, found)),
        k=count_clusters(found),
        k_large=count_clusters(found, smallest=LARGE),
        size_distance=size_distance(truth, found),
        singletons=singletons,
    )


def count_clusters(labels: npt.ArrayLike, *, smallest: int = 1) -> int:
    """Return how many clusters have at least `smallest` members."""
    return int((np.bincount(compact_labels(labels)[0]) >= smallest).sum())


def size_distance(truth: npt.ArrayLike, found: npt.ArrayLike) -> float:
    """Return the distance of the cluster sizes of two partitions, in doublings.

    This is the Wasserstein distance between two distributions: those of log2 of the
    cluster size of a random node, in each partition. It does not depend on which nodes
    are together. 0: equal sizes. 1: nodes are, on average, in clusters of twice or half
    the right size. Nodes are drawn rather than clusters, so that a thousand singletons
    do not outweigh the rest of a large graph.

    Examples
    --------
    >>> size_distance([0, 0, 0, 0, 1, 1, 1, 1], [5, 7, 5, 7, 6, 6, 8, 8])
    1.0
    """

    def log_sizes(labels: npt.ArrayLike) -> npt.NDArray[np.float64]:
        sizes = np.sort(np.bincount(compact_labels(labels)[0]))
        return np.asarray(np.log2(np.repeat(sizes, sizes)))

    # In one dimension, the optimal transport matches equal ranks.
    return float(np.abs(log_sizes(truth) - log_sizes(found)).mean())
