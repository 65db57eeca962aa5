"""Text in lines with fields, which may be quoted as in CSV.

A field that begins with a quote ends at the next quote that is not doubled, and may contain
delimiters and line ends. Other quotes are characters like any other. Empty lines and comments,
which begin with # or %, are skipped. Text is UTF-8 in bytes: decoding every field takes long.
"""

import io
import re
from collections.abc import Iterator

# Between fields. Without any of them in a line, fields are separated by blanks and not quoted.
DELIMITERS = (b"\t", b",", b";")
_ANY = b"".join(DELIMITERS)
# First characters of comments.
COMMENT = b"#%"
# A quoted field, whose end may be missing. This and what follows is possessive, so that a search
# takes linear time.
_QUOTED = rb'"(?:[^"]++|"")*+"?+'
_QUOTED_FIELD = re.compile(rb"(^|[" + _ANY + rb"]) *+" + _QUOTED)
_COMMENTS = re.compile(rb"(?:[ \t\r]*+(?:[#%][^\n]*+)?+\n)*+")


def _record_with(delimiters: bytes) -> re.Pattern[bytes]:
    quoted = rb"(?: *+" + _QUOTED + rb")?+"
    rest = rb"[^\n" + delimiters + rb"]++|[" + delimiters + rb"]" + quoted
    return re.compile(quoted + rb"(?:" + rest + rb")*+")


_RECORD = {delimiters: _record_with(delimiters) for delimiters in (*DELIMITERS, _ANY)}


class FieldError(ValueError):
    """A field with a quote in the wrong place; its only argument is the column, from 1."""


def next_record(text: bytes | bytearray, at: int) -> tuple[int, int]:
    """Return where the next record begins and ends, in text whose delimiter is not known."""
    comments = _COMMENTS.match(text, at)
    begin = comments.end() if comments else at
    record = _RECORD[_ANY].match(text, begin)
    return begin, record.end() if record else begin


def without_quoted(record: bytes) -> bytes:
    """Return a record with quoted fields made empty."""
    return _QUOTED_FIELD.sub(rb"\1", record)


def records(text: bytes, delimiter: bytes) -> Iterator[tuple[int, bytes]]:
    r"""Yield the number of its first line, and the text, of each record.

    Parameters
    ----------
    text : bytes
        Lines that end in ``\n`` or ``\r\n``, and in no other way.
    delimiter : bytes
        A delimiter, or ``b""`` for blanks.
    """
    if not delimiter or b'"' not in text:
        for line, record in enumerate(io.BytesIO(text), start=1):
            start = record.lstrip()
            if start and start[0] not in COMMENT:
                yield line, record
        return
    at, line = 0, 1
    while at < len(text):
        end = text.find(b"\n", at)
        end = len(text) if end < 0 else end
        start = text[at:end].lstrip()
        if start and start[0] not in COMMENT:
            match = _RECORD[delimiter].match(text, at)
            end = match.end() if match else end
            yield line, text[at:end]
        line += 1 + text.count(b"\n", at, end)
        at = end + 1


def fields(record: bytes, delimiter: bytes) -> list[bytes | None]:
    """Return the fields of a record without quotes and outer blanks; None for those without text.

    Raises
    ------
    FieldError
        If a quote is not closed, or if text follows a closing quote.
    """
    if not delimiter:
        return list(record.split())
    if b'"' not in record:
        return [field.strip() or None for field in record.split(delimiter)]
    record = record.rstrip(b"\r\n")
    blanks = rb"[ ]*+" if delimiter == b"\t" else rb"[ \t]*+"
    quoted = re.compile(blanks + rb'"((?:[^"]++|"")*+)"' + blanks + rb"(?=" + delimiter + rb"|\Z)")
    found: list[bytes | None] = []
    at = 0
    while True:
        if match := quoted.match(record, at):
            found.append(match[1].replace(b'""', b'"'))
            end = match.end()
        else:
            end = record.find(delimiter, at)
            end = len(record) if end < 0 else end
            field = record[at:end].strip()
            if field.startswith(b'"'):
                raise FieldError(at + 1 + record[at:end].index(b'"'))
            found.append(field or None)
        if end == len(record):
            return found
        at = end + 1
