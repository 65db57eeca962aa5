"""pyp-means."""

import math

import numpy as np
from scipy.spatial.distance import cdist

from powercut._typing import Array, Labels
from powercut.baselines.dp_means import PenalizedMeans, check_penalty, clusters_of
from powercut.partition import canonical_labels
from powercut.vectors.points import Points


class PYPMeans(PenalizedMeans):
    r"""pyp-means: DP-means whose cost of a cluster falls with the number of clusters.

    Minimises

    .. math:: J = \sum_{c=1}^{k} \sum_{i \in c} w_i \|x_i - \mu_c\|^2 + r(k),
              \qquad r(k) = (\lambda - \theta \ln k)\, k,

    the objective of Fan, Zeng and Cao [1]_ as "Power-Law Graph Cuts" [2]_ states it,
    except that [2]_ prints the norms unsquared: the means minimise squared norms, so
    these are used.

    It starts with one cluster at the mean and repeats, until nothing changes:

    1. A pass as in `DPMeans`, where a point opens a cluster if this lowers J at the
       current number of clusters k, :math:`w_i \|x_i - \mu_c\|^2 > r(k+1) - r(k)` for
       every centre.
    2. Agglomeration: while it lowers J, the two clusters whose merger adds least to the sum
       of squares (Ward's distance) are merged.

    Parameters
    ----------
    penalty : float
        :math:`\lambda > 0`, the cost of the first cluster, in squared units of X.
    discount : float
        :math:`\theta \ge 0`, how fast the cost falls, in the same units. The authors
        use ``penalty / 6`` [2]_; with 0 the model is DP-means with mergers.
    max_iter : int, default=100
        Maximum number of passes.
    n_jobs : int, optional
        Threads for more than 20,000 points; -1 for all. The result does not depend on it.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Cluster of each point; 0 is the largest, ties by the smallest member.
    n_clusters_ : int
        Number of clusters.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Weighted means.
    objective_ : float
        J of the labels.
    objective_path_ : ndarray
        J of one cluster, then after each pass and its mergers that changed labels. It
        never rises.
    n_iter_ : int
        Number of passes.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the columns of X have names.

    Notes
    -----
    *Fidelity.* This follows the abstract of [1]_: a threshold that adapts to the number of
    clusters, and a procedure that merges close centres. The details here (the exact cost of
    a new cluster, mergers in Ward's order, points in data order) are chosen so that J never
    rises; they may differ from [1]_, in particular in the order of the points.

    *The trivial optimum.* r is concave: it rises up to :math:`k \approx e^{\lambda/\theta - 1}`
    and falls without bound after that. So its minimum over 1, ..., n is at k = 1 or
    at k = n, and once :math:`r(n) < r(1)`, that is :math:`n \ln n / (n - 1) > \lambda/\theta`,
    the n singletons, whose sum of squares is 0, are the only minimum of J for any
    data. With :math:`\theta = \lambda/6` the peak is at k = 148 and this holds from
    n = 398 on; [2]_ names :math:`e^6 \approx 403`, from where r(n) is even negative.
    With fewer points it depends on the data: a tight cluster of 397 points is better unsplit.
    The search is local, and starts at k = 1: below the peak it ends when neither a new
    cluster nor a merger lowers J. Beyond the peak every new cluster lowers J: once k is
    there, the next pass ends in singletons.

    The mergers need memory for :math:`k^2` numbers.

    References
    ----------
    .. [1] X. Fan, Y. Zeng and L. Cao, "Non-parametric power-law data clustering", 2013,
       arXiv:1306.3003.
    .. [2] X. Zhou, J. Zhang and B. Kulis, "Power-law graph cuts".

    Examples
    --------
    >>> from powercut.baselines import PYPMeans
    >>> X = [[0.0], [0.2], [0.4], [5.0], [5.2], [9.0]]
    >>> PYPMeans(1.0, 0.1).fit(X).labels_
    array([0, 0, 0, 1, 1, 2], dtype=int32)
    """

    def __init__(
        self,
        penalty: float,
        discount: float,
        *,
        max_iter: int = 100,
        n_jobs: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.discount = discount
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def _check_params(self) -> None:
        super()._check_params()
        check_penalty(self.discount, "discount", may_be_zero=True)

    def _regulariser(self, k: int) -> float:
        return (self.penalty - self.discount * math.log(k)) * k

    def _opening_cost(self, k: int) -> float:
        return self._regulariser(k + 1) - self._regulariser(k)

    def _regroup(self, points: Points, labels: Labels) -> Labels:
        """Merge the closest pair, in Ward's distance, while this lowers J."""
        k = int(labels.max()) + 1
        if k == 1 or self._opening_cost(k - 1) <= 0:
            return labels
        clusters = clusters_of(points, labels)
        centers, mass = clusters.values, clusters.weights
        ward = _ward(centers, mass, centers, mass)
        np.fill_diagonal(ward, np.inf)
        into = np.arange(k)
        while k > 1:
            a, b = np.unravel_index(ward.argmin(), ward.shape)
            if ward[a, b] >= self._opening_cost(k - 1):
                break
            centers[a] = np.average(centers[[a, b]], axis=0, weights=mass[[a, b]])
            mass[a] += mass[b]
            into[into == b] = a
            ward[b, :] = ward[:, b] = np.inf
            others = np.flatnonzero(np.isfinite(ward[a]))
            row = _ward(centers[[a]], mass[[a]], centers[others], mass[others])[0]
            ward[a, others] = ward[others, a] = row
            k -= 1
        return canonical_labels(into[labels])


def _ward(centers: Array, mass: Array, others: Array, other_mass: Array) -> Array:
    """Return the increase of the sum of squares by the merger of each pair."""
    added: Array = cdist(centers, others, "sqeuclidean")
    added *= mass[:, None] * other_mass / (mass[:, None] + other_mass)
    return added
