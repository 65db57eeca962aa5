# /// script
# dependencies = ["powercut", "networkx", "pandas"]
# [tool.journey]
# page = "docs/interoperability.md"
# ///
"""Nested communities of a knowledge graph, of a size that fits into a prompt, as a table."""

import networkx as nx
import pandas as pd
from steps import check

import powercut
from powercut.interop.graphrag import hierarchical_leiden

relations = nx.to_pandas_edgelist(nx.les_miserables_graph())
relations.to_csv("relations.csv", index=False)

table = pd.read_csv("relations.csv")
G = nx.from_pandas_edgelist(table, edge_attr="weight")
rows = hierarchical_leiden(G, max_cluster_size=20, random_seed=0)
frame = pd.DataFrame(rows)
check("graspologic's fields", {"node", "cluster", "parent_cluster", "level"} <= set(frame.columns))
final = frame[frame["is_final_cluster"]]
check("every node ends once", sorted(final["node"]) == sorted(G))
check("within the limit", final.groupby("cluster").size().max() <= 20)
listed = list(table.itertuples(index=False, name=None))
check("a list of edges does, too", len(hierarchical_leiden(listed, max_cluster_size=20)) > len(G))

tree = powercut.cluster_tree(powercut.Graph.from_edges(table), max_size=20, random_state=0)
clusters = tree.to_frame()
check("every cluster has a row", len(clusters) == tree.n_clusters)
assigned = tree.assignments()
check("names in the tree", {"Valjean", "Javert"} <= set(assigned["node"]))
