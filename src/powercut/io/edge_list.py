"""Edge lists in text: two ends and optionally a weight per line; also those of SNAP."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut.io._errors import fail
from powercut.io._named import NamedGraph, Options, graph_of_edges
from powercut.io._records import COMMENT, FieldError, fields, next_record, without_quoted
from powercut.io._source import BYTE_ORDER_MARK, Source, opened

Chunk = npt.NDArray[np.uint8]

# Known names of the two columns of ends, in lower case.
HEADINGS = {
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("node1", "node2"),
    ("node_1", "node_2"),
    ("id1", "id2"),
    ("id_1", "id_2"),
    ("source_id", "target_id"),
    ("fromnodeid", "tonodeid"),
}
# Header of SNAP files.
SNAP = re.compile(rb"^# ?Nodes: *(\d+) +Edges: *(\d+)", re.MULTILINE)
# The first edge must be within this many bytes.
LONGEST_START = 1 << 24
# As in the native reader.
LONGEST_RECORD = 1 << 20


@dataclass(frozen=True)
class Lines:
    """Layout of the lines of a file."""

    delimiter: str
    n_columns: int
    header: bool
    names: bool
    weighted: bool


def read(source: Source, options: Options) -> NamedGraph:
    """Read an edge list."""
    return _read(source, options, counts="unchecked")


def read_text(source: Source, options: Options) -> NamedGraph:
    """Read an edge list, and check the counts in a SNAP header if there is one."""
    return _read(source, options, counts="checked")


def read_snap(source: Source, options: Options) -> NamedGraph:
    """Read a SNAP edge list, whose header must state the numbers of nodes and edges."""
    return _read(source, options, counts="needed")


def _read(source: Source, options: Options, *, counts: str) -> NamedGraph:
    with opened(source, options.max_bytes) as file:
        rest = file.chunks()
        start, first = _start(rest, source)
        lines = sniff(first, source, options)
        edges = _core.EdgeList(lines.names, lines.weighted)
        text = _core.EdgeListReader(edges, lines.delimiter, lines.n_columns, lines.header)
        try:
            for chunk in chain([np.frombuffer(start, dtype=np.uint8)], rest):
                text.feed(chunk)
            text.finish()
        except _core.BadText as error:
            message, line, column = error.args
            fail(source, f"{message}{_remedy(message)}", line=line, column=column)
    n_edges = edges.size
    if n_edges == 0:
        fail(source, "there are no edges")
    named = graph_of_edges(edges, source, options)
    if counts != "unchecked":
        _check_counts(start, named.graph.n_nodes, n_edges, source, needed=counts == "needed")
    return named


def _start(parts: Iterator[Chunk], source: Source) -> tuple[bytearray, list[bytes]]:
    """Return the first chunks, up to the second edge, and the first two records in them."""
    start = bytearray()
    found: list[bytes] = []
    at = 0  # everything before has been searched
    for part in parts:
        start += part.tobytes()
        if not at and start.startswith(BYTE_ORDER_MARK):
            del start[: len(BYTE_ORDER_MARK)]
        while len(found) < 2:
            at, end = next_record(start, at)
            if end == len(start):  # the record may go on in the next part
                break
            found.append(bytes(start[at:end]))
            at = end + 1
        if len(found) == 2:
            return start, found
        if len(start) - at > LONGEST_RECORD:
            message = f"the line does not end within {LONGEST_RECORD} bytes, and cannot be an edge"
            fail(source, message, line=start.count(b"\n", 0, at) + 1, column=1)
        if len(start) > LONGEST_START:
            fail(source, f"there is no edge in the first {LONGEST_START >> 20} megabytes")
    last = bytes(start[at:]).strip(b" \t\r\n")
    return start, found if not last or last[0] in COMMENT else [*found, last]


def sniff(first: list[bytes], source: Source, options: Options) -> Lines:
    """Return the layout of lines, from the options and the first two records."""
    if not first:
        fail(source, "there are no edges")
    delimiter = delimiter_of(first[0])
    rows = [_fields(line, delimiter) for line in first]
    header = looks_like_header(rows, options.ids) if options.header is None else options.header
    sample = rows[1] if header and len(rows) > 1 else rows[0]
    if len(sample) < 2:
        shown = first[0][:40].decode(errors="replace")
        fail(
            source,
            f"the first edge is {shown!r}: two columns are needed, separated by spaces, a tab, a "
            "comma or a semicolon",
        )
    names = not _are_ids(sample) if options.ids == "auto" else options.ids == "names"
    weighted = len(sample) > 2 if options.weighted is None else options.weighted
    if options.weighted is None and (len(sample) > 3 or (weighted and not _is_number(sample[2]))):
        columns = [field[:40] for field in sample[:6]]
        fail(
            source,
            f"the first edge has {len(sample)} columns, {columns}: pass weighted=True to read "
            "the third as the weight, or weighted=False to read only the first two",
        )
    if weighted and len(sample) < 3:
        fail(source, "the first edge has two columns; the weight in the third is missing")
    return Lines(delimiter.decode(), len(sample), header, names, weighted)


def delimiter_of(line: bytes) -> bytes:
    """Return the delimiter of a line; ``b""`` for blanks."""
    bare = without_quoted(line)
    # Names between tabs may contain commas; numbers between commas may have blanks beside them.
    if b"\t" in bare and not re.search(rb"[,;][ \t]|[ \t][,;]", bare):
        # Numbers are separated by any blanks; names may contain spaces.
        return b"" if bare == line and all(map(_is_number, _fields(line, b""))) else b"\t"
    return next((delimiter for delimiter in (b",", b";") if delimiter in bare), b"")


def _fields(line: bytes, delimiter: bytes) -> list[str]:
    try:
        found = fields(line, delimiter)
    except FieldError:  # which is reported when edges are read
        found = [*line.split(delimiter)]
    return [(field or b"").decode(errors="replace") for field in found]


def looks_like_header(rows: list[list[str]], ids: str = "auto") -> bool:
    """Return whether the first of two rows is read as a header, unless an option decides."""
    first, second = rows[0], rows[-1]
    if ids != "names" and _are_ids(second) and not _are_ids(first):
        return True
    if len(first) > 2 and len(second) > 2 and _is_number(second[2]) and not _is_number(first[2]):
        return True
    return tuple(field.lower() for field in first[:2]) in HEADINGS


def _are_ids(fields: list[str]) -> bool:
    ends = fields[:2]
    return len(ends) == 2 and all(re.fullmatch("-?[0-9]+", end) for end in ends)


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _remedy(message: str) -> str:
    if "is not a whole number" in message:
        return '; pass ids="names" if nodes have names'
    return ""


def _check_counts(
    start: bytearray, n_nodes: int, n_edges: int, source: Any, *, needed: bool
) -> None:
    stated = SNAP.search(start)
    if stated is None:
        if needed:
            fail(source, 'there is no SNAP header "# Nodes: ... Edges: ..." above the edges')
        return
    nodes, edges = map(int, stated.groups())
    if n_edges != edges or n_nodes > nodes:
        fail(
            source,
            f"there are {n_edges} edges between {n_nodes} nodes, but the header states {edges} and "
            f'{nodes}: the file may be truncated; pass format="edges" to skip this check',
        )
