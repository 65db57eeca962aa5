"""Ids of clusters that last from one partition to the next, and what has changed between them."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from powercut._typing import Array, BoolArray, IntArray, Labels, Positions
from powercut._validation import check_whole
from powercut.graphs._frames import as_ends, make_frame
from powercut.partition import check_labels

# The largest id; labels beyond it would overflow when new ids are given out.
MOST_IDS = 2**62


@dataclass(frozen=True, repr=False)
class Matching:
    """The lasting ids of the clusters of a partition, and what has changed; see `match`.

    The last six attributes are the columns of `to_frame`, with one row for each id whose cluster
    is not the same as before.

    Attributes
    ----------
    ids : ndarray of shape (n,), int64
        Id of the cluster of each node of the new partition.
    cluster_ids : ndarray of shape (n_clusters,), int64
        Id of each new cluster, in ascending order of the new labels.
    next_id : int
        The smallest id that has never been used.
    id : ndarray of int64
        Ids of clusters that have changed, in ascending order.
    change : ndarray of str
        ``"split"``: a new cluster, most of whose members are from one old cluster; ``"born"``: any
        other new cluster. ``"merged"``: the cluster is gone, and most of its members are now in
        one other cluster; ``"died"``: any other cluster that is gone. ``"grown"``, ``"shrunk"``
        or, if its size is the same, ``"moved"``: a cluster with other members than before.
    other : ndarray of int64
        The cluster it was split from, or merged into; -1 for all other changes.
    before, after : ndarray of int64
        Number of members, 0 if the cluster did not or does not exist.
    kept : ndarray of int64
        Number of members before that still are members.
    """

    ids: IntArray
    cluster_ids: IntArray
    next_id: int
    id: IntArray
    change: Array
    other: IntArray
    before: IntArray
    after: IntArray
    kept: IntArray

    def columns(self) -> dict[str, Array]:
        """Return the columns of `to_frame`."""
        names = ("id", "change", "other", "before", "after", "kept")
        return {name: getattr(self, name) for name in names}

    def to_frame(self) -> Any:
        """Return the changes as a data frame of pandas, one row for each id."""
        return make_frame(self.columns(), None)

    def __repr__(self) -> str:
        changes = [f"{n} {name}" for name, n in sorted(Counter(self.change.tolist()).items())]
        size = f"{len(self.ids)} nodes in {len(self.cluster_ids)} clusters"
        return f"<Matching of {size}: {', '.join(changes) or 'no change'}>"


def match(
    old: npt.ArrayLike,
    new: npt.ArrayLike,
    *,
    old_nodes: npt.ArrayLike | None = None,
    new_nodes: npt.ArrayLike | None = None,
    next_id: int | None = None,
) -> Matching:
    """Give the clusters of a new partition the ids of the old clusters that they continue.

    Pairs of an old and a new cluster are taken by decreasing number of common members; the new
    cluster gets the id of the old one if neither has been matched before. So the largest part of a
    cluster that splits keeps the id, and clusters that merge keep the id of the one that has most
    members there. (It is the stable matching: no old and new cluster have more members in
    common with each other than each has with its own match. A matching of maximum total overlap
    would break both rules where clusters split and merge at once.) All other new clusters get ids
    that were never used. Pairs with equally many common members are taken by old id, then by the
    first member of the new cluster; the numbers of the new labels do not matter.

    Parameters
    ----------
    old : array-like of shape (n_old,), int
        Id of the cluster of each node before: labels of a fit, or `Matching.ids`.
    new : array-like of shape (n_new,), int
        Labels of the new partition.
    old_nodes, new_nodes : array-like of int or str, optional
        Names of the nodes of both partitions; nodes may come and go. By default the nodes of both
        are the same, in the same order.
    next_id : int, optional
        The first id for clusters that continue none. By default the largest of `old` plus 1; pass
        `Matching.next_id` of the match before, lest ids of clusters that died are used again.

    Returns
    -------
    Matching
        The ids, and a table of what has changed.

    Examples
    --------
    >>> from powercut import match
    >>> old = [0, 0, 0, 0, 0, 1, 1, 1]
    >>> found = match(old, [1, 1, 0, 0, 0, 2, 2, 2])
    >>> found.ids
    array([2, 2, 0, 0, 0, 1, 1, 1])
    >>> found.to_frame()
       id  change  other  before  after  kept
    0   0  shrunk     -1       5      3     3
    1   2   split      0       0      2     0

    Nodes that come and go have names:

    >>> match([4, 4], [0, 0, 0], old_nodes=["ann", "bob"], new_nodes=["bob", "carl", "dave"]).ids
    array([4, 4, 4])
    """
    old, new = np.asarray(old), np.asarray(new)
    olds, news = check_labels(old, old.size, "old"), check_labels(new, new.size, "new")
    first_free = int(old.max()) + 1 if old.size else 0
    if next_id is not None:
        first_free = check_whole(next_id, "next_id", min_val=first_free)
    if first_free > MOST_IDS:
        raise ValueError(f"the largest id is {first_free - 1}; ids must be below 2^62.")
    old_ids = _by_label(olds, old).astype(np.int64)
    before = positions_of_nodes(old.size, new.size, old_nodes, new_nodes)
    return match_labels(olds, old_ids, news, before, next_id=first_free)


def match_labels(
    olds: Labels,
    old_ids: IntArray,
    news: Labels,
    before: Positions,
    *,
    next_id: int,
    given: IntArray | None = None,
) -> Matching:
    """Match compact labels, with the id of each old one; see `match`.

    `before` is the old position of each new node, -1 for one that came. `given` are ids that new
    clusters must have, whatever their members were before; -1 for clusters that are matched.
    """
    overlaps = _Overlaps.of(olds, old_ids, news, before)
    if given is None:
        given = np.full(len(overlaps.new_sizes), -1)
    successor, predecessor = overlaps.matched(old_ids, given)
    next_id = max(next_id, int(given.max(initial=-1)) + 1)
    continues = predecessor >= 0
    ids = given.copy()
    ids[continues] = old_ids[predecessor[continues]]
    born = np.flatnonzero(ids < 0)
    # In the order of their first members, whatever their labels are.
    born = born[np.argsort(overlaps.first[born])]
    ids[born] = next_id + np.arange(len(born))
    changes = overlaps.changes(successor, old_ids, ids)
    return Matching(ids[news], ids, next_id + len(born), *changes)


@dataclass(frozen=True)
class _Overlaps:
    """Numbers of common members of the old and new clusters that have any, the largest first.

    `old`, `new` and `common` describe the pairs; `first` is the first member of each new cluster.
    """

    old: Positions
    new: Positions
    common: IntArray
    old_sizes: IntArray
    new_sizes: IntArray
    first: Positions

    @classmethod
    def of(cls, olds: Labels, old_ids: IntArray, news: Labels, before: Positions) -> "_Overlaps":
        """Count the common members of each pair; see `match_labels`."""
        old_sizes, new_sizes = np.bincount(olds), np.bincount(news)
        first = _by_label(news[::-1], np.arange(len(news))[::-1])
        stayed = before >= 0
        pairs = olds[before[stayed]], news[stayed]
        shape = len(old_sizes), len(new_sizes)
        table = sparse.coo_array((np.ones(len(pairs[0]), dtype=np.int64), pairs), shape=shape)
        table = table.tocsr().tocoo()  # which sums the members of each pair
        old, new = (np.asarray(ends, dtype=np.intp) for ends in table.coords)
        order = np.lexsort((first[new], old_ids[old], -table.data))
        return cls(old[order], new[order], table.data[order], old_sizes, new_sizes, first)

    def matched(self, old_ids: IntArray, given: IntArray) -> tuple[Positions, Positions]:
        """Return the new cluster that continues each old one, and the reverse; -1 if none does.

        A new cluster whose id is given continues the old one of that id, or none.
        """
        successor, predecessor = [-1] * len(self.old_sizes), [-1] * len(self.new_sizes)
        matched = given < 0
        _, those, named = np.intersect1d(old_ids, given, return_indices=True)
        for old, new in zip(those.tolist(), named.tolist(), strict=True):
            successor[old], predecessor[new] = new, old
        # A loop over lists: arrays would need as many passes as the longest chain of pairs.
        some = matched[self.new]
        for old, new in zip(self.old[some].tolist(), self.new[some].tolist(), strict=True):
            if successor[old] < 0 and predecessor[new] < 0:
                successor[old], predecessor[new] = new, old
        return np.array(successor, dtype=np.intp), np.array(predecessor, dtype=np.intp)

    def changes(
        self, successor: Positions, old_ids: IntArray, new_ids: IntArray
    ) -> tuple[IntArray, Array, IntArray, IntArray, IntArray, IntArray]:
        """Return the columns of the table of changes."""
        ids, at = np.unique(np.concatenate([old_ids, new_ids]), return_inverse=True)
        of_old, of_new = at[: len(old_ids)], at[len(old_ids) :]
        before, after, kept = (np.zeros(len(ids), dtype=np.int64) for _ in range(3))
        before[of_old], after[of_new] = self.old_sizes, self.new_sizes
        same = successor[self.old] == self.new
        kept[of_old[self.old[same]]] = self.common[same]
        change = np.full(len(ids), "moved", dtype=object)
        change[after > before], change[after < before] = "grown", "shrunk"
        change[before == 0], change[after == 0] = "born", "died"
        other = np.full(len(ids), -1, dtype=np.int64)
        merged = ~same & _most(self.common, self.old_sizes[self.old])
        split = ~same & _most(self.common, self.new_sizes[self.new])
        for kind, gone, those, mine, theirs, other_ids in (
            ("merged", "died", merged, of_old[self.old], self.new, new_ids),
            ("split", "born", split, of_new[self.new], self.old, old_ids),
        ):
            those = those & (change[mine] == gone)
            change[mine[those]], other[mine[those]] = kind, other_ids[theirs[those]]
        rows = np.flatnonzero((kept < before) | (kept < after))
        columns = ids, change, other, before, after, kept
        return tuple(column[rows] for column in columns)  # type: ignore[return-value]


def _most(common: IntArray, size: IntArray) -> BoolArray:
    return np.asarray(2 * common > size)


def _by_label(labels: Labels, values: Array) -> Array:
    """Return the value of a node of each label: of the last one."""
    found = np.empty(int(labels.max(initial=-1)) + 1, dtype=values.dtype)
    found[labels] = values
    return found


def positions_of_nodes(n_old: int, n_new: int, old_nodes: Any, new_nodes: Any) -> Positions:
    """Return the position of each new node among the old ones, -1 for one that came."""
    if old_nodes is None and new_nodes is None:
        if n_old != n_new:
            raise ValueError(
                f"old has {n_old} labels and new has {n_new}; if nodes have come or gone, name "
                "them all by old_nodes and new_nodes."
            )
        return np.arange(n_new, dtype=np.intp)
    if old_nodes is None or new_nodes is None:
        raise ValueError("old_nodes and new_nodes name the nodes of both partitions; give both.")
    olds, news = _names("old_nodes", old_nodes, n_old), _names("new_nodes", new_nodes, n_new)
    if len(olds) and len(news) and (olds.dtype == object) != (news.dtype == object):
        raise ValueError(
            "the nodes of one partition are numbers and those of the other strings; make them the "
            "same, such as by astype(str)."
        )
    place = _place("old_nodes", olds)
    _place("new_nodes", news)
    return np.fromiter((place.get(name, -1) for name in news.tolist()), np.intp, len(news))


def _names(name: str, nodes: Any, n: int) -> Array:
    names = as_ends(name, nodes)
    if names.shape != (n,):
        raise ValueError(f"{name} has shape {names.shape}; {n} names are needed, one per label.")
    return names


def _place(name: str, nodes: Array) -> dict[Any, int]:
    place = {node: at for at, node in enumerate(nodes.tolist())}
    if len(place) < len(nodes):
        twice = next(node for at, node in enumerate(nodes.tolist()) if place[node] != at)
        raise ValueError(f"{name} has {twice!r} more than once; a node has one label.")
    return place
