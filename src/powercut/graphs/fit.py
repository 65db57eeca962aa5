"""Finding the partition that describes a graph in the fewest nats, with nothing set.

From each of several starts, the parameters of the block model are estimated at the
current labels and the labels improved at these parameters, until they stay. Starts and
both models (`powercut.graphs.block_model`) are then ranked by description length
(`powercut.graphs.description`); unless labels are given, one cluster for each component is
always among the starts. A large graph is searched with one model from one coarse start,
whose clusters are divided from inside until none divides. Where edges turn out to depend on
each other (`powercut.graphs.dependence`), the search is repeated at the tradeoff that makes up
for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from powercut import _core
from powercut._typing import FloatArray, Labels, Random
from powercut._utils import cached_property
from powercut.graphs.block_model import BlockModel
from powercut.graphs.dependence import needed_tradeoff
from powercut.graphs.description import describe
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.graphs.multilevel import Multilevel
from powercut.graphs.scores import ClusterStats, GraphObjective, GraphScore, Modularity
from powercut.graphs.starts import components_start, solve_start
from powercut.partition import canonical_labels, changed_clusters, compact_labels
from powercut.prior import PitmanYor
from powercut.progress import ProgressReporter
from powercut.search.fit import Description, Fit
from powercut.search.objective import Found, Objective, Regulariser
from powercut.search.starts import Start, given, run_starts

# Resolutions of modularity to start from: no single start is safe.
RESOLUTIONS = (1.0, 5.0, 20.0)
MAX_ROUNDS = 12
# Rounds in which the clusters of a large graph are divided: three have always been enough.
MAX_DIVISIONS = 8
# A tradeoff is left at 1 if this would do, and stays once a round changes less of it.
INDEPENDENT, SETTLED = 1.1, 0.97
MAX_TRADEOFFS = 12
TINY = float(np.finfo(np.float64).tiny)


BlockFit = Fit[BlockModel, GraphScore]


@dataclass(frozen=True)
class BlockSearch:
    """A graph, and how thoroughly to search it.

    Attributes
    ----------
    graph, level : Graph, Level
        The graph, and its finest level.
    labels : ndarray of int32 or None
        The one start to take, in place of the several.
    n_init : int
        How many times each random start is tried.
    n_jobs : int
        How many searches run at once; the result does not depend on it.
    random : numpy.random.Generator
        Decides the random orders.
    reporter : ProgressReporter
        Ends the search after a time with the best so far, and hears how far it is.
    """

    graph: Graph
    level: Level
    labels: Labels | None = None
    n_init: int = 1
    n_jobs: int = 1
    random: Random = field(default_factory=np.random.default_rng)
    reporter: ProgressReporter = field(default_factory=ProgressReporter)

    def best(self, models: Sequence[BlockModel]) -> BlockFit:
        """Return the fit of shortest description, of all models and starts."""
        if self.graph.n_nodes == 0:
            return _empty_fit(models[0])
        possible = [
            model
            for model in models
            # Without edges, or with weights whose squares are no numbers, degrees say nothing.
            if TINY < _square(model.sizes(self.whole)) < np.inf
        ]
        if self.level.is_large and self.labels is None:
            return self.once(possible)
        each = self.reporter.each(possible, of=len(possible))
        fits = [self.from_starts(model, self.starts(model)) for model in each]
        return min(fits, key=rank)

    @cached_property
    def whole(self) -> ClusterStats:
        """The graph as one cluster."""
        return self.level.cluster_stats(np.zeros(self.level.n, dtype=np.int32))

    def once(self, models: Sequence[BlockModel]) -> BlockFit:
        """Return the best fit from modularity's clusters, with the model that fits them best."""
        (random,) = self.random.spawn(1)
        with self.reporter.part(0.4, "start"):
            model = min(self._evaluate(self.coarse, models), key=rank).model
        end = refine(
            self.graph, self.level, self.coarse, model, random=random, reporter=self.reporter
        )
        return min([end, *self._evaluate(self.level.components, models)], key=rank)

    @cached_property
    def coarse(self) -> Labels:
        """Clusters of high modularity, found in one descent; compact."""
        objective, (random,) = self._modularity(1.0), self.random.spawn(1)
        search = Multilevel(self.level, objective, random=random, cancel=self.reporter, brisk=True)
        return search.descend()

    def _evaluate(self, labels: Labels, models: Sequence[BlockModel]) -> list[BlockFit]:
        """Return the fits of labels that nobody moves."""
        stats, fits = self.level.cluster_stats(labels), []
        for model in models:
            objective = model.estimate(stats)
            j = objective.value(stats)
            description = describe(self.graph, self.level, labels, model, stats=stats)
            found = Found(labels, j, np.array([j]))
            fits.append(BlockFit(found, model, objective, description))
        return fits

    def _modularity(self, resolution: float) -> GraphObjective:
        score = Modularity(resolution, float(self.whole.volume.sum()))
        return Objective(score, Regulariser(PitmanYor(1.0, 0.5), tradeoff=0.0))

    def from_starts(self, model: BlockModel, starts: Sequence[Start]) -> BlockFit:
        """Return the best fit of one model."""

        def improve(start: Labels, own: Random, reporter: ProgressReporter) -> BlockFit:
            return alternate(self.graph, self.level, start, model, random=own, cancel=reporter)

        return run_starts(
            starts,
            improve,
            rank=rank,
            large=self.level.is_large,
            n_jobs=self.n_jobs,
            random=self.random,
            reporter=self.reporter,
        )

    def starts(self, model: BlockModel) -> list[Start]:
        """Return what searches of a model begin with."""
        first = model.first(self.whole).without_prior()
        if self.labels is not None:
            # As they are, and moved once: estimates at labels that say nothing would hold them.
            return [given(self.labels), solve_start(self.level, first, self.labels)]
        objectives = [first, *(self._modularity(r) for r in RESOLUTIONS)]
        random_starts = [solve_start(self.level, one) for one in objectives] * self.n_init
        return [components_start(self.level), *random_starts]

    def temper(self, fit: BlockFit) -> BlockFit:
        """Search again where the edges inside the clusters of `fit` depend on each other.

        First up: to the tradeoff at which each component would be whole if it were all
        like the inside of its clusters. If one is left, that is all there is. Then down
        to a tradeoff that the clusters themselves need.
        """
        if self.reporter.expired():
            return fit
        needed = self._needed(fit, fit.found.labels)
        if needed < INDEPENDENT:
            return fit
        fine, components = fit.found.labels, self.level.components
        for _ in range(MAX_TRADEOFFS):
            needed = self._needed(fit, components)
            if SETTLED * needed <= fit.model.tradeoff or self.reporter.expired():
                break
            coarser = self._at(needed, fit, fine)
            if coarser.n_clusters > fit.n_clusters:
                break  # into single nodes, which have no triangles to tell
            fit = coarser
        for _ in range(MAX_TRADEOFFS):
            needed = self._needed(fit, fit.found.labels)
            if needed > SETTLED * fit.model.tradeoff or self.reporter.expired():
                break
            fit = self._at(needed, fit, fine)
        return fit

    def _needed(self, fit: BlockFit, whole: Labels) -> float:
        """Return the tradeoff that keeps `whole` clusters whole that are like those of `fit`."""
        return needed_tradeoff(
            self.graph, fit.found.labels, fit.model, random=self.random, whole=whole
        )

    def _at(self, tradeoff: float, fit: BlockFit, fine: Labels) -> BlockFit:
        """Search with the model of `fit` at another tradeoff."""
        model = fit.model.at(tradeoff)
        with self.reporter.part(0.5):
            if self.level.is_large and self.labels is None:
                return self.once([model])
            return self.from_starts(model, [*self.starts(model), given(fine)])


def fit_blocks(
    search: BlockSearch,
    *,
    unit: float,
    tradeoff: float | None = None,
    prior: PitmanYor | None = None,
) -> BlockFit:
    """Find the partition of shortest description, with both models and from several starts.

    Parameters
    ----------
    search : BlockSearch
        The graph, and how thoroughly to search it.
    unit : float
        Counts that a unit of weight stands for.
    tradeoff : float, optional
        What the prior counts against the likelihood; if not given, 1 where edges are
        independent, and estimated where they are not.
    prior : PitmanYor, optional
        Estimated where it is not given.
    """
    first = 1.0 if tradeoff is None else tradeoff
    with search.reporter.part(0.8 if tradeoff is None else 1.0):
        fit = search.best(
            [BlockModel(corrected, unit, first, prior) for corrected in (False, True)]
        )
    if tradeoff is not None:
        return fit
    with search.reporter.part(1.0, "tradeoff"):
        return search.temper(fit)


def rank(fit: BlockFit) -> float:
    """Return the nats at the tradeoff of the search: the lower the better."""
    return fit.description.tempered(fit.model.tradeoff)


def _square(sizes: FloatArray) -> float:
    total = float(sizes.sum())
    return total * total  # infinite where ** would raise


def _empty_fit(model: BlockModel) -> BlockFit:
    nothing = Found(np.empty(0, dtype=np.int32), 0.0, np.zeros(1))
    objective = model.objective(1.0, model.prior or PitmanYor(1.0, 0.0))
    return BlockFit(nothing, model, objective, Description(0.0, 0.0, 0.0))


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
        if (cancel and cancel.expired()) or np.array_equal(before, canonical_labels(labels)):
            break
    objective = model.estimate(level.cluster_stats(labels))
    search = Multilevel(level, objective, random=random, cancel=cancel)
    return _fit(graph, level, search.improve(labels), model, search)


def refine(
    graph: Graph,
    level: Level,
    labels: Labels,
    model: BlockModel,
    *,
    random: Random,
    reporter: ProgressReporter,
) -> BlockFit:
    """Divide clusters, merge the pieces, move nodes, until none divides; then to the end.

    `labels` are compact.
    """

    def search(stats: ClusterStats) -> Multilevel:
        objective = model.estimate(stats)
        return Multilevel(level, objective, random=random, cancel=reporter, brisk=True)

    stats = level.cluster_stats(labels)
    divisible = np.ones(len(stats.counts), dtype=np.bool_)
    for _ in range(MAX_DIVISIONS):
        with reporter.part(0.6):
            pieces, n_pieces = search(stats).divide(labels, divisible)
            if n_pieces == len(divisible):
                break
            merged = search(level.cluster_stats(pieces)).merge(pieces, n_pieces)
            if merged is None:
                break
            moved = search(merged.stats).move(merged.labels[pieces])
            labels, stats = moved.labels, moved.stats
            divisible = changed_clusters(pieces, labels)
    last = search(stats)
    moved = last.settle(labels)
    return _fit(graph, level, moved.labels, model, last, moved.stats)


def _fit(
    graph: Graph,
    level: Level,
    labels: Labels,
    model: BlockModel,
    search: Multilevel,
    stats: ClusterStats | None = None,
) -> BlockFit:
    objective = search.objective
    path = np.asarray(search.path) + objective.regulariser.constant(level.n_original)
    found = Found(labels, float(path[-1]), path)
    return BlockFit(found, model, objective, describe(graph, level, labels, model, stats=stats))
