"""The format of METIS: a line for each node, with its neighbours."""

import warnings

from powercut import _core
from powercut.io._named import NamedGraph, Options, graph_of_edges
from powercut.io._source import Source, fail, name_of, opened, pieces


def read(source: Source, options: Options) -> NamedGraph:
    """Read a graph of METIS."""
    edges = _core.EdgeList(names=False, weighted=False)
    text = _core.MetisReader(edges)
    with opened(source) as file:
        try:
            for piece in pieces(file, source):
                text.feed(piece)
            text.finish()
        except _core.BadText as error:
            fail(source, error)
    if text.has_node_weights:
        warnings.warn(
            f"{name_of(source)}: weights and sizes of nodes are left out; give them to fit as "
            "sample_weight.",
            stacklevel=4,
        )
    return graph_of_edges(edges, source, options)
