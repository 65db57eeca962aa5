"""A tree of clusters: nested partitions of a graph, with the evidence for every division."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from powercut._typing import BoolArray, FloatArray, IntArray, Labels, Positions
from powercut._utils import cached_property
from powercut._validation import check_real, check_whole
from powercut.graphs import _tree_formats as formats
from powercut.graphs._linkage import make_linkage
from powercut.graphs.hierarchy import Hierarchy
from powercut.graphs.level import Level
from powercut.graphs.nested import NestedModel, parents_of
from powercut.graphs.scores import ClusterStats
from powercut.graphs.size_limits import Folded
from powercut.partition import canonical_labels, compact_labels


class LevelSummary(NamedTuple):
    """One level of a tree: its clusters, and the most nats for a division of one of them."""

    n_clusters: int
    largest: int
    nats: float


@dataclass(frozen=True, eq=False, repr=False)
class ClusterTree:
    r"""Nested clusters of a graph at all scales; see `powercut.cluster_tree`.

    Clusters are numbered level by level, from the connected components to the finest clusters. A
    cluster that several levels have in common is listed once.

    Attributes
    ----------
    parent : ndarray of shape (n_clusters,)
        The smallest cluster that contains each cluster; -1 for connected components.
    level : ndarray of shape (n_clusters,)
        The first level that has the cluster; 0 is that of connected components.
    size : ndarray of shape (n_clusters,)
        Number of nodes.
    evidence : ndarray of shape (n_clusters,)
        Evidence for the division of each cluster, in nats: what the log-likelihood loses if its
        children are joined, or that of one of its subclusters if that is more; so it never rises
        from a cluster to its children. 0 for clusters without children. See
        `powercut.graphs.nested`.
    density : ndarray of shape (n_clusters,)
        Weight inside, divided by the number of pairs of nodes; 0 for single nodes.
    conductance : ndarray of shape (n_clusters,)
        Weight that leaves the cluster, divided by its volume or that of the rest of the graph,
        whichever is smaller; 0 for connected components.
    leaf : ndarray of shape (n,)
        The smallest cluster that contains each node.
    resolution : ndarray of shape (n_levels,)
        The resolution of modularity at which each level was found: 0 for connected components, NaN
        for the fitted partition and for levels that were found in other ways.
    fitted_level : int
        The level of the fitted partition.
    folded : Folded
        What became of fitted clusters below `min_size`: ``n_clusters`` of them were joined to
        others, which lost ``nats``; ``n_left`` are below it still: they have no neighbours.
    stopped_early : bool
        Whether `max_seconds` or an interrupt ended the search.
    names : ndarray of shape (n,) or None
        Names of the nodes; None if they are 0, 1, 2, ...

    Examples
    --------
    Eight groups in two parts:

    >>> import numpy as np
    >>> import powercut
    >>> group = np.repeat(np.arange(8), 20)
    >>> same_group, same_part = group[:, None] == group, group[:, None] // 4 == group // 4
    >>> density = np.where(same_group, 0.9, np.where(same_part, 0.2, 0.005))
    >>> edges = np.triu(np.random.default_rng(0).random((160, 160)) < density, 1)
    >>> graph = powercut.Graph(edges + edges.T)
    >>> tree = powercut.cluster_tree(graph, random_state=0)
    >>> tree
    3 levels of 160 nodes
    level  clusters  largest      nats
        0         1      160  1,512.32
        1         2       80    321.45
        2         8       20      0.00  fitted
    >>> tree.parent
    array([-1,  0,  0,  1,  1,  1,  1,  2,  2,  2,  2])
    >>> int(tree.cut().max()) + 1, int(tree.cut(n_clusters=2).max()) + 1
    (8, 2)
    """

    parent: IntArray
    level: IntArray
    size: IntArray
    evidence: FloatArray
    density: FloatArray
    conductance: FloatArray
    leaf: IntArray
    resolution: FloatArray
    fitted_level: int
    folded: Folded
    stopped_early: bool
    names: Any
    _leaves: Level = field(repr=False)
    _model: NestedModel = field(repr=False)

    @classmethod
    def of(
        cls, level: Level, hierarchy: Hierarchy, model: NestedModel, *, names: Any = None
    ) -> "ClusterTree":
        """Make a tree of the partitions of a hierarchy."""
        rows = [canonical_labels(scale.labels) for scale in hierarchy.scales]
        number, parent, first = _numbered(rows)
        leaf = number[-1][rows[-1]]
        # The graph of the leaves has them in the order of their numbers.
        leaves = level.aggregate(*compact_labels(leaf), None)
        stats = _joined_stats(
            leaves, [own[row] for own, row in zip(number, rows, strict=True)], leaf
        )
        total = float(leaves.nodes[0].sum())
        pairs = stats.counts * (stats.counts - 1.0)
        out = np.minimum(stats.volume, total - stats.volume)
        leaving = np.where(parent < 0, 0.0, stats.volume - stats.inside)
        return cls(
            parent=parent,
            level=first,
            size=stats.counts,
            evidence=_evidence(stats, parent, first, model),
            density=np.divide(stats.inside, pairs, out=np.zeros(len(parent)), where=pairs > 0),
            conductance=np.divide(leaving, out, out=np.zeros(len(parent)), where=out > 0),
            leaf=leaf,
            resolution=np.array([scale.resolution for scale in hierarchy.scales]),
            fitted_level=hierarchy.fitted,
            folded=hierarchy.folded,
            stopped_early=hierarchy.stopped_early,
            names=names,
            _leaves=leaves,
            _model=model,
        )

    @property
    def n_levels(self) -> int:
        """Number of levels."""
        return len(self.resolution)

    @property
    def n_clusters(self) -> int:
        """Number of clusters of all levels."""
        return len(self.parent)

    @property
    def n_nodes(self) -> int:
        """Number of nodes of the graph."""
        return len(self.leaf)

    @property
    def is_leaf(self) -> BoolArray:
        """Whether each cluster has no children."""
        leaf = np.ones(self.n_clusters, dtype=np.bool_)
        leaf[self.parent[self.parent >= 0]] = False
        return leaf

    def clusters_of_level(self, level: int) -> IntArray:
        """Return the cluster of each node at a level, by its number in the tree."""
        level = check_whole(level, "level", min_val=0, max_val=self.n_levels - 1)
        return self._joined(self.level > level)[self.leaf]

    def cut(
        self,
        *,
        level: int | None = None,
        n_clusters: int | None = None,
        nats: float | None = None,
        max_size: int | None = None,
    ) -> Labels:
        """Return the partition at one scale: by default the fitted one.

        Parameters
        ----------
        level : int, optional
            One of the levels; 0 is that of connected components.
        n_clusters : int, optional
            Number of clusters, from that of connected components to that of the finest clusters.
            Clusters are joined two at a time, as in `to_linkage`.
        nats : float, optional
            Divide only clusters whose `evidence` is at least this.
        max_size : int, optional
            The largest clusters of the tree with at most this many nodes.

        Returns
        -------
        ndarray of shape (n,), int32
            Cluster of each node; cluster 0 is the largest, ties by the smallest member.
        """
        given = {"level": level, "n_clusters": n_clusters, "nats": nats, "max_size": max_size}
        named = [name for name, value in given.items() if value is not None]
        if len(named) > 1:
            raise ValueError(f"{' and '.join(named)} were given; cut a tree by one of them.")
        if n_clusters is not None:
            return self._cut_linkage(n_clusters)
        if nats is not None:
            least = check_real(nats, "nats", min_val=0)
            joined = self._of_parent(self.evidence < least, roots=False)
        elif max_size is not None:
            joined = self._within(max_size)
        else:
            return canonical_labels(
                self.clusters_of_level(self.fitted_level if level is None else level)
            )
        return canonical_labels(self._joined(joined)[self.leaf])

    def _within(self, max_size: int) -> BoolArray:
        largest = check_whole(max_size, "max_size", min_val=1)
        leaf = self.size[self.is_leaf].max(initial=0)
        if leaf > largest:
            raise ValueError(
                f"max_size={largest}, but the largest of the finest clusters has {leaf} nodes; "
                f"divide them with cluster_tree(..., max_size={largest})."
            )
        return self._of_parent(self.size <= largest, roots=False)

    def _of_parent(self, values: BoolArray, *, roots: bool) -> BoolArray:
        """Return the value of each cluster's parent."""
        return np.where(self.parent < 0, roots, values[self.parent])

    def _joined(self, joined: BoolArray) -> IntArray:
        """Return the cluster that each one belongs to if those marked are joined to their parents.

        If a cluster is marked, all clusters inside must be.
        """
        into = np.arange(self.n_clusters)
        for level in range(1, self.n_levels):
            some = np.flatnonzero((self.level == level) & joined)
            into[some] = into[self.parent[some]]
        return into

    @cached_property
    def _linkage(self) -> FloatArray:
        return make_linkage(self.parent, self.level, self.evidence, self._leaves, self._model)

    def _cut_linkage(self, n_clusters: int) -> Labels:
        n_leaves, n_roots = self._leaves.n, int(np.count_nonzero(self.parent < 0))
        k = check_whole(n_clusters, "n_clusters")
        if not n_roots <= k <= n_leaves:
            raise ValueError(
                f"n_clusters={k}, but the tree has from {n_roots} (connected components) to "
                f"{n_leaves} clusters; max_size of cluster_tree makes finer ones."
            )
        into = np.arange(2 * n_leaves)
        for new, (one, other) in enumerate(self._linkage[: n_leaves - k, :2].astype(int), n_leaves):
            into[[one, other]] = new
        while (into[into] != into).any():
            into = into[into]
        return canonical_labels(into[self._leaf_position])

    @property
    def _leaf_position(self) -> Positions:
        """The position of each node's leaf among the leaves, in the order of their numbers."""
        return np.searchsorted(np.flatnonzero(self.is_leaf), self.leaf)

    # Formats.

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per cluster.

        Columns: ``cluster``, ``level``, ``parent`` (missing for connected components), ``size``,
        ``evidence``, ``density`` and ``conductance``.
        """
        return formats.frame(self)

    def assignments(self) -> Any:
        """Return a pandas DataFrame with one row per node and cluster that it is in.

        The columns are those of ``HierarchicalCluster`` of graspologic: ``node``, ``cluster``,
        ``parent_cluster`` (missing for connected components), ``level`` and
        ``is_final_cluster``.
        """
        return formats.assignments(self)

    def to_networkx(self) -> Any:
        """Return a networkx DiGraph with an edge from each cluster to its children.

        Clusters have the columns of `to_frame` as attributes; those without children have
        ``members``, the list of their nodes.
        """
        return formats.to_networkx(self)

    def to_newick(self, *, nodes: bool = False) -> str:
        """Return the tree in Newick format; lengths of branches are differences of evidence.

        Parameters
        ----------
        nodes : bool, default=False
            Whether the tips are the nodes of the graph, by name, instead of the finest clusters,
            by number.
        """
        return formats.to_newick(self, nodes=nodes)

    def to_json(self) -> str:
        """Return the rows of `to_frame` in JSON; clusters without children have ``members``."""
        return formats.to_json(self)

    def to_linkage(self) -> FloatArray:
        """Return the tree as a linkage matrix of scipy, for `scipy.cluster.hierarchy`.

        Observation i is the i-th cluster without children, in the order of their numbers.
        Clusters are joined two at a time: first those whose join loses the fewest nats. Distances
        are nats, as `evidence`. At the end connected components are joined.

        Returns
        -------
        ndarray of shape (n_leaves - 1, 4)
            The two clusters that are joined, their distance, and the number of observations.
        """
        return self._linkage.copy()

    def summary(self) -> list[LevelSummary]:
        """Return the number of clusters, the largest size and the most nats of each level.

        Examples
        --------
        >>> import networkx as nx
        >>> import powercut
        >>> tree = powercut.cluster_tree(nx.les_miserables_graph(), random_state=0)
        >>> tree.summary()[-1]
        LevelSummary(n_clusters=7, largest=25, nats=0.0)
        """
        found = []
        for level in range(self.n_levels):
            clusters = np.unique(self.clusters_of_level(level))
            inner = clusters[np.isin(clusters, self.parent)]
            largest, nats = self.size[clusters].max(initial=0), self.evidence[inner].max(initial=0)
            found.append(LevelSummary(len(clusters), int(largest), float(nats)))
        return found

    def __repr__(self) -> str:
        rows = [
            (
                str(level),
                f"{n}",
                f"{largest}",
                f"{nats:,.2f}",
                "fitted" * (level == self.fitted_level),
            )
            for level, (n, largest, nats) in enumerate(self.summary())
        ]
        head = f"{self.n_levels} levels of {self.n_nodes} nodes"
        return "\n".join([head, *_table(("level", "clusters", "largest", "nats", ""), rows)])


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
    return [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (names, *rows)
    ]


def _numbered(rows: Sequence[Labels]) -> tuple[list[IntArray], IntArray, IntArray]:
    """Assign numbers to the clusters of all levels; one that is not divided keeps its number.

    Returns the number of each label of each level, and the parent and first level of each cluster.
    """
    number = [np.arange(int(rows[0].max(initial=-1)) + 1)]
    parent, first = [np.full(len(number[0]), -1)], [np.zeros(len(number[0]), dtype=np.int64)]
    total = len(number[0])
    for level, (coarse, fine) in enumerate(pairwise(rows), 1):
        above = number[-1][parents_of(fine, coarse)]
        divided = np.bincount(above, minlength=total)[above] > 1
        n_new = int(divided.sum())
        own = above.copy()
        own[divided] = np.arange(total, total + n_new)
        number.append(own)
        parent.append(above[divided])
        first.append(np.full(n_new, level))
        total += n_new
    return number, np.concatenate(parent), np.concatenate(first)


def _joined_stats(leaves: Level, clusters: Sequence[IntArray], leaf: IntArray) -> ClusterStats:
    """Return the sums over the clusters of all levels, given the cluster of each node at each."""
    n = 1 + max(int(row.max(initial=-1)) for row in clusters)
    sums: list[Any] = [np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.int64)]
    position = compact_labels(leaf)[0]
    for row in clusters:
        labels, k = compact_labels(row)
        stats = leaves.cluster_stats(parents_of(position, labels))
        own = np.zeros(k, dtype=np.int64)
        own[labels] = row
        for all_sums, some in zip(sums, stats.arrays, strict=True):
            all_sums[own] = some
    return ClusterStats(*sums)


def _evidence(
    stats: ClusterStats, parent: IntArray, level: IntArray, model: NestedModel
) -> FloatArray:
    """Return the evidence for the division of each cluster, never below that of its children."""
    child = np.flatnonzero(parent >= 0)
    inner, above = np.unique(parent[child], return_inverse=True)
    evidence = np.zeros(len(parent))
    evidence[inner] = model.evidence(
        stats.map(lambda sums: sums[inner]), stats.map(lambda sums: sums[child]), above
    )
    for one in range(int(level.max(initial=0)), 0, -1):
        some = np.flatnonzero(level == one)
        np.maximum.at(evidence, parent[some], evidence[some])
    return evidence
