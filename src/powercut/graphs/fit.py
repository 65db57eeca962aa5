"""The partition of minimum description length, with all hyperparameters estimated.

A fit alternates between estimating hyperparameters and improving labels
(`powercut.graphs.block_fit`), from each of several starts and with both block models, uniform
and degree-corrected (`powercut.graphs.block_model`). The fit of shortest description
(`powercut.graphs.description`) is kept. Unless initial labels are given, the partition into
connected components is always one of the starts.

A large graph is searched once: with one model and from one coarse start of high modularity,
whose clusters are split until no split lowers J.

Dependent edges (`powercut.graphs.dependence`) overstate the evidence for clusters. The likelihood
is then tempered: the search is repeated with a larger tradeoff, which compensates for the
dependence.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from powercut._typing import Labels, Random
from powercut._utils import cached_property
from powercut.graphs.block_fit import (
    BlockFit,
    alternate,
    by_description_length,
    connected,
    evaluate,
    refine,
)
from powercut.graphs.block_model import BlockModel
from powercut.graphs.dependence import is_spatial, needed_tradeoff
from powercut.graphs.graph import Graph
from powercut.graphs.level import Level
from powercut.graphs.multilevel import Multilevel
from powercut.graphs.scores import ClusterStats, GraphObjective, Modularity
from powercut.graphs.starts import start_from_components, start_from_objective
from powercut.prior import PitmanYor
from powercut.progress import ProgressReporter
from powercut.search.fit import Description
from powercut.search.objective import Objective, Regulariser, SearchResult
from powercut.search.starts import Start, run_starts, start_from_labels

# Resolutions of the modularity starts: no single start works for all graphs.
RESOLUTIONS = (0.5, 1.0, 5.0, 20.0)
# The tradeoff stays 1 if its estimate is below this.
MIN_TEMPERED = 1.1
# The tradeoff has converged when the ratio of two successive values is above this.
CONVERGED = 0.97
MAX_TRADEOFFS = 12
# Resolution of the clusters inside which dependence is first measured.
LOW_RESOLUTION = 0.5
# At coarse clusters the degree-corrected model must be shorter than the uniform one by this factor.
CLOSE = 1.01
TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class BlockSearch:
    """A search for the best block model of a graph, and how thorough it is.

    Attributes
    ----------
    graph, level : Graph, Level
        The graph, and its finest level.
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
        possible = [
            model
            for model in models
            # Degrees are of no use without edges, or if their squared sum under- or overflows.
            if not model.degree_corrected or TINY < float(model.pairs(self.total)[0]) < np.inf
        ]
        if self.level.is_large and self.labels is None:
            return self.from_coarse_start(possible)
        each = self.reporter.each(possible, of=len(possible))
        fits = [self.from_starts(model, self.starts(model)) for model in each]
        return min(fits, key=by_description_length)

    @cached_property
    def total(self) -> ClusterStats:
        """The sums over all nodes, as those of one cluster."""
        return self.level.cluster_stats(np.zeros(self.level.n, dtype=np.int32))

    def from_coarse_start(self, models: Sequence[BlockModel]) -> BlockFit:
        """Return the fit of one search from modularity clusters, for large graphs.

        The model is the one that describes the modularity clusters best; the uniform model if
        the two are close, because merged clusters have nodes of several kinds. If the other
        describes the clusters found with it better, the search goes on from there with that one.
        If the connected components have a shorter description than the result, they are returned.
        """
        (random,) = self.random.spawn(1)
        with self.reporter.part(0.4, "start"):
            model = min(self._evaluate(self.coarse, models), key=by_coarse_length).model
        fits = [self._refine(self.coarse, model, random)]
        others = [other for other in models if other != model]
        for other in self._evaluate(fits[-1].found.labels, others):
            if by_description_length(other) < by_description_length(fits[-1]):
                fits.append(self._refine(other.found.labels, other.model, random))
        fits += self._evaluate(self.level.components, models)
        return min(fits, key=by_description_length)

    def _refine(self, labels: Labels, model: BlockModel, random: Random) -> BlockFit:
        """Return the fit of a search that starts from compact labels, for large graphs."""
        end = refine(self.graph, self.level, labels, model, random=random, reporter=self.reporter)
        return self._connect(end, random)

    @cached_property
    def coarse(self) -> Labels:
        """Compact labels of high modularity, from one coarsening pass without refinement."""
        return self._coarse(1.0)

    def _coarse(self, resolution: float) -> Labels:
        objective, (random,) = self._modularity(resolution), self.random.spawn(1)
        search = Multilevel(self.level, objective, random=random, cancel=self.reporter, brisk=True)
        return search.coarsen()

    def _evaluate(self, labels: Labels, models: Sequence[BlockModel]) -> list[BlockFit]:
        """Return the fit of each model to given labels, without improving them."""
        return [evaluate(self.graph, self.level, labels, model) for model in models]

    def _connect(self, fit: BlockFit, random: Random) -> BlockFit:
        if not self.connected:
            return fit
        return connected(self.graph, self.level, fit, random=random)

    def _modularity(self, resolution: float) -> GraphObjective:
        score = Modularity(resolution, float(self.total.volume.sum()))
        return Objective(score, Regulariser(PitmanYor(1.0, 0.5), tradeoff=0.0))

    def from_starts(self, model: BlockModel, starts: Sequence[Start]) -> BlockFit:
        """Return the best fit of one model over the starts."""

        def improve(start: Labels, own: Random, reporter: ProgressReporter) -> BlockFit:
            fit = alternate(self.graph, self.level, start, model, random=own, cancel=reporter)
            return self._connect(fit, own)

        return run_starts(
            starts,
            improve,
            rank=by_description_length,
            large=self.level.is_large,
            n_jobs=self.n_jobs,
            random=self.random,
            reporter=self.reporter,
        )

    def starts(self, model: BlockModel) -> list[Start]:
        """Return the starts of a model.

        These are the components, the likelihood without the prior, and modularity at each
        resolution; or the given labels.
        """
        likelihood = model.initial_objective(self.total).without_prior()
        if self.labels is not None:
            # Unchanged, and after one cycle of moves: hyperparameters estimated at uninformative
            # labels would trap the search there.
            return [
                start_from_labels(self.labels),
                start_from_objective(self.level, likelihood, self.labels),
            ]
        objectives = [likelihood, *(self._modularity(r) for r in RESOLUTIONS)]
        random_starts = [start_from_objective(self.level, one) for one in objectives] * self.n_init
        return [start_from_components(self.level), *random_starts]

    def temper(self, fit: BlockFit) -> BlockFit:
        """Repeat the search with a larger tradeoff if edges inside clusters are dependent.

        First raise the tradeoff until no connected component would be split if its edges were
        as dependent as those inside the clusters that were found. Dependence is first measured
        inside clusters of low resolution: inside those of `fit`, few triangles are left over,
        and inside whole components clusters add triangles of their own. Then lower the
        tradeoff to the value that the clusters need.
        """
        fine = fit.found.labels
        if self.reporter.expired() or not is_spatial(self.graph, fine, random=self.random):
            return fit
        needed = self._needed_tradeoff(self._coarse(LOW_RESOLUTION), fit.model, whole=True)
        if needed < MIN_TEMPERED:
            return fit
        for _ in range(MAX_TRADEOFFS):
            if CONVERGED * needed <= fit.model.tradeoff or self.reporter.expired():
                break
            fit = self._search_at(needed, fit, fine)
            needed = self._needed_tradeoff(fit.found.labels, fit.model, whole=True)
        for _ in range(MAX_TRADEOFFS):
            needed = self._needed_tradeoff(fit.found.labels, fit.model)
            if needed > CONVERGED * fit.model.tradeoff or self.reporter.expired():
                break
            fit = self._search_at(needed, fit, fine)
        return fit

    def _needed_tradeoff(self, labels: Labels, model: BlockModel, *, whole: bool = False) -> float:
        """Return the tradeoff that splits no cluster of `labels`, or none `whole` component."""
        unsplit = self.level.components if whole else labels
        return needed_tradeoff(self.graph, labels, model, random=self.random, unsplit=unsplit)

    def _search_at(self, tradeoff: float, fit: BlockFit, fine: Labels) -> BlockFit:
        """Search with the model of `fit` at another tradeoff; `fine` is an additional start."""
        model = fit.model.with_tradeoff(tradeoff)
        with self.reporter.part(0.5):
            if self.level.is_large and self.labels is None:
                return self.from_coarse_start([model])
            return self.from_starts(model, [*self.starts(model), start_from_labels(fine)])


def fit_blocks(
    search: BlockSearch,
    *,
    unit: float,
    tradeoff: float | None = None,
    prior: PitmanYor | None = None,
) -> BlockFit:
    """Find the partition of minimum description length.

    Parameters
    ----------
    search : BlockSearch
        The graph, and how thorough the search is.
    unit : float
        Number of independent counts per unit of weight; see `counts_per_weight`.
    tradeoff : float, optional
        Weight of the size prior against the log-likelihood. By default 1 if edges are
        independent, and estimated from their dependence if they are not.
    prior : PitmanYor, optional
        The size prior; by default its hyperparameters are estimated.
    """
    first = 1.0 if tradeoff is None else tradeoff
    with search.reporter.part(0.8 if tradeoff is None else 1.0):
        fit = search.best(
            [
                BlockModel.of(
                    search.graph,
                    degree_corrected=corrected,
                    unit=unit,
                    tradeoff=first,
                    prior=prior,
                )
                for corrected in (False, True)
            ]
        )
    if tradeoff is not None:
        return fit
    with search.reporter.part(1.0, "tradeoff"):
        return search.temper(fit)


def by_coarse_length(fit: BlockFit) -> float:
    """Return the description length of coarse clusters as the key by which a model is chosen."""
    return by_description_length(fit) * (CLOSE if fit.model.degree_corrected else 1.0)


def _empty_fit(model: BlockModel) -> BlockFit:
    nothing = SearchResult(np.empty(0, dtype=np.int32), 0.0, np.zeros(1))
    objective = model.objective(1.0, model.prior or PitmanYor(1.0, 0.0))
    return BlockFit(nothing, model, objective, Description(0.0, 0.0, 0.0))
