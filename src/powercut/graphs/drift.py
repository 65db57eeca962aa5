"""How much shorter a graph could be described than by clusters that were updated.

A fit of the changed graph would tell, but takes as long as that. The last stage of its search, from
the clusters as they are, finds most of what a fit would gain; after a fit it finds nothing. It is a
round of moves of nodes and groups of them on all levels. In a large graph, clusters are merged, and
nodes moved until no move lowers J: there a round would find more than a fit does.
"""

from powercut.graphs.block_fit import (
    BlockFit,
    alternate,
    by_description_length,
    connected,
    settle,
)
from powercut.graphs.block_model import BlockModel
from powercut.graphs.block_search import BlockSearch


def possible_gain(search: BlockSearch, fit: BlockFit, other: BlockModel) -> float:
    """Return by how many nats the last stage of a search shortens the description; at least 0.

    Parameters
    ----------
    search : BlockSearch
        The graph, and whether clusters have to be connected.
    fit : BlockFit
        The clusters to start from, and their description.
    other : BlockModel
        The other block model. If it describes the clusters at the end better, the stage follows
        with that one, as in a fit.
    """
    end = _improved(search, fit)
    for model in search.possible([other]):
        (changed,) = search.evaluate([end.found.labels], model)
        if by_description_length(changed) < by_description_length(end):
            end = _improved(search, changed)
    return max(0.0, by_description_length(fit) - by_description_length(end))


def _improved(search: BlockSearch, fit: BlockFit) -> BlockFit:
    graph, level, random = search.graph, search.level, search.random
    if level.is_large:
        end = settle(graph, level, fit, random=random)
    else:
        end = alternate(graph, level, fit, n_rounds=1, random=random)
    if search.connected and end is not fit:
        return connected(graph, level, end, random=random)
    return end
