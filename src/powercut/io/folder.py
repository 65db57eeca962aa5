"""Graph folders (`powercut.disk`), mapped into memory instead of read."""

import os

from powercut.disk.reader import open_blocks
from powercut.disk.writer import write_blocks
from powercut.graphs.graph import Graph
from powercut.io._errors import fail
from powercut.io._named import NamedGraph, Options
from powercut.io._source import Source


def read(source: Source, options: Options) -> NamedGraph:
    """Open a graph folder."""
    if options.symmetrize is not None:
        raise ValueError("symmetrize is not an option of the format 'folder', which is symmetric")
    if options.max_bytes is not None:
        raise ValueError("max_bytes is not an option of the format 'folder', which is mapped")
    path = _check_path(source)
    try:
        return NamedGraph(open_blocks(path), None)
    except ValueError as error:
        fail(source, str(error).removeprefix(f"{path} "))


def write(target: Source, graph: Graph) -> None:
    """Write a graph to a new folder."""
    write_blocks(_check_path(target), graph)


def _check_path(path: Source) -> str | os.PathLike[str]:
    if not isinstance(path, str | os.PathLike):
        raise ValueError(
            "the format 'folder' needs a path; it is not read from or written to pipes"
        )
    return path
