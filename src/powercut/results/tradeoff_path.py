r"""Finding the partitions of a path: fresh starts at every tradeoff, and neighbours as starts.

At one tradeoff a search may miss what it finds at the next. Each partition of the path is
the best of the usual fit and of the partitions beside it, improved at its tradeoff.
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
from powercut._typing import FloatArray, Labels
from powercut.estimators._common import effective_jobs
from powercut.estimators.cut import PowerLawCut
from powercut.estimators.kernel_means import PowerLawKernelMeans
from powercut.estimators.means import PowerLawMeans
from powercut.graphs.level import Level
from powercut.progress import Progress
from powercut.results.comparison import overlaps
from powercut.results.plateaus import TradeoffPath

Estimator = PowerLawCut | PowerLawMeans | PowerLawKernelMeans

N_TRADEOFFS = 16
# Tradeoffs of the scores that are likelihoods: from the most probable partition on.
LIKELIHOODS, LARGEST = ("likelihood", "gaussian"), 32.0
# Of the other scores: from this part of the estimator's own tradeoff to this multiple.
AROUND = 8.0
# A path ends where components with this share of the nodes are whole: pairs may stay apart.
WHOLE = 0.99


@dataclass(frozen=True)
class Step:
    """A partition at one tradeoff; `rank` is what it was chosen by, the lower the better."""

    labels: Labels
    objective: float
    description_length: float
    rank: float


@dataclass(frozen=True)
class PathSearch:
    """Fits of one estimator to the same data, at any tradeoff and from any labels.

    Attributes
    ----------
    estimator : PowerLawCut, PowerLawMeans or PowerLawKernelMeans
        With all parameters but the tradeoff and the start.
    X : Graph or array-like
        What it is fitted to.
    level : Level or None
        The finest level, where X is a graph.
    """

    estimator: Estimator
    X: Any
    level: Level | None

    @classmethod
    def of(cls, estimator: Estimator, X: Any, seed: int) -> "PathSearch":
        """Prepare fits that all begin with the same random numbers."""
        # Threads are for the tradeoffs: a fit itself has one.
        own = clone(estimator).set_params(init=None, progress=None, n_jobs=1, random_state=seed)
        if not isinstance(own, PowerLawCut):
            return cls(own, X, None)
        # Made once: nearest neighbours take longer than the search for clusters.
        graph, _ = own._make_graph(X)
        return cls(own.set_params(affinity="precomputed"), graph, Level.finest(graph))

    def is_whole(self, labels: Labels) -> bool:
        """Tell whether all components, or all that count, are one cluster each."""
        if self.level is None or len(labels) == 0:
            return int(labels.max(initial=0)) == 0
        components = self.level.components
        clusters = np.diff(overlaps(components, labels).indptr)
        return bool((clusters[components] == 1).mean() >= WHOLE)

    def own_tradeoff(self) -> float:
        """Return the tradeoff that the estimator has been given, or that it estimates."""
        graph = isinstance(self.estimator, PowerLawCut)
        if graph and isinstance(self.estimator.tradeoff, str):
            raise ValueError(
                f"score={self.estimator.score!r} has no usual range of tradeoffs; give tradeoffs, "
                "such as np.geomspace(1e-4, 1e-2, 16), or the estimator a tradeoff to look around."
            )
        if not isinstance(self.estimator.tradeoff, str):
            return float(self.estimator.tradeoff)
        return float(clone(self.estimator).fit(self.X).tradeoff_)

    def fit(self, tradeoff: float, init: Labels | None = None) -> Step:
        """Fit from the usual starts, or from labels."""
        model = clone(self.estimator).set_params(tradeoff=tradeoff, init=init).fit(self.X)
        return Step(
            model.labels_,
            model.objective_,
            getattr(model, "description_length_", np.nan),
            self._rank(model),
        )

    def improved(self, step: Step, neighbour: Step, tradeoff: float) -> Step:
        """Return the better of a step and of its neighbour's labels improved at its tradeoff."""
        if np.array_equal(step.labels, neighbour.labels):
            return step
        return min(step, self.fit(tradeoff, neighbour.labels), key=lambda one: one.rank)

    @staticmethod
    def _rank(model: Any) -> float:
        """Return what fits at the same tradeoff are compared by, as the fit itself does."""
        if getattr(model, "score", None) != "likelihood":
            return float(model.objective_)
        return float(model._description.tempered(model.tradeoff_))


def tradeoff_path(
    X: Any,
    *,
    estimator: Estimator | None = None,
    tradeoffs: npt.ArrayLike | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> TradeoffPath:
    r"""Find the partitions over a range of tradeoffs, from fine to coarse.

    At each tradeoff :math:`\lambda` the estimator is fitted as usual. Then the partitions
    are swept from small to large tradeoffs and back: the labels of the neighbour are
    improved at the tradeoff, and kept where that is better by what the fit itself goes
    by. For the score ``likelihood`` this is the description length with :math:`\lambda`
    edges counted as one (`powercut.graphs.description.Description.tempered`), and J for all
    others. So no partition is worse than that of the estimator's own fit.

    The number of clusters falls along the path as a rule, not always: what falls is the
    cost of the partition, and with an estimated prior single nodes beside large clusters,
    or all nodes alone, cost little too.

    Parameters
    ----------
    X : Graph, matrix, vectors or kernel matrix
        What ``fit`` of the estimator takes.
    estimator : PowerLawCut, PowerLawMeans or PowerLawKernelMeans, optional
        An estimator whose parameters are used, all but `tradeoff` and `init`; it is not
        changed. Default: ``PowerLawCut()``.
    tradeoffs : array-like of shape (n_tradeoffs,), optional
        Increasing positive values. If not given, up to 16 in geometric progression, and
        none beyond the first that leaves one cluster (one for each connected component,
        but for components with less than 1 % of the nodes together):
        from 1 to 32 for ``likelihood`` and ``gaussian``; for the other scores, which have
        scales of their own, from 1/8 to 8 times the tradeoff that the estimator has been
        given or, for ``kmeans``, estimates.
    n_jobs : int, optional
        Tradeoffs that are fitted at a time, in threads; -1 for as many as there are
        processors. Default: `n_jobs` of the estimator. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Given to each fit. Default: `random_state` of the estimator.

    Returns
    -------
    TradeoffPath
        Partitions, their numbers of clusters and description lengths, and how they
        agree; prints as a table.

    See Also
    --------
    TradeoffPath.plateaus : Partitions that persist.
    TradeoffPath.nested_labels : The path as a hierarchy.

    Examples
    --------
    Eight groups in two parts:

    >>> import numpy as np
    >>> import powercut
    >>> group = np.repeat(np.arange(8), 20)
    >>> same_group, same_part = group[:, None] == group, group[:, None] // 4 == group // 4
    >>> density = np.where(same_group, 0.9, np.where(same_part, 0.1, 0.005))
    >>> edges = np.triu(np.random.default_rng(0).random((160, 160)) < density, 1)
    >>> path = powercut.tradeoff_path(edges + edges.T, random_state=0)
    >>> for plateau in path.plateaus()[:2]:
    ...     print(f"{plateau.n_clusters} from {plateau.first:.1f} to {plateau.last:.1f}")
    8 from 1.0 to 3.2
    2 from 4.0 to 10.1
    """
    estimator = PowerLawCut() if estimator is None else _check_estimator(estimator)
    threads = effective_jobs(estimator.n_jobs if n_jobs is None else n_jobs)
    search = PathSearch.of(
        estimator, X, _seed(estimator.random_state if random_state is None else random_state)
    )
    with warnings.catch_warnings():
        # At the end of a path this is no news.
        warnings.filterwarnings("ignore", "No more than one cluster is supported", UserWarning)
        grid = _default_tradeoffs(search) if tradeoffs is None else _check_tradeoffs(tradeoffs)
        steps: list[Step] = []
        with closing(_fresh(search, grid, threads)) as fresh:
            for tradeoff, step in zip(grid, fresh, strict=True):
                if steps:
                    step = search.improved(step, steps[-1], tradeoff)
                steps.append(step)
                if tradeoffs is None and search.is_whole(step.labels):
                    break
        for at in range(len(steps) - 2, -1, -1):
            steps[at] = search.improved(steps[at], steps[at + 1], grid[at])
    return TradeoffPath.of(
        grid[: len(steps)].tolist(),
        [step.labels for step in steps],
        [step.objective for step in steps],
        [step.description_length for step in steps],
    )


def _fresh(search: PathSearch, tradeoffs: FloatArray, threads: int) -> Generator[Step, None, None]:
    """Fit from the usual starts at each tradeoff, `threads` at a time and ahead of need.

    Closing ends those that are not done.
    """
    if threads == 1:
        yield from map(search.fit, tradeoffs)
        return
    closed = Event()

    def end_if_closed(_: Progress) -> None:
        if closed.is_set():
            raise _core.Cancelled("the path is complete, or was given up")

    own = clone(search.estimator).set_params(progress=end_if_closed)
    with ThreadPoolExecutor(max_workers=threads) as pool:
        futures = [pool.submit(replace(search, estimator=own).fit, t) for t in tradeoffs]
        try:
            for future in futures:
                yield future.result()
        finally:
            closed.set()
            pool.shutdown(wait=False, cancel_futures=True)


def _default_tradeoffs(search: PathSearch) -> FloatArray:
    if getattr(search.estimator, "score", None) in LIKELIHOODS:
        return np.geomspace(1.0, LARGEST, N_TRADEOFFS)
    own = search.own_tradeoff()
    if own <= 0:
        raise ValueError(
            f"The estimator has tradeoff={own}, and there are no multiples of it to follow; "
            "give tradeoffs, such as np.geomspace(0.1, 10, 16)."
        )
    return np.geomspace(own / AROUND, own * AROUND, N_TRADEOFFS)


def _check_tradeoffs(tradeoffs: npt.ArrayLike) -> FloatArray:
    values = np.asarray(tradeoffs, dtype=np.float64)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(f"tradeoffs has shape {values.shape}; give a list of one or more numbers.")
    wrong = np.flatnonzero(~((values > 0) & np.isfinite(values)))
    if len(wrong):
        raise ValueError(
            f"tradeoffs[{wrong[0]}] is {values[wrong[0]]}; they must be above zero and finite."
        )
    falls = np.flatnonzero(np.diff(values) <= 0)
    if len(falls):
        at = int(falls[0]) + 1
        raise ValueError(
            f"tradeoffs must increase, but tradeoffs[{at}] is {values[at]} after "
            f"{values[at - 1]}; sort them and leave out what is there twice (np.unique)."
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
    """Return one seed for all fits: threads may not share a generator."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))
