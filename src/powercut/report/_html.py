"""The few pieces of HTML that a report is made of."""

import base64
import io
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from html import escape

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

__all__ = ["escape", "facts", "picture", "section", "table"]


def section(heading: str, *parts: str) -> str:
    """Return a section of the page, or nothing where it has no content."""
    content = "\n".join(filter(None, parts))
    if not content:
        return ""
    return f"<section>\n<h2>{escape(heading)}</h2>\n{content}\n</section>"


def facts(values: Mapping[str, str]) -> str:
    """Return names with their values, the values in large type."""
    cells = "\n".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in values.items()
    )
    return f'<dl class="facts">\n{cells}\n</dl>'


def table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Container[int] = ()
) -> str:
    """Return a table, without a header if there is none; `numbers` are columns to align right."""

    def cells(opening: str, closing: str, values: Sequence[str]) -> str:
        kinds = [' class="number"' if i in numbers else "" for i in range(len(values))]
        pairs = zip(kinds, values, strict=True)
        return "".join(f"{opening}{kind}>{escape(value)}{closing}" for kind, value in pairs)

    column = '<th scope="col"'
    head = f"<thead><tr>{cells(column, '</th>', header)}</tr></thead>\n"
    body = "\n".join(f"<tr>{cells('<td', '</td>', row)}</tr>" for row in rows)
    content = f"{head if header else ''}<tbody>\n{body}\n</tbody>"
    return f'<div class="wide"><table>\n{content}\n</table></div>'


def picture(draw: Callable[[Axes], object], *, caption: str, size: tuple[float, float]) -> str:
    """Return what `draw` draws, as a picture inside the page; the caption says what is seen."""
    figure = Figure(figsize=size, layout="constrained")
    draw(figure.subplots())
    file = io.BytesIO()
    # Names inside the file are made from the salt: equal pictures are equal files.
    with mpl.rc_context({"svg.hashsalt": "powercut", "svg.fonttype": "path"}):
        figure.savefig(file, format="svg", dpi=200, metadata={"Date": None})
    encoded = base64.b64encode(file.getvalue()).decode("ascii")
    return (
        f'<figure><img src="data:image/svg+xml;base64,{encoded}" alt="{escape(caption)}">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )
