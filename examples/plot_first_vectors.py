"""
Clusters of vectors, beside k-means
===================================

Compare `powercut.PowerLawMeans` with k-means on Gaussian clusters, a few large and many small.
k-means is given their true number, and still splits the large ones, because it prefers clusters of
equal size. `powercut.PowerLawMeans` is given nothing. It finds fewer clusters than were planted,
because overlapping ones look like one. Numbers and colours are those of the 18 largest clusters.
"""

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score

from powercut import PowerLawMeans, plot
from powercut.datasets import make_blobs

X, truth = make_blobs(3000, n_features=2, spread=12, random_state=2)
found = {
    "k-means, true k given": KMeans(truth.max() + 1, n_init=10, random_state=0).fit(X).labels_,
    "powercut, nothing given": PowerLawMeans(random_state=0).fit(X).labels_,
}

figure, axes = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained", sharex=True, sharey=True)
for ax, (name, labels) in zip(axes, {"planted": truth, **found}.items(), strict=True):
    plot.embedding(X, labels, ax=ax)
    nmi = normalized_mutual_info_score(truth, labels)
    ax.set_title(f"{name}\n{labels.max() + 1} clusters, NMI {nmi:.3f}")
plt.show()
