"""What the pages of a Parquet file expand to, found without expanding them.

Arrow allocates whatever size the header of a page states, up to 2 GiB. Where the pages are, the
footer says; pyarrow's view of it would end the process where the statistics of a column are wrong.
Wrong bytes raise `ValueError`, or give a wrong sum; Arrow then refuses the file.
"""

from collections.abc import Iterator
from contextlib import suppress
from os import SEEK_END
from typing import BinaryIO

from powercut.io._source import Limit
from powercut.io._thrift import INT32, INT64, STRUCT, Struct

# Numbers of fields: of the file, of a group of rows, of a column, of what it says of itself.
ROW_GROUPS, COLUMNS, COLUMN = 4, 1, 3
COMPRESSED_TOTAL, FIRST_PAGE, DICTIONARY_PAGE = 7, 9, 11
# And in the header of a page.
UNCOMPRESSED_SIZE, COMPRESSED_SIZE = 2, 3
# Headers are short, unless they have long texts as statistics of their page.
HEADER_SIZES = (1 << 8, 1 << 16)
# Bytes counted for a page at least, so that there is a limit of their number.
PAGE = 1 << 10
# A file ends with the size of the footer, and four letters.
SIZE, LETTERS = 4, 4


def check_pages(file: BinaryIO, limit: Limit) -> None:
    """Refuse a file whose pages state too large a size in all."""
    before, size = file.tell(), file.seek(0, SEEK_END)
    total = 0
    for begin, end in _chunks(_footer(file)):
        at = begin
        while at < end:
            if not 0 <= at < size:
                raise ValueError("a page is outside the file")
            header = _header(file, at)
            total += max(PAGE, header.integer(UNCOMPRESSED_SIZE, INT32))
            limit.check(total, "the pages")
            at += header.end + max(0, header.integer(COMPRESSED_SIZE, INT32))
    file.seek(before)


def _footer(file: BinaryIO) -> Struct:
    tail = file.seek(0, SEEK_END) - SIZE - LETTERS
    file.seek(tail)
    size = int.from_bytes(file.read(SIZE), "little")
    file.seek(tail - size)
    try:
        return Struct(file.read(size))
    except IndexError as error:
        raise ValueError("the footer is damaged") from error


def _chunks(footer: Struct) -> Iterator[tuple[int, int]]:
    """Yield where the pages of each column begin and end, as Arrow finds them."""
    for row_group in footer.structs(ROW_GROUPS):
        for chunk in row_group.structs(COLUMNS):
            for column in chunk.structs(COLUMN, STRUCT):
                start = column.integer(FIRST_PAGE, INT64)
                dictionary = column.integer(DICTIONARY_PAGE, INT64)
                if dictionary > 0:
                    start = min(start, dictionary)
                yield start, start + column.integer(COMPRESSED_TOTAL, INT64)


def _header(file: BinaryIO, at: int) -> Struct:
    """Return the header of a page."""
    for size in HEADER_SIZES:
        file.seek(at)
        with suppress(IndexError):  # the header is longer
            return Struct(file.read(size))
    raise ValueError("the header of a page is damaged")
