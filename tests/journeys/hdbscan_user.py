# /// script
# dependencies = ["powercut"]
# [tool.journey]
# page = "docs/from_kmeans_hdbscan.md"
# ///
"""k-means and HDBSCAN replaced, on a table of numbers in a file."""

import numpy as np
from sklearn.cluster import HDBSCAN
from sklearn.datasets import load_iris, make_moons
from sklearn.metrics import adjusted_mutual_info_score as ami
from steps import answer, check
from steps import powercut as command

import powercut

iris = load_iris()
np.savetxt("iris.csv", iris.data, delimiter=",", header=",".join(iris.feature_names))
X = np.loadtxt("iris.csv", delimiter=",")

model = powercut.PowerLawClusters(random_state=0).fit(X)
theirs = HDBSCAN(min_cluster_size=5, copy=True).fit_predict(X)
own, other = ami(iris.target, model.labels_), ami(iris.target, theirs)
check(f"{model.n_clusters_} clusters, AMI {own:.2f} beside {other:.2f}", own > other)
check("why is told", model.why_)
check("probabilities", np.allclose(model.predict_proba(X).sum(axis=1), 1))
check("new points", model.predict(X[:3] + 0.01).tolist() == model.labels_[:3].tolist())
moons, truth = make_moons(400, noise=0.05, random_state=0)
check("any shape", ami(truth, powercut.cluster(moons, random_state=0)) == 1)
far = np.vstack([X, [[50.0, 50, 50, 50]]])
labelled = powercut.PowerLawClusters(outliers="label", random_state=0).fit(far)
check("noise is -1", labelled.labels_[-1] == -1)

for name, value, remedy in (
    ("n_clusters", 2, "powercut.cluster_tree(X).cut(n_clusters=2)"),
    ("min_cluster_size", 5, "powercut.cluster_tree(X, min_size=5).cut()"),
    ("eps", 0.5, "powercut.cluster_tree(X).cut(level=...)"),
):
    said = answer(lambda name=name, value=value: powercut.PowerLawClusters(**{name: value}))
    check(f"{name} is answered", remedy in said)
check("two from the tree", powercut.cluster_tree(X).cut(n_clusters=2).max() == 1)
check("five and more each", np.bincount(powercut.cluster_tree(X, min_size=5).cut()).min() >= 5)
means = powercut.PowerLawMeans(random_state=0).fit(X)
check("means as k-means has them", means.cluster_centers_.shape == (means.n_clusters_, 4))
command("means", "iris.csv", "-o", "labels.txt", "--quiet")
same = np.loadtxt("labels.txt", dtype=int)
check("the shell finds the same", len(same) == 150 and same.max() + 1 >= 2)
