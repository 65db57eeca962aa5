"""Clusters as sets of nodes, for users of networkx or igraph."""

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from powercut._typing import Labels
from powercut.estimators.cut import PowerLawCut


def community(graph: Any, **parameters: Any) -> list[set[Any]]:
    """Find the clusters of a graph, as sets of its nodes.

    Parameters
    ----------
    graph : networkx or igraph graph, table of edges, or any other that `PowerLawCut.fit` takes
        Undirected; weights are in the edge attribute ``"weight"``, or in the third column.
    **parameters
        Parameters of `powercut.PowerLawCut`, such as ``random_state``.

    Returns
    -------
    list of sets
        Nodes of a networkx graph, names of igraph's vertices or of a table; otherwise numbers. The
        largest set comes first; ties are in the order of nodes.

    Examples
    --------
    >>> import networkx as nx
    >>> import powercut
    >>> G = nx.relabel_nodes(nx.barbell_graph(8, 0), {0: "a", 15: "z"})
    >>> clusters = powercut.community(G, random_state=0)
    >>> len(clusters), "a" in clusters[0], "z" in clusters[1]
    (2, True, True)
    """
    model = PowerLawCut(**parameters).fit(graph)
    names = model.node_names_
    return node_sets(range(len(model.labels_)) if names is None else names, model.labels_)


def node_sets(nodes: Iterable[Hashable], labels: Labels) -> list[set[Any]]:
    """Return the set of nodes of each cluster, in the order of labels."""
    sets: list[set[Any]] = [set() for _ in range(int(np.max(labels, initial=-1)) + 1)]
    for node, label in zip(nodes, labels, strict=True):
        sets[label].add(node)
    return sets
