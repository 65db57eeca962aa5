"""J, the one number that every search lowers."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from powercut.partition import Labels
from powercut.prior import PitmanYor, log_rising
from powercut.scores import GraphScore


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

    def value(self, sizes: npt.NDArray[np.int64]) -> float:
        """``tradeoff * r`` of a partition with these sizes, constants included."""
        return -self.tradeoff * self.prior.log_prob(sizes) if self.tradeoff else 0.0

    def merging(
        self, sizes: npt.NDArray[np.int64], one: int, others: npt.NDArray[np.intp]
    ) -> npt.NDArray[np.float64]:
        """Return what ``tradeoff * r`` rises by when a cluster merges with each of some others."""
        alpha, theta = self.prior.concentration, self.prior.discount
        opened = np.log(alpha + (len(sizes) - 1) * theta)
        grown = log_rising(sizes[others] - theta, float(sizes[one]))
        return np.asarray(
            self.tradeoff * (opened + log_rising(1 - theta, sizes[one] - 1.0) - grown)
        )


@dataclass(frozen=True)
class Objective:
    """``J = sum_c score(c) + tradeoff * r(Z)`` of a partition of a graph."""

    score: GraphScore
    regulariser: Regulariser

    @property
    def native(self) -> tuple[str, list[float], float, float, float]:
        """(score, its parameters, concentration, discount, tradeoff), as the kernels take it."""
        return self.score.name, self.score.parameters(), *self.regulariser.native

    def without_prior(self) -> "Objective":
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
    path: npt.NDArray[np.float64]


Random = np.random.Generator


def draw_seed(random: Random) -> int:
    """Return a seed for one native call."""
    return int(random.integers(2**63))
