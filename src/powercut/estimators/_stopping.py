"""Ending a long fit early, with the best partition so far."""

import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from powercut import _core
from powercut._validation import check_choice, check_real

ON_INTERRUPT = ("raise", "return")


def check_stopping(estimator: Any) -> None:
    """Check the parameters that say when a search may end early."""
    check_choice("on_interrupt", estimator.on_interrupt, ON_INTERRUPT)
    if estimator.max_seconds is not None:
        check_real(estimator.max_seconds, "max_seconds", min_val=0)


@contextmanager
def stopping(estimator: Any) -> Iterator[_core.CancelFlag]:
    """Yield a flag that expires after `max_seconds` or, if that is asked for, on an interrupt.

    Warns at the end if it did.
    """
    flag = _core.CancelFlag()
    if estimator.max_seconds is not None:
        flag.expire_in(float(estimator.max_seconds))
    if estimator.on_interrupt == "return":
        with _interrupts_expire(flag):
            yield flag
    else:
        yield flag
    if flag.expired():
        warnings.warn(
            "The search was stopped early, by max_seconds or by an interrupt: this is the best "
            "partition so far, and another run may differ.",
            ConvergenceWarning,
            stacklevel=4,
        )


@contextmanager
def _interrupts_expire(flag: _core.CancelFlag) -> Iterator[None]:
    """Let the first Ctrl-C expire the flag, and the second raise KeyboardInterrupt."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals go to the main thread, and only there can they be caught
        return

    def expire(_signal: int, _frame: FrameType | None) -> None:
        if flag.expired():
            raise KeyboardInterrupt
        flag.expire_in(0)

    before = signal.signal(signal.SIGINT, expire)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
