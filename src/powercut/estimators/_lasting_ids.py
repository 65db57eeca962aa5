"""Ids of clusters that last from one update of a model to the next."""

import numpy as np

from powercut._typing import FloatArray, IntArray, Labels, Positions
from powercut._utils import cached_property
from powercut.estimators.matching import Matching, match_labels

# Attributes that only a model that was updated has.
LASTING = ("cluster_ids_", "changes_", "_next_id", "_untried")


class LastingIds:
    """The part of a model that gives its clusters ids, and says what an update has changed."""

    labels_: Labels
    n_clusters_: int
    changes_: Matching
    # How much of each cluster has changed since its division was last tried, for each member.
    _untried: FloatArray

    @cached_property
    def cluster_ids_(self) -> IntArray:
        """The lasting id of each cluster; the labels themselves after a fit."""
        return np.arange(self.n_clusters_)

    @cached_property
    def _next_id(self) -> int:
        return self.n_clusters_

    def _continue_ids(self, labels: Labels, ids: IntArray, next_id: int, before: Positions) -> None:
        """Give the clusters the ids of those that they continue, and set `changes_`.

        Parameters
        ----------
        labels, ids, next_id
            `labels_`, `cluster_ids_` and `_next_id` before the update.
        before : ndarray of int
            The position of each member among those of the old labels, -1 if it came.
        """
        found = match_labels(
            labels, ids, self.labels_, before, next_id=next_id, given=self._given_ids()
        )
        self.cluster_ids_, self._next_id, self.changes_ = found.cluster_ids, found.next_id, found

    def _given_ids(self) -> IntArray | None:
        """Return ids that clusters must have, -1 for any; None if all may have any."""
        return None
