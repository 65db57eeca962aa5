"""Graphs larger than memory, in a folder on disk: written from a stream, memory-mapped to read."""

from powercut.disk.reader import open_blocks
from powercut.disk.writer import write_blocks

__all__ = ["open_blocks", "write_blocks"]
