"""How much shorter a graph could be described than by clusters that were updated.

A fit of the changed graph would tell, but takes as long as that. One round of its search from the
clusters as they are, which moves nodes and groups of them on all levels, finds most of what a fit
would gain; after a fit it finds nothing.
"""

from powercut.graphs.block_fit import BlockFit, alternate, by_description_length, connected
from powercut.graphs.block_model import BlockModel
from powercut.graphs.block_search import BlockSearch


def possible_gain(search: BlockSearch, fit: BlockFit, other: BlockModel) -> float:
    """Return by how many nats one round of a search shortens the description; at least 0.

    Parameters
    ----------
    search : BlockSearch
        The graph, and whether clusters have to be connected.
    fit : BlockFit
        The clusters to start from, and their description.
    other : BlockModel
        The other block model. If it describes the clusters after the round better, a round with
        that one follows, as in a fit.
    """
    end = _round(search, fit)
    for model in search.possible([other]):
        (changed,) = search.evaluate([end.found.labels], model)
        if by_description_length(changed) < by_description_length(end):
            end = _round(search, changed)
    return max(0.0, by_description_length(fit) - by_description_length(end))


def _round(search: BlockSearch, fit: BlockFit) -> BlockFit:
    graph, level, random = search.graph, search.level, search.random
    end = alternate(graph, level, fit, n_rounds=1, random=random)
    if search.connected and end is not fit:
        return connected(graph, level, end, random=random)
    return end
