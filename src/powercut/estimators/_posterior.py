"""`predict` and `predict_proba`, from J with a point in each cluster."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from powercut._typing import LABEL, FloatArray, Labels, Positions
from powercut._utils import slices
from powercut.search.objective import Regulariser, j_per_nat

# Costs, one per row and cluster, that are in memory at a time.
COSTS_AT_ONCE = 2**21


class PosteriorMixin(ABC):
    """Methods of an estimator that can compute J with a row in each of its clusters.

    J is ``tradeoff`` times minus the log-posterior, so with a small tradeoff
    probabilities are close to 0 and 1.
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
        labels = np.empty(len(index), dtype=LABEL)
        known = index >= 0
        labels[known] = self.labels_[index[known]]
        new = np.flatnonzero(~known)
        for batch in self._batches(len(new)):
            some = new[batch]
            labels[some] = self._costs(rows[some], index[some]).argmin(axis=1)
        return labels

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the posterior of each cluster for each row.

        A training point is removed from its cluster first. Its most probable cluster is
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
        rows, index = self._rows(X)
        own = np.where(index >= 0, self.labels_[index], -1)
        p = np.empty((len(index), self.n_clusters_))
        for batch in self._batches(len(index)):
            p[batch] = self._probabilities(rows[batch], index[batch], own[batch])
        return p

    def _probabilities(self, rows: Any, index: Positions, own: npt.NDArray[np.intp]) -> FloatArray:
        """Return the posterior of some rows; `own` has the labels of training rows, else -1."""
        return probabilities(self._costs(rows, index), self._fitted_tradeoff, own)

    def _batches(self, n: int) -> Iterator[slice]:
        """Yield slices of n rows, each small enough for its costs to fit in memory."""
        rows = max(1, COSTS_AT_ONCE // max(1, self.n_clusters_))
        yield from slices(n, rows)

    def _training_margins(self, rows: Any, index: Positions) -> FloatArray:
        """Return the log posterior odds, in nats, of each row's cluster against the best other."""
        margins = np.full(len(index), np.inf)
        for batch in self._batches(len(index) if self.n_clusters_ > 1 else 0):
            cost = self._costs(rows[batch], index[batch])
            margins[batch] = margins_of_costs(cost, self.labels_[index[batch]])
        return margins / j_per_nat(self._fitted_tradeoff)

    @property
    @abstractmethod
    def _fitted_tradeoff(self) -> float:
        """The tradeoff that the model was fitted with."""

    @abstractmethod
    def _rows(self, X: Any) -> tuple[Any, Positions]:
        """Return X, validated, and the training row that each of its rows is, or -1."""

    @abstractmethod
    def _costs(self, rows: Any, index: Positions) -> FloatArray:
        """Return J with each row in each cluster, up to a constant per row."""


def probabilities(cost: FloatArray, tradeoff: float, own: npt.NDArray[np.intp]) -> FloatArray:
    """Return the posterior over clusters, from J with each point in each of them.

    J is ``tradeoff`` times minus the log-posterior (at tradeoff 0, the best cluster
    has probability 1). To keep clusters connected, a fit may keep a training point in
    its cluster although another one would lower J. Its own cluster then has
    probability 1.

    Parameters
    ----------
    cost : ndarray of shape (n, k)
        J up to a constant per row.
    tradeoff : float
        The scale of J.
    own : ndarray of shape (n,)
        Label of each row that is a training point, else -1.
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


def margins_of_costs(cost: FloatArray, own: Labels) -> FloatArray:
    """Return how much lower the cost of each row's own cluster is than the least other one.

    Parameters
    ----------
    cost : ndarray of shape (n, k)
        Cost of each row in each cluster; changed.
    own : ndarray of shape (n,)
        Cluster of each row.
    """
    mine = np.arange(len(cost)), own
    at_home = cost[mine]
    cost[mine] = np.inf
    return np.asarray(cost.min(axis=1) - at_home)


def seat_costs(
    regulariser: Regulariser, sizes: npt.NDArray[np.int64], own: npt.NDArray[np.intp]
) -> FloatArray:
    r"""Return the tradeoff times minus the log prior weight of each cluster, for each row.

    By the Chinese restaurant process a new point joins a cluster with weight
    :math:`n_c - \theta`. A training point (`own` >= 0) is removed from its cluster first, whose
    weight is then :math:`n_c - 1 - \theta`; a singleton opens its cluster again, with weight
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
    opening = alpha + (len(sizes) - 1) * theta if len(sizes) > 1 else 1.0
    log_weight[known, mine] = np.log(np.where(sizes[mine] > 1, sizes[mine] - 1 - theta, opening))
    return -regulariser.tradeoff * log_weight
