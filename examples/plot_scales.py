"""
Years and dormitories of a college
==================================

Read two kinds of communities from one tree. The graph has the friendships at Cornell University in
2005, of the Facebook100 data (Traud, Mucha and Porter, 2012). Class years and dormitories of the
students are known, and not used.

The data are read from the folder that the environment variable POWERCUT_DATA names; without it, the
example says so and ends.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import adjusted_mutual_info_score

import powercut

FOLDER = Path(os.environ.get("POWERCUT_DATA", ".")) / "graphs" / "fb100-Cornell5"


def known_classes(name):
    """Return the class of each node, -1 where it is not known."""
    return np.loadtxt(FOLDER / f"labels_{name}.txt.gz", dtype=int)


def agreement(classes, labels):
    """Return the AMI over nodes whose class is known."""
    known = classes >= 0
    return adjusted_mutual_info_score(classes[known], labels[known])


# %%
# Clusters of highest modularity are a good middle: levels above them are coarser, levels below
# divide them. For each level, the number of clusters and the agreement with both kinds of classes.


def draw(graph):
    """Draw how well each level of a tree agrees with years and with dormitories."""
    middle = powercut.PowerLawCut("modularity", tradeoff=0, random_state=0)
    tree = powercut.cluster_tree(graph, estimator=middle, prune=False)
    levels = [tree.cut(level=level) for level in range(tree.n_levels)]
    # Clusters of a few nodes, cut off from all others, are at every level.
    sizes = [int((np.bincount(labels) >= 10).sum()) for labels in levels]
    _, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for name, mark in (("year", "o-"), ("dorm", "s-")):
        values = [agreement(known_classes(name), labels) for labels in levels]
        ax.plot(sizes, values, mark, label=name)
        best = int(np.argmax(values))
        print(f"{name}: {values[best]:.3f} at level {best}, of {sizes[best]} large clusters")
    ax.axvline(sizes[tree.fitted_level], color="black", linewidth=0.8, linestyle=":")
    ax.text(1.05 * sizes[tree.fitted_level], 0.01, "fitted")
    ax.set(xscale="log", xlabel="clusters of at least 10 nodes", ylabel="AMI", ylim=(0, None))
    ax.set_xticks([1, 10, 100], ["1", "10", "100"])
    ax.set_title("one tree: years above, dormitories inside")
    ax.legend(frameon=False)


if FOLDER.is_dir():
    ends = np.loadtxt(FOLDER / "edges.txt.gz", dtype=np.int64, unpack=True)
    draw(powercut.Graph.from_edges(*ends, n_nodes=len(known_classes("year")), symmetrize="max"))
    plt.show()
else:
    print("Skipped: POWERCUT_DATA names no folder with graphs/fb100-Cornell5.")
