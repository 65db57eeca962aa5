"""Open a graph whose arrays stay on disk, as memory-mapped arrays."""

import errno
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from powercut import _core
from powercut._typing import Array
from powercut.disk import changes
from powercut.disk.changes import Nodes
from powercut.disk.manifest import (
    GAPS,
    INDICES,
    OFFSETS,
    STARTS,
    WEIGHTS,
    Manifest,
    RowRange,
    array_path,
)
from powercut.graphs._adjacency import LARGEST, row_blocks
from powercut.graphs.gap_code import PADDING, GapCodes
from powercut.graphs.graph import Graph

# Bytes that are read at a time to compute checksums.
CHUNK = 1 << 20


def open_blocks(path: str | os.PathLike[str]) -> Graph:
    """Open a graph that `write_blocks` wrote, as memory-mapped arrays.

    Parameters
    ----------
    path : str or path
        The graph folder.

    Returns
    -------
    Graph
        Usable like any other graph. It is valid as long as the files do not change. If the folder
        was updated since its arrays were written, the rows are in memory and not mapped. Rows in
        gap code are searched as they are; the attributes `indices` and `adjacency` decode them.

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
    return opened(folder, Manifest.read(folder)).graph


@dataclass(frozen=True)
class Opened:
    """A graph folder that was opened.

    Attributes
    ----------
    graph : Graph
        The graph.
    nodes : Nodes
        How the next record of changes numbers them.
    records : list of dict
        The records of changes.
    """

    graph: Graph
    nodes: Nodes
    records: list[changes.Record]


def opened(folder: Path, manifest: Manifest) -> Opened:
    """Verify and open a graph folder."""
    graph = _map(folder, manifest)
    columns = graph.arrays[1]
    first = {OFFSETS: graph.indptr[0]}
    if isinstance(columns, GapCodes):
        first[STARTS] = columns.starts[0]
    for name, offset in first.items():
        if offset != 0:
            path = array_path(folder, name, manifest.generation)
            raise ValueError(f"{path} is damaged: it does not begin with 0.")
    for name in manifest.dtypes:
        _verify(folder, name, manifest)
    if isinstance(columns, GapCodes):
        _verify_gaps(folder, manifest, graph.indptr, columns)
    return _changed(graph, folder, manifest)


def open_verified(path: Path) -> Graph:
    """Open a graph that another process of the same search has verified, without a pass over it."""
    manifest = Manifest.read(path)
    return _changed(_map(path, manifest), path, manifest).graph


def _changed(graph: Graph, folder: Path, manifest: Manifest) -> Opened:
    records = changes.read(folder, manifest)
    change, nodes = changes.combined(manifest, records)
    return Opened(change.apply(graph) if records else graph, nodes, records)


def _map(folder: Path, manifest: Manifest) -> Graph:
    if manifest.n_nodes > LARGEST:
        raise ValueError(f"{folder} has {manifest.n_nodes:,} nodes: {_core.TOO_MANY_NODES}")
    arrays = {name: _mapped(folder, name, manifest) for name in manifest.dtypes}
    if GAPS not in arrays:
        return Graph._of_rows(arrays[OFFSETS], arrays[INDICES], arrays.get(WEIGHTS))
    columns = GapCodes.of(arrays[GAPS], arrays[STARTS])
    return Graph._of_rows(arrays[OFFSETS], columns, arrays.get(WEIGHTS))


def as_graph(obj: Any) -> Graph:
    """Open the graph folder if `obj` is a path; convert anything else with `Graph.wrap`."""
    if not isinstance(obj, str | os.PathLike):
        return Graph.wrap(obj)
    if not Path(obj).exists():
        raise FileNotFoundError(errno.ENOENT, "there is no such file or folder", os.fspath(obj))
    if Path(obj).is_file():
        raise ValueError(
            f"{os.fspath(obj)!r} is a file, and only folders of powercut.disk.write_blocks are "
            "opened here. Read the file first: "
            f"powercut.io.read_graph({os.fspath(obj)!r}).graph, or powercut.io.read_points for "
            "vectors"
        )
    return open_blocks(obj)


def _mapped(folder: Path, name: str, manifest: Manifest) -> np.memmap:
    path = array_path(folder, name, manifest.generation)
    dtype, shape = manifest.dtypes[name], (manifest.length(name),)
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    # NumPy evaluates the header as an expression of Python, which may be none.
    except (OSError, ValueError, SyntaxError, TokenError) as error:
        raise ValueError(f"{path} cannot be read: {error}. Write the folder again.") from error
    if array.dtype.str != dtype or array.shape != shape:
        raise ValueError(
            f"{path} has {array.shape} items of type {array.dtype.str}, and the manifest says "
            f"{shape} of type {dtype}. Write the folder again."
        )
    assert isinstance(array, np.memmap)
    if path.stat().st_size != array.offset + array.nbytes:
        # What is verified is the end of the file.
        raise ValueError(f"{path} is damaged: it has more than the array. Write the folder again.")
    return array


def _verify(folder: Path, name: str, manifest: Manifest) -> None:
    # Read, not mapped: mapped pages would count as memory of the process.
    path = array_path(folder, name, manifest.generation)
    size = np.dtype(manifest.dtypes[name]).itemsize
    header = path.stat().st_size - size * manifest.length(name)
    buffer = memoryview(bytearray(CHUNK))
    is_valid = {
        OFFSETS: _rises(manifest),
        INDICES: _are_nodes(manifest),
        WEIGHTS: _are_weights,
        GAPS: _may_be_code,
        STARTS: _may_be_code,
    }[name]
    with path.open("rb", buffering=0) as file:
        for number, row_range in enumerate(manifest.blocks):
            begin, end = row_range.items(name)
            file.seek(header + size * begin)
            left, checksum, valid = size * (end - begin), 0, True
            while left and (n := file.readinto(buffer[: min(left, CHUNK)])):
                checksum = zlib.crc32(buffer[:n], checksum)
                left -= n
                valid = valid and n % size == 0
                valid = valid and is_valid(np.frombuffer(buffer[:n], manifest.dtypes[name]))
            if left or checksum != row_range.checksums[name]:
                raise ValueError(_damaged(path, number, row_range))
            if not valid:
                raise ValueError(_invalid(path, manifest, number))


def _verify_gaps(folder: Path, manifest: Manifest, indptr: Array, columns: GapCodes) -> None:
    """Raise unless the code of every row is exactly that of its columns, all of them nodes."""
    for number, row_range in enumerate(manifest.blocks):
        end = row_range.end_row
        if columns.positions(end, end)[0] != row_range.end_byte:
            path = array_path(folder, STARTS, manifest.generation)
            raise ValueError(_invalid(path, manifest, number))
    path = array_path(folder, GAPS, manifest.generation)
    if columns.codes[-PADDING:].any():
        raise ValueError(f"{path} is damaged: it does not end with zeros. Write the folder again.")
    header = path.stat().st_size - manifest.length(GAPS)
    with path.open("rb") as file:
        for first, end in row_blocks(indptr):
            offsets = indptr[first : end + 1].astype(np.int64)
            # They never decrease, and end in the file.
            starts = columns.positions(first, end)
            file.seek(header + starts[0])
            codes = np.frombuffer(file.read(starts[-1] - starts[0]), dtype=np.uint8)
            row = _core.first_invalid_gaps(offsets, starts - starts[0], codes, manifest.n_nodes)
            if row is not None:
                ends = [row_range.end_row for row_range in manifest.blocks]
                number = int(np.searchsorted(ends, first + row, side="right"))
                raise ValueError(_invalid(path, manifest, number))


def _rises(manifest: Manifest) -> Callable[[Array], bool]:
    """Return a check of consecutive offsets: they never decrease, and stay within the entries."""
    last = 0

    def check(offsets: Array) -> bool:
        nonlocal last
        first, last = last, int(offsets[-1])
        rise = first <= offsets[0] and bool((offsets[1:] >= offsets[:-1]).all())
        return rise and last <= manifest.n_entries

    return check


def _are_nodes(manifest: Manifest) -> Callable[[Array], bool]:
    return lambda indices: bool(indices.min() >= 0 and indices.max() < manifest.n_nodes)


def _may_be_code(_: Array) -> bool:
    return True  # what is in gap code is verified row by row, when all arrays are known


def _are_weights(weights: Array) -> bool:
    return bool(weights.min() > 0 and weights.max() < np.inf)


def _invalid(path: Path, manifest: Manifest, number: int) -> str:
    row_range = manifest.blocks[number]
    return (
        f"{path} has values in row range {number} (nodes {row_range.first_row} to "
        f"{row_range.end_row - 1}) that no graph has, although their checksum is right. Write "
        "the folder again with powercut.disk.write_blocks."
    )


def _damaged(path: Path, number: int, row_range: RowRange) -> str:
    return (
        f"{path} is damaged: the checksum of row range {number} (nodes {row_range.first_row} to "
        f"{row_range.end_row - 1}) is wrong. Write the folder again, or copy it again from its "
        "source."
    )
