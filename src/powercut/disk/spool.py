"""Temporary files of edges and matrix entries, for sorting on disk."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from powercut._typing import LABEL, Array, IntArray
from powercut.disk.sorting import MOST_NODES, Keys, both_directions, moved_to
from powercut.graphs._adjacency import (
    as_float,
    as_ids,
    check_dtype,
    check_ids,
    check_size,
    check_weights,
)


class Spool:
    """Edges in temporary files, in their original order, with an entry count per node.

    Attributes
    ----------
    weight_type : dtype or None
        None for edges without weights.
    """

    def __init__(self, folder: Path, n_nodes: int | None, *, step: int) -> None:
        if n_nodes is not None:
            check_size(n_nodes)
            if n_nodes > MOST_NODES:
                raise ValueError(f"a folder has at most {MOST_NODES:,} nodes, got {n_nodes:,}.")
        self.folder = folder
        self.step = step
        self.weight_type: np.dtype[Any] | None = None
        self._n_edges = 0
        self._n_chunks = 0
        self._is_open = n_nodes is None
        self._counts = np.zeros(n_nodes or 0, dtype=np.int64)
        self._n_nodes = n_nodes or 0

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """Number of entries of each node, before duplicates are combined."""
        return self._counts[: self._n_nodes]

    @property
    def n_steps(self) -> int:
        """How many chunks `entries` yields."""
        return -(-self._n_edges // self.step)

    def append(self, chunk: Sequence[npt.ArrayLike]) -> None:
        """Check a chunk of edges and append it to the files."""
        u, v, weight = self._checked(chunk)
        self._n_chunks += 1
        self._n_edges += len(u)
        columns = {"u": u.astype(LABEL, copy=False), "v": v.astype(LABEL, copy=False)}
        if weight is not None:
            columns["weight"] = weight
        for name, column in columns.items():
            _append(self._file(name), column)
        self._grow(1 + max(int(u.max(initial=-1)), int(v.max(initial=-1))))
        np.add.at(self._counts, u, 1)
        np.add.at(self._counts, v[u != v], 1)

    def entries(self) -> Iterator[tuple[IntArray, Keys, Array | None]]:
        """Yield rows, keys in row 0 and weights of all entries, in both directions, in chunks."""
        if self._n_edges == 0:
            return
        with ExitStack() as stack:
            names = ["u", "v"] if self.weight_type is None else ["u", "v", "weight"]
            files = [stack.enter_context(self._file(name).open("rb")) for name in names]
            types = [np.dtype(LABEL), np.dtype(LABEL), self.weight_type]
            for _ in range(self.n_steps):
                u, v, *weight = (
                    np.fromfile(file, dtype, self.step)
                    for file, dtype in zip(files, types, strict=False)
                )
                rows, keys, edge = both_directions(u, v)
                yield rows, keys, weight[0][edge] if weight else None

    def remove(self) -> None:
        """Remove the files."""
        for name in ("u", "v", "weight"):
            self._file(name).unlink(missing_ok=True)

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.spool"

    def _checked(self, chunk: Sequence[npt.ArrayLike]) -> tuple[Array, Array, Array | None]:
        where = f"edges[{self._n_chunks}]"
        if not 2 <= len(chunk) <= 3:
            raise ValueError(f"{where} has {len(chunk)} arrays; give (u, v) or (u, v, weight).")
        u, v = as_ids(f"{where}: u", chunk[0]), as_ids(f"{where}: v", chunk[1])
        n = MOST_NODES if self._is_open else self._n_nodes
        check_ids(f"{where}: u", u, n)
        check_ids(f"{where}: v", v, n)
        weight = None
        if len(chunk) == 3:
            weight = np.asarray(chunk[2])
            check_dtype(weight.dtype)
            weight = as_float(weight)
            check_weights(weight, lambda at: (u[at], v[at]))
        shapes = [array.shape for array in (u, v, weight) if array is not None]
        if set(shapes) != {(u.size,)}:
            raise ValueError(f"{where}: u, v and weight must have one length, got shapes {shapes}")
        weight_type = None if weight is None else weight.dtype
        if self._n_chunks == 0:
            self.weight_type = weight_type
        elif str(weight_type) != str(self.weight_type):  # as text: NumPy takes None for float64
            raise ValueError(
                f"{where} has weights of type {weight_type}, and earlier chunks of type "
                f"{self.weight_type}; give all edges weights of one type, or none."
            )
        return u, v, weight

    def _grow(self, n: int) -> None:
        """Make room for the counts of at least n nodes."""
        if n > len(self._counts):
            more = np.zeros(max(n, len(self._counts) * 5 // 4), dtype=np.int64)
            more[: self._n_nodes] = self.counts
            self._counts = more
        self._n_nodes = max(self._n_nodes, n)


class Buckets:
    """Matrix entries in temporary files, one file per row range.

    Attributes
    ----------
    cuts : ndarray of int64
        First row of each range, then the end of the last one.
    """

    def __init__(
        self, folder: Path, cuts: npt.NDArray[np.int64], weight_type: np.dtype[Any] | None
    ) -> None:
        self.folder = folder
        self.cuts = cuts
        self.weight_type = weight_type

    @property
    def n(self) -> int:
        """Number of buckets."""
        return len(self.cuts) - 1

    def rows(self, number: int) -> tuple[int, int]:
        """Return the first row and the end row of a bucket."""
        return int(self.cuts[number]), int(self.cuts[number + 1])

    def append(self, rows: IntArray, keys: Keys, weights: Array | None) -> None:
        """Append entries, given by rows and keys in row 0, to the files of their row ranges."""
        bucket = np.searchsorted(self.cuts[1:-1], rows, side="right")
        keys = moved_to(rows - self.cuts[bucket], keys)
        # As 8 or 16 bits, for which NumPy's stable sort is a radix sort.
        order = np.argsort(bucket.astype(np.min_scalar_type(self.n)), kind="stable")
        ends = np.cumsum(np.bincount(bucket, minlength=self.n))
        for name, values in (("keys", keys), ("weights", weights)):
            if values is not None:
                for number, part in enumerate(np.split(values[order], ends[:-1])):
                    _append(self._file(name, number), part)

    def take(self, number: int) -> tuple[Keys, Array | None]:
        """Return the entries of a bucket, and remove its files."""
        keys: Keys = self._take("keys", number, np.dtype(np.uint64))
        if self.weight_type is None:
            return keys, None
        return keys, self._take("weights", number, self.weight_type)

    def _take(self, name: str, number: int, dtype: np.dtype[Any]) -> Array:
        path = self._file(name, number)
        if not path.exists():
            return np.empty(0, dtype)
        values = np.fromfile(path, dtype)
        path.unlink()
        return values

    def _file(self, name: str, number: int) -> Path:
        return self.folder / f"{name}.{number}.bucket"


def _append(path: Path, values: Array) -> None:
    # Not ndarray.tofile, whose error does not say that the disk is full.
    if len(values):
        with path.open("ab") as file:
            file.write(np.ascontiguousarray(values).data)
