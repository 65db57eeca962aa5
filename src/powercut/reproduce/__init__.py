"""Reproduction of the tables and figures of "Power-Law Graph Cuts", next to the paper's results.

The command ``powercut reproduce`` calls `reproduce`. There is one module per part, with a function
of the same name that takes the folder, ``quick`` and a `ProgressReporter`, and returns a `Section`.
"""

from collections.abc import Callable
from contextlib import closing
from importlib import import_module
from pathlib import Path

from powercut._validation import check_choice
from powercut.progress import Progress, ProgressReporter
from powercut.reproduce._report import write_report
from powercut.reproduce._section import Picture, Section, Table

__all__ = ["ALL", "PARTS", "Picture", "Section", "Table", "reproduce"]

# The parts, and the share of the total time that each takes.
PARTS: dict[str, float] = {
    "synthetic": 0.25,
    "table1": 0.03,
    "table2": 0.2,
    "figure-sizes": 0.01,
    "images": 0.51,
}
ALL = "all"


def reproduce(
    what: str,
    folder: str | Path,
    *,
    quick: bool = False,
    progress: Callable[[Progress], object] | None = None,
) -> list[Section]:
    """Reproduce one part of the paper's experiments, or all of them.

    Parameters
    ----------
    what : {"synthetic", "table1", "table2", "figure-sizes", "images", "all"}
        The part to run.
    folder : path
        Where to write the tables as CSV, the pictures as PNG, and both in ``report.md`` and in the
        self-contained ``index.html``. Created if missing; the report is rewritten after each
        part.
    quick : bool, default=False
        Use smaller data and fewer runs. Takes minutes; the results differ from a full run.
    progress : callable, optional
        Called a few times a second with a `powercut.Progress`, whose ``stage`` names the current
        step.

    Returns
    -------
    list of Section
    """
    check_choice("what", what, (*PARTS, ALL))
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    parts = list(PARTS) if what == ALL else [what]
    sections: list[Section] = []
    left = sum(PARTS[part] for part in parts)
    with closing(ProgressReporter(progress)) as reporter:
        for part in parts:
            name = part.replace("-", "_")
            make = getattr(import_module(f"{__name__}.{name}"), name)
            with reporter.part(PARTS[part] / left, part):
                sections.append(make(folder, quick=quick, reporter=reporter))
            left -= PARTS[part]
            write_report(folder, sections, quick=quick)
        reporter.finish(float("nan"))
    return sections
