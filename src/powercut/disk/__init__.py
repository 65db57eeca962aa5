"""Graphs in blocks on disk, larger than memory: written in a stream, read where they lie."""

from powercut.disk.reader import open_blocks
from powercut.disk.writer import write_blocks

__all__ = ["open_blocks", "write_blocks"]
