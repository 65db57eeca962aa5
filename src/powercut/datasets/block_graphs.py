"""Sparse block model graphs with Pitman-Yor cluster sizes, in memory or straight on disk."""

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from powercut._typing import LABEL, Array, IntArray, Labels
from powercut._validation import check_whole
from powercut.datasets._planted import planted, simple_graph
from powercut.disk.sorting import distinct
from powercut.disk.writer import write_sorted
from powercut.graphs.graph import Graph
from powercut.prior import PitmanYor

# In clusters up to this size, every pair of nodes is sampled independently.
SMALL_CLUSTER = 128
# Edges that are drawn at a time; the graph depends on it, so it is no parameter.
CHUNK = 1 << 24


def make_block_graph(
    n: int,
    *,
    degree: float = 20.0,
    mixing: float = 0.2,
    concentration: float = 10.0,
    discount: float = 0.5,
    random_state: Any = None,
) -> tuple[Graph, Labels]:
    """Make a sparse stochastic block model graph with Pitman-Yor block sizes.

    A node has about `degree` neighbours, a share `mixing` of them outside its
    cluster. Nodes in clusters too small for that many neighbours have fewer, and
    on average at least one outside.

    Parameters
    ----------
    n : int
        Number of nodes.
    degree : float, default=20
        Mean degree in large clusters.
    mixing : float, default=0.2
        Share of edges that leave the cluster.
    concentration, discount : float
        Of the Pitman-Yor partition.
    random_state : int, RandomState instance or None, default=None
        Seed of the random generator.

    Returns
    -------
    graph : Graph
        Without weights.
    labels : ndarray of shape (n,), int32
        The planted cluster of each node.

    See Also
    --------
    write_block_graph : The same graph in a folder, larger than memory.

    Examples
    --------
    >>> from powercut.datasets import make_block_graph
    >>> graph, labels = make_block_graph(2000, random_state=0)
    >>> 14 < graph.n_entries / graph.n_nodes < 21
    True
    """
    blocks = _Blocks(n, degree, mixing, PitmanYor(concentration, discount), random_state)
    u, v = (np.concatenate(ends) for ends in zip(*blocks.edges(), strict=True))
    return simple_graph(n, u.astype(np.int64), v.astype(np.int64)), blocks.labels


def write_block_graph(
    path: str | os.PathLike[str],
    n: int,
    *,
    degree: float = 20.0,
    mixing: float = 0.2,
    concentration: float = 10.0,
    discount: float = 0.5,
    random_state: Any = None,
    memory: int | str = "2GiB",
    encoding: str = "plain",
    progress: Any = None,
) -> Labels:
    """Write the graph of `make_block_graph` to a folder, from more edges than fit in memory.

    Parameters
    ----------
    path : str or path
        The folder to make, as `powercut.disk.write_blocks` does.
    n, degree, mixing, concentration, discount, random_state
        As in `make_block_graph`; the same arguments make the same graph.
    memory, encoding, progress
        As in `powercut.disk.write_blocks`. In addition to `memory`, the planted clusters take 20
        bytes per node, and edges a gigabyte while they are drawn.

    Returns
    -------
    ndarray of shape (n,), int32
        The planted cluster of each node.

    Examples
    --------
    >>> import tempfile
    >>> from powercut.datasets import write_block_graph
    >>> from powercut.disk import open_blocks
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     labels = write_block_graph(f"{folder}/graph", 2000, random_state=0)
    ...     print(open_blocks(f"{folder}/graph").n_nodes)
    2000
    """
    blocks = _Blocks(n, degree, mixing, PitmanYor(concentration, discount), random_state)
    write_sorted(
        path,
        blocks.edges(),
        distinct,
        n_nodes=len(blocks.labels),
        memory=memory,
        encoding=encoding,
        progress=progress,
    )
    return blocks.labels


class _Blocks:
    """Planted clusters, and the edges that are drawn from them.

    Attributes
    ----------
    labels : ndarray of shape (n,), int32
        The planted cluster of each node.
    size : ndarray of shape (n_clusters,), int64
        Number of nodes of each cluster.
    inside, outside : ndarray of shape (n_clusters,), float64
        Expected number of neighbours of a node in its own cluster, and in others.
    """

    def __init__(
        self, n: int, degree: float, mixing: float, prior: PitmanYor, random_state: Any
    ) -> None:
        check_whole(n, "n", min_val=0)
        if not 0 <= mixing < 1:
            raise ValueError(f"mixing must be in [0, 1), got {mixing}.")
        self._random = check_random_state(random_state)
        self.labels = planted(n, prior, self._random)
        self.size = np.bincount(self.labels)
        self.inside = np.minimum((1 - mixing) * degree, self.size - 1.0)
        self.outside = np.maximum(self.inside * mixing / (1 - mixing), 1.0)
        # The members of cluster c are members[start[c] : start[c] + size[c]].
        self._members = np.argsort(self.labels, kind="stable").astype(LABEL)
        self._start = np.cumsum(self.size) - self.size

    def edges(self) -> Iterator[tuple[Array, Array]]:
        """Draw chunks of edges, some of them more than once and some of them loops."""
        yield self._in_small_clusters()
        yield from self._in_large_clusters()
        yield from self._between_clusters()

    def _draw_member(self, cluster: IntArray) -> Array:
        place = (self._random.random_sample(len(cluster)) * self.size[cluster]).astype(np.int64)
        drawn: Array = self._members[self._start[cluster] + place]
        return drawn

    def _in_small_clusters(self) -> tuple[Array, Array]:
        u, v = [self._members[:0]], [self._members[:0]]
        for c in np.flatnonzero((self.size >= 2) & (self.size <= SMALL_CLUSTER)):
            a, b = np.triu_indices(self.size[c], 1)
            edge = self._random.random_sample(len(a)) < self.inside[c] / (self.size[c] - 1)
            u.append(self._members[self._start[c] + a[edge]])
            v.append(self._members[self._start[c] + b[edge]])
        return np.concatenate(u), np.concatenate(v)

    def _in_large_clusters(self) -> Iterator[tuple[Array, Array]]:
        large = np.flatnonzero(self.size > SMALL_CLUSTER)
        last = np.cumsum(self._random.poisson(self.size[large] * self.inside[large] / 2))
        for first in range(0, int(last[-1]) if len(large) else 0, CHUNK):
            numbers = np.arange(first, min(first + CHUNK, int(last[-1])))
            cluster = large[np.searchsorted(last, numbers, side="right")]
            yield self._draw_member(cluster), self._draw_member(cluster)

    def _between_clusters(self) -> Iterator[tuple[Array, Array]]:
        mass = np.cumsum(self.size * self.outside)
        missing = int(mass[-1] / 2) if len(self.size) > 1 else 0
        while missing > 0:
            draws = int(1.3 * min(missing, CHUNK)) + 1000
            a, b = (
                np.searchsorted(mass, self._random.random_sample(draws) * mass[-1], "right")
                for _ in "uv"
            )
            different = np.flatnonzero(a != b)[:missing]
            yield self._draw_member(a[different]), self._draw_member(b[different])
            missing -= len(different)
