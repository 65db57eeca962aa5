"""Where a search begins, and which of its ends is kept.

No single start is safe. In a graph, from single nodes every merge has to pay for the
prior's preference for many clusters before it gains anything, so the search
begins with the score alone (tradeoff 0) and then switches the prior on; from
whole components it has to find the first split; modularity's clusters lie in
between. Points start from partitions around many and few k-means++ seeds and, if
they are not too many, from Algorithm 1's own end, which exact moves can then only
lower; a large set starts from the clusters of a sample. All are improved to the end and
the lowest J is kept.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut.partition import Labels, compact_labels
from powercut.points import Points
from powercut.scores import Modularity, RAssoc
from powercut.search.level import FloatArray, Level
from powercut.search.lloyd import lloyd_kernel, lloyd_points
from powercut.search.multilevel import Multilevel
from powercut.search.objective import Found, Objective, Random, Regulariser
from powercut.search.points import PointsSearch
from powercut.search.sampling import sample_start
from powercut.search.seeding import seed_clusters, seed_counts
from powercut.vector_scores import KMeans

# Up to here Algorithm 1's own end is one of the starts, so that exact moves never end
# above it. Beyond, it takes longest of all and is far above the others.
LLOYD_POINTS = 2000

T = TypeVar("T")
Start = Callable[[Random, _core.CancelFlag], Labels]


def given(labels: Labels) -> Start:
    """Start from labels that somebody has."""
    return lambda _random, _cancel: labels


def by_objective(found: Found) -> float:
    """Rank what was found by J."""
    return found.objective


def run_starts(
    starts: Sequence[Start],
    improve: Callable[[Labels, Random, _core.CancelFlag], T],
    *,
    rank: Callable[[T], float],
    large: bool,
    n_jobs: int,
    random: Random,
    cancel: _core.CancelFlag | None = None,
) -> T:
    """Improve every start, `n_jobs` at a time, and return the lowest by `rank`, the first on a tie.

    What is `large` is improved from one start at a time, whose work all threads share. Each
    start has random numbers of its own, so the result does not depend on `n_jobs`. An
    exception in one of them, and an interrupt while waiting, stops all.
    """
    cancel = _core.CancelFlag() if cancel is None else cancel

    def run(start: Start, own_random: Random) -> T:
        return improve(start(own_random, cancel), own_random, cancel)

    children = random.spawn(len(starts))
    if large or n_jobs == 1 or len(starts) == 1:
        found = [run(*pair) for pair in zip(starts, children, strict=True)]
    else:
        with ThreadPoolExecutor(max_workers=n_jobs) as pool:
            futures = [pool.submit(run, *pair) for pair in zip(starts, children, strict=True)]
            try:
                done, _ = wait(futures, return_when=FIRST_EXCEPTION)
                for future in done:
                    future.result()
            except BaseException:
                cancel.set()
                raise
        found = [future.result() for future in futures]
    return min(found, key=rank)


def solve_start(level: Level, objective: Objective, labels: Labels | None = None) -> Start:
    """Start from single nodes, or from labels, by one cycle that lowers another objective."""
    first = np.arange(level.n, dtype=np.int32) if labels is None else compact_labels(labels)[0]

    def start(random: Random, cancel: _core.CancelFlag) -> Labels:
        search = Multilevel(level, objective, random=random, cancel=cancel)
        return search.cycle(first)

    return start


def components_start(level: Level) -> Start:
    """Start from a cluster for each connected component."""
    return lambda _random, _cancel: level.components


def graph_starts(level: Level, objective: Objective, n_init: int) -> list[Start]:
    """Return the usual starts for a graph, those that are random `n_init` times."""
    score_alone = objective.without_prior()
    total_weight = float(level.nodes[0].sum())
    modularity = replace(score_alone, score=Modularity(1.0, total_weight))
    # One of the two where modularity is the score.
    objectives = dict.fromkeys([score_alone, modularity])
    return [components_start(level), *[solve_start(level, one) for one in objectives] * n_init]


def search_graph(
    level: Level,
    objective: Objective,
    *,
    starts: Sequence[Start],
    n_jobs: int = 1,
    random: Random,
    cancel: _core.CancelFlag | None = None,
) -> Found:
    """Lower J by multilevel search from each start, and keep the best.

    Parameters
    ----------
    level : Level
        The graph.
    objective : Objective
        What to lower.
    starts : sequence of callables
        Each makes labels to start from; see `graph_starts` and `given`.
    n_jobs : int
        How many searches run at once; the result does not depend on it.
    random : numpy.random.Generator
        Decides the random orders.
    cancel : CancelFlag, optional
        Ends the search after a time with the best so far.
    """
    constant = objective.regulariser.constant(level.n_original)

    def improve(start: Labels, own_random: Random, cancel: _core.CancelFlag) -> Found:
        search = Multilevel(level, objective, random=own_random, cancel=cancel)
        labels = search.improve(compact_labels(start)[0])
        path = np.asarray(search.path) + constant
        return Found(labels, float(path[-1]), path)

    return run_starts(
        starts,
        improve,
        rank=by_objective,
        large=level.is_large,
        n_jobs=n_jobs,
        random=random,
        cancel=cancel,
    )


def split(level: Level, objective: Objective, found: Found) -> Found:
    """Make each connected piece of a cluster a cluster; J may rise, and the path stays."""
    pieces, n_pieces = _core.split_components(level.graph, found.labels, None)
    if n_pieces == int(found.labels.max(initial=-1)) + 1:
        return found
    j = level.objective(pieces, n_pieces, objective)
    return Found(pieces, j + objective.regulariser.constant(level.n_original), found.path)


def connect(level: Level, objective: Objective, found: Found, *, random: Random) -> Found:
    """Make every cluster connected: split what is not, then move what keeps it so."""
    pieces = split(level, objective, found)
    if pieces is found:
        return found
    moved = level.local_moves(
        pieces.labels, objective, random=random, cancel=None, keep_connected=True, exhaustive=True
    )
    constant = objective.regulariser.constant(level.n_original)
    return Found(moved.labels, moved.after + constant, found.path)


def search_points(
    points: Points,
    regulariser: Regulariser,
    *,
    labels: Labels | None = None,
    n_init: int = 1,
    n_jobs: int = 1,
    max_iter: int,
    random: Random,
) -> Found:
    """Lower J of points by exact moves from several starts, and keep the best.

    Parameters
    ----------
    points : Points
        The points.
    regulariser : Regulariser
        What is added to the within sum of squares.
    labels : ndarray of int32, optional
        The one start to take, in place of the several.
    n_init : int
        How many times each random start is drawn.
    n_jobs : int
        How many searches run at once; the result does not depend on it.
    max_iter : int
        Passes of Algorithm 1, in the start that it makes.
    random : numpy.random.Generator
        Decides seeds and random orders.
    """

    def from_lloyd(_: Random, cancel: _core.CancelFlag) -> Labels:
        return lloyd_points(points, regulariser, max_iter=max_iter, cancel=cancel).labels

    def improve_some(
        some: Points, start: Labels, own_random: Random, cancel: _core.CancelFlag
    ) -> Found:
        score, brisk = KMeans(some.values.shape[1]), points.is_large
        search = PointsSearch(
            some, score, regulariser, random=own_random, cancel=cancel, brisk=brisk
        )
        end = search.improve(start)
        path = np.asarray(search.path)
        return Found(end, float(path[-1]), path)

    def search_sample(
        sample: Points, seeds: Labels, own_random: Random, cancel: _core.CancelFlag
    ) -> tuple[Labels, KMeans, Regulariser]:
        found = improve_some(sample, seeds, own_random, cancel)
        return found.labels, KMeans(points.values.shape[1]), regulariser

    def improve(start: Labels, own_random: Random, cancel: _core.CancelFlag) -> Found:
        return improve_some(points, start, own_random, cancel)

    if labels is not None:
        starts: list[Start] = [given(labels)]
    elif points.is_large:
        starts = [sample_start(points, search_sample)] * n_init
    else:
        seeds = seed_starts(points.squared_distances, points.weights, n_init)
        starts = [from_lloyd, *seeds] if points.n <= LLOYD_POINTS else seeds
    return run_starts(
        starts, improve, rank=by_objective, large=points.is_large, n_jobs=n_jobs, random=random
    )


def search_kernel(
    kernel: npt.NDArray[np.floating],
    regulariser: Regulariser,
    *,
    weight: FloatArray | None = None,
    labels: Labels | None = None,
    n_init: int = 1,
    n_jobs: int = 1,
    max_iter: int,
    random: Random,
) -> Found:
    """Lower J of the points of a kernel matrix; parameters as in `search_points`.

    Kernel k-means is ratio association on the dense graph ``W K W``, plus the
    constant ``sum_i w_i K_ii``.
    """
    diagonal = np.diag(kernel).astype(np.float64)
    weights = np.ones(len(kernel)) if weight is None else weight

    def squared_distances(point: int) -> FloatArray:
        return np.asarray(diagonal - 2.0 * kernel[point] + diagonal[point])

    def from_lloyd(_: Random, cancel: _core.CancelFlag) -> Labels:
        return lloyd_kernel(
            kernel, regulariser, weight=weight, max_iter=max_iter, cancel=cancel
        ).labels

    if labels is not None:
        starts: list[Start] = [given(labels)]
    else:
        seeds = seed_starts(squared_distances, weights, n_init)
        starts = [from_lloyd, *seeds] if len(kernel) <= LLOYD_POINTS else seeds
    found = search_graph(
        Level.of_kernel(kernel, weight),
        Objective(RAssoc(0.0), regulariser),
        starts=starts,
        n_jobs=n_jobs,
        random=random,
    )
    trace = float(weights @ diagonal)
    return Found(found.labels, found.objective + trace, found.path + trace)


def seed_starts(
    squared_distances: Callable[[int], FloatArray],
    weight: FloatArray,
    n_init: int,
    *,
    most: int | None = None,
) -> list[Start]:
    """Return starts from few, several and many k-means++ seeds, at most `most`, `n_init` times."""

    def start(k: int) -> Start:
        return lambda random, cancel: seed_clusters(squared_distances, weight, k, random, cancel)

    counts = seed_counts(len(weight))
    if most is not None:
        counts = sorted({min(k, most) for k in counts})
    return [start(k) for _ in range(n_init) for k in counts]
