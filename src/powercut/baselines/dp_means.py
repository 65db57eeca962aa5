"""DP-means, and its base class, which pyp-means shares."""

import math
import warnings
from abc import ABC, abstractmethod
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_is_fitted

from powercut._typing import LABEL, FloatArray, Labels, Rows
from powercut._utils import slices
from powercut._validation import check_sample_weight, effective_jobs
from powercut.estimators._common import validated
from powercut.partition import canonical_labels
from powercut.vectors.points import ROWS_AT_ONCE, Points, row_squares

# Upper bound on the relative rounding error of summed distances.
ROUNDING = 1e-9


class PenalizedMeans(ClusterMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """k-means with a penalty on the number of clusters, J = sum of squares + r(k).

    A subclass defines r. A pass assigns the points in data order to the nearest centre; a
    point whose squared distance to all centres exceeds the cost of a further cluster opens
    one, with its centre at that point. Then the centres move to the means.

    J never rises if r rises up to a peak and then falls. Up to the peak, opening a cluster
    lowers J, and so does removing an empty one. Beyond it the sum of squares falls, and r
    never ends above its peak, whether or not clusters become empty.
    """

    penalty: float
    max_iter: int
    n_jobs: int | None

    @abstractmethod
    def _regulariser(self, k: int) -> float:
        """Return r(k)."""

    @abstractmethod
    def _opening_cost(self, k: int) -> float:
        """Return r(k + 1) - r(k)."""

    def _check_params(self) -> None:
        check_penalty(self.penalty, "penalty", may_be_zero=False)
        check_scalar(self.max_iter, "max_iter", Integral, min_val=1)
        effective_jobs(self.n_jobs)

    def _regroup(self, points: Points, labels: Labels) -> Labels:  # noqa: ARG002
        """Change the partition between passes, if that lowers J."""
        return labels

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The points.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Positive; multiplies each point's squared distance. None means 1 for all.

        Returns
        -------
        self
        """
        self._check_params()
        X = validated(self, X, dtype=np.float64, order="C")
        weights = check_sample_weight(sample_weight, len(X))
        points = Points.finest(X, weights, n_threads=effective_jobs(self.n_jobs))
        self.labels_, clusters = self._descend(points)
        self.cluster_centers_ = clusters.values
        self.n_clusters_ = clusters.n
        self.objective_ = float(self.objective_path_[-1])
        return self

    def predict(self, X: Any) -> Labels:
        """Return the cluster with the nearest centre for each row of X.

        For the points of a converged fit these are `labels_`, unless equal points form
        clusters of their own: then all of them get the label of the first.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples,), int32
        """
        check_is_fitted(self)
        X = validated(self, X, dtype=np.float64, order="C", reset=False)
        points = Points.finest(X, n_threads=effective_jobs(self.n_jobs))
        return points.nearest(self.cluster_centers_)

    def _descend(self, points: Points) -> tuple[Labels, Points]:
        labels = np.zeros(points.n, dtype=LABEL)
        # Lower bound on the distance of each point to all centres but its own.
        beyond = np.zeros(points.n)
        clusters = clusters_of(points, labels)
        path = [self._objective(clusters)]
        for n_iter in range(1, self.max_iter + 1):
            self.n_iter_ = n_iter
            assigned = labels.copy()
            centers = self._assign(points, clusters.values, assigned, beyond)
            # Canonical labels drop empty clusters, and number the centres as in predict, so
            # that both break ties in the same way.
            moved = self._regroup(points, canonical_labels(assigned))
            if np.array_equal(moved, labels):
                break
            labels, n_before = moved, clusters.n
            clusters = clusters_of(points, labels)
            path.append(self._objective(clusters))
            if len(centers) > n_before:  # bounds do not account for the new centres
                beyond[:] = 0.0
            else:
                beyond -= farthest_move(centers, clusters.values, assigned, labels)
        else:
            warnings.warn(
                f"{type(self).__name__} did not converge: labels still changed after "
                f"max_iter={self.max_iter} passes; increase max_iter.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.objective_path_ = np.array(path)
        return labels, clusters

    def _assign(self, points: Points, centers: Rows, labels: Labels, beyond: FloatArray) -> Rows:
        """Run one pass in data order, with fixed centres; return them and the new centres.

        Updates `labels` and the bounds `beyond` in place; see `Points.find_nearest`.
        """
        for rows in slices(points.n, ROWS_AT_ONCE):
            some = points.some(rows)
            squares = some.find_nearest(centers, labels[rows], beyond[rows])
            new = self._open_clusters(some, squares, labels[rows], len(centers))
            if new:
                centers = np.concatenate([centers, some.values[new]])
                beyond[rows.stop :] = 0.0
        return centers

    def _open_clusters(self, points: Points, squares: Rows, labels: Labels, k: int) -> list[int]:
        """Open a cluster at each point that is too far from the k centres; return these points.

        Updates their labels, and those of later points that are nearest to a new centre.
        """
        new: list[int] = []
        start = 0
        while start < points.n:
            # A new centre affects later points only: the scan jumps from one to the next.
            cost = self._opening_cost(k + len(new))
            is_far = points.weights[start:] * squares[start:] > cost
            centre = start + int(is_far.argmax())
            if not is_far[centre - start]:
                break
            labels[centre] = k + len(new)
            start = centre + 1
            rest = points.some(slice(start, None))
            no_other = np.full(rest.n, np.inf)
            only = np.zeros(rest.n, dtype=LABEL)
            to_centre = rest.find_nearest(points.values[centre], only, no_other)
            closer = np.flatnonzero(to_centre < squares[start:])
            labels[start + closer] = k + len(new)
            squares[start + closer] = to_centre[closer]
            new.append(centre)
        return new

    def _objective(self, clusters: Points) -> float:
        assert clusters.scatter is not None
        return float(clusters.scatter.sum()) + self._regulariser(clusters.n)


class DPMeans(PenalizedMeans):
    r"""DP-means: k-means that opens a new cluster at a point too far from all centres.

    Minimises

    .. math:: J = \sum_{c=1}^{k} \sum_{i \in c} w_i \|x_i - \mu_c\|^2 + \lambda k

    by the algorithm of Kulis and Jordan [1]_. It starts with one cluster at the mean.
    Each pass goes through the points in data order: a point with
    :math:`w_i \|x_i - \mu_c\|^2 > \lambda` for every centre opens a cluster centred at itself,
    any other joins the nearest; then the centres move to the means of their members.
    The algorithm ends when a pass changes nothing. The result depends on the order of the points.

    Parameters
    ----------
    penalty : float
        :math:`\lambda > 0`, the cost of a cluster, in squared units of X.
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
        J of one cluster, then after each pass that changed labels. It never rises.
    n_iter_ : int
        Number of passes.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if the columns of X have names.

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

    def __init__(self, penalty: float, *, max_iter: int = 100, n_jobs: int | None = None) -> None:
        self.penalty = penalty
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def _regulariser(self, k: int) -> float:
        return self.penalty * k

    def _opening_cost(self, k: int) -> float:  # noqa: ARG002
        return self.penalty


def check_penalty(value: Any, name: str, *, may_be_zero: bool) -> None:
    """Raise unless value is a finite number, positive or, if allowed, zero."""
    boundaries = "left" if may_be_zero else "neither"
    check_scalar(value, name, Real, min_val=0.0, include_boundaries=boundaries)
    if not math.isfinite(value):
        raise ValueError(f"{name} == {value}, must be finite.")


def clusters_of(points: Points, labels: Labels) -> Points:
    """Return the clusters as points, with their sums of squares; labels must be compact."""
    return points.aggregate(labels, int(labels.max()) + 1, "total")


def farthest_move(before: Rows, after: Rows, old: Labels, new: Labels) -> float:
    """Return the largest distance that a centre moved, rounded up.

    Centres before and after are matched by the old and new labels of their points.
    """
    into = np.full(len(before), -1)
    into[old] = new
    used = np.flatnonzero(into >= 0)
    distances = np.sqrt(row_squares(after[into[used]] - before[used]))
    return float(distances.max()) * (1 + ROUNDING)
