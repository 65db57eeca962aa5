"""The METIS format: one line per node, with its neighbours."""

import warnings

from powercut import _core
from powercut.io._errors import fail, name_of
from powercut.io._named import NamedGraph, Options, graph_of_edges
from powercut.io._source import Source, opened


def read(source: Source, options: Options) -> NamedGraph:
    """Read a METIS graph."""
    edges = _core.EdgeList(names=False, weighted=False)
    text = _core.MetisReader(edges)
    with opened(source, options.max_bytes) as file:
        try:
            for chunk in file.chunks():
                text.feed(chunk)
            text.finish()
        except _core.BadText as error:
            message, line, column = error.args
            fail(source, message, line=line, column=column)
    if text.has_node_weights:
        warnings.warn(
            f"{name_of(source)}: weights and sizes of nodes are ignored; pass them to fit as "
            "sample_weight.",
            stacklevel=4,
        )
    return graph_of_edges(edges, source, options)
