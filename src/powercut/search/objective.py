"""The objective J that every search minimises.

``J = sum_c cost(c) + tradeoff * r(Z)``: the costs of the clusters, plus the weighted negative log
probability of the cluster sizes under the Pitman-Yor prior, ``r = -log EPPF``. If the costs are
negative log-likelihoods, J at ``tradeoff = 1`` is the negative log posterior of the partition up to
a constant, and its minimum is the MAP partition. A tradeoff above 1 tempers the likelihood.
"""

from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from powercut._special import log_rising
from powercut._typing import FloatArray, IntArray, Labels, Positions, Random
from powercut.prior import PitmanYor


@dataclass(frozen=True)
class Regulariser:
    """The weighted size prior: ``tradeoff * r(Z)`` with ``r = -log EPPF`` of a Pitman-Yor prior.

    If `alone` is not 0, singletons are less likely than under the Pitman-Yor prior.

    Attributes
    ----------
    prior : PitmanYor
        The prior.
    tradeoff : float
        Its weight.
    alone : float
        Added to r for each cluster of a single node; for graphs only.
    """

    prior: PitmanYor
    tradeoff: float
    alone: float = 0.0

    @property
    def native(self) -> tuple[float, float, float]:
        """(concentration, discount, tradeoff), as native code takes them."""
        return self.prior.concentration, self.prior.discount, self.tradeoff

    def constant(self, n: int) -> float:
        """Return the part of ``tradeoff * r`` that depends on n only; kernels leave it out."""
        return self.tradeoff * float(log_rising(self.prior.concentration + 1, n - 1)) if n else 0.0

    def nats(self, sizes: IntArray) -> float:
        """Return r of a partition with these sizes."""
        return self.alone * int(np.count_nonzero(sizes == 1)) - self.prior.log_prob(sizes)

    def value(self, sizes: IntArray) -> float:
        """Return ``tradeoff * r`` of a partition with these sizes, including its constant."""
        return self.tradeoff * self.nats(sizes) if self.tradeoff else 0.0

    def merging(self, sizes: IntArray, one: int, others: Positions) -> FloatArray:
        """Return the increase of ``tradeoff * r`` when `one` merges with each of the `others`."""
        alpha, theta = self.prior.concentration, self.prior.discount
        opened = np.log(alpha + (len(sizes) - 1) * theta)
        grown = log_rising(sizes[others] - theta, float(sizes[one]))
        return np.asarray(
            self.tradeoff * (opened + log_rising(1 - theta, sizes[one] - 1.0) - grown)
        )


class Clusters(Protocol):
    """The sums over each cluster, from which a score computes costs."""

    @property
    def counts(self) -> IntArray:
        """Number of original nodes or points of each cluster."""


class Score(Protocol):
    """The cost of a cluster, as a function of its sums; lower is better."""

    @property
    def native(self) -> Any:
        """The score as native code takes it."""

    def cost(self, clusters: Any) -> FloatArray:
        """Return the cost of each cluster."""


S_co = TypeVar("S_co", bound=Score, covariant=True)


@dataclass(frozen=True)
class Objective(Generic[S_co]):
    """``J = sum_c cost(c) + tradeoff * r(Z)`` of a partition of nodes or points."""

    score: S_co
    regulariser: Regulariser

    @property
    def native(self) -> tuple[Any, ...]:
        """The score, and the fields of the regulariser, as the kernels of graphs take them."""
        return *self.score.native, *self.regulariser.native, self.regulariser.alone

    def value(self, clusters: Clusters) -> float:
        """Return J of a partition into these clusters, including constants."""
        cost = float(self.score.cost(clusters).sum())
        return cost + self.regulariser.value(clusters.counts)

    def without_prior(self) -> "Objective[S_co]":
        """Return the objective with tradeoff 0: the sum of costs alone."""
        return replace(self, regulariser=replace(self.regulariser, tradeoff=0.0))


@dataclass(frozen=True)
class SearchResult:
    """The result of a search.

    Attributes
    ----------
    labels : ndarray of int32
        Clusters 0 to k - 1, in no particular order.
    objective : float
        J of the labels, including constants.
    path : ndarray of float64
        J at the start and after each step.
    """

    labels: Labels
    objective: float
    path: FloatArray


def draw_seed(random: Random) -> int:
    """Return a seed for one call of a native kernel."""
    return int(random.integers(2**63))


def j_per_nat(tradeoff: float) -> float:
    """Return the rise of J per nat of log-posterior: the tradeoff, or 1 at tradeoff 0."""
    return tradeoff or 1.0
