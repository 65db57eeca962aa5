"""Posterior predictive densities of Gaussian clusters, for `predict` and margins."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut._typing import FloatArray, Labels, Positions
from powercut.estimators._posterior import seat_costs
from powercut.estimators.confidence import point_cluster_evidence
from powercut.search.objective import Objective
from powercut.vectors.gaussian_model import GaussianFit
from powercut.vectors.points import Points
from powercut.vectors.scores import Gaussian
from powercut.vectors.standardised import Standardised

# Fewer points than this are outliers, rather than a cluster.
FEW = 5


@dataclass(frozen=True)
class GaussianPosterior:
    """The Gaussian clusters of a fit, and J with one more point in each of them."""

    standard: Standardised
    objective: Objective[Gaussian]
    clusters: Points
    labels: Labels

    @classmethod
    def of(cls, fit: GaussianFit, labels: Labels, standard: Standardised) -> "GaussianPosterior":
        """Keep the standardised clusters of a fit."""
        return cls(standard, fit.objective, fit.model.clusters(labels), labels)

    def margins(self, points: Points) -> FloatArray:
        """Return the rise of J if a training point moves to the best other cluster."""
        prior, threads = self.objective.regulariser.native, points.n_threads
        return _core.gaussian_margins(
            points.native,
            self.labels,
            self.clusters.n,
            prior,
            self.objective.score.native,
            threads,
            None,
        )

    def evidence(self) -> FloatArray:
        """Return the evidence for each cluster, in nats, against merging with the best other."""
        return point_cluster_evidence(self.clusters, self.objective)

    def costs(self, rows: npt.NDArray[np.floating], index: Positions) -> FloatArray:
        """Return J with each row in each cluster, up to a constant per row.

        A row that is the training point `index` is removed from its cluster first.
        """
        x = np.asarray(self.standard(rows.astype(np.float64)), dtype=np.float64)
        own = np.where(index >= 0, self.labels[index], -1)
        cost = seat_costs(self.objective.regulariser, self.clusters.counts, own)
        seats = cost.copy()
        form, weights = self.objective.score.form, self.clusters.weights
        scale = self.objective.score.posterior_scale(self.clusters)
        kappa = self.objective.score.kappa + weights
        first = self.objective.score.kappa * self.objective.score.mean
        mean = (first + weights[:, None] * self.clusters.values) / kappa[:, None]
        grown = form.grown_log_sizes(scale, 0.5 * kappa / (kappa + 1), x, mean)
        cost += self._weight_costs(weights)
        cost += self._scale_costs(weights, form.log_size(scale), grown)
        known = np.flatnonzero(own >= 0)
        mine = own[known]
        push = 0.5 * kappa[mine] / (kappa[mine] - 1)
        left = scale[mine] - push[:, None] * form.squares(x[known] - mean[mine])
        left[self.clusters.counts[mine] == 1] = self.objective.score.scale
        left = form.at_least(left, self.objective.score.scale)
        rest = weights - 1
        there = self._scale_costs(rest[mine], form.log_size(left), form.log_size(scale[mine]))
        cost[known, mine] = seats[known, mine] + self._weight_costs(rest)[mine] + there
        return cost

    def evaluate(
        self, rows: npt.NDArray[np.floating], index: Positions
    ) -> tuple[FloatArray, FloatArray]:
        """Return the costs of rows, and their sparseness: minus the log-density of all clusters.

        A few points far from all others are no dense place, though they may be a cluster.
        """
        cost = self.costs(rows, index)
        dense = self.clusters.counts >= min(FEW, self.clusters.counts.max())
        return cost, -np.logaddexp.reduce(-cost[:, dense], axis=1)

    def _weight_costs(self, weight: FloatArray) -> FloatArray:
        """Return the part of minus the log predictive density that depends only on weights."""
        return self.objective.score.weight_term(weight + 1) - self.objective.score.weight_term(
            weight
        )

    def _scale_costs(self, weight: Any, before: FloatArray, after: FloatArray) -> FloatArray:
        """Return the other part, from ``ln |B|`` before and after the point joins."""
        rate = self.objective.score.form.rate
        shape = self.objective.score.shape + rate * (weight + 1)
        return np.asarray(rate * before + shape * (after - before))
