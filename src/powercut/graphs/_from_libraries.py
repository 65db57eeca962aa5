"""Edge lists of the graphs of other libraries, for the constructors of `Graph`.

None of the libraries is imported: an object is recognised by the package of its class.
"""

from typing import Any

import numpy as np

from powercut._typing import LABEL, Array

# Two ends of each edge, the weights (None: all 1), and the number of nodes.
Edges = tuple[Array, Array, Any, int]
# The attribute that both libraries use for weights; edges without it have weight 1 there.
DEFAULT_WEIGHT = "weight"


def library_of(obj: Any) -> str | None:
    """Return ``"networkx"`` or ``"igraph"`` if `obj` is a graph of this library, else None."""
    if not hasattr(obj, "is_directed"):
        return None
    packages = {kind.__module__.partition(".")[0] for kind in type(obj).__mro__}
    return next((name for name in ("networkx", "igraph") if name in packages), None)


def networkx_edges(graph: Any, weight: str | None) -> Edges:
    """Return the edges of an undirected networkx graph; node i is ``list(graph.nodes)[i]``."""
    if graph.is_directed():
        raise ValueError(
            "the networkx graph is directed: pass graph.to_undirected(), which keeps one of two "
            "opposite edges. To add up their weights: Graph.from_edges(networkx."
            'to_pandas_edgelist(graph), symmetrize="sum")'
        )
    number = {node: i for i, node in enumerate(graph)}
    ends = np.fromiter((number[node] for edge in graph.edges() for node in edge), LABEL)
    values = None
    if weight is not None:
        edges = graph.edges(data=True)
        if weight != DEFAULT_WEIGHT and edges and not any(weight in edge[2] for edge in edges):
            raise missing_attribute(weight)
        values = np.array([w for _, _, w in graph.edges(data=weight, default=1)])
    return ends[::2], ends[1::2], values, len(number)


def networkx_names(graph: Any) -> Array | None:
    """Return the nodes of a networkx graph, None if they are 0, 1, 2, ..."""
    nodes = list(graph)
    if all(type(node) is int for node in nodes):
        if nodes == list(range(len(nodes))):
            return None
        if max(map(abs, nodes)) < 2**63:
            return np.array(nodes, dtype=np.int64)
    names = np.empty(len(nodes), dtype=object)
    names[:] = nodes
    return names


def igraph_names(graph: Any) -> Array | None:
    """Return the names of the vertices of an igraph graph, None if they have none."""
    if "name" not in graph.vs.attributes():
        return None
    names = np.empty(graph.vcount(), dtype=object)
    names[:] = graph.vs["name"]
    return names


def igraph_edges(graph: Any, weight: str | None) -> Edges:
    """Return the edges of an undirected igraph graph, with its vertex ids."""
    if graph.is_directed():
        raise ValueError(
            'the igraph graph is directed: pass graph.as_undirected(combine_edges="sum")'
        )
    ends = np.array(graph.get_edgelist(), dtype=LABEL).reshape(-1, 2)
    known = weight in graph.es.attributes()
    if not known and weight not in (None, DEFAULT_WEIGHT) and len(ends):
        raise missing_attribute(weight)
    values = graph.es[weight] if known else None
    return ends[:, 0], ends[:, 1], values, graph.vcount()


def missing_attribute(weight: str | None) -> ValueError:
    """Return the error for an attribute that no edge has."""
    return ValueError(
        f"no edge has the attribute {weight!r}; name the attribute of the weights, or pass "
        "weight=None to give every edge the weight 1"
    )
