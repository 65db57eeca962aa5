"""The search for the block model of minimum description length.

There are two block models, uniform and degree-corrected (`powercut.graphs.block_model`), and the
fit of shortest description (`powercut.graphs.description`) is wanted. No single start works for
all graphs, and thorough searches from many starts with both models take most of their time to find
the same clusters again. So:

1. Starts are cheap: one coarsening pass each, on modularity at several resolutions and on the
   likelihood without the prior.
2. The model is chosen once, after one round (`powercut.graphs.block_fit.alternate`) from the best
   modularity start of each.
3. One round follows from every other start. If nodes are in conflict
   (`powercut.search.conflicts`), the result of a search without conflicts is one of them.
4. The ends are combined: nodes on which all agree become one node of a small graph, whose search
   exchanges the clusters of one end for those of another.
5. The result is improved for a few rounds, and settles in a local minimum.
6. Large clusters are divided by their spectrum (`powercut.graphs.spectral`), because moves do not
   tell large clusters apart that mix. If that shortens the description, the result is improved
   again.

After the second step the clusters show whether edges depend on each other (`powercut.graphs.fit`).
If they do, the rest is left out, and a search at a larger tradeoff follows.

The partition into connected components is returned if its description is shorter. A large graph is
searched once: with one model and from one coarse start of high modularity, whose clusters are
split until no split lowers J. Its large clusters are divided by their spectrum, too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from powercut._typing import LABEL, Labels, Random
from powercut._utils import cached_property
from powercut.graphs.block_fit import (
    BlockFit,
    alternate,
    by_description_length,
    combine,
    connected,
    divide_giants,
    evaluate,
    refine,
    settle,
)
from powercut.graphs.block_model import BlockModel
from powercut.graphs.dependence import is_treelike
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.graphs.scores import ClusterStats, GraphObjective, Modularity
from powercut.graphs.starts import start_by_coarsening, start_from_objective
from powercut.partition import canonical_labels, compact_labels
from powercut.prior import PitmanYor
from powercut.progress import ProgressReporter
from powercut.search.fit import Description
from powercut.search.objective import Objective, Regulariser, SearchResult
from powercut.search.starts import Start, run_all

# Resolutions of the modularity starts.
RESOLUTIONS = (0.5, 1.0, 5.0, 20.0)
# Rounds from what was combined of the ends; one round from each start is enough.
LAST_ROUNDS = 3
# At coarse clusters the degree-corrected model must be shorter than the uniform one by this factor.
CLOSE = 1.01
# Ends whose descriptions are longer than the shortest by more than this share are not combined: the
# clusters that they have in common with it are many and small, and hardly one of theirs is better.
# Below so many nats, small graphs, combining them all costs little.
FAR, FEW_NATS = 0.005, 500.0
TINY = float(np.finfo(np.float64).tiny)

A = TypeVar("A")
T = TypeVar("T")


@dataclass(frozen=True)
class FirstRound:
    """What is known after the first round of a search from several starts.

    Attributes
    ----------
    end : BlockFit
        Where the round ended; it has the model that was chosen.
    others : list of BlockFit
        The modularity starts that were not used, with that model.
    """

    end: BlockFit
    others: list[BlockFit]


@dataclass(frozen=True)
class BlockSearch:
    """A search for the best block model of a graph, and how thorough it is.

    Attributes
    ----------
    graph, level : Graph, Level
        The graph, and its finest level; labels are those of the nodes of the level.
    labels : ndarray of int32 or None
        Initial labels; they replace the default starts.
    n_init : int
        How many times each random start is tried.
    connected : bool
        Whether every cluster is made connected. Fits are then compared as connected ones.
    n_jobs : int
        How many searches run in parallel; the result does not depend on it.
    random : numpy.random.Generator
        Source of randomness: the order in which nodes are visited, and sampled wedges.
    reporter : ProgressReporter
        Receives progress; when its time limit expires, the search returns the best fit so far.
    """

    graph: Graph
    level: Level
    labels: Labels | None = None
    n_init: int = 1
    connected: bool = True
    n_jobs: int = 1
    random: Random = field(default_factory=np.random.default_rng)
    reporter: ProgressReporter = field(default_factory=ProgressReporter)

    def best(self, models: Sequence[BlockModel]) -> BlockFit:
        """Return the fit of shortest description over all models and starts."""
        if self.graph.n_nodes == 0:
            return _empty_fit(models[0])
        if self.labels is not None:
            return self.from_given_labels(self.possible(models))
        if self.level.is_large:
            return self.from_coarse_start(self.possible(models))
        with self.reporter.part(0.4):
            first = self.first_round(models)
        return self.continued(first, models)

    @cached_property
    def total(self) -> ClusterStats:
        """The sums over all nodes, as those of one cluster."""
        volume, weight, _ = self.level.nodes
        volume, counts = volume.sum(keepdims=True), np.array([self.level.n_original])
        weight = counts.astype(np.float64) if weight is None else weight.sum(keepdims=True)
        return ClusterStats(volume, volume, weight, counts)

    @cached_property
    def whole(self) -> Labels:
        """Compact labels of the connected components, without nodes in conflict."""
        whole = self.level.allow(self.level.components)
        if self.level.conflicts is None or not self.connected:
            return whole
        # What is left of a component may be disconnected.
        return self.level.split_components(whole)[0]

    @property
    def has_several_starts(self) -> bool:
        """Whether the search has a first round, from which it can be continued."""
        return self.graph.n_nodes > 0 and self.labels is None and not self.level.is_large

    def first_round(self, models: Sequence[BlockModel]) -> FirstRound:
        """Choose the model, by one round from the best modularity start of each."""
        with self.reporter.part(0.5, "start"):
            shared = self.modularity_starts
        with self.reporter.part(1.0, "search"):
            starts = [self.evaluate(shared, model) for model in self.possible(models)]
            first = [min(one, key=by_description_length) for one in starts]
            ends = [self._round([fit])[0] for fit in first]
            at = min(range(len(ends)), key=lambda at: by_description_length(ends[at]))
        return FirstRound(ends[at], [fit for fit in starts[at] if fit is not first[at]])

    def continued(self, first: FirstRound, models: Sequence[BlockModel]) -> BlockFit:
        """Return the fit of a search from several starts after its first round."""
        model = first.end.model
        with self.reporter.part(0.8, "search"):
            others = first.others + self.evaluate(self._coarse([self._likelihood(model)]), model)
            others += self._without_conflicts(models, model)
            best = self.improve(others, ends=[first.end])
        with self.reporter.part(1.0, "search"):
            for other in self.possible(models):
                if other != best.model:
                    best = self._continue(best, other)
            best = self.divide_giants(best)
        return self._or_components(best, self.possible(models))

    def _without_conflicts(self, models: Sequence[BlockModel], model: BlockModel) -> list[BlockFit]:
        """Return the fit of a search without conflicts, after conflicting nodes were taken out.

        Conflicts close ways between partitions, and a search from any other start may miss it.
        """
        if self.level.conflicts is None:
            return []
        (random,) = self.random.spawn(1)
        level = replace(self.level, conflicts=None)
        with self.reporter.part(0.5, "search"):
            free = replace(self, level=level, random=random).best(models)
        return self.evaluate([self.level.allow(free.found.labels)], model)

    def from_given_labels(self, models: Sequence[BlockModel]) -> BlockFit:
        """Return the fit of a search from the labels of the user.

        They are one start. The other is what one cycle on the likelihood makes of them:
        hyperparameters estimated at uninformative labels would trap the search there.
        """
        assert self.labels is not None
        labels, fits = compact_labels(self.labels)[0], []
        for model in self.reporter.each(models, of=len(models)):
            cycle = start_from_objective(self.level, self._likelihood(model), labels)
            fits.append(self.improve(self.evaluate([labels, *self._run([cycle])], model)))
        return min(fits, key=by_description_length)

    def from_coarse_start(self, models: Sequence[BlockModel]) -> BlockFit:
        """Return the fit of one search from modularity clusters, for large graphs.

        The model is the one that describes the modularity clusters best; the uniform model if
        the two are close, because merged clusters have nodes of several kinds. If the other
        describes the clusters found with it better, the search goes on from there with that one.
        """
        (random,) = self.random.spawn(1)
        with self.reporter.part(0.4, "start"):
            (labels,) = self._coarse([self._modularity(1.0)])
            stats = self.level.cluster_stats(labels)
            model = self.shortest(labels, models, stats, key=by_coarse_length).model
        fits = [self.refine(labels, model, stats, random=random)]
        for other in models:
            if other != model:
                labels = fits[0].found.labels
                stats = self.level.cluster_stats(labels)
                if self.shorter(fits[0], labels, other, stats) is not fits[0]:
                    fits.append(self.refine(labels, other, random=random))
        best = self.divide_giants(min(fits, key=by_description_length))
        return self._or_components(best, models)

    def refine(
        self,
        labels: Labels,
        model: BlockModel,
        stats: ClusterStats | None = None,
        *,
        refined: Labels | None = None,
        random: Random,
    ) -> BlockFit:
        """Return the fit of a search that starts from compact labels, for large graphs.

        `stats` are the sums over the clusters, if they are known. Clusters that differ from one
        of the partition `refined` by at most a tenth are not divided.
        """
        end = refine(
            self.graph,
            self.level,
            labels,
            model,
            stats=stats,
            refined=refined,
            random=random,
            reporter=self.reporter,
        )
        return self._connect(end, random)

    def improve(self, starts: Sequence[BlockFit], *, ends: Sequence[BlockFit] = ()) -> BlockFit:
        """Return the fit of a search from several starts with the same model.

        `ends` are results of earlier rounds with this model, which are combined with the others.
        """
        ends = near_shortest(distinct([*ends, *self._round(distinct(starts))]))
        random, cancel = self.random.spawn(1)[0], self.reporter
        best = combine(self.graph, self.level, ends, random=random, cancel=cancel)
        (best,) = self._alternate([best], LAST_ROUNDS)
        best = settle(self.graph, self.level, best, random=random, cancel=cancel)
        return self._connect(best, random)

    def divide_giants(self, fit: BlockFit) -> BlockFit:
        """Divide large clusters by their spectrum; search from there if that is shorter."""
        (random,) = self.random.spawn(1)
        divided = divide_giants(self.graph, self.level, fit, random=random, cancel=self.reporter)
        if divided is fit:
            return fit
        if self.level.is_large:
            labels, model = divided.found.labels, divided.model
            end = self.refine(labels, model, refined=fit.found.labels, random=random)
        else:
            end = self.improve([], ends=[divided])
        return min(fit, end, key=by_description_length)

    def _continue(self, fit: BlockFit, model: BlockModel) -> BlockFit:
        """Go on with another model, and return the better of the two fits."""
        (other,) = self._round(self.evaluate([fit.found.labels], model))
        if by_description_length(other) > by_description_length(fit):
            return fit
        return min(fit, self.improve([], ends=[other]), key=by_description_length)

    def evaluate(self, partitions: Sequence[Labels], model: BlockModel) -> list[BlockFit]:
        """Return the fits of a model to given compact labels, without improving them."""
        return [evaluate(self.graph, self.level, labels, model) for labels in partitions]

    def shortest(
        self,
        labels: Labels,
        models: Sequence[BlockModel],
        stats: ClusterStats,
        *,
        key: Callable[[BlockFit], float] = by_description_length,
    ) -> BlockFit:
        """Return the shortest fit of several models to the same compact labels."""
        best = evaluate(self.graph, self.level, labels, models[0], stats=stats)
        for model in models[1:]:
            best = self.shorter(best, labels, model, stats, key=key)
        return best

    def shorter(
        self,
        best: BlockFit,
        labels: Labels,
        model: BlockModel,
        stats: ClusterStats,
        *,
        key: Callable[[BlockFit], float] = by_description_length,
    ) -> BlockFit:
        """Return the fit of a model to compact labels, or `best` if that is as short.

        Mostly a lower bound of its description, which needs no pass over the edges, decides.
        """
        fit = evaluate(self.graph, self.level, labels, model, stats=stats, bound=True)
        if key(fit) >= key(best):
            return best
        fit = evaluate(self.graph, self.level, labels, model, stats=stats)
        return min(best, fit, key=key)

    @cached_property
    def modularity_starts(self) -> list[Labels]:
        """Compact labels of high modularity at several resolutions, the lowest first."""
        return self._coarse([self._modularity(resolution) for resolution in RESOLUTIONS])

    @property
    def low_resolution(self) -> Labels:
        """Compact labels of high modularity at the lowest resolution."""
        if self.level.is_large:
            return self._coarse([self._modularity(RESOLUTIONS[0])])[0]
        return self.modularity_starts[0]

    def possible(self, models: Sequence[BlockModel]) -> list[BlockModel]:
        """Return the models without the degree-corrected one, if degrees are of no use."""
        return [
            model
            for model in models
            # Degrees are of no use without edges, or if their squared sum under- or overflows.
            if not model.degree_corrected or TINY < float(model.pairs(self.total)[0]) < np.inf
        ]

    def _or_components(self, best: BlockFit, models: Sequence[BlockModel]) -> BlockFit:
        """Return the fit of one cluster per component if that is shorter."""
        is_one = self.whole.max(initial=0) == 0
        stats = self.total if is_one else self.level.cluster_stats(self.whole)
        for model in models:
            best = self.shorter(best, self.whole, model, stats)
        return best

    def _connect(self, fit: BlockFit, random: Random) -> BlockFit:
        if not self.connected:
            return fit
        return connected(self.graph, self.level, fit, random=random, cancel=self.reporter)

    def _modularity(self, resolution: float) -> GraphObjective:
        score = Modularity(resolution, float(self.total.volume.sum()))
        return Objective(score, Regulariser(PitmanYor(1.0, 0.5), tradeoff=0.0))

    def _likelihood(self, model: BlockModel) -> GraphObjective:
        return model.initial_objective(self.total).without_prior()

    def _coarse(self, objectives: Sequence[GraphObjective]) -> list[Labels]:
        """Return compact labels for each objective, from one coarsening pass without refinement.

        In a large graph without triangles a node has a single edge to each of the clusters around
        it, as long as these are small. Modularity would then prefer the smallest, and pair nodes,
        then pairs, and so on, though the graph hardly shrinks. So nodes join the cluster to which
        most of their edges lead (modularity at resolution 0), whatever its size.
        """
        large = self.level.is_large
        by_edges = self._modularity(0.0) if large and is_treelike(self.graph) else None
        starts = [start_by_coarsening(self.level, one, by_edges) for one in objectives]
        return self._run(starts if large else starts * self.n_init)

    def _run(self, starts: Sequence[Start]) -> list[Labels]:
        def run(start: Start, random: Random, reporter: ProgressReporter) -> Labels:
            return start(random, reporter)

        return self._run_all(starts, run)

    def _round(self, starts: Sequence[BlockFit]) -> list[BlockFit]:
        return self._alternate(starts, 1)

    def _alternate(self, starts: Sequence[BlockFit], n_rounds: int) -> list[BlockFit]:
        def improve(start: BlockFit, random: Random, reporter: ProgressReporter) -> BlockFit:
            return alternate(
                self.graph, self.level, start, n_rounds=n_rounds, random=random, cancel=reporter
            )

        return self._run_all(starts, improve)

    def _run_all(
        self, items: Sequence[A], work: Callable[[A, Random, ProgressReporter], T]
    ) -> list[T]:
        # A search of a large graph uses all threads.
        n_jobs = 1 if self.level.is_large else self.n_jobs
        return run_all(items, work, n_jobs=n_jobs, random=self.random, reporter=self.reporter)


def by_coarse_length(fit: BlockFit) -> float:
    """Return the description length of coarse clusters as the key by which a model is chosen."""
    return by_description_length(fit) * (CLOSE if fit.model.degree_corrected else 1.0)


def distinct(fits: Sequence[BlockFit]) -> list[BlockFit]:
    """Return one fit of each partition, the shortest description first."""
    by_labels = {canonical_labels(fit.found.labels).tobytes(): fit for fit in reversed(fits)}
    return sorted(by_labels.values(), key=by_description_length)


def near_shortest(fits: Sequence[BlockFit]) -> list[BlockFit]:
    """Return the fits that are worth combining with the first, which is the shortest."""
    shortest = by_description_length(fits[0])
    longest = shortest + max(FAR * abs(shortest), FEW_NATS)
    return [fit for fit in fits if by_description_length(fit) <= longest]


def _empty_fit(model: BlockModel) -> BlockFit:
    nothing = SearchResult(np.empty(0, dtype=LABEL), 0.0, np.zeros(1))
    objective = model.objective(1.0, model.prior or PitmanYor(1.0, 0.0))
    return BlockFit(nothing, model, objective, Description(0.0, 0.0, 0.0))
