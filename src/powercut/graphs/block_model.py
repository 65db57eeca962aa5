r"""The block model behind the likelihood score, and its most likely parameters.

A partition from a Pitman-Yor prior; between two nodes a Poisson number of edges, of
rate :math:`\delta_c s_i s_j` inside a cluster c that is denser than the background and
:math:`b\, s_i s_j` everywhere else; :math:`s_i` is the degree of a node
(degree-corrected) or 1 (uniform).
"""

from dataclasses import dataclass, replace

import numpy as np

from powercut._typing import FloatArray
from powercut.graphs.graph import Graph
from powercut.graphs.scores import ClusterStats, GraphObjective, Likelihood
from powercut.prior import PitmanYor
from powercut.search.objective import Objective, Regulariser
from powercut.search.prior import bounded_prior

WEIGHTS = ("counts", "strength")
# Background rate before there are labels to estimate it from.
FIRST_RATE = 0.3
LARGEST_COUNT = 2.0**31


@dataclass(frozen=True)
class BlockModel:
    """One of the two models of a graph, with what does not change during a search.

    Attributes
    ----------
    degree_corrected : bool
        Whether nodes have rates in proportion to their degrees.
    unit : float
        Counts that a unit of weight stands for; see `counts_per_weight`.
    tradeoff : float
        What the prior counts against the likelihood; 1 for the posterior mode.
    prior : PitmanYor or None
        None: estimated.
    """

    degree_corrected: bool
    unit: float
    tradeoff: float = 1.0
    prior: PitmanYor | None = None

    def at(self, tradeoff: float) -> "BlockModel":
        """Return the same model with another tradeoff."""
        return replace(self, tradeoff=tradeoff)

    def sizes(self, stats: ClusterStats) -> FloatArray:
        """Return what the rates of a cluster are in proportion to."""
        return stats.volume if self.degree_corrected else stats.counts.astype(np.float64)

    def objective(self, background: float, prior: PitmanYor) -> GraphObjective:
        """Return J at these parameters."""
        score = Likelihood(background, self.degree_corrected, self.unit)
        return Objective(score, Regulariser(prior, self.tradeoff))

    def first(self, stats: ClusterStats) -> GraphObjective:
        """Return J to begin with, from the graph as a whole."""
        total = float(self.sizes(stats).sum())
        weight = float(stats.volume.sum())
        return self.objective(
            FIRST_RATE * weight / (total * total), self.prior or PitmanYor(1.0, 0.5)
        )

    def parameters(self, stats: ClusterStats) -> tuple[float, PitmanYor]:
        """Return the background and the prior that are most likely for these clusters.

        The background is the weight between clusters over the product of sizes that
        could have carried it.
        """
        sizes = self.sizes(stats)
        between = max(float(stats.volume.sum() - stats.inside.sum()), 0.0)
        total = float(sizes.sum())
        possible = total * total - float(sizes @ sizes)
        if between <= 0 or possible <= 0:
            # Nothing lies between clusters: as if one count did.
            between, possible = 1 / self.unit, max(possible, total * total)
        return between / possible, self.prior or bounded_prior(stats.counts)

    def estimate(self, stats: ClusterStats) -> GraphObjective:
        """Return J at the parameters that are most likely for these clusters."""
        return self.objective(*self.parameters(stats))


def kind_of_weights(graph: Graph) -> str:
    """Guess what weights are: ``"counts"`` if all are whole and below 2^31, else ``"strength"``.

    Edges without weights count one each.
    """
    if graph.weights is None or not len(graph.weights):
        return "counts"
    whole = all(np.array_equal(some, np.rint(some)) for some in graph.weight_blocks())
    return "counts" if whole and float(graph.weights.max()) < LARGEST_COUNT else "strength"


def counts_per_weight(graph: Graph, weights: str) -> float:
    """Return how many independent counts a unit of weight stands for.

    One, if weights are counts. Of strengths, ``(sum w)^2 / sum w^2`` are worth counting,
    so that scaling them changes nothing.

    Parameters
    ----------
    graph : Graph
        The graph.
    weights : {"counts", "strength"}
        What its weights are; see `kind_of_weights`.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut import Graph
    >>> from powercut.graphs.block_model import counts_per_weight
    >>> graph = Graph(np.array([[0, 2, 1], [2, 0, 1], [1, 1, 0]]))
    >>> counts_per_weight(graph, "counts"), counts_per_weight(graph, "strength")
    (1.0, 0.666...)
    """
    if weights == "counts" or graph.weights is None or not len(graph.weights):
        return 1.0
    largest = float(graph.weights.max())
    total = squares = 0.0
    for some in graph.weight_blocks():
        relative = some.astype(np.float64) / largest  # squares must not underflow
        total += float(relative.sum())
        squares += float(relative @ relative)
    return total / squares / largest
