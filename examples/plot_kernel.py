"""
Clusters by a kernel
====================

Cluster data that have a kernel but no coordinates: here noisy waves with random phases, which are
similar if they have the same frequency. `powercut.PowerLawKernelMeans` finds the number of kinds,
given the tradeoff.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from powercut import PowerLawKernelMeans

random = np.random.default_rng(0)
time = np.linspace(0, 1, 128, endpoint=False)
kinds = random.permutation(np.repeat([0, 1, 2, 3], [80, 40, 20, 10]))
phases = random.random((len(kinds), 1))
turns = 2 * np.pi * np.array([3, 5, 8, 12])[kinds][:, None] * (time + phases)
waves = np.sin(turns) + random.normal(0, 0.5, turns.shape)

spectra = np.abs(np.fft.rfft(waves)) / 64  # the same for every phase
kernel = rbf_kernel(spectra, gamma=0.5)
model = PowerLawKernelMeans(tradeoff=0.15, random_state=0).fit(kernel)
print("found:  ", model.cluster_sizes_)
print("planted:", np.bincount(kinds))

# %%
# The kernel in the order of the clusters, and three waves of each.

order = np.argsort(model.labels_, kind="stable")
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
shown = left.imshow(kernel[np.ix_(order, order)], cmap="cividis")
figure.colorbar(shown, ax=left, label="kernel")
for edge in np.cumsum(model.cluster_sizes_)[:-1] - 0.5:
    left.axhline(edge, color="white", linewidth=1)
    left.axvline(edge, color="white", linewidth=1)
for cluster in range(model.n_clusters_):
    for line, wave in enumerate(waves[model.labels_ == cluster][:3]):
        right.plot(time, wave / 4 - 3 * cluster - line, color=f"C{cluster}", linewidth=1)
right.set(yticks=[-3 * c - 1 for c in range(model.n_clusters_)], xlabel="time", ylabel="cluster")
right.set_yticklabels(range(model.n_clusters_))
plt.show()
