"""Compare fits of a graph of which part of the answer is known with a fit of the graph alone.

    python benchmarks/constraints.py                 # 100,000 nodes, and 10,000 small graphs
    python benchmarks/constraints.py --cases 0 --repeats 1
    python benchmarks/constraints.py --quick

Known are 1% of the labels, 10,000 pairs of nodes of one true cluster, as many of two different
ones, or all of these. Broken: how many of the constraints the clusters do not keep. Nats: by how
much the description is longer than that of the fit of the graph alone. Times are CPU times of one
thread, of the best of several runs, each in a process of its own.

Graphs of 2,000 nodes with 60% of the edges between clusters show what labels of some nodes tell
about the others: the mean NMI of the nodes whose labels are not known, on five graphs.

The small graphs are random, and so are their constraints: clusters of one and of two threads must
be the same, and keep them.
"""

import argparse
import sys
import tempfile
import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from _experiments import Labels, header, markdown, read_npz
from _graphs import blocks
from _measure import Cost, best_runs, measure
from powercut import Graph, PowerLawCut
from powercut.datasets import make_block_graph

MIXED_100K = blocks("blocks-100k-0.4", 100_000, degree=20, mixing=0.4, seed=1)
MIXED_SMALL = blocks("blocks-3k-0.4", 3000, degree=20, mixing=0.4, seed=1)
SHARE = 0.01
SHARES = (0.02, 0.05, 0.1, 0.2, 0.4)
KINDS = ("nothing", "fixed", "must_link", "cannot_link", "all")


@dataclass(frozen=True)
class Run:
    """Cost and result of a fit."""

    cost: Cost
    n_clusters: int
    nmi: float
    nats: float
    broken: int


def draw(truth: Labels, n_pairs: int, share: float, random: np.random.Generator) -> dict[str, Any]:
    """Return labels of a share of the nodes, and pairs of nodes that share a cluster, or do not."""
    n = len(truth)
    known = np.where(random.random(n) < share, truth, -1)
    # A node, and another one of its cluster.
    order = np.argsort(truth, kind="stable")
    sizes = np.bincount(truth)
    first = np.cumsum(sizes) - sizes
    one = random.integers(0, n, n_pairs)
    other = order[first[truth[one]] + random.integers(0, sizes[truth[one]])]
    apart = random.integers(0, n, (4 * n_pairs + 8, 2))
    apart = apart[truth[apart[:, 0]] != truth[apart[:, 1]]][:n_pairs]
    return {"fixed": known, "must_link": np.stack([one, other], axis=1), "cannot_link": apart}


def count_broken(labels: Labels, known: dict[str, Any]) -> int:
    """Return how many constraints labels do not keep."""
    broken = 0
    if "fixed" in known:
        nodes = np.flatnonzero(known["fixed"] >= 0)
        pairs = np.unique(np.stack([known["fixed"][nodes], labels[nodes]]), axis=1)
        # One cluster per label, and one label per cluster.
        broken += sum(pairs.shape[1] - len(np.unique(values)) for values in pairs)
    for name, equal in (("must_link", True), ("cannot_link", False)):
        if name in known:
            a, b = labels[known[name]].T
            broken += int(np.count_nonzero((a == b) != equal))
    return broken


def run(kind: str, path: Path, n_pairs: int) -> Run:
    """Fit the graph of a file, in a process of its own."""
    matrix, truth = read_npz(path)
    assert truth is not None
    known = draw(truth, n_pairs, SHARE, np.random.default_rng(0))
    known = {name: value for name, value in known.items() if kind in (name, "all")}
    graph = Graph(matrix)
    PowerLawCut(random_state=0).fit(Graph(matrix[:1000, :1000]))  # loads what is imported late
    model, cost = measure(lambda: PowerLawCut(random_state=0, n_jobs=1).fit(graph, **known))
    nmi = float(normalized_mutual_info_score(truth, model.labels_))
    broken = count_broken(model.labels_, known)
    return Run(cost, model.n_clusters_, nmi, model.description_length_, broken)


def others(share: float, n: int, seed: int) -> tuple[float, float]:
    """Return the NMI of the nodes without known labels, without and with those of the others."""
    graph, truth = make_block_graph(n, degree=10, mixing=0.6, random_state=seed)
    fixed = draw(truth, 0, share, np.random.default_rng(seed))["fixed"]
    unknown = fixed == -1
    free, known = (
        PowerLawCut(random_state=0).fit(graph, fixed=labels).labels_[unknown]
        for labels in (None, fixed)
    )
    nmi = partial(normalized_mutual_info_score, truth[unknown])
    return float(nmi(free)), float(nmi(known))


def small_case(seed: int) -> int:
    """Fit a random graph with random constraints; return how many are broken."""
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 25))
    upper = np.triu(random.random((n, n)) < random.choice([0.1, 0.3, 0.9]), 1)
    if random.random() < 0.3:
        upper = upper * random.uniform(0.1, 3.0, (n, n))
    truth = random.integers(0, random.integers(1, n + 1), n)
    known = draw(truth, int(random.integers(0, n)), random.choice([0.0, 0.2, 0.7]), random)
    graph = Graph((upper + upper.T).astype(np.float64))
    parameters: dict[str, Any] = {"random_state": seed, "connected": bool(random.random() < 0.8)}
    if random.random() < 0.3:
        parameters |= {"score": "modularity", "tradeoff": float(random.choice([0.01, 1.0]))}
    elif random.random() < 0.2:
        parameters["tradeoff"] = 3.0
    one, two = (
        PowerLawCut(n_jobs=n_jobs, **parameters).fit(graph, **known).labels_ for n_jobs in (1, 2)
    )
    if not np.array_equal(one, two):
        raise AssertionError(f"case {seed}: labels depend on the number of threads")
    return count_broken(one, known)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=10_000, help="number of small graphs")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="use a small graph, and few cases")
    options = parser.parse_args()
    workload, n_pairs = (MIXED_SMALL, 300) if options.quick else (MIXED_100K, 10_000)
    repeats, n_cases = (1, 20) if options.quick else (options.repeats, options.cases)
    print(header([workload.name, "CPU, s", "ratio", "clusters", "NMI", "nats", "broken"]))
    with tempfile.TemporaryDirectory() as scratch:
        path = workload.file(None, Path(scratch))
        found = best_runs(KINDS, partial(run, path=path, n_pairs=n_pairs), repeats)
    free, broken = found["nothing"], 0
    for kind, one in found.items():
        times = [f"{one.cost.cpu:.2f}", f"{one.cost.cpu / free.cost.cpu:.2f}"]
        results = [f"{one.n_clusters}", f"{one.nmi:.5f}", f"{one.nats / free.nats - 1:+.3%}"]
        print(markdown([kind, *times, *results, f"{one.broken}"]), flush=True)
        broken += one.broken
    print("\n" + header(["labels known", "NMI of the other nodes", "without these labels"]))
    n, n_graphs = (300, 1) if options.quick else (2000, 5)
    for share in SHARES:
        free, known = np.mean([others(share, n, seed) for seed in range(n_graphs)], axis=0)
        print(markdown([f"{share:.0%}", f"{known:.3f}", f"{free:.3f}"]), flush=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # many have no structure
        wrong = sum(small_case(seed) > 0 for seed in range(n_cases))
    print(f"\n{n_cases} small graphs: {wrong} with broken constraints")
    return int(broken + wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
