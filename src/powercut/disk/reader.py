"""A graph whose arrays stay on disk: the system brings in what is read, and lets go of it."""

import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from powercut.disk.manifest import INDICES, OFFSETS, WEIGHTS, Block, Manifest, array_path
from powercut.graphs.graph import Graph

# Bytes that are read at once to be checked.
PIECE = 1 << 20


def open_blocks(path: str | os.PathLike[str], *, verify: bool = True) -> Graph:
    """Open a graph that `write_blocks` wrote, as arrays that are mapped into memory.

    Parameters
    ----------
    path : str or path
        The folder.
    verify : bool, default=True
        Whether to compare all that is there with its checksums first, in one pass over the
        files. Without it, a damaged file leads to wrong results or ends the process.

    Returns
    -------
    Graph
        As any other. It is right as long as nobody changes the files.

    Examples
    --------
    >>> import tempfile
    >>> from powercut import PowerLawCut
    >>> from powercut.disk import open_blocks, write_blocks
    >>> chunks = [([0, 0, 1], [1, 2, 2]), ([3], [4])]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_blocks(f"{folder}/example", chunks)
    ...     graph = open_blocks(path)
    ...     labels = PowerLawCut("modularity", random_state=0).fit(path).labels_
    >>> graph
    Graph(5 nodes, 4 edges, unweighted)
    >>> labels
    array([0, 0, 0, 1, 1], dtype=int32)
    """
    folder = Path(path)
    manifest = Manifest.read(folder)
    arrays = {name: _mapped(folder, name, manifest) for name in manifest.dtypes}
    if verify:
        if arrays[OFFSETS][0] != 0:
            raise ValueError(f"{array_path(folder, OFFSETS)} is damaged: it does not begin with 0.")
        for name in manifest.dtypes:
            _verify(folder, name, manifest)
    return Graph._of_rows(arrays[OFFSETS], arrays[INDICES], arrays.get(WEIGHTS))


def as_graph(obj: Any) -> Graph:
    """Open the folder that a path names; make a graph of anything else, as `Graph.wrap` does."""
    return open_blocks(obj) if isinstance(obj, str | os.PathLike) else Graph.wrap(obj)


def _mapped(folder: Path, name: str, manifest: Manifest) -> np.memmap:
    path, dtype, shape = array_path(folder, name), manifest.dtypes[name], (manifest.length(name),)
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read: {error}. Write the folder again.") from error
    if array.dtype.str != dtype or array.shape != shape:
        raise ValueError(
            f"{path} has {array.shape} items of type {array.dtype.str}, and the manifest says "
            f"{shape} of type {dtype}. Write the folder again."
        )
    assert isinstance(array, np.memmap)
    return array


def _verify(folder: Path, name: str, manifest: Manifest) -> None:
    # Read, not mapped: pages that are only checked would count as the process's own.
    path, size = array_path(folder, name), np.dtype(manifest.dtypes[name]).itemsize
    header = path.stat().st_size - size * manifest.length(name)
    buffer = memoryview(bytearray(PIECE))
    with path.open("rb", buffering=0) as file:
        for number, block in enumerate(manifest.blocks):
            begin, end = block.items(name)
            file.seek(header + size * begin)
            left, checksum = size * (end - begin), 0
            while left and (n := file.readinto(buffer[: min(left, PIECE)])):
                checksum = zlib.crc32(buffer[:n], checksum)
                left -= n
            if left or checksum != block.checksums[name]:
                raise ValueError(_damaged(path, number, block))


def _damaged(path: Path, number: int, block: Block) -> str:
    return (
        f"{path} is damaged: the checksum of block {number} (nodes {block.first_row} to "
        f"{block.end_row - 1}) is wrong. Write the folder again, or copy it again from where it "
        "came."
    )
