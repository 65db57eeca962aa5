"""What every fit returns, and what every model that is fitted can do."""

from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from powercut.search.objective import Found, Objective, S_co


@dataclass(frozen=True)
class Description:
    """Nats that describe the data by a partition, by what they tell.

    Attributes
    ----------
    data : float
        The edges (for a degree-corrected model with the degrees), or the points, given all else.
    partition : float
        The clusters, ``-ln EPPF``.
    parameters : float
        Everything that was estimated, and which model it is.
    """

    data: float
    partition: float
    parameters: float

    @property
    def nats(self) -> float:
        """All of it: the description length."""
        return self.data + self.partition + self.parameters

    def tempered(self, tradeoff: float) -> float:
        """Return the nats with `tradeoff` edges counted as one, times `tradeoff`."""
        return self.data + tradeoff * (self.partition + self.parameters)


class Model(Protocol[S_co]):
    """What does not change during a search, and how the rest is estimated."""

    def estimate(self, clusters: Any) -> Objective[S_co]:
        """Return J at the parameters that are most likely for these clusters."""


M = TypeVar("M", bound=Model[Any])


@dataclass(frozen=True)
class Fit(Generic[M, S_co]):
    """A partition, the model and the objective it was found with, and its description."""

    found: Found
    model: M
    objective: Objective[S_co]
    description: Description

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.found.labels.max(initial=-1)) + 1
