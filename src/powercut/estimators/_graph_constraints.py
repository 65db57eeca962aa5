"""Constraints that a user passes to a fit or an update, by the ids of nodes.

See `powercut.graphs.constraints`.
"""

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from powercut._typing import Array, IntArray, Positions
from powercut.estimators._graph_changes import NodeIds
from powercut.graphs._frames import as_ends, edges_of_frame, frame_library
from powercut.graphs.constraints import Constraints, ContradictionError
from powercut.graphs.graph import Graph
from powercut.graphs.known import FREE, FixedTwiceError, Known

# Labels are also ids of clusters, which may be written to files as floating-point numbers.
MOST_LABELS = 2**53


def check_constrainable(estimator: Any, known: Mapping[str, Any]) -> None:
    """Raise if there are constraints, and a parameter of the estimator that does not keep them."""
    given = " and ".join(name for name, value in known.items() if value is not None)
    if not given:
        return
    if estimator.algorithm == "lloyd":
        raise ValueError(f"algorithm='lloyd' does not keep {given}: use 'multilevel'.")
    for name in ("min_size", "max_size"):
        if getattr(estimator, name) is not None:
            raise ValueError(f"{name} and {given} cannot be combined: leave one of them out.")
    if estimator.tree:
        raise ValueError(
            f"the levels of a tree do not keep {given}: fit with tree=False, and find the tree "
            "around the clusters with powercut.cluster_tree."
        )


def read_known(graph: Graph, *, fixed: Any, must_link: Any, cannot_link: Any) -> Known:
    """Return the constraints that a user has passed; raise ValueError if they are invalid."""
    ids = NodeIds(graph.names, graph.n_nodes)
    labels = None if fixed is None else read_labels(ids, "fixed", fixed)
    return Known(labels, _links(ids, must_link), _pairs(ids, cannot_link))


def constraints_of(graph: Graph, known: Known) -> Constraints | None:
    """Return what follows from constraints, None if there are none.

    Raises ValueError if they contradict each other.
    """
    if known.is_empty:
        return None
    if graph.workers is not None:
        raise ValueError(
            "fixed, must_link and cannot_link need the graph in memory, or in files; this one is "
            "read by remote workers."
        )
    ids = NodeIds(graph.names, graph.n_nodes)
    try:
        return Constraints.of(graph.n_nodes, known)
    except ContradictionError as error:
        raise ValueError(error.text(lambda node: repr(ids.name(node)))) from error


def with_more(graph: Graph, known: Known, more: Known) -> Known:
    """Return constraints in force and more of them; raise ValueError if labels contradict."""
    try:
        return known.with_more(more)
    except FixedTwiceError as error:
        name = NodeIds(graph.names, graph.n_nodes).name(error.node)
        label, other = error.labels
        raise ValueError(
            f"fixed has {other} for node {name!r}, which is fixed at {label} already."
        ) from error


def check_labels_of_clusters(fixed: IntArray, ids: IntArray, node_ids: IntArray) -> None:
    """Raise if a label is the id of a cluster, and that of none of its nodes.

    Parameters
    ----------
    fixed : ndarray of int64
        The label of each node, -1 if it is free.
    ids : ndarray of int64
        The ids of all clusters.
    node_ids : ndarray of int64
        The id of the cluster that each node was in, -1 if it came.
    """
    wrong = np.setdiff1d(np.intersect1d(fixed, ids), fixed[fixed == node_ids])
    if len(wrong):
        raise ValueError(
            f"fixed has the label {wrong[0]} for nodes none of which is in the cluster of that id. "
            "Fix a node of that cluster at it, too, or use a label that is no id in cluster_ids_."
        )


def by_id(graph: Graph, known: Known) -> dict[str, Any]:
    """Return constraints as arguments of `fit`."""
    links = {"must_link": known.must_link, "cannot_link": known.cannot_link}
    names = graph.names
    if names is not None:
        links = {name: names[pairs] for name, pairs in links.items()}
    return {"fixed": known.fixed, **links}


def read_labels(ids: NodeIds, name: str, labels: Any) -> IntArray | None:
    """Return the label of each node that a user has passed, -1 if it is free; None if all are."""
    if isinstance(labels, Mapping):
        nodes = ids.known(name, as_ends(name, list(labels)))
        given = np.asarray(list(labels.values()))
        if given.ndim != 1:
            raise ValueError(f"{name} must map each node to one label.")
    else:
        nodes, given = np.arange(ids.n), np.asarray(labels)
        if given.shape != (ids.n,):
            raise ValueError(
                f"{name} has shape {given.shape}; {ids.n} labels are needed, one for each node, -1 "
                "for nodes that are free. A mapping needs those of the others only."
            )
    if given.size and given.dtype.kind not in "iu":
        raise ValueError(f"{name} must have integer labels, got dtype {given.dtype}.")
    wrong = np.flatnonzero((given < FREE) | (given >= MOST_LABELS))
    if len(wrong):
        raise ValueError(
            f"{name} has {given[wrong[0]]} for node {ids.name(nodes[wrong[0]])!r}; labels are at "
            "least 0 and below 2**53, and -1 is for nodes that are free."
        )
    read = np.full(ids.n, FREE, dtype=np.int64)
    read[nodes] = given
    return None if read.max(initial=FREE) == FREE else read


def _links(ids: NodeIds, must_link: Any) -> Positions:
    """Return pairs of the first node of each group with each of its nodes."""
    lengths, members = _groups("must_link", must_link)
    nodes = ids.known("must_link", members)
    first = np.cumsum(lengths) - lengths
    some = lengths > 0
    return np.stack([np.repeat(nodes[first[some]], lengths[some]), nodes], axis=1)


def _pairs(ids: NodeIds, cannot_link: Any) -> Positions:
    lengths, members = _groups("cannot_link", cannot_link)
    wrong = np.flatnonzero(lengths != 2)
    if len(wrong):
        raise ValueError(
            f"cannot_link[{wrong[0]}] has {lengths[wrong[0]]} nodes; it has pairs of two."
        )
    return ids.known("cannot_link", members).reshape(-1, 2)


def _groups(name: str, groups: Any) -> tuple[Positions, Array]:
    """Return the number of nodes of each group, and the ids of all nodes, group by group."""
    if groups is None:
        groups = []
    if frame_library(groups) is not None:
        u, v, weight = edges_of_frame(groups, None, None, None)
        if weight is not None:
            raise ValueError(f"{name} must be a table of two columns, a pair of nodes in each row.")
        groups = np.stack([u, v], axis=1)
    if isinstance(groups, np.ndarray) and groups.ndim == 2:
        return np.full(len(groups), groups.shape[1]), as_ends(name, groups).ravel()
    if not isinstance(groups, Iterable):
        raise ValueError(f"{name} must be a sequence of pairs or groups of nodes, got {groups!r}.")
    rows = list(groups)
    for at, row in enumerate(rows):
        if isinstance(row, str) or not hasattr(row, "__len__"):
            raise ValueError(f"{name}[{at}] is {row!r}; it must be a pair or a group of nodes.")
    lengths = np.fromiter(map(len, rows), dtype=np.intp, count=len(rows))
    members = as_ends(name, list(chain.from_iterable(rows)))
    if members.ndim != 1:
        raise ValueError(f"{name} must be a sequence of pairs or groups of nodes, no deeper.")
    return lengths, members
