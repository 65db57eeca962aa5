"""Nodes of a level, or points, that must not share a cluster. Points are called nodes, too."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from powercut import _core
from powercut._typing import LABEL, BoolArray, IntArray, Labels, Positions
from powercut.partition import compact_labels, separate


@dataclass(frozen=True)
class Conflicts:
    """Nodes of which a cluster may hold one at most, and pairs that it may not hold both of.

    Attributes
    ----------
    apart : ndarray of uint8
        1 for each node that shares its cluster with no other such node.
    indptr, indices : ndarrays of int64 and int32
        The nodes in conflict with each node, as a symmetric matrix in compressed rows.
    """

    apart: npt.NDArray[np.uint8]
    indptr: IntArray
    indices: Labels

    @classmethod
    def of(cls, apart: BoolArray, pairs: Positions) -> "Conflicts":
        """Make the table from the nodes that are apart, and pairs of shape (m, 2)."""
        n = len(apart)
        rows, columns = np.concatenate([pairs, pairs[:, ::-1]]).T
        entries = np.ones(len(rows), dtype=np.int8), (rows, columns)
        # Repeated pairs become one entry.
        matrix = csr_array(coo_array(entries, shape=(n, n)))
        indptr, indices = matrix.indptr.astype(np.int64), matrix.indices.astype(LABEL)
        return cls(apart.view(np.uint8), indptr, indices)

    @property
    def native(self) -> "_core._Conflicts":
        """The arrays, as native code takes them."""
        return self.apart, self.indptr, self.indices

    def aggregate(self, labels: Labels, n_labels: int) -> "Conflicts":
        """Return the conflicts between clusters, none of which may hold conflicting nodes."""
        return Conflicts(*_core.aggregate_conflicts(self.native, labels, n_labels))

    def some(self, nodes: Positions) -> "Conflicts":
        """Return the conflicts of some of the nodes."""
        n = len(self.apart)
        ones = np.ones(len(self.indices), dtype=np.int8)
        matrix = csr_array((ones, self.indices, self.indptr), shape=(n, n))[nodes][:, nodes]
        indptr, indices = matrix.indptr.astype(np.int64), matrix.indices.astype(LABEL)
        return Conflicts(self.apart[nodes], indptr, indices)

    def resolve(self, labels: Labels) -> Labels:
        """Make nodes singletons until no cluster holds conflicting ones; return compact labels.

        Of two that conflict, the one with the lower number stays.

        Examples
        --------
        >>> import numpy as np
        >>> from powercut.search.conflicts import Conflicts
        >>> apart = np.array([True, False, False, True, False])
        >>> conflicts = Conflicts.of(apart, np.array([[1, 2]]))
        >>> conflicts.resolve(np.zeros(5, dtype=np.int32))
        array([0, 0, 1, 2, 0], dtype=int32)
        """
        return compact_labels(separate(labels, self.superfluous(labels)))[0]

    def superfluous(self, labels: Labels) -> BoolArray:
        """Mark nodes without which no cluster holds conflicting ones; see `resolve`."""
        leaves = self.apart.astype(np.bool_)
        apart = np.flatnonzero(leaves)
        leaves[apart[np.unique(labels[apart], return_index=True)[1]]] = False
        rows = np.repeat(np.arange(len(labels)), np.diff(self.indptr))
        leaves[rows[(self.indices < rows) & (labels[self.indices] == labels[rows])]] = True
        return leaves

    def others(self, node: int) -> Labels:
        """Return the nodes in conflict with one; not those that are apart."""
        return self.indices[self.indptr[node] : self.indptr[node + 1]]


class MergingConflicts:
    """The conflicts between clusters that merge."""

    def __init__(self, conflicts: Conflicts) -> None:
        self._apart = conflicts.apart.astype(np.bool_)
        rows = np.split(conflicts.indices, conflicts.indptr[1:-1])
        self._others = [set(row.tolist()) for row in rows]

    def between(self, one: int, others: Positions) -> BoolArray:
        """Return which of `others` must not merge with `one`."""
        conflicting = self._others[one]
        listed = np.fromiter((other in conflicting for other in others.tolist()), np.bool_)
        return np.asarray(listed | (self._apart[one] & self._apart[others]))

    def merge(self, one: int, other: int) -> None:
        """Give the conflicts of `other` to `one`."""
        self._apart[one] |= self._apart[other]
        for third in self._others[other]:
            self._others[third].remove(other)
            self._others[third].add(one)
        self._others[one] |= self._others[other]
        self._others[other] = set()
