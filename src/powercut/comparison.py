"""How two partitions of the same things compare: how far they agree, whether they are nested."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy
from sklearn.metrics import adjusted_mutual_info_score

from powercut.partition import Labels, canonical_labels

IntArray = npt.NDArray[np.int64]

# Chance is computed exactly up to this many things times clusters, about a second's work.
EXACT_CHANCE = 10**8


@dataclass(frozen=True)
class Overlaps:
    """The pairs of clusters, one of each partition, that have members in common.

    Attributes
    ----------
    one, other : ndarray of int64
        The clusters of each pair, sorted by `one` and then by `other`.
    count : ndarray of int64
        How many members they share.
    """

    one: IntArray
    other: IntArray
    count: IntArray

    @classmethod
    def of(cls, one: Labels, other: Labels) -> "Overlaps":
        """Count the members that clusters share."""
        k = int(other.max(initial=-1)) + 1
        pair, count = np.unique(one.astype(np.int64) * k + other, return_counts=True)
        return cls(pair // max(k, 1), pair % max(k, 1), count)

    @property
    def mutual_information(self) -> float:
        """Nats that the cluster of a thing in one partition tells about that in the other."""
        total = float(self.count.sum())
        sizes = np.bincount(self.one, self.count)[self.one]
        sizes *= np.bincount(self.other, self.count)[self.other]
        return float(self.count @ np.log(self.count * total / sizes)) / total


def entropy(labels: Labels) -> float:
    """Return the nats that tell which cluster a thing is in."""
    share = np.bincount(labels) / len(labels)
    return float(-xlogy(share, share).sum())


def agreement(one: Labels, other: Labels) -> float:
    r"""Return the adjusted mutual information of two partitions.

    .. math:: \frac{I - \mathrm{E}[I]}{(H_1 + H_2) / 2 - \mathrm{E}[I]}

    with mutual information I and entropies H: 1 where the partitions are the same, near
    0 where they agree as much as chance makes partitions of these sizes agree. E[I] takes
    a time that grows with things times clusters; beyond `EXACT_CHANCE` it is the mutual
    information with the second partition shuffled once, always in the same way, which
    is as good as the mean over all shuffles where there are so many things.

    Parameters
    ----------
    one, other : ndarray of shape (n,), int32
        Compact labels.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut.comparison import agreement
    >>> one, other = np.array([0, 0, 0, 1, 1, 1]), np.array([1, 1, 1, 0, 0, 2])
    >>> agreement(one, one), round(agreement(one, other), 2)
    (1.0, 0.73)
    """
    if np.array_equal(canonical_labels(one), canonical_labels(other)):
        return 1.0
    if len(one) * (int(max(one.max(), other.max())) + 1) <= EXACT_CHANCE:
        return float(adjusted_mutual_info_score(one, other))
    shuffled = np.random.default_rng(0).permutation(other)
    chance = Overlaps.of(one, shuffled).mutual_information
    most = 0.5 * (entropy(one) + entropy(other))
    if most - chance <= 1e-12 * most:
        return 0.0  # single things in both, nearly: chance explains all
    return (Overlaps.of(one, other).mutual_information - chance) / (most - chance)


def is_nested(fine: Labels, coarse: Labels) -> bool:
    """Tell whether each cluster of the first partition lies inside one of the second.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut.comparison import is_nested
    >>> fine, coarse = np.array([0, 0, 1, 2]), np.array([0, 0, 0, 1])
    >>> is_nested(fine, coarse), is_nested(coarse, fine)
    (True, False)
    """
    return len(Overlaps.of(fine, coarse).one) == int(fine.max(initial=-1)) + 1


def coarsened(fine: Labels, coarse: Labels) -> Labels:
    """Merge whole clusters of one partition, to be as like a coarser one as that can be.

    Each cluster of `fine` goes to the cluster of `coarse` that most of its members are
    in, on a tie to the one of smallest label.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut.comparison import coarsened
    >>> coarsened(np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 1, 1]))
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    overlaps = Overlaps.of(fine, coarse)
    # The last of each cluster's pairs: the largest, and of several the smallest label.
    order = np.lexsort((-overlaps.other, overlaps.count, overlaps.one))
    target = np.empty(int(fine.max(initial=-1)) + 1, dtype=np.int64)
    target[overlaps.one[order]] = overlaps.other[order]
    return canonical_labels(target[fine])
