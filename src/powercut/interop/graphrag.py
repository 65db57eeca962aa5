"""Communities for GraphRAG and its kind, in place of ``hierarchical_leiden`` of graspologic.

graspologic is not imported, and need not be installed.
"""

from typing import Any, NamedTuple

import numpy as np

from powercut._typing import IntArray
from powercut.graphs._tree_formats import memberships, named
from powercut.graphs.graph import Graph
from powercut.graphs.tree import ClusterTree
from powercut.results.cluster_tree import cluster_tree


class HierarchicalCluster(NamedTuple):
    """A node and one of the clusters that it is in; fields are those of graspologic.

    Attributes
    ----------
    node : object
        The node.
    cluster : int
        The cluster; numbers are unique over all levels.
    parent_cluster : int or None
        The cluster of the level before that contains this one; None at level 0.
    level : int
        0 for the coarsest clusters, one more for those inside.
    is_final_cluster : bool
        Whether the cluster is not divided any further.
    """

    node: Any
    cluster: int
    parent_cluster: int | None
    level: int
    is_final_cluster: bool


class HierarchicalClusters(list[HierarchicalCluster]):
    """The clusters of all levels, a list as that of graspologic."""

    def first_level_hierarchical_clustering(self) -> dict[Any, int]:
        """Return the cluster of each node at level 0."""
        return {row.node: row.cluster for row in self if row.level == 0}

    def final_level_hierarchical_clustering(self) -> dict[Any, int]:
        """Return the smallest cluster of each node."""
        return {row.node: row.cluster for row in self if row.is_final_cluster}


def hierarchical_leiden(
    graph: Any,
    max_cluster_size: int = 1000,
    *,
    random_seed: int | None = None,
    weight_attribute: str = "weight",
) -> HierarchicalClusters:
    """Find nested communities of at most a given size, as rows that GraphRAG reads.

    The arguments are those of ``graspologic.partition.hierarchical_leiden`` that have a meaning
    here; the communities are those of `powercut.cluster_tree`. There is no level without a new
    community, a graph may have no edges, and the result depends on nothing but the graph, its
    order of nodes and the seed.

    Parameters
    ----------
    graph : networkx graph, or list of tuples (source, target, weight)
        Undirected. Weights of repeated edges are summed.
    max_cluster_size : int, default=1000
        Communities that are not divided any further have at most this many nodes.
    random_seed : int, optional
        Seed of the search.
    weight_attribute : str, default="weight"
        The edge attribute with the weight, for networkx graphs; edges without it have weight 1.

    Returns
    -------
    HierarchicalClusters
        One row per node and community that it is in, level by level. Level 0 are connected
        components, or what they are divided into.

    Examples
    --------
    >>> import networkx as nx
    >>> from powercut.interop.graphrag import hierarchical_leiden
    >>> rows = hierarchical_leiden(nx.les_miserables_graph(), max_cluster_size=20, random_seed=0)
    >>> [(row.level, row.cluster, row.parent_cluster) for row in rows if row.node == "Valjean"]
    [(0, 0, None), (1, 4, 0), (2, 9, 4)]
    """
    if isinstance(graph, list):
        graph = _of_edges(graph)
    else:
        graph = Graph.from_networkx(graph, weight=weight_attribute)
    seed = None if random_seed is None else random_seed % 2**32
    tree = cluster_tree(graph, max_size=max_cluster_size, random_state=seed)
    return _rows(tree)


def _of_edges(edges: list[tuple[Any, Any, float]]) -> Graph:
    """Return the graph of edges between named nodes, which are in order of appearance."""
    number: dict[Any, int] = {}
    ends = [[number.setdefault(node, len(number)) for node in edge[:2]] for edge in edges]
    u, v = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    weight = np.array([edge[2] for edge in edges], dtype=np.float64)
    graph = Graph.from_edges(u, v, weight, n_nodes=len(number), symmetrize="sum")
    graph.names = np.empty(len(number), dtype=object)
    graph.names[:] = list(number)
    return graph


def _rows(tree: ClusterTree) -> HierarchicalClusters:
    """Return the rows of a tree, without connected components that are divided."""
    depth = _depths(tree)
    kept = np.flatnonzero(depth >= 0)
    order = kept[np.argsort(depth[kept], kind="stable")]
    number = np.full(tree.n_clusters, -1)
    number[order] = np.arange(len(order))
    node, cluster = memberships(tree)
    inside = depth[cluster] >= 0
    node, cluster = node[inside], cluster[inside]
    by_number = np.lexsort((node, number[cluster]))
    node, cluster = node[by_number], cluster[by_number]
    above = np.where(depth[cluster] > 0, number[tree.parent[cluster]], -1)
    columns = (number[cluster], above, depth[cluster], tree.is_leaf[cluster])
    return HierarchicalClusters(
        HierarchicalCluster(name, own, None if parent < 0 else parent, level, final)
        for name, own, parent, level, final in zip(
            named(tree, node).tolist(), *(column.tolist() for column in columns), strict=True
        )
    )


def _depths(tree: ClusterTree) -> IntArray:
    """Return how many clusters each one is inside of; components that are divided have -1."""
    depth = np.where(tree.is_leaf, 0, -1)
    for level in range(1, tree.n_levels):
        some = np.flatnonzero(tree.level == level)
        depth[some] = depth[tree.parent[some]] + 1
    return depth
