"""The neighbour graph of an AnnData file."""

import math
import os
from functools import partial
from typing import Any

from powercut.io._errors import fail, missing
from powercut.io._hdf5_strings import HDF5Strings
from powercut.io._named import NamedGraph, Options, as_names, check_nodes, graph_of_matrix
from powercut.io._source import Limit, Source

# Groups within groups in what AnnData stores for one matrix, or for names.
MOST_NESTED = 3


def read(source: Source, options: Options) -> NamedGraph:
    """Read only ``obsp[key]`` and the names of the observations."""
    try:
        import h5py
        from anndata.io import read_elem
    except ImportError as error:
        raise missing("anndata", "an AnnData file") from error
    limit = Limit(source, options.max_bytes)
    if isinstance(source, str | os.PathLike):
        limit.stored = os.stat(source).st_size  # a clearer error than h5py's for a missing file
    else:
        limit.stored = source.seek(0, os.SEEK_END)
    with h5py.File(source, "r") as file:
        obsp = file["obsp"] if _is_inside(file, "obsp") else None
        kept = sorted(obsp) if isinstance(obsp, h5py.Group) else []
        if options.key not in kept:
            fail(
                source,
                f"there is no obsp[{options.key!r}], only {kept}: run scanpy.pp.neighbors, or "
                "pass another key",
            )
        check = _Check(file, source, limit)
        stored = check.member(obsp, options.key, numbers=True)
        if "shape" in stored.attrs:
            check_nodes(stored.attrs["shape"], limit)
        graph = graph_of_matrix(read_elem(stored), options)
        obs = check.member(file, "obs", contents=False)
        index = check.member(obs, obs.attrs["_index"])
        names = as_names([str(name) for name in read_elem(index)])
        if len(names) != graph.n_nodes:
            fail(source, f"obs has {len(names)} names for the {graph.n_nodes} nodes of the graph")
        return NamedGraph(graph, names)


def _is_inside(group: Any, name: str) -> bool:
    """Return whether a group has a member that is stored in the file itself."""
    import h5py

    return isinstance(group.get(name, getlink=True), h5py.HardLink)


class _Check:
    """Refuses links, other files, and arrays over the limit, before anything is read."""

    def __init__(self, file: Any, source: Source, limit: Limit) -> None:
        self._source, self._limit = source, limit
        self._strings = HDF5Strings(file, source)
        self._n_bytes = 0

    def member(
        self,
        group: Any,
        name: Any,
        *,
        contents: bool = True,
        numbers: bool = False,
        depth: int = 0,
    ) -> Any:
        """Return a member of a group, after a check of it and, unless told not to, its contents.

        If it is to have `numbers`, strings are refused before they are read: a few bytes declare
        some of gigabytes.
        """
        import h5py

        if not isinstance(name, str) or name not in group.keys():  # noqa: SIM118 (not a path)
            fail(self._source, f"there is no {name!r} in {group.name}")
        if not _is_inside(group, name):
            fail(self._source, f"{group.name}/{name} is a link, and links are not followed")
        found = group[name]
        self._take(self._strings.in_attributes(found), found.name)
        if isinstance(found, h5py.Dataset):
            if numbers and found.dtype.kind not in "biuf":
                fail(self._source, f"{found.name} has no numbers")
            self._dataset(found)
        elif not isinstance(found, h5py.Group) or depth == MOST_NESTED:
            fail(self._source, f"{found.name} is not stored as by AnnData")
        elif contents:
            for inner in found:
                self.member(found, inner, numbers=numbers, depth=depth + 1)
        return found

    def _dataset(self, stored: Any) -> None:
        import h5py

        if stored.external or stored.is_virtual:
            fail(self._source, f"{stored.name} is stored in other files, which are not read")
        # A chunk is read whole, even if only its first number is in the dataset.
        largest = max(stored.size, math.prod(stored.chunks or (0,)))
        self._take(largest * stored.dtype.itemsize, stored.name)
        if stored.chunks:
            stored.id.chunk_iter(partial(self._chunk, stored.name))
        if h5py.check_vlen_dtype(stored.dtype) is None:
            return
        if stored.ndim != 1 or not h5py.check_string_dtype(stored.dtype):
            fail(self._source, f"{stored.name} is not stored as by AnnData")
        self._take(self._strings.in_dataset(stored), stored.name)

    def _chunk(self, name: str, chunk: Any) -> None:
        if chunk.byte_offset + chunk.size > self._limit.stored:
            fail(self._source, f"a part of {name} would end after the file")

    def _take(self, n_bytes: int, name: str) -> None:
        self._n_bytes += int(n_bytes)
        self._limit.check(self._n_bytes, f"what is stored up to {name}")
