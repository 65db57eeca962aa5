"""Small graphs that people try first, most of them from networkx, and dense random graphs."""

from collections.abc import Callable
from typing import Any

import numpy as np

from _npz import Labels
from _real_data import Unavailable
from powercut import Graph

N = 100


def make_classic(name: str) -> tuple[Graph, Labels]:
    """Return a graph of `CLASSIC` and the class of each node; -1 if no classes are known."""
    try:
        import networkx
    except ImportError:
        raise Unavailable("networkx, which has it, is not installed") from None
    return CLASSIC[name](networkx)


def karate(nx: Any, weight: str | None) -> tuple[Graph, Labels]:
    """Return the karate club; the class of a member is the club after the split."""
    graph = nx.karate_club_graph()
    clubs = [club == "Officer" for _, club in graph.nodes(data="club")]
    return Graph.from_networkx(graph, weight=weight), np.array(clubs, dtype=np.int64)


def unlabelled(graph: Any, weight: str | None = None) -> tuple[Graph, Labels]:
    return Graph.from_networkx(graph, weight=weight), np.full(len(graph), -1)


def one_class(graph: Any) -> tuple[Graph, Labels]:
    return Graph.from_networkx(graph, weight=None), np.zeros(len(graph), dtype=np.int64)


def two_blocks(nx: Any) -> tuple[Graph, Labels]:
    """Return two blocks of 50 nodes, of density .95 inside and .7 between them."""
    blocks = nx.stochastic_block_model([N // 2, N // 2], [[0.95, 0.7], [0.7, 0.95]], seed=0)
    return Graph.from_networkx(blocks, weight=None), np.repeat([0, 1], N // 2)


CLASSIC: dict[str, Callable[[Any], tuple[Graph, Labels]]] = {
    "karate": lambda nx: karate(nx, None),
    "karate weighted": lambda nx: karate(nx, "weight"),
    "les miserables": lambda nx: unlabelled(nx.les_miserables_graph()),
    "les miserables weighted": lambda nx: unlabelled(nx.les_miserables_graph(), "weight"),
    "davis southern women": lambda nx: unlabelled(nx.davis_southern_women_graph()),
    "florentine families": lambda nx: unlabelled(nx.florentine_families_graph()),
    "complete": lambda nx: one_class(nx.complete_graph(N)),
    "random 0.7": lambda nx: one_class(nx.gnp_random_graph(N, 0.7, seed=0)),
    "random 0.9": lambda nx: one_class(nx.gnp_random_graph(N, 0.9, seed=0)),
    "two blocks": two_blocks,
}
