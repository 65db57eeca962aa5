"""Constraints as a user passes them to a fit: of nodes of a graph, or of points.

See `powercut.search.constraints`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from powercut._typing import Array, IntArray, Positions
from powercut.estimators._node_ids import NodeIds
from powercut.graphs._frames import as_ends, edges_of_frame, frame_library
from powercut.search.constraints import Constraints, ContradictionError
from powercut.search.known import FREE, Known

# Labels are also ids of clusters, which may be written to files as floating-point numbers.
MOST_LABELS = 2**53


def read_known(
    ids: NodeIds, *, fixed: Any = None, must_link: Any = None, cannot_link: Any = None
) -> Known:
    """Return the constraints that a user has passed; raise ValueError if they are invalid."""
    labels = None if fixed is None else read_labels(ids, "fixed", fixed)
    return Known(labels, _links(ids, must_link), _pairs(ids, cannot_link))


@dataclass(frozen=True)
class KnownPoints:
    """What is known of the clusters of points.

    Attributes
    ----------
    known : Known
        The constraints.
    constraints : Constraints
        What follows from them.
    """

    known: Known
    constraints: Constraints

    @classmethod
    def read(cls, n: int, given: Mapping[str, Any]) -> "KnownPoints | None":
        """Return the constraints of n points that a user has passed; None if there are none."""
        ids = point_ids(n)
        return cls.of(ids, read_known(ids, **given))

    @classmethod
    def of(cls, ids: NodeIds, known: Known) -> "KnownPoints | None":
        """Return constraints with what follows from them; None if there are none."""
        return None if known.is_empty else cls(known, checked_constraints(ids, known))


def point_ids(n: int) -> NodeIds:
    """Return the numbers of n points."""
    return NodeIds(None, n, "point")


def checked_constraints(ids: NodeIds, known: Known) -> Constraints:
    """Return what follows from constraints; raise ValueError if they contradict each other."""
    try:
        return Constraints.of(ids.n, known)
    except ContradictionError as error:
        text = error.text(lambda node: repr(ids.name(node)), ids.kind)
        raise ValueError(text) from error


def read_labels(ids: NodeIds, name: str, labels: Any) -> IntArray | None:
    """Return the label of each node that a user has passed, -1 if it is free; None if all are."""
    if isinstance(labels, Mapping):
        nodes = ids.known(name, _as_ids(ids, name, list(labels)))
        given = np.asarray(list(labels.values()))
        if given.ndim != 1:
            raise ValueError(f"{name} must map each {ids.kind} to one label.")
    else:
        nodes, given = np.arange(ids.n), np.asarray(labels)
        if given.shape != (ids.n,):
            raise ValueError(
                f"{name} has shape {given.shape}; {ids.n} labels are needed, one for each "
                f"{ids.kind}, -1 for {ids.kind}s that are free. A mapping needs those of the "
                "others only."
            )
    if given.size and given.dtype.kind not in "iu":
        raise ValueError(f"{name} must have integer labels, got dtype {given.dtype}.")
    wrong = np.flatnonzero((given < FREE) | (given >= MOST_LABELS))
    if len(wrong):
        raise ValueError(
            f"{name} has {given[wrong[0]]} for {ids.kind} {ids.name(nodes[wrong[0]])!r}; labels "
            f"are at least 0 and below 2**53, and -1 is for {ids.kind}s that are free."
        )
    read = np.full(ids.n, FREE, dtype=np.int64)
    read[nodes] = given
    return None if read.max(initial=FREE) == FREE else read


def _links(ids: NodeIds, must_link: Any) -> Positions:
    """Return pairs of the first node of each group with each of its nodes."""
    lengths, members = _groups(ids, "must_link", must_link)
    nodes = ids.known("must_link", members)
    first = np.cumsum(lengths) - lengths
    some = lengths > 0
    return np.stack([np.repeat(nodes[first[some]], lengths[some]), nodes], axis=1)


def _pairs(ids: NodeIds, cannot_link: Any) -> Positions:
    lengths, members = _groups(ids, "cannot_link", cannot_link)
    wrong = np.flatnonzero(lengths != 2)
    if len(wrong):
        raise ValueError(
            f"cannot_link[{wrong[0]}] has {lengths[wrong[0]]} {ids.kind}s; it has pairs of two."
        )
    return ids.known("cannot_link", members).reshape(-1, 2)


def _groups(ids: NodeIds, name: str, groups: Any) -> tuple[Positions, Array]:
    """Return the number of nodes of each group, and the ids of all nodes, group by group."""
    if groups is None:
        groups = []
    if frame_library(groups) is not None:
        u, v, weight = edges_of_frame(groups, None, None, None)
        if weight is not None:
            raise ValueError(
                f"{name} must be a table of two columns, a pair of {ids.kind}s in each row."
            )
        groups = np.stack([u, v], axis=1)
    if isinstance(groups, np.ndarray) and groups.ndim == 2:
        return np.full(len(groups), groups.shape[1]), _as_ids(ids, name, groups).ravel()
    if not isinstance(groups, Iterable):
        raise ValueError(
            f"{name} must be a sequence of pairs or groups of {ids.kind}s, got {groups!r}."
        )
    rows = list(groups)
    for at, row in enumerate(rows):
        if isinstance(row, str) or not hasattr(row, "__len__"):
            raise ValueError(
                f"{name}[{at}] is {row!r}; it must be a pair or a group of {ids.kind}s."
            )
    lengths = np.fromiter(map(len, rows), dtype=np.intp, count=len(rows))
    members = _as_ids(ids, name, list(chain.from_iterable(rows)))
    if members.ndim != 1:
        raise ValueError(f"{name} must be a sequence of pairs or groups of {ids.kind}s, no deeper.")
    return lengths, members


def _as_ids(ids: NodeIds, name: str, values: Any) -> Array:
    """Return ids as an array; points have no names."""
    array = np.asarray(values)
    if ids.kind == "point" and array.size and array.dtype.kind not in "iu":
        raise ValueError(
            f"{name} must have the row numbers of points, integers; got dtype {array.dtype}."
        )
    return as_ends(name, array)
