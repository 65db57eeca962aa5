"""
All plots
=========

See every plot of `powercut.plot`. Each function draws on the axes that it is given, or makes new
ones, and returns them. Colours can be distinguished by colour-blind readers, and in print.
"""

import matplotlib.pyplot as plt
import networkx as nx
from skimage.transform import rescale
from sklearn.datasets import load_sample_image

from powercut import PowerLawCut, PowerLawMeans, neighbors, plot, tradeoff_path
from powercut.baselines import DPMeans
from powercut.datasets import make_blobs, make_block_graph
from powercut.image import segment


def two_axes():
    return plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")[1]


# %%
# The sizes of clusters by rank, and how many there are of each size. The band holds nine of ten
# partitions drawn from the fitted Pitman-Yor prior.

graph, _ = make_block_graph(3000, random_state=0)
labels = PowerLawCut(random_state=0).fit_predict(graph)

left, right = two_axes()
plot.rank_size(labels, ax=left)
plot.size_histogram(labels, ax=right)
plt.show()

# %%
# The matrix of the characters of *Les Misérables*, in the order of their clusters; and the weight
# between each pair of the largest clusters, relative to its expectation from their degrees.

G = nx.les_miserables_graph()
labels = PowerLawCut(random_state=0).fit_predict(G)

left, right = two_axes()
plot.adjacency(G, labels, ax=left)
plot.between_clusters(G, labels, n_largest=5, ax=right)
plt.show()

# %%
# The same graph as nodes and links; and a map of the clusters of a larger graph, here of the
# nearest neighbours of points.

X, _ = make_blobs(2000, n_features=2, spread=6, random_state=1)
larger = neighbors.graph(X, random_state=0)

left, right = two_axes()
plot.network(G, labels, ax=left)
plot.network(larger, PowerLawCut("modularity", random_state=0).fit_predict(larger), ax=right)
plt.show()

# %%
# The number of clusters over the tradeoff, for the same graph; and the objective, round by round,
# here of DP-means after its first pass.

X, _ = make_blobs(2000, n_features=2, spread=12, random_state=1)
objective_path = DPMeans(10).fit(X).objective_path_

left, right = two_axes()
plot.tradeoff_path(tradeoff_path(G, random_state=0), ax=left)
plot.objective_path(objective_path[1:], ax=right)
plt.show()

# %%
# Points in the plane, with the numbers of the largest clusters; and borders over an image.

image = rescale(load_sample_image("china.jpg"), 0.4, channel_axis=-1, anti_aliasing=True)

left, right = two_axes()
plot.embedding(X, PowerLawMeans(random_state=0).fit_predict(X), ax=left)
plot.image(image, segment(image, resolution=0.25, random_state=0), ax=right)
plt.show()
