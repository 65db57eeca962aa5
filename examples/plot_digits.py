"""
Handwritten digits as a neighbour graph
=======================================

Cluster 1,797 images of digits, 64 pixels each, through their nearest-neighbour graph. Edges of such
a graph depend on each other, and ``tradeoff="auto"`` gives them less weight; counted as independent
they would give far more clusters.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

from powercut import PowerLawCut, neighbors

digits = load_digits()
graph = neighbors.graph(digits.data, n_neighbors=15)
model = PowerLawCut(random_state=0).fit(graph)
independent = PowerLawCut(tradeoff=1, random_state=0).fit(graph)

print(
    f"tradeoff {model.tradeoff_:.1f}, estimated: {model.n_clusters_} clusters, "
    f"AMI {adjusted_mutual_info_score(digits.target, model.labels_):.2f}"
)
print(
    f"tradeoff 1.0, given: {independent.n_clusters_} clusters, "
    f"AMI {adjusted_mutual_info_score(digits.target, independent.labels_):.2f}"
)

# %%
# The most certain member of each of the largest clusters, and below it the least certain one.

shown = range(min(12, model.n_clusters_))
figure, axes = plt.subplots(2, len(shown), figsize=(11, 2.6), layout="constrained")
for cluster, column in zip(shown, axes.T, strict=True):
    members = np.flatnonzero(model.labels_ == cluster)
    order = members[np.argsort(model.margins_[members])]
    for ax, index in zip(column, (order[-1], order[0]), strict=True):
        ax.imshow(digits.images[index], cmap="gray_r")
        ax.set_axis_off()
    column[0].set_title(f"{len(members)}", fontsize=10)
figure.suptitle("most and least certain member, with the size of the cluster")
plt.show()

# %%
# Which digits are in which cluster. Two ways to write a digit are two clusters if the data support
# that.

table = contingency_matrix(model.labels_, digits.target)
figure, ax = plt.subplots(figsize=(7, 6), layout="constrained")
shown = ax.imshow(table, cmap="Blues")
for (cluster, digit), count in np.ndenumerate(table):
    if count:
        ax.text(
            digit, cluster, count, ha="center", va="center", color="white" if count > 90 else "k"
        )
ax.set(xlabel="digit", ylabel="cluster", xticks=range(10), yticks=range(model.n_clusters_))
figure.colorbar(shown, ax=ax, label="images")
plt.show()
