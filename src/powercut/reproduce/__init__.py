"""The tables and figures of "Power-Law Graph Cuts", made again beside the paper's.

`reproduce` is what the command ``powercut reproduce`` calls. One module per part: each has a
function of the part's name that takes the folder, ``quick`` and a `ProgressReporter`, and returns a
`Section`.
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

# Part, and its share of the time of all.
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
    """Make a part of the paper's experiments again, or all of them.

    Parameters
    ----------
    what : {"synthetic", "table1", "table2", "figure-sizes", "images", "all"}
        The part.
    folder : path
        Gets the tables as CSV, the pictures as PNG, and both in ``report.md`` and in
        ``index.html``, which needs no other file. Made if absent; the report is written anew
        after each part.
    quick : bool, default=False
        Smaller data and fewer runs: minutes, and other numbers.
    progress : callable, optional
        Is called a few times a second with a `powercut.Progress`; its ``stage`` says what is
        being done.

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
