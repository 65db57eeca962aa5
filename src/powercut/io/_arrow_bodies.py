"""What the compressed buffers of an Arrow file or stream expand to, found without expanding them.

Arrow allocates whatever size a buffer states. The sizes are in the body of each message, at places
that its metadata, a table of FlatBuffers, list. Wrong positions raise `struct.error`, or give a
wrong sum; Arrow then refuses the file.
"""

import os
import struct
from collections.abc import Iterator
from typing import Any, BinaryIO

from powercut.io._source import Limit

MAGIC = b"ARROW1"
CONTINUATION = b"\xff\xff\xff\xff"
# Numbers of fields in the tables of the format.
HEADER_TYPE, HEADER, BODY_LENGTH = 1, 2, 3  # Message
BUFFERS, COMPRESSION = 2, 3  # RecordBatch
DATA = 1  # DictionaryBatch
DICTIONARIES, BATCHES = 2, 3  # Footer
# Types of headers.
IS_DICTIONARY, IS_BATCH = 2, 3
# Bytes of the structures Block and Buffer.
BLOCK, BUFFER = 24, 16


def is_file(file: BinaryIO) -> bool:
    """Return whether this is an Arrow file, and not a stream."""
    start = file.tell()
    found = file.read(len(MAGIC)) == MAGIC
    file.seek(start)
    return found


def check_bodies(file: BinaryIO, limit: Limit) -> None:
    """Refuse a file or stream whose compressed buffers state too large a size in all."""
    start = file.tell()
    total = 0
    for at in _blocks(file) if is_file(file) else _messages(file, start):
        total += _expanded(file, at)
        limit.check(total, "the compressed columns")
    file.seek(start)


def _messages(file: BinaryIO, at: int) -> Iterator[int]:
    """Yield where the messages of a stream begin."""
    while True:
        metadata, body = _metadata(file, at)
        if not metadata:
            return
        yield at
        length = _field(metadata, _root(metadata), BODY_LENGTH)
        at = body + (0 if length is None else _unpack("<Q", metadata, length))


def _blocks(file: BinaryIO) -> Iterator[int]:
    """Yield where the messages in the footer of a file begin."""
    file.seek(-len(MAGIC) - 4, os.SEEK_END)
    size = _unpack("<I", file.read(4), 0)
    file.seek(-len(MAGIC) - 4 - size, os.SEEK_END)
    footer = file.read(size)
    for field in (DICTIONARIES, BATCHES):
        for at in _vector(footer, _field(footer, _root(footer), field), BLOCK):
            yield _unpack("<Q", footer, at)


def _expanded(file: BinaryIO, at: int) -> int:
    """Return the sum of the sizes that the compressed buffers of a message state."""
    metadata, body = _metadata(file, at)
    message = _root(metadata)
    kind, table = _field(metadata, message, HEADER_TYPE), _field(metadata, message, HEADER)
    if kind is None or table is None or metadata[kind] not in (IS_DICTIONARY, IS_BATCH):
        return 0
    batch = _target(metadata, table)
    if metadata[kind] == IS_DICTIONARY:
        data = _field(metadata, batch, DATA)
        if data is None:
            return 0
        batch = _target(metadata, data)
    if _field(metadata, batch, COMPRESSION) is None:
        return 0
    total = 0
    for buffer in _vector(metadata, _field(metadata, batch, BUFFERS), BUFFER):
        file.seek(body + _unpack("<Q", metadata, buffer))
        stated = file.read(8)
        # -1: this buffer is not compressed. Buffers without values have no bytes.
        total += max(0, _unpack("<q", stated, 0)) if len(stated) == 8 else 0
    return total


def _metadata(file: BinaryIO, at: int) -> tuple[bytes, int]:
    """Return the metadata of a message, empty at the end of a stream, and where its body begins."""
    file.seek(at)
    start = file.read(8)
    begin = 8 if start.startswith(CONTINUATION) else 4  # before release 0.15 of Arrow
    if len(start) < begin:
        return b"", at
    size = _unpack("<I", start, begin - 4)
    file.seek(at + begin)
    return file.read(size), at + begin + size


# FlatBuffers: a table begins with the distance to a list of the distances of its fields.


def _unpack(kind: str, data: bytes, at: int) -> Any:
    return struct.unpack_from(kind, data, at)[0]


def _target(data: bytes, at: int) -> int:
    """Return what the distance at a position leads to."""
    target: int = at + _unpack("<I", data, at)
    return target


def _root(data: bytes) -> int:
    return _target(data, 0)


def _field(data: bytes, table: int, number: int) -> int | None:
    """Return the position of a field of a table, None if it has its default."""
    fields = table - _unpack("<i", data, table)
    entry = 4 + 2 * number
    if entry >= _unpack("<H", data, fields):
        return None
    distance = _unpack("<H", data, fields + entry)
    return table + distance if distance else None


def _vector(data: bytes, field: int | None, size: int) -> range:
    """Return the positions of the elements of a vector of structures."""
    if field is None:
        return range(0)
    begin = _target(data, field) + 4
    return range(begin, begin + size * _unpack("<I", data, begin - 4), size)
