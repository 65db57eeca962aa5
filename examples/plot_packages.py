"""
Clusters with names: the packages of a distribution
===================================================

Find communities inside communities of named nodes. The graph has the packages of Debian 12, with an
edge where one depends on another.

The data are read from the folder that the environment variable POWERCUT_DATA names; without it, the
example says so and ends.
"""

import gzip
import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import powercut
from powercut import plot

FOLDER = Path(os.environ.get("POWERCUT_DATA", ".")) / "graphs" / "debian-bookworm"


def read_packages():
    """Return the graph of a table of edges between names; the tree keeps these."""
    with gzip.open(FOLDER / "node_names.txt.gz", "rt") as file:
        names = np.array(file.read().split(), dtype=object)
    ends = names[np.loadtxt(FOLDER / "edges.txt.gz", dtype=np.int64)]
    table = pd.DataFrame(ends, columns=["package", "dependency"])
    return powercut.Graph.from_edges(table, symmetrize="max")


def most_needed(graph, members):
    """Return the name of the member with most neighbours among the members, or its first word."""
    inside = graph.adjacency[members][:, members].sum(axis=1)
    name = graph.names[members[np.argmax(inside)]]
    return name if len(name) < 16 else name.split("-")[0]


# %%
# One package, level by level: in all of Debian, in one language, with others of its kind.


def follow(graph, tree, name):
    """Print the clusters that a package is in."""
    (node,) = np.flatnonzero(tree.names == name)
    last = -1
    for level in range(tree.n_levels):
        clusters = tree.clusters_of_level(level)
        if clusters[node] != last:
            last = clusters[node]
            members = np.flatnonzero(clusters == last)
            print(f"level {level}: {len(members):,} packages around {most_needed(graph, members)}")


# %%
# An icicle: a column for each level, the finest on the right, and a box for each cluster. Large
# ones have the name of the package with most dependencies inside: Perl, Java, Ruby, Go, JavaScript
# and R leave the rest first, then Python and Haskell (around libgmp10).


def draw(graph, tree):
    """Draw the tree, with the name of a package in each cluster that is large enough."""
    names = {}
    for level in range(tree.n_levels):
        clusters = tree.clusters_of_level(level)
        for cluster in np.flatnonzero((tree.level == level) & (tree.size > 1000)):
            names[int(cluster)] = most_needed(graph, np.flatnonzero(clusters == cluster))
    _, ax = plt.subplots(figsize=(12, 8), layout="constrained")
    plot.tree(tree, names=names, ax=ax)


if FOLDER.is_dir():
    graph = read_packages()
    tree = powercut.cluster_tree(graph, random_state=0)
    print(tree)
    for name in ("python3-scipy", "r-cran-ggplot2"):
        print(f"\n{name}")
        follow(graph, tree, name)
    draw(graph, tree)
    plt.show()
else:
    print("Skipped: POWERCUT_DATA names no folder with graphs/debian-bookworm.")
