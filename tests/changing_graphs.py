"""Graphs that change, for tests of updates."""

import numpy as np
from scipy import sparse

from powercut import Graph

N = 12


def cliques(k, n=N):
    """Return k cliques of n nodes in a ring, as a matrix."""
    A = np.kron(np.eye(k), np.ones((n, n)) - np.eye(n))
    ring = np.arange(k) * n
    A[ring, np.roll(ring, 1)] = A[np.roll(ring, 1), ring] = 1
    return A


def edges_of(A):
    return np.nonzero(np.triu(A, 1))


def pairs(nodes, others=None):
    """Return the ends of all edges inside one set of nodes, or between two."""
    if others is None:
        u, v = np.triu_indices(len(nodes), 1)
        return np.asarray(nodes)[u], np.asarray(nodes)[v]
    return np.repeat(nodes, len(others)), np.tile(others, len(nodes))


def ids_of(model):
    return model.cluster_ids_[model.labels_]


def replaced(graph, share, random):
    """Return a graph without some edges, these edges, and other edges to remove in exchange."""
    u, v = edges_of_graph(graph)
    order, half = random.permutation(len(u)), max(1, int(share * len(u) / 2))
    held, lost = order[:half], order[half : 2 * half]
    kept = np.delete(np.arange(len(u)), held)
    old = Graph.from_edges(u[kept], v[kept], n_nodes=graph.n_nodes, symmetrize="max")
    return old, (u[held], v[held]), (u[lost], v[lost])


def edges_of_graph(graph):
    return sparse.triu(graph.adjacency, 1).tocoo().coords
