"""A self-contained HTML page on a fitted model; see `write_report`. Needs matplotlib."""

from powercut import plot as _plot  # noqa: F401 (before all: it says how to install matplotlib)
from powercut.report.page import write_report

__all__ = ["write_report"]
