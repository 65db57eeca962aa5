"""What is known of the clusters before the search: nodes that must, or must not, share one.

Nodes, or points, that must share a cluster become one (`powercut.graphs.constraints`,
`powercut.vectors.constraints`). Nodes that must not share one are in conflict
(`powercut.search.conflicts`), and no move joins them. So every partition that the search sees keeps
all constraints, and its result does. Points are called nodes here, too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from powercut._typing import LABEL, IntArray, Labels
from powercut.search.conflicts import Conflicts
from powercut.search.known import FREE, Known


class ContradictionError(ValueError):
    """Constraints that no partition keeps.

    Attributes
    ----------
    chain : list of int
        Nodes each of which must share its cluster with the next; the two ends must not.
    labels : tuple of int, optional
        The labels at which the two ends are fixed; None if they cannot link.
    """

    def __init__(self, chain: list[int], labels: tuple[int, int] | None = None) -> None:
        self.chain, self.labels = chain, labels
        super().__init__(self.text(str))

    def text(self, name: Callable[[int], Any], kind: str = "node") -> str:
        """Return the message, with the names of the nodes, which are called `kind`."""
        if len(self.chain) == 1:
            return f"{kind} {name(self.chain[0])} cannot link with itself."
        first, *between, last = (str(name(node)) for node in self.chain)
        through = f" (through {', '.join(between)})" if between else ""
        wrong = (
            "cannot link"
            if self.labels is None
            else f"are fixed at the labels {self.labels[0]} and {self.labels[1]}"
        )
        return f"{kind}s {first} and {last} must link{through}, but they {wrong}."


@dataclass(frozen=True)
class Constraints:
    """Constraints that do not contradict each other.

    Attributes
    ----------
    groups : ndarray of int32
        The group of each node; the nodes of a group share a cluster.
    conflicts : Conflicts or None
        The groups that must not share a cluster.
    fixed : ndarray of int64 or None
        The label at which each node is fixed, -1 if it is free; None if all are.
    """

    groups: Labels
    conflicts: Conflicts | None
    fixed: IntArray | None

    @classmethod
    def of(cls, n: int, known: Known) -> "Constraints":
        """Check that what is known of n nodes does not contradict itself.

        Raises
        ------
        ContradictionError
            If no partition keeps them.

        Examples
        --------
        >>> import numpy as np
        >>> from powercut.search.constraints import Constraints
        >>> from powercut.search.known import Known
        >>> none = np.empty((0, 2), dtype=np.intp)
        >>> known = Known(np.array([4, -1, 4, 7]), np.array([[1, 3]]), none)
        >>> Constraints.of(4, known).groups
        array([0, 1, 0, 1], dtype=int32)
        """
        fixed, links, cannot_link = known.fixed, known.must_link, known.cannot_link
        if fixed is not None:
            nodes = np.flatnonzero(fixed != FREE)
            _, first, label = np.unique(fixed[nodes], return_index=True, return_inverse=True)
            links = np.concatenate([links, np.stack([nodes, nodes[first[label]]], axis=1)])
        ones = np.ones(len(links), dtype=np.int8)
        joined = coo_array((ones, (links[:, 0], links[:, 1])), shape=(n, n)).tocsr()
        n_groups, found = connected_components(joined, directed=False)
        groups: Labels = found.astype(LABEL)
        if fixed is not None:
            _check_fixed(groups, n_groups, fixed, joined)
        pairs = groups[cannot_link].astype(np.intp)
        wrong = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
        if len(wrong):
            raise ContradictionError(_chain(joined, *cannot_link[wrong[0]]))
        apart = np.zeros(n_groups, dtype=np.bool_)
        if fixed is not None:
            apart[groups[fixed != FREE]] = True
        is_free = np.count_nonzero(apart) < 2 and not len(pairs)
        return cls(groups, None if is_free else Conflicts.of(apart, pairs), fixed)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.groups.max(initial=-1)) + 1


def _check_fixed(groups: Labels, n_groups: int, fixed: IntArray, joined: Any) -> None:
    """Raise if a group has nodes that are fixed at different labels."""
    known = np.flatnonzero(fixed != FREE)
    one_of = np.zeros(n_groups, dtype=np.intp)
    one_of[groups[known]] = known
    other = known[fixed[known] != fixed[one_of[groups[known]]]]
    if not len(other):
        return
    chain = _chain(joined, other[0], one_of[groups[other[0]]])
    # The shortest part of it that has two labels.
    fixed_at = [at for at, node in enumerate(chain) if fixed[node] != FREE]
    differ = ((a, b) for a, b in pairwise(fixed_at) if fixed[chain[a]] != fixed[chain[b]])
    a, b = next(differ)
    raise ContradictionError(chain[a : b + 1], (int(fixed[chain[a]]), int(fixed[chain[b]])))


def _chain(joined: Any, first: int, last: int) -> list[int]:
    """Return the nodes of a shortest path between two nodes that are joined."""
    _, before = breadth_first_order(joined, last, directed=False)
    chain = [int(first)]
    while chain[-1] != last:
        chain.append(int(before[chain[-1]]))
    return chain
