"""What generators share: planted partitions, and graphs of distinct edges."""

import numpy as np

from powercut._typing import IntArray, Labels
from powercut.graphs.graph import Graph
from powercut.prior import PitmanYor


def planted(n: int, prior: PitmanYor, random: np.random.RandomState) -> Labels:
    """Return labels of a sampled partition, with nodes in random order."""
    labels = prior.sample(n, random_state=random)
    random.shuffle(labels)
    return labels


def simple_graph(n: int, u: IntArray, v: IntArray) -> Graph:
    """Return the unweighted graph of the distinct edges among (u, v), without loops."""
    key = (np.minimum(u, v) * n + np.maximum(u, v))[u != v]
    key.sort()  # np.unique uses a hash table, which is several times slower
    key = key[np.diff(key, prepend=-1) > 0]
    return Graph.from_edges(key // n, key % n, n_nodes=n, symmetrize="max")
