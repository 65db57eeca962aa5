"""
Types of cells
==============

Cluster cells by their neighbour graph with ``powercut.scanpy.cluster``, in place of
``scanpy.tl.leiden``: without a resolution, and with the certainty of each cell and each cluster.
The counts are simulated: six types of cells, and some cells on their way from one type to another.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from anndata import AnnData
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from threadpoolctl import threadpool_limits

import powercut
from powercut import plot

SIZES = (400, 200, 120, 70, 40, 25)
N_GENES, N_BETWEEN = 500, 100

random = np.random.default_rng(0)
profiles = random.lognormal(0, 1, N_GENES) * random.lognormal(0, 0.3, (len(SIZES), N_GENES))
profiles /= profiles.sum(axis=1, keepdims=True)
types = np.repeat(np.arange(len(SIZES)), SIZES)
way = random.random(N_BETWEEN)  # how far a cell is on its way from type 0 to type 1
between = np.outer(1 - way, profiles[0]) + np.outer(way, profiles[1])
rates = np.concatenate([profiles[types], between])
counts = random.poisson(rates * random.lognormal(6, 0.3, (len(rates), 1)))

# %%
# Totals per cell scaled to their median, logarithms, principal components, neighbours. With scanpy
# these are ``sc.pp.normalize_total``, ``sc.pp.log1p``, ``sc.pp.pca`` and ``sc.pp.neighbors``.

total = counts.sum(axis=1, keepdims=True)
adata = AnnData(np.log1p(counts * np.median(total) / total))
adata.obsm["X_pca"] = PCA(20, random_state=0).fit_transform(adata.X)
adata.obsp["connectivities"] = powercut.neighbors.graph(adata.obsm["X_pca"]).adjacency

powercut.scanpy.cluster(adata)
result = adata.uns["powercut"]
print(pd.DataFrame({name: result[name] for name in ("clusters", "sizes", "evidence")}).round(1))

# %%
# The margin of a cell is the log odds, in nats, of its cluster against the best other one. It is
# low for cells between two types. Of the cells of one type, the few that are in the cluster of
# another have low margins too.

cells = adata.obs.iloc[: len(types)]
usual = cells["powercut"].groupby(types).agg(lambda clusters: clusters.mode()[0])
together = cells["powercut"].to_numpy() == usual.to_numpy()[types]
margins = cells["powercut_margin"].groupby(together).agg(["size", "median"])
print(margins.rename({True: "with their type", False: "elsewhere"}).round(1))

with threadpool_limits(1):  # for so few points, threads would only wait for each other
    place = TSNE(max_iter=500, random_state=0).fit_transform(adata.obsm["X_pca"])
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
plot.embedding(place, adata.obs["powercut"].cat.codes, ax=left)
left.set_title("clusters")
dots = right.scatter(*place.T, c=np.clip(adata.obs["powercut_margin"], 0, 40), s=8, cmap="cividis")
figure.colorbar(dots, ax=right, label="margin in nats, clipped at 40")
right.set(title="certainty", xticks=[], yticks=[])
plt.show()
