"""What PowerLawMeans and PowerLawKernelMeans have in common: all but the space of the points."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from powercut import _core
from powercut._validation import check_real, check_sample_weight
from powercut.estimators._common import (
    FloatArray,
    TrainingRows,
    check_search,
    set_fitted,
)
from powercut.estimators._posterior import Index, PosteriorMixin, seat_costs
from powercut.partition import Labels, check_labels
from powercut.prior import PitmanYor
from powercut.search.objective import Found, Regulariser

Rows = npt.NDArray[np.floating]


class MeansBase(PosteriorMixin, ClusterMixin, BaseEstimator):  # type: ignore[misc]
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
        check_search(self)
        tradeoff = check_real(self.tradeoff, "tradeoff", min_val=0)
        regulariser = Regulariser(PitmanYor(self.concentration, self.discount), tradeoff)
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

    @property
    def _fitted_tradeoff(self) -> float:
        return self._regulariser.tradeoff

    def _rows(self, X: Any) -> tuple[Rows, Index]:
        check_is_fitted(self, "labels_")
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32], order="C")
        return X, self._training.find(_core.row_keys((None, None, X)))

    def _costs(self, rows: Rows, index: Index) -> FloatArray:
        """J with each row in each cluster, the means as they are."""
        own = np.where(index >= 0, self.labels_[index], -1)
        weight = np.where(index >= 0, self._weight[index], 1.0)
        distance = self._squared_distances(rows, index)
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
    def _squared_distances(self, X: Rows, index: Index) -> FloatArray:
        """Squared distance of each row to each mean; of new rows, up to a constant a row."""
