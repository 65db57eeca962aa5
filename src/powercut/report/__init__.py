"""One page of HTML that tells what a fit found; see `write_report`. Needs matplotlib."""

from powercut.report.page import write_report

__all__ = ["write_report"]
