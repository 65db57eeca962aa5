"""Where bytes come from: files, pipes, and what is compressed in them."""

import gzip
import io
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, NoReturn, cast

import numpy as np
import numpy.typing as npt

# Bytes that are read at a time.
PIECE = 1 << 20
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
COMPRESSIONS = (".gz", ".zst")

Source = str | os.PathLike[str] | BinaryIO


class FileError(ValueError):
    """A file that does not hold what it should; the message begins with its name."""


def missing(package: str, what: str) -> ImportError:
    """Say which package is missing, and how to get it."""
    return ImportError(
        f'{what} needs {package}, which is not installed: pip install "powercut[io]"'
    )


def name_of(source: Any) -> str:
    """Return the name of a source, for messages."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    return str(getattr(source, "name", None) or f"<{type(source).__name__}>")


def suffix_of(source: Any) -> str:
    """Return the suffix that tells the format, in lower case: that before .gz or .zst."""
    path = Path(name_of(source).lower())
    return Path(path.stem).suffix if path.suffix in COMPRESSIONS else path.suffix


def format_of(source: Any, given: str | None, suffixes: dict[str, str], usual: str) -> str:
    """Return the format that was given, or what the suffix says, or the usual one."""
    formats = sorted({*suffixes.values()})
    if given is None:
        return suffixes.get(suffix_of(source), usual)
    if given not in formats:
        raise ValueError(f"format must be one of {formats}, got {given!r}.")
    return given


def fail(source: Any, message: object) -> NoReturn:
    """Refuse a file."""
    raise FileError(f"{name_of(source)}: {message}")


@contextmanager
def opened(source: Source) -> Iterator[BinaryIO]:
    """Open a file for reading, uncompressed; gzip and zstd are known by their first bytes."""
    if isinstance(source, str | os.PathLike):
        with open(source, "rb") as file, _uncompressed(file) as plain:
            yield plain
        return
    if not hasattr(source, "read"):
        raise TypeError(f"source must be a path or a binary file, got {type(source).__name__}.")
    with _uncompressed(source) as plain:
        yield plain


@contextmanager
def _uncompressed(file: BinaryIO) -> Iterator[BinaryIO]:
    buffered: Any = file if hasattr(file, "peek") else io.BufferedReader(cast(io.RawIOBase, file))
    start = buffered.peek(4)[:4]
    if start[:2] == GZIP:
        with gzip.GzipFile(fileobj=buffered) as plain:
            yield cast(BinaryIO, plain)
    elif start == ZSTD:
        try:
            from zstandard import ZstdDecompressor
        except ImportError as error:
            raise missing("zstandard", "a file compressed with zstd") from error
        with io.BufferedReader(_Zstd(buffered, ZstdDecompressor().decompressobj)) as plain:
            yield plain
    else:
        yield buffered


class _Zstd(io.RawIOBase):
    """Reads what zstd compressed, frame by frame.

    The reader of the package takes a frame that is cut off for one that is complete.
    """

    def __init__(self, file: Any, new_frame: Callable[[], Any]) -> None:
        self._file, self._new_frame = file, new_frame
        self._frame = new_frame()
        self._begun = False
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            if self._frame.eof:
                data = self._frame.unused_data
                self._frame, self._begun = self._new_frame(), False
            else:
                data = b""
            data = data or self._file.read(PIECE // 4)
            if not data:
                if self._begun:
                    raise EOFError("the last frame has no end")
                return 0
            self._begun = True
            self._ready = self._frame.decompress(data)
        n = min(len(buffer), len(self._ready))
        buffer[:n], self._ready = self._ready[:n], self._ready[n:]
        return n


def pieces(file: IO[bytes], source: Source) -> Iterator[npt.NDArray[np.uint8]]:
    """Yield what is left of a file, a piece at a time, in one buffer that is used again."""
    buffer = np.empty(PIECE, dtype=np.uint8)
    readinto: Callable[[Any], int] = cast(Any, file).readinto
    while True:
        try:
            n = readinto(buffer.data)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            fail(source, f"the compressed data are damaged or cut off ({error})")
        except Exception as error:
            if type(error).__name__ != "ZstdError":
                raise
            fail(source, f"the compressed data are damaged or cut off ({error})")
        if not n:
            return
        yield buffer[:n]


def text_of(file: IO[bytes], source: Source) -> str:
    """Return all that is left of a file, as text, without a byte-order mark."""
    text = b"".join(piece.tobytes() for piece in pieces(file, source))
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = text[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        fail(source, f"line {line}, column {column}: this is not UTF-8")


@contextmanager
def blamed(source: Any, kind: str) -> Iterator[None]:
    """Name the file in whatever the reader of another package says of it."""
    try:
        yield
    except (FileError, ImportError, MemoryError, FileNotFoundError, PermissionError):
        raise
    except Exception as error:
        fail(source, f"this cannot be read as {kind}: {error or type(error).__name__}")
