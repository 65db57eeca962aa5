"""
Data without clusters
=====================

See what different methods return for data without clusters: a random graph, and one Gaussian.
Most methods return clusters for any data. Louvain's modularity finds clusters in the graph, and
k-means finds as many as are requested. powercut finds one, and warns.
"""

import textwrap
import warnings

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from sklearn.cluster import KMeans

from powercut import PowerLawCut, PowerLawMeans, plot

G = nx.gnp_random_graph(600, 0.02, seed=0)
X = np.random.default_rng(0).normal(size=(1500, 2))

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    cut, means = PowerLawCut(random_state=0).fit(G), PowerLawMeans(random_state=0).fit(X)
for warning in caught:
    print(textwrap.fill(f"Warning: {warning.message}", 80))
print("powercut:", cut.n_clusters_, "cluster of nodes,", means.n_clusters_, "of points")

# %%

louvain = nx.community.louvain_communities(G, seed=0)
print("Louvain:", len(louvain), "communities in a graph that has none")
k_means = KMeans(6, n_init=10, random_state=0).fit(X)

figure, axes = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained", sharey=True)
for ax, (name, labels) in zip(
    axes, {"k-means, k = 6": k_means.labels_, "powercut": means.labels_}.items(), strict=True
):
    plot.embedding(X, labels, ax=ax)
    ax.set_title(f"{name}; number of clusters: {labels.max() + 1}")
plt.show()
