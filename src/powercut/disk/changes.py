"""The file of changes of a graph folder: one record per update, appended.

A record is a sequence of arrays in NumPy's ``.npy`` format, the first of which has the names of the
others. It says what is there after the update: weights of edges, 0 for those that are not there,
and nodes that have gone. So a later record replaces what an earlier one says of the same edge, and
all of them are read as one `Change` of the arrays. Nodes keep their numbers from record to record:
those of the arrays, then those that came, whether or not others have gone.

The manifest has the length and the checksum of the records that count, and is replaced after a
record was written. A process that is killed before has appended bytes that nothing reads, and
that the next update overwrites.
"""

import io
import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError

import numpy as np

from powercut._atomic import sync_folder
from powercut._typing import Array, Positions
from powercut.disk.manifest import Changes, Manifest, changes_path
from powercut.graphs._adjacency import index_type
from powercut.graphs.edits import Change

Record = dict[str, Array]
# Arrays of a record that are the graph's; others belong to who has appended it.
EDGES, GONE, N_ALL = ("u", "v", "weight"), "gone", "n_all"
# Types that they have, in the order of `EDGES`.
NODES, WEIGHTS = ("<i4", "<i8"), ("|b1", "<f4", "<f8")


@dataclass(frozen=True)
class Nodes:
    """The nodes that the records have numbered.

    Attributes
    ----------
    n_all : int
        How many there have been.
    gone : ndarray of intp
        Those that have gone, sorted.
    """

    n_all: int
    gone: Positions

    def numbers(self, positions: Positions) -> Positions:
        """Return the numbers of nodes, which are counted without those that have gone."""
        shifts = np.searchsorted(self.gone - np.arange(len(self.gone)), positions, side="right")
        return positions + shifts

    def after(self, change: Change) -> "Nodes":
        """Return the nodes after a change, which counts them without those that have gone."""
        gone = np.union1d(self.gone, self.numbers(change.gone))
        return Nodes(self.n_all + change.n_came, gone)


def record_of(change: Change, nodes: Nodes) -> Record:
    """Return the record of a change of a graph with these nodes."""
    n_all = nodes.n_all + change.n_came
    index = np.dtype(index_type(n_all)).newbyteorder("<")
    ends = (nodes.numbers(end).astype(index) for end in (change.u, change.v))
    weight = change.weight.astype(change.weight.dtype.newbyteorder("<"), copy=False)
    gone = nodes.numbers(change.gone).astype(index)
    arrays = (*ends, weight, gone, np.array([n_all], dtype="<i8"))
    return dict(zip((*EDGES, GONE, N_ALL), arrays, strict=True))


def append(folder: Path, manifest: Manifest, record: Record, *, n_entries: int) -> Changes:
    """Write a record after those of the manifest, and return what the next manifest says."""
    data = io.BytesIO()
    names = json.dumps(list(record)).encode()
    for array in (np.frombuffer(names, dtype=np.uint8), *record.values()):
        np.lib.format.write_array(data, array, version=(1, 0), allow_pickle=False)
    path, before = changes_path(folder, manifest.generation), manifest.changes
    is_new = not path.exists()
    with path.open("wb" if is_new else "r+b") as file:
        file.seek(before.n_bytes)
        file.truncate()
        file.write(data.getbuffer())
        file.flush()
        os.fsync(file.fileno())
    if is_new:
        sync_folder(folder)
    checksum = zlib.crc32(data.getbuffer(), before.checksum)
    n_bytes = before.n_bytes + data.getbuffer().nbytes
    return Changes(n_bytes, before.n_entries + n_entries, checksum)


def read(folder: Path, manifest: Manifest) -> list[Record]:
    """Return the records of a folder; raise if they are damaged, or not those of its graph."""
    expected, path = manifest.changes, changes_path(folder, manifest.generation)
    if not expected.n_bytes:
        return []
    try:
        with path.open("rb") as file:
            data = file.read(expected.n_bytes)
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error}. {REMEDY}") from error
    if len(data) < expected.n_bytes or zlib.crc32(data) != expected.checksum:
        raise ValueError(f"{path} is damaged: the checksum of the changes is wrong. {REMEDY}")
    try:
        records = list(_parsed(io.BytesIO(data), len(data)))
        n_all = manifest.n_nodes
        for record in records:
            n_all = _checked(record, n_all)
    # NumPy evaluates headers of arrays as expressions of Python, which they may not be.
    except (ValueError, KeyError, TypeError, SyntaxError, TokenError) as error:
        raise ValueError(
            f"{path} has changes that no graph has, although their checksum is right: {error}. "
            f"{REMEDY}"
        ) from error
    return records


REMEDY = "Write the folder again with powercut.disk.write_blocks."


def combined(manifest: Manifest, records: list[Record]) -> tuple[Change, Nodes]:
    """Return the change that records make together, and the nodes after it."""
    n_all = int(records[-1][N_ALL][0]) if records else manifest.n_nodes
    gone = [record[GONE] for record in records]
    nodes = Nodes(n_all, np.sort(np.concatenate([np.empty(0, np.intp), *gone])))
    # The type of the weights is that of the last graph.
    dtype = records[-1]["weight"].dtype if records else np.dtype(np.bool_)
    ends = [np.stack([record["u"], record["v"]]).astype(np.intp) for record in records]
    u, v = np.concatenate([np.empty((2, 0), np.intp), *ends], axis=1)
    weights = [record["weight"].astype(dtype) for record in records]
    weight = np.concatenate([np.empty(0, dtype), *weights])
    # The last record of each edge counts, and `unique` returns the first.
    last = len(u) - 1 - np.unique((u * n_all + v)[::-1], return_index=True)[1]
    stays = np.ones(n_all, dtype=np.bool_)
    stays[nodes.gone] = False
    last = last[stays[u[last]] & stays[v[last]]]
    came = n_all - manifest.n_nodes
    return Change(u[last], v[last], weight[last], nodes.gone, came), nodes


def _parsed(file: io.BytesIO, n_bytes: int) -> Iterator[Record]:
    while file.tell() < n_bytes:
        names = json.loads(_array(file).tobytes())
        yield {name: _array(file) for name in names}


def _array(file: io.BytesIO) -> Array:
    array: Array = np.lib.format.read_array(file, allow_pickle=False)
    return array


def _checked(record: Record, n_before: int) -> int:
    """Return how many nodes there were up to a record; raise if it does not follow from others."""
    u, v, weight = (record[name] for name in EDGES)
    gone, n_all = record[GONE], int(record[N_ALL][0])
    for array, types in ((u, NODES), (v, NODES), (gone, NODES), (weight, WEIGHTS)):
        if array.ndim != 1 or array.dtype.str not in types:
            raise ValueError(f"an array of type {array.dtype.str} has shape {array.shape}")
    if not len(u) == len(v) == len(weight):
        raise ValueError("edges have ends and weights of several lengths")
    if n_all < n_before:
        raise ValueError(f"{n_before} nodes become {n_all}")
    for ends in (u, v, gone):
        if len(ends) and not 0 <= ends.min() <= ends.max() < n_all:
            raise ValueError(f"a node is not one of {n_all}")
    if len(weight) and not (weight.min() >= 0 and weight.max() < np.inf):
        raise ValueError("a weight is negative or not finite")
    return n_all
