"""A graph at one level of the multilevel search, and the native kernels that work on it."""

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut._typing import LABEL, BoolArray, FloatArray, Labels, Random
from powercut._utils import cached_property
from powercut.graphs._adjacency import dense_row_blocks
from powercut.graphs.graph import Graph
from powercut.graphs.pulls import Pulls
from powercut.graphs.scores import ClusterStats, GraphObjective
from powercut.partition import compact_labels
from powercut.progress import until_expired
from powercut.search.conflicts import Conflicts
from powercut.search.objective import draw_seed
from powercut.search.remote_workers import GraphWorkers

# A graph is large if it has more entries and at least as many nodes as this. A dense graph has many
# entries, but few nodes; it is searched from every start.
LARGE, MANY_NODES = 2**20, 2**15

T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True)
class Moved:
    """The result of local moves: compact labels, and J (without its constant) before and after."""

    labels: Labels
    stats: ClusterStats
    before: float
    after: float
    moves: int

    @classmethod
    def compact(
        cls,
        labels: Labels,
        before: float,
        after: float,
        moves: int,
        clusters: "_core._ClusterArrays",
    ) -> "Moved":
        """Make the result from what a kernel returns; clusters that became empty are dropped."""
        stats = ClusterStats(*clusters)
        kept = stats.counts > 0
        new_label = np.cumsum(kept, dtype=LABEL) - LABEL(1)
        return cls(new_label[labels], stats.map(lambda sums: sums[kept]), before, after, moves)

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(self.stats.counts)


@dataclass(frozen=True)
class Cycled:
    """The result of a cycle: compact labels, and J (without its constant) on the way.

    The first value of the path is J before any move; one follows for each round of moves.
    """

    labels: Labels
    stats: ClusterStats
    path: list[float]


@dataclass(frozen=True)
class Level:
    """A graph at one level: its nodes are original nodes, or groups of them that move together.

    Attributes
    ----------
    graph : tuple
        CSR arrays (indptr, indices, weights), weights None if all are 1; or
        (None, None, matrix) for a dense matrix.
    nodes : tuple
        (volume, weight, count) of each node. If weight is None, it is the count; if count is
        None, it is 1.
    n_threads : int
        Number of threads of a kernel; results do not depend on it.
    workers : GraphWorkers, optional
        Remote workers that read rows in place of threads, for moves of single nodes and for
        dividing clusters; results do not depend on them.
    conflicts : Conflicts, optional
        Nodes that must not share a cluster. Labels that the methods are given hold no two of them
        together, and neither do those that they return.
    groups : ndarray of int32, optional
        The node of this level that each node of the graph belongs to; None if they are the same,
        and for levels within a search.
    """

    graph: "_core._GraphArrays"
    nodes: "_core._NodeArrays"
    n_threads: int = 1
    workers: GraphWorkers | None = None
    conflicts: Conflicts | None = None
    groups: Labels | None = None

    @classmethod
    def finest(
        cls, graph: Graph, weight: FloatArray | None = None, *, n_threads: int = 1
    ) -> "Level":
        """Return the level of the original nodes.

        Threads and remote workers are used for large graphs only.
        """
        level = cls(graph.arrays, (graph.degrees, weight, None))
        if not level.is_large:
            return level
        return replace(
            level, n_threads=n_threads, workers=graph.workers if weight is None else None
        )

    @classmethod
    def of_kernel(cls, kernel: npt.NDArray[np.floating], weight: FloatArray | None) -> "Level":
        """Return the level whose nodes are the points of a kernel matrix K, with ``A = W K W``."""
        volume = np.empty(len(kernel))
        matrix = np.ascontiguousarray(kernel) if weight is None else np.empty(kernel.shape)
        for rows in dense_row_blocks(kernel.shape):
            if weight is not None:
                matrix[rows] = weight[rows, None] * kernel[rows] * weight
            volume[rows] = matrix[rows].sum(axis=1, dtype=np.float64)
        return cls((None, None, matrix), (volume, weight, None))

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.nodes[0])

    @property
    def n_entries(self) -> int:
        """Number of stored entries of the matrix: two per edge."""
        if self.graph[0] is None:
            return len(self.graph[2])
        return int(self.graph[0][-1])

    @property
    def is_large(self) -> bool:
        """Whether a search is long enough to run on all threads, and from one start only."""
        return self.n_entries > LARGE and self.n >= MANY_NODES

    @property
    def n_original(self) -> int:
        """Number of original nodes."""
        count = self.nodes[2]
        return self.n if count is None else int(count.sum())

    def expand(self, labels: npt.NDArray[T]) -> npt.NDArray[T]:
        """Return the labels of the nodes of the graph, from those of the nodes of this level."""
        return labels if self.groups is None else labels[self.groups]

    def contract(self, labels: Labels) -> Labels:
        """Return labels of the nodes of this level, from those of the nodes of the graph.

        A node gets the label of the first of those that belong to it. Where nodes of one cluster
        are in conflict, all but one become singletons.
        """
        return self.allow(self.first_labels(labels))

    def first_labels(self, labels: Labels) -> Labels:
        """Return, for each node of this level, the label of the first one that belongs to it."""
        if self.groups is None:
            return labels
        first: Labels = np.empty(self.n, dtype=LABEL)
        first[self.groups[::-1]] = labels[::-1]
        return first

    def summed(self, values: FloatArray | BoolArray) -> FloatArray:
        """Return the sum over the nodes of the graph that belong to each node of this level."""
        if self.groups is None:
            return values.astype(np.float64, copy=False)
        return np.bincount(self.groups, values, self.n).astype(np.float64, copy=False)

    def allow(self, labels: Labels) -> Labels:
        """Return labels of the nodes of this level that hold no conflicting nodes together."""
        return labels if self.conflicts is None else self.conflicts.resolve(labels)

    def cluster_stats(self, labels: Labels) -> ClusterStats:
        """Return the four sums over each cluster."""
        n_labels = int(labels.max(initial=-1)) + 1
        stats = _core.cluster_stats(self.graph, self.nodes, labels, n_labels, self.n_threads)
        return ClusterStats(*stats)

    def objective(self, labels: Labels, n_labels: int, objective: GraphObjective) -> float:
        """Return J without its constant."""
        return _core.objective(self.graph, self.nodes, labels, n_labels, objective.native)

    def local_moves(
        self,
        labels: Labels,
        objective: GraphObjective,
        *,
        random: Random,
        cancel: _core.CancellationToken | None,
        within: Labels | None = None,
        keep_connected: bool = False,
        exhaustive: bool = False,
        negligible: float = 0.0,
        first: BoolArray | None = None,
        inertia: float = 0.0,
        limits: tuple[int, int] | None = None,
        pulls: Pulls | None = None,
        stats: ClusterStats | None = None,
    ) -> Moved:
        """Move single nodes while that lowers J; `labels` is not modified.

        Parameters
        ----------
        labels : ndarray of int32
            The initial partition.
        objective : GraphObjective
            J.
        random : numpy.random.Generator
            The order in which nodes are visited.
        cancel : CancellationToken or None
            Cancellation token; when its time limit expires, the labels so far are returned.
        within : ndarray of int32, optional
            A coarser partition: nodes may share a cluster only inside one of its groups.
        keep_connected : bool
            Whether to reject moves that would disconnect a cluster.
        exhaustive : bool
            Whether to end only where no move of a single node lowers J.
        negligible : float
            If not exhaustive, end after a round that moves at most this share of the nodes.
        first : ndarray of bool, optional
            The nodes that the first round visits; by default all. Later rounds visit neighbours
            of nodes that moved.
        inertia : float
            A move must lower J by more than this; not with remote workers.
        limits : tuple of two ints, optional
            The smallest and the largest size that a move may leave clusters with.
        pulls : Pulls, optional
            Clusters that attract nodes, as a part of J. Nodes without neighbours may join them,
            too. Nodes that are in a cluster that attracts them count as connected with each other.
            Neither with remote workers nor `within`.
        stats : ClusterStats, optional
            ``cluster_stats(labels)``, if it is known: it takes a pass over all edges.
        """
        labels = labels.copy()
        n_labels = int(labels.max(initial=-1)) + 1
        with until_expired(cancel):
            summary = _core.local_moves(
                self.graph,
                self.nodes,
                labels,
                n_labels,
                objective.native,
                within,
                keep_connected,
                exhaustive,
                negligible,
                self.n_threads,
                draw_seed(random),
                cancel,
                self._remote_rounds(objective) if within is None and limits is None else None,
                first,
                inertia,
                limits,
                self._conflicts,
                None if pulls is None else pulls.native,
                None if stats is None else stats.arrays,
            )
            return Moved.compact(labels, *summary)
        return self._expired(labels, objective, pulls)

    def cycle(
        self,
        labels: Labels,
        objective: GraphObjective,
        *,
        random: Random,
        cancel: _core.CancellationToken | None,
        negligible: float = 0.0,
    ) -> Cycled:
        """Move nodes of all levels, coarsening and back; `labels` is not modified.

        The parameters are those of `local_moves`.
        """
        labels = labels.copy()
        n_labels = int(labels.max(initial=-1)) + 1
        with until_expired(cancel):
            path, clusters = _core.cycle(
                self.graph,
                self.nodes,
                labels,
                n_labels,
                objective.native,
                negligible,
                self.n_threads,
                draw_seed(random),
                cancel,
                self._remote_rounds(objective),
                self._conflicts,
            )
            return Cycled(labels, ClusterStats(*clusters), path)
        expired = self._expired(labels, objective)
        return Cycled(expired.labels, expired.stats, [expired.before, expired.after])

    def merge(
        self,
        groups: Labels,
        n_groups: int,
        objective: GraphObjective,
        *,
        random: Random,
        cancel: _core.CancellationToken | None,
        negligible: float = 0.0,
        stats: ClusterStats | None = None,
    ) -> Moved | None:
        """Move groups of nodes while that lowers J; each begins as a cluster of its own.

        The result has one label per group. It is None if the time limit has expired. `stats` is
        ``cluster_stats(groups)``, if it is known.
        """
        labels = np.arange(n_groups, dtype=LABEL)
        with until_expired(cancel):
            summary = _core.group_moves(
                self.graph,
                self.nodes,
                groups,
                labels,
                objective.native,
                negligible,
                self.n_threads,
                draw_seed(random),
                cancel,
                self._conflicts,
                None if stats is None else stats.arrays,
            )
            return Moved.compact(labels, *summary)
        return None

    @property
    def _conflicts(self) -> "_core._Conflicts | None":
        return None if self.conflicts is None else self.conflicts.native

    def _remote_rounds(self, objective: GraphObjective) -> "_core.RemoteGraphWorkers | None":
        return None if self.workers is None else self.workers.rounds(objective.native)

    def _expired(
        self, labels: Labels, objective: GraphObjective, pulls: Pulls | None = None
    ) -> Moved:
        """Return the labels at which the time limit expired; J is no higher than at the start."""
        pulled = 0.0 if pulls is None else pulls.value(labels)
        labels, n_clusters = compact_labels(labels)
        after = self.objective(labels, n_clusters, objective) + pulled
        return Moved(labels, self.cluster_stats(labels), after, after, moves=1)

    def coarsen(
        self,
        objective: GraphObjective,
        *,
        of_nodes: GraphObjective | None = None,
        random: Random,
        cancel: _core.CancellationToken | None,
        negligible: float = 0.0,
    ) -> Labels:
        """Coarsen from singletons: move nodes, aggregate clusters, repeat while J falls.

        If `of_nodes` is given, it takes the place of J while single nodes move. Returns the label
        of each node at the coarsest level.
        """
        of_nodes = objective if of_nodes is None else of_nodes
        groups = np.empty(self.n, dtype=LABEL)
        with until_expired(cancel):
            _core.coarsen(
                self.graph,
                self.nodes,
                groups,
                of_nodes.native,
                objective.native,
                negligible,
                self.n_threads,
                draw_seed(random),
                cancel,
                self._remote_rounds(of_nodes),
                self._conflicts,
            )
        return groups

    def divide(
        self,
        labels: Labels,
        objective: GraphObjective,
        divisible: npt.NDArray[np.bool_],
        *,
        random: Random,
        cancel: _core.CancellationToken | None,
    ) -> tuple[Labels, int]:
        """Divide clusters into subclusters where that lowers J, each on its own subgraph.

        Only clusters c with ``divisible[c]`` are tried. Returns the labels of the subclusters,
        and their number.
        """
        if self.workers is not None:
            return self.workers.divide(labels, divisible, objective.native, draw_seed(random))
        return _core.divide(
            self.graph,
            self.nodes,
            labels,
            len(divisible),
            divisible,
            objective.native,
            self.n_threads,
            draw_seed(random),
            cancel,
        )

    @cached_property
    def components(self) -> Labels:
        """Labels of the connected components."""
        return self.split_components(np.zeros(self.n, dtype=LABEL))[0]

    def split_components(
        self,
        labels: Labels,
        cancel: _core.CancellationToken | None = None,
        *,
        may_split: BoolArray | None = None,
    ) -> tuple[Labels, int]:
        """Return the connected components of each cluster, and their number.

        If `may_split` tells which clusters may be disconnected, the others stay whole.
        """
        return _core.split_components(self.graph, labels, self.n_threads, cancel, may_split)

    def margins(
        self,
        labels: Labels,
        objective: GraphObjective,
        *,
        limits: tuple[int, int] | None = None,
        pulls: Pulls | None = None,
        stats: ClusterStats | None = None,
    ) -> FloatArray:
        """Return, for each node, the increase of J by its best move to another cluster.

        Only moves within the limits of sizes count; infinite if there is none. Pulls are a part
        of J. `stats` is ``cluster_stats(labels)``, if it is known.
        """
        return _core.margins(
            self.graph,
            self.nodes,
            labels,
            int(labels.max(initial=-1)) + 1,
            objective.native,
            limits,
            None if pulls is None else pulls.native,
            self.n_threads,
            None,
            None if stats is None else stats.arrays,
        )

    def aggregate(
        self, labels: Labels, n_labels: int, cancel: _core.CancellationToken | None
    ) -> "Level":
        """Return the level whose nodes are the clusters.

        Aggregation is exact: a partition of the coarse level has the same J as the partition
        of the original nodes that it stands for.
        """
        threads, conflicts = self.n_threads, self.conflicts
        coarse = _core.aggregate(self.graph, self.nodes, labels, n_labels, threads, cancel)
        if conflicts is not None:
            conflicts = conflicts.aggregate(labels, n_labels)
        return Level(*coarse, n_threads=self.n_threads, conflicts=conflicts)

    def join(self, groups: Labels, n_groups: int) -> "Level":
        """Return the level whose nodes are groups, most of which are single nodes.

        It is that of `aggregate`. But if few edges join the same groups, those of an unweighted
        graph are not summed: weights would take three times the memory, and kernels take longer.
        """
        if self.graph[2] is not None or 2 * n_groups < self.n:
            return self.aggregate(groups, n_groups, None)
        joined = _core.join_nodes(self.graph, self.nodes, groups, n_groups, None)
        return Level(*joined, n_threads=self.n_threads)
