"""
Beside other tools, live
========================

The same four data sets in five tools, with a few lines for each and nothing tuned. They ran when
this page was built: the table has the times of that machine. All tools get the same matrix. k is
the number of clusters that they find, and AMI, the adjusted mutual information, their agreement
with the known classes: 1 at best.

Four small sets are no benchmark. :doc:`/quality` has many sets, and
:doc:`/speed` has large ones.
"""

import random
import time

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import triu
from sklearn import datasets
from sklearn.metrics import adjusted_mutual_info_score
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import scale

# %%
# powercut needs no more than the matrix.


def powercut_clusters(X):
    from powercut import PowerLawClusters

    return PowerLawClusters(random_state=0).fit_predict(X)


# %%
# HDBSCAN, of scikit-learn, too. Its noise, label -1, counts as one cluster of the AMI.


def hdbscan(X):
    from sklearn.cluster import HDBSCAN

    return HDBSCAN(copy=True).fit_predict(X)


# %%
# Methods for graphs get the graph of the 15 nearest neighbours.


def neighbours(X):
    graph = kneighbors_graph(X, 15)
    return graph.maximum(graph.T)


def igraph_leiden(X):
    import igraph

    graph = igraph.Graph(len(X), np.column_stack(triu(neighbours(X)).nonzero()))
    return graph.community_leiden("modularity", n_iterations=-1).membership


def networkx_louvain(X):
    import networkx as nx

    labels = np.empty(len(X), dtype=int)
    graph = nx.from_scipy_sparse_array(neighbours(X))
    for c, members in enumerate(nx.community.louvain_communities(graph, seed=0)):
        labels[list(members)] = c
    return labels


# %%
# So do cells in scanpy, which makes the graph itself.


def scanpy_leiden(X):
    import anndata
    import scanpy

    cells = anndata.AnnData(X)
    scanpy.pp.neighbors(cells, use_rep="X")
    scanpy.tl.leiden(cells, flavor="igraph", n_iterations=-1)
    return cells.obs["leiden"].astype(int)


# %%
# Columns of tables are divided by their deviations, for all tools.

SETS = {
    "iris": datasets.load_iris(return_X_y=True),
    "wine": datasets.load_wine(return_X_y=True),
    "breast cancer": datasets.load_breast_cancer(return_X_y=True),
    "digits": datasets.load_digits(return_X_y=True),
}
SETS = {name: (X if name == "digits" else scale(X), y) for name, (X, y) in SETS.items()}
METHODS = {
    "powercut": powercut_clusters,
    "HDBSCAN": hdbscan,
    "igraph Leiden": igraph_leiden,
    "networkx Louvain": networkx_louvain,
    "scanpy Leiden": scanpy_leiden,
}

results = {}
print(" " * 16 + "".join(f"{name:>22s}" for name in SETS))
print(" " * 16 + f"{'k':>8s}{'AMI':>6s}{'seconds':>8s}" * len(SETS))
print(f"{'classes':16s}" + "".join(f"{len(set(truth)):8d}{'':14s}" for _, truth in SETS.values()))
for name, cluster in METHODS.items():
    try:
        cluster(SETS["iris"][0][::2])  # so that imports are not timed
    except ModuleNotFoundError as missing:
        print(f"{name:16s} skipped: {missing.name} is not installed where this page was built")
        continue
    row, times, agreements = f"{name:16s}", [], []
    for X, truth in SETS.values():
        random.seed(0)  # igraph draws from it
        start = time.perf_counter()
        labels = cluster(X)
        times.append(time.perf_counter() - start)
        agreements.append(adjusted_mutual_info_score(truth, labels))
        row += f"{len(set(labels)):8d}{agreements[-1]:6.2f}{times[-1]:8.2f}"
    print(row)
    results[name] = times, agreements

# %%
# The same as a picture: best is at the top left. On iris and wine, powercut takes a hundred times
# as long as the others, because it tries Gaussian clusters of three covariance structures first; on
# wine and the digits, the methods for graphs are as good or slightly better.

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, (times, agreements)), marker in zip(results.items(), "osD^v", strict=False):
    ax.plot(times, agreements, marker, label=name)
ax.set(xscale="log", xlabel="seconds", ylabel="agreement with classes (AMI)", ylim=(0, 1))
ax.legend(title="one dot per data set")
plt.show()
