"""
Clusters of a graph
===================

Cluster a graph that has a few large clusters and many small ones. `powercut.PowerLawCut` needs
neither the number of clusters nor their sizes.
"""

import matplotlib.pyplot as plt
from sklearn.metrics import normalized_mutual_info_score

from powercut import PowerLawCut, plot
from powercut.datasets import make_block_graph

graph, truth = make_block_graph(3000, degree=16, mixing=0.2, random_state=0)
model = PowerLawCut(random_state=0).fit(graph)

print(f"{model.n_clusters_} clusters, {truth.max() + 1} were planted")
print("largest:", model.cluster_sizes_[:8])
print(f"NMI with the planted clusters: {normalized_mutual_info_score(truth, model.labels_):.3f}")

# %%
# Left: the matrix, with its nodes in the order of their clusters. Right: the sizes by rank. On
# these axes a power law is a straight line, and the band shows the sizes that the fitted prior
# expects.

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
plot.adjacency(graph, model.labels_, ax=left)
plot.rank_size(model.labels_, ax=right)
plt.show()
