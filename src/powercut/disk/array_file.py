"""Array files that are written in chunks."""

import os
import zlib
from io import BytesIO
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from powercut._typing import Array


class ArrayFile:
    """An ``.npy`` file that is written in chunks.

    Attributes
    ----------
    length : int
        Items written so far.
    """

    def __init__(self, path: Path, dtype: npt.DTypeLike) -> None:
        self.dtype = np.dtype(dtype).newbyteorder("<")
        self.length = 0
        self._file = path.open("wb")
        self._file.write(self._header())

    def append(self, chunk: Array, checksum: int = 0) -> int:
        """Write more items; return the CRC-32 of their bytes, continued from `checksum`."""
        data = np.ascontiguousarray(chunk, dtype=self.dtype).data
        self._file.write(data)
        self.length += len(chunk)
        return zlib.crc32(data, checksum)

    def reserve(self, length: int) -> None:
        """Set the length in the header; other processes write the items in place."""
        self.length = length

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._file as file:
            if kind is None:
                file.seek(0)
                file.write(self._header())
                file.flush()
                os.fsync(file.fileno())

    def _header(self) -> bytes:
        """Return the header. Its length does not depend on the shape: NumPy pads to 64 bytes."""
        header = BytesIO()
        fields = {
            "descr": self.dtype.str,
            "fortran_order": False,
            "shape": (self.length,),
        }
        np.lib.format.write_array_header_1_0(header, fields)
        return header.getvalue()
