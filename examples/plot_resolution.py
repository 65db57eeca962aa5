"""
Where modularity merges, and powercut does not
==============================================

See the resolution limit of modularity on a ring of cliques of many sizes. In a large graph
modularity, which Louvain and Leiden maximise, merges neighbouring small cliques into one cluster.
The likelihood has no such limit, because each cluster has its own density.
"""

import matplotlib.pyplot as plt
import numpy as np

from powercut import Graph, PowerLawCut, plot

sizes = np.concatenate([[40, 30, 24, 20, 16], np.repeat([12, 10, 8, 6], 12)])
first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
u, v = [first], [np.roll(first, -1) + 1]  # one edge from each clique to the next
for start, size in zip(first, sizes, strict=True):
    row, column = np.triu_indices(size, 1)
    u.append(start + row)
    v.append(start + column)
graph = Graph.from_edges(np.concatenate(u), np.concatenate(v), symmetrize="sum")

modularity = PowerLawCut("modularity", tradeoff=0, random_state=0).fit(graph)
likelihood = PowerLawCut(random_state=0).fit(graph)
print(f"{len(sizes)} cliques")
print(f"modularity: {modularity.n_clusters_} clusters")
print(f"likelihood: {likelihood.n_clusters_} clusters")

# %%

figure, axes = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
for ax, model in zip(axes, (modularity, likelihood), strict=True):
    plot.adjacency(graph, model.labels_, ax=ax)
    ax.set_title(f"{model.score}: {model.n_clusters_} clusters of {len(sizes)} cliques")
plt.show()
