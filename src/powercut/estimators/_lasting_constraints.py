"""What is known of the clusters of a model, from one update to the next."""

import numpy as np

from powercut._typing import IntArray, Positions
from powercut.estimators._common import set_optional
from powercut.estimators._lasting_ids import LastingIds
from powercut.estimators._node_ids import NodeIds
from powercut.search.constraints import Constraints
from powercut.search.known import FixedTwiceError, Known


class LastingConstraints(LastingIds):
    """The part of a model that keeps constraints, and clusters with the ids that they give."""

    # Only if something is known.
    _known: Known

    def _known_after(self, ids: NodeIds, before: Positions, more: Known) -> Known:
        """Return the constraints in force after an update that brings more; raise if it cannot.

        Parameters
        ----------
        ids : NodeIds
            The nodes, or points, after the update.
        before : ndarray of int
            The position of each before it, -1 if it came.
        more : Known
            What the update brings.
        """
        if hasattr(self, "_known"):
            old = Constraints.of(len(self.labels_), self._known)
            more = _with_more(ids, self._known.of_others(before, old.groups), more)
        if more.fixed is not None:
            stays = np.flatnonzero(before >= 0)
            own = np.full(len(before), -1)
            own[stays] = self.cluster_ids_[self.labels_[before[stays]]]
            _check_labels_of_clusters(ids.kind, more.fixed, self.cluster_ids_, own)
        return more

    def _keep_known(self, known: Known | None) -> None:
        """Keep what is known after an update; nothing if it is empty."""
        is_known = known is not None and not known.is_empty
        set_optional(self, ("_known",), {"_known": known} if is_known else {})

    def _given_ids(self) -> IntArray | None:
        """Return the label at which members of each cluster are fixed, -1 if none is."""
        return self._known.fixed_ids(self.labels_) if hasattr(self, "_known") else None


def _with_more(ids: NodeIds, known: Known, more: Known) -> Known:
    """Return constraints in force and more of them; raise ValueError if labels contradict."""
    try:
        return known.with_more(more)
    except FixedTwiceError as error:
        label, other = error.labels
        raise ValueError(
            f"fixed has {other} for {ids.kind} {ids.name(error.node)!r}, which is fixed at {label} "
            "already."
        ) from error


def _check_labels_of_clusters(kind: str, fixed: IntArray, ids: IntArray, own: IntArray) -> None:
    """Raise if a label is the id of a cluster, and that of none of its nodes.

    Parameters
    ----------
    kind : str
        What nodes are called.
    fixed : ndarray of int64
        The label of each node, -1 if it is free.
    ids : ndarray of int64
        The ids of all clusters.
    own : ndarray of int64
        The id of the cluster that each node was in, -1 if it came.
    """
    wrong = np.setdiff1d(np.intersect1d(fixed, ids), fixed[fixed == own])
    if len(wrong):
        raise ValueError(
            f"fixed has the label {wrong[0]} for {kind}s none of which is in the cluster of that "
            f"id. Fix a {kind} of that cluster at it, too, or use a label that is no id in "
            "cluster_ids_."
        )
