"""Progress reports of a long fit, and early stopping with the best partition so far."""

import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from types import FrameType
from typing import Any

from powercut._bars import callback_of
from powercut._validation import check_choice, check_real
from powercut.progress import ProgressReporter

ON_INTERRUPT = ("raise", "return")
# The share of the search for clusters, if one for the levels of a tree follows.
BEFORE_TREE = 0.6


def check_stopping(estimator: Any) -> None:
    """Check the parameters of early stopping."""
    check_choice("on_interrupt", estimator.on_interrupt, ON_INTERRUPT)
    if estimator.max_seconds is not None:
        check_real(estimator.max_seconds, "max_seconds", min_val=0)


@contextmanager
def reporting(estimator: Any) -> Iterator[ProgressReporter]:
    """Yield a reporter that calls `progress` during a fit, and once more when it is done.

    If `progress` is a reporter, the fit is a part of longer work: that reports when it is done, and
    limits the time.
    """
    if isinstance(estimator.progress, ProgressReporter):
        yield estimator.progress
        return
    with (
        callback_of(estimator.progress) as callback,
        closing(ProgressReporter(callback)) as reporter,
    ):
        yield reporter
        reporter.finish(estimator.objective_, getattr(estimator, "n_clusters_", None))


@contextmanager
def stopping(
    estimator: Any, reporter: ProgressReporter, *, result: str = "the best partition so far"
) -> Iterator[None]:
    """Let the reporter expire after `max_seconds` or, with ``on_interrupt="return"``, on Ctrl-C.

    At the end, set `stopped_early_`, and warn if it expired, saying what the result is.
    """
    if estimator.progress is reporter:  # the longer work expires, and warns
        yield
        estimator.stopped_early_ = reporter.expired()
        return
    if estimator.max_seconds is not None:
        reporter.expire_in(float(estimator.max_seconds))
    interrupted = threading.Event()
    if estimator.on_interrupt == "return":
        with _interrupts_expire(reporter, interrupted):
            yield
    else:
        yield
    estimator.stopped_early_ = reporter.expired()
    if estimator.stopped_early_:
        from sklearn.exceptions import ConvergenceWarning

        limit = f"max_seconds={estimator.max_seconds}"
        cause = "an interrupt" if interrupted.is_set() else f"{limit}; raise it for a longer search"
        warnings.warn(
            f"The search was stopped early, so the result is {result}, and another run may differ. "
            f"It was stopped by {cause}.",
            ConvergenceWarning,
            stacklevel=4,
        )


@contextmanager
def _interrupts_expire(reporter: ProgressReporter, interrupted: threading.Event) -> Iterator[None]:
    """Let the first Ctrl-C expire the reporter, and the second raise KeyboardInterrupt."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signal handlers can only be set in the main thread
        return

    def expire(_signal: int, _frame: FrameType | None) -> None:
        if reporter.expired():
            raise KeyboardInterrupt
        interrupted.set()
        reporter.expire_in(0)

    before = signal.signal(signal.SIGINT, expire)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
