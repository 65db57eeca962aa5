"""HTML pages that need no other file: style, scripts and all figures are embedded.

Functions return fragments of HTML as strings. Text is escaped; captions, paragraphs and notes may
have ``**bold**`` and ```code``` as in Markdown.
"""

import json
import re
from base64 import b64encode
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.metadata import version
from importlib.resources import files
from typing import Any

__all__ = [
    "PageSection",
    "facts",
    "figure",
    "figure_grid",
    "inline",
    "json_data",
    "page",
    "paragraph",
    "script",
    "table",
]


@dataclass(frozen=True)
class PageSection:
    """A section of a page.

    Attributes
    ----------
    name : str
        Text of the link to the section in the header of the page.
    heading : str
    parts : sequence of str
        Fragments of HTML; empty ones are left out.
    """

    name: str
    heading: str
    parts: Sequence[str]

    @property
    def anchor(self) -> str:
        """Id of the section."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower())

    def html(self) -> str:
        """Return the section as HTML, or an empty string if it has no content."""
        content = "\n".join(filter(None, self.parts))
        if not content:
            return ""
        return (
            f'<section id="{self.anchor}">\n<h2>{escape(self.heading)}</h2>\n{content}\n</section>'
        )


def page(title: str, sections: Iterable[PageSection], *, notes: Sequence[str] = ()) -> str:
    """Return a page: title, notes and links in the header, then the sections with content."""
    shown = [(section, html) for section in sections if (html := section.html())]
    links = "\n".join(f'<a href="#{one.anchor}">{escape(one.name)}</a>' for one, _ in shown)
    style = _file("style.css")
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>",
            f"<header><div>\n<h1>{escape(title)}</h1>",
            *map(paragraph, notes),
            f"<nav>\n{links}\n</nav>\n</div></header>\n<main>",
            *(html for _, html in shown),
            f"</main>\n<footer>Made by powercut {version('powercut')}.</footer>",
            "</body>\n</html>\n",
        ]
    )


def inline(text: str) -> str:
    """Return text as HTML, with its code and bold parts marked up."""
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)


def paragraph(text: str) -> str:
    """Return a paragraph."""
    return f"<p>{inline(text)}</p>"


def facts(values: Mapping[str, str]) -> str:
    """Return names with their values, the values in large type."""
    cells = "\n".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in values.items()
    )
    return f'<dl class="facts">\n{cells}\n</dl>'


def table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    caption: str = "",
    numbers: Container[int] = (),
    marked: Collection[tuple[int, int]] = (),
) -> str:
    """Return a table, which scrolls sideways where the screen is too narrow.

    Parameters
    ----------
    header : sequence of str
        Names of the columns; if empty, the table has no header.
    rows : iterable of sequences of str
    caption : str, default=""
        Shown above the table.
    numbers : container of int
        Columns to align right.
    marked : collection of (row, column)
        Cells to highlight.
    """

    def cells(tag: str, values: Sequence[str], row: int | None = None) -> str:
        attributes = ' scope="col"' if row is None else ""
        found = []
        for column, value in enumerate(values):
            classes = ["number"] * (column in numbers) + ["marked"] * ((row, column) in marked)
            kind = f' class="{" ".join(classes)}"' if classes else ""
            found.append(f"<{tag}{attributes}{kind}>{_unbroken(value)}</{tag}>")
        return "".join(found)

    above = f"<caption>{inline(caption)}</caption>\n" if caption else ""
    head = f"<thead><tr>{cells('th', header)}</tr></thead>\n" if header else ""
    body = "\n".join(f"<tr>{cells('td', row, i)}</tr>" for i, row in enumerate(rows))
    return f'<div class="scroll"><table>\n{above}{head}<tbody>\n{body}\n</tbody>\n</table></div>'


def _unbroken(text: str) -> str:
    """Return text as HTML in which short hyphenated words, such as k-means, stay on one line."""
    return re.sub(
        r"\b[^\W\d]\w{0,12}-\w{1,12}\b", r'<span class="unbroken">\g<0></span>', escape(text)
    )


def figure(content: bytes, *, caption: str, media_type: str = "image/png") -> str:
    """Return an image, given as the bytes of its file, with a caption."""
    encoded = b64encode(content).decode("ascii")
    return (
        f'<figure><img src="data:{media_type};base64,{encoded}" alt="{escape(caption)}">'
        f"<figcaption>{inline(caption)}</figcaption></figure>"
    )


def figure_grid(*figures: str) -> str:
    """Return figures side by side, as many in a row as there is room for."""
    content = "\n".join(filter(None, figures))
    return f'<div class="figures">\n{content}\n</div>' if content else ""


def json_data(value: Any) -> str:
    """Return data for a script of the page.

    Only ``</script>`` and ``<!--`` mean anything inside of the element, and both begin with a
    character that JSON has in strings alone, where it may be written as its number.
    """
    content = json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", r"\u003c")
    return f'<script type="application/json">{content}</script>'


def script(name: str) -> str:
    """Return a script, given as the name of a file of this folder."""
    return f"<script>\n{_file(name)}</script>"


def _file(name: str) -> str:
    return files("powercut.report").joinpath(name).read_text(encoding="utf-8")
