"""Several starts of a search, of which the best end is kept.

No single start is safe; which ones there are, `powercut.graphs.starts` and
`powercut.vectors.starts` say.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from powercut._typing import Labels, Random
from powercut.progress import ProgressReporter
from powercut.search.objective import Found

T = TypeVar("T")
Start = Callable[[Random, ProgressReporter], Labels]


def given(labels: Labels) -> Start:
    """Start from labels that somebody has."""
    return lambda _random, _watch: labels


def by_objective(found: Found) -> float:
    """Rank what was found by J."""
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
    """Improve every start, `n_jobs` at a time, and return the lowest by `rank`, the first on a tie.

    What is `large` is improved from one start at a time, whose work all threads share. Each
    start has random numbers of its own, so the result does not depend on `n_jobs`. An
    exception in one of them, and an interrupt while waiting, stops all. When the time is up,
    those that have not begun are left out, but for the first.
    """
    reporter = ProgressReporter() if reporter is None else reporter
    runs = list(zip(range(len(starts)), starts, random.spawn(len(starts)), strict=True))

    def run(at: int, start: Start, own_random: Random) -> T | None:
        if at > 0 and reporter.expired():
            return None
        with reporter.part(0.3, "start"):
            labels = start(own_random, reporter)
        with reporter.part(1.0, "search"):
            return improve(labels, own_random, reporter)

    if large or n_jobs == 1 or len(runs) == 1:
        found = [run(*one) for one in reporter.each(runs, of=len(runs))]
    else:
        with ThreadPoolExecutor(max_workers=n_jobs) as pool:
            futures = [pool.submit(run, *one) for one in runs]
            try:
                for _ in reporter.each(_as_done(futures, reporter), of=len(futures)):
                    pass
            except BaseException:
                reporter.set()
                raise
        found = [future.result() for future in futures]
    return min((one for one in found if one is not None), key=rank)


def _as_done(futures: Sequence[Future[Any]], reporter: ProgressReporter) -> Iterator[None]:
    """Yield whenever another one is done, and raise what it raised."""
    pending = set(futures)
    while pending:
        done, pending = wait(pending, timeout=reporter.interval, return_when=FIRST_COMPLETED)
        reporter.tick()
        for future in done:
            future.result()
            yield
