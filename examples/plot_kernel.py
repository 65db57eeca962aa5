"""
Clusters by a kernel
====================

Anything that has a kernel can be clustered, without coordinates: here words, by the pieces that
they share. `powercut.PowerLawKernelMeans` finds how many clusters there are, given what a cluster
costs.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from powercut import PowerLawKernelMeans

families = [
    "nation national nationality international nationalise notion",
    "graph graphic graphical paragraph photograph autograph",
    "cluster clusters clustered clustering",
    "power powerful overpower empower",
    "law lawful lawyer outlaw",
]
words = " ".join(families).split()
pieces = TfidfVectorizer(analyzer="char", ngram_range=(2, 4), sublinear_tf=True).fit_transform(
    words
)
kernel = (pieces @ pieces.T).toarray()

model = PowerLawKernelMeans(tradeoff=0.15, random_state=0).fit(kernel)
for cluster in range(model.n_clusters_):
    print(cluster, " ".join(np.array(words)[model.labels_ == cluster]))

# %%

order = np.argsort(model.labels_, kind="stable")
figure, ax = plt.subplots(figsize=(8, 7), layout="constrained")
shown = ax.imshow(kernel[np.ix_(order, order)], cmap="cividis")
ax.set_xticks(range(len(words)), np.array(words)[order], rotation=90)
ax.set_yticks(range(len(words)), np.array(words)[order])
for edge in np.cumsum(model.cluster_sizes_)[:-1] - 0.5:
    ax.axhline(edge, color="white", linewidth=1)
    ax.axvline(edge, color="white", linewidth=1)
figure.colorbar(shown, ax=ax, label="kernel")
plt.show()
