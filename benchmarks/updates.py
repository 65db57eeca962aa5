"""Compare updates of a graph that changes with fits of the changed graph, and with Leiden.

    python benchmarks/updates.py                        # 100,000 nodes, cora, and com-dblp
    python benchmarks/updates.py --only com-dblp --shares .01 --steps 0
    python benchmarks/updates.py --only cora --shares --refit auto
    python benchmarks/updates.py --only com-dblp blocks-1m-0.2 --writes  # only what is written
    python benchmarks/updates.py --quick

A share of the edges is replaced: half of it was held back and is added, and as many others are
removed. Or random nodes come that have this share of the edges. Nats: by how much the description
of the update is longer than that of the fit. Kept: the share of nodes whose edges did not change
that keep the id of their cluster, in the update, and if the clusters of the new fit are matched to
those before. Times are CPU times of one thread.

Then 1% of the edges are replaced `--steps` times in a row. Estimated: the share of `drift_`, which
is to be near the nats. The shares of nodes that change their id at a step are those of the
updates, of fits, of igraph's Leiden that starts from its clusters before, and of Leiden that starts
anew. Clusters of all but the updates are matched to those of the step before by `powercut.match`.

Last, what an update writes to a graph folder, what a batch writes to the state of `powercut watch`,
and what a state takes that is written whole, as it is after a tenth of the edges have changed.
These are wall-clock times; read is the time in which a process that was killed resumes.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

import _writes
from _experiments import Labels, Unavailable, data_folder, header, markdown
from powercut import Graph, PowerLawCut, io, match
from powercut.datasets import make_block_graph

SHARES = (0.0001, 0.001, 0.01)
# The share that is replaced at each step of a row of updates.
STEP = 0.01


def blocks(n: int, mixing: float = 0.2) -> Callable[[], Graph]:
    return lambda: make_block_graph(n, degree=20, mixing=mixing, random_state=1)[0]


def stored(name: str) -> Callable[[], Graph]:
    def read() -> Graph:
        path = data_folder() / "graphs" / name / "edges.txt.gz"
        if not path.exists():
            raise Unavailable(f"the folder of POWERCUT_DATA has no graphs/{name}")
        return io.read_graph(path).graph

    return read


GRAPHS = {
    "blocks-100k-0.2": blocks(100_000),
    "blocks-100k-0.5": blocks(100_000, 0.5),
    "cora": stored("cora"),
    "com-dblp": stored("com-dblp"),
}
# Ten million edges, only if it is named.
LARGE = {"blocks-1m-0.2": blocks(1_000_000)}


@dataclass(frozen=True)
class Step:
    """A change, the graph after it, and which of the nodes before it have the same edges."""

    changes: dict[str, Any]
    graph: Graph
    same: npt.NDArray[np.bool_]


def replacements(graph: Graph, share: float, n_steps: int) -> Iterator[Graph | Step]:
    """Yield a graph, and then steps that replace a share of its edges each."""
    n = graph.n_nodes
    u, v = sp.triu(graph.adjacency, 1).tocoo().coords
    half = max(1, int(share * len(u) / 2))
    order = np.random.default_rng(1).permutation(len(u))
    *parts, rest = np.split(order, half * np.arange(1, 2 * n_steps + 1))
    held, lost = parts[:n_steps], parts[n_steps:]

    def of(*edges: Any) -> Graph:
        some = np.concatenate(edges)
        return Graph.from_edges(u[some], v[some], n_nodes=n, symmetrize="max")

    yield of(*lost, rest)
    for step, (come, go) in enumerate(zip(held, lost, strict=True), start=1):
        same = np.ones(n, dtype=np.bool_)
        for ends in (u, v):
            same[ends[come]] = same[ends[go]] = False
        now = of(*held[:step], *lost[step:], rest)
        yield Step({"added": (u[come], v[come]), "removed": (u[go], v[go])}, now, same)


def newcomers(graph: Graph, share: float) -> tuple[Graph, Step]:
    """Return a graph without some nodes, and the step at which they come with their edges.

    They are the last nodes of the graph after it.
    """
    n, degrees = graph.n_nodes, np.diff(graph.adjacency.indptr)
    order = np.random.default_rng(1).permutation(n)[::-1]
    # Edges between two of them are few.
    stay = n - int(np.searchsorted(np.cumsum(degrees[order[::-1]]), share * degrees.sum() / 2))
    matrix = sp.csr_array(graph.adjacency[order][:, order])
    u, v = sp.triu(matrix, 1).tocoo().coords
    come = v >= stay
    same = np.ones(stay, dtype=np.bool_)
    same[u[come & (u < stay)]] = False
    changes = {
        "added": (u[come], v[come]),
        "added_nodes": stay + np.flatnonzero(np.diff(matrix.indptr)[stay:] == 0),
    }
    return Graph(matrix[:stay][:, :stay]), Step(changes, Graph(matrix), same)


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def fitted(graph: Graph) -> PowerLawCut:
    return PowerLawCut(random_state=0, n_jobs=1).fit(graph)


def ids_of(model: PowerLawCut) -> Labels:
    ids: Labels = model.cluster_ids_[model.labels_]
    return ids


def run(name: str, change: str, first: Graph, step: Step) -> None:
    """Print the times of an update and of a fit, and how good the update is."""
    model = fitted(first)
    before, n = model.labels_, first.n_nodes
    fit, fit_seconds = timed(lambda: fitted(step.graph))
    _, seconds = timed(lambda: model.update(**step.changes))
    kept, matched = (
        float(np.mean((ids == before)[step.same]))
        for ids in (ids_of(model)[:n], match(before, fit.labels_[:n]).ids)
    )
    longer = model.description_length_ / fit.description_length_ - 1
    numbers = [f"{fit_seconds:.2f}", f"{seconds:.3f}", f"{fit_seconds / seconds:.0f}"]
    shares = [f"{longer:+.4%}", f"{kept:.3%}", f"{matched:.1%}"]
    print(markdown([name, change, *numbers, *shares]), flush=True)


class Matched:
    """The ids of the clusters of a method that knows none, matched from step to step.

    Parameters
    ----------
    cluster : callable
        Returns the labels of a graph, given those before; None at the first step.
    graph : Graph
        The graph before the first step.
    """

    def __init__(
        self, cluster: Callable[[Graph, Labels | None], npt.ArrayLike], graph: Graph
    ) -> None:
        self._cluster = cluster
        self._labels = np.asarray(cluster(graph, None))
        self.ids, self._next_id = self._labels, int(self._labels.max()) + 1

    def follow(self, graph: Graph) -> Labels:
        """Return the ids of the nodes of the changed graph."""
        self._labels = np.asarray(self._cluster(graph, self._labels))
        found = match(self.ids, self._labels, next_id=self._next_id)
        self.ids, self._next_id = found.ids, found.next_id
        return self.ids


def leiden(graph: Graph, before: Labels | None) -> npt.ArrayLike:
    """Return the clusters of Leiden by modularity, from the clusters before if there are any."""
    import igraph

    upper = sp.triu(graph.adjacency, 1).tocoo()
    native = igraph.Graph(graph.n_nodes, np.column_stack(upper.coords))
    random.seed(0)  # igraph uses the generator of Python
    start = None if before is None else before.tolist()
    found = native.community_leiden("modularity", initial_membership=start)
    return np.asarray(found.membership)


def has_igraph() -> bool:
    try:
        import igraph  # noqa: F401
    except ImportError:
        return False
    return True


def run_steps(name: str, graph: Graph, n_steps: int, *, refit: bool | str) -> None:
    """Print how far a row of updates is from fits, the estimate of that, and who changes ids."""
    first, *steps = replacements(graph, STEP, n_steps)
    assert isinstance(first, Graph)
    model, fit = fitted(first), None

    def fit_again(graph: Graph, _: Labels | None) -> Labels:
        nonlocal fit
        fit = fitted(graph)
        return fit.labels_

    others = {"fits": Matched(fit_again, first)}
    if has_igraph():
        others["from before"] = Matched(leiden, first)
        others["anew"] = Matched(lambda graph, _: leiden(graph, None), first)
    for number, step in enumerate(steps, start=1):
        assert isinstance(step, Step)
        before = {"updates": ids_of(model), **{which: one.ids for which, one in others.items()}}
        model.update(**step.changes, refit=refit)
        drift, seconds = timed(lambda: model.drift_)
        after = {"updates": ids_of(model)}
        after |= {which: one.follow(step.graph) for which, one in others.items()}
        assert fit is not None
        longer = model.description_length_ / fit.description_length_ - 1
        moved = {which: np.mean((after[which] != before[which])[step.same]) for which in after}
        shares = [f"{moved[one]:.2%}" if one in moved else "" for one in METHODS]
        nats = [f"{longer:+.4%}", f"{drift.share:+.4%}", f"{seconds:.2f}"]
        print(markdown([name, str(number), *nats, *shares]), flush=True)


METHODS = ("updates", "fits", "from before", "anew")


def run_writes(name: str, graph: Graph, share: float) -> None:
    """Print what an update writes, and the time that takes."""
    first, step = replacements(graph, share, 1)
    assert isinstance(first, Graph)
    assert isinstance(step, Step)
    values = _writes.measure(first, step.changes)
    print(markdown([name, f"{share:.2%}", *values]), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=[*GRAPHS, *LARGE], nargs="*")
    parser.add_argument("--shares", type=float, nargs="*", default=SHARES)
    parser.add_argument("--steps", type=int, default=10, help="updates in a row; default: 10")
    parser.add_argument("--refit", choices=["auto"], help="fit again where that is worth it")
    parser.add_argument("--writes", action="store_true", help="measure only what is written")
    parser.add_argument("--quick", action="store_true", help="use a small graph")
    options = parser.parse_args()
    graphs, named = {**GRAPHS, **LARGE}, options.only or list(GRAPHS)
    if options.quick:
        graphs, named = {"blocks-3k-0.2": blocks(3000)}, ["blocks-3k-0.2"]
    made: dict[str, Graph] = {}
    for name in named:
        try:
            made[name] = graphs[name]()
        except Unavailable as reason:
            print(f"{name} was left out: {reason}", file=sys.stderr)
    if not options.writes:
        compare(made, options)
    if options.shares:
        print("\n" + header(["graph", "edges replaced", *_writes.COLUMNS]))
        for name, graph in made.items():
            for share in options.shares:
                run_writes(name, graph, share)
    return 0


def compare(made: dict[str, Graph], options: argparse.Namespace) -> None:
    """Print how updates compare with fits."""
    if options.shares:
        columns = ["graph", "edges", "fit, s", "update, s", "ratio"]
        print(header([*columns, "nats", "kept", "kept if fitted and matched"]))
        for name, graph in made.items():
            for share in options.shares:
                first, step = replacements(graph, share, 1)
                assert isinstance(first, Graph)
                assert isinstance(step, Step)
                run(name, f"{share:.2%} replaced", first, step)
                run(name, f"{share:.2%} of new nodes", *newcomers(graph, share))
    if options.steps:
        columns = ["graph", "step", "nats", "estimated", "estimate, s"]
        print("\n" + header([*columns, *METHODS[:2], *(f"Leiden {one}" for one in METHODS[2:])]))
        for name, graph in made.items():
            run_steps(name, graph, options.steps, refit=options.refit or False)


if __name__ == "__main__":
    sys.exit(main())
