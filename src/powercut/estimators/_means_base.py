"""What PowerLawMeans and PowerLawKernelMeans have in common: all but the space of the points."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from powercut import _core
from powercut._validation import check_sample_weight
from powercut.estimators._common import (
    FloatArray,
    TrainingRows,
    make_regulariser,
    probabilities,
    seat_costs,
    set_fitted,
)
from powercut.partition import Labels, check_labels
from powercut.search.objective import Found, Regulariser

Rows = npt.NDArray[np.floating]
# Rows whose distances to all means are held at once by `predict`.
ROWS_AT_ONCE = 4096


class MeansBase(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Points around means, with a Pitman-Yor prior on the cluster sizes."""

    def __init__(
        self,
        tradeoff: float = 1.0,
        *,
        concentration: float = 1.0,
        discount: float = 0.0,
        algorithm: str = "multilevel",
        init: Any = None,
        n_init: int = 1,
        max_iter: int = 300,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.tradeoff = tradeoff
        self.concentration = concentration
        self.discount = discount
        self.algorithm = algorithm
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Find the clusters.

        Parameters
        ----------
        X : array-like
            The points, or their kernel matrix; float32 is used as it is.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Weights :math:`w_i > 0` of the distances. Sizes count points, whatever
            they weigh.
        """
        regulariser = make_regulariser(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], order="C")
        self._check_input(X)
        if not np.isfinite(np.vdot(X, X)):
            raise ValueError(f"The squares of X overflow {X.dtype}; scale X down.")
        weight = check_sample_weight(sample_weight, len(X))
        init = None if self.init is None else check_labels(self.init, len(X), "init")
        found = self._search(X, weight, init, regulariser)
        set_fitted(self, found)
        self._regulariser = regulariser
        self._weight = np.ones(len(X)) if weight is None else weight
        self._training = TrainingRows(_core.row_keys((None, None, X)))
        self._set_means(X)
        return self

    def predict(self, X: Any) -> Labels:
        """Return the cluster of each row; equal to ``labels_`` on the training data."""
        X, index = self._rows(X)
        labels = np.empty(len(X), dtype=np.int32)
        known = index >= 0
        labels[known] = self.labels_[index[known]]
        new = np.flatnonzero(~known)
        for start in range(0, len(new), ROWS_AT_ONCE):
            batch = new[start : start + ROWS_AT_ONCE]
            cost = self._costs(X[batch], index[batch])
            labels[batch] = cost.argmin(axis=1)
        return labels

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the posterior of each cluster for each row, the means as they are.

        A training point does not count in the size of its own cluster; its largest
        entry is at its label.
        """
        X, index = self._rows(X)
        own = np.where(index >= 0, self.labels_[index], -1)
        p = np.empty((len(X), self.n_clusters_))
        for start in range(0, len(X), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            cost = self._costs(X[rows], index[rows])
            p[rows] = probabilities(cost, self._regulariser.tradeoff, own[rows])
        return p

    def _rows(self, X: Any) -> tuple[Rows, npt.NDArray[np.intp]]:
        """Return X, checked, and which training point each row is, or -1."""
        check_is_fitted(self, "labels_")
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32], order="C")
        return X, self._training.find(_core.row_keys((None, None, X)))

    def _costs(self, X: Rows, index: npt.NDArray[np.intp]) -> FloatArray:
        """J with each row in each cluster, up to a constant for each row."""
        own = np.where(index >= 0, self.labels_[index], -1)
        weight = np.where(index >= 0, self._weight[index], 1.0)
        distance = self._squared_distances(X, index)
        # A training point that is alone is at its mean, whatever rounding says.
        alone = np.flatnonzero((own >= 0) & (self.cluster_sizes_[own] == 1))
        distance[alone, own[alone]] = 0.0
        seats = seat_costs(self._regulariser, self.cluster_sizes_, own)
        return np.asarray(weight[:, None] * distance + seats)

    @abstractmethod
    def _check_input(self, X: Rows) -> None:
        """Refuse training data that cannot be what this estimator works on."""

    @abstractmethod
    def _search(
        self, X: Rows, weight: FloatArray | None, init: Labels | None, regulariser: Regulariser
    ) -> Found:
        """Find labels."""

    @abstractmethod
    def _set_means(self, X: Rows) -> None:
        """Keep what distances to the means of the fitted clusters need."""

    @abstractmethod
    def _squared_distances(self, X: Rows, index: npt.NDArray[np.intp]) -> FloatArray:
        """Squared distance of each row to each mean; of new rows, up to a constant a row."""
