"""Atomic writes: a file or folder is complete or absent, even if the process is killed."""

import errno
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from powercut._typing import Array

DISK_IS_FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder beside `path`, and rename it to `path` once it is complete.

    An exception removes the temporary folder. A process that is killed leaves it behind: its name
    is that of `path` followed by ``.partial-`` and random characters.
    """
    if path.exists():
        raise FileExistsError(f"{path} exists: remove it, or choose another name.")
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=f"{path.name}.partial-", dir=path.parent))
    try:
        yield partial
        partial.chmod(0o777 & ~_umask())  # mkdtemp gives no access to other users
        sync(partial)
        partial.rename(path)
    except OSError as error:
        if error.errno in DISK_IS_FULL:
            room = shutil.disk_usage(path.parent).free
            raise OSError(
                error.errno,
                f"the disk of {path.parent} is full ({room:,} bytes were left): nothing was "
                "written. Sorting takes 24 bytes per edge, 40 with float32 and 56 with float64 "
                "weights; free some space, or write to another disk.",
            ) from error
        raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    sync(path.parent)


def write_text(path: Path, text: str) -> None:
    """Write a file atomically: it gets its name once its content is on disk."""
    unfinished = path.with_name(path.name + ".unfinished")
    with unfinished.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.rename(path)


def sync(folder: Path) -> None:
    """Flush the entries of a folder (the names of its files) to disk."""
    if os.name == "nt":  # folders cannot be opened there
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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
        self._width: tuple[int, ...] = ()
        self._file = path.open("wb")
        self._file.write(self._header())

    def append(self, chunk: Array, checksum: int = 0) -> int:
        """Write more items; return the CRC-32 of their bytes, continued from `checksum`."""
        data = np.ascontiguousarray(chunk, dtype=self.dtype).data
        self._file.write(data)
        self.length += len(chunk)
        return zlib.crc32(data, checksum)

    def reserve(self, length: int, *width: int) -> None:
        """Set the shape in the header; other processes write the items (or rows) in place."""
        self.length, self._width = length, width

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
            "shape": (self.length, *self._width),
        }
        np.lib.format.write_array_header_1_0(header, fields)
        return header.getvalue()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
