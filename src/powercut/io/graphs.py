"""Reading graphs in any format, and writing them."""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from powercut._typing import LABEL
from powercut.disk.manifest import is_graph_folder
from powercut.graphs.graph import Graph
from powercut.io._errors import file_errors
from powercut.io._named import MIRRORS, NamedGraph, Options
from powercut.io._source import Source, check_arguments, format_of
from powercut.io._tables import Column, as_column, write_text, written
from powercut.io.edge_list import looks_like_header

# For each format: module and function that read it, its options, and the default of symmetrize:
# edge lists have each edge once or twice, matrices always twice.
FORMATS: dict[str, tuple[str, str, frozenset[str], str | None]] = {
    "edges": ("edge_list", "read", frozenset({"ids", "weighted", "header"}), "max"),
    "snap": ("edge_list", "read_snap", frozenset({"ids", "weighted", "header"}), "max"),
    "metis": ("metis", "read", frozenset(), None),
    "matrixmarket": ("matrix_market", "read", frozenset(), None),
    "graphml": ("graphml", "read", frozenset(), None),
    "parquet": ("arrow", "read_parquet", frozenset({"ids", "columns"}), "max"),
    "arrow": ("arrow", "read_ipc", frozenset({"ids", "columns"}), "max"),
    "npz": ("npz", "read", frozenset(), None),
    "h5ad": ("h5ad", "read", frozenset({"key"}), None),
    "folder": ("folder", "read", frozenset(), None),
}
SUFFIXES = {
    ".metis": "metis",
    ".graph": "metis",
    ".mtx": "matrixmarket",
    ".graphml": "graphml",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".npz": "npz",
    ".h5ad": "h5ad",
    ".snap": "snap",
    ".edges": "edges",
    ".folder": "folder",
}


def read_graph(
    source: Any,
    *,
    format: str | None = None,  # noqa: A002 (what pandas, networkx and others call it)
    symmetrize: str | None = "auto",
    ids: str = "auto",
    weighted: bool | None = None,
    header: bool | None = None,
    columns: Iterable[str] | None = None,
    key: str | None = None,
    max_bytes: int | None = None,
) -> NamedGraph:
    r"""Read a graph from a file, a pipe or a table.

    ======================  ======================================================================
    ``edges``               Text, one edge per line: two ends and optionally a weight, separated by
                            spaces, tabs, a comma or a semicolon. Lines that begin with # or %
                            are comments.
    ``snap``                The same, with a SNAP header that states the numbers of nodes and
                            edges, which are checked.
    ``metis``               One line per node, with its neighbours.
    ``matrixmarket``        A square matrix.
    ``graphml``             Read by networkx.
    ``parquet``, ``arrow``  Columns of ends and optionally weights. Tables in memory, of any type
                            with ``__arrow_c_stream__``, are read in the same way.
    ``npz``                 A sparse matrix of SciPy.
    ``h5ad``                The neighbour graph of an AnnData file.
    ``folder``              A folder of `powercut.disk.write_blocks`; its arrays are mapped.
    ======================  ======================================================================

    All but the last two may be compressed with gzip or zstd, which is detected by the first bytes.
    Errors are never repaired silently: a malformed file is refused, with its name and, for text,
    the line and the column. In text that is separated by tabs, commas or semicolons, names may be
    quoted as in CSV.

    Parameters
    ----------
    source : path, binary file, or Arrow table
        Where to read.
    format : str, optional
        A format of the table. Default: determined by the suffix; with any other suffix, a folder
        or an edge list, whose counts are checked if it has a SNAP header.
    symmetrize : {"auto", "sum", "max", "mean"} or None, default="auto"
        How to combine the two directions of an edge, as in `powercut.Graph.from_edges`; None
        requires both, with equal weights. ``"auto"`` is ``"max"`` for lists and tables of edges,
        where an edge may be listed once or in both directions, and None for matrices, METIS and
        GraphML. Weights of an edge that is listed repeatedly in the same direction are summed.
    ids : {"auto", "numbers", "names"}, default="auto"
        Type of the ends of edges: 64-bit integers, or names. ``"auto"`` decides by the first
        edge. The graph has only nodes that occur in an edge; numbers are sorted, names are in
        order of first occurrence.
    weighted : bool, optional
        Whether the third column of text is the weight. Default: True if there are three columns.
    header : bool, optional
        Whether the first line of text is a header. Default: detected from the first two lines.
    columns : sequence of str, optional
        Columns of a table with the two ends and optionally the weight. Default: all columns,
        if there are two or three.
    key : str, default="connectivities"
        Entry of ``obsp`` in an AnnData file.
    max_bytes : int, optional
        Most bytes that the content may take: text and arrays without compression, and 8 bytes
        for each node that a file declares, with or without edges. Default: 64 MiB, or 100 times
        the size of the file if that is more, so that a small file cannot fill the memory.

    Returns
    -------
    NamedGraph
        ``graph`` and ``names`` (None if the names are 0, 1, 2, ...).

    Raises
    ------
    FileError
        If the content is invalid, or over the limit.

    Examples
    --------
    >>> import io
    >>> from powercut.io import read_graph
    >>> graph, names = read_graph(io.BytesIO(b"ann bob 2\nbob carl 1\n"))
    >>> graph
    Graph(3 nodes, 2 edges, weighted)
    >>> list(names)
    ['ann', 'bob', 'carl']
    """
    if symmetrize not in ("auto", *MIRRORS):
        raise ValueError(
            f'symmetrize must be "auto", "sum", "max", "mean" or None, got {symmetrize!r}'
        )
    if ids not in ("auto", "numbers", "names"):
        raise ValueError(f'ids must be "auto", "numbers" or "names", got {ids!r}')
    check_arguments(source, max_bytes)
    given = {
        "ids": None if ids == "auto" else ids,
        "weighted": weighted,
        "header": header,
        "columns": None if columns is None else tuple(columns),
        "key": key,
    }
    reader, kind, takes, default = _reader(source, format)
    for name, value in given.items():
        if value is not None and name not in takes:
            raise ValueError(f"{name} is not an option of the format {kind!r}")
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if len(chosen.get("columns", "uv")) not in (2, 3):
        raise ValueError(
            f"columns must be (source, target) or (source, target, weight), got {chosen['columns']}"
        )
    how = default if symmetrize == "auto" else symmetrize
    with file_errors(source, kind):
        named = reader(source, Options(how, **chosen, max_bytes=max_bytes))
        named.graph.check_sum()
        named.graph.names = named.names
        return named


def _reader(
    source: Any, given: str | None
) -> tuple[Callable[[Any, Options], NamedGraph], str, frozenset[str], str | None]:
    if given is None and hasattr(source, "__arrow_c_stream__"):
        module, function, kind = "arrow", "read_table", "arrow"
    else:
        kind = format_of(source, given, SUFFIXES, "edges")
        if given is None and is_graph_folder(source):
            kind = "folder"
        module, function, _, _ = FORMATS[kind]
        if given is None and kind == "edges":
            function = "read_text"
    reader: Callable[[Any, Options], NamedGraph]
    reader = getattr(import_module(f"powercut.io.{module}"), function)
    return reader, kind, *FORMATS[kind][2:]


def write_graph(
    target: str | Any,
    graph: Graph,
    *,
    names: npt.ArrayLike | None = None,
    format: str | None = None,  # noqa: A002
) -> None:
    r"""Write a graph as text with one line per edge, as a sparse matrix of SciPy, or as a folder.

    Parameters
    ----------
    target : path or binary file
        Where to write. A path that ends in ``.gz`` is compressed. A folder must be new.
    graph : Graph
        The graph.
    names : array-like of shape (n_nodes,), optional
        Names of the nodes in text. Default: 0, 1, 2, ... Isolated nodes are not in the text.
        Names that are not plain words are quoted as in CSV, and read back unchanged; if all of
        them look like integers, read them with ``ids="names"``.
    format : {"edges", "npz", "folder"}, optional
        Default: determined by the suffix, else ``edges``. ``folder``: as
        `powercut.disk.write_blocks` writes it.

    Examples
    --------
    >>> import io
    >>> from powercut import Graph
    >>> from powercut.io import write_graph
    >>> file = io.BytesIO()
    >>> write_graph(file, Graph.from_edges([0, 1], [1, 2], symmetrize="max"))
    >>> file.getvalue()
    b'0\t1\n1\t2\n'
    """
    suffixes = {".npz": "npz", ".edges": "edges", ".folder": "folder"}
    kind = format_of(target, format, suffixes, "edges")
    if kind != "edges" and names is not None:
        raise ValueError(f"the format {kind!r} has no names; write 'edges', or leave names out")
    if kind == "folder":
        from powercut.io import folder

        folder.write(target, graph)
        return
    with written(target) as file:
        if kind == "npz":
            from powercut.io import npz

            npz.write(file, graph)
        else:
            _write_edges(file, graph, None if names is None else as_column(names))


def _write_edges(file: BinaryIO, graph: Graph, names: npt.NDArray[Any] | None) -> None:
    rows = np.repeat(np.arange(graph.n_nodes, dtype=LABEL), np.diff(graph.indptr))
    once = rows <= graph.indices
    ends: list[Column] = [rows[once], graph.indices[once]]
    if names is not None:
        ends = [names[end] for end in ends]
    weights: list[Column] = [] if graph.weights is None else [graph.weights[once]]
    columns = [*ends, *weights]
    first = [list(map(str, row)) for row in zip(*(column[:2] for column in columns), strict=True)]
    if first and looks_like_header(first):
        # Without a header the first edge would be read as one.
        file.write("\t".join(("source", "target", "weight")[: len(columns)]).encode() + b"\n")
    write_text(file, columns, "\t")


__all__ = ["FORMATS", "NamedGraph", "Source", "read_graph", "write_graph"]
