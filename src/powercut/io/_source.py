"""Sources of bytes: files and pipes, possibly compressed."""

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from powercut.io._errors import FileError, fail, name_of
from powercut.io._zstd import ZstdFile

# Bytes read at a time.
CHUNK = 1 << 20
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
COMPRESSIONS = (".gz", ".zst")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Unless max_bytes is given, the content of a file takes at most so many bytes, or so many times
# the size of the file, whichever is more. Text compresses 3 to 20 times.
SMALL = 64 << 20
MOST_EXPANSION = 100

Source = str | os.PathLike[str] | BinaryIO


def suffix_of(source: Any) -> str:
    """Return the suffix of the format in lower case, without .gz or .zst."""
    path = Path(name_of(source).lower())
    return Path(path.stem).suffix if path.suffix in COMPRESSIONS else path.suffix


def format_of(source: Any, given: str | None, suffixes: dict[str, str], default: str) -> str:
    """Return the given format, or that of the suffix, or the default."""
    formats = sorted({*suffixes.values()})
    if given is None:
        return suffixes.get(suffix_of(source), default)
    if given not in formats:
        raise ValueError(f"format must be one of {formats}, got {given!r}.")
    return given


def check_arguments(source: Any, max_bytes: int | None) -> None:
    """Raise unless the source can be read, and `max_bytes` is None or an integer above 0."""
    is_path = isinstance(source, str | os.PathLike)
    if not (is_path or hasattr(source, "read") or hasattr(source, "__arrow_c_stream__")):
        raise TypeError(f"source must be a path or a binary file, got {type(source).__name__}.")
    if max_bytes is not None and not (isinstance(max_bytes, int | np.integer) and max_bytes > 0):
        raise ValueError(f"max_bytes must be an integer above 0, or None; got {max_bytes!r}.")


class Limit:
    """How many bytes the content of a file may take in memory.

    Parameters
    ----------
    source : path or file
        Named in errors.
    max_bytes : int or None
        The limit. None: see ``SMALL`` and ``MOST_EXPANSION``.
    """

    def __init__(self, source: Any, max_bytes: int | None) -> None:
        self._source, self._max_bytes = source, max_bytes
        self.stored = 0  # size of the file, or how much of a stream has been read

    def check(self, n_bytes: int, what: str) -> None:
        """Refuse the file if a part of its content takes too many bytes."""
        most = self._max_bytes
        if most is None:
            most = max(SMALL, MOST_EXPANSION * self.stored)
        if n_bytes > most:
            fail(
                self._source,
                f"{what} would take {n_bytes:,} bytes of memory or more, over the limit of "
                f"{most:,}: if you trust the file, pass a larger max_bytes",
            )


class _Counted:
    """A file of which the bytes read are counted as stored."""

    def __init__(self, file: BinaryIO, limit: Limit) -> None:
        self._file, self._limit = file, limit

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._limit.stored += len(data)
        return data


class _Stream(io.RawIOBase):
    """The content of a compressed file or a pipe, read up to a limit."""

    def __init__(self, file: Any, source: Any, limit: Limit) -> None:
        self._file, self._source, self._limit = file, source, limit
        self._done = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._file.read(min(len(buffer), CHUNK))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            fail(self._source, f"the compressed data are damaged or cut off ({error})")
        self._done += len(data)
        self._limit.check(self._done, "the content")
        buffer[: len(data)] = data
        return len(data)


class Input:
    """An open file: its content without compression, and a limit of what it may take.

    Parameters
    ----------
    file : binary file
        The content.
    source : path or file
        Named in errors.
    limit : Limit
        Applied to the content by ``file`` itself, and by readers to what the content declares.
    """

    def __init__(self, file: BinaryIO, source: Any, limit: Limit) -> None:
        self.file, self.source, self.limit = file, source, limit
        self._copy: BinaryIO | None = None

    def chunks(self) -> Iterator[npt.NDArray[np.uint8]]:
        """Yield the content in chunks, in a buffer that is reused."""
        buffer = np.empty(CHUNK, dtype=np.uint8)
        file = cast(Any, self.file)
        while n := file.readinto(buffer.data):
            yield buffer[:n]

    def content(self) -> bytes:
        """Return the content."""
        return b"".join(chunk.tobytes() for chunk in self.chunks())

    def utf8(self) -> bytes:
        """Return the content, which must be text in UTF-8, without a byte-order mark."""
        content = self.content().removeprefix(BYTE_ORDER_MARK)
        try:
            content.decode()
        except UnicodeDecodeError as error:
            before = content[: error.start]
            line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
            fail(self.source, "not UTF-8", line=line, column=column)
        return content

    def seekable(self) -> BinaryIO:
        """Return the file if any part of it can be read at once, else a copy in memory."""
        if self.file.seekable():
            return self.file
        if self._copy is None:
            self._copy = io.BytesIO(self.content())
        return self._copy


@contextmanager
def opened(source: Source, max_bytes: int | None = None) -> Iterator[Input]:
    """Open a file for reading, and decompress gzip and zstd, recognised by their first bytes."""
    limit = Limit(source, max_bytes)
    if isinstance(source, str | os.PathLike):
        with open(source, "rb") as file, _content(file, source, limit) as content:
            yield Input(content, source, limit)
    elif hasattr(source, "peek"):
        with _content(source, source, limit) as content:
            yield Input(content, source, limit)
    else:
        buffered = io.BufferedReader(cast(Any, source))
        try:
            with _content(buffered, source, limit) as content:
                yield Input(content, source, limit)
        finally:
            buffered.detach()  # leaves the file of the caller open


@contextmanager
def _content(file: Any, source: Any, limit: Limit) -> Iterator[BinaryIO]:
    start = file.peek(4)[:4]
    counted = _Counted(file, limit)
    if start[:2] == GZIP:
        plain: Any = gzip.GzipFile(fileobj=cast(Any, counted))
    elif start == ZSTD:
        plain = ZstdFile(counted)
    elif file.seekable():
        at = file.tell()
        limit.stored = file.seek(0, os.SEEK_END) - at
        file.seek(at)
        limit.check(limit.stored, "the content")
        yield file
        return
    else:
        plain = counted
    with io.BufferedReader(_Stream(plain, source, limit), CHUNK) as content:
        yield content


__all__ = ["FileError", "Input", "Limit", "Source", "check_arguments", "format_of", "opened"]
