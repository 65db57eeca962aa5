"""Comparison of two partitions of the same items: agreement and nesting."""

from typing import Any

import numpy as np
from scipy.stats import entropy
from sklearn.metrics import adjusted_mutual_info_score, mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

from powercut._typing import Labels
from powercut.partition import canonical_labels

# E[I] is computed exactly up to this product of items and clusters, which takes about a second.
EXACT_CHANCE = 10**8


def overlaps(one: Labels, other: Labels) -> Any:
    """Return the sparse contingency matrix of two partitions, given by compact labels."""
    return contingency_matrix(one, other, sparse=True)


def agreement(one: Labels, other: Labels) -> float:
    r"""Return the adjusted mutual information of two partitions.

    .. math:: \frac{I - \mathrm{E}[I]}{(H_1 + H_2) / 2 - \mathrm{E}[I]}

    with mutual information I and entropies H: 1 if the partitions are equal, near 0 if they
    agree no more than random partitions with the same cluster sizes. The time for E[I] grows
    with the number of items times the number of clusters. Where that product exceeds 1e8,
    E[I] is estimated from a single fixed shuffle of the second partition, which is as good as
    the mean over all shuffles for that many items.

    Parameters
    ----------
    one, other : ndarray of shape (n,), int32
        Compact labels.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut.results.comparison import agreement
    >>> one, other = np.array([0, 0, 0, 1, 1, 1]), np.array([1, 1, 1, 0, 0, 2])
    >>> agreement(one, one), round(agreement(one, other), 2)
    (1.0, 0.73)
    """
    if np.array_equal(canonical_labels(one), canonical_labels(other)):
        return 1.0
    if len(one) * (int(max(one.max(), other.max())) + 1) <= EXACT_CHANCE:
        return float(adjusted_mutual_info_score(one, other))
    shuffled = np.random.default_rng(0).permutation(other)
    chance = mutual_info_score(one, shuffled)
    most = 0.5 * float(entropy(np.bincount(one)) + entropy(np.bincount(other)))
    if most - chance <= 1e-12 * most:
        return 0.0  # nearly all clusters are singletons: all agreement is by chance
    return float((mutual_info_score(one, other) - chance) / (most - chance))


def is_nested(fine: Labels, coarse: Labels) -> bool:
    """Return whether each cluster of the first partition lies inside one of the second.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut.results.comparison import is_nested
    >>> fine, coarse = np.array([0, 0, 1, 2]), np.array([0, 0, 0, 1])
    >>> is_nested(fine, coarse), is_nested(coarse, fine)
    (True, False)
    """
    return bool(overlaps(fine, coarse).nnz == int(fine.max(initial=-1)) + 1)


def coarsened(fine: Labels, coarse: Labels) -> Labels:
    """Merge clusters of a partition so that it agrees best with a coarser one.

    Each cluster of `fine` is assigned, unsplit, to the cluster of `coarse` that holds most of
    its members; ties go to the smallest label.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut.results.comparison import coarsened
    >>> coarsened(np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 1, 1]))
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    target = np.asarray(overlaps(fine, coarse).argmax(axis=1)).reshape(-1)
    return canonical_labels(target[fine])
