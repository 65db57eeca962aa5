"""The files that sections become."""

from collections.abc import Sequence
from pathlib import Path

from powercut.reproduce._html import html_page
from powercut.reproduce._section import Section

TITLE = "Power-Law Graph Cuts, reproduced"
NOTE_ON_QUICK = (
    "This is a quick run: smaller data, fewer runs, coarser grids. It shows that everything works; "
    "its numbers are not those of the full run."
)


def write_report(folder: Path, sections: Sequence[Section], *, quick: bool) -> None:
    """Write the files of the sections, report.md and index.html."""
    notes = [NOTE_ON_QUICK] if quick else []
    for section in sections:
        for table in section.tables:
            table.write_csv(folder)
        for picture in section.pictures:
            (folder / f"{picture.name}.png").write_bytes(picture.png)
    texts = [f"# {TITLE}", *notes, *(section.markdown() for section in sections)]
    (folder / "report.md").write_text("\n\n".join(texts) + "\n", encoding="utf-8")
    (folder / "index.html").write_text(html_page(TITLE, notes, sections), encoding="utf-8")
