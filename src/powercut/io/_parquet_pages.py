"""What the pages of a Parquet file expand to, found without expanding them.

Arrow allocates whatever size the header of a page states, up to 2 GiB. Headers are structures of
the compact protocol of Thrift. Wrong bytes raise `ValueError`, or give a wrong sum; Arrow then
refuses the file.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO

from powercut.io._source import Limit

# Numbers of fields in the header of a page.
UNCOMPRESSED_SIZE, COMPRESSED_SIZE = 2, 3
# Types of Thrift in such headers.
BOOLEANS, INTEGERS, BINARY, STRUCT = (1, 2), (4, 5, 6), 8, 12
# Headers are short, unless they have long texts as statistics of their page.
HEADER_SIZES = (1 << 8, 1 << 16)
# Bytes counted for a page at least, so that there is a limit of their number.
PAGE = 1 << 10
MOST_NESTED = 4


def check_pages(file: BinaryIO, metadata: Any, limit: Limit) -> None:
    """Refuse a file whose pages state too large a size in all."""
    before = file.tell()
    total = 0
    for begin, end in _chunks(metadata):
        at = begin
        while at < end:
            size, sizes = _header(file, at)
            total += max(PAGE, sizes.get(UNCOMPRESSED_SIZE, 0))
            limit.check(total, "the pages")
            at += size + max(0, sizes.get(COMPRESSED_SIZE, 0))
    file.seek(before)


def _chunks(metadata: Any) -> Iterator[tuple[int, int]]:
    """Yield where the pages of each column begin and end, as Arrow finds them."""
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        for number in range(row_group.num_columns):
            column = row_group.column(number)
            start = column.data_page_offset
            if column.has_dictionary_page and column.dictionary_page_offset:
                start = min(start, column.dictionary_page_offset)
            yield start, start + column.total_compressed_size


def _header(file: BinaryIO, at: int) -> tuple[int, dict[int, int]]:
    """Return the size of the header of a page, and the integers in it by their numbers."""
    for size in HEADER_SIZES:
        file.seek(at)
        with suppress(IndexError):  # the header is longer
            header = _Struct(file.read(size))
            return header.size, header.integers
    raise ValueError("the header of a page is damaged")


class _Struct:
    """A structure of Thrift at a position in some bytes: its integers, and where it ends."""

    def __init__(self, data: bytes, at: int = 0, depth: int = 0) -> None:
        self._data, self.size = data, at
        self.integers: dict[int, int] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            if kind in INTEGERS:
                self.integers[number] = self._integer()
            elif kind == BINARY:
                length = self._unsigned()
                self.size += length
            elif kind == STRUCT and depth < MOST_NESTED:
                self.size = _Struct(data, self.size, depth + 1).size
            elif kind not in BOOLEANS:
                raise ValueError("the header of a page has a field of an unknown type")

    def _byte(self) -> int:
        byte = self._data[self.size]
        self.size += 1
        return byte

    def _unsigned(self) -> int:
        value = shift = 0
        while (byte := self._byte()) >= 128:
            value |= (byte & 127) << shift
            shift += 7
        return value | byte << shift

    def _integer(self) -> int:
        """Read a signed integer: 0, -1, 1, -2, ... are stored as 0, 1, 2, 3, ..."""
        value = self._unsigned()
        return value >> 1 if value % 2 == 0 else -(value + 1 >> 1)
