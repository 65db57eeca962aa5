"""
Clusters inside clusters
========================

Find the scales of a graph with twelve groups of nodes, four in each of three parts. The graph does
not determine which of the two scales you want, but `powercut.tradeoff_path` shows that there are
two: partitions that persist over a long range of tradeoffs.
"""

import matplotlib.pyplot as plt
import numpy as np

import powercut
from powercut import plot

random = np.random.default_rng(0)
group = np.repeat(np.arange(12), 20)
same_group, same_part = group[:, None] == group, group[:, None] // 4 == group // 4
density = np.where(same_group, 0.9, np.where(same_part, 0.1, 0.005))
edges = np.triu(random.random(density.shape) < density, 1)
graph = powercut.Graph(edges + edges.T)

path = powercut.tradeoff_path(graph, random_state=0)
print(path)

# %%
# Twelve clusters and three clusters persist over a long range of tradeoffs; no other partition
# does.

figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
plot.tradeoff_path(path, ax=ax)
plt.show()

# %%
# The two longest plateaus, each with the matrix in the order of its clusters.

longest = sorted(path.plateaus(), key=lambda plateau: plateau.persistence, reverse=True)[:2]
figure, axes = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
for ax, plateau in zip(axes, longest, strict=True):
    plot.adjacency(graph, plateau.labels, bins=200, ax=ax)
    ax.set_title(f"{plateau.n_clusters} clusters, persistence {plateau.persistence:.2f}")
plt.show()
