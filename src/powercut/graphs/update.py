"""The search after a small change of a graph, from the clusters before.

A change of an edge matters to its two ends. They are visited first; a node that moves has its
neighbours visited, and so on. Moves of single nodes seldom divide a cluster or join two. Both are
tried once the weight of the edges of a cluster that have changed since the last trial is 3% of its
volume, so that the work of updates is in proportion to what has changed.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from powercut import _core
from powercut._typing import LABEL, BoolArray, FloatArray, Labels, Positions, Random
from powercut._utils import cached_property
from powercut.graphs.attracted_level import AttractedLevel
from powercut.graphs.block_model import BlockModel
from powercut.graphs.edits import entries_of
from powercut.graphs.level import Level, Moved
from powercut.graphs.prior_labels import PriorLabels
from powercut.graphs.scores import ClusterStats, GraphObjective
from powercut.partition import compact_labels
from powercut.progress import until_expired
from powercut.search.objective import SearchResult

# Division and joins of a cluster are tried when this share of its volume has changed.
DUE = 0.03
# Paths between pairs of nodes are searched while they read less than this share of all entries.
# After that a pass over the rows of the clusters that are left costs less.
MOST_FOR_PATHS = 0.25


@dataclass(frozen=True)
class Updated:
    """The result of an update.

    Attributes
    ----------
    found : SearchResult
        The labels, and J with the parameters estimated again.
    objective : GraphObjective
        J with these parameters.
    stats : ClusterStats
        The sums over each cluster.
    untried : ndarray of float64
        For each node, the weight of its changes since divisions and joins of its cluster were
        last tried.
    """

    found: SearchResult
    objective: GraphObjective
    stats: ClusterStats
    untried: FloatArray


@dataclass(frozen=True)
class UpdateSearch:
    """A search that visits what has changed.

    Attributes
    ----------
    level : Level
        The finest level of the changed graph. What it says of groups and of conflicts is kept.
    model : BlockModel
        The block model.
    connected : bool
        Whether every cluster is kept connected.
    inertia : float
        The gain, in nats, above which a node leaves its cluster.
    random : numpy.random.Generator
        The order in which nodes are visited.
    cancel : CancellationToken or None
        Cancellation token; when its time limit expires, the labels so far are returned.
    prior : PriorLabels or None
        Prior labels of the nodes of the graph.
    """

    level: Level
    model: BlockModel
    connected: bool
    inertia: float
    random: Random
    cancel: _core.CancellationToken | None = None
    prior: PriorLabels | None = None

    def run(
        self,
        labels: Labels,
        objective: GraphObjective,
        *,
        came: BoolArray,
        changed: FloatArray,
        untried: FloatArray,
        cuts: tuple[Positions, Positions] | None,
    ) -> Updated:
        """Improve the clusters of a graph before it changed.

        All arrays are those of the nodes of the graph, and so are the results.

        Parameters
        ----------
        labels : ndarray of int32
            The clusters before. Nodes that came, or have no neighbours, are singletons. They need
            not keep groups, or conflicts.
        objective : GraphObjective
            J with the parameters estimated before.
        came : ndarray of bool
            Whether each node was not there before.
        changed : ndarray of float64
            The weight of the changed edges of each node.
        untried : ndarray of float64
            The changes before these of each node; see `Updated`.
        cuts : tuple of two ndarrays of intp, or None
            Pairs of nodes of one cluster, between which there may no longer be a path; every
            cluster whose pairs have paths is connected. See `possible_cuts`. None if nothing is
            known of the clusters before.
        """
        labels, relabelled = _contracted(self.level, labels)
        first = (self.level.summed(changed) > 0) | relabelled
        if self._attracted is not None:
            labels, homes = self._attracted.connect(labels)
            first |= self.level.summed((homes >= 0) & (homes != self.level.expand(labels))) > 0
        elif cuts is None or relabelled.any():
            labels = self._split(labels)
        else:
            labels = self._split_at(labels, *cuts)
        moved = self._move(labels, objective, first)
        best, untried = moved, untried + changed
        start, stats = self._group_newcomers(moved, self.level.summed(came))
        objective = self.model.estimate(stats) if len(labels) else objective
        weight = self.level.summed(untried)
        due = np.bincount(start, weight, len(stats.counts)) > DUE * stats.volume
        if due.any() and not (self.cancel and self.cancel.expired()):
            is_new = stats is not moved.stats
            regrouped = self._regroup(start, objective, due, inside=stats.inside, is_new=is_new)
            if regrouped and self._value(regrouped, objective) < self._value(moved, objective):
                best = regrouped
            untried[self.level.expand(due[start])] = 0.0
        path = np.array([self._value(each, objective) for each in (moved, best)])
        found = SearchResult(self.level.expand(best.labels), float(path[-1]), path)
        return Updated(found, objective, best.stats, untried)

    @cached_property
    def _attracted(self) -> AttractedLevel | None:
        if self.prior is None:
            return None
        return AttractedLevel(self.level, self.prior, self.connected)

    def _value(self, moved: Moved, objective: GraphObjective) -> float:
        """Return J, with what prior labels cost."""
        j = objective.value(moved.stats)
        if self._attracted is not None:
            j += self._attracted.cost(moved.labels, objective)
        return j

    def _move(self, labels: Labels, objective: GraphObjective, first: BoolArray) -> Moved:
        pulls = None
        if self._attracted is not None:
            labels, homes = self._attracted.connect(labels)
            pulls = self._attracted.pulls(homes, objective)
        moved = self.level.local_moves(
            labels,
            objective,
            random=self.random,
            cancel=self.cancel,
            keep_connected=self.connected,
            first=first,
            inertia=self.inertia * objective.regulariser.tradeoff,
            pulls=pulls,
        )
        if self._attracted is not None:  # homes at which nodes counted as connected may be others
            labels = self._attracted.connect(moved.labels)[0]
            if labels is not moved.labels:
                return replace(moved, labels=labels, stats=self.level.cluster_stats(labels))
        return moved

    def _split(self, labels: Labels, may_split: BoolArray | None = None) -> Labels:
        """Split clusters into their components, if they are to be connected.

        `may_split` tells which of the clusters may be disconnected; by default, all of them.
        """
        if not self.connected:
            return labels
        return self.level.split_components(labels, may_split=may_split)[0]

    def _split_at(self, labels: Labels, u: Positions, v: Positions) -> Labels:
        """Split the clusters in which no path leads from one node of a pair to the other."""
        if not self.connected or not len(u):
            return labels
        ends = u.astype(LABEL), v.astype(LABEL)
        most = int(MOST_FOR_PATHS * self.level.n_entries)
        separated = _core.find_separated(self.level.graph, labels, *ends, most, None) > 0
        if not separated.any():
            return labels
        may_split = np.zeros(int(labels.max()) + 1, dtype=np.bool_)
        may_split[labels[u[separated]]] = True
        return self._split(labels, may_split)

    def _group_newcomers(self, moved: Moved, came: FloatArray) -> tuple[Labels, ClusterStats]:
        """Join the clusters that only have nodes that came, if edges lead from one to another.

        They grew from singletons, and moves of single nodes end with pieces of clusters. A division
        of all of them together finds the clusters. Returns labels, and the sums over each cluster.
        `came` is the number of nodes that came, of those that belong to each node of the level.
        """
        labels, k = moved.labels, moved.n_clusters
        fresh = np.bincount(labels, came, k) == moved.stats.counts
        if np.count_nonzero(fresh) < 2:
            return labels, moved.stats
        joined = fresh[labels]
        together = np.where(joined, LABEL(k), labels)
        components = self.level.split_components(together)[0]
        together[joined] = k + compact_labels(components[joined])[0]
        together = compact_labels(together)[0]
        if self.level.conflicts is not None:
            together = self._split(self.level.allow(together))
        return together, self.level.cluster_stats(together)

    def _regroup(
        self,
        labels: Labels,
        objective: GraphObjective,
        due: BoolArray,
        *,
        inside: FloatArray,
        is_new: bool,
    ) -> Moved | None:
        """Divide clusters, join them and their parts to others, and move their nodes.

        None if nothing was divided or joined, and the labels are not new.
        """
        parts, n_parts = labels, len(due)
        with until_expired(self.cancel):
            parts, n_parts = self.level.divide(
                labels, objective, due, random=self.random, cancel=self.cancel
            )
        whole = np.empty(n_parts, dtype=LABEL)
        whole[parts] = labels
        clusters = aggregate_around(self.level, parts, due[whole], inside=inside[whole])
        pulls = None
        if self._attracted is not None:
            pulls = self._attracted.pulls(self._attracted.homes(parts), objective)
            pulls = pulls.aggregate(parts, n_parts)
        joined = clusters.local_moves(
            np.arange(n_parts, dtype=LABEL),
            objective,
            random=self.random,
            cancel=self.cancel,
            first=due[whole],
            pulls=pulls,
        )
        if np.array_equal(joined.labels, whole) and not is_new:
            return None
        together = joined.labels[parts]
        if self.prior is None:
            # Parts need not be connected, and one that was between two others may have left them.
            may_split = np.bincount(joined.labels, minlength=joined.n_clusters) > 1
            may_split[joined.labels[due[whole]]] = True
            together = self._split(together, may_split)
        return self._move(together, objective, due[labels])


def possible_cuts(
    lost: tuple[Positions, Positions], labels: Labels, number: Positions
) -> tuple[Positions, Positions]:
    """Return pairs of nodes such that a cluster is connected if there is a path between each.

    The lost edges inside clusters, with the nodes that are gone, have components. A path inside a
    cluster that was there before leads along edges that are left and through such components, and
    enters and leaves these by nodes that are left. So a cluster that was connected still is if the
    nodes that are left of each component are connected with each other.

    Parameters
    ----------
    lost : tuple of two ndarrays of intp
        The edges that were there before, and are not afterwards.
    labels : ndarray of int32
        Connected clusters of the nodes before.
    number : ndarray of intp
        The number afterwards of each of these nodes, -1 if it has left its cluster.

    Returns
    -------
    u, v : ndarrays of intp
        The pairs, by their numbers afterwards.

    Examples
    --------
    Of a path of four nodes, the second is gone:

    >>> import numpy as np
    >>> from powercut.graphs.update import possible_cuts
    >>> lost = np.array([0, 1]), np.array([1, 2])
    >>> possible_cuts(lost, np.zeros(4, dtype=np.int32), np.array([0, -1, 1, 2]))
    (array([0]), array([1]))
    """
    inside = labels[lost[0]] == labels[lost[1]]
    ends = np.concatenate([lost[0][inside], lost[1][inside]])
    nodes, place = np.unique(ends, return_inverse=True)
    edges = tuple(place.reshape(2, -1))
    matrix = coo_array((np.ones(len(edges[0])), edges), shape=(len(nodes), len(nodes)))
    component = connected_components(matrix, directed=False)[1]
    left = number[nodes] >= 0
    nodes, component = number[nodes[left]], component[left]
    order = np.argsort(component, kind="stable")
    nodes, component = nodes[order], component[order]
    together = component[1:] == component[:-1]
    return nodes[:-1][together], nodes[1:][together]


def aggregate_around(level: Level, labels: Labels, some: BoolArray, *, inside: FloatArray) -> Level:
    """Return the level whose nodes are clusters, without the edges that lead to none of `some`.

    So it is made from the rows of few nodes. Moves from and to these clusters have the same change
    of J as on the level of `Level.aggregate`, unless other clusters have joined. `inside` is the
    weight inside each of the other clusters.
    """
    k = len(some)
    indptr, indices, weights = level.graph
    assert indptr is not None  # not a dense matrix
    assert indices is not None
    members = np.flatnonzero(some[labels])
    node, at = entries_of(indptr, members)
    rows, columns = labels[members[node]], labels[indices[at]]
    data = np.ones(len(at)) if weights is None else weights[at].astype(np.float64)
    outward, others = ~some[columns], np.flatnonzero(~some)
    entries = (
        np.concatenate([data, data[outward], inside[others]]),
        (
            np.concatenate([rows, columns[outward], others]),
            np.concatenate([columns, rows[outward], others]),
        ),
    )
    matrix = csr_array(coo_array(entries, shape=(k, k)))
    matrix.sum_duplicates()
    volume, weight, count = level.nodes
    size = count if weight is None else weight
    volumes, sizes, counts = (np.bincount(labels, sums, k) for sums in (volume, size, count))
    nodes = volumes.astype(np.float64), sizes.astype(np.float64), counts.astype(np.int64)
    conflicts = None if level.conflicts is None else level.conflicts.aggregate(labels, k)
    return Level((matrix.indptr, matrix.indices, matrix.data), nodes, conflicts=conflicts)


def _contracted(level: Level, labels: Labels) -> tuple[Labels, BoolArray]:
    """Return labels of the nodes of a level, and which of these are no longer where they were.

    These belong together, but were in different clusters, or were in one with a node that they are
    in conflict with.
    """
    joined = level.first_labels(labels)
    allowed = level.allow(joined)
    moved: BoolArray = level.summed(labels != level.expand(joined)) > 0
    if level.conflicts is not None:
        moved |= (np.bincount(allowed)[allowed] == 1) & (np.bincount(joined)[joined] > 1)
    return compact_labels(allowed)[0], moved
