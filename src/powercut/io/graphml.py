"""GraphML, read by networkx."""

import io
from typing import Any
from xml.etree import ElementTree

from powercut.graphs.graph import Graph
from powercut.io._errors import fail, missing
from powercut.io._named import NamedGraph, Options, as_names
from powercut.io._source import Source, opened


def read(source: Source, options: Options) -> NamedGraph:
    """Read a graph, with weights in the edge attribute "weight" if there is one."""
    try:
        import networkx as nx
    except ImportError as error:
        raise missing("networkx", "GraphML") from error
    with opened(source, options.max_bytes) as file:
        text = file.content()
    _check_edges(text, source)
    graph = nx.read_graphml(io.BytesIO(text))
    names = as_names([str(node) for node in graph])
    if graph.is_directed() and options.symmetrize is None:
        fail(source, 'is directed; combine the two directions of its edges with symmetrize="sum"')
    if not graph.is_directed():
        return NamedGraph(Graph.from_networkx(graph), names)
    number = {node: i for i, node in enumerate(graph)}
    edges = list(graph.edges(data="weight", default=1))
    symmetrize: Any = options.symmetrize
    made = Graph.from_edges(
        [number[u] for u, _, _ in edges],
        [number[v] for _, v, _ in edges],
        [w for _, _, w in edges],
        n_nodes=len(number),
        symmetrize=symmetrize,
    )
    return NamedGraph(made, names)


def _check_edges(text: bytes, source: Source) -> None:
    """Refuse edges of undeclared nodes, which networkx would add silently."""
    nodes: set[str | None] = set()
    ends: set[str | None] = set()
    try:
        for _, element in ElementTree.iterparse(io.BytesIO(text)):
            kind = element.tag.rpartition("}")[2]
            if kind == "node":
                nodes.add(element.get("id"))
            elif kind == "edge":
                ends |= {element.get("source"), element.get("target")}
            element.clear()  # frees its text and its children
    except ElementTree.ParseError as error:
        line, column = error.position
        fail(source, f"is not valid XML: {error}", line=line, column=column + 1)
    unknown = ends - nodes
    if unknown:
        fail(source, f"an edge refers to the node {unknown.pop()!r}, which is not declared")
