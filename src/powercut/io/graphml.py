"""GraphML, by networkx."""

from powercut.graph import Graph
from powercut.io._named import NamedGraph, Options, as_names
from powercut.io._source import Source, blamed, missing, opened


def read(source: Source, options: Options) -> NamedGraph:
    """Read a graph whose edges may have an attribute "weight"."""
    try:
        import networkx as nx
    except ImportError as error:
        raise missing("networkx", "GraphML") from error
    with opened(source) as file, blamed(source, "GraphML"):
        read_graph = nx.read_graphml(file)
        names = as_names([str(node) for node in read_graph])
        if options.symmetrize is None or not read_graph.is_directed():
            return NamedGraph(Graph.from_networkx(read_graph), names)
        number = {node: i for i, node in enumerate(read_graph)}
        edges = list(read_graph.edges(data="weight", default=1))
        return NamedGraph(
            Graph.from_edges(
                [number[u] for u, _, _ in edges],
                [number[v] for _, v, _ in edges],
                [w for _, _, w in edges],
                n_nodes=len(number),
                symmetrize=options.symmetrize,  # type: ignore[arg-type]
            ),
            names,
        )
