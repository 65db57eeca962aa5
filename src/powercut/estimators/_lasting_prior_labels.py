"""Prior labels of the nodes of a model, from one update to the next."""

from typing import Any

import numpy as np

from powercut._typing import IntArray, Labels, Positions
from powercut.estimators._common import set_optional
from powercut.estimators._graph_prior_labels import read_nats, read_prior_labels
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.graphs.prior_labels import PriorLabels
from powercut.graphs.pulls import Pulls
from powercut.search.known import FREE, Known
from powercut.search.objective import j_per_nat

NOTHING = Known(None, *np.empty((2, 0, 2), dtype=np.intp))
# Attributes of a model with prior labels.
OF_PRIOR_LABELS = ("_prior_labels", "_prior_nats", "prior_moved_")


class LastingPriorLabels:
    """The part of `PowerLawCut` that keeps prior labels."""

    labels_: Labels
    tradeoff_: float
    # Only if nodes have prior labels: those, -1 for nodes without; what they cost, and which nodes
    # are not in the cluster of theirs.
    _prior_labels: IntArray
    _prior_nats: float
    prior_moved_: Positions

    @property
    def _prior_labels_of_fit(self) -> dict[str, Any]:
        """Prior labels as arguments of `fit`."""
        if not hasattr(self, "_prior_labels"):
            return {}
        return {"prior_labels": self._prior_labels, "prior_nats": self._prior_nats}

    def _prior_labels_after(
        self, graph: Graph, before: Positions, known: Known, *, prior_labels: Any, prior_nats: Any
    ) -> PriorLabels | None:
        """Return the prior labels after an update that brings more; None if there are none.

        Parameters
        ----------
        graph : Graph
            The changed graph.
        before : ndarray of int
            The position of each of its nodes before the update, -1 if it came.
        known : Known
            Constraints in force. Nodes that are fixed now have no other label any more.
        prior_labels, prior_nats
            What the update brings.
        """
        if not hasattr(self, "_prior_labels"):
            return read_prior_labels(graph, known, prior_labels=prior_labels, prior_nats=prior_nats)
        nats = self._prior_nats if prior_nats is None else read_nats(prior_nats)
        more = read_prior_labels(graph, known, prior_labels=prior_labels, prior_nats=None)
        labels = np.full(len(before), FREE, dtype=np.int64)
        stays = np.flatnonzero(before >= 0)
        labels[stays] = self._prior_labels[before[stays]]
        if known.fixed is not None:
            labels[(known.fixed != FREE) & (known.fixed != labels)] = FREE
        if more is not None:
            labels = np.where(more.labels == FREE, labels, more.labels)
        return PriorLabels(labels, nats, known) if labels.max(initial=FREE) > FREE else None

    def _keep_prior_labels(self, prior: PriorLabels | None) -> None:
        """Keep the prior labels of a fit or an update, and tell which nodes left them."""
        kept: dict[str, Any] = {}
        if prior is not None:
            values = prior.labels, prior.nats, prior.moved(self.labels_)
            kept = dict(zip(OF_PRIOR_LABELS, values, strict=True))
        set_optional(self, OF_PRIOR_LABELS, kept)

    @property
    def _attracting(self) -> PriorLabels | None:
        """The prior labels; None if there are none."""
        if not hasattr(self, "_prior_labels"):
            return None
        return PriorLabels(self._prior_labels, self._prior_nats, getattr(self, "_known", NOTHING))

    def _pulls(self, level: Level, prior: PriorLabels | None) -> Pulls | None:
        """Return what prior labels add to margins; None if there are none."""
        if prior is None:
            return None
        homes, scale = prior.homes(self.labels_), j_per_nat(self.tradeoff_)
        return prior.pulls(level, homes, scale=scale, with_fixed=False)
