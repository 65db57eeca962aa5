"""Changes of a graph in text: edges and nodes that come, marked by +, and that go, by -."""

import math
import re
from typing import Any

import numpy as np

from powercut._typing import Array
from powercut._validation import check_choice
from powercut.io._errors import fail, file_errors
from powercut.io._named import as_names
from powercut.io._records import FieldError, fields, next_record, records
from powercut.io._source import Source, check_arguments, opened
from powercut.io.edge_list import delimiter_of

INTEGER = re.compile(b"-?[0-9]+")
IDS = ("auto", "numbers", "names")


def read_changes(
    source: Source, *, ids: str = "auto", max_bytes: int | None = None
) -> dict[str, Any]:
    r"""Read the changes of a graph, as the arguments of `powercut.PowerLawCut.update`.

    Each line begins with + or -, in a column of its own. It is followed by the two ends of an edge,
    or by a single node: one that comes without edges, or goes with all of its edges. Edges that
    come may have a weight, all or none of them. Columns are separated as in an edge list, names may
    be quoted, lines that begin with # or % are comments, and the file may be compressed; see
    `read_graph`.

    Parameters
    ----------
    source : path or binary file
        Where to read.
    ids : {"auto", "numbers", "names"}, default="auto"
        Type of the nodes: 64-bit integers, or names. ``"auto"`` decides by the first line.
    max_bytes : int, optional
        Most bytes that the content may take, as in `read_graph`.

    Returns
    -------
    dict
        ``added``, ``removed``, ``added_nodes`` and ``removed_nodes``; None for those without lines.

    Raises
    ------
    FileError
        If the content is invalid, or over the limit. An empty file may be one that is not written
        yet; a comment says that nothing has changed.

    Examples
    --------
    >>> import io
    >>> from powercut.io import read_changes
    >>> changes = read_changes(io.BytesIO(b"+ ann bob\n- bob carl\n- dave\n"))
    >>> changes["added"]
    (array(['ann'], dtype=object), array(['bob'], dtype=object))
    >>> changes["removed_nodes"]
    array(['dave'], dtype=object)
    """
    check_choice("ids", ids, IDS)
    check_arguments(source, max_bytes)
    with file_errors(source, "changes"), opened(source, max_bytes) as file:
        text = file.utf8()
        if not text:
            fail(source, "the file is empty; a comment, # nothing, says that nothing has changed")
        begin, end = next_record(text, 0)
        lines = _Lines(source, delimiter_of(text[begin:end]), ids)
        for line, record in records(text, lines.delimiter):
            lines.append(line, record)
        return lines.changes()


class _Lines:
    """The lines read so far, by kind."""

    def __init__(self, source: Source, delimiter: bytes, ids: str) -> None:
        self._source, self.delimiter = source, delimiter
        self._names = None if ids == "auto" else ids == "names"
        self._edges: dict[bytes, tuple[list[Any], list[Any]]] = {b"+": ([], []), b"-": ([], [])}
        self._nodes: dict[bytes, list[Any]] = {b"+": [], b"-": []}
        self._weights: list[float] = []

    def append(self, line: int, record: bytes) -> None:
        try:
            sign, *found = fields(record, self.delimiter)
        except FieldError as error:
            message = "the quote is not closed, or followed by more text; quotes in it are doubled"
            fail(self._source, message, line=line, column=error.args[0])
        if sign is None or sign not in self._edges:
            shown = record.strip()[:40].decode(errors="replace")
            message = f"{shown!r} does not begin with + or -, followed by a space, tab or comma"
            fail(self._source, message, line=line)
        cells = [cell for cell in found if cell is not None]
        if not cells or len(cells) < len(found) or len(cells) > (3 if sign == b"+" else 2):
            fail(
                self._source,
                f"there are {len(found)} columns after the {sign.decode()}: one or two nodes are "
                "expected, and a weight only for an edge that comes",
                line=line,
            )
        ids = [self._id(cell, line) for cell in cells[:2]]
        if len(ids) == 1:
            self._nodes[sign] += ids
            return
        if sign == b"+":
            self._weigh(cells[2:], line)
        for ends, one in zip(self._edges[sign], ids, strict=True):
            ends.append(one)

    def _id(self, cell: bytes, line: int) -> Any:
        if self._names is None:
            self._names = INTEGER.fullmatch(cell) is None
        if self._names:
            return cell.decode()
        number = int(cell) if INTEGER.fullmatch(cell) and len(cell) < 21 else 2**63
        if not -(2**63) <= number < 2**63:
            shown = cell[:40].decode(errors="replace")
            message = f"the id {shown!r} is not a whole number of 64 bits"
            fail(self._source, f'{message}; pass ids="names" if nodes have names', line=line)
        return number

    def _weigh(self, cells: list[bytes], line: int) -> None:
        """Append the weight of an edge that comes, if it has one as the edges before have."""
        others = len(self._edges[b"+"][0])
        if others and bool(cells) != bool(self._weights):
            message = "some edges that come have a weight, and others have none"
            fail(self._source, message, line=line)
        for cell in cells:
            try:
                weight = math.nan if b"_" in cell else float(cell)
            except ValueError:
                weight = math.nan
            if not 0 <= weight < math.inf:
                shown = cell[:40].decode(errors="replace")
                message = f"the weight {shown!r} is not a finite number that is not negative"
                fail(self._source, message, line=line)
            self._weights.append(weight)

    def changes(self) -> dict[str, Any]:
        """Return the arguments of `PowerLawCut.update`."""
        added, removed = (
            tuple(map(self._array, self._edges[sign])) if self._edges[sign][0] else None
            for sign in (b"+", b"-")
        )
        if added is not None and self._weights:
            added = (*added, np.array(self._weights))
        came, gone = (
            self._array(self._nodes[sign]) if self._nodes[sign] else None for sign in (b"+", b"-")
        )
        return {"added": added, "removed": removed, "added_nodes": came, "removed_nodes": gone}

    def _array(self, ids: list[Any]) -> Array:
        return as_names(ids) if self._names else np.array(ids, dtype=np.int64)
