"""The backend: graphs as it holds them, and the functions of networkx that it serves."""

import inspect
from collections.abc import Hashable
from typing import Any

import networkx as nx
import numpy as np

from powercut.estimators.cut import PowerLawCut
from powercut.graphs.graph import Graph
from powercut.interop.node_sets import node_sets

# Graphs of fewer edges are left to networkx, which has its answer before a conversion is done.
WORTH_IT = 500


class BackendGraph:
    """An undirected networkx graph with one edge attribute for weights, as a `powercut.Graph`."""

    __networkx_backend__ = "powercut"

    def __init__(self, graph: Any, weight: str | None, default: float) -> None:
        self.nodes = list(graph)
        self.weight = weight
        number = {node: i for i, node in enumerate(self.nodes)}
        edges = list(graph.edges(data=weight, default=default) if weight else graph.edges())
        u, v = (np.array([number[edge[end]] for edge in edges], dtype=np.int32) for end in (0, 1))
        values = np.array([edge[2] for edge in edges] if weight else np.ones(len(edges)))
        # To networkx a loop counts twice in the degree of its node.
        values = np.where(u == v, 2 * values, values)
        self.graph = Graph.from_edges(u, v, values, n_nodes=len(self.nodes), symmetrize="sum")

    def is_directed(self) -> bool:
        """Tell that it is not."""
        return False

    def is_multigraph(self) -> bool:
        """Tell that it is not: parallel edges are one, of the sum of their weights."""
        return False

    def to_networkx(self) -> nx.Graph:
        """Return the graph that networkx knows."""
        graph = nx.Graph()
        graph.add_nodes_from(self.nodes)
        matrix = self.graph.adjacency.tocoo()
        for i, j, value in zip(*matrix.coords, matrix.data, strict=True):
            if i <= j:
                value = value / 2 if i == j else value
                graph.add_edge(
                    self.nodes[i], self.nodes[j], **({self.weight: value} if self.weight else {})
                )
        return graph


def convert_from_nx(
    graph: Any, *, edge_attrs: dict[str, Any] | None = None, **_preserved: Any
) -> BackendGraph:
    """Convert a networkx graph; what the functions served do not read is left behind."""
    if graph.is_directed():
        raise NotImplementedError("powercut has no directed graphs")
    ((weight, default),) = edge_attrs.items() if edge_attrs else ((None, 1),)
    try:
        return BackendGraph(graph, weight, default)
    except ValueError as error:
        # So that networkx may serve what powercut refuses, such as negative weights.
        raise NotImplementedError(str(error)) from error


def convert_to_nx(result: Any, **_name: Any) -> Any:
    """Convert a graph back; other results are as networkx has them."""
    return result.to_networkx() if isinstance(result, BackendGraph) else result


def louvain_communities(
    G: BackendGraph,
    weight: str | None = "weight",  # noqa: ARG001
    resolution: float = 1,
    threshold: float = 0.0000001,  # noqa: ARG001
    max_level: int | None = None,  # noqa: ARG001
    seed: Any = None,
) -> list[set[Hashable]]:
    """Return communities of large modularity, the largest first."""
    return _communities(G, resolution, seed)


def leiden_communities(
    G: BackendGraph,
    weight: str | None = "weight",  # noqa: ARG001
    resolution: float = 1,
    max_level: int | None = None,  # noqa: ARG001
    seed: Any = None,
) -> list[set[Hashable]]:
    """Return communities of large modularity, each of them connected, the largest first."""
    return _communities(G, resolution, seed)


def _communities(G: BackendGraph, resolution: float, seed: Any) -> list[set[Hashable]]:
    random_state = nx.utils.create_py_random_state(seed).randint(0, 2**31 - 1)
    model = PowerLawCut(
        "modularity", tradeoff=0.0, resolution=resolution, random_state=random_state
    )
    return node_sets(G.nodes, model.fit(G.graph).labels_)


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Tell whether a function can be served with these arguments, or why not."""
    given = _arguments(name, args, kwargs)
    if given["G"].is_directed():
        return "powercut has no directed graphs"
    if given["max_level"] is not None:
        return "powercut's search has no levels to stop at; max_level must be None"
    if given["resolution"] < 0:
        return "resolution must not be negative"
    if name == "louvain_communities" and given["threshold"] != _default(name, "threshold"):
        return "powercut's search ends where no move gains; threshold must be the default"
    return True


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Tell whether it is worth it, or why not."""
    G = _arguments(name, args, kwargs)["G"]
    if isinstance(G, nx.Graph) and name != "leiden_communities" and G.size() < WORTH_IT:
        return f"networkx itself is as quick with fewer than {WORTH_IT} edges"
    return True


def on_start_tests(items: list[Any]) -> None:
    """Mark the tests of networkx that compare with what its own order of moves makes."""
    import pytest

    order = "asks for communities in networkx's order; powercut's are sorted by size"
    reasons = {
        "test_karate_club_partition": order,
        "test_undirected_selfloops": order,
        "test_none_weight_param": order,
        "test_multigraph": "asks for equal communities of graphs whose best ones differ",
    }
    for item in items:
        if item.module.__name__.endswith("test_louvain") and item.name in reasons:
            item.add_marker(pytest.mark.xfail(reason=reasons[item.name], strict=True))


def _arguments(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    bound = inspect.signature(globals()[name]).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.arguments


def _default(name: str, parameter: str) -> Any:
    return inspect.signature(globals()[name]).parameters[parameter].default
