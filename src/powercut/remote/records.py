"""Records: arrays as bytes, to send between processes and to append to files.

A record is its length (8 bytes, little-endian), the CRC-32 of what follows (4 bytes), and arrays
in the format of ``.npy`` files, one after the other.
"""

import os
import struct
import zlib
from collections.abc import Sequence
from io import BytesIO
from typing import BinaryIO

import numpy as np

from powercut._typing import Array

HEADER = struct.Struct("<QI")


class DamagedRecord(ValueError):  # noqa: N818
    """A record that was truncated or altered after it was written."""


def pack(arrays: Sequence[Array]) -> bytes:
    """Return a record of some arrays."""
    body = BytesIO()
    for array in arrays:
        np.lib.format.write_array(body, array, version=(1, 0), allow_pickle=False)
    data = body.getbuffer()
    return HEADER.pack(len(data), zlib.crc32(data)) + data


def read_record(file: BinaryIO) -> list[Array] | None:
    """Return the arrays of the next record; None at the end of the file."""
    header = file.read(HEADER.size)
    if not header:
        return None
    if len(header) < HEADER.size:
        raise DamagedRecord("a record ends in its header")
    length, checksum = HEADER.unpack(header)
    begin = file.tell()
    if length > file.seek(0, os.SEEK_END) - begin:
        raise DamagedRecord("a record is longer than the rest of the file")
    file.seek(begin)
    data = file.read(length)
    if zlib.crc32(data) != checksum:
        raise DamagedRecord("the checksum of a record is wrong")
    body, arrays = BytesIO(data), []
    while body.tell() < length:
        arrays.append(np.lib.format.read_array(body, allow_pickle=False))
    return arrays


def unpack(record: bytes) -> list[Array]:
    """Return the arrays of a record."""
    arrays = read_record(BytesIO(record))
    assert arrays is not None, "a record is never empty"
    return arrays


def checksum(*arrays: Array) -> int:
    """Return the CRC-32 of the bytes of some arrays."""
    value = 0
    for array in arrays:
        value = zlib.crc32(np.ascontiguousarray(array).data, value)
    return value
