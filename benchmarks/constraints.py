"""Compare fits of which part of the answer is known with fits of the data alone.

    python benchmarks/constraints.py                 # 100,000 nodes, and 10,000 small graphs
    python benchmarks/constraints.py --cases 0 --repeats 1
    python benchmarks/constraints.py --only points
    python benchmarks/constraints.py --quick

Known are 1% of the labels, 10,000 pairs of nodes of one true cluster, as many of two different
ones, or all of these. Broken: how many of the constraints the clusters do not keep. Nats: by how
much the description is longer than that of the fit of the graph alone. Times are CPU times of one
thread, of the best of several runs, each in a process of its own.

Graphs of 2,000 nodes with 60% of the edges between clusters show what labels of some nodes tell
about the others: the mean NMI of the nodes whose labels are not known, on five graphs.

Then 10% of the labels are wrong. Nodes are fixed at them, or they are prior labels. Left: the share
of the nodes with wrong labels, and of those with right ones, that are not in the cluster of their
label.

The small graphs are random, and so are their constraints: clusters of one and of eight threads must
be the same, and keep them. All of this is done for points, too: Gaussian clusters that overlap.
"""

import argparse
import sys
import tempfile
import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from _constrained_points import compare_points
from _experiments import Labels, header, markdown, read_npz
from _graphs import blocks
from _known import count_broken, draw
from _measure import Cost, best_runs, measure
from powercut import Graph, PowerLawCut
from powercut.datasets import make_block_graph

MIXED_100K = blocks("blocks-100k-0.4", 100_000, degree=20, mixing=0.4, seed=1)
MIXED_SMALL = blocks("blocks-3k-0.4", 3000, degree=20, mixing=0.4, seed=1)
SHARE = 0.01
SHARES = (0.02, 0.05, 0.1, 0.2, 0.4)
WRONG = 0.1
KINDS = ("nothing", "fixed", "must_link", "cannot_link", "all")
WITH_WRONG = ("nothing", "fixed", "prior_labels")


@dataclass(frozen=True)
class Run:
    """Cost and result of a fit."""

    cost: Cost
    n_clusters: int
    nmi: float
    nats: float
    broken: int


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


def draw_some_wrong(truth: Labels, share: float, random: np.random.Generator) -> Labels:
    """Return labels of a share of the nodes, some of which are those of other nodes."""
    labels = draw(truth, 0, share, random)["fixed"]
    nodes = np.flatnonzero(labels >= 0)
    some = nodes[random.random(len(nodes)) < WRONG]
    labels[some] = random.choice(labels[nodes], len(some))
    return labels


@dataclass(frozen=True)
class RunWithWrong:
    """Cost and result of a fit with some wrong labels."""

    cost: Cost
    n_clusters: int
    nmi: float
    wrong_left: float
    right_left: float


def run_with_wrong(kind: str, path: Path) -> RunWithWrong:
    """Fit the graph of a file with labels some of which are wrong, in a process of its own."""
    matrix, truth = read_npz(path)
    assert truth is not None
    labels = draw_some_wrong(truth, SHARE, np.random.default_rng(0))
    known = {} if kind == "nothing" else {kind: labels}
    graph = Graph(matrix)
    PowerLawCut(random_state=0).fit(Graph(matrix[:1000, :1000]))
    model, cost = measure(lambda: PowerLawCut(random_state=0, n_jobs=1).fit(graph, **known))
    left = np.zeros(len(truth), dtype=np.bool_)
    left[getattr(model, "prior_moved_", [])] = True
    nmi = float(normalized_mutual_info_score(truth, model.labels_))
    wrong, right = (labels >= 0) & (labels != truth), labels == truth
    shares = float(left[wrong].mean()), float(left[right].mean())
    return RunWithWrong(cost, model.n_clusters_, nmi, *shares)


def others_with_wrong(share: float, n: int, seed: int) -> list[float]:
    """Return the NMI of nodes without labels: without those of others, fixed at them, or not."""
    graph, truth = make_block_graph(n, degree=10, mixing=0.6, random_state=seed)
    labels = draw_some_wrong(truth, share, np.random.default_rng(seed))
    unknown = labels == -1
    found = []
    for kind in WITH_WRONG:
        known = {} if kind == "nothing" else {kind: labels}
        model = PowerLawCut(random_state=0).fit(graph, **known)
        found.append(float(normalized_mutual_info_score(truth[unknown], model.labels_[unknown])))
    return found


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
    with mock.patch("joblib.cpu_count", return_value=8):  # or there are as many as cores at most
        one, eight = (
            PowerLawCut(n_jobs=n_jobs, **parameters).fit(graph, **known).labels_
            for n_jobs in (1, 8)
        )
    if not np.array_equal(one, eight):
        raise AssertionError(f"case {seed}: labels depend on the number of threads")
    return count_broken(one, known)


def compare_graphs(options: argparse.Namespace) -> int:
    """Print all tables of graphs; return how many constraints are broken."""
    workload, n_pairs = (MIXED_SMALL, 300) if options.quick else (MIXED_100K, 10_000)
    repeats, n_cases = (1, 20) if options.quick else (options.repeats, options.cases)
    print(header([workload.name, "CPU, s", "ratio", "clusters", "NMI", "nats", "broken"]))
    with tempfile.TemporaryDirectory() as scratch:
        path = workload.file(None, Path(scratch))
        found = best_runs(KINDS, partial(run, path=path, n_pairs=n_pairs), repeats)
        with_wrong = best_runs(WITH_WRONG, partial(run_with_wrong, path=path), repeats)
    free, broken = found["nothing"], 0
    for kind, one in found.items():
        times = [f"{one.cost.cpu:.2f}", f"{one.cost.cpu / free.cost.cpu:.2f}"]
        results = [f"{one.n_clusters}", f"{one.nmi:.5f}", f"{one.nats / free.nats - 1:+.3%}"]
        print(markdown([kind, *times, *results, f"{one.broken}"]), flush=True)
        broken += one.broken
    columns = ["CPU, s", "ratio", "clusters", "NMI", "wrong labels left", "right labels left"]
    print("\n" + header([f"{WRONG:.0%} of the labels wrong", *columns]))
    alone = with_wrong["nothing"].cost.cpu
    for kind, other in with_wrong.items():
        times = [f"{other.cost.cpu:.2f}", f"{other.cost.cpu / alone:.2f}"]
        results = [f"{other.n_clusters}", f"{other.nmi:.5f}"]
        left = [f"{other.wrong_left:.1%}", f"{other.right_left:.1%}"]
        print(markdown([kind, *times, *results, *left]), flush=True)
    print("\n" + header(["labels known", "NMI of the other nodes", "without these labels"]))
    n, n_graphs = (300, 1) if options.quick else (2000, 5)
    for share in SHARES:
        free, known = np.mean([others(share, n, seed) for seed in range(n_graphs)], axis=0)
        print(markdown([f"{share:.0%}", f"{known:.3f}", f"{free:.3f}"]), flush=True)
    print("\n" + header(["labels, 10% wrong", *WITH_WRONG]))
    for share in SHARES:
        each = np.mean([others_with_wrong(share, n, seed) for seed in range(n_graphs)], axis=0)
        print(markdown([f"{share:.0%}", *(f"{nmi:.3f}" for nmi in each)]), flush=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # many have no structure
        wrong = sum(small_case(seed) > 0 for seed in range(n_cases))
    print(f"\n{n_cases} small graphs: {wrong} with broken constraints")
    return broken + wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=10_000, help="number of small graphs")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", choices=("graphs", "points"), help="default: both")
    parser.add_argument("--quick", action="store_true", help="use a small graph, and few cases")
    options = parser.parse_args()
    broken = 0
    if options.only != "points":
        broken += compare_graphs(options)
    if options.only != "graphs":
        n_cases = 20 if options.quick else options.cases
        repeats = 1 if options.quick else options.repeats
        broken += compare_points(n_cases=n_cases, repeats=repeats, quick=options.quick)
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
