r"""Description length of a graph, in nats.

A two-part code (minimum description length): the first part encodes the model, its parameters and
the partition, the second the edges given these. Partitions, models and starts are
ranked by its length. It is the length of a decodable code: the sum of ``exp(-nats)`` over all
graphs of n nodes, each with its shortest description, is below one (Kraft's inequality).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, xlogy

from powercut import _core
from powercut._typing import FloatArray, Labels
from powercut.graphs.block_model import BlockModel
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.graphs.scores import BlockScore, ClusterStats, GraphObjective
from powercut.prior import PitmanYor
from powercut.search.fit import Description


def describe(
    graph: Graph,
    level: Level,
    labels: Labels,
    model: BlockModel,
    *,
    stats: ClusterStats | None = None,
    estimated: GraphObjective | None = None,
    bound: bool = False,
) -> Description:
    r"""Return the description length of a graph under a block model with these clusters.

    It has three terms:

    - Edges. In the uniform model of a simple graph: which of the pairs of nodes have an edge, for
      each cluster that is denser than the background and for the rest of the graph. If m of P
      pairs have one, there are :math:`\binom{P}{m}` possibilities. In all other models: the
      negative log-likelihood of Poisson edges, at the densities of the clusters and of the
      background. In an unweighted graph no pair has two edges, so the probability of an edge
      is :math:`1 - e^{-\lambda_{ij}}`, that of at least one. The degree-corrected model also
      encodes the degrees: how many nodes have each degree, and which nodes these are.
    - Partition: :math:`-\ln \mathrm{EPPF}` at the most likely concentration and discount, and
      2 nats for each singleton.
    - Parameters: :math:`\ln(P + 1)` for each number m, or for each density half the logarithm of
      the count it is estimated from, for the background of the total count;
      :math:`2 \ln(1 + \alpha) - \ln(1 - \theta)`
      for an estimated prior, so that neither the partition into singletons nor the one into a
      single cluster costs nothing; :math:`\ln 2` for the choice of the model.

    If weights are strengths, the description length is correct up to a constant of the graph.

    `stats` and `estimated` are ``level.cluster_stats(labels)`` and ``model.estimate(stats)``, if
    they are known. If a lower bound is enough, no pass over the edges is made with `stats` given.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut import Graph
    >>> from powercut.graphs.block_model import BlockModel, block_level
    >>> from powercut.graphs.description import describe
    >>> graph = Graph(np.kron(np.eye(3), np.ones((20, 20)) - np.eye(20)))
    >>> three = np.repeat(np.arange(3, dtype=np.int32), 20)
    >>> one = np.zeros(60, dtype=np.int32)
    >>> uniform, level = BlockModel.of(graph, degree_corrected=False), block_level(graph)
    >>> nats = [describe(graph, level, labels, uniform).nats for labels in (three, one)]
    >>> nats[0] < nats[1]
    True
    """
    if graph.n_nodes == 0:
        return Description(0.0, 0.0, 0.0)
    stats = level.cluster_stats(labels) if stats is None else stats
    estimated = model.estimate(stats) if estimated is None else estimated
    prior = estimated.regulariser.prior
    assert isinstance(estimated.score, BlockScore)
    background = estimated.score.background
    coded = _Coded.of(stats, model, background)
    if model.simple and not model.degree_corrected:
        edges, densities = _bernoulli_nats(coded)
    else:
        edges, densities = _poisson_nats(graph, level, labels, model, coded, bound)
    return Description(
        edges,
        estimated.regulariser.nats(stats.counts),
        densities + (_prior_nats(prior) if model.prior is None else 0) + float(np.log(2)),
    )


@dataclass(frozen=True)
class _Coded:
    """What is encoded at a rate of its own: each cluster denser than the background, and the rest.

    `inside` and `pairs` have an edge twice; the last of each is the rest.
    """

    inside: FloatArray
    pairs: FloatArray
    denser: npt.NDArray[np.bool_]
    background: float

    @classmethod
    def of(cls, stats: ClusterStats, model: BlockModel, background: float) -> "_Coded":
        pairs = model.pairs(stats)
        denser = stats.inside > background * pairs
        inside = np.append(stats.inside[denser], stats.volume.sum())
        pairs = np.append(pairs[denser], model.pairs(stats.total))
        for sums in (inside, pairs):
            sums[-1] -= sums[:-1].sum()
        return cls(inside, pairs, denser, background)


def _bernoulli_nats(coded: _Coded) -> tuple[float, float]:
    """Return the code length of the edges and that of their numbers."""
    edges, pairs = 0.5 * coded.inside, 0.5 * coded.pairs
    which = gammaln(pairs + 1) - gammaln(edges + 1) - gammaln(pairs - edges + 1)
    return float(which.sum()), float(np.log1p(pairs).sum())


def _poisson_nats(
    graph: Graph, level: Level, labels: Labels, model: BlockModel, coded: _Coded, bound: bool
) -> tuple[float, float]:
    """Return the code length of the edges, and of the degrees, and that of the densities."""
    unit, total = model.unit, float(coded.inside.sum())
    rate = np.divide(
        coded.inside, coded.pairs, out=np.zeros_like(coded.pairs), where=coded.pairs > 0
    )
    rate[-1] = coded.background
    edges = -0.5 * unit * float(xlogy(coded.inside, unit * rate).sum())
    edges += 0.5 * unit * float((rate * coded.pairs).sum())
    if model.degree_corrected:
        edges += model.degree_nats
    if graph.weights is None and model.degree_corrected:
        density = np.full(len(coded.denser), coded.background)
        density[coded.denser] = rate[:-1]
        of_node, background = level.expand(labels), coded.background
        edges += 0.5 * (
            least_beyond_poisson(graph.degrees, of_node, density)
            if bound
            else _core.beyond_poisson(
                graph.arrays, graph.degrees, of_node, density, background, level.n_threads
            )
        )
    elif graph.weights is None:  # all edges of a cluster have the same rate
        edges += 0.5 * float((coded.inside * _beyond_poisson(rate)).sum())
    elif model.unit == 1:  # counts: the factorials of their Poisson probabilities
        edges += 0.5 * graph.log_factorials
    counts = unit * np.append(0.5 * coded.inside[:-1], total)
    return edges, 0.5 * float(np.log1p(counts).sum())


def least_beyond_poisson(degrees: FloatArray, labels: Labels, density: FloatArray) -> float:
    r"""Return a lower bound of `powercut._core.beyond_poisson`, from the degrees alone.

    An edge of rate r adds at least -r, and at least :math:`-r/2 - r^2/24`. Its rate is at most
    :math:`\delta_c d_i d_j \le (\delta_{c(i)} d_i^2 + \delta_{c(j)} d_j^2) / 2`, for no density of
    a cluster is below the background. So in an unweighted graph the rates of all entries sum to at
    most :math:`\sum_i \delta_{c(i)} d_i^3`, and their squares to at most
    :math:`\sum_i \delta_{c(i)}^2 d_i^5`.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut.graphs.description import least_beyond_poisson
    >>> degrees, labels = np.array([2.0, 2.0, 2.0]), np.zeros(3, dtype=np.int32)
    >>> round(least_beyond_poisson(degrees, labels, np.array([0.01])), 4)  # a triangle
    -0.1204
    """
    of_node = density[labels]
    rates = float((of_node * degrees**3).sum())
    squares = float((of_node**2 * degrees**5).sum())
    return -min(rates, rates / 2 + squares / 24)


def _beyond_poisson(rate: FloatArray) -> FloatArray:
    """Return the log-likelihood ratio of "at least one edge" to "exactly one" at Poisson rates."""
    one = np.ones_like(rate)
    return np.log(np.divide(rate, -np.expm1(-rate), out=one, where=rate > 0)) - rate


def _prior_nats(prior: PitmanYor) -> float:
    return float(2 * np.log1p(prior.concentration) - np.log1p(-prior.discount))
