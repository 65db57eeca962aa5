"""The files written for the sections: CSV, PNG, report.md and index.html."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from powercut._atomic import atomic_open
from powercut.report import _html
from powercut.reproduce._section import Cell, Picture, Section, Table

TITLE = "Power-Law Graph Cuts, reproduced"
QUICK_NOTE = (
    "This is a quick run: smaller data, fewer runs, coarser grids. It shows that every part works; "
    "its results differ from those of the full run."
)


def write_report(folder: Path, sections: Sequence[Section], *, quick: bool) -> None:
    """Write the tables and pictures of the sections, report.md and index.html."""
    notes = [QUICK_NOTE] if quick else []
    for section in sections:
        for table in section.tables:
            table.write_csv(folder)
        for picture in section.pictures:
            with atomic_open(folder / f"{picture.name}.png") as file:
                file.write(picture.png)
    texts = [f"# {TITLE}", *notes, *(section.markdown() for section in sections)]
    with atomic_open(folder / "report.md", "w", encoding="utf-8") as file:
        file.write("\n\n".join(texts) + "\n")
    page = _html.page(TITLE, map(_page_section, sections), notes=notes)
    with atomic_open(folder / "index.html", "w", encoding="utf-8") as file:
        file.write(page)


def _page_section(section: Section) -> _html.PageSection:
    return _html.PageSection(section.name, section.title, [_part(part) for part in section.parts])


def _part(part: str | Table | Picture) -> str:
    if isinstance(part, Picture):
        return _html.figure(part.png, caption=part.caption)
    if isinstance(part, Table):
        numbers = [j for j in range(len(part.columns)) if _are_numbers(row[j] for row in part.rows)]
        return _html.table(
            part.columns,
            part.formatted(),
            caption=part.caption,
            numbers=numbers,
            marked=part.marked,
        )
    return _html.paragraph(part)


def _are_numbers(cells: Iterable[Cell]) -> bool:
    """Return whether all cells are numbers, missing, or text that reads as a number."""
    return all(not isinstance(cell, str) or _is_number(cell) for cell in cells)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
