"""DP-means, and the passes that it shares with pyp-means."""

import math
import warnings
from abc import ABC, abstractmethod
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar, gen_batches
from sklearn.utils.validation import check_is_fitted, validate_data

from powercut._validation import check_sample_weight
from powercut.partition import Labels, canonical_labels

Array = npt.NDArray[np.float64]

# Distances held at once: 32 MB of them.
_BLOCK = 2**22


class PenalizedMeans(ClusterMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """k-means with a price on the number of clusters, J = sum of squares + r(k).

    A subclass says what k clusters cost. A pass assigns the points in their order to
    the nearest centre; one that is farther from all centres than another cluster costs
    founds it, with its centre at that point. Then the centres move to the means.

    J never rises if r has one peak and no valley. Up to the peak a founding pays for
    itself, and an emptied cluster gives its price back; past it the sum of squares falls,
    and wherever r ends, emptied clusters included, it is not above the peak.
    """

    penalty: float
    max_iter: int

    @abstractmethod
    def _regulariser(self, k: int) -> float:
        """Return r(k)."""

    @abstractmethod
    def _founding_price(self, k: int) -> float:
        """Return r(k + 1) - r(k)."""

    def _check_params(self) -> None:
        check_price(self.penalty, "penalty", may_be_zero=False)
        check_scalar(self.max_iter, "max_iter", Integral, min_val=1)

    def _regroup(self, X: Array, weights: Array, labels: Labels) -> Labels:  # noqa: ARG002
        """Change the partition between passes, only where this lowers J."""
        return labels

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            Positive; multiplies each point's squared distance. None means 1 for all.

        Returns
        -------
        self
        """
        self._check_params()
        X = validate_data(self, X, dtype=np.float64)
        weights = check_sample_weight(sample_weight, len(X))
        if weights is None:
            weights = np.ones(len(X))
        self.labels_ = self._descend(X, weights)
        self.cluster_centers_ = means(X, weights, self.labels_)
        self.n_clusters_ = len(self.cluster_centers_)
        self.objective_ = float(self.objective_path_[-1])
        return self

    def predict(self, X: Any) -> Labels:
        """Return the cluster with the nearest centre for each row of X.

        For the points of a converged fit these are `labels_`, unless equal points form
        clusters of their own: then all of them get the label of the first.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), int32
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return _nearest(X, self.cluster_centers_)[0]

    def _descend(self, X: Array, weights: Array) -> Labels:
        labels = np.zeros(len(X), dtype=np.int32)
        centers = means(X, weights, labels)
        path = [self._objective(X, weights, labels, centers)]
        for n_iter in range(1, self.max_iter + 1):
            self.n_iter_ = n_iter
            # Canonical labels drop emptied clusters, and number the centres as predict
            # sees them, so that both break ties in the same way.
            moved = canonical_labels(self._assign(X, weights, centers))
            moved = self._regroup(X, weights, moved)
            if np.array_equal(moved, labels):
                break
            labels = moved
            centers = means(X, weights, labels)
            path.append(self._objective(X, weights, labels, centers))
        else:
            warnings.warn(
                f"{type(self).__name__} still changed labels after max_iter={self.max_iter} "
                "passes; give it more.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.objective_path_ = np.array(path)
        return labels

    def _assign(self, X: Array, weights: Array, centers: Array) -> Labels:
        """Run one pass in data order, the centres fixed, founders added."""
        # A founder concerns only the points after it. So all distances to the old centres
        # come first, in blocks, and the scan jumps from one founder to the next.
        labels, distance = _nearest(X, centers)
        k = len(centers)
        start = 0
        while start < len(X):
            founds = weights[start:] * distance[start:] > self._founding_price(k)
            founder = start + int(founds.argmax())
            if not founds[founder - start]:
                break
            labels[founder] = k
            start = founder + 1
            reach = cdist(X[start:], X[founder : founder + 1], "sqeuclidean")[:, 0]
            closer = np.flatnonzero(reach < distance[start:])
            labels[start + closer] = k
            distance[start + closer] = reach[closer]
            k += 1
        return labels

    def _objective(self, X: Array, weights: Array, labels: Labels, centers: Array) -> float:
        squares = np.square(X - centers[labels]).sum(axis=1)
        return float(weights @ squares) + self._regulariser(len(centers))


class DPMeans(PenalizedMeans):
    r"""DP-means: k-means that opens a cluster for whatever is too far from all others.

    Minimises

    .. math:: J = \sum_{c=1}^{k} \sum_{i \in c} w_i \|x_i - \mu_c\|^2 + \lambda k

    by the algorithm of Kulis and Jordan [1]_. It starts with one cluster at the mean.
    Each pass goes through the points in their order: one with
    :math:`w_i \|x_i - \mu_c\|^2 > \lambda` for every centre founds a cluster at itself,
    any other joins the nearest; then the centres move to the means of their members.
    It ends when a pass changes nothing. The result depends on the order of the points.

    Parameters
    ----------
    penalty : float
        :math:`\lambda > 0`, the price of a cluster, in squared units of X.
    max_iter : int, default=100
        Most passes to make.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Cluster of each point; 0 is the largest, ties by the smallest member.
    n_clusters_ : int
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
    objective_ : float
        J.
    objective_path_ : ndarray
        J of one cluster, then after each pass that changed labels. It never rises.
    n_iter_ : int
        Passes made.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only when the columns of X have names.

    References
    ----------
    .. [1] B. Kulis and M. I. Jordan, "Revisiting k-means: new algorithms via Bayesian
       nonparametrics", ICML 2012.

    Examples
    --------
    >>> from powercut.baselines import DPMeans
    >>> X = [[0.0], [0.2], [0.4], [5.0], [5.2], [9.0]]
    >>> fitted = DPMeans(1.0).fit(X)
    >>> fitted.labels_
    array([0, 0, 0, 1, 1, 2], dtype=int32)
    >>> fitted.predict([[4.0]])
    array([1], dtype=int32)
    """

    def __init__(self, penalty: float, *, max_iter: int = 100) -> None:
        self.penalty = penalty
        self.max_iter = max_iter

    def _regulariser(self, k: int) -> float:
        return self.penalty * k

    def _founding_price(self, k: int) -> float:  # noqa: ARG002
        return self.penalty


def check_price(value: Any, name: str, *, may_be_zero: bool) -> None:
    """Raise unless value is a finite number, positive or perhaps zero."""
    boundaries = "left" if may_be_zero else "neither"
    check_scalar(value, name, Real, min_val=0.0, include_boundaries=boundaries)
    if not math.isfinite(value):
        raise ValueError(f"{name} == {value}, must be finite.")


def masses(weights: Array, labels: Labels) -> Array:
    """Return the weight of each cluster."""
    return np.bincount(labels, weights).astype(np.float64)


def means(X: Array, weights: Array, labels: Labels) -> Array:
    """Return the weighted mean of each cluster; labels fill 0, 1, ..., k - 1."""
    members = csr_array((weights, (labels, np.arange(len(X)))))
    sums: Array = members @ X
    return sums / masses(weights, labels)[:, None]


def _nearest(X: Array, centers: Array) -> tuple[Labels, Array]:
    """Return the nearest centre of each point, the first of equals, and its squared distance."""
    labels = np.empty(len(X), dtype=np.int32)
    distance = np.empty(len(X))
    for block in gen_batches(len(X), max(1, _BLOCK // len(centers))):
        table = cdist(X[block], centers, "sqeuclidean")
        labels[block] = table.argmin(axis=1)
        distance[block] = table[np.arange(len(table)), labels[block]]
    return labels, distance
