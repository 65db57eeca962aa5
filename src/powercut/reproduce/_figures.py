"""Colours and figures shared by the pictures."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, ACCENT = "#14324a", "#d9822b"


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure of this size in inches; raise with advice if matplotlib is missing."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            'Pictures need matplotlib, which is not installed: pip install "powercut[plot]"'
        ) from error
    return Figure(figsize=(width, height), layout="constrained")
