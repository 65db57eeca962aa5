"""Changes of a graph, by the ids of its nodes: their names, or their numbers if they have none."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from powercut._typing import Array, Positions
from powercut._utils import cached_property
from powercut.graphs._frames import as_ends, edges_of_frame, frame_library
from powercut.graphs.edits import EdgeConflictError, Edited, edit
from powercut.graphs.graph import Graph

NO_IDS: Array = np.empty(0, dtype=np.int64)


def changed_graph(
    graph: Graph, *, added: Any, removed: Any, added_nodes: Any, removed_nodes: Any
) -> Edited:
    """Return the graph after changes that a user has passed; see `PowerLawCut.update`."""
    u, v, weight = _edges("added", added)
    old_u, old_v, no_weight = _edges("removed", removed)
    if no_weight is not None:
        raise ValueError(
            "removed has weights, but edges are removed whole. To lower the weight of an edge, "
            "remove it, and add it with its new weight."
        )
    new_nodes, old_nodes = (
        _nodes("added_nodes", added_nodes),
        _nodes("removed_nodes", removed_nodes),
    )
    ids = NodeIds(graph.names, graph.n_nodes)
    gone = ids.known("removed_nodes", old_nodes)
    lost = ids.known("removed", old_u), ids.known("removed", old_v)
    there = np.flatnonzero(ids.find("added_nodes", new_nodes) >= 0)
    if len(there):
        node = new_nodes.tolist()[there[0]]
        raise ValueError(f"added_nodes has {node!r}, which is a node already.")
    newcomers = ids.unknown("added", np.concatenate([np.stack([u, v], axis=1).ravel(), new_nodes]))
    ends = ids.with_others(newcomers)
    rows, columns = ends.known("added", u), ends.known("added", v)
    both = np.concatenate([rows, columns])
    revived = both[np.isin(both, gone)]
    if len(revived):
        raise ValueError(f"{ends.name(revived[0])!r} is in removed_nodes, but has edges in added.")
    sums = weight is not None or graph.weights is not None
    more = Graph.from_edges(rows, columns, weight, n_nodes=ends.n, symmetrize="max")
    if more.n_repeats and not sums:
        raise ValueError(
            f"added has {more.n_repeats} edges more than once in the same direction. If edges are "
            "counted, give them weights: those of an edge are summed."
        )
    try:
        edited = edit(graph, added=more, removed=lost, gone=gone, sums=sums)
    except EdgeConflictError as error:
        one, other = (ends.name(end) for end in error.ends)
        if error.is_there:
            raise ValueError(
                f"added has an edge between {one!r} and {other!r}, and there is one already. If "
                "edges are counted, give them weights: those of an edge are summed."
            ) from error
        raise ValueError(
            f"removed has an edge between {one!r} and {other!r}, but there is none."
        ) from error
    edited.graph.names = ends.names_without(gone)
    edited.graph.frame_library = graph.frame_library
    return edited


@dataclass(frozen=True)
class NodeIds:
    """The ids of the nodes of a graph: their names; 0, 1, ... n - 1 if these are None."""

    names: Array | None
    n: int

    @cached_property
    def _sorted(self) -> tuple[Positions, Array]:
        assert self.names is not None
        order = np.argsort(self.names, kind="stable")
        return order, self.names[order]

    @cached_property
    def _place(self) -> dict[Any, int]:
        assert self.names is not None
        return {name: at for at, name in enumerate(self.names.tolist())}

    @property
    def _is_numbered(self) -> bool:
        return self.names is None or self.names.dtype.kind in "iu"

    def find(self, parameter: str, ids: Array) -> Positions:
        """Return the positions of nodes; -1 where there is no such node."""
        if not len(ids) or not self.n:
            return np.full(len(ids), -1, dtype=np.intp)
        if self._is_numbered != (ids.dtype.kind in "iu"):
            kinds = ("integers", "strings") if self._is_numbered else ("strings", "integers")
            raise ValueError(f"the nodes are {kinds[0]}, but {parameter} has {kinds[1]}.")
        if self.names is None:
            return np.where((ids >= 0) & (ids < self.n), ids, -1).astype(np.intp)
        if self._is_numbered:
            order, values = self._sorted
            at = np.minimum(np.searchsorted(values, ids), self.n - 1)
            return np.where(values[at] == ids, order[at], -1)
        place = self._place
        return np.fromiter((place.get(name, -1) for name in ids.tolist()), np.intp, len(ids))

    def known(self, parameter: str, ids: Array) -> Positions:
        """Return the positions of nodes; raise if there is no such node."""
        positions = self.find(parameter, ids)
        if len(ids) and positions.min() < 0:
            node = ids.tolist()[positions.argmin()]
            raise ValueError(f"{parameter} has {node!r}, which is not a node.")
        return positions

    def unknown(self, parameter: str, ids: Array) -> Array:
        """Return the ids that are not nodes: integers in ascending order, strings in theirs."""
        others = ids[self.find(parameter, ids) < 0]
        if others.dtype.kind in "iu":
            return np.unique(others)
        return np.array(list(dict.fromkeys(others.tolist())), dtype=object)

    def with_others(self, others: Array) -> "NodeIds":
        """Return the ids with others after them."""
        n = self.n + len(others)
        if not len(others) or (self.names is None and np.array_equal(others, range(self.n, n))):
            return NodeIds(self.names, n)
        names = np.arange(self.n) if self.names is None else self.names
        return NodeIds(np.concatenate([names, others]) if self.n else others, n)

    def name(self, position: int) -> Any:
        """Return the id of a node."""
        return int(position) if self.names is None else self.names.tolist()[position]

    def names_without(self, gone: Positions) -> Array | None:
        """Return the names of the nodes that stay; None if they are 0, 1, 2, ..."""
        if self.names is None and not len(gone):
            return None
        names = np.delete(np.arange(self.n) if self.names is None else self.names, gone)
        return None if np.array_equal(names, range(len(names))) else names


def _edges(name: str, edges: Any) -> tuple[Array, Array, Any]:
    """Return the ids of the two ends of each edge, and the weights, None if there are none."""
    if edges is None:
        return NO_IDS, NO_IDS, None
    if frame_library(edges) is not None:
        return edges_of_frame(edges, None, None, None)
    if not isinstance(edges, tuple) or len(edges) not in (2, 3):
        raise ValueError(
            f"{name} must be a table of two or three columns, or a tuple (u, v) or (u, v, weight) "
            f"of arrays, got {type(edges).__name__}."
        )
    u, v = (as_ends(name, ends) for ends in edges[:2])
    if u.shape != v.shape or u.ndim != 1:
        raise ValueError(f"{name} has ends of shapes {u.shape} and {v.shape}; u and v pair up.")
    return u, v, edges[2] if len(edges) == 3 else None


def _nodes(name: str, nodes: Any) -> Array:
    return NO_IDS if nodes is None else as_ends(name, nodes).ravel()
