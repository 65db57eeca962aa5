"""
Clusters of every shape
=======================

The six data sets by which scikit-learn's page "Comparing different clustering algorithms" compares
its methods, and here the methods that need no number of clusters, beside
`powercut.PowerLawClusters` with nothing set. The last row has no clusters. Titles have the number
of clusters found and, for ours, the route that was taken: Gaussian clusters where they pass as
Gaussian, else the hills of the density.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn import cluster, datasets, mixture

from powercut import PowerLawClusters

N = 500
blobs, _ = datasets.make_blobs(N, random_state=170)
DATA = {
    "circles": datasets.make_circles(N, factor=0.5, noise=0.05, random_state=30)[0],
    "moons": datasets.make_moons(N, noise=0.05, random_state=30)[0],
    "varied": datasets.make_blobs(N, cluster_std=[1.0, 2.5, 0.5], random_state=170)[0],
    "aniso": blobs @ [[0.6, -0.6], [-0.4, 0.8]],
    "blobs": datasets.make_blobs(N, random_state=30)[0],
    "no clusters": np.random.default_rng(30).uniform(size=(N, 2)),
}
METHODS = {
    "MeanShift": cluster.MeanShift(bin_seeding=True),
    "HDBSCAN": cluster.HDBSCAN(copy=True),
    "OPTICS": cluster.OPTICS(min_samples=7, xi=0.05, min_cluster_size=0.1),
    "BayesianGaussianMixture": mixture.BayesianGaussianMixture(n_components=10, random_state=0),
    "PowerLawClusters": PowerLawClusters(random_state=0),
}

figure, axes = plt.subplots(
    len(DATA), len(METHODS), figsize=(10, 11.5), layout="constrained", squeeze=False
)
for row, (data, X) in zip(axes, DATA.items(), strict=True):
    row[0].set_ylabel(data)
    for ax, (name, method) in zip(row, METHODS.items(), strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # no convergence, or no more than one cluster
            labels = method.fit_predict((X - X.mean(axis=0)) / X.std(axis=0))
        found = len(set(labels[labels >= 0]))
        how = f", {method.route_}" if isinstance(method, PowerLawClusters) else ""
        colours = np.where(labels < 0, "lightgrey", np.array([f"C{c % 10}" for c in labels]))
        ax.scatter(X[:, 0], X[:, 1], s=4, c=colours)
        ax.set_title(f"{name}\n{found}{how}" if data == "circles" else f"{found}{how}", fontsize=9)
        ax.set(xticks=[], yticks=[])
plt.show()
