"""Edge lists in text: two ends and optionally a weight per line; also those of SNAP."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut.io._named import NamedGraph, Options, graph_of_edges
from powercut.io._source import Source, chunks, fail, opened

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
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# The first edge must be within this many bytes.
LONGEST_START = 1 << 24


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
    with opened(source) as file:
        rest = chunks(file, source)
        start = _start(rest, source)
        lines = sniff(start, source, options)
        edges = _core.EdgeList(lines.names, lines.weighted)
        text = _core.EdgeListReader(edges, lines.delimiter, lines.n_columns, lines.header)
        try:
            for chunk in chain([np.frombuffer(start, dtype=np.uint8)], rest):
                text.feed(chunk)
            text.finish()
        except _core.BadText as error:
            fail(source, f"{error}{_remedy(str(error))}")
        except _core.TooManyNodes as error:
            fail(source, error)
    n_edges = edges.size
    if n_edges == 0:
        fail(source, "there are no edges")
    named = graph_of_edges(edges, source, options)
    if counts != "unchecked":
        _check_counts(start, named.graph.n_nodes, n_edges, source, needed=counts == "needed")
    return named


def _start(parts: Iterator[Chunk], source: Source) -> bytes:
    """Return the first chunks, up to the second edge."""
    start = b""
    for part in parts:
        start += part.tobytes()
        if len(_data_lines(start)) >= 2:
            break
        if len(start) > LONGEST_START:
            fail(source, f"there is no edge in the first {LONGEST_START >> 20} megabytes")
    return start.replace(BYTE_ORDER_MARK, b"", 1) if start.startswith(BYTE_ORDER_MARK) else start


def _data_lines(start: bytes, n: int = 2) -> list[str]:
    """Return the first lines that are not comments."""
    found: list[str] = []
    for line in re.finditer(rb"[^\n]+", start):
        text = line.group().decode("latin-1").strip(" \t\r")
        if text and text[0] not in "#%":
            found.append(text)
            if len(found) == n:
                break
    return found


def sniff(start: bytes, source: Source, options: Options) -> Lines:
    """Return the layout of lines, from the options and the first two lines with data."""
    lines = _data_lines(start)
    if not lines:
        fail(source, "there are no edges")
    delimiter = _delimiter(lines[0])
    rows = [_fields(line, delimiter) for line in lines]
    header = _has_header(rows, options) if options.header is None else options.header
    sample = rows[1] if header and len(rows) > 1 else rows[0]
    if len(sample) < 2:
        fail(
            source,
            f"the first edge is {lines[0][:40]!r}: two columns are needed, separated by spaces, "
            "a tab, a comma or a semicolon",
        )
    names = not _are_ids(sample) if options.ids == "auto" else options.ids == "names"
    weighted = len(sample) > 2 if options.weighted is None else options.weighted
    if options.weighted is None and (len(sample) > 3 or (weighted and not _is_number(sample[2]))):
        fail(
            source,
            f"the first edge has {len(sample)} columns, {sample[:6]}: pass weighted=True to read "
            "the third as the weight, or weighted=False to read only the first two",
        )
    if weighted and len(sample) < 3:
        fail(source, "the first edge has two columns; the weight in the third is missing")
    return Lines(delimiter, len(sample), header, names, weighted)


def _delimiter(line: str) -> str:
    bare = re.sub(r'"[^"]*"', "", line)
    # Names between tabs may contain commas; numbers between commas may have blanks beside them.
    if "\t" in bare and not re.search(r"[,;][ \t]|[ \t][,;]", bare):
        # Numbers are separated by any blanks; names may contain spaces.
        return "" if all(map(_is_number, _fields(line, ""))) else "\t"
    return next((delimiter for delimiter in ",;" if delimiter in bare), "")


def _fields(line: str, delimiter: str) -> list[str]:
    if not delimiter:
        return re.split("[ \t]+", line)  # unlike str.split, only at spaces and tabs
    if line.count('"') % 2:
        return line.split(delimiter)  # an unclosed quote, which is reported when edges are read
    # Delimiters inside quotes do not count.
    parts = re.split(rf'{delimiter}(?=(?:[^"]*"[^"]*")*[^"]*$)', line)
    return [part.strip(" \t") for part in parts]


def _has_header(rows: list[list[str]], options: Options) -> bool:
    first, second = rows[0], rows[-1]
    if options.ids != "names" and _are_ids(second) and not _are_ids(first):
        return True
    if len(first) > 2 and len(second) > 2 and _is_number(second[2]) and not _is_number(first[2]):
        return True
    return tuple(field.strip('"').lower() for field in first[:2]) in HEADINGS


def _are_ids(fields: list[str]) -> bool:
    ends = fields[:2]
    return len(ends) == 2 and all(re.fullmatch(r'"?-?[0-9]+"?', end) for end in ends)


def _is_number(field: str) -> bool:
    try:
        float(field.strip('"'))
    except ValueError:
        return False
    return True


def _remedy(message: str) -> str:
    if "is not a whole number" in message:
        return '; pass ids="names" if nodes have names'
    return ""


def _check_counts(start: bytes, n_nodes: int, n_edges: int, source: Any, *, needed: bool) -> None:
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
