"""Progress of a fit: time limits, and reports to a callback."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

from powercut import _core
from powercut._typing import Labels

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
        The current step: ``"input"``, ``"neighbors"`` (of points), ``"start"``, ``"search"``,
        ``"tradeoff"`` (the search is repeated at another tradeoff because edges are dependent),
        ``"levels"`` (of `powercut.cluster_tree`), ``"results"`` or ``"done"``; for
        `powercut.disk.write_blocks`, ``"edges"``, ``"buckets"`` or ``"blocks"``.
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
    n_clusters : int
        Number of clusters of the partition that the search has reached; 0 before there is one. It
        rises and falls: starts are tried one after the other. In the last report, that of the fit.
    """

    fraction: float
    stage: str
    level_size: int
    round: int
    moves: int
    objective: float
    seconds: float
    n_clusters: int = 0

    @property
    def seconds_left(self) -> float:
        """Estimated time that is left, if the rest takes as long as its fraction says; or NaN."""
        if self.fraction == 0:
            return float("nan")
        return self.seconds * (1 - self.fraction) / self.fraction

    def __str__(self) -> str:
        return self.describe()

    def describe(self, width: int | None = None) -> str:
        """Return one line, the most important first, of as many whole parts as fit.

        Parameters
        ----------
        width : int, optional
            Most characters of the line. Default: no limit.

        Examples
        --------
        >>> from powercut import Progress
        >>> report = Progress(0.75, "search", 34, 1, 9, -171.5, seconds=60.0, n_clusters=2)
        >>> report.describe()
        'search: 2 clusters, 0:20 left, level of 34, round 1, 9 moves, J = -171.5'
        >>> report.describe(40)
        'search: 2 clusters, 0:20 left'
        """
        parts = [f"{self.n_clusters:,} {'cluster' if self.n_clusters == 1 else 'clusters'}"]
        if self.n_clusters == 0:
            parts = []
        if 0 < self.fraction < 1:
            parts.append(f"{clock(self.seconds_left)} left")
        if self.level_size > 0:  # the step has moves
            parts += [f"level of {self.level_size:,}", f"round {self.round:,}"]
            parts += [f"{self.moves:,} moves", f"J = {self.objective:.6g}"]
        line = self.stage
        for separator, part in zip([": "] + [", "] * len(parts), parts, strict=False):
            if width is not None and len(line) + len(separator) + len(part) > width:
                break
            line += separator + part
        return line[:width]


def clock(seconds: float) -> str:
    """Return a time as minutes and seconds, with hours if there are any."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


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
        # Fractions at which the current part begins and ends, when it began, and the last reported.
        self._fraction, self._end, self._part_began, self._shown = 0.0, 1.0, self._began, 0.0
        self._n_clusters = 0
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
        self._part_began = time.monotonic()
        self.tick()
        try:
            yield
        finally:
            self._fraction, self._end, self._stage = self._end, end, outer_stage
            self._part_began = time.monotonic()

    @contextmanager
    def inner(self, share: float) -> Iterator[Callback | None]:
        """Yield a callback for other work that reports on its own, and takes this share."""
        if not self._reports:
            yield None
            return
        with self.part(share):
            start, length = self._fraction, self._end - self._fraction

            def forward(report: Progress) -> None:
                assert self._callback is not None
                self._callback(replace(report, fraction=start + length * report.fraction))

            yield forward

    def each(self, items: Iterable[T], *, of: int, stage: str | None = None) -> Iterator[T]:
        """Yield `of` items, the work on each of which takes an equal share of the rest."""
        for done, item in enumerate(items):
            with self.part(1 / (of - done), stage):
                yield item

    def tick(self) -> None:
        """Report progress, unless the last report was less than `interval` seconds ago."""
        if self._reports and time.monotonic() - self._last_report >= self.interval:
            self._report()

    def without_limit(self) -> _core.CancellationToken:
        """Return a token for work that has no partial result: it reports, but never expires."""
        token = _core.CancellationToken()
        if self._reports:
            token.set_callback(self.tick)
        return token

    def report_clusters(self, n_clusters: int) -> None:
        """Note how many clusters the search has reached, for the next report."""
        self._n_clusters = n_clusters

    def finish(self, objective: float, n_clusters: int | None = None) -> None:
        """Report that the work is done."""
        if self._reports:
            if n_clusters is not None:
                self.report_clusters(n_clusters)
            self.report_objective(objective)
            self._fraction, self._stage = 1.0, "done"
            self._report()

    def close(self) -> None:
        """Stop reporting, and release the callback."""
        self.set_callback(None)
        self._callback = None

    def _report(self) -> None:
        assert self._callback is not None
        now = time.monotonic()
        self._shown = max(self._shown, self._probable_fraction(now))
        seconds = now - self._began
        self._callback(
            Progress(self._shown, self._stage, *self.last_report(), seconds, self._n_clusters)
        )
        self._last_report = time.monotonic()

    def _probable_fraction(self, now: float) -> float:
        """Return the fraction with what is probably done of the current part.

        When it has taken as long as its share lets expect, that is half of it; it is never whole.
        """
        if self._fraction == 0:
            return 0.0
        share, inside = self._end - self._fraction, now - self._part_began
        expected = share * (self._part_began - self._began) / self._fraction
        return self._fraction + share * inside / (inside + expected) if inside else self._fraction


def report_clusters(cancel: _core.CancellationToken | None, labels: Labels) -> None:
    """Report the number of clusters of labels 0 to k - 1, if the token of a search reports."""
    if isinstance(cancel, ProgressReporter):
        cancel.report_clusters(int(labels.max(initial=-1)) + 1)
