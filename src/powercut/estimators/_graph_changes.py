"""Changes of a graph, by the ids of its nodes: their names, or their numbers if they have none."""

from typing import Any

import numpy as np

from powercut._typing import Array
from powercut.estimators._node_ids import NodeIds
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
