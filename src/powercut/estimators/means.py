"""PowerLawMeans: clusters of vectors."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.metrics.pairwise import euclidean_distances

from powercut.estimators._common import (
    FloatArray,
    effective_jobs,
    make_random,
    warn_if_unfinished,
)
from powercut.estimators._means_base import MeansBase, Rows
from powercut.estimators._posterior import Index
from powercut.partition import Labels
from powercut.search.lloyd import lloyd_points
from powercut.search.objective import Found, Regulariser
from powercut.search.points import Points, centred
from powercut.search.schedule import search_points


class PowerLawMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, MeansBase):  # type: ignore[misc]
    r"""k-means with a Pitman-Yor prior on the cluster sizes; k is found, not given.

    Minimises, over partitions of the rows of X into any number of clusters,

    .. math:: J = \sum_c \sum_{i \in c} w_i \lVert x_i - \mu_c \rVert^2
              - \lambda \ln \mathrm{EPPF}(n_1, \dots, n_k; \alpha, \theta)

    the regularised k-means of "Power-Law Graph Cuts", which is the most probable
    partition of a Pitman-Yor mixture of spherical Gaussians of variance
    ``tradeoff / (2 w_i)``.

    Parameters
    ----------
    tradeoff : float, default=1.0
        :math:`\lambda`, what the sizes count against the distances. It has the
        scale of a squared distance: about twice the variance of a cluster in one
        dimension.
    concentration : float, default=1.0
        :math:`\alpha`; larger values favour more clusters.
    discount : float, default=0.0
        :math:`\theta`, in [0, 1): larger values favour a heavier tail of small
        clusters. The number of clusters grows as ``n ** discount``.
    algorithm : {"multilevel", "lloyd"}, default="multilevel"
        Exact moves of points, parts of clusters and whole clusters from several
        starts; or Algorithm 1 of the paper, from one cluster.
    init : array-like of shape (n_samples,), optional
        Labels to start from, in place of the usual starts.
    n_init : int, default=1
        How many times each random start of ``"multilevel"`` is drawn.
    max_iter : int, default=300
        Passes of Algorithm 1.
    n_jobs : int, optional
        Threads; -1 for all. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Decides seeds and the order of moves.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Cluster of each row. Cluster 0 is the largest, ties by smallest member.
    n_clusters_ : int
        Number of clusters.
    cluster_sizes_ : ndarray of shape (n_clusters_,)
        Points in each cluster.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Weighted means.
    objective_ : float
        J of the labels, all constants included.
    objective_path_ : ndarray
        J at the start and after each round; never rises.
    n_iter_ : int
        Rounds.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    PowerLawKernelMeans : The same for a kernel matrix.
    PowerLawCut : Graphs.

    Notes
    -----
    A row that equals a training row is that training point: ``predict`` gives it
    its label. Any other row x goes to the cluster of largest posterior at the
    fitted centres, :math:`(n_c - \theta) \exp(-\lVert x - \mu_c \rVert^2 /
    \lambda)`.

    J has its lowest value at single points when `tradeoff` is small, and at a
    positive discount also when it is not: each new cluster makes the next one
    cheaper. Lower `discount` or raise `tradeoff` if single points come back.

    References
    ----------
    X. Zhou, J. Zhang, B. Kulis. Power-Law Graph Cuts. 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut import PowerLawMeans
    >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [9.0]])
    >>> model = PowerLawMeans(tradeoff=0.5, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 0, 1, 1, 1, 2], dtype=int32)
    >>> model.predict([[4.0]])
    array([1], dtype=int32)
    """

    def transform(self, X: Any) -> npt.NDArray[np.floating]:
        """Return the distance of each row to each centre."""
        X, _ = self._rows(X)
        return np.asarray(euclidean_distances(X, self.cluster_centers_.astype(X.dtype)))

    def _check_input(self, X: Rows) -> None:
        """Take any vectors."""

    def _search(
        self, X: Rows, weight: FloatArray | None, init: Labels | None, regulariser: Regulariser
    ) -> Found:
        points = Points(centred(X), weight)
        if self.algorithm == "lloyd":
            found = lloyd_points(points, regulariser, labels=init, max_iter=self.max_iter)
            warn_if_unfinished(self, found)
            return found
        return search_points(
            points,
            regulariser,
            labels=init,
            n_init=self.n_init,
            n_jobs=effective_jobs(self.n_jobs),
            max_iter=self.max_iter,
            random=make_random(self.random_state),
        )

    def _set_means(self, X: Rows) -> None:
        clusters = Points(X, self._weight).aggregate(self.labels_, self.n_clusters_)
        self.cluster_centers_ = clusters.values

    def _squared_distances(self, X: Rows, index: Index) -> FloatArray:  # noqa: ARG002
        return np.asarray(
            euclidean_distances(X.astype(np.float64), self.cluster_centers_, squared=True)
        )

    @property
    def _n_features_out(self) -> int:
        """Number of columns of `transform`, for the names of its output."""
        return int(self.n_clusters_)


def power_law_means(X: Any, *, sample_weight: Any = None, **parameters: Any) -> Labels:
    """Cluster the rows of X in one call; parameters as in `PowerLawMeans`.

    Examples
    --------
    >>> import powercut
    >>> X = [[0.0], [0.1], [0.2], [5.0]]
    >>> powercut.power_law_means(X, tradeoff=0.5, random_state=0)
    array([0, 0, 0, 1], dtype=int32)
    """
    labels: Labels = PowerLawMeans(**parameters).fit(X, sample_weight=sample_weight).labels_
    return labels
