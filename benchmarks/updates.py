"""Compare updates of a graph that changes with fits of the changed graph.

    python benchmarks/updates.py                        # 100,000 nodes, and com-dblp
    python benchmarks/updates.py --only com-dblp --shares .01
    python benchmarks/updates.py --quick

A share of the edges is replaced: half of it was held back and is added, and as many others are
removed. Kept: the share of nodes whose edges did not change that keep the id of their cluster, in
the update, and if the clusters of the new fit are matched to those before. Nats: by how much the
description of the update is longer than that of the fit. Times are CPU times of one thread.
"""

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from _experiments import Unavailable, data_folder, header, markdown
from powercut import Graph, PowerLawCut, io, match
from powercut.datasets import make_block_graph

SHARES = (0.0001, 0.001, 0.01)


def blocks(n: int) -> Callable[[], Graph]:
    return lambda: make_block_graph(n, degree=20, mixing=0.2, random_state=1)[0]


def com_dblp() -> Graph:
    path = data_folder() / "graphs" / "com-dblp" / "edges.txt.gz"
    if not path.exists():
        raise Unavailable("the folder of POWERCUT_DATA has no graphs/com-dblp")
    return io.read_graph(path).graph


GRAPHS = {"blocks-100k-0.2": blocks(100_000), "com-dblp": com_dblp}


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def run(name: str, graph: Graph, share: float) -> None:
    """Print the times of an update and of a fit, and how good the update is."""
    n = graph.n_nodes
    u, v = sp.triu(graph.adjacency, 1).tocoo().coords
    half = max(1, int(share * len(u) / 2))
    order = np.random.default_rng(1).permutation(len(u))
    come, go, rest = np.split(order, [half, 2 * half])

    def of(*edges: Any) -> Graph:
        some = np.concatenate(edges)
        return Graph.from_edges(u[some], v[some], n_nodes=n, symmetrize="max")

    model = PowerLawCut(random_state=0, n_jobs=1).fit(of(go, rest))
    before = model.labels_
    fit, fit_seconds = timed(lambda: PowerLawCut(random_state=0, n_jobs=1).fit(of(come, rest)))
    changes = {"added": (u[come], v[come]), "removed": (u[go], v[go])}
    _, seconds = timed(lambda: model.update(**changes))
    same = np.ones(n, dtype=np.bool_)
    for ends in (u, v):
        same[ends[come]] = same[ends[go]] = False
    kept, matched = (
        float(np.mean((ids == before)[same]))
        for ids in (model.cluster_ids_[model.labels_], match(before, fit.labels_).ids)
    )
    longer = model.description_length_ / fit.description_length_ - 1
    numbers = [f"{fit_seconds:.2f}", f"{seconds:.3f}", f"{fit_seconds / seconds:.0f}"]
    shares = [f"{longer:+.4%}", f"{kept:.3%}", f"{matched:.1%}"]
    print(markdown([name, f"{share:.2%}", *numbers, *shares]), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=list(GRAPHS), nargs="*")
    parser.add_argument("--shares", type=float, nargs="*", default=SHARES)
    parser.add_argument("--quick", action="store_true", help="use a small graph")
    options = parser.parse_args()
    columns = ["graph", "edges replaced", "fit, s", "update, s", "ratio"]
    print(header([*columns, "nats", "kept", "kept if fitted and matched"]))
    graphs = {"blocks-3k-0.2": blocks(3000)} if options.quick else GRAPHS
    for name, make in graphs.items():
        if options.only and name not in options.only:
            continue
        try:
            graph = make()
        except Unavailable as reason:
            print(f"{name} was left out: {reason}", file=sys.stderr)
            continue
        for share in options.shares:
            run(name, graph, share)
    return 0


if __name__ == "__main__":
    sys.exit(main())
