"""Reading graphs from whatever file they are in, and writing them."""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from powercut.graphs.graph import Graph
from powercut.io._named import MIRRORS, NamedGraph, Options
from powercut.io._source import Source, format_of
from powercut.io._tables import Column, write_text, written

# Of each format: module and function that read it, the options it has, and how directions
# combine where nothing is said: lists of edges have each edge once or twice, matrices twice.
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
) -> NamedGraph:
    r"""Read a graph from a file, a pipe or a table.

    ======================  ======================================================================
    ``edges``               Text, an edge a line: two ends and perhaps a weight, separated by
                            spaces, tabs, a comma or a semicolon. Lines that begin with # or %
                            are comments.
    ``snap``                The same, with the numbers of nodes and edges above, as SNAP has it,
                            which are then checked.
    ``metis``               A line for each node, with its neighbours.
    ``matrixmarket``        A square matrix.
    ``graphml``             Through networkx.
    ``parquet``, ``arrow``  Columns of ends and perhaps weights. Tables in memory, of anything
                            with ``__arrow_c_stream__``, are read in the same way.
    ``npz``                 A sparse matrix of SciPy.
    ``h5ad``                The neighbour graph of an AnnData file.
    ======================  ======================================================================

    All may be compressed with gzip or zstd (``h5ad`` excepted), which is seen from their first
    bytes. Nothing is repaired in silence: what is wrong is refused, with the file and, in text,
    the line and the column.

    Parameters
    ----------
    source : path, binary file, or Arrow table
        Where to read.
    format : str, optional
        One of the table. By default told by the suffix; text without one that is known is a
        list of edges, whose numbers are checked if SNAP states them.
    symmetrize : {"auto", "sum", "max", "mean"} or None, default="auto"
        How both directions combine, as in `powercut.Graph.from_edges`; None asks for both to
        be there, and agree. ``"auto"`` is ``"max"`` for lists and tables of edges, where an edge
        may be listed once or in both directions, and None for matrices, METIS and GraphML. A pair
        that is listed more than once in the same direction is summed.
    ids : {"auto", "numbers", "names"}, default="auto"
        What the ends of edges are: whole numbers of 64 bits, or names. ``"auto"`` goes by the
        first edge. Only nodes that occur in an edge are there; numbers keep their order,
        names come in the order in which they occur.
    weighted : bool, optional
        Whether the third column of text is a weight; by default, if there are three.
    header : bool, optional
        Whether the first line of text holds names of columns; by default, if it reads so.
    columns : sequence of str, optional
        The columns of a table that hold the two ends and perhaps the weight; by default all,
        if there are two or three.
    key : str, default="connectivities"
        Which of ``obsp`` of an AnnData file.

    Returns
    -------
    NamedGraph
        ``graph`` and ``names`` (None where nodes are called 0, 1, 2, ...).

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
    given = {
        "ids": None if ids == "auto" else ids,
        "weighted": weighted,
        "header": header,
        "columns": None if columns is None else tuple(columns),
        "key": key,
    }
    reader, kind, takes, usual = _reader(source, format)
    for name, value in given.items():
        if value is not None and name not in takes:
            raise ValueError(f"{name} is no option of the format {kind!r}")
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    return reader(source, Options(usual if symmetrize == "auto" else symmetrize, **chosen))


def _reader(
    source: Any, given: str | None
) -> tuple[Callable[[Any, Options], NamedGraph], str, frozenset[str], str | None]:
    if given is None and hasattr(source, "__arrow_c_stream__"):
        module, function, kind = "arrow", "read_table", "arrow"
    else:
        kind = format_of(source, given, SUFFIXES, "edges")
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
    r"""Write a graph: a line of text for each edge, or a sparse matrix of SciPy.

    Parameters
    ----------
    target : path or binary file
        Where to write. A path that ends in ``.gz`` is compressed.
    graph : Graph
        The graph.
    names : array-like of shape (n_nodes,), optional
        What nodes are called in the text; by default 0, 1, 2, ... Text has only nodes with
        edges.
    format : {"edges", "npz"}, optional
        By default told by the suffix, ``edges`` if by nothing else.

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
    kind = format_of(target, format, {".npz": "npz", ".edges": "edges"}, "edges")
    with written(target) as file:
        if kind == "npz":
            from powercut.io import npz

            npz.write(file, graph)
        else:
            _write_edges(file, graph, None if names is None else np.asarray(names))


def _write_edges(file: BinaryIO, graph: Graph, names: npt.NDArray[Any] | None) -> None:
    rows = np.repeat(np.arange(graph.n_nodes, dtype=np.int32), np.diff(graph.indptr))
    once = rows <= graph.indices
    ends: list[Column] = [rows[once], graph.indices[once]]
    if names is not None:
        ends = [names[end] for end in ends]
    weights: list[Column] = [] if graph.weights is None else [graph.weights[once]]
    write_text(file, [*ends, *weights], "\t")


__all__ = ["FORMATS", "NamedGraph", "Source", "read_graph", "write_graph"]
