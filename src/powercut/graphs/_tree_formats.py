"""A tree of clusters as tables, graphs and text."""

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from powercut._typing import IntArray

if TYPE_CHECKING:
    from powercut.graphs.tree import ClusterTree

NUMBERS = ("level", "size", "evidence", "density", "conductance")


def _pandas(method: str) -> Any:
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            f"{method} needs pandas, which is not installed; pip install pandas."
        ) from error
    return pd


def frame(tree: "ClusterTree") -> Any:
    """Return one row per cluster."""
    pd = _pandas("to_frame")
    parent = pd.array(tree.parent, dtype="Int64")
    parent[tree.parent < 0] = pd.NA
    columns: dict[str, Any] = {"cluster": np.arange(tree.n_clusters), "level": tree.level}
    columns |= {"parent": parent} | {name: getattr(tree, name) for name in NUMBERS[1:]}
    return pd.DataFrame(columns)


def memberships(tree: "ClusterTree") -> tuple[IntArray, IntArray]:
    """Return the pairs of nodes and clusters, by cluster, then by node."""
    nodes, clusters = [], []
    own = tree.leaf
    index = np.arange(tree.n_nodes)
    while len(index):
        nodes.append(index)
        clusters.append(own)
        above = tree.parent[own]
        index, own = index[above >= 0], above[above >= 0]
    node = np.concatenate([*nodes, np.zeros(0, dtype=np.int64)])
    cluster = np.concatenate([*clusters, np.zeros(0, dtype=np.int64)])
    order = np.lexsort((node, cluster))
    return node[order], cluster[order]


def named(tree: "ClusterTree", nodes: IntArray) -> Any:
    """Return the names of nodes."""
    return nodes if tree.names is None else tree.names[nodes]


def assignment_columns(tree: "ClusterTree") -> dict[str, Any]:
    """Return one row per node and cluster that it is in; the parent of components is -1."""
    node, cluster = memberships(tree)
    return {
        "node": named(tree, node),
        "cluster": cluster,
        "parent_cluster": tree.parent[cluster],
        "level": tree.level[cluster],
        "is_final_cluster": tree.is_leaf[cluster],
    }


def assignments(tree: "ClusterTree") -> Any:
    """Return the rows as a table, in which the parent of components is missing."""
    pd = _pandas("assignments")
    columns = assignment_columns(tree)
    parent = pd.array(columns["parent_cluster"], dtype="Int64")
    parent[columns["parent_cluster"] < 0] = pd.NA
    return pd.DataFrame(columns | {"parent_cluster": parent})


def _rows(tree: "ClusterTree") -> list[dict[str, Any]]:
    """Return the clusters as plain Python values; those without children have their members."""
    order = np.argsort(tree.leaf, kind="stable")
    leaves, start = np.unique(tree.leaf[order], return_index=True)
    members = dict(zip(leaves.tolist(), np.split(order, start[1:]), strict=True))
    columns = {name: getattr(tree, name).tolist() for name in NUMBERS}
    rows = []
    for cluster, parent in enumerate(tree.parent.tolist()):
        row = {"cluster": cluster, "parent": None if parent < 0 else parent}
        row |= {name: values[cluster] for name, values in columns.items()}
        if cluster in members:
            row["members"] = named(tree, members[cluster]).tolist()
        rows.append(row)
    return rows


def to_networkx(tree: "ClusterTree") -> Any:
    """Return a DiGraph with an edge from each cluster to its children."""
    import networkx as nx

    graph = nx.DiGraph(n_levels=tree.n_levels, fitted_level=tree.fitted_level)
    for row in _rows(tree):
        cluster, parent = row.pop("cluster"), row.pop("parent")
        graph.add_node(cluster, **row)
        if parent is not None:
            graph.add_edge(parent, cluster)
    return graph


def to_json(tree: "ClusterTree") -> str:
    """Return the levels and the clusters in JSON; names that JSON does not know become strings."""
    head = {"n_nodes": tree.n_nodes, "n_levels": tree.n_levels, "fitted_level": tree.fitted_level}
    return json.dumps({**head, "clusters": _rows(tree)}, default=str)


def to_newick(tree: "ClusterTree", *, nodes: bool) -> str:
    """Return the tree in Newick format."""
    parts: list[list[str]] = [[] for _ in range(tree.n_clusters)]
    if nodes:
        names = named(tree, np.arange(tree.n_nodes)).tolist()
        for name, leaf in zip(names[::-1], tree.leaf[::-1].tolist(), strict=True):
            parts[leaf].append(f"{_quoted(name)}:0")
    roots = []
    # Children have larger numbers than their parents. Parts are collected last to first.
    for cluster in range(tree.n_clusters - 1, -1, -1):
        inside = f"({','.join(parts[cluster][::-1])})" if parts[cluster] else ""
        parent = int(tree.parent[cluster])
        if parent < 0:
            roots.append(f"{inside}{cluster}")
            continue
        length = tree.evidence[parent] - tree.evidence[cluster]
        parts[parent].append(f"{inside}{cluster}:{length:.6g}")
    return (roots[0] if len(roots) == 1 else f"({','.join(roots[::-1])})") + ";"


def _quoted(name: Any) -> str:
    """Return a name as Newick writes it: in quotes if it has other characters than these."""
    text = str(name)
    plain = text.replace("_", "").replace("-", "").replace(".", "")
    return text if plain.isalnum() else "'" + text.replace("'", "''") + "'"
