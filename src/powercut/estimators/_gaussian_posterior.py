"""What Gaussian clusters say of a point: the posterior predictive of each."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from powercut.confidence import point_cluster_evidence
from powercut.estimators._common import FloatArray
from powercut.estimators._posterior import Index, seat_costs
from powercut.partition import Labels
from powercut.points import Points
from powercut.search.objective import Regulariser
from powercut.vector_evidence import GaussianFit, Standardised
from powercut.vector_scores import Gaussian


@dataclass(frozen=True)
class GaussianPosterior:
    """Clusters of a fit, and J with a further point in each of them."""

    standard: Standardised
    score: Gaussian
    regulariser: Regulariser
    clusters: Points
    labels: Labels

    @classmethod
    def of(
        cls,
        X: npt.NDArray[np.floating],
        labels: Labels,
        fit: GaussianFit,
        standard: Standardised,
    ) -> "GaussianPosterior":
        """Keep what the fitted clusters say of new points."""
        clusters = Points(standard(X)).aggregate(labels, int(labels.max()) + 1, fit.score.scatter)
        return cls(standard, fit.score, fit.regulariser, clusters, labels)

    def evidence(self) -> FloatArray:
        """Nats that speak for each cluster, against merging it with the best other one."""
        return point_cluster_evidence(self.clusters, self.score, self.regulariser)

    def costs(self, rows: npt.NDArray[np.floating], index: Index) -> FloatArray:
        """J with each row in each cluster, up to a constant a row.

        A row that is the training point `index` is taken out of its cluster first.
        """
        x = self.standard(rows.astype(np.float64))
        own = np.where(index >= 0, self.labels[index], -1)
        weight = np.ones(len(x))
        cost = seat_costs(self.regulariser, self.clusters.counts, own)
        scale = self.score.posterior_scale(self.clusters)
        kappa = self.score.kappa + self.clusters.weights
        mean = (
            self.score.kappa * self.score.mean
            + self.clusters.weights[:, None] * self.clusters.values
        ) / kappa[:, None]
        for c in range(self.clusters.n):
            pull = 0.5 * kappa[c] * weight / (kappa[c] + weight)
            grown = scale[c] + pull[:, None] * self.score.form.squares(x - mean[c])
            there = np.full(len(x), self.clusters.weights[c])
            cost[:, c] += self._predictive(there, weight, scale[c][None], grown)
        known = np.flatnonzero(own >= 0)
        mine = own[known]
        s = weight[known]
        alone = self.clusters.counts[mine] == 1
        rest = np.where(alone, 0.0, self.clusters.weights[mine] - s)
        push = 0.5 * kappa[mine] * s / (self.score.kappa + rest)
        left = scale[mine] - push[:, None] * self.score.form.squares(x[known] - mean[mine])
        left[alone] = self.score.scale
        left = self.score.form.at_least(left, self.score.scale)
        seats = seat_costs(self.regulariser, self.clusters.counts, own)[known, mine]
        cost[known, mine] = seats + self._predictive(rest, s, left, scale[mine])
        return cost

    def _predictive(
        self, weight: FloatArray, s: FloatArray, before: FloatArray, after: FloatArray
    ) -> FloatArray:
        """Minus the log-density of s points, from the scales before and after they join."""
        form = self.score.form
        size = form.log_size(before)
        shape = self.score.shape + form.rate * (weight + s)
        pairs, which = np.unique(np.stack([weight, s]), axis=1, return_inverse=True)
        term = self.score.weight_term(pairs.sum(axis=0)) - self.score.weight_term(pairs[0])
        rise = form.log_size(after) - size
        return np.asarray(form.rate * s * size + shape * rise + term[which.ravel()])
