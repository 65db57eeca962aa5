"""`predict`, `predict_proba` and `score_outliers` of `PowerLawClusters`."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from powercut._typing import LABEL, FloatArray, Labels, Positions
from powercut._validation import float_types
from powercut.estimators._common import TrainingRows, validated
from powercut.estimators._gaussian_posterior import GaussianPosterior
from powercut.estimators._graph_input import row_keys
from powercut.estimators._neighbor_posterior import NeighborPosterior
from powercut.estimators._posterior import PosteriorMixin, probabilities
from powercut.estimators.cut import PowerLawCut
from powercut.vectors.tails import OUTLIER, Tails


class ClustersPosteriorMixin(PosteriorMixin):
    """The part of `PowerLawClusters` that says where other points belong."""

    outliers: str
    route_: str
    tradeoff_: float
    outlier_score_: FloatArray
    _posterior: GaussianPosterior | NeighborPosterior
    _training: TrainingRows
    _tails: Tails
    _scaling: Any
    _columns: Positions
    _cut: PowerLawCut

    def predict(self, X: Any) -> Labels:
        """Return the cluster of each row; equal to ``labels_`` on the training data.

        Parameters
        ----------
        X : array-like or sparse matrix
            Rows like those of the fit: points, or weights of edges to the training nodes.

        Returns
        -------
        ndarray of shape (n_rows,), int32
            With ``outliers="label"``, -1 for outliers.
        """
        if self._is_of_graph:
            return self._cut.predict(X)
        if self.outliers != "label":
            return super().predict(X)
        rows, index = self._rows(X)
        labels = np.where(index >= 0, self.labels_[index], -1).astype(LABEL)
        new = np.flatnonzero(index < 0)
        for batch in self._batches(len(new)):
            some = new[batch]
            cost, score = self._evaluate(rows[some], index[some])
            labels[some] = np.where(score <= OUTLIER, cost.argmin(axis=1), -1)
        return labels

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the posterior of each cluster for each row.

        Far from all clusters, all are equally likely. A training point's most probable cluster is
        its label.

        Parameters
        ----------
        X : array-like or sparse matrix
            Rows as in `predict`.

        Returns
        -------
        ndarray of shape (n_rows, n_clusters)
            Each row sums to 1.
        """
        if self._is_of_graph:
            return self._cut.predict_proba(X)
        return super().predict_proba(X)

    def score_outliers(self, X: Any) -> FloatArray:
        """Return the outlier score of each row; equal to ``outlier_score_`` on the training data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        if self._is_of_graph:
            raise ValueError("A graph has no distances, and its nodes have no outlier scores.")
        rows, index = self._rows(X)
        score = np.empty(len(index))
        known = index >= 0
        score[known] = self.outlier_score_[index[known]]
        new = np.flatnonzero(~known)
        for batch in self._batches(len(new)):
            score[new[batch]] = self._evaluate(rows[new[batch]], index[new[batch]])[1]
        return score

    @property
    def _is_of_graph(self) -> bool:
        """Whether the model, which must be fitted, is that of a graph."""
        check_is_fitted(self, "labels_")
        return self.route_ == "graph"

    def _evaluate(self, rows: Any, index: Positions) -> tuple[FloatArray, FloatArray]:
        """Return the costs of the clusters and the outlier score of each row."""
        cost, sparseness = self._posterior.evaluate(rows, index)
        cost = cost[:, self._columns]
        nearest = self._columns[cost.argmin(axis=1)]
        return cost, self._tails.scores(sparseness, nearest)

    def _rows(self, X: Any) -> tuple[Any, Positions]:
        X = validated(self, X, reset=False, accept_sparse="csr", dtype=float_types(X), order="C")
        return self._scaling(X), self._training.find(row_keys(X))

    def _probabilities(self, rows: Any, index: Positions, own: npt.NDArray[np.intp]) -> FloatArray:
        cost, score = self._evaluate(rows, index)
        clear = probabilities(cost, self._fitted_tradeoff, own)
        outside = 1 / (1 + np.exp(OUTLIER - score))[:, None]
        return (1 - outside) * clear + outside / self.n_clusters_

    def _costs(self, rows: Any, index: Positions) -> FloatArray:
        return self._evaluate(rows, index)[0]

    @property
    def _fitted_tradeoff(self) -> float:
        # Votes of neighbours are probabilities already.
        return self.tradeoff_ if self.route_ == "gaussian" else 1.0
