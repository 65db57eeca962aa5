"""What is known of the clusters, in terms of nodes, and what is left of it when nodes go."""

from dataclasses import dataclass

import numpy as np

from powercut._typing import IntArray, Labels, Positions

# The label of nodes that are not fixed.
FREE = -1


class FixedTwiceError(ValueError):
    """A node that is to be fixed at another label than the one it is fixed at.

    Attributes
    ----------
    node : int
        The node.
    labels : tuple of int
        The label in force, and the other one.
    """

    def __init__(self, node: int, labels: tuple[int, int]) -> None:
        super().__init__(f"node {node} is fixed at the labels {labels[0]} and {labels[1]}")
        self.node, self.labels = node, labels


@dataclass(frozen=True)
class Known:
    """Constraints as they were given; `powercut.search.constraints` has what follows from them.

    Attributes
    ----------
    fixed : ndarray of int64 or None
        Nodes with the same label share a cluster, nodes with different ones do not; -1 for nodes
        that are free. None if all are.
    must_link, cannot_link : ndarrays of shape (m, 2)
        Pairs of nodes that share a cluster, and pairs that do not.
    """

    fixed: IntArray | None
    must_link: Positions
    cannot_link: Positions

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known."""
        return self.fixed is None and not len(self.must_link) and not len(self.cannot_link)

    def cluster_ids(self, labels: Labels) -> IntArray:
        """Return an id of each cluster: the label at which nodes of it are fixed, or a new one."""
        ids = self.fixed_ids(labels)
        new = ids == FREE
        ids[new] = ids.max(initial=FREE) + 1 + np.arange(np.count_nonzero(new))
        return ids

    def fixed_ids(self, labels: Labels) -> IntArray:
        """Return the label at which nodes of each cluster are fixed; -1 if none is."""
        ids = np.full(int(labels.max(initial=-1)) + 1, FREE)
        if self.fixed is not None:
            nodes = self.fixed != FREE
            ids[labels[nodes]] = self.fixed[nodes]
        return ids

    def of_others(self, before: Positions, groups: Labels) -> "Known":
        """Return what is known after nodes have come and gone.

        A node that is gone leaves what was known of it to the first one left of its group. So all
        that followed for the nodes that are left still follows.

        Parameters
        ----------
        before : ndarray of intp
            The old position of each node, -1 if it came.
        groups : ndarray of int32
            The groups of old nodes that share a cluster.

        Examples
        --------
        >>> import numpy as np
        >>> from powercut.search.known import Known
        >>> known = Known(None, np.array([[0, 1], [1, 2]]), np.array([[1, 3]]))
        >>> left = known.of_others(np.array([0, 2, 3]), np.array([0, 0, 0, 1]))  # without node 1
        >>> left.must_link.tolist(), left.cannot_link.tolist()
        ([[0, 1]], [[0, 2]])
        """
        stays = np.flatnonzero(before >= 0)
        heirs = np.full(len(groups), -1, dtype=np.intp)  # at most one group per node
        heirs[groups[before[stays]][::-1]] = stays[::-1]
        place = heirs[groups]
        place[before[stays]] = stays
        fixed = None
        if self.fixed is not None:
            known = np.flatnonzero((self.fixed != FREE) & (place >= 0))
            fixed = np.full(len(before), FREE, dtype=np.int64)
            fixed[place[known]] = self.fixed[known]
        links, pairs = place[self.must_link], place[self.cannot_link]
        links = links[(links >= 0).all(axis=1) & (links[:, 0] != links[:, 1])]
        return Known(_some(fixed), links, pairs[(pairs >= 0).all(axis=1)])

    def with_more(self, more: "Known") -> "Known":
        """Return what is known with more of it, of the same nodes.

        Raises
        ------
        FixedTwiceError
            If a node would be fixed at two labels.
        """
        fixed = self.fixed if more.fixed is None else more.fixed
        if self.fixed is not None and more.fixed is not None:
            both = (self.fixed != FREE) & (more.fixed != FREE) & (self.fixed != more.fixed)
            if both.any():
                node = int(both.argmax())
                raise FixedTwiceError(node, (int(self.fixed[node]), int(more.fixed[node])))
            fixed = np.maximum(self.fixed, more.fixed)
        links = np.concatenate([self.must_link, more.must_link])
        return Known(fixed, links, np.concatenate([self.cannot_link, more.cannot_link]))


def _some(fixed: IntArray | None) -> IntArray | None:
    return None if fixed is None or fixed.max(initial=FREE) == FREE else fixed
