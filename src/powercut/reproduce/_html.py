"""Sections as one page of HTML that needs no other file."""

import re
from base64 import b64encode
from collections.abc import Sequence
from html import escape

from powercut.reproduce._section import Picture, Section, Table

STYLE = """
:root { --ink: #1d2433; --soft: #5b6577; --line: #dfe3ea; --paper: #ffffff; --back: #f4f6f9;
        --accent: #0b6e99; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink);
       font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
header { background: #14324a; color: #fff; padding: 2.2rem 1.5rem 1.6rem; }
header > div, main { max-width: 62rem; margin: 0 auto; }
h1 { margin: 0; font-size: 1.9rem; line-height: 1.2; }
header p { margin: .5rem 0 0; color: #cfdde8; }
nav { margin-top: 1rem; display: flex; flex-wrap: wrap; gap: .5rem; }
nav a { color: #fff; text-decoration: none; border: 1px solid #4d6f8a; border-radius: 1rem;
        padding: .1rem .8rem; font-size: .9rem; }
nav a:hover { background: #23506f; }
main { padding: 1.2rem 1rem 3rem; }
section { background: var(--paper); border: 1px solid var(--line); border-radius: .6rem;
          padding: 1.2rem 1.6rem 1.6rem; margin: 1.2rem 0; }
h2 { margin: .2rem 0 .8rem; font-size: 1.35rem; }
p { margin: .6rem 0; max-width: 48rem; }
code { background: var(--back); border-radius: .25rem; padding: .05rem .3rem; font-size: .9em; }
.table { overflow-x: auto; margin: 1.2rem 0; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
caption { caption-side: top; text-align: left; color: var(--soft); padding-bottom: .4rem; }
th, td { padding: .28rem .8rem; border-bottom: 1px solid var(--line); text-align: right; }
th { border-bottom: 2px solid var(--ink); font-weight: 600; vertical-align: bottom; }
th.text, td.text { text-align: left; }
td.marked { font-weight: 700; color: var(--accent); }
tbody tr:hover { background: #f7fafc; }
figure { margin: 1.4rem 0; }
figure img { max-width: 100%; height: auto; display: block; }
figcaption { color: var(--soft); font-size: .92rem; margin-top: .4rem; max-width: 48rem; }
"""


def html_page(title: str, notes: Sequence[str], sections: Sequence[Section]) -> str:
    """Return the page."""
    links = "".join(f'<a href="#{escape(s.name)}">{escape(s.name)}</a>' for s in sections)
    notes_html = "".join(f"<p>{inline(note)}</p>" for note in notes)
    body = "\n".join(_section(section) for section in sections)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<header><div><h1>{escape(title)}</h1>{notes_html}<nav>{links}</nav></div></header>\n"
        f"<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def inline(text: str) -> str:
    """Return a paragraph as HTML, its code and its bold parts marked."""
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)


def _section(section: Section) -> str:
    parts = [f'<section id="{escape(section.name)}">', f"<h2>{escape(section.title)}</h2>"]
    for part in section.parts:
        if isinstance(part, Table):
            parts.append(_table(part))
        elif isinstance(part, Picture):
            parts.append(_picture(part))
        else:
            parts.append(f"<p>{inline(part)}</p>")
    return "\n".join([*parts, "</section>"])


def _table(table: Table) -> str:
    shown = table.shown()
    # A column of words is set to the left, one of numbers to the right.
    of_text = [
        all(isinstance(row[j], str) for row in table.rows) for j in range(len(table.columns))
    ]
    head = "".join(
        f"<th{_classes(text, False)}>{escape(name)}</th>"
        for name, text in zip(table.columns, of_text, strict=True)
    )
    rows = []
    for i, row in enumerate(shown):
        cells = "".join(
            f"<td{_classes(of_text[j], (i, j) in table.marked)}>{escape(cell)}</td>"
            for j, cell in enumerate(row)
        )
        rows.append(f"<tr>{cells}</tr>")
    return (
        f'<div class="table"><table><caption>{inline(table.caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _classes(text: bool, marked: bool) -> str:
    names = " ".join(name for name, holds in (("text", text), ("marked", marked)) if holds)
    return f' class="{names}"' if names else ""


def _picture(picture: Picture) -> str:
    data = b64encode(picture.png).decode()
    return (
        f'<figure><img alt="{escape(picture.caption)}" src="data:image/png;base64,{data}">'
        f"<figcaption>{inline(picture.caption)}</figcaption></figure>"
    )
