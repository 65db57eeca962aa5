"""Rows of nested communities as graspologic makes and GraphRAG reads them."""

import os
import subprocess
import sys
from collections import defaultdict

import networkx as nx
import numpy as np
import pytest

from powercut.interop.graphrag import HierarchicalClusters, hierarchical_leiden


def communities(rows: HierarchicalClusters) -> list[tuple[int, int, int, list[str]]]:
    """Read rows as GraphRAG does: communities as (level, id, parent or -1, nodes)."""
    nodes: dict[int, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    parent = {}
    for row in rows:
        nodes[row.level][row.cluster].append(row.node)
        parent[row.cluster] = -1 if row.parent_cluster is None else row.parent_cluster
    return [
        (level, cluster, parent[cluster], members)
        for level in sorted(nodes)
        for cluster, members in nodes[level].items()
    ]


def two_level_graph() -> nx.Graph:
    G = nx.Graph()
    for group in range(3):
        for clique in range(4):
            names = [f"{group}.{clique}.{i}" for i in range(8)]
            G.add_edges_from((u, v) for i, u in enumerate(names) for v in names[:i])
            G.add_edge(names[0], f"{group}.{(clique + 1) % 4}.1")
            G.add_edge(names[2], f"{group}.{(clique + 1) % 4}.3")
        G.add_edge(f"{group}.0.5", f"{(group + 1) % 3}.0.6")
    return G


def test_communities_are_nested_without_duplicates() -> None:
    G = two_level_graph()
    found = communities(hierarchical_leiden(G, max_cluster_size=5, random_seed=1))
    by_id = {cluster: (level, set(nodes)) for level, cluster, _, nodes in found}
    assert len(by_id) == len(found) == len({frozenset(nodes) for *_, nodes in found})
    assert sorted(by_id) == list(range(len(by_id)))
    assert max(len(nodes) for *_, nodes in found) < len(G)  # the whole graph is no community
    children = defaultdict(set)
    for level, cluster, parent, nodes in found:
        if level == 0:
            assert parent == -1
            continue
        assert by_id[parent][0] == level - 1
        assert set(nodes) < by_id[parent][1]
        children[parent].add(cluster)
    for parent, inside in children.items():
        assert set.union(*(by_id[one][1] for one in inside)) == by_id[parent][1]
    assert set().union(*(nodes for level, nodes in by_id.values() if level == 0)) == set(G)


def test_final_communities_are_within_the_size() -> None:
    rows = hierarchical_leiden(two_level_graph(), max_cluster_size=5, random_seed=1)
    final = rows.final_level_hierarchical_clustering()
    assert set(final) == set(two_level_graph())
    assert np.bincount(list(final.values())).max() <= 5
    assert len(rows.first_level_hierarchical_clustering()) == 96


def test_edge_list_gives_the_same_communities() -> None:
    G = two_level_graph()
    G = nx.relabel_nodes(G, str)
    edges = [(u, v, 1.0) for u, v in G.edges()]
    of_edges = hierarchical_leiden(edges, 20, random_seed=3)
    assert {row.node for row in of_edges} == set(G)
    assert all(isinstance(row.cluster, int) for row in of_edges)
    assert all(type(row.is_final_cluster) is bool for row in of_edges)


@pytest.mark.parametrize("graph", [nx.Graph(), nx.empty_graph(4), [], [("a", "a", 1.0)]])
def test_graphs_without_edges(graph: object) -> None:
    rows = hierarchical_leiden(graph, max_cluster_size=3, random_seed=0)
    assert [row.level for row in rows] == [0] * len(rows)
    assert all(row.is_final_cluster for row in rows)


def test_weight_attribute_and_large_seed() -> None:
    G = two_level_graph()
    nx.set_edge_attributes(G, 2.0, "strength")
    rows = hierarchical_leiden(G, 10, random_seed=0xDEADBEEF, weight_attribute="strength")
    assert len(rows.first_level_hierarchical_clustering()) == 96
    with pytest.raises(ValueError, match="no edge has the attribute 'missing'"):
        hierarchical_leiden(G, weight_attribute="missing")


def test_result_does_not_depend_on_hashes() -> None:
    program = (
        "from powercut.interop.graphrag import hierarchical_leiden\n"
        "pairs = [(i, j) for i in range(40) for j in range(i) if i // 7 == j // 7]\n"
        "pairs += [(i, (3 * i + 4) % 40) for i in range(40)]\n"
        "edges = [(f'a{i}', f'a{j}', 1.0) for i, j in pairs]\n"
        "print(list(map(tuple, hierarchical_leiden(edges, 5, random_seed=7))))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1


def test_fields_are_those_of_graspologic() -> None:
    native = pytest.importorskip("graspologic_native", reason="graspologic is not installed")
    edges = [(u, v, 1.0) for u, v in nx.les_miserables_graph().edges()]
    theirs = native.hierarchical_leiden(
        edges=edges,
        starting_communities=None,
        resolution=1.0,
        randomness=0.001,
        iterations=1,
        use_modularity=True,
        max_cluster_size=10,
        seed=1,
    )
    ours = hierarchical_leiden(edges, 10, random_seed=1)
    fields = [name for name in dir(theirs[0]) if not name.startswith("_")]
    assert sorted(ours[0]._fields) == sorted(fields)
    for name in fields:
        kinds = [{type(getattr(row, name)) for row in rows} for rows in (theirs, ours)]
        assert kinds[0] == kinds[1]
