"""Run a search from several starts and keep the best result.

No single start works for all data. The result of lowest rank is kept, or several are combined:

=======================================  ======================================================
search                                   starts and ranking
=======================================  ======================================================
graphs, ``likelihood``                   `powercut.graphs.fit`: description length, combined
graphs, other scores; kernel k-means     `powercut.graphs.starts`, `powercut.graphs.kernel`: J
vectors, ``gaussian``                    `powercut.vectors.gaussian_fit`: J, at most n / 2 clusters
vectors, ``kmeans``, tradeoff estimated  `powercut.vectors.kmeans_fit`: description length
vectors, ``kmeans``, tradeoff given      `powercut.vectors.starts`: J
=======================================  ======================================================
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from powercut._typing import Labels, Random
from powercut.progress import ProgressReporter
from powercut.search.objective import SearchResult

A = TypeVar("A")
T = TypeVar("T")
Start = Callable[[Random, ProgressReporter], Labels]


def start_from_labels(labels: Labels) -> Start:
    """Start from given labels."""
    return lambda _random, _reporter: labels


def by_objective(found: SearchResult) -> float:
    """Return J as the ranking key."""
    return found.objective


def run_starts(
    starts: Sequence[Start],
    improve: Callable[[Labels, Random, ProgressReporter], T],
    *,
    rank: Callable[[T], float],
    large: bool,
    n_jobs: int,
    random: Random,
    reporter: ProgressReporter | None = None,
) -> T:
    """Improve every start, `n_jobs` in parallel, and return the result of lowest `rank`.

    On a tie the first is returned. If the problem is `large`, starts run one after the other,
    and each uses all threads.
    """
    reporter = ProgressReporter() if reporter is None else reporter

    def search(start: Start, own_random: Random, reporter: ProgressReporter) -> T:
        with reporter.part(0.3, "start"):
            labels = start(own_random, reporter)
        with reporter.part(1.0, "search"):
            return improve(labels, own_random, reporter)

    found = run_all(starts, search, n_jobs=1 if large else n_jobs, random=random, reporter=reporter)
    return min(found, key=rank)


def run_all(
    items: Sequence[A],
    work: Callable[[A, Random, ProgressReporter], T],
    *,
    n_jobs: int,
    random: Random,
    reporter: ProgressReporter,
) -> list[T]:
    """Do some work on every item, `n_jobs` in parallel; return the results in order.

    Every item has its own random generator, so the results do not depend on `n_jobs`. An
    exception in one, or an interrupt, stops all. When the time limit expires, items whose work
    has not begun are skipped, except the first.
    """
    runs = list(zip(range(len(items)), items, random.spawn(len(items)), strict=True))

    def run(at: int, item: A, own_random: Random) -> T | None:
        return None if at > 0 and reporter.expired() else work(item, own_random, reporter)

    if n_jobs == 1 or len(runs) == 1:
        found = [run(*one) for one in reporter.each(runs, of=len(runs))]
    else:
        with ThreadPoolExecutor(max_workers=n_jobs) as pool:
            futures = [pool.submit(run, *one) for one in runs]
            try:
                for _ in reporter.each(_completed(futures, reporter), of=len(futures)):
                    pass
            except BaseException:
                reporter.set()
                raise
        found = [future.result() for future in futures]
    return [one for one in found if one is not None]


def result_of(future: Future[T]) -> T:
    """Wait for the result of a future, and return it."""
    _queue_of([future]).get()
    return future.result()


def _completed(futures: Sequence[Future[Any]], reporter: ProgressReporter) -> Iterator[None]:
    """Yield once per completed future; raise its exception if it has one."""
    completed, pending = _queue_of(futures), len(futures)
    while pending:
        future = None
        with suppress(Empty):
            future = completed.get(timeout=reporter.interval)
        reporter.tick()
        if future is not None:
            future.result()
            pending -= 1
            yield


def _queue_of(futures: Sequence[Future[T]]) -> SimpleQueue[Future[T]]:
    """Return a queue that receives each future when it is done.

    `Future.result` and `concurrent.futures.wait` wait for a condition. An interrupt at an unlucky
    moment of that releases a lock which another thread holds; a simple queue has no such moment.
    """
    completed: SimpleQueue[Future[T]] = SimpleQueue()
    for future in futures:
        future.add_done_callback(completed.put)
    return completed
