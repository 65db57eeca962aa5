r"""Search for the partitions of a tradeoff path.

For the likelihood of a graph, there is one fit at tradeoff 1, whose clusters are merged. For all
other scores a search at one tradeoff may miss a partition that it finds at the next. Each
partition of the path is therefore the best of the default fit and of warm starts from the
partitions at the neighbouring tradeoffs.
"""

import warnings
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils import check_random_state

from powercut import _core
from powercut._bars import callback_of
from powercut._typing import FloatArray, Labels
from powercut._validation import effective_jobs
from powercut.estimators._common import given_prior
from powercut.estimators.cut import PowerLawCut
from powercut.estimators.kernel_means import PowerLawKernelMeans
from powercut.estimators.means import PowerLawMeans
from powercut.graphs.block_fit import evaluate
from powercut.graphs.block_model import BlockModel, block_level, counts_per_weight
from powercut.graphs.fit import coarser
from powercut.graphs.level import Level
from powercut.graphs.scores import Likelihood
from powercut.partition import canonical_labels
from powercut.progress import Progress, ProgressReporter
from powercut.results.comparison import overlaps
from powercut.results.plateaus import TradeoffPath
from powercut.search.starts import result_of

Estimator = PowerLawCut | PowerLawMeans | PowerLawKernelMeans

N_TRADEOFFS = 16
# For scores that are likelihoods, tradeoffs go from 1, the MAP partition, to this value.
LIKELIHOODS, LARGEST = ("likelihood", "gaussian"), 32.0
# For other scores, from the estimator's own tradeoff over this factor to that times the factor.
AROUND = 8.0
# A path ends when components with this share of the nodes are one cluster each: very small
# components may stay split.
UNSPLIT = 0.99
# The share of the fit in the time, if its clusters are merged.
FIT = 0.8


@dataclass(frozen=True)
class Step:
    """A partition at one tradeoff."""

    labels: Labels
    objective: float
    description_length: float


@dataclass(frozen=True)
class PathSearch:
    """Fits one estimator to the same data, at any tradeoff and from any start.

    Attributes
    ----------
    estimator : PowerLawCut, PowerLawMeans or PowerLawKernelMeans
        All its parameters are used except the tradeoff and the start.
    X : Graph or array-like
        Data that it is fitted to.
    level : Level or None
        The finest level, if X is a graph.
    """

    estimator: Estimator
    X: Any
    level: Level | None

    @classmethod
    def of(cls, estimator: Estimator, X: Any, seed: int) -> "PathSearch":
        """Prepare fits that all have the same seed."""
        # Tradeoffs are fitted in parallel, so each fit has one thread.
        own = clone(estimator).set_params(init=None, progress=None, n_jobs=1, random_state=seed)
        if not isinstance(own, PowerLawCut):
            return cls(own, X, None)
        # The graph is made once: nearest neighbours take longer than the search for clusters.
        graph, _ = own._make_graph(X)
        own.set_params(affinity="precomputed", n_neighbors=None, gamma=None)
        return cls(own, graph, Level.finest(graph))

    def is_coarsest(self, labels: Labels) -> bool:
        """Return whether components with nearly all nodes are one cluster each."""
        if self.level is None or len(labels) == 0:
            return int(labels.max(initial=0)) == 0
        components = self.level.components
        clusters = np.diff(overlaps(components, labels).indptr)
        return bool((clusters[components] == 1).mean() >= UNSPLIT)

    def own_tradeoff(self) -> float:
        """Return the tradeoff set for the estimator, or its estimate."""
        graph = isinstance(self.estimator, PowerLawCut)
        if graph and isinstance(self.estimator.tradeoff, str):
            raise ValueError(
                f"score={self.estimator.score!r} has no default range of tradeoffs; pass "
                "tradeoffs, such as np.geomspace(1e-4, 1e-2, 16), or set the tradeoff of the "
                "estimator to centre the range on."
            )
        if not isinstance(self.estimator.tradeoff, str):
            return float(self.estimator.tradeoff)
        return float(clone(self.estimator).fit(self.X).tradeoff_)

    def fit(self, tradeoff: float, init: Labels | None = None) -> Step:
        """Fit from the default starts, or from labels."""
        model = clone(self.estimator).set_params(tradeoff=tradeoff)
        if init is not None:
            model.set_params(init=init, n_init=1)
        model.fit(self.X)
        return Step(
            model.labels_,
            model.objective_,
            getattr(model, "description_length_", np.nan),
        )

    @property
    def merges(self) -> bool:
        """Whether coarser partitions are unions of finer clusters."""
        if not isinstance(self.estimator, PowerLawCut) or self.X.n_nodes == 0:
            return False
        return self.estimator.score == Likelihood.name

    def steps(
        self, tradeoffs: FloatArray, threads: int, reporter: ProgressReporter
    ) -> Generator[Step, None, None]:
        """Yield the partitions at increasing tradeoffs."""
        if self.merges:
            fine = tradeoffs[tradeoffs < 1]
            yield from _default_fits(self, fine, threads)
            if len(fine) < len(tradeoffs):
                yield from self._merged(tradeoffs[len(fine) :], reporter)
            return
        last: Step | None = None
        with closing(_default_fits(self, tradeoffs, threads)) as fits:
            for tradeoff, step in zip(tradeoffs, fits, strict=True):
                last = step if last is None else self.improved(step, last, tradeoff)
                yield last

    def _merged(
        self, tradeoffs: FloatArray, reporter: ProgressReporter
    ) -> Generator[Step, None, None]:
        """Yield the merged clusters of one fit at tradeoff 1."""
        model = clone(self.estimator).set_params(tradeoff=1.0)
        with reporter.inner(FIT) as progress:
            model.set_params(progress=progress).fit(self.X)
        graph, level = self.X, block_level(self.X)
        blocks = BlockModel.of(
            graph,
            degree_corrected=model.degree_corrected_,
            unit=counts_per_weight(graph, model.weights_),
            prior=given_prior(model),
        )
        fit = evaluate(graph, level, model.labels_, blocks)
        for merged in coarser(graph, level, fit, tradeoffs.tolist()):
            nats = merged.description.nats
            labels = canonical_labels(merged.found.labels)
            yield Step(labels, merged.found.objective, nats)

    def improved(self, step: Step, neighbour: Step, tradeoff: float) -> Step:
        """Return the better of a step and a fit at its tradeoff started from its neighbour."""
        if np.array_equal(step.labels, neighbour.labels):
            return step
        return min(step, self.fit(tradeoff, neighbour.labels), key=lambda one: one.objective)


def tradeoff_path(
    X: Any,
    *,
    estimator: Estimator | None = None,
    tradeoffs: npt.ArrayLike | None = None,
    progress: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> TradeoffPath:
    r"""Find the partitions over a range of tradeoffs, from fine to coarse.

    For graphs and the score ``likelihood``, the clusters of the fit at tradeoff 1 are merged, in
    the order of the tradeoffs from which on their merges pay. Every partition is that of a fit of
    the estimator at its tradeoff, and consists of unions of the clusters before it.

    For all other scores the estimator is fitted from its default starts at each tradeoff. Then two
    sweeps, from small to large tradeoffs and back, start a search at each tradeoff from the
    labels of the neighbour, and keep its result if J is lower. So no partition is worse than that
    of a plain fit of the estimator. The number of clusters usually decreases along the path, but
    need not: it is the cost of the partition under the size prior that decreases.

    Parameters
    ----------
    X : Graph, matrix, vectors or kernel matrix
        Data as ``fit`` of the estimator takes them.
    estimator : PowerLawCut, PowerLawMeans or PowerLawKernelMeans, optional
        An estimator whose parameters are used, except `tradeoff` and `init`; it is not changed.
        Default: ``PowerLawCut()``.
    tradeoffs : array-like of shape (n_tradeoffs,), optional
        Increasing positive values. Default: up to 16 values in geometric progression, from
        1 to 32 for ``likelihood`` and ``gaussian``; for the other scores, whose range depends
        on the data, from 1/8 to 8 times the tradeoff set for the estimator or, for
        ``kmeans``, its estimate. A default path ends at the first tradeoff with a single
        cluster (one per connected component, apart from components that together hold less
        than 1 % of the nodes).
    progress : {True, "tqdm", "rich"} or callable, optional
        Show a progress bar (``True``: by tqdm if it is installed), or call a callback with a
        `powercut.Progress`. An exception in the callback ends the search. Default: that of the
        estimator.
    n_jobs : int, optional
        Number of tradeoffs fitted in parallel, in threads; -1 for one per processor.
        Default: `n_jobs` of the estimator. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of each fit. Default: `random_state` of the estimator.

    Returns
    -------
    TradeoffPath
        Partitions with their numbers of clusters, description lengths and agreement;
        prints as a table.

    See Also
    --------
    TradeoffPath.plateaus : Partitions that persist.
    TradeoffPath.nested_labels : The path as a hierarchy.

    Examples
    --------
    Eight groups in two supergroups:

    >>> import numpy as np
    >>> import powercut
    >>> group = np.repeat(np.arange(8), 20)
    >>> same_group, same_part = group[:, None] == group, group[:, None] // 4 == group // 4
    >>> density = np.where(same_group, 0.9, np.where(same_part, 0.2, 0.005))
    >>> edges = np.triu(np.random.default_rng(0).random((160, 160)) < density, 1)
    >>> path = powercut.tradeoff_path(edges + edges.T, random_state=0)
    >>> for plateau in path.plateaus()[:2]:
    ...     print(f"{plateau.n_clusters} from {plateau.first:.1f} to {plateau.last:.1f}")
    8 from 1.0 to 5.0
    2 from 6.3 to 10.1
    """
    estimator = PowerLawCut() if estimator is None else _check_estimator(estimator)
    threads = effective_jobs(estimator.n_jobs if n_jobs is None else n_jobs)
    search = PathSearch.of(
        estimator, X, _seed(estimator.random_state if random_state is None else random_state)
    )
    with (
        callback_of(estimator.progress if progress is None else progress) as callback,
        closing(ProgressReporter(callback)) as reporter,
        warnings.catch_warnings(),
    ):
        # Expected at the end of a path.
        warnings.filterwarnings("ignore", "No more than one cluster", UserWarning)
        grid = _default_tradeoffs(search) if tradeoffs is None else _check_tradeoffs(tradeoffs)
        steps: list[Step] = []
        with closing(search.steps(grid, threads, reporter)) as found:
            for step in reporter.each(found, of=len(grid), stage="tradeoffs"):
                steps.append(step)
                reporter.report_clusters(int(step.labels.max(initial=-1)) + 1)
                if tradeoffs is None and search.is_coarsest(step.labels):
                    break
        if not search.merges:
            for at in range(len(steps) - 2, -1, -1):
                steps[at] = search.improved(steps[at], steps[at + 1], grid[at])
        reporter.finish(steps[-1].objective)
    return TradeoffPath.of(
        grid[: len(steps)].tolist(),
        [step.labels for step in steps],
        [step.objective for step in steps],
        [step.description_length for step in steps],
    )


def _default_fits(
    search: PathSearch, tradeoffs: FloatArray, threads: int
) -> Generator[Step, None, None]:
    """Yield fits from the default starts at each tradeoff, computed ahead in `threads` threads.

    Closing the generator cancels the fits that are still running.
    """
    if threads == 1:
        yield from map(search.fit, tradeoffs)
        return
    closed = Event()

    def cancel_if_closed(_: Progress) -> None:
        if closed.is_set():
            raise _core.Cancelled("the path is complete, or was cancelled")

    own = clone(search.estimator).set_params(progress=cancel_if_closed)
    with ThreadPoolExecutor(max_workers=threads) as pool:
        futures = [pool.submit(replace(search, estimator=own).fit, t) for t in tradeoffs]
        try:
            for future in futures:
                yield result_of(future)
        finally:
            closed.set()
            pool.shutdown(wait=False, cancel_futures=True)


def _default_tradeoffs(search: PathSearch) -> FloatArray:
    if getattr(search.estimator, "score", None) in LIKELIHOODS:
        return np.geomspace(1.0, LARGEST, N_TRADEOFFS)
    own = search.own_tradeoff()
    if own <= 0:
        raise ValueError(
            f"The default range of tradeoffs is around that of the estimator, which is {own}; it "
            "must be positive. Pass tradeoffs, such as np.geomspace(0.1, 10, 16)."
        )
    return np.geomspace(own / AROUND, own * AROUND, N_TRADEOFFS)


def _check_tradeoffs(tradeoffs: npt.ArrayLike) -> FloatArray:
    values = np.asarray(tradeoffs, dtype=np.float64)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(f"tradeoffs has shape {values.shape}; pass a list of one or more numbers.")
    wrong = np.flatnonzero(~((values > 0) & np.isfinite(values)))
    if len(wrong):
        raise ValueError(
            f"tradeoffs[{wrong[0]}] is {values[wrong[0]]}; all must be positive and finite."
        )
    falls = np.flatnonzero(np.diff(values) <= 0)
    if len(falls):
        at = int(falls[0]) + 1
        raise ValueError(
            f"tradeoffs must increase, but tradeoffs[{at}] is {values[at]} after "
            f"{values[at - 1]}; sort them and remove duplicates (np.unique)."
        )
    return values


def _check_estimator(estimator: Any) -> Estimator:
    if not isinstance(estimator, Estimator):
        raise TypeError(
            "estimator must be a PowerLawCut, PowerLawMeans or PowerLawKernelMeans, such as "
            f"PowerLawCut(), got {estimator!r}."
        )
    return estimator


def _seed(random_state: Any) -> int:
    """Return one seed for all fits: threads cannot share a generator."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))
