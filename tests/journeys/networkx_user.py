# /// script
# dependencies = ["powercut", "networkx"]
# [tool.journey]
# page = "docs/interoperability.md"
# ///
"""Communities of a networkx graph, as sets of its nodes; and one that is directed."""

import networkx as nx
from steps import answer, check

import powercut

nx.write_gml(nx.les_miserables_graph(), "novel.gml")
G = nx.read_gml("novel.gml")

clusters = powercut.community(G, random_state=0)
check("sets of names", [len(nodes) for nodes in clusters] == [25, 15, 10, 10, 9, 6, 2])
check("a partition", nx.community.is_partition(G, clusters))
quality = nx.community.modularity(G, clusters)
check(f"networkx takes them: modularity {quality:.2f}", quality > 0.4)
served = nx.community.louvain_communities(G, seed=0, backend="powercut")
check("the backend", nx.community.modularity(G, served) >= quality)
nx.set_node_attributes(G, {v: k for k, nodes in enumerate(clusters) for v in nodes}, "cluster")
nx.write_graphml(G, "novel.graphml")
check("handed on", nx.read_graphml("novel.graphml").nodes["Valjean"]["cluster"] == 0)

D = nx.DiGraph(G)
for call in (powercut.community, powercut.cluster_tree):
    check("directed", "to_undirected()" in answer(lambda call=call: call(D)))
call = nx.community.louvain_communities
check("directed, backend", "to_undirected()" in answer(lambda: call(D, backend="powercut")))
check("the remedy works", powercut.community(D.to_undirected(), random_state=0) == clusters)

tree = powercut.cluster_tree(G, random_state=0)
check("five clusters from the tree", tree.cut(n_clusters=5).max() == 4)
branches = tree.to_networkx()
check("the tree as a graph", nx.is_directed_acyclic_graph(branches))
