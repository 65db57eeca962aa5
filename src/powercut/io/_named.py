"""A graph with the names of its nodes, made from edges that were read."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut._typing import Array
from powercut.graphs.graph import Graph
from powercut.io._errors import fail
from powercut.io._source import Limit

Names = npt.NDArray[Any]

# Keys are the values of symmetrize in Graph.from_edges.
MIRRORS = {"sum": "sum", "max": "max", "mean": "mean", None: "equal"}


class NamedGraph(NamedTuple):
    """A graph that was read, and the names of its nodes.

    Attributes
    ----------
    graph : Graph
        The graph.
    names : ndarray of shape (n_nodes,) or None
        Name of each node in the file: strings (dtype object), or int64. None if
        the names are 0, 1, 2, ..., as in the graph.
    """

    graph: Graph
    names: Names | None


@dataclass(frozen=True)
class Options:
    """Options of the formats; see `powercut.io.read_graph`."""

    symmetrize: str | None
    ids: str = "auto"
    weighted: bool | None = None
    header: bool | None = None
    columns: tuple[str, ...] | None = None
    key: str = "connectivities"
    max_bytes: int | None = None


def graph_of_edges(edges: _core.EdgeList, source: Any, options: Options) -> NamedGraph:
    """Make a graph from a list of edges; the list is empty afterwards."""
    try:
        rows = edges.take_rows(MIRRORS[options.symmetrize])
    except _core.Asymmetric as error:
        i, j, there, back = error.args
        names = names_of(edges)
        u, v = (i, j) if names is None else (names[i], names[j])
        fail(
            source,
            f"the edge from {u} to {v} has weight {there:g}, but that from {v} to {u} has "
            f'{back:g}: combine the directions with symmetrize="sum" (or "max", "mean")',
        )
    names = names_of(edges)
    _check_sums(rows, names, source)
    graph = Graph._of_rows(*rows)
    graph.n_repeats = edges.repeats
    return NamedGraph(graph, names)


def _check_sums(rows: tuple[Array, Array, Array | None], names: Names | None, source: Any) -> None:
    """Refuse finite weights whose sum is infinite."""
    offsets, indices, weights = rows
    if weights is None or weights.max(initial=0) < np.inf:
        return
    at = int(np.argmax(weights))
    i, j = int(np.searchsorted(offsets, at, side="right")) - 1, indices[at]
    u, v = (i, j) if names is None else (names[i], names[j])
    fail(source, f"the weights of the edges from {u} to {v} add up to infinity")


def names_of(edges: _core.EdgeList) -> Names | None:
    """Return the names of the nodes of a list of edges, None for 0, 1, 2, ..."""
    text, ends = edges.names()
    if len(ends):
        return as_names([text[a:b].decode() for a, b in zip([0, *ends[:-1]], ends, strict=True)])
    ids = edges.ids()
    return ids if len(ids) else None


def as_names(strings: list[str]) -> Names:
    """Return strings as an array of objects: fixed width would make all as long as the longest."""
    names = np.empty(len(strings), dtype=object)
    names[:] = strings
    return names


def check_nodes(shape: Any, limit: Limit) -> None:
    """Refuse the shape of a matrix with more rows than the file may have nodes.

    A few bytes declare any number of nodes without edges.
    """
    for n_nodes in shape:
        limit.check(8 * int(n_nodes), f"a graph of {int(n_nodes):,} nodes")


def graph_of_matrix(matrix: Any, options: Options) -> Graph:
    """Make a graph from a sparse matrix that was read."""
    if options.symmetrize is None:
        return Graph(matrix)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"the matrix must be square, but has shape {matrix.shape}")
    entries = matrix.tocoo()
    symmetrize: Any = options.symmetrize
    return Graph.from_edges(
        entries.row, entries.col, entries.data, n_nodes=matrix.shape[0], symmetrize=symmetrize
    )
