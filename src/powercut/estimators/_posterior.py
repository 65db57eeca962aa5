"""From J with a point in each cluster to `predict` and `predict_proba`."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from powercut._typing import FloatArray, Labels, Positions
from powercut._utils import slices
from powercut.estimators.confidence import nat
from powercut.search.objective import Regulariser

# Costs of rows in clusters that are held at once.
COSTS_AT_ONCE = 2**21


class PosteriorMixin(ABC):
    """Methods of an estimator that knows J with a row in each of its clusters.

    J is ``tradeoff`` times minus the log-posterior, so a small tradeoff makes for
    probabilities close to 0 and 1.
    """

    labels_: Labels
    n_clusters_: int

    def predict(self, X: Any) -> Labels:
        """Return the cluster of each row; equal to ``labels_`` on the training data.

        Parameters
        ----------
        X : array-like or sparse matrix
            Rows like those of the fit: points, kernel values with the training points,
            or weights of edges to the training nodes.

        Returns
        -------
        ndarray of shape (n_rows,), int32
        """
        rows, index = self._rows(X)
        labels = np.empty(len(index), dtype=np.int32)
        known = index >= 0
        labels[known] = self.labels_[index[known]]
        new = np.flatnonzero(~known)
        for batch in self._batches(len(new)):
            some = new[batch]
            labels[some] = self._costs(rows[some], index[some]).argmin(axis=1)
        return labels

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the posterior of each cluster for each row.

        A training point is taken out of its cluster first; its largest entry is at
        its label.

        Parameters
        ----------
        X : array-like or sparse matrix
            Rows as `predict` takes them.

        Returns
        -------
        ndarray of shape (n_rows, n_clusters)
            Each row adds up to 1.
        """
        rows, index = self._rows(X)
        own = np.where(index >= 0, self.labels_[index], -1)
        p = np.empty((len(index), self.n_clusters_))
        for batch in self._batches(len(index)):
            cost = self._costs(rows[batch], index[batch])
            p[batch] = probabilities(cost, self._fitted_tradeoff, own[batch])
        return p

    def _batches(self, n: int) -> Iterator[slice]:
        """Yield slices of n rows, each of not too many costs."""
        rows = max(1, COSTS_AT_ONCE // max(1, self.n_clusters_))
        yield from slices(n, rows)

    def _training_margins(self, rows: Any, index: Positions) -> FloatArray:
        """By how many nats each training row belongs to its cluster, not to the next best."""
        margins = np.full(len(index), np.inf)
        for batch in self._batches(len(index) if self.n_clusters_ > 1 else 0):
            cost = self._costs(rows[batch], index[batch])
            own = np.arange(len(cost)), self.labels_[index[batch]]
            mine = cost[own]
            cost[own] = np.inf
            margins[batch] = cost.min(axis=1) - mine
        return margins / nat(self._fitted_tradeoff)

    @property
    @abstractmethod
    def _fitted_tradeoff(self) -> float:
        """The tradeoff that the model was fitted with."""

    @abstractmethod
    def _rows(self, X: Any) -> tuple[Any, Positions]:
        """Return X, checked, and which training row each of its rows is, or -1."""

    @abstractmethod
    def _costs(self, rows: Any, index: Positions) -> FloatArray:
        """J with each row in each cluster, up to a constant for each row."""


def probabilities(cost: FloatArray, tradeoff: float, own: npt.NDArray[np.intp]) -> FloatArray:
    """Return the posterior over clusters, from J with each point in each of them.

    J is ``tradeoff`` times minus the log-posterior (at tradeoff 0, only the best
    cluster is left). `own` has the label of each row that is a training point,
    else -1. The fit may have had to keep such a point where it is although
    another cluster would lower J, so that clusters stay connected: then its own
    cluster is the only possible one.

    Parameters
    ----------
    cost : ndarray of shape (n, k)
        J up to a constant for each row.
    tradeoff : float
        The scale of J.
    own : ndarray of shape (n,)
        Known labels, or -1.
    """
    relative = cost - cost.min(axis=1, keepdims=True)
    p = np.exp(-relative / tradeoff) if tradeoff > 0 else (relative == 0).astype(np.float64)
    p /= p.sum(axis=1, keepdims=True)
    known = np.flatnonzero(own >= 0)
    off = known[p[known].argmax(axis=1) != own[known]]
    best = p[off].max(axis=1)
    tied = p[off, own[off]] >= best * (1 - 1e-9)
    p[off[tied], own[off[tied]]] = np.nextafter(best[tied], 1.0)
    p[off[~tied]] = 0.0
    p[off[~tied], own[off[~tied]]] = 1.0
    return np.asarray(p)


def seat_costs(
    regulariser: Regulariser, sizes: npt.NDArray[np.int64], own: npt.NDArray[np.intp]
) -> FloatArray:
    r"""Tradeoff times minus the log-weight of each cluster, for each row.

    A new point joins a cluster with weight :math:`n_c - \theta`. A training point
    (`own` >= 0) is first taken out of its cluster, which then weighs
    :math:`n_c - 1 - \theta`; a cluster of one has to be founded again, at
    :math:`\alpha + (k - 1) \theta`.

    Parameters
    ----------
    regulariser : Regulariser
        Prior and tradeoff.
    sizes : ndarray of shape (k,)
        Sizes of the clusters.
    own : ndarray of shape (n,)
        Label of each row that is a training point, else -1.
    """
    alpha, theta = regulariser.prior.concentration, regulariser.prior.discount
    log_weight = np.tile(np.log(sizes - theta), (len(own), 1))
    known = np.flatnonzero(own >= 0)
    mine = own[known]
    founding = alpha + (len(sizes) - 1) * theta if len(sizes) > 1 else 1.0
    log_weight[known, mine] = np.log(np.where(sizes[mine] > 1, sizes[mine] - 1 - theta, founding))
    return -regulariser.tradeoff * log_weight
