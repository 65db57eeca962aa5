"""DP-means, and the passes that it shares with pyp-means."""

import math
import warnings
from abc import ABC, abstractmethod
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_is_fitted, validate_data

from powercut._typing import FloatArray, Labels, Rows
from powercut._utils import slices
from powercut._validation import check_sample_weight
from powercut.estimators._common import effective_jobs
from powercut.partition import canonical_labels
from powercut.vectors.points import ROWS_AT_ONCE, Points, row_squares

# More than is lost when distances are added up, as a part of them.
ROUNDING = 1e-9


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
    n_jobs: int | None

    @abstractmethod
    def _regulariser(self, k: int) -> float:
        """Return r(k)."""

    @abstractmethod
    def _founding_price(self, k: int) -> float:
        """Return r(k + 1) - r(k)."""

    def _check_params(self) -> None:
        check_price(self.penalty, "penalty", may_be_zero=False)
        check_scalar(self.max_iter, "max_iter", Integral, min_val=1)
        effective_jobs(self.n_jobs)

    def _regroup(self, points: Points, labels: Labels) -> Labels:  # noqa: ARG002
        """Change the partition between passes, only where this lowers J."""
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
        X = validate_data(self, X, dtype=np.float64, order="C")
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
        X = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        points = Points.finest(X, n_threads=effective_jobs(self.n_jobs))
        return points.nearest(self.cluster_centers_)

    def _descend(self, points: Points) -> tuple[Labels, Points]:
        labels = np.zeros(points.n, dtype=np.int32)
        # What each point is at least away from all centres but its own, as far as is known.
        beyond = np.zeros(points.n)
        clusters = clusters_of(points, labels)
        path = [self._objective(clusters)]
        for n_iter in range(1, self.max_iter + 1):
            self.n_iter_ = n_iter
            assigned = labels.copy()
            centers = self._assign(points, clusters.values, assigned, beyond)
            # Canonical labels drop emptied clusters, and number the centres as predict
            # sees them, so that both break ties in the same way.
            moved = self._regroup(points, canonical_labels(assigned))
            if np.array_equal(moved, labels):
                break
            labels, n_before = moved, clusters.n
            clusters = clusters_of(points, labels)
            path.append(self._objective(clusters))
            if len(centers) > n_before:  # of founders, the points before them know nothing
                beyond[:] = 0.0
            else:
                beyond -= farthest_move(centers, clusters.values, assigned, labels)
        else:
            warnings.warn(
                f"{type(self).__name__} still changed labels after max_iter={self.max_iter} "
                "passes; give it more.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.objective_path_ = np.array(path)
        return labels, clusters

    def _assign(self, points: Points, centers: Rows, labels: Labels, beyond: FloatArray) -> Rows:
        """Run one pass in data order, the centres fixed; returns them and those of founders.

        Writes `labels`, which are guesses before, and `beyond`; see `Points.find_nearest`.
        """
        for rows in slices(points.n, ROWS_AT_ONCE):
            some = points.some(rows)
            squares = some.find_nearest(centers, labels[rows], beyond[rows])
            founders = self._found(some, squares, labels[rows], len(centers))
            if founders:
                centers = np.concatenate([centers, some.values[founders]])
                beyond[rows.stop :] = 0.0
        return centers

    def _found(self, points: Points, squares: Rows, labels: Labels, k: int) -> list[int]:
        """Let points that are too far from k centres found clusters; return which ones did.

        Writes the labels of the founders and of points after them that are nearest to them.
        """
        founders: list[int] = []
        start = 0
        while start < points.n:
            # A founder concerns only the points after it: the scan jumps from one to the next.
            price = self._founding_price(k + len(founders))
            founds = points.weights[start:] * squares[start:] > price
            founder = start + int(founds.argmax())
            if not founds[founder - start]:
                break
            labels[founder] = k + len(founders)
            start = founder + 1
            rest = points.some(slice(start, None))
            nowhere_else = np.full(rest.n, np.inf)
            only = np.zeros(rest.n, dtype=np.int32)
            reach = rest.find_nearest(points.values[founder], only, nowhere_else)
            closer = np.flatnonzero(reach < squares[start:])
            labels[start + closer] = k + len(founders)
            squares[start + closer] = reach[closer]
            founders.append(founder)
        return founders

    def _objective(self, clusters: Points) -> float:
        assert clusters.scatter is not None
        return float(clusters.scatter.sum()) + self._regulariser(clusters.n)


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
        Passes made.
    n_features_in_ : int
        Number of features.
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

    def __init__(self, penalty: float, *, max_iter: int = 100, n_jobs: int | None = None) -> None:
        self.penalty = penalty
        self.max_iter = max_iter
        self.n_jobs = n_jobs

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


def clusters_of(points: Points, labels: Labels) -> Points:
    """Return the clusters as points, with their sums of squares; labels are 0, 1, ..., k - 1."""
    return points.aggregate(labels, int(labels.max()) + 1, "total")


def farthest_move(before: Rows, after: Rows, old: Labels, new: Labels) -> float:
    """Return the longest way of a centre, known by the labels of its points, or a little more."""
    into = np.full(len(before), -1)
    into[old] = new
    used = np.flatnonzero(into >= 0)
    ways = np.sqrt(row_squares(after[into[used]] - before[used]))
    return float(ways.max()) * (1 + ROUNDING)
