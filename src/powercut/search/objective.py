"""J, the one number that every search lowers."""

from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from powercut._special import log_rising
from powercut._typing import FloatArray, IntArray, Labels, Positions, Random
from powercut.prior import PitmanYor


@dataclass(frozen=True)
class Regulariser:
    """``tradeoff * r(Z)`` with ``r = -ln EPPF``, the Pitman-Yor prior on the sizes."""

    prior: PitmanYor
    tradeoff: float

    @property
    def native(self) -> tuple[float, float, float]:
        """(concentration, discount, tradeoff), as the kernels take it."""
        return self.prior.concentration, self.prior.discount, self.tradeoff

    def constant(self, n: int) -> float:
        """Part of ``tradeoff * r`` that no partition of n points changes; kernels leave it out."""
        return self.tradeoff * float(log_rising(self.prior.concentration + 1, n - 1)) if n else 0.0

    def value(self, sizes: IntArray) -> float:
        """``tradeoff * r`` of a partition with these sizes, constants included."""
        return -self.tradeoff * self.prior.log_prob(sizes) if self.tradeoff else 0.0

    def merging(self, sizes: IntArray, one: int, others: Positions) -> FloatArray:
        """Return what ``tradeoff * r`` rises by when a cluster merges with each of some others."""
        alpha, theta = self.prior.concentration, self.prior.discount
        opened = np.log(alpha + (len(sizes) - 1) * theta)
        grown = log_rising(sizes[others] - theta, float(sizes[one]))
        return np.asarray(
            self.tradeoff * (opened + log_rising(1 - theta, sizes[one] - 1.0) - grown)
        )


class Clusters(Protocol):
    """The sums over each cluster that a score is a function of."""

    @property
    def counts(self) -> IntArray:
        """Number of original nodes or points of each cluster."""


class Score(Protocol):
    """What each cluster costs, from its sums; lower is better."""

    @property
    def native(self) -> Any:
        """The score as the kernels take it."""

    def cost(self, clusters: Any) -> FloatArray:
        """Return the cost of each cluster."""


S_co = TypeVar("S_co", bound=Score, covariant=True)


@dataclass(frozen=True)
class Objective(Generic[S_co]):
    """``J = sum_c cost(c) + tradeoff * r(Z)``, of a partition of nodes or of points."""

    score: S_co
    regulariser: Regulariser

    @property
    def native(self) -> tuple[Any, ...]:
        """The score, concentration, discount and tradeoff, as the kernels of graphs take them."""
        return *self.score.native, *self.regulariser.native

    def value(self, clusters: Clusters) -> float:
        """Return J of a partition into these clusters, all constants included."""
        cost = float(self.score.cost(clusters).sum())
        return cost + self.regulariser.value(clusters.counts)

    def without_prior(self) -> "Objective[S_co]":
        """Return the score alone."""
        return replace(self, regulariser=replace(self.regulariser, tradeoff=0.0))


@dataclass(frozen=True)
class Found:
    """What a search found.

    Attributes
    ----------
    labels : ndarray of int32
        0 to k - 1, in no particular order.
    objective : float
        J of the labels, all constants included.
    path : ndarray of float64
        J at the start and after each step.
    """

    labels: Labels
    objective: float
    path: FloatArray


def draw_seed(random: Random) -> int:
    """Return a seed for one native call."""
    return int(random.integers(2**63))
