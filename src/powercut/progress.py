"""Progress of a fit: cancellation, reports of how far it is, and progress bars."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from powercut import _core

T = TypeVar("T")


class until_expired:  # noqa: N801 (a context manager, as `suppress` is)
    """Keep what there is where the time of a token is up while the block works.

    Where the token was cancelled instead, `_core.Cancelled` is raised as usual.
    """

    def __init__(self, cancel: _core.CancelFlag | None) -> None:
        self._cancel = cancel

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        in_time = self._cancel is None or not self._cancel.expired()
        return isinstance(error, _core.Cancelled) and not in_time


@dataclass(frozen=True)
class Progress:
    """How far a fit is, as reported to its `progress` callback.

    Attributes
    ----------
    fraction : float
        How much of the fit is done, by its steps and what they usually take: an estimate
        from 0 to 1 that never falls. It is 1 in the last report.
    stage : str
        What is being done: ``"input"``, ``"start"``, ``"search"``, ``"tradeoff"`` (the search
        is repeated where edges depend on each other), ``"results"`` or ``"done"``; of
        `powercut.disk.write_blocks`, ``"edges"``, ``"buckets"`` or ``"blocks"``.
    level_size : int
        Number of nodes, or points, of the level of the search that is being worked on.
    round, moves : int
        Rounds and moves made on this level so far.
    objective : float
        J on this level, NaN before it is known. Steps may have objectives of their own (a start may
        be a partition of low modularity), so it falls within a step only. In the last report,
        `objective_` of the fit.
    seconds : float
        Since the fit began.
    """

    fraction: float
    stage: str
    level_size: int
    round: int
    moves: int
    objective: float
    seconds: float

    def __str__(self) -> str:
        if self.level_size == 0:  # no moves are being made
            return self.stage
        return (
            f"{self.stage}: level of {self.level_size:,}, round {self.round:,}, "
            f"{self.moves:,} moves, J = {self.objective:.6g}"
        )


Callback = Callable[[Progress], object]


class ProgressReporter(_core.CancelFlag):
    """A cancellation token that also reports how far the work is.

    Searches say which part of their work they begin (`part`, `each`), and kernels how many
    rounds and moves they have made, in any thread. The callback is called at most a few times per
    second, by the thread that made the reporter, while that thread waits or runs kernels itself.
    Parts that are begun in other threads are not distinguished.

    Parameters
    ----------
    callback : callable, optional
        Is called with a `Progress`, until the reporter is closed. An exception that it raises
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
        # The part that is being worked on begins here, and ends there.
        self._fraction, self._end = 0.0, 1.0
        if callback is not None:
            self.listen(self.tick)

    @property
    def _reports(self) -> bool:
        return self._callback is not None and threading.get_ident() == self._thread

    @contextmanager
    def part(self, share: float, stage: str | None = None) -> Iterator[None]:
        """Do work that takes this share of what is left of the part around it."""
        if not self._reports:
            yield
            return
        end, around = self._end, self._stage
        # Rounding must not make it end after the part around it.
        self._end = min(end, self._fraction + share * (end - self._fraction))
        self._stage = around if stage is None else stage
        self.tick()
        try:
            yield
        finally:
            self._fraction, self._end, self._stage = self._end, end, around

    def each(self, items: Iterable[T], *, of: int, stage: str | None = None) -> Iterator[T]:
        """Yield items, so many of them, whose work takes equal shares of what is left."""
        for done, item in enumerate(items):
            with self.part(1 / (of - done), stage):
                yield item

    def tick(self) -> None:
        """Report how far the work is, unless that was done a moment ago."""
        if self._reports and time.monotonic() - self._last_report >= self.interval:
            self._report()

    def finish(self, objective: float) -> None:
        """Report that the work is done."""
        if self._reports:
            self.reached(objective)
            self._fraction, self._stage = 1.0, "done"
            self._report()

    def close(self) -> None:
        """Report nothing more, and release the callback."""
        self.listen(None)
        self._callback = None

    def _report(self) -> None:
        assert self._callback is not None
        seconds = time.monotonic() - self._began
        self._callback(Progress(self._fraction, self._stage, *self.round(), seconds))
        self._last_report = time.monotonic()


@contextmanager
def tqdm_bar() -> Iterator[Callback]:
    """Show a bar of tqdm, in a terminal or a notebook."""
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise _missing("tqdm", 'pip install "powercut[progress]"') from error

    with tqdm(total=1.0, bar_format="{percentage:3.0f}%|{bar:20}| {elapsed} {desc}") as bar:

        def show(progress: Progress) -> None:
            bar.n = progress.fraction
            bar.set_description_str(str(progress))  # which shows it

        yield show


@contextmanager
def rich_bar() -> Iterator[Callback]:
    """Show a bar of rich, among its other output."""
    try:
        from rich import progress as rich
    except ImportError as error:
        raise _missing("rich", "pip install rich") from error

    columns = rich.BarColumn(20), rich.TaskProgressColumn(), rich.TimeElapsedColumn()
    text = rich.TextColumn("{task.description}")
    # Shown when there is news, and not by a thread of its own.
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
    """Yield the callback that a `progress` argument stands for, with its bar shown; or None."""
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
