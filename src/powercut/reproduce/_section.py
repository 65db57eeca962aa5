"""A section of the report: paragraphs, tables and pictures."""

import csv
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from powercut._atomic import atomic_open

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cell = str | int | float | None


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes
    ----------
    name : str
        Name of its file, without extension.
    caption : str
        One sentence.
    columns : sequence of str
    rows : sequence of rows
        Floats are shown with three decimals and stored in full; None is shown as a dash.
    marked : collection of (row, column)
        Cells to show in bold.
    """

    name: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    marked: Collection[tuple[int, int]] = frozenset()

    def formatted(self) -> list[list[str]]:
        """Return the cells as text."""
        return [[format_cell(cell) for cell in row] for row in self.rows]

    def write_csv(self, folder: Path) -> None:
        """Write the table to NAME.csv, numbers in full precision."""
        path = folder / f"{self.name}.csv"
        with atomic_open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            writer.writerows(["" if cell is None else cell for cell in row] for row in self.rows)

    def markdown(self) -> str:
        """Return the table as Markdown, below its caption."""
        lines = [self.columns, ["---"] * len(self.columns)]
        for i, row in enumerate(self.formatted()):
            lines.append(
                [f"**{cell}**" if (i, j) in self.marked else cell for j, cell in enumerate(row)]
            )
        return f"{self.caption}\n\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines)


@dataclass(frozen=True)
class Picture:
    """A picture: the name of its file without extension, a caption, and the bytes of the PNG."""

    name: str
    caption: str
    png: bytes

    @classmethod
    def of(cls, figure: "Figure", name: str, caption: str, *, dpi: int = 120) -> "Picture":
        """Render a matplotlib figure."""
        file = BytesIO()
        figure.savefig(file, format="png", dpi=dpi, bbox_inches="tight")
        return cls(name, caption, file.getvalue())

    def markdown(self) -> str:
        """Return a reference to the file, and the caption."""
        return f"![{self.caption}]({self.name}.png)\n\n{self.caption}"


@dataclass(frozen=True)
class Section:
    """The results of one part of the reproduction.

    Attributes
    ----------
    name : str
        Name of the part, such as ``table1``.
    title : str
    parts : sequence of str, Table or Picture
        In reading order. A str is a paragraph, with ``**bold**`` and ```code``` as in Markdown.
    """

    name: str
    title: str
    parts: Sequence[str | Table | Picture]

    @property
    def tables(self) -> list[Table]:
        """Tables of the section."""
        return [part for part in self.parts if isinstance(part, Table)]

    @property
    def pictures(self) -> list[Picture]:
        """Pictures of the section."""
        return [part for part in self.parts if isinstance(part, Picture)]

    def markdown(self) -> str:
        """Return the section as Markdown."""
        parts = [part if isinstance(part, str) else part.markdown() for part in self.parts]
        return "\n\n".join([f"## {self.title}", *parts])


def format_cell(cell: Cell) -> str:
    """Return a cell as text."""
    if cell is None:
        return "–"  # noqa: RUF001
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)
