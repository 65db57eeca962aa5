"""The neighbour graph of an AnnData file."""

import os

from powercut.io._named import NamedGraph, Options, as_names, graph_of_matrix
from powercut.io._source import Source, errors_named, fail, missing


def read(source: Source, options: Options) -> NamedGraph:
    """Read only ``obsp[key]`` and the names of the observations."""
    try:
        import h5py
        from anndata.io import read_elem
    except ImportError as error:
        raise missing("anndata", "an AnnData file") from error
    if isinstance(source, str | os.PathLike):
        os.stat(source)  # has a clearer error than h5py for a missing file
    with errors_named(source, "AnnData"), h5py.File(source, "r") as file:
        kept = sorted(file["obsp"]) if "obsp" in file else []
        if options.key not in kept:
            fail(
                source,
                f"there is no obsp[{options.key!r}], only {kept}: run scanpy.pp.neighbors, or "
                "pass another key",
            )
        matrix = read_elem(file["obsp"][options.key])
        index = file["obs"].attrs["_index"]
        names = as_names([str(name) for name in read_elem(file["obs"][index])])
        return NamedGraph(graph_of_matrix(matrix, options), names)
