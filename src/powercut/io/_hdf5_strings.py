"""The lengths of strings in an HDF5 file, without the strings.

HDF5 stores strings of variable length in a heap, and in a dataset or attribute a reference to
each: its length (four bytes), the address of a part of the heap, and an index there. To read a
string, the library first takes memory for its declared length, so that a reference of sixteen
bytes takes up to 4 GiB. It has no function that reads the references alone. Here they are read as
bytes, as described in the HDF5 File Format Specification, sections IV.A ("Object Headers") and
IV.A.2 (messages), of files as AnnData writes them; others are refused.
"""

import io
import os
import struct
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from powercut.io._errors import fail
from powercut.io._source import Source

REFERENCE = np.dtype([("length", "<u4"), ("address", "<u8"), ("index", "<u4")])
# Types of messages in the header of an object, and classes of data types.
ATTRIBUTE, CONTINUATION, ATTRIBUTES_ELSEWHERE = 0x0C, 0x10, 0x15
COMPOUND, VARIABLE_LENGTH, ARRAY = 6, 9, 10
STRING = 1
UNDEFINED = b"\xff" * 8
SHARED = 0x02


class HDF5Strings:
    """Reads how long the strings of a file say that they are.

    Parameters
    ----------
    file : h5py.File
        The open file.
    source : path or file
        What it was opened from.
    """

    def __init__(self, file: Any, source: Source) -> None:
        self._source = source
        if file.userblock_size or file.id.get_create_plist().get_sizes() != (8, 8):
            self._refuse("the file")

    def in_dataset(self, stored: Any) -> int:
        """Return the sum of the lengths of strings of variable length in a dataset."""
        from h5py import h5d

        plan = stored.id.get_create_plist()
        layout = plan.get_layout()
        if plan.fill_value_defined() == h5d.FILL_VALUE_USER_DEFINED:
            self._refuse(stored.name)
        if layout == h5d.CHUNKED:
            return _total(_read_chunks(stored))
        if layout != h5d.CONTIGUOUS:
            self._refuse(stored.name)
        start = stored.id.get_offset()
        if start is None:  # nothing was ever written
            return 0
        return _total(_references(self._read(start, stored.size * REFERENCE.itemsize, stored.name)))

    def in_attributes(self, stored: Any) -> int:
        """Return the sum of the lengths of strings of variable length in attributes."""
        from h5py import h5o

        total = 0
        for kind, flags, body in self._messages(h5o.get_info(stored.id).addr, stored.name):
            if kind == ATTRIBUTES_ELSEWHERE:
                heap = body[4:12] if body[1] & 1 else body[2:10]
                if heap != UNDEFINED:
                    self._refuse(f"an attribute of {stored.name}")
            if kind == ATTRIBUTE:
                if flags & SHARED:
                    self._refuse(f"an attribute of {stored.name}")
                total += self._in_attribute(body, stored.name)
        return total

    def _in_attribute(self, body: bytes, name: str) -> int:
        version, shared, *sizes = struct.unpack_from("<BBHHH", body)
        start = 8
        if version == 1:
            sizes = [-(-size // 8) * 8 for size in sizes]
        elif version == 3:
            start = 9  # after the character set of the name
        if version not in (1, 2, 3) or (version > 1 and shared):
            self._refuse(f"an attribute of {name}")
        kind = body[start + sizes[0] :][:2]
        data = body[start + sum(sizes) :]
        if len(kind) < 2 or kind[0] & 15 in (COMPOUND, ARRAY):
            self._refuse(f"an attribute of {name}")
        if kind[0] & 15 != VARIABLE_LENGTH:
            return 0
        if kind[1] & 15 != STRING:
            self._refuse(f"an attribute of {name}")
        return _total(_references(data))

    def _messages(self, address: int, name: str) -> Iterator[tuple[int, int, bytes]]:
        """Yield the type, the flags and the content of each message in the header of an object."""
        start = self._read(address, 16, name)
        if start[0] == 1:
            blocks = [(address + 16, struct.unpack_from("<I", start, 8)[0])]
            form, signature = "<HHBxxx", 0
        elif start[:5] == b"OHDR\2":
            flags = start[5]
            begin = address + 6 + 16 * bool(flags & 0x20) + 4 * bool(flags & 0x10)
            width = 1 << (flags & 3)
            blocks = [(begin + width, int.from_bytes(self._read(begin, width, name), "little"))]
            form, signature = ("<BHBxx" if flags & 4 else "<BHB"), 4
        else:
            self._refuse(name)
        seen = set()
        while blocks:
            begin, size = blocks.pop()
            if begin in seen:
                self._refuse(name)
            seen.add(begin)
            block, at = self._read(begin, size, name), 0
            while at + struct.calcsize(form) <= len(block):
                kind, length, flags = struct.unpack_from(form, block, at)
                at += struct.calcsize(form)
                body = block[at : at + length]
                at += length
                if kind == CONTINUATION:
                    next_begin, next_size = struct.unpack_from("<QQ", body)
                    # The second version has a signature before each part, and a checksum after.
                    blocks.append((next_begin + signature, max(next_size - 2 * signature, 0)))
                else:
                    yield kind, flags, body

    def _read(self, start: int, n_bytes: int, name: str) -> bytes:
        if isinstance(self._source, str | os.PathLike):
            with open(self._source, "rb") as file:
                file.seek(start)
                data = file.read(n_bytes)
        else:
            self._source.seek(start)
            data = self._source.read(n_bytes)
        if len(data) < n_bytes:
            fail(self._source, f"the file ends inside {name}")
        return data

    def _refuse(self, what: str) -> NoReturn:
        fail(self._source, f"{what} is not stored as by AnnData")


def _references(data: bytes) -> npt.NDArray[Any]:
    return np.frombuffer(data, REFERENCE, len(data) // REFERENCE.itemsize)


def _total(references: npt.NDArray[Any]) -> int:
    return int(references["length"].sum(dtype=np.int64))


def _read_chunks(stored: Any) -> npt.NDArray[Any]:
    """Copy chunks as they are, compressed, to a dataset of references in memory, and read that."""
    import h5py

    plan = stored.id.get_create_plist()
    copied = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    copied.set_chunk(plan.get_chunk())
    for number in range(plan.get_nfilters()):
        code, flags, values, _ = plan.get_filter(number)
        copied.set_filter(code, flags, values)
    chunks: list[Any] = []
    stored.id.chunk_iter(chunks.append)
    with h5py.File(io.BytesIO(), "w") as memory:
        kind = h5py.h5t.py_create(REFERENCE)
        copy = h5py.h5d.create(memory.id, b"copy", kind, stored.id.get_space(), copied)
        for chunk in chunks:
            mask, data = stored.id.read_direct_chunk(chunk.chunk_offset)
            copy.write_direct_chunk(chunk.chunk_offset, data, mask)
        references: npt.NDArray[Any] = h5py.Dataset(copy)[:]
    return references
