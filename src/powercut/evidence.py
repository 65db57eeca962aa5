r"""Estimating what the likelihood score needs, and ranking partitions by description length.

The model: a partition from a Pitman-Yor prior; between two nodes a Poisson number of
edges, of rate :math:`\delta_c s_i s_j` inside a cluster c that is denser than the
background and :math:`b\, s_i s_j` everywhere else; :math:`s_i` is the degree of a node
(degree-corrected) or 1 (uniform).

From each of several starts, the parameters are estimated at the current labels and
the labels improved at these parameters, until they stay. Starts and both models are
then ranked by the nats it takes to describe the graph, with one cluster for each
component always among the candidates.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, xlogy

from powercut import _core
from powercut._adjacency import row_blocks
from powercut.graph import Graph
from powercut.partition import Labels, canonical_labels, compact_labels
from powercut.prior import PitmanYor
from powercut.scores import ClusterStats, Likelihood, Modularity
from powercut.search.level import Level
from powercut.search.multilevel import Multilevel
from powercut.search.objective import Found, Objective, Random, Regulariser
from powercut.search.schedule import Start, components_start, given, run_starts, solve_start

FloatArray = npt.NDArray[np.float64]

# Resolutions of modularity to start from: no single start is safe.
RESOLUTIONS = (1.0, 5.0, 20.0)
# Background rate before there are labels to estimate it from.
FIRST_RATE = 0.3
MAX_ROUNDS = 12
LARGEST_COUNT = 2.0**31
TINY = float(np.finfo(np.float64).tiny)


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

    def sizes(self, stats: ClusterStats) -> FloatArray:
        """Return what the rates of a cluster are in proportion to."""
        return stats.volume if self.degree_corrected else stats.count.astype(np.float64)

    def objective(self, background: float, prior: PitmanYor) -> Objective:
        """Return J at these parameters."""
        score = Likelihood(background, self.degree_corrected, self.unit)
        return Objective(score, Regulariser(prior, self.tradeoff))

    def first(self, stats: ClusterStats) -> Objective:
        """Return J to begin with, from the graph as a whole."""
        total = float(self.sizes(stats).sum())
        weight = float(stats.volume.sum())
        return self.objective(FIRST_RATE * weight / total**2, self.prior or PitmanYor(1.0, 0.5))

    def parameters(self, stats: ClusterStats) -> tuple[float, PitmanYor]:
        """Return the background and the prior that are most likely for these clusters.

        The background is the weight between clusters over the product of sizes that
        could have carried it.
        """
        sizes = self.sizes(stats)
        between = max(float(stats.volume.sum() - stats.inside.sum()), 0.0)
        possible = float(sizes.sum()) ** 2 - float(sizes @ sizes)
        if between <= 0 or possible <= 0:
            # Nothing lies between clusters: as if one count did.
            between, possible = 1 / self.unit, max(possible, float(sizes.sum()) ** 2)
        return between / possible, self.prior or PitmanYor.fit(stats.count)

    def estimate(self, stats: ClusterStats) -> Objective:
        """Return J at the parameters that are most likely for these clusters."""
        return self.objective(*self.parameters(stats))


@dataclass(frozen=True)
class BlockFit:
    """A partition, the objective it was found with, and its description length in nats."""

    found: Found
    objective: Objective
    description_length: float


def counts_per_weight(graph: Graph) -> float:
    """Return how many independent counts a unit of weight stands for.

    Whole weights below 2^31 are counts. Other weights are strengths, of which
    ``(sum w)^2 / sum w^2`` are worth counting, so that scaling them changes nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from powercut import Graph
    >>> from powercut.evidence import counts_per_weight
    >>> A = np.array([[0, 2, 1], [2, 0, 1], [1, 1, 0]])
    >>> counts_per_weight(Graph(A)), counts_per_weight(Graph(0.25 * A))
    (1.0, 2.666...)
    """
    if graph.weights is None or not len(graph.weights):
        return 1.0
    largest = float(graph.weights.max())
    if largest < LARGEST_COUNT and np.all(graph.weights == np.rint(graph.weights)):
        return 1.0
    weights = graph.weights.astype(np.float64) / largest  # squares must not underflow
    return float(weights.sum() / (weights @ weights)) / largest


def description_length(graph: Graph, level: Level, labels: Labels, model: BlockModel) -> float:
    r"""Return the nats that describe a graph by its clusters.

    The sum of

    - the partition, :math:`-\ln \mathrm{EPPF}`;
    - the edges at the densities of the clusters and of the background, as the Poisson
      model has them; in an unweighted graph, where no pair has two edges, at the
      probabilities :math:`1 - e^{-\lambda_{ij}}` of at least one;
    - for the degree-corrected model the degrees: how many nodes have each, and which;
    - half the logarithm of its count for each estimated density.
    """
    stats = level.cluster_stats(labels)
    background, prior = model.parameters(stats)
    unit, sizes = model.unit, model.sizes(stats)
    denser = stats.inside > background * sizes**2
    density = np.full(len(sizes), background)
    np.divide(stats.inside, sizes**2, out=density, where=denser)
    total = float(stats.volume.sum())
    rest = total - float(stats.inside[denser].sum())

    nats = -prior.log_prob(stats.count)
    logs = xlogy(stats.inside[denser], unit * density[denser]).sum()
    nats -= 0.5 * unit * float(logs + xlogy(rest, unit * background))
    others = float(sizes.sum()) ** 2 - float(sizes[denser] @ sizes[denser])
    nats += 0.5 * unit * (total - rest + background * others)
    nats += 0.5 * float(np.log1p(0.5 * unit * stats.inside[denser]).sum() + np.log1p(unit * total))
    if model.degree_corrected:
        nats -= unit * float(xlogy(graph.degrees, graph.degrees).sum())
        nats += _degree_nats(np.rint(unit * graph.degrees).astype(np.int64))
    if graph.weights is None:
        nats += _simple_graph_nats(graph, labels, model, density, background)
    return nats


def _degree_nats(degrees: npt.NDArray[np.int64]) -> float:
    """Nats that tell the degrees: the largest, how many nodes have each, and which."""
    n, largest = len(degrees), int(degrees.max(initial=0))
    histogram = np.unique(degrees, return_counts=True)[1]
    which = gammaln(n + 1) - gammaln(histogram + 1).sum()
    how_many = gammaln(n + largest + 1) - gammaln(n + 1) - gammaln(largest + 1)
    return float(which + how_many + np.log1p(largest))


def _simple_graph_nats(
    graph: Graph, labels: Labels, model: BlockModel, density: FloatArray, background: float
) -> float:
    """Return what "at least one edge" saves against the Poisson model's "just one"."""
    factor = graph.degrees if model.degree_corrected else np.ones(graph.n_nodes)
    saved = 0.0
    for first, last in row_blocks(graph.indptr):
        entries = slice(graph.indptr[first], graph.indptr[last])
        row = np.repeat(np.arange(first, last), np.diff(graph.indptr[first : last + 1]))
        column = graph.indices[entries]
        inside = labels[row] == labels[column]
        rate = np.where(inside, density[labels[row]], background) * factor[row] * factor[column]
        # ln(rate) - ln(1 - exp(-rate)) - rate, which is -rate / 2 for small rates.
        exact = np.log(rate) - np.log(-np.expm1(-rate)) - rate
        saved += float(np.where(rate > 1e-6, exact, -0.5 * rate).sum())
    return 0.5 * saved


def fit_blocks(
    graph: Graph,
    level: Level,
    *,
    tradeoff: float = 1.0,
    prior: PitmanYor | None = None,
    labels: Labels | None = None,
    n_init: int = 1,
    n_jobs: int = 1,
    random: Random,
) -> tuple[BlockFit, BlockModel]:
    """Find the partition of shortest description, with both models and from several starts.

    Parameters
    ----------
    graph, level : Graph, Level
        The graph, and its finest level.
    tradeoff : float
        What the prior counts against the likelihood.
    prior : PitmanYor, optional
        Estimated where it is not given.
    labels : ndarray of int32, optional
        The one start to take, in place of the several.
    n_init : int
        How many times each random start is tried.
    n_jobs : int
        How many searches run at once; the result does not depend on it.
    random : numpy.random.Generator
        Decides the random orders.
    """
    unit = counts_per_weight(graph)
    models = [BlockModel(corrected, unit, tradeoff, prior) for corrected in (False, True)]
    fits = [(_empty_fit(models[0]), models[0])] if graph.n_nodes == 0 else []
    whole = level.cluster_stats(np.zeros(level.n, dtype=np.int32))
    for model in models:
        # Without edges, or with weights whose squares are no numbers, degrees say nothing.
        if not TINY < float(model.sizes(whole).sum()) ** 2 < np.inf:
            continue
        starts = _starts(level, model, n_init) if labels is None else [given(labels)]

        def improve(
            start: Labels, own: Random, cancel: _core.CancelFlag, model: BlockModel = model
        ) -> BlockFit:
            return alternate(graph, level, start, model, random=own, cancel=cancel)

        fit = run_starts(
            starts,
            improve,
            rank=lambda one: one.description_length,
            n_jobs=n_jobs,
            random=random,
        )
        fits.append((fit, model))
    return min(fits, key=lambda pair: pair[0].description_length)


def _empty_fit(model: BlockModel) -> BlockFit:
    nothing = Found(np.empty(0, dtype=np.int32), 0.0, np.zeros(1))
    return BlockFit(nothing, model.objective(1.0, model.prior or PitmanYor(1.0, 0.0)), 0.0)


def _starts(level: Level, model: BlockModel, n_init: int) -> Sequence[Start]:
    whole = level.cluster_stats(np.zeros(level.n, dtype=np.int32))
    first = model.first(whole).without_prior()
    total = float(level.nodes[0].sum())
    objectives = [first, *(Objective(Modularity(r, total), first.regulariser) for r in RESOLUTIONS)]
    return [components_start(level), *[solve_start(level, one) for one in objectives] * n_init]


def alternate(
    graph: Graph,
    level: Level,
    labels: Labels,
    model: BlockModel,
    *,
    random: Random,
    cancel: _core.CancelFlag | None = None,
) -> BlockFit:
    """Estimate and search in turn until the labels stay; then search to the end."""
    labels = compact_labels(labels)[0]
    for _ in range(MAX_ROUNDS):
        before = canonical_labels(labels)
        objective = model.estimate(level.cluster_stats(labels))
        labels = Multilevel(level, objective, random=random, cancel=cancel).cycle(labels)
        if np.array_equal(before, canonical_labels(labels)):
            break
    objective = model.estimate(level.cluster_stats(labels))
    search = Multilevel(level, objective, random=random, cancel=cancel)
    labels = search.improve(labels)
    path = np.asarray(search.path) + objective.regulariser.constant(level.n_original)
    length = description_length(graph, level, labels, model)
    return BlockFit(Found(labels, float(path[-1]), path), objective, length)
