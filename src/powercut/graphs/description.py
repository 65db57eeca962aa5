r"""Description length of a graph, in nats.

A two-part code (minimum description length): the first part encodes the model, its parameters and
the partition, the second the edges given these. Partitions, models and starts are
ranked by its length. It is the length of a decodable code: the sum of ``exp(-nats)`` over all
graphs of n nodes, each with its shortest description, is below one (Kraft's inequality).
"""

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, xlogy

from powercut import _core
from powercut._typing import FloatArray, Labels
from powercut.graphs.block_model import BlockModel
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.graphs.scores import ClusterStats
from powercut.prior import PitmanYor
from powercut.search.fit import Description


def describe(
    graph: Graph,
    level: Level,
    labels: Labels,
    model: BlockModel,
    *,
    stats: ClusterStats | None = None,
) -> Description:
    r"""Return the description length of a graph under a block model with these clusters.

    It has three terms:

    - Edges: the negative log-likelihood of the Poisson model, at the densities of the clusters
      and of the background. In an unweighted graph no pair has two edges, so the
      probability of an edge is :math:`1 - e^{-\lambda_{ij}}`, that of at least one. The
      degree-corrected model also encodes the degrees: how many nodes have each degree, and
      which nodes these are.
    - Partition: :math:`-\ln \mathrm{EPPF}` at the most likely concentration and discount.
    - Parameters: for each estimated density half the logarithm of the count it is estimated
      from, for the background of the total count; :math:`2 \ln(1 + \alpha) - \ln(1 - \theta)`
      for an estimated prior, so that neither the partition into singletons nor the one into a
      single cluster costs nothing; :math:`\ln 2` for the choice of the model.

    If weights are strengths, the description length is correct up to a constant of the graph.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut import Graph
    >>> from powercut.graphs.block_model import BlockModel
    >>> from powercut.graphs.description import describe
    >>> from powercut.graphs.level import Level
    >>> graph = Graph(np.kron(np.eye(3), np.ones((20, 20)) - np.eye(20)))
    >>> three = np.repeat(np.arange(3, dtype=np.int32), 20)
    >>> one = np.zeros(60, dtype=np.int32)
    >>> uniform, level = BlockModel(degree_corrected=False, unit=1.0), Level.finest(graph)
    >>> nats = [describe(graph, level, labels, uniform).nats for labels in (three, one)]
    >>> nats[0] < nats[1]
    True
    """
    if graph.n_nodes == 0:
        return Description(0.0, 0.0, 0.0)
    stats = level.cluster_stats(labels) if stats is None else stats
    background, prior = model.parameters(stats)
    unit, sizes = model.unit, model.sizes(stats)
    denser = stats.inside > background * sizes**2
    density = np.full(len(sizes), background)
    np.divide(stats.inside, sizes**2, out=density, where=denser)
    total = float(stats.volume.sum())
    rest = total - float(stats.inside[denser].sum())

    logs = xlogy(stats.inside[denser], unit * density[denser]).sum()
    edges = -0.5 * unit * float(logs + xlogy(rest, unit * background))
    others = float(np.square(sizes.sum()) - sizes[denser] @ sizes[denser])
    edges += 0.5 * unit * (total - rest + background * others)
    if model.degree_corrected:
        edges -= unit * float(xlogy(graph.degrees, graph.degrees).sum())
        edges += _degree_nats(np.rint(unit * graph.degrees).astype(np.int64))
    if graph.weights is None and model.degree_corrected:
        edges += 0.5 * _core.beyond_poisson(
            graph.arrays, graph.degrees, labels, density, background, level.n_threads
        )
    elif graph.weights is None:
        edges += 0.5 * float(stats.inside @ _beyond_poisson(density))
        edges += 0.5 * (total - float(stats.inside.sum())) * float(_beyond_poisson(background))
    elif model.unit == 1:  # counts: the factorials of their Poisson probabilities
        edges += 0.5 * graph.log_factorials

    densities = float(np.log1p(0.5 * unit * stats.inside[denser]).sum() + np.log1p(unit * total))
    return Description(
        edges,
        -prior.log_prob(stats.counts),
        0.5 * densities + (_prior_nats(prior) if model.prior is None else 0) + float(np.log(2)),
    )


def _prior_nats(prior: PitmanYor) -> float:
    return float(2 * np.log1p(prior.concentration) - np.log1p(-prior.discount))


def _degree_nats(degrees: npt.NDArray[np.int64]) -> float:
    """Return the code length of the degrees: the largest, how many nodes have each, and which."""
    n, largest = len(degrees), int(degrees.max(initial=0))
    histogram = np.unique(degrees, return_counts=True)[1]
    which = gammaln(n + 1) - gammaln(histogram + 1).sum()
    how_many = gammaln(n + largest + 1) - gammaln(n + 1) - gammaln(largest + 1)
    return float(which + how_many + np.log1p(largest))


def _beyond_poisson(rate: npt.ArrayLike) -> FloatArray:
    """Return the code length of "at least one edge" minus that of "exactly one", at this rate.

    That is ln(rate) - ln(1 - exp(-rate)) - rate, about -rate / 2 for small rates.
    """
    rate = np.asarray(rate, dtype=np.float64)
    larger = np.maximum(rate, 1e-6)
    exact = np.log(larger) - np.log(-np.expm1(-larger)) - larger
    return np.where(rate > 1e-6, exact, -0.5 * rate)
