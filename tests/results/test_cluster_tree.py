"""`cluster_tree`, and what a `ClusterTree` can be cut and converted to."""

import json
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cut_tree, is_monotonic, is_valid_linkage

from powercut import ClusterTree, Graph, PowerLawCut, cluster_tree
from powercut.disk import write_blocks
from powercut.partition import canonical_labels
from powercut.results.comparison import is_nested


def nested_graph(seed: int = 0) -> Graph:
    """Return 12 clusters in 3 groups, and a clique apart."""
    cluster = np.repeat(np.arange(12), 15)
    same, near = cluster[:, None] == cluster, cluster[:, None] // 4 == cluster // 4
    density = np.zeros((186, 186))
    density[:180, :180] = np.where(same, 0.8, np.where(near, 0.15, 0.01))
    density[180:, 180:] = 1
    upper = np.triu(np.random.default_rng(seed).random((186, 186)) < density, 1)
    return Graph(upper + upper.T)


@pytest.fixture(scope="module")
def tree() -> ClusterTree:
    return cluster_tree(nested_graph(), random_state=0)


@pytest.fixture(scope="module")
def whole() -> ClusterTree:
    """Return the tree with all levels."""
    return cluster_tree(nested_graph(), prune=False, random_state=0)


def test_levels_of_a_planted_tree(tree: ClusterTree) -> None:
    assert [int(tree.cut(level=level).max()) + 1 for level in range(3)] == [2, 4, 13]
    assert tree.n_levels == 3
    assert tree.fitted_level == 2
    assert tree.size[tree.is_leaf].sum() == tree.n_nodes == 186


def test_default_is_the_fitted_partition(whole: ClusterTree) -> None:
    labels = PowerLawCut(random_state=0).fit(nested_graph()).labels_
    assert np.array_equal(whole.cut(), labels)
    assert np.array_equal(whole.cut(level=whole.fitted_level), labels)


def test_labels_of_a_fitted_estimator_are_kept() -> None:
    graph = nested_graph()
    model = PowerLawCut(score="modularity", tradeoff=0, random_state=3).fit(graph)
    assert np.array_equal(cluster_tree(graph, estimator=model).cut(), model.labels_)
    unfitted = PowerLawCut(score="modularity", tradeoff=0, random_state=3)
    assert np.array_equal(cluster_tree(graph, estimator=unfitted).cut(), model.labels_)
    assert not hasattr(unfitted, "labels_")


def test_evidence_never_rises_towards_the_leaves(whole: ClusterTree) -> None:
    child = whole.parent >= 0
    assert (whole.evidence[child] <= whole.evidence[whole.parent[child]]).all()
    assert (whole.level[child] > whole.level[whole.parent[child]]).all()
    assert (whole.evidence[whole.is_leaf] == 0).all()


def test_cuts_by_nats_are_nested(whole: ClusterTree) -> None:
    nats = [0, 1, 10, 100, 1000, 1e9]
    cuts = [whole.cut(nats=one) for one in nats]
    assert all(is_nested(fine, coarse) for fine, coarse in pairwise(cuts))
    assert len(np.unique(cuts[0])) == whole.is_leaf.sum()
    assert len(np.unique(cuts[-1])) == 2  # components


def test_cut_by_number(whole: ClusterTree) -> None:
    n_leaves = int(whole.is_leaf.sum())
    cuts = [whole.cut(n_clusters=k) for k in range(2, n_leaves + 1)]
    assert [int(labels.max()) + 1 for labels in cuts] == list(range(2, n_leaves + 1))
    assert all(is_nested(fine, coarse) for coarse, fine in pairwise(cuts))
    with pytest.raises(ValueError, match=r"n_clusters=1, but the tree has from 2"):
        whole.cut(n_clusters=1)


def test_cut_by_size(whole: ClusterTree) -> None:
    labels = whole.cut(max_size=70)
    assert np.bincount(labels).tolist() == [60, 60, 60, 6]
    with pytest.raises(ValueError, match="the largest of the finest clusters has"):
        whole.cut(max_size=1)


def test_wrong_arguments(tree: ClusterTree) -> None:
    with pytest.raises(ValueError, match="level and nats were given"):
        tree.cut(level=0, nats=3.0)
    with pytest.raises(ValueError, match=r"level == 3, must be <= 2"):
        tree.cut(level=3)
    with pytest.raises(TypeError, match="estimator must be a PowerLawClusters or PowerLawCut"):
        cluster_tree(Graph(np.zeros((3, 3))), estimator="leiden")
    with pytest.raises(ValueError, match="on_interrupt must be one of"):
        cluster_tree(Graph(np.zeros((3, 3))), on_interrupt="ask")
    with pytest.raises(ValueError, match="max_seconds == -1"):
        cluster_tree(Graph(np.zeros((3, 3))), estimator=PowerLawCut(max_seconds=-1))
    model = PowerLawCut(random_state=0).fit(nx.karate_club_graph())
    with pytest.raises(ValueError, match="labels_ of the estimator has shape"):
        cluster_tree(Graph(np.ones((3, 3))), estimator=model)


def test_result_does_not_depend_on_threads() -> None:
    graph = nested_graph()
    one, other = (cluster_tree(graph, n_jobs=n, random_state=1, prune=False) for n in (1, 2))
    assert np.array_equal(one.leaf, other.leaf)
    assert np.array_equal(one.evidence, other.evidence)


def test_a_graph_folder_has_the_tree_of_the_graph(tmp_path: Path) -> None:
    graph = Graph.from_networkx(nx.karate_club_graph())
    graph = Graph(graph.adjacency)  # without names
    in_memory = cluster_tree(graph, random_state=0)
    on_disk = cluster_tree(write_blocks(tmp_path / "graph", graph), random_state=0)
    assert on_disk.to_json() == in_memory.to_json()


def test_names_of_a_networkx_graph_are_kept() -> None:
    G = nx.relabel_nodes(nx.barbell_graph(8, 0), {0: "a b", 1: ("t", 1)})
    tree = cluster_tree(G, random_state=0)
    assert list(tree.names[:3]) == ["a b", ("t", 1), 2]
    assert set(tree.assignments()["node"]) == set(G)
    assert "'a b':0" in tree.to_newick(nodes=True)
    members = [row.get("members", []) for row in json.loads(tree.to_json())["clusters"]]
    assert sum(map(len, members)) == 16
    assert "a b" in members[1]


def test_frame_has_a_row_per_cluster(tree: ClusterTree) -> None:
    frame = tree.to_frame()
    columns = ["cluster", "level", "parent", "size", "evidence", "density", "conductance"]
    assert list(frame) == columns
    assert frame["parent"].isna().sum() == 2
    clique = frame[frame["size"] == 6].iloc[0]
    assert clique["density"] == 1
    assert clique["conductance"] == 0
    group = nested_graph().adjacency[:60]
    leaving = group.sum() - group[:, :60].sum()
    one = frame[(frame["level"] == 1) & (frame["size"] == 60)].iloc[0]
    assert one["conductance"] == pytest.approx(leaving / group.sum(), rel=0.3)


def test_assignments_have_the_columns_of_graspologic(tree: ClusterTree) -> None:
    rows = tree.assignments()
    columns = ["node", "cluster", "parent_cluster", "level", "is_final_cluster"]
    assert list(rows) == columns
    assert not rows.duplicated(["node", "cluster"]).any()
    final = rows[rows["is_final_cluster"]].sort_values("node")
    assert final["node"].tolist() == list(range(186))
    assert np.array_equal(canonical_labels(final["cluster"]), tree.cut())
    inner = rows.dropna(subset="parent_cluster")
    up = inner.merge(rows, left_on=["node", "parent_cluster"], right_on=["node", "cluster"])
    assert len(up) == len(inner)


def test_networkx_tree(tree: ClusterTree) -> None:
    T = tree.to_networkx()
    assert nx.is_forest(T.to_undirected())
    assert len(T) == tree.n_clusters
    members = [node for _, data in T.nodes(data=True) for node in data.get("members", [])]
    assert sorted(members) == list(range(186))


def test_newick_has_all_clusters_once(tree: ClusterTree) -> None:
    text = tree.to_newick()
    assert text.endswith(";")
    assert text.count("(") == text.count(")") == (~tree.is_leaf).sum() + 1  # two components
    names = [part.split(":")[0] for part in text.replace("(", "").replace(")", ",").split(",")]
    assert sorted(int(name) for name in names if name.strip(";")) == list(range(tree.n_clusters))


def test_linkage_is_valid_and_agrees_with_cuts(whole: ClusterTree) -> None:
    linkage = whole.to_linkage()
    assert is_valid_linkage(linkage)
    assert is_monotonic(linkage)
    leaves = np.flatnonzero(whole.is_leaf)
    for k in (2, 4, 13):
        of_leaf = cut_tree(linkage, n_clusters=k).ravel()
        labels = of_leaf[np.searchsorted(leaves, whole.leaf)]
        assert np.array_equal(canonical_labels(labels), whole.cut(n_clusters=k))
    # At the nats of a level's divisions, the linkage has the clusters of the tree.
    assert set(whole.evidence[~whole.is_leaf]) <= set(linkage[:, 2])


@settings(deadline=None)
@given(st.integers(0, 10**6))
def test_any_graph_has_a_tree(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(0, 25))
    upper = np.triu(random.random((n, n)) < random.choice([0.0, 0.05, 0.3, 1.0]), 1)
    graph = Graph((upper + upper.T) * random.integers(1, 4))
    model = PowerLawCut(init=np.zeros(n, dtype=int), random_state=0).fit(graph)
    tree = cluster_tree(graph, estimator=model, prune=bool(seed % 2), random_state=0)
    assert np.array_equal(tree.cut(), model.labels_)
    linkage = tree.to_linkage()
    assert len(linkage) == max(0, tree.is_leaf.sum() - 1)
    if len(linkage):
        assert is_valid_linkage(linkage)
        assert is_monotonic(linkage)
    assert len(tree.to_frame()) == tree.n_clusters
    assert len(tree.assignments()) == tree.size.sum()
    assert repr(tree)


def test_size_limits_hold_and_are_reported() -> None:
    graph = nested_graph()
    tree = cluster_tree(graph, max_size=10, min_size=3, random_state=0)
    assert tree.size[tree.is_leaf].max() <= 10
    assert tree.size.min() >= 3
    assert np.array_equal(tree.cut(), PowerLawCut(random_state=0).fit(graph).labels_)
    assert tree.folded.n_clusters == 0
    assert np.bincount(tree.cut(max_size=10)).max() <= 10
    with pytest.warns(UserWarning, match="1 clusters have fewer than min_size=16 nodes"):
        tree = cluster_tree(graph, min_size=16, random_state=0)
    assert tree.folded.n_clusters > 0
    assert tree.folded.nats > 0
    assert tree.folded.n_left == 1
    assert sorted(np.bincount(tree.cut()))[1] >= 16


def test_wrong_size_limits() -> None:
    with pytest.raises(ValueError, match="max_size must be at least 9"):
        cluster_tree(Graph(np.zeros((3, 3))), max_size=8, min_size=5)
    with pytest.raises(ValueError, match="max_size == 0, must be >= 1"):
        cluster_tree(Graph(np.zeros((3, 3))), max_size=0)
