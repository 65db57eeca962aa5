"""The base class of PowerLawMeans and PowerLawKernelMeans."""

from abc import abstractmethod
from typing import Any, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from powercut import _core
from powercut._typing import FloatArray, Labels, Positions, Rows
from powercut._validation import check_sample_weight, float_types
from powercut.estimators._common import TrainingRows, check_search, set_fitted, validated
from powercut.estimators._constraints import KnownPoints
from powercut.estimators._posterior import PosteriorMixin, seat_costs
from powercut.estimators._stopping import check_stopping, reporting, stopping
from powercut.estimators._unused import check_starts_used, check_used
from powercut.partition import check_labels
from powercut.prior import PitmanYor
from powercut.progress import ProgressReporter
from powercut.search.objective import Regulariser, SearchResult

# The points, in the representation that is searched.
P = TypeVar("P")


def check_squares(X: Rows) -> None:
    """Raise if squared distances would overflow."""
    with np.errstate(over="ignore"):
        if not np.isfinite(np.vdot(X, X)):
            raise ValueError(f"The squares of X overflow {X.dtype}; scale X down.")


def check_spread(X: Any, dtype: npt.DTypeLike = np.float64) -> None:
    """Raise if points differ, but by so little that squared distances of this type are 0."""
    spread = np.float64(X.max()) - np.float64(X.min())
    if spread > 0 and np.square(spread.astype(dtype)) == 0:
        raise ValueError(
            f"The values of X differ by at most {spread:g}, the square of which is 0 in "
            f"{np.dtype(dtype)}; scale X up."
        )


class MeansBase(PosteriorMixin, ClusterMixin, BaseEstimator, Generic[P]):  # type: ignore[misc]
    """Points around means, with a Pitman-Yor prior on the cluster sizes."""

    algorithm: str
    init: Any

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Find the clusters.

        Parameters
        ----------
        X : array-like
            The points, or their kernel matrix; float32 is not converted.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Weights :math:`w_i > 0` of the squared distances, for k-means. Cluster sizes in
            the prior count points, regardless of their weights.

        Returns
        -------
        self
        """
        return self._fit(X, sample_weight, {})

    def _fit(self, X: Any, sample_weight: Any, given: dict[str, Any]) -> Self:
        """Find the clusters; `given` are constraints."""
        check_search(self)
        check_stopping(self)
        check_used(self, "max_iter", by="algorithm", choices=["lloyd"])
        check_starts_used(self)
        prior, tradeoff = self._prior_and_tradeoff()
        with reporting(self) as reporter:
            with reporter.part(0.02, "input"):
                X = validated(self, X, dtype=float_types(X), order="C")
                weight = check_sample_weight(sample_weight, len(X))
                self._check_input(X, weight)
                check_squares(X)
                check_spread(X)
                init = None if self.init is None else check_labels(self.init, len(X), "init")
                known = KnownPoints.read(len(X), given) if given else None
            with reporter.part(0.95, "search"), stopping(self, reporter):
                found, regulariser, points = self._search(
                    X, weight, init, prior, tradeoff, reporter, known
                )
            with reporter.part(1.0, "results"):
                self._set_results(X, weight, found, regulariser, points)
        return self

    def _set_results(
        self,
        X: Rows,
        weight: FloatArray | None,
        found: SearchResult,
        regulariser: Regulariser,
        points: P,
    ) -> None:
        """Set the attributes that every fit has."""
        self._set_partition(X, weight, found, regulariser)
        self.margins_ = self._margins(X, points)
        self.cluster_evidence_ = self._cluster_evidence(points)

    def _set_partition(
        self, X: Rows, weight: FloatArray | None, found: SearchResult, regulariser: Regulariser
    ) -> None:
        """Set the clusters, and what predictions need."""
        set_fitted(self, found)
        self.tradeoff_ = regulariser.tradeoff
        self.concentration_ = regulariser.prior.concentration
        self.discount_ = regulariser.prior.discount
        self._regulariser = regulariser
        self._weight = np.ones(len(X)) if weight is None else weight
        self._training = TrainingRows(_core.row_keys((None, None, X)))
        self._set_means(X)

    @property
    def _fitted_tradeoff(self) -> float:
        return self._regulariser.tradeoff

    def _rows(self, X: Any) -> tuple[Rows, Positions]:
        check_is_fitted(self, "labels_")
        X = validated(self, X, reset=False, dtype=float_types(X), order="C")
        check_squares(X)
        return X, self._training.find(_core.row_keys((None, None, X)))

    def _costs(self, rows: Rows, index: Positions) -> FloatArray:
        """Return J with each row in each cluster, at the fitted means."""
        own = np.where(index >= 0, self.labels_[index], -1)
        weight = np.where(index >= 0, self._weight[index], 1.0)
        distance = self._squared_distances(rows, index)
        # A singleton is at its mean; rounding must not move it.
        singletons = np.flatnonzero((own >= 0) & (self.cluster_sizes_[own] == 1))
        distance[singletons, own[singletons]] = 0.0
        seats = seat_costs(self._regulariser, self.cluster_sizes_, own)
        return np.asarray(weight[:, None] * distance + seats)

    def _margins(self, X: Rows, points: P) -> FloatArray:  # noqa: ARG002
        """Return the log posterior odds, in nats, of each row's cluster against the best other."""
        return self._training_margins(X, np.arange(len(X)))

    @abstractmethod
    def _check_input(self, X: Rows, weight: FloatArray | None) -> None:
        """Raise if the training data are invalid for this estimator."""

    @abstractmethod
    def _prior_and_tradeoff(self) -> tuple[PitmanYor | None, float | None]:
        """Check and return prior and tradeoff; None is estimated."""

    @abstractmethod
    def _search(
        self,
        X: Rows,
        weight: FloatArray | None,
        init: Labels | None,
        prior: PitmanYor | None,
        tradeoff: float | None,
        reporter: ProgressReporter,
        known: KnownPoints | None,
    ) -> tuple[SearchResult, Regulariser, P]:
        """Find labels and estimates; also return the points in the representation searched."""

    @abstractmethod
    def _set_means(self, X: Rows) -> None:
        """Store what is needed to compute distances to the means of the fitted clusters."""

    @abstractmethod
    def _cluster_evidence(self, points: P) -> FloatArray:
        """Return the evidence for each cluster, in nats, against merging with the best other."""

    @abstractmethod
    def _squared_distances(self, X: Rows, index: Positions) -> FloatArray:
        """Return the squared distance of each row to each mean, up to a constant per new row."""
