"""Write a graph to disk from a stream of edges in any order, by an external sort."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from powercut._bars import callback_of
from powercut._typing import Array
from powercut._validation import check_choice
from powercut.disk.array_file import ArrayFile
from powercut.disk.columns import ENCODINGS, ColumnFiles
from powercut.disk.folder import new_graph_folder
from powercut.disk.manifest import (
    OFFSETS,
    WEIGHTS,
    Manifest,
    RowRange,
    array_path,
)
from powercut.disk.sorting import (
    BY_PAIR,
    BYTES_PER_ENTRY,
    COLUMN,
    COMBINE,
    MOST_ROWS,
    Keys,
    combined,
)
from powercut.disk.spool import Buckets, Spool
from powercut.graphs._adjacency import index_type, offset_type
from powercut.graphs.graph import Graph
from powercut.progress import ProgressReporter

UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
# Edges that are distributed to buckets at a time, if memory allows.
STEP = 1 << 20


def write_blocks(
    path: str | os.PathLike[str],
    edges: Iterable[Sequence[npt.ArrayLike]] | Graph,
    *,
    n_nodes: int | None = None,
    symmetrize: str = "max",
    memory: int | str = "2GiB",
    encoding: str = "plain",
    progress: Any = None,
) -> Path:
    """Write a graph to a folder on disk, from more edges than fit in memory.

    Edges are distributed, in both directions, to files by row range; then each file is sorted in
    memory. The write is atomic: the folder appears under its name only when it is complete.

    Parameters
    ----------
    path : str or path
        The folder to make. Meanwhile a temporary folder beside it takes up to 24 bytes per edge;
        40 with float32 weights, 56 with others.
    edges : iterable of (u, v) or (u, v, weight), or Graph
        Chunks of edges, in any order: arrays of node numbers, from 0, and of weights. Read once.
        Either all chunks have weights, of one type, or none has. Or an existing graph.
    n_nodes : int, optional
        Number of nodes. By default the largest node number plus 1.
    symmetrize : {"max", "sum", "mean"}, default="max"
        How a[i, j] and a[j, i] combine, as in `powercut.Graph.from_edges`. With ``"max"`` it
        does not matter whether edges are listed once or in both directions. Edges that are listed
        more than once in one direction are summed.
    memory : int or str, default="2GiB"
        Most bytes of memory to use, in addition to 24 bytes per node and to what the process
        already uses; also as text: ``"500MiB"``.
    encoding : {"plain", "gaps"}, default="plain"
        How the neighbours of a node are stored: ``"plain"``, as they are, in four bytes each; or
        ``"gaps"``, as the gaps between their sorted numbers, in one to four bytes and a quarter,
        plus four bytes per node. A search reads gaps as they are and finds the same labels; it
        needs less memory, and its rounds take about a fifth longer. Gaps are short if
        neighbours have close numbers.
    progress : {True, "tqdm", "rich"} or callable, optional
        As in `powercut.PowerLawCut`. Stages are ``"edges"`` (copied to temporary files),
        ``"buckets"`` (distributed by row range) and ``"blocks"`` (row ranges sorted and written).

    Returns
    -------
    Path
        The graph folder, for `open_blocks` or `powercut.PowerLawCut.fit`.

    Examples
    --------
    >>> import tempfile
    >>> from powercut.disk import open_blocks, write_blocks
    >>> chunks = [([0, 1], [1, 2], [2.0, 1.0]), ([2], [0], [3.0])]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_blocks(f"{folder}/example", chunks)
    ...     print(open_blocks(path).adjacency.toarray())
    [[0. 2. 3.]
     [2. 0. 1.]
     [3. 1. 0.]]
    """
    check_choice("symmetrize", symmetrize, tuple(COMBINE))
    options = {"memory": memory, "encoding": encoding, "progress": progress}
    if isinstance(edges, Graph):
        return _write_graph(Path(path), edges, **options)
    return write_sorted(path, edges, partial(combined, how=symmetrize), n_nodes=n_nodes, **options)


def write_sorted(
    path: str | os.PathLike[str],
    edges: Iterable[Sequence[npt.ArrayLike]],
    combine: Callable[[Keys, Array | None, int], tuple[Keys, Array | None]],
    *,
    n_nodes: int | None,
    memory: int | str,
    encoding: str,
    progress: Any,
) -> Path:
    """Write a graph to a folder; `combine` sorts the entries of a row range, as `combined` does."""
    check_choice("encoding", encoding, ENCODINGS)
    path, room = Path(path), _room(memory)
    with _writing(path, progress) as (folder, reporter):
        with reporter.part(0.3, "edges"):
            spool = Spool(folder, n_nodes, step=min(STEP, room // 4 + 1))
            for chunk in edges:
                spool.append(chunk)
                reporter.tick()
        with reporter.part(0.4, "buckets"):
            buckets = Buckets(folder, _cuts(spool.counts, room), spool.weight_type)
            for entries in reporter.each(spool.entries(), of=spool.n_steps):
                buckets.append(*entries)
            spool.remove()
            n_nodes = len(spool.counts)
            del spool  # frees 8 bytes per node
        with reporter.part(1.0, "blocks"):
            parts = (
                (first, end, *combine(*buckets.take(number), first))
                for number, (first, end) in enumerate(map(buckets.rows, range(buckets.n)))
            )
            write_arrays(folder, reporter.each(parts, of=buckets.n), n_nodes, encoding=encoding)
        reporter.finish(objective=float("nan"))
    return path


@contextmanager
def _writing(path: Path, progress: Any) -> Iterator[tuple[Path, ProgressReporter]]:
    """Yield the folder that becomes `path` at the end, and what reports progress."""
    with (
        callback_of(progress) as callback,
        closing(ProgressReporter(callback)) as reporter,
        new_graph_folder(path) as folder,
    ):
        yield folder, reporter


def _room(memory: int | str) -> int:
    """Return the number of entries that memory has room for."""
    return max(1, _bytes(memory) // BYTES_PER_ENTRY)


def _write_graph(
    path: Path, graph: Graph, *, memory: int | str, encoding: str, progress: Any
) -> Path:
    check_choice("encoding", encoding, ENCODINGS)
    with _writing(path, progress) as (folder, reporter):
        with reporter.part(1.0, "blocks"):
            rows = rows_of(graph, _room(memory), reporter)
            write_arrays(folder, rows, graph.n_nodes, encoding=encoding)
        reporter.finish(objective=float("nan"))
    return path


def rows_of(
    graph: Graph, room: int, reporter: ProgressReporter | None = None
) -> Iterator[tuple[int, int, Keys, Array | None]]:
    """Yield the rows of a graph, in ranges of at most `room` entries, as `combined` has them."""
    indptr, weights = graph.indptr, graph.weights
    ranges = list(pairwise(_cuts(np.diff(indptr).astype(np.int64), room).tolist()))
    for first, end in ranges if reporter is None else reporter.each(ranges, of=len(ranges)):
        begin, last = indptr[first], indptr[end]
        pairs = np.repeat(np.arange(end - first, dtype=np.uint64), np.diff(indptr[first : end + 1]))
        pairs <<= BY_PAIR
        pairs |= graph.columns(first, end).astype(np.uint64)
        yield first, end, pairs, None if weights is None else weights[begin:last]


def _cuts(counts: npt.NDArray[np.int64], room: int) -> npt.NDArray[np.int64]:
    """Return the bounds of row ranges with at most `room` entries each."""
    ends = np.cumsum(counts)
    cuts, last = [0], 0
    while cuts[-1] < len(counts):
        row = min(int(np.searchsorted(ends, last + room, side="right")), cuts[-1] + MOST_ROWS)
        if row == cuts[-1]:
            raise MemoryError(
                f"node {row} has {counts[row]:,} entries, which take "
                f"{counts[row] * BYTES_PER_ENTRY:,} bytes to sort: raise `memory`."
            )
        cuts.append(row)
        last = int(ends[row - 1])
    return np.array(cuts if len(cuts) > 1 else [0, 0])


def write_arrays(
    folder: Path,
    parts: Iterable[tuple[int, int, Keys, Array | None]],
    n_nodes: int,
    generation: int = 0,
    *,
    encoding: str = "plain",
) -> Manifest:
    """Write the files of a graph, the manifest last, and return it.

    Parameters
    ----------
    folder : Path
        The folder to write to.
    parts : iterable of (first, end, pairs, weights)
        Row ranges that cover all rows in order, with their entries as `combined` returns them.
    n_nodes : int
        Number of rows.
    generation : int, default=0
        Of the names of the files.
    encoding : {"plain", "gaps"}, default="plain"
        Of the columns.
    """
    ranges: list[RowRange] = []
    index = index_type(n_nodes)
    lengths = np.zeros(n_nodes, dtype=np.int64)
    with ExitStack() as stack:
        columns = ColumnFiles(folder, n_nodes, generation, encoding, stack)
        n_entries = 0
        weighted: ArrayFile | None = None
        for first, end, pairs, weights in parts:
            ends = np.arange(end - first + 1, dtype=np.uint64) << BY_PAIR
            lengths[first:end] = np.diff(np.searchsorted(pairs, ends))
            first_entry, first_byte = n_entries, columns.n_bytes
            checksums = columns.append(first, lengths[first:end], (pairs & COLUMN).astype(index))
            n_entries += len(pairs)
            row_range = RowRange(
                first, end, first_entry, n_entries, checksums, first_byte, columns.n_bytes
            )
            if weighted is None and weights is not None and (weights != 1).any():
                # The first weight other than 1: until now no weights were stored.
                dtype = np.float32 if weights.dtype == np.float32 else np.float64
                path = array_path(folder, WEIGHTS, generation)
                weighted = stack.enter_context(ArrayFile(path, dtype))
                for earlier in ranges:
                    earlier.checksums[WEIGHTS] = _append_ones(weighted, earlier)
            if weighted is not None:
                checksums[WEIGHTS] = (
                    _append_ones(weighted, row_range)
                    if weights is None
                    else weighted.append(weights)
                )
            ranges.append(row_range)
        columns.finish()
    dtypes = columns.dtypes
    if weighted is not None:
        dtypes[WEIGHTS] = weighted.dtype.str
    dtypes[OFFSETS] = _write_offsets(array_path(folder, OFFSETS, generation), ranges, lengths)
    manifest = Manifest(len(lengths), n_entries, dtypes, tuple(ranges), generation)
    manifest.write(folder)
    return manifest


def _append_ones(weights: ArrayFile, row_range: RowRange) -> int:
    checksum, left = 0, row_range.end_entry - row_range.first_entry
    while left:
        checksum = weights.append(np.ones(min(left, STEP), weights.dtype), checksum)
        left -= min(left, STEP)
    return checksum


def _write_offsets(path: Path, ranges: list[RowRange], lengths: npt.NDArray[np.int64]) -> str:
    """Write the row offsets (``indptr``); return their dtype."""
    dtype = offset_type(ranges[-1].end_entry)
    with ArrayFile(path, dtype) as offsets:
        offsets.append(np.zeros(1, dtype))
        for rows in ranges:
            ends = rows.first_entry + np.cumsum(lengths[rows.first_row : rows.end_row])
            rows.checksums[OFFSETS] = offsets.append(ends)
    return offsets.dtype.str


def _bytes(memory: int | str) -> int:
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(?:([KMGT]?)i?B)?\s*", str(memory), re.IGNORECASE)
    if match is None:
        raise ValueError(
            f'memory must be a number of bytes, or text such as "4GiB", got {memory!r}'
        )
    number, unit = match.groups()
    return int(float(number) * UNITS[(unit or "").upper()])
