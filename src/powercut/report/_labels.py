"""The table of all labels of a report: searched and sorted by a script in the page.

Without scripts, and on paper, it shows the least certain labels.
"""

import numpy as np

from powercut.report import _html
from powercut.report._subject import Subject
from powercut.report._tables import nats

# More rows than this are not listed: the page would be too large to open and to send.
MOST_ROWS = 100_000
# Rows that are shown at first.
N_ROWS = 20
# Hidden until the script is there to answer.
SEARCH = """<form hidden>
<label>Name <input type="search" name="name" autocomplete="off" spellcheck="false"></label>
<label>Cluster <input type="number" name="cluster" min="0"></label>
</form>"""


def label_table(subject: Subject) -> str:
    """Return the least certain labels as a table, and all of them for the script to show."""
    labels, kind = subject.model.labels_, subject.kind
    margins = np.round(subject.model.margins_, 1) + 0.0  # no -0.0
    first = np.argsort(margins, kind="stable")[:N_ROWS]
    rows = [
        (subject.name(row), "outlier" if labels[row] < 0 else f"{labels[row]}", nats(margins[row]))
        for row in map(int, first)
    ]
    table = _html.table((kind[:-1], "cluster", "margin (nats)"), rows, numbers=(1, 2))
    count = f"Showing {len(rows)} of {subject.n:,} {kind}, the least certain first."
    if subject.n > MOST_ROWS:
        count += f" A page lists up to {MOST_ROWS:,}: `labels_` of the model has all."
        return f'<div class="labels">\n{_html.paragraph(count)}\n{table}\n</div>'
    data = {
        "kind": kind,
        "names": None if subject.names is None else [str(name) for name in subject.names],
        "labels": labels.tolist(),
        "margins": [value if np.isfinite(value) else None for value in margins.tolist()],
    }
    return (
        f'<div class="labels">\n{SEARCH}\n<p role="status">{count}</p>\n{table}\n'
        f'<button type="button" class="more" hidden>Show more</button>\n'
        f"{_html.json_data(data)}\n{_html.script('labels.js')}\n</div>"
    )
