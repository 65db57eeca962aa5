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

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut.partition import Labels, compact_labels
from powercut.points import Points
from powercut.progress import Watch
from powercut.scores import Modularity, RAssoc
from powercut.search.level import FloatArray, Level
from powercut.search.lloyd import lloyd_kernel, lloyd_points
from powercut.search.multilevel import Multilevel
from powercut.search.objective import Found, Objective, Random, Regulariser
from powercut.search.points import PointsSearch
from powercut.search.sampling import carry_over, seeded_sample
from powercut.search.seeding import seed_clusters, seed_counts
from powercut.vector_scores import KMeans

# Up to here Algorithm 1's own end is one of the starts, so that exact moves never end
# above it. Beyond, it takes longest of all and is far above the others.
LLOYD_POINTS = 2000

T = TypeVar("T")
Start = Callable[[Random, Watch], Labels]


def given(labels: Labels) -> Start:
    """Start from labels that somebody has."""
    return lambda _random, _watch: labels


def by_objective(found: Found) -> float:
    """Rank what was found by J."""
    return found.objective


def run_starts(
    starts: Sequence[Start],
    improve: Callable[[Labels, Random, Watch], T],
    *,
    rank: Callable[[T], float],
    large: bool,
    n_jobs: int,
    random: Random,
    watch: Watch | None = None,
) -> T:
    """Improve every start, `n_jobs` at a time, and return the lowest by `rank`, the first on a tie.

    What is `large` is improved from one start at a time, whose work all threads share. Each
    start has random numbers of its own, so the result does not depend on `n_jobs`. An
    exception in one of them, and an interrupt while waiting, stops all. When the time is up,
    those that have not begun are left out, but for the first.
    """
    watch = Watch() if watch is None else watch
    runs = list(zip(range(len(starts)), starts, random.spawn(len(starts)), strict=True))

    def run(at: int, start: Start, own_random: Random) -> T | None:
        if at > 0 and watch.expired():
            return None
        with watch.part(0.3, "start"):
            labels = start(own_random, watch)
        with watch.part(1.0, "search"):
            return improve(labels, own_random, watch)

    if large or n_jobs == 1 or len(runs) == 1:
        found = [run(*one) for one in watch.each(runs, of=len(runs))]
    else:
        with ThreadPoolExecutor(max_workers=n_jobs) as pool:
            futures = [pool.submit(run, *one) for one in runs]
            try:
                for _ in watch.each(_as_done(futures, watch), of=len(futures)):
                    pass
            except BaseException:
                watch.set()
                raise
        found = [future.result() for future in futures]
    return min((one for one in found if one is not None), key=rank)


def _as_done(futures: Sequence[Future[Any]], watch: Watch) -> Iterator[None]:
    """Yield whenever another one is done, and raise what it raised."""
    pending = set(futures)
    while pending:
        done, pending = wait(pending, timeout=watch.interval, return_when=FIRST_COMPLETED)
        watch.tick()
        for future in done:
            future.result()
            yield


def solve_start(level: Level, objective: Objective, labels: Labels | None = None) -> Start:
    """Start from single nodes, or from labels, by one cycle that lowers another objective."""
    first = np.arange(level.n, dtype=np.int32) if labels is None else compact_labels(labels)[0]

    def start(random: Random, watch: Watch) -> Labels:
        search = Multilevel(level, objective, random=random, cancel=watch)
        return search.cycle(first)

    return start


def components_start(level: Level) -> Start:
    """Start from a cluster for each connected component."""
    return lambda _random, _watch: level.components


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
    watch: Watch | None = None,
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
    watch : Watch, optional
        Ends the search after a time with the best so far, and hears how far it is.
    """
    constant = objective.regulariser.constant(level.n_original)

    def improve(start: Labels, own_random: Random, watch: Watch) -> Found:
        search = Multilevel(level, objective, random=own_random, cancel=watch)
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
        watch=watch,
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
    watch: Watch | None = None,
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
    watch : Watch, optional
        Ends the search after a time with the best so far, and hears how far it is.
    """

    def from_lloyd(_: Random, watch: Watch) -> Labels:
        return lloyd_points(points, regulariser, max_iter=max_iter, cancel=watch).labels

    score, brisk = KMeans(points.values.shape[1]), points.is_large

    def improve_some(some: Points, start: Labels, own: Random, watch: Watch) -> Found:
        search = PointsSearch(some, score, regulariser, random=own, cancel=watch, brisk=brisk)
        end = search.improve(start)
        path = np.asarray(search.path)
        return Found(end, float(path[-1]), path)

    def from_sample(own: Random, watch: Watch) -> Labels:
        with watch.part(0.5):
            sample, seeds = seeded_sample(points, own, watch)
            end = improve_some(sample, seeds, own, watch).labels
        return carry_over(sample, end, points, score, regulariser, random=own, watch=watch)

    def improve(start: Labels, own: Random, watch: Watch) -> Found:
        return improve_some(points, start, own, watch)

    if labels is not None:
        starts: list[Start] = [given(labels)]
    elif points.is_large:
        starts = [from_sample] * n_init
    else:
        seeds = seed_starts(points.squared_distances, points.weights, n_init)
        starts = [from_lloyd, *seeds] if points.n <= LLOYD_POINTS else seeds
    return run_starts(
        starts,
        improve,
        rank=by_objective,
        large=points.is_large,
        n_jobs=n_jobs,
        random=random,
        watch=watch,
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
    watch: Watch | None = None,
) -> Found:
    """Lower J of the points of a kernel matrix; parameters as in `search_points`.

    Kernel k-means is ratio association on the dense graph ``W K W``, plus the
    constant ``sum_i w_i K_ii``.
    """
    diagonal = np.diag(kernel).astype(np.float64)
    weights = np.ones(len(kernel)) if weight is None else weight

    def squared_distances(point: int) -> FloatArray:
        return np.asarray(diagonal - 2.0 * kernel[point] + diagonal[point])

    def from_lloyd(_: Random, watch: Watch) -> Labels:
        return lloyd_kernel(
            kernel, regulariser, weight=weight, max_iter=max_iter, cancel=watch
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
        watch=watch,
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
        return lambda random, watch: seed_clusters(squared_distances, weight, k, random, watch)

    counts = seed_counts(len(weight))
    if most is not None:
        counts = sorted({min(k, most) for k in counts})
    return [start(k) for _ in range(n_init) for k in counts]
