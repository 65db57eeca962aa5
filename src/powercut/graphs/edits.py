"""A graph with some nodes and edges added or removed.

The rows of the changed graph are spliced from those of the old one: one pass over its arrays,
without sorting or checking them again.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from powercut._typing import Array, BoolArray, FloatArray, Positions
from powercut.graphs._adjacency import CHUNK, Index, Weights, index_type, offset_type
from powercut.graphs.graph import Graph

# Most nodes, of which pairs have 64-bit numbers.
MOST_PAIRED = 3_037_000_499


@dataclass(frozen=True)
class Change:
    """What differs between two graphs: as much as was changed, however large they are.

    Nodes are numbered as those before, followed by those that came; nodes that go keep their
    numbers.

    Attributes
    ----------
    u, v : ndarrays of intp
        The ends of the edges that may differ, each edge once; none leads to a node that goes.
    weight : ndarray of bool, float32 or float64
        Their weights afterwards, 0 for no edge. Of the type of the weights of the graph; bool if
        it is unweighted.
    gone : ndarray of intp
        Nodes that go, with all their edges.
    n_came : int
        How many nodes come.
    """

    u: Positions
    v: Positions
    weight: Array
    gone: Positions
    n_came: int

    @property
    def n_entries(self) -> int:
        """How much has changed: entries of the matrix, of which an edge has two, and nodes."""
        loops = np.count_nonzero(self.u == self.v)
        return int(2 * len(self.u) - loops + len(self.gone) + self.n_came)

    def apply(self, graph: Graph) -> Graph:
        """Return the graph after the change."""
        n = graph.n_nodes
        known = np.flatnonzero((self.u < n) & (self.v < n))
        present = known[_find(graph, self.u[known], self.v[known])[1]]
        there = self.weight > 0
        weight = None if self.weight.dtype == np.bool_ else self.weight[there]
        if weight is not None and graph.weights is not None:
            # They were all 1 in between, and are of another type since.
            weights = graph.weights.astype(weight.dtype, copy=False)
            graph = Graph._of_rows(graph.indptr, graph.indices, weights)
        added = Graph.from_edges(
            self.u[there], self.v[there], weight, n_nodes=n + self.n_came, symmetrize="max"
        )
        removed = self.u[present], self.v[present]
        return edit(graph, added=added, removed=removed, gone=self.gone, sums=True).graph


@dataclass(frozen=True)
class Edited:
    """A graph after changes.

    Attributes
    ----------
    graph : Graph
        The graph. The nodes that stayed come first, in their old order, then those that came.
    before : ndarray of intp
        The old position of each node, -1 if it came.
    changed : ndarray of float64
        The weight of the edges of each node that were added or removed.
    lost : tuple of two ndarrays of intp
        The edges that were removed, with those of nodes that are gone, by their old positions;
        each once.
    change : Change
        The same changes, by what is there afterwards.
    """

    graph: Graph
    before: Positions
    changed: FloatArray
    lost: tuple[Positions, Positions]
    change: Change


class EdgeConflictError(ValueError):
    """An edge to remove that is not there, or an edge to add that is.

    Attributes
    ----------
    ends : tuple of int
        The two nodes.
    is_there : bool
        Whether there is such an edge.
    """

    def __init__(self, u: int, v: int, *, is_there: bool) -> None:
        super().__init__(f"there is {'an' if is_there else 'no'} edge between {u} and {v}")
        self.ends, self.is_there = (u, v), is_there


def edit(
    graph: Graph,
    *,
    added: Graph,
    removed: tuple[Positions, Positions],
    gone: Positions,
    sums: bool,
) -> Edited:
    """Return the graph without some edges and nodes, and then with others.

    Parameters
    ----------
    graph : Graph
        The graph before.
    added : Graph
        The edges to add, between nodes numbered as in `graph`, followed by nodes that come.
    removed : two ndarrays of intp
        The ends of the edges to remove, in either direction.
    gone : ndarray of intp
        Nodes to remove, with all their edges; they may be among those that come.
    sums : bool
        Whether the weight of an added edge that is there already is added to its weight.

    Raises
    ------
    EdgeConflictError
        If an edge to remove is not there, or an edge to add is there and weights are not summed.
    """
    n, n_all = graph.n_nodes, added.n_nodes
    if n_all > MOST_PAIRED:
        raise ValueError(f"edges change in graphs of up to {MOST_PAIRED:,} nodes, got {n_all:,}.")
    lost = _lost_entries(graph, removed, gone[gone < n])
    rows, columns, weights = _entries(added)
    known = np.flatnonzero((rows < n) & (columns < n))
    at = np.full(len(rows), graph.n_entries, dtype=np.int64)
    at[known], present = _find(graph, rows[known], columns[known])
    present &= ~np.isin(at[known], lost)
    grown, is_new = known[present], np.ones(len(rows), dtype=np.bool_)
    is_new[grown] = False
    if len(grown) and not sums:
        raise EdgeConflictError(int(rows[grown[0]]), int(columns[grown[0]]), is_there=True)
    # Nodes that come are last: at the end of a row, and in rows after all others.
    outward = np.flatnonzero((rows < n) & (columns >= n))
    at[outward] = graph.indptr[rows[outward] + 1]

    changed: FloatArray = np.bincount(rows, weights, minlength=n_all).astype(np.float64)
    length = np.zeros(n_all, dtype=np.int64)
    length[:n] = np.diff(graph.indptr)
    lost_rows = np.searchsorted(graph.indptr, lost, side="right") - 1
    np.subtract.at(length, lost_rows, 1)
    np.add.at(length, rows[is_new], 1)
    lost_weights = np.ones(len(lost)) if graph.weights is None else graph.weights[lost]
    changed += np.bincount(lost_rows, lost_weights, minlength=n_all)

    # Positions among the entries that are left.
    at -= np.searchsorted(lost, at)
    index = np.promote_types(graph.indices.dtype, index_type(n_all))
    known_indices = graph.indices.astype(index, copy=False)
    indices = _spliced(known_indices, lost, at[is_new], columns[is_new])
    data: Any = None
    if len(grown) or graph.weights is not None or added.weights is not None:
        data = _spliced(_weights_of(graph), lost, at[is_new], weights[is_new])
        shifts = np.searchsorted(at[is_new], at[grown], side="right")
        np.add.at(data, at[grown] + shifts, weights[grown])
        data = None if (data == 1).all() else data

    stays = np.ones(n_all, dtype=np.bool_)
    stays[gone] = False
    number = np.arange(n_all) if not len(gone) else np.cumsum(stays) - 1
    if len(gone):
        indices = number.astype(index)[indices]
    made = _graph_of(length[stays], indices, data)
    before = np.arange(n_all)
    before[n:] = -1
    u, v = _once((*removed, rows, columns), stays)
    change = Change(u, v, _weights_at(made, number[u], number[v]), np.unique(gone), n_all - n)
    once = lost_rows <= graph.indices[lost]
    lost_edges = lost_rows[once], graph.indices[lost[once]].astype(np.intp)
    return Edited(made, before[stays], changed[stays], lost_edges, change)


def _spliced(values: Array, lost: Positions, at: Positions, new: Array) -> Array:
    """Return an array without some items, and with new ones before positions of what is left.

    Positions are sorted. The work is done in chunks: the array may be mapped from a file, and as
    large as memory allows.
    """
    spliced = np.empty(len(values) - len(lost) + len(new), dtype=values.dtype)
    end = 0
    for first in range(0, max(1, len(values)), CHUNK):
        last = min(first + CHUNK, len(values))
        gone = slice(*np.searchsorted(lost, (first, last)))
        begins, ends = first - gone.start, last - gone.stop
        is_last = last == len(values)
        came = slice(*np.searchsorted(at, (begins, len(spliced) + 1 if is_last else ends)))
        kept = np.delete(values[first:last], lost[gone] - first)
        chunk = np.insert(kept, at[came] - begins, new[came])
        spliced[end : end + len(chunk)] = chunk
        end += len(chunk)
    return spliced


def _once(ends: tuple[Array, Array, Array, Array], stays: BoolArray) -> tuple[Positions, Positions]:
    """Return each edge of two lists once, in one order, without those of nodes that go."""
    u, v = (np.concatenate([ends[end], ends[end + 2]]).astype(np.int64) for end in (0, 1))
    kept = stays[u] & stays[v]
    u, v = np.minimum(u, v)[kept], np.maximum(u, v)[kept]
    n = max(1, len(stays))
    pairs = np.unique(u * n + v)
    return pairs // n, pairs % n


def _weights_at(graph: Graph, rows: Positions, columns: Positions) -> Array:
    """Return the weights of some entries, 0 where there is none; of type bool if unweighted."""
    at, present = _find(graph, rows, columns)
    if graph.weights is None:
        return present
    weights = np.zeros(len(at), dtype=graph.weights.dtype)
    weights[present] = graph.weights[at[present]]
    return weights


def _lost_entries(graph: Graph, removed: tuple[Positions, Positions], gone: Positions) -> Positions:
    """Return the positions of the entries to remove, sorted."""
    u, v = removed
    at, present = _find(graph, u, v)
    if not present.all():
        missing = int(np.argmin(present))
        raise EdgeConflictError(int(u[missing]), int(v[missing]), is_there=False)
    node, own = entries_of(graph.indptr, gone)
    mirrored = _find(graph, graph.indices[own], gone[node])[0]
    return np.unique(np.concatenate([at, _find(graph, v, u)[0], own, mirrored]))


def _find(graph: Graph, rows: Array, columns: Array) -> tuple[Positions, BoolArray]:
    """Return where the entries (rows, columns) are, or would be, and whether they are there."""
    low = graph.indptr[rows].astype(np.int64)
    end = graph.indptr[np.asarray(rows) + 1].astype(np.int64)
    high = end.copy()
    while (searching := low < high).any():  # binary search in all rows at once
        middle = (low + high) // 2
        less = np.zeros(len(low), dtype=np.bool_)
        less[searching] = graph.indices[middle[searching]] < columns[searching]
        low = np.where(searching & less, middle + 1, low)
        high = np.where(searching & ~less, middle, high)
    present = low < end
    present[present] = graph.indices[low[present]] == columns[present]
    return low, present


def entries_of(indptr: Index, nodes: Positions) -> tuple[Positions, Positions]:
    """Return all entries of some nodes: the index of each one's node in `nodes`, its position."""
    begin = indptr[nodes].astype(np.int64)
    length = indptr[nodes + 1] - begin
    index = np.repeat(np.arange(len(nodes)), length)
    offset = np.arange(len(index)) - np.repeat(np.cumsum(length) - length, length)
    return index, begin[index] + offset


def _entries(graph: Graph) -> tuple[Positions, Index, FloatArray]:
    rows = np.repeat(np.arange(graph.n_nodes), np.diff(graph.indptr))
    return rows, graph.indices, _weights_of(graph).astype(np.float64, copy=False)


def _weights_of(graph: Graph) -> Weights:
    return np.ones(graph.n_entries) if graph.weights is None else graph.weights


def _graph_of(length: Positions, indices: Index, weights: Weights | None) -> Graph:
    indptr: Any = np.zeros(len(length) + 1, dtype=offset_type(len(indices)))
    np.cumsum(length, out=indptr[1:])
    made = Graph._of_rows(indptr, indices, weights)
    made.check_sum()
    return made
