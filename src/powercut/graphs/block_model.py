r"""The stochastic block model of the likelihood score, and estimates of its parameters.

The partition has a Pitman-Yor prior. The number of edges between two nodes is Poisson, with
rate :math:`\delta_c s_i s_j` inside a cluster c that is denser than the background and
:math:`b\, s_i s_j` everywhere else. :math:`s_i` is the degree of node i (degree-corrected model)
or 1 (uniform model). In the uniform model of a simple graph, where two nodes have at most one edge,
the number is Bernoulli, with these rates as probabilities.
"""

from dataclasses import dataclass, replace

import numpy as np

from powercut._typing import FloatArray
from powercut.graphs.degrees import degree_nats
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.graphs.scores import Bernoulli, BlockScore, ClusterStats, GraphObjective, Likelihood
from powercut.prior import PitmanYor
from powercut.search.objective import Objective, Regulariser
from powercut.search.prior import bounded_prior

WEIGHTS = ("counts", "strength")
# Initial background rate, relative to the mean rate; used before there are labels.
INITIAL_RATE = 0.3
LARGEST_COUNT = 2.0**31
# Nats that a cluster of one node costs beyond the Pitman-Yor prior. Without them the sparse parts
# of a graph of cliques end as singletons: 33 of the 77 characters of Les Miserables. At 2 planted
# singletons of a dozen edges are still found.
ALONE = 2.0


@dataclass(frozen=True)
class BlockModel:
    """One of the two block models, with the settings that are fixed during a search.

    Attributes
    ----------
    degree_corrected : bool
        Whether the rates of nodes are proportional to their degrees.
    unit : float
        Number of counts per unit of weight; see `counts_per_weight`.
    tradeoff : float
        Weight of the size prior against the log-likelihood; 1 for the MAP partition.
    prior : PitmanYor or None
        The size prior; None if its hyperparameters are estimated.
    simple : bool
        Whether two nodes have at most one edge, and no node has a self-loop.
    self_loops : bool
        Whether pairs of a node with itself are counted: in graphs with self-loops, and in large
        ones.
    degree_nats : float
        What the degrees add to the description, if it is degree-corrected; see
        `powercut.graphs.degrees`.
    """

    degree_corrected: bool
    unit: float
    tradeoff: float = 1.0
    prior: PitmanYor | None = None
    simple: bool = False
    self_loops: bool = False
    degree_nats: float = 0.0

    @classmethod
    def of(
        cls,
        graph: Graph,
        *,
        degree_corrected: bool,
        unit: float = 1.0,
        tradeoff: float = 1.0,
        prior: PitmanYor | None = None,
    ) -> "BlockModel":
        """Return the model of a graph: the graph tells whether it is simple.

        In a large graph hardly any pair is that of a node with itself, and edges are rare:
        self-pairs are counted and edges are Poisson, which takes less memory.
        """
        loops = Level.finest(graph).is_large or graph.has_self_loops
        simple = graph.weights is None and not loops
        return cls(
            degree_corrected,
            unit,
            tradeoff,
            prior,
            simple=simple,
            self_loops=loops,
            degree_nats=degree_nats(graph, unit) if degree_corrected else 0.0,
        )

    def with_tradeoff(self, tradeoff: float) -> "BlockModel":
        """Return the same model with another tradeoff."""
        return replace(self, tradeoff=tradeoff)

    def score(self, background: float) -> BlockScore:
        """Return the score at this background rate."""
        if self.simple and not self.degree_corrected:
            return Bernoulli(background)
        return Likelihood(background, self.degree_corrected, self.self_loops, self.unit)

    def pairs(self, stats: ClusterStats) -> FloatArray:
        """Return the size of the pairs of nodes inside each cluster."""
        return self.score(0.0).pairs(stats)

    def regulariser(self, prior: PitmanYor) -> Regulariser:
        """Return the weighted size prior."""
        return Regulariser(prior, self.tradeoff, ALONE)

    def objective(self, background: float, prior: PitmanYor) -> GraphObjective:
        """Return J at these parameters."""
        return Objective(self.score(background), self.regulariser(prior))

    def initial_objective(self, total: ClusterStats) -> GraphObjective:
        """Return the initial J, from the sums over all nodes."""
        mean_rate = float(total.volume[0]) / (float(self.pairs(total)[0]) or 1.0)
        return self.objective(INITIAL_RATE * mean_rate, self.prior or PitmanYor(1.0, 0.5))

    def parameters(self, stats: ClusterStats) -> tuple[float, PitmanYor]:
        """Return the most likely background rate and prior, given these clusters.

        The background rate is the weight between clusters divided by the sum of
        :math:`s_i s_j` over all pairs of nodes in different clusters.
        """
        between = max(float(stats.volume.sum() - stats.inside.sum()), 0.0)
        all_pairs = float(self.pairs(stats.total)[0])
        possible = all_pairs - float(self.pairs(stats).sum())
        if between <= 0 or possible <= 0:
            # No weight between clusters: estimate the rate from one pseudo-count.
            between, possible = 1 / self.unit, max(possible, all_pairs) or 1.0
        return between / possible, self.prior or bounded_prior(stats.counts)

    def estimate(self, stats: ClusterStats) -> GraphObjective:
        """Return J with the most likely parameters, given these clusters."""
        return self.objective(*self.parameters(stats))


def block_level(graph: Graph, *, n_threads: int = 1) -> Level:
    """Return the finest level of a graph, with the node weights that its block models need."""
    level = Level.finest(graph, n_threads=n_threads)
    if level.is_large:
        return level
    return Level.finest(graph, BlockScore.node_weight(graph.degrees, None), n_threads=n_threads)


def kind_of_weights(graph: Graph) -> str:
    """Guess whether weights are ``"counts"`` or ``"strength"``.

    They are counts if all are whole numbers below 2^31. Unweighted edges are counts of one.
    """
    if graph.weights is None or not len(graph.weights):
        return "counts"
    integer = all(np.array_equal(some, np.rint(some)) for some in graph.weight_chunks())
    return "counts" if integer and float(graph.weights.max()) < LARGEST_COUNT else "strength"


def counts_per_weight(graph: Graph, weights: str) -> float:
    """Return the number of independent counts per unit of weight.

    It is 1 if weights are counts. Strengths are scaled so that their sum is the effective
    number of edges, ``(sum w)^2 / sum w^2``; multiplying them by a constant changes nothing.

    Parameters
    ----------
    graph : Graph
        The graph.
    weights : {"counts", "strength"}
        The meaning of its weights; see `kind_of_weights`.

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
    for some in graph.weight_chunks():
        relative = some.astype(np.float64) / largest  # squares must not underflow
        total += float(relative.sum())
        squares += float(relative @ relative)
    return total / squares / largest
