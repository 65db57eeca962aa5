"""Labels of a partition, in one canonical form."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut._typing import LABEL, Labels

# A cluster has changed if more than this share of its nodes is new or has left.
MAX_CHANGE = 0.1
# Labels up to this many times their number are looked up in a table.
MOST_UNUSED = 16


def compact_labels(labels: npt.ArrayLike) -> tuple[Labels, int]:
    """Renumber labels to 0, 1, ..., k - 1, preserving their order; return them and k.

    Examples
    --------
    >>> from powercut.partition import compact_labels
    >>> compact_labels([7, 3, 7])
    (array([1, 0, 1], dtype=int32), 2)
    """
    array = np.asarray(labels)
    if array.dtype.kind in "iu":
        # There is no need to sort labels that are not much larger than their number.
        most = min(MOST_UNUSED * array.size, np.iinfo(LABEL).max)
        if array.dtype != LABEL and 0 <= array.min(initial=0) <= array.max(initial=0) <= most:
            array = array.astype(LABEL)
        if array.dtype == LABEL and array.ndim == 1:
            compact = _core.compact_labels(np.ascontiguousarray(array), most)
            if compact is not None:
                return compact
    values, inverse = np.unique(array, return_inverse=True)
    return inverse.astype(LABEL), len(values)


def canonical_labels(labels: npt.ArrayLike) -> Labels:
    """Renumber clusters by decreasing size, ties by their smallest member.

    Labels of equal partitions become equal arrays.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Any sortable values; equal values mean the same cluster.

    Returns
    -------
    ndarray of shape (n,), int32

    Examples
    --------
    >>> from powercut.partition import canonical_labels
    >>> canonical_labels([5, 2, 2, 9])
    array([1, 0, 0, 2], dtype=int32)
    """
    compact, k = compact_labels(labels)
    sizes = np.bincount(compact, minlength=k)
    first = np.empty(k, dtype=np.int64)
    first[compact[::-1]] = np.arange(len(compact) - 1, -1, -1)
    rank = np.empty(k, dtype=LABEL)
    rank[np.lexsort((first, -sizes))] = np.arange(k, dtype=LABEL)
    return rank[compact]


def common_refinement(partitions: Sequence[Labels] | Labels) -> tuple[Labels, int]:
    """Return the coarsest partition that refines all the given ones, and its number of groups.

    Two nodes are in one group if they share a cluster in every partition.

    Examples
    --------
    >>> import numpy as np
    >>> common_refinement(np.array([[0, 0, 0, 1], [0, 0, 1, 1]], dtype=np.int32))
    (array([0, 0, 1, 2], dtype=int32), 3)
    """
    groups, n_groups = compact_labels(partitions[0])
    for labels in partitions[1:]:
        n_labels = int(labels.max(initial=-1)) + 1
        groups, n_groups = compact_labels(n_labels * groups.astype(np.int64) + labels)
    return groups, n_groups


def separate(labels: Labels, singleton: npt.NDArray[np.bool_]) -> Labels:
    """Make each node that is marked in `singleton` a cluster of its own."""
    if not singleton.any():
        return labels
    separated: Labels = labels.copy()
    n_singletons = int(np.count_nonzero(singleton))
    start = int(labels.max(initial=-1)) + 1
    separated[singleton] = np.arange(start, start + n_singletons, dtype=LABEL)
    return separated


def changed_clusters(before: Labels, now: Labels) -> npt.NDArray[np.bool_]:
    """Mark the clusters of `now` that differ from every cluster of `before` by more than a tenth.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut.partition import changed_clusters
    >>> changed_clusters(np.array([0, 0, 1, 1, 2]), np.array([1, 1, 0, 0, 0]))
    array([ True, False])
    """
    sizes, sizes_before = np.bincount(now), np.bincount(before)
    one_before = np.empty(len(sizes), dtype=LABEL)
    one_before[now] = before  # the cluster that a cluster's last member was in
    shared = np.bincount(now[one_before[now] == before], minlength=len(sizes))
    return shared < (1 - MAX_CHANGE) * np.maximum(sizes, sizes_before[one_before])


def check_labels(labels: Any, n: int, name: str) -> Labels:
    """Return the labels of n rows that a user passed, made compact; raise if they are invalid."""
    array = np.asarray(labels)
    if array.dtype.kind not in "iu" and array.size:
        raise ValueError(f"{name} must hold integer labels, got dtype {array.dtype}.")
    if array.shape != (n,):
        raise ValueError(
            f"{name} has shape {array.shape}; {n} labels are needed, one for each row."
        )
    if array.min(initial=0) < 0:
        at = int(np.argmax(array < 0))
        raise ValueError(f"{name}[{at}] is {array[at]}; labels must not be negative.")
    return compact_labels(array)[0]
