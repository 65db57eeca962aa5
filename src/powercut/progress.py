"""Progress of a fit: time limits, reports to a callback, and progress bars."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from powercut import _core

T = TypeVar("T")


class until_expired:  # noqa: N801 (a context manager, as `suppress` is)
    """Suppress `_core.Cancelled` if it is raised because the token's time limit expired.

    The code after the ``with`` statement then continues with the results so far. If the token
    was cancelled instead, the exception is raised.
    """

    def __init__(self, cancel: _core.CancellationToken | None) -> None:
        self._cancel = cancel

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        in_time = self._cancel is None or not self._cancel.expired()
        return isinstance(error, _core.Cancelled) and not in_time


@dataclass(frozen=True)
class Progress:
    """One progress report of a fit, the argument of its `progress` callback.

    Attributes
    ----------
    fraction : float
        Estimated fraction of the work that is done, from 0 to 1, based on the typical
        durations of the steps. It never decreases, and is 1 in the last report.
    stage : str
        The current step: ``"input"``, ``"start"``, ``"search"``, ``"tradeoff"`` (the search is
        repeated at another tradeoff because edges are dependent), ``"levels"`` (of
        `powercut.cluster_tree`), ``"results"`` or ``"done"``; for `powercut.disk.write_blocks`,
        ``"edges"``, ``"buckets"`` or ``"blocks"``.
    level_size : int
        Number of nodes or points of the current level of the search.
    round, moves : int
        Number of rounds and moves on this level so far.
    objective : float
        J on this level; NaN before it is known. It decreases within a step only, because steps
        may have different objectives (one of the starts maximises modularity). In the last
        report, `objective_` of the fit.
    seconds : float
        Time since the start of the fit.
    """

    fraction: float
    stage: str
    level_size: int
    round: int
    moves: int
    objective: float
    seconds: float

    def __str__(self) -> str:
        if self.level_size == 0:  # a step without moves
            return self.stage
        return (
            f"{self.stage}: level of {self.level_size:,}, round {self.round:,}, "
            f"{self.moves:,} moves, J = {self.objective:.6g}"
        )


Callback = Callable[[Progress], object]


class ProgressReporter(_core.CancellationToken):
    """A cancellation token that also reports progress to a callback.

    Searches announce the parts of their work (`part`, `each`); kernels count their rounds and
    moves, in any thread. The callback is called at most a few times per second, by the thread
    that created the reporter, while this thread waits or runs kernels itself. Parts that begin in
    other threads are ignored.

    Parameters
    ----------
    callback : callable, optional
        Called with a `Progress` until the reporter is closed. An exception that it raises
        ends the work.

    Examples
    --------
    >>> from contextlib import closing
    >>> from powercut.progress import ProgressReporter
    >>> reports = []
    >>> with closing(ProgressReporter(reports.append)) as reporter:
    ...     with reporter.part(0.5, "start"):
    ...         pass
    ...     for item in reporter.each(["one", "other"], of=2):
    ...         print(item)
    ...     reporter.finish(objective=-1.0)
    one
    other
    >>> [report.fraction for report in reports]
    [0.0, 1.0]
    """

    # Seconds between two reports.
    interval = 0.2

    def __init__(self, callback: Callback | None = None) -> None:
        super().__init__()
        self._callback = callback
        self._thread = threading.get_ident()
        self._began = time.monotonic()
        self._last_report = -self.interval
        self._stage = "input"
        # Fractions at which the current part begins and ends.
        self._fraction, self._end = 0.0, 1.0
        if callback is not None:
            self.set_callback(self.tick)

    @property
    def _reports(self) -> bool:
        return self._callback is not None and threading.get_ident() == self._thread

    @contextmanager
    def part(self, share: float, stage: str | None = None) -> Iterator[None]:
        """Announce work that takes this share of the rest of the enclosing part."""
        if not self._reports:
            yield
            return
        end, outer_stage = self._end, self._stage
        # Rounding must not make it end after the enclosing part.
        self._end = min(end, self._fraction + share * (end - self._fraction))
        self._stage = outer_stage if stage is None else stage
        self.tick()
        try:
            yield
        finally:
            self._fraction, self._end, self._stage = self._end, end, outer_stage

    def each(self, items: Iterable[T], *, of: int, stage: str | None = None) -> Iterator[T]:
        """Yield `of` items, the work on each of which takes an equal share of the rest."""
        for done, item in enumerate(items):
            with self.part(1 / (of - done), stage):
                yield item

    def tick(self) -> None:
        """Report progress, unless the last report was less than `interval` seconds ago."""
        if self._reports and time.monotonic() - self._last_report >= self.interval:
            self._report()

    def finish(self, objective: float) -> None:
        """Report that the work is done."""
        if self._reports:
            self.report_objective(objective)
            self._fraction, self._stage = 1.0, "done"
            self._report()

    def close(self) -> None:
        """Stop reporting, and release the callback."""
        self.set_callback(None)
        self._callback = None

    def _report(self) -> None:
        assert self._callback is not None
        seconds = time.monotonic() - self._began
        self._callback(Progress(self._fraction, self._stage, *self.last_report(), seconds))
        self._last_report = time.monotonic()


@contextmanager
def tqdm_bar() -> Iterator[Callback]:
    """Show a tqdm progress bar, in a terminal or a notebook."""
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise _missing("tqdm", 'pip install "powercut[progress]"') from error

    with tqdm(total=1.0, bar_format="{percentage:3.0f}%|{bar:20}| {elapsed} {desc}") as bar:

        def show(progress: Progress) -> None:
            bar.n = progress.fraction
            bar.set_description_str(str(progress))  # this also redraws the bar

        yield show


@contextmanager
def rich_bar() -> Iterator[Callback]:
    """Show a rich progress bar."""
    try:
        from rich import progress as rich
    except ImportError as error:
        raise _missing("rich", "pip install rich") from error

    columns = rich.BarColumn(20), rich.TaskProgressColumn(), rich.TimeElapsedColumn()
    text = rich.TextColumn("{task.description}")
    # Redraw on reports only, not in a background thread.
    with rich.Progress(*columns, text, auto_refresh=False) as bar:
        task = bar.add_task("", total=1.0)

        def show(progress: Progress) -> None:
            bar.update(task, completed=progress.fraction, description=str(progress), refresh=True)

        yield show


BARS: dict[str, Callable[[], AbstractContextManager[Callback]]] = {
    "tqdm": tqdm_bar,
    "rich": rich_bar,
}


@contextmanager
def callback_of(progress: Any) -> Iterator[Callback | None]:
    """Yield the callback for a `progress` argument, or None; show the progress bar it names."""
    if progress is None or progress is False:
        yield None
    elif callable(progress):
        yield progress
    elif progress is True or (isinstance(progress, str) and progress in BARS):
        with BARS["tqdm" if progress is True else progress]() as callback:
            yield callback
    else:
        raise ValueError(
            f"progress must be None, True, one of {list(BARS)} or a callable, got {progress!r}."
        )


def _missing(package: str, remedy: str) -> ImportError:
    return ImportError(f"progress={package!r} needs {package}, which is not installed: {remedy}")
