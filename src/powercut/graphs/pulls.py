"""Clusters that attract nodes of a level."""

from dataclasses import dataclass

import numpy as np

from powercut import _core
from powercut._typing import LABEL, Array, BoolArray, FloatArray, IntArray, Labels, Positions


@dataclass(frozen=True)
class Pulls:
    """The homes of nodes: clusters outside of which a node raises J.

    Attributes
    ----------
    indptr, homes : ndarrays of int64 and int32
        The homes of each node, as a matrix in compressed rows. A node may have several.
    nats : ndarray of float64
        What J rises by if the node is not in that home.
    """

    indptr: IntArray
    homes: Labels
    nats: FloatArray

    @classmethod
    def of(cls, n: int, nodes: Array, homes: Labels, nats: FloatArray) -> "Pulls":
        """Make the table of n nodes from a node, a home and the nats of each pull.

        Examples
        --------
        >>> import numpy as np
        >>> from powercut.graphs.pulls import Pulls
        >>> nodes, homes = np.array([2, 0, 2]), np.array([1, 4, 1], dtype=np.int32)
        >>> pulls = Pulls.of(3, nodes, homes, np.full(3, 0.5))
        >>> pulls.indptr, pulls.homes, pulls.nats
        (array([0, 1, 1, 2]), array([4, 1], dtype=int32), array([0.5, 1. ]))
        """
        k = int(homes.max(initial=-1)) + 1
        pairs, inverse = np.unique(nodes.astype(np.int64) * k + homes, return_inverse=True)
        indptr = np.zeros(n + 1, dtype=np.int64)
        rows, columns = np.divmod(pairs, max(k, 1))
        np.cumsum(np.bincount(rows, minlength=n), out=indptr[1:])
        sums = np.bincount(inverse, nats, len(pairs)).astype(np.float64, copy=False)
        return cls(indptr, columns.astype(LABEL), sums)

    @property
    def native(self) -> "_core._Pulls":
        """The arrays, as native code takes them."""
        return self.indptr, self.homes, self.nats

    @property
    def pulled(self) -> BoolArray:
        """Which nodes have a home."""
        return np.diff(self.indptr) > 0

    @property
    def _rows(self) -> Positions:
        return np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))

    def aggregate(self, labels: Labels, n_labels: int) -> "Pulls":
        """Return the pulls on clusters, which are the sums of those on their nodes."""
        return Pulls.of(n_labels, labels[self._rows], self.homes, self.nats)

    def value(self, labels: Labels) -> float:
        """Return what the pulls add to J."""
        return float(self.nats[labels[self._rows] != self.homes].sum())

    def at_home(self, labels: Labels) -> Positions:
        """Return the nodes that are in a home of theirs."""
        return np.asarray(self._rows[labels[self._rows] == self.homes])

    def connect(self, labels: Labels, parts: Labels) -> Labels:
        """Join parts of clusters that hold nodes at home: these count as connected.

        Parameters
        ----------
        labels : ndarray of int32
            The cluster of each node.
        parts : ndarray of int32
            The connected part of its cluster that each node is in.
        """
        nodes = self.at_home(labels)
        one_of = np.zeros(int(labels.max(initial=-1)) + 1, dtype=LABEL)
        one_of[labels[nodes]] = parts[nodes]
        joined = np.arange(int(parts.max(initial=-1)) + 1, dtype=LABEL)
        joined[parts[nodes]] = one_of[labels[nodes]]
        return joined[parts]
