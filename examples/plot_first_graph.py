"""
Clusters of a graph
===================

A graph whose clusters are a few large ones and many small ones. `powercut.PowerLawCut` is told
nothing: neither how many clusters there are, nor how large they may be.
"""

import matplotlib.pyplot as plt
from sklearn.metrics import normalized_mutual_info_score

from powercut import PowerLawCut, plot
from powercut.datasets import make_block_graph

graph, truth = make_block_graph(3000, degree=16, mixing=0.2, random_state=0)
model = PowerLawCut(random_state=0).fit(graph)

print(f"{model.n_clusters_} clusters, {truth.max() + 1} were planted")
print("largest:", model.cluster_sizes_[:8])
print(f"NMI with what was planted: {normalized_mutual_info_score(truth, model.labels_):.3f}")

# %%
# On the left the matrix, with its nodes in the order of their clusters. On the right the sizes by
# rank: on such axes a power law is a line, and the band is where the fitted prior expects them to
# be.

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
plot.adjacency(graph, model.labels_, ax=left)
plot.rank_size(model.labels_, ax=right)
plt.show()
