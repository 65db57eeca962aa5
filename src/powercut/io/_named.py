"""A graph and the names of its nodes, made of edges that were read."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from powercut import _core
from powercut._typing import Array
from powercut.graphs.graph import Graph
from powercut.io._source import fail

Names = npt.NDArray[Any]

# By the names that Graph.from_edges has for them.
MIRRORS = {"sum": "sum", "max": "max", "mean": "mean", None: "equal"}


class NamedGraph(NamedTuple):
    """A graph that was read, and what its nodes are called.

    Attributes
    ----------
    graph : Graph
        The graph.
    names : ndarray of shape (n_nodes,) or None
        What each node is called in the file: strings (dtype object), or int64. None where
        the nodes are called 0, 1, 2, ..., as in the graph.
    """

    graph: Graph
    names: Names | None


@dataclass(frozen=True)
class Options:
    """What a format may be told; see `powercut.io.read_graph`."""

    symmetrize: str | None
    ids: str = "auto"
    weighted: bool | None = None
    header: bool | None = None
    columns: tuple[str, ...] | None = None
    key: str = "connectivities"


def graph_of_edges(edges: _core.EdgeList, source: Any, options: Options) -> NamedGraph:
    """Make the graph of all edges of a list, which is empty afterwards."""
    try:
        rows = edges.take_rows(MIRRORS[options.symmetrize])
    except _core.Asymmetric as error:
        i, j, there, back = error.args
        names = names_of(edges)
        u, v = (i, j) if names is None else (names[i], names[j])
        fail(
            source,
            f"the edge from {u} to {v} weighs {there:g}, and that from {v} to {u} {back:g}: "
            'combine both directions with symmetrize="sum" (or "max", "mean")',
        )
    names = names_of(edges)
    _check_sums(rows, names, source)
    return NamedGraph(Graph._of_rows(*rows), names)


def _check_sums(rows: tuple[Array, Array, Array | None], names: Names | None, source: Any) -> None:
    """Refuse weights that are finite each and infinite together."""
    offsets, indices, weights = rows
    if weights is None or weights.max(initial=0) < np.inf:
        return
    at = int(np.argmax(weights))
    i, j = int(np.searchsorted(offsets, at, side="right")) - 1, indices[at]
    u, v = (i, j) if names is None else (names[i], names[j])
    fail(source, f"the weights of the edges from {u} to {v} add up to infinity")


def names_of(edges: _core.EdgeList) -> Names | None:
    """Return what the nodes of a list of edges are called, None for 0, 1, 2, ..."""
    text, ends = edges.names()
    if len(ends):
        return as_names([text[a:b].decode() for a, b in zip([0, *ends[:-1]], ends, strict=True)])
    ids = edges.ids()
    return ids if len(ids) else None


def as_names(strings: list[str]) -> Names:
    """Return strings as an array: of objects, since one of them may be very long."""
    names = np.empty(len(strings), dtype=object)
    names[:] = strings
    return names


def graph_of_matrix(matrix: Any, options: Options) -> Graph:
    """Make the graph of a sparse matrix that was read."""
    if options.symmetrize is None:
        return Graph(matrix)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"the matrix must be square, and has shape {matrix.shape}")
    entries = matrix.tocoo()
    symmetrize: Any = options.symmetrize
    return Graph.from_edges(
        entries.row, entries.col, entries.data, n_nodes=matrix.shape[0], symmetrize=symmetrize
    )
