"""Sources of bytes: files and pipes, possibly compressed."""

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

# Bytes read at a time.
CHUNK = 1 << 20
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
COMPRESSIONS = (".gz", ".zst")

Source = str | os.PathLike[str] | BinaryIO


class FileError(ValueError):
    """A file with invalid content; the message begins with its name."""


def missing(package: str, what: str) -> ImportError:
    """Return an error that names the missing package and how to install it."""
    return ImportError(
        f'{what} needs {package}, which is not installed: pip install "powercut[io]"'
    )


def name_of(source: Any) -> str:
    """Return the name of a source, for messages."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    return str(getattr(source, "name", None) or f"<{type(source).__name__}>")


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


def fail(source: Any, message: object) -> NoReturn:
    """Raise a `FileError` that names the file."""
    raise FileError(f"{name_of(source)}: {message}")


@contextmanager
def opened(source: Source) -> Iterator[BinaryIO]:
    """Open a file for reading, and decompress gzip and zstd, recognised by their first bytes."""
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
    """Decompresses zstd frame by frame.

    The reader of the package does not report a truncated frame.
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
            data = data or self._file.read(CHUNK // 4)
            if not data:
                if self._begun:
                    raise EOFError("the last frame has no end")
                return 0
            self._begun = True
            self._ready = self._frame.decompress(data)
        n = min(len(buffer), len(self._ready))
        buffer[:n], self._ready = self._ready[:n], self._ready[n:]
        return n


def chunks(file: IO[bytes], source: Source) -> Iterator[npt.NDArray[np.uint8]]:
    """Yield the rest of a file in chunks, in a buffer that is reused."""
    buffer = np.empty(CHUNK, dtype=np.uint8)
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
    """Return the rest of a file as text, without a byte-order mark."""
    text = b"".join(chunk.tobytes() for chunk in chunks(file, source))
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = text[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        fail(source, f"line {line}, column {column}: not UTF-8")


@contextmanager
def errors_named(source: Any, kind: str) -> Iterator[None]:
    """Convert any error of another package's reader to a `FileError` that names the file."""
    try:
        yield
    except (FileError, ImportError, MemoryError, FileNotFoundError, PermissionError):
        raise
    except Exception as error:
        fail(source, f"cannot be read as {kind}: {error or type(error).__name__}")
