"""Fit the graphs that people bring first: small and dense, social, of co-authors, of neighbours.

    python experiments/everyday.py                          # all sections: half an hour
    python experiments/everyday.py --only time --graphs karate cora
    python experiments/everyday.py --quick                  # two small graphs, seconds

Graphs are those of POWERCUT_DATA, with the first kind of labels of each, three of the paper's, and
the 15 nearest neighbours of Gaussian clusters. Nothing is set but the seed, on one thread.

- ``time``: CPU seconds of a fit and of igraph's Leiden (modularity, until nothing changes) on the
  same matrix, the best of three if they are short, with the number of clusters and the AMI with
  the labels of both.
- ``tradeoffs``: the number of clusters at tradeoffs from 1 to 30. It must not rise, and no node
  may become a singleton.
- ``removed``: a random fifth of the edges is removed, three times. Singletons that are not isolated
  nodes, and the mean AMI with the clusters of the whole graph; that of Leiden beside it.
- ``noise``: Erdos-Renyi graphs, and neighbours of a single Gaussian: how many are one cluster per
  component.

The exit status is 1 if a tradeoff breaks its promise.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import adjusted_mutual_info_score
from sklearn.neighbors import kneighbors_graph

from _quality_data import make_random
from _real_data import N_NEIGHBORS, SEEN, Unavailable, data_folder, graph_folders
from _results import header, markdown
from powercut import Graph, PowerLawCut
from powercut.datasets import make_blobs, make_block_graph, make_paper_graph

TRADEOFFS = (1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0)
SHORT = 1.0  # seconds: shorter fits are repeated
# Graphs whose labels are not called so, besides those of the quality experiment.
LABELS = {**SEEN, "fb100-Cornell5": "labels_year", "debian-bookworm": "labels_source"}
Labels = np.ndarray[Any, Any]


class Case(NamedTuple):
    """A graph that is made or read on demand, with its labels; none if it has no labels."""

    name: str
    load: Callable[[], tuple[Graph, Labels]]


def show(*cells: str) -> None:
    print(markdown(cells), flush=True)


def read(name: str) -> tuple[Graph, Labels]:
    """Read a graph, and its labels if it has any."""
    folder = data_folder() / "graphs" / name
    edges = np.loadtxt(folder / "edges.txt.gz", dtype=np.int64, ndmin=2)[:, :2]
    u, v = edges[edges[:, 0] != edges[:, 1]].T
    path = folder / f"{LABELS.get(name, 'labels')}.txt.gz"
    labels = np.loadtxt(path, dtype=np.int64) if path.exists() else np.empty(0, dtype=np.int64)
    n = max(int(edges.max()) + 1, len(labels))
    return Graph.from_edges(u, v, n_nodes=n, symmetrize="max"), labels


def neighbors_of(X: Labels) -> Graph:
    nearest = kneighbors_graph(X, N_NEIGHBORS, include_self=False)
    return Graph(nearest.maximum(nearest.T))


def make_neighbors(n: int) -> tuple[Graph, Labels]:
    X, labels = make_blobs(n, n_features=8, random_state=0)
    return neighbors_of(X), labels


def sources(*, quick: bool) -> Iterator[Case]:
    """Yield the graphs."""
    if quick:
        yield Case("blocks-300", partial(make_block_graph, 300, random_state=0))
        yield Case("neighbors-200", partial(make_neighbors, 200))
        return
    try:
        for folder in graph_folders():
            yield Case(folder.name, partial(read, folder.name))
    except Unavailable as reason:
        print(f"Graphs of POWERCUT_DATA are skipped: {reason}.\n")
    for kind, spread, seed in (("sd", 0.001, 1), ("var", 0.001**0.5, 1), ("var", 0.001**0.5, 5)):
        make = partial(make_paper_graph, spread=spread, random_state=seed)
        yield Case(f"paper-{kind}-{seed}", make)
    for n in (1000, 5000, 20_000, 100_000):
        yield Case(f"neighbors-{n}", partial(make_neighbors, n))


def ours(graph: Graph, **parameters: Any) -> Labels:
    return PowerLawCut(random_state=0, n_jobs=1, **parameters).fit(graph).labels_


def leiden(graph: Graph) -> Callable[[], Labels]:
    """Return a function that runs igraph's Leiden; conversion is not part of it."""
    import igraph

    u, v = graph.adjacency.nonzero()
    once = u < v
    edges = np.column_stack([u[once], v[once]])
    weights = None if graph.weights is None else graph.weights[once].tolist()
    peer = igraph.Graph(n=graph.n_nodes, edges=edges)
    options = {"weights": weights, "n_iterations": -1}
    return lambda: np.array(peer.community_leiden("modularity", **options).membership)


def cpu_seconds(work: Callable[[], Labels]) -> tuple[Labels, float]:
    """Return the result and the CPU seconds, the best of three if they are few."""
    best = np.inf
    for _ in range(3):
        start = time.process_time()
        result = work()
        seconds = time.process_time() - start
        best = min(best, seconds)
        if seconds > SHORT:
            break
    return result, best


def agreement(truth: Labels, labels: Labels) -> float:
    known = truth >= 0
    return float(adjusted_mutual_info_score(truth[known], labels[known])) if len(truth) else np.nan


def compare_times(cases: Sequence[Case]) -> bool:
    columns = ["graph", "nodes", "edges", "CPU s", "Leiden", "ratio", "clusters", "AMI", "Leiden"]
    print(header(columns))
    ratios = []
    for case in cases:
        graph, truth = case.load()
        labels, seconds = cpu_seconds(partial(ours, graph))
        others, peer = cpu_seconds(leiden(graph))
        if max(seconds, peer) >= 0.02:
            ratios.append(seconds / peer)
        show(
            case.name,
            f"{graph.n_nodes:,}",
            f"{graph.n_edges:,}",
            f"{seconds:.3f}",
            f"{peer:.3f}",
            f"{seconds / peer:.1f}",
            f"{labels.max() + 1:,}",
            f"{agreement(truth, labels):.3f}",
            f"{agreement(truth, others):.3f}",
        )
    if ratios:
        mean = np.exp(np.mean(np.log(ratios)))
        print(f"\nGeometric mean of the ratios {mean:.2f}, largest {max(ratios):.1f}.\n")
    return True


def compare_tradeoffs(cases: Sequence[Case]) -> bool:
    print(header(["graph", *(f"{t:g}" for t in TRADEOFFS), "kept"]))
    kept = True
    for case in cases:
        graph, _ = case.load()
        found = [ours(graph, tradeoff=tradeoff) for tradeoff in TRADEOFFS]
        alone = [np.bincount(labels)[labels] == 1 for labels in found]
        n_clusters = [int(labels.max(initial=-1)) + 1 for labels in found]
        falls = bool((np.diff(n_clusters) <= 0).all())
        new = any((after & ~before).any() for before, after in pairwise(alone))
        holds = falls and not new
        kept = kept and holds
        show(case.name, *(f"{k:,}" for k in n_clusters), "yes" if holds else "no")
    return kept


def without_a_fifth(graph: Graph, seed: int) -> Graph:
    A = graph.adjacency.tocoo()
    once = A.row < A.col
    kept = np.random.default_rng(seed).random(int(once.sum())) >= 0.2
    u, v, weights = (values[once][kept] for values in (A.row, A.col, A.data))
    weights = None if graph.weights is None else weights
    return Graph.from_edges(u, v, weights, n_nodes=graph.n_nodes, symmetrize="max")


def compare_removed(cases: Sequence[Case]) -> bool:
    columns = ["graph", "singletons", "isolated", "share beyond", "AMI with the whole", "Leiden"]
    print(header(columns))
    for case in cases:
        graph, _ = case.load()
        whole, peer = ours(graph), leiden(graph)()
        singletons, isolated, same, peers = [], [], [], []
        for seed in range(3):
            fewer = without_a_fifth(graph, seed)
            labels = ours(fewer)
            singletons.append(int((np.bincount(labels) == 1).sum()))
            isolated.append(int(fewer.isolated.sum()))
            same.append(adjusted_mutual_info_score(whole, labels))
            peers.append(adjusted_mutual_info_score(peer, leiden(fewer)()))
        beyond = (np.mean(singletons) - np.mean(isolated)) / graph.n_nodes
        show(
            case.name,
            f"{np.mean(singletons):,.0f}",
            f"{np.mean(isolated):,.0f}",
            f"{100 * beyond:.2f}%",
            f"{np.mean(same):.3f}",
            f"{np.mean(peers):.3f}",
        )
    return True


def compare_noise(*, quick: bool) -> bool:
    """Fit graphs without clusters."""
    whole: dict[str, list[bool]] = {"random graphs": [], "neighbors of one Gaussian": []}
    sizes = (34, 100, 300) if quick else (34, 60, 100, 300, 1000, 3000, 10_000)
    for n in sizes:
        for seed in range(1 if quick else 28):
            graph, components = make_random(n, (4, 8, 16, 25)[seed % 4], seed)
            whole["random graphs"].append(ours(graph).max() == components.max())
    for n in (250, 500) if quick else (250, 500, 1000, 3000, 10_000):
        for d in (2, 3, 5, 10, 20):
            for seed in range(1 if quick else 4):
                X = np.random.default_rng(seed).normal(size=(n, d))
                nearest = kneighbors_graph(X, (10, 15, 20, 30)[seed % 4])
                graph = Graph(nearest.maximum(nearest.T))
                one = _components(graph) - 1
                whole["neighbors of one Gaussian"].append(ours(graph).max() == one)
    print(header(["data", "graphs", "one cluster per component"]))
    for name, found in whole.items():
        show(name, str(len(found)), str(sum(found)))
    return True


def _components(graph: Graph) -> int:
    from scipy.sparse.csgraph import connected_components

    return int(connected_components(graph.adjacency, directed=False)[0])


SECTIONS = {
    "time": compare_times,
    "tradeoffs": compare_tradeoffs,
    "removed": compare_removed,
}


def main() -> int:
    """Run the sections and print their tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=[*SECTIONS, "noise"], default=None)
    parser.add_argument("--graphs", nargs="+", help="names of graphs; default: all")
    parser.add_argument("--quick", action="store_true", help="use two small graphs")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", "No more than one cluster", UserWarning)
    chosen = options.only or [*SECTIONS, "noise"]
    cases = [
        case
        for case in sources(quick=options.quick)
        if options.graphs is None or case.name in options.graphs
    ]
    kept = True
    for name in chosen:
        print(f"\n## {name}\n", flush=True)
        if name == "noise":
            kept = compare_noise(quick=options.quick) and kept
        else:
            kept = SECTIONS[name](cases) and kept
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
