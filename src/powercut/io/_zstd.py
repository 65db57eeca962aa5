"""Decompression of zstd, in steps of bounded size."""

from typing import Any

from powercut.io._errors import missing

# Compressed bytes taken at a time. A block of at least 4 bytes makes at most 128 KiB, so that a
# step makes at most 32 MiB, however the file was made.
STEP = 1 << 10


class ZstdFile:
    """Reads zstd frame by frame.

    The reader of the package zstandard does not report a truncated frame.

    Parameters
    ----------
    file : object with ``read``
        The compressed bytes.
    """

    def __init__(self, file: Any) -> None:
        try:
            from zstandard import ZstdDecompressor, ZstdError
        except ImportError as error:
            raise missing("zstandard", "a file compressed with zstd") from error
        self._file, self._error = file, ZstdError
        self._new_frame = ZstdDecompressor().decompressobj
        self._frame = self._new_frame()
        self._begun = False
        self._ready = memoryview(b"")

    def read(self, size: int) -> memoryview:
        """Return the next bytes, at most `size`; none at the end."""
        while not self._ready:
            if self._frame.eof:
                data = self._frame.unused_data
                self._frame, self._begun = self._new_frame(), False
            else:
                data = b""
            data = data or self._file.read(STEP)
            if not data:
                if self._begun:
                    raise EOFError("the last frame has no end")
                break
            self._begun = True
            try:
                self._ready = memoryview(self._frame.decompress(data))
            except self._error as error:
                raise EOFError(str(error)) from error
        ready, self._ready = self._ready[:size], self._ready[size:]
        return ready
