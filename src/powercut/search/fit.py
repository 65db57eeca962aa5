"""The result of a fit, its description length, and the interface of fitted models."""

from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from powercut.search.objective import Objective, S_co, SearchResult


@dataclass(frozen=True)
class Description:
    """The parts of a description length, in nats.

    Attributes
    ----------
    data : float
        The edges or the points, given the partition and the parameters; for a degree-corrected
        model including the degrees.
    partition : float
        The partition, ``-ln EPPF``.
    parameters : float
        The estimated parameters, and the choice of the model.
    """

    data: float
    partition: float
    parameters: float

    @property
    def nats(self) -> float:
        """The description length: the sum of all parts."""
        return self.data + self.partition + self.parameters

    def tempered(self, tradeoff: float) -> float:
        """Return the description length with partition and parameters weighted by `tradeoff`.

        Up to the factor `tradeoff`, this is the description length with the log-likelihood
        of the data divided by `tradeoff`.
        """
        return self.data + tradeoff * (self.partition + self.parameters)


class Model(Protocol[S_co]):
    """A model whose parameters are estimated from the current clusters of a search."""

    def estimate(self, clusters: Any) -> Objective[S_co]:
        """Return J with the most likely parameters, given these clusters."""


M = TypeVar("M", bound=Model[Any])


@dataclass(frozen=True)
class Fit(Generic[M, S_co]):
    """A partition, the model and the objective it was found with, and its description length."""

    found: SearchResult
    model: M
    objective: Objective[S_co]
    description: Description

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.found.labels.max(initial=-1)) + 1
