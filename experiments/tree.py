"""Measure trees of clusters: their levels beside Leiden's resolutions, planted trees, sizes, time.

    python experiments/tree.py                             # all sections: an hour
    python experiments/tree.py --only sizes
    python experiments/tree.py --only labelled --graphs cora pubmed
    python experiments/tree.py --quick                     # small data, seconds

Trees are those of `cluster_tree` with nothing set but the seed and what is said here, on one
thread.

- ``labelled``: the graphs of POWERCUT_DATA, with each kind of their labels. AMI of the fitted
  level; of the best level of one tree with all levels (``prune=False``); of the best of five of
  its levels: those at resolutions .25, .5 and 1 above the fit, the fit, and that at 2.8 below it;
  of the best level that is kept by default; of the best level of a tree around clusters of highest
  modularity instead of the fit; and of the best of igraph's Leiden at resolutions .25, .5, 1, 2
  and 4. Seconds of the fit, and of the tree beyond it.
- ``planted``: trees of three levels, of which the sizes follow Pitman-Yor priors: NMI of the best
  level with each planted one, and how many levels there are besides the whole graph.
- ``sizes``: the finest clusters with ``max_size=50``, beside Leiden repeated in every cluster that
  is larger, which leaves what it cannot divide, and the same with these split into equal parts:
  their number, smallest and largest size and modularity; the fitted level with ``min_size=5``, and
  the nats that joining clusters loses.
- ``vectors``: the sets of _vector_data.py with several classes, beside Ward's tree cut at the
  numbers of clusters of ours, HDBSCAN's tree, and EVoC's layers if it is installed.
"""

import argparse
import warnings
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import normalized_mutual_info_score

from _peers import Edges, igraph_modularity, to_igraph
from _real_data import PARTLY_SEEN, SEEN, UNSEEN, Unavailable, read_graph
from _results import header
from _tree_measures import ami, levels_at, show, timed
from _vector_data import SEEN as SEEN_VECTORS
from _vector_data import UNSEEN as UNSEEN_VECTORS
from _vector_trees import vectors
from powercut import Graph, PitmanYor, PowerLawCut, cluster_tree
from powercut.graphs.level import Level
from powercut.partition import compact_labels

Labels = npt.NDArray[Any]

CASES = {**{name: (name, classes) for name, classes in SEEN.items()}, **UNSEEN}
RESOLUTIONS = (0.25, 0.5, 1.0, 2.0, 4.0)
FIVE_ABOVE, FIVE_BELOW = (0.25, 0.5, 1.0), (2**1.5,)
SIZED = ("cora", "lastfm-asia", "wordnet", "com-dblp")
MAX_SIZE, MIN_SIZE = 50, 5
MODULARITY = PowerLawCut("modularity", tradeoff=0, random_state=0)


def edges_of(graph: Graph) -> Edges:
    row = np.repeat(np.arange(graph.n_nodes), np.diff(graph.indptr))
    once = row < graph.indices
    weights = None if graph.weights is None else graph.weights[once]
    return Edges(graph.n_nodes, row[once], graph.indices[once].astype(np.int64), weights)


def leiden(peer: Any) -> list[Labels]:
    return [np.asarray(igraph_modularity(peer, resolution)) for resolution in RESOLUTIONS]


def available(names: Iterable[str]) -> Iterator[tuple[str, Graph, Labels]]:
    """Yield the name, the graph and the classes of each case whose data are there."""
    for name in names:
        try:
            graph, truth = read_graph(*CASES[name])
        except Unavailable as reason:
            print(f"skipped, {reason}: {name}")
            continue
        yield name, graph, truth


def labelled(names: list[str]) -> None:
    columns = ("fit", "best level", "of five", "of those kept", "levels kept")
    columns += ("around modularity", "best Leiden")
    print(header(("classes", "", *columns, "fit, s", "tree, s", "Leiden, s")), flush=True)
    rows: dict[str, list[list[float]]] = {}
    for name, graph, truth in available(names):
        model, fit_seconds = timed(partial(PowerLawCut(random_state=0).fit, graph))
        make = partial(cluster_tree, graph, estimator=model, random_state=0)
        kept, tree_seconds = timed(make)
        whole = make(prune=False)
        found = [ami(truth, whole.cut(level=level)) for level in range(whole.n_levels)]
        around = cluster_tree(graph, estimator=MODULARITY, prune=False, random_state=0)
        peer = to_igraph(edges_of(graph))
        theirs, seconds = timed(partial(leiden, peer))
        row = [
            ami(truth, whole.cut()),
            max(found),
            max(found[level] for level in levels_at(whole, FIVE_ABOVE, FIVE_BELOW)),
            max(ami(truth, kept.cut(level=level)) for level in range(kept.n_levels)),
            max(ami(truth, around.cut(level=level)) for level in range(around.n_levels)),
            max(ami(truth, one) for one in theirs),
        ]
        kind = "seen" if name in SEEN else "partly seen" if name in PARTLY_SEEN else "unseen"
        rows.setdefault(kind, []).append(row)
        cells = [f"{value:.3f}" for value in row]
        cells.insert(4, f"{kept.n_levels - 1}")
        times = (f"{value:.1f}" for value in (fit_seconds, tree_seconds, seconds))
        show(name, kind, *cells, *times)
    rows["all"] = [row for some in rows.values() for row in some]
    for kind, some in rows.items():
        if some:
            cells = [f"{value:.4f}" for value in np.mean(some, axis=0)]
            cells.insert(4, "")
            show(f"mean of {len(some)}", kind, *cells, "", "", "")


def make_tree(n: int, seed: int, degree: float = 40.0) -> tuple[Graph, list[Labels]]:
    """Make a graph with three planted levels, each divided by a Pitman-Yor prior.

    A tenth of the edges are between any nodes; .2, .3 and .4 are inside clusters of the coarsest,
    the middle and the finest level, the same number per node.
    """
    random = np.random.default_rng(seed)
    levels = [np.zeros(n, dtype=np.int64)]
    for prior in (PitmanYor(1.0, 0.0), PitmanYor(1.5, 0.0), PitmanYor(1.5, 0.0)):
        fine = np.zeros(n, dtype=np.int64)
        for cluster in np.unique(levels[-1]):
            members = np.flatnonzero(levels[-1] == cluster)
            inside = prior.sample(len(members), random_state=int(random.integers(2**31)))
            fine[members] = inside + fine.max() + 1
        levels.append(compact_labels(fine)[0].astype(np.int64))
    ends = []
    for labels, share in zip(levels, (0.1, 0.2, 0.3, 0.4), strict=True):
        order = np.argsort(labels, kind="stable")
        sizes = np.bincount(labels)
        first = (np.cumsum(sizes) - sizes)[labels]
        one = np.repeat(np.arange(n), random.poisson(0.5 * degree * share, n))
        other = order[first[one] + (random.random(len(one)) * sizes[labels[one]]).astype(np.int64)]
        ends.append(np.stack([one, other])[:, one != other])
    u, v = np.concatenate(ends, axis=1)
    graph = Graph.from_edges(u, v, n_nodes=n, symmetrize="max")
    return Graph(graph.adjacency.astype(bool)), levels[1:]


def planted(n: int, seeds: range) -> None:
    print(header(("seed", "planted", "levels found", "NMI of the best level", "fit, s", "tree, s")))
    for seed in seeds:
        graph, truth = make_tree(n, seed)
        model, fit_seconds = timed(partial(PowerLawCut(random_state=0).fit, graph))
        tree, seconds = timed(partial(cluster_tree, graph, estimator=model, random_state=0))
        cuts = [tree.cut(level=level) for level in range(tree.n_levels)]
        best = [max(normalized_mutual_info_score(one, cut) for cut in cuts) for one in truth]
        show(
            str(seed),
            ", ".join(f"{labels.max() + 1:,}" for labels in truth),
            ", ".join(f"{cut.max() + 1:,}" for cut in cuts[1:]),
            ", ".join(f"{value:.4f}" for value in best),
            f"{fit_seconds:.1f}",
            f"{seconds:.1f}",
        )


def modularity(graph: Graph, labels: Labels) -> float:
    stats = Level.finest(graph).cluster_stats(compact_labels(labels)[0])
    total = graph.total_weight
    return float(stats.inside.sum() / total - np.square(stats.volume / total).sum())


def repeated_leiden(graph: Graph) -> Labels:
    """Run igraph's Leiden, and again inside every cluster that is too large, while that divides."""
    peer = to_igraph(edges_of(graph))
    labels = np.asarray(igraph_modularity(peer)).copy()
    sizes = np.bincount(labels)
    left = [np.flatnonzero(labels == one) for one in np.flatnonzero(sizes > MAX_SIZE)]
    n_labels = len(sizes)
    while left:
        members = left.pop()
        parts = np.asarray(igraph_modularity(peer.induced_subgraph(members)))
        if parts.max() == 0:
            continue
        labels[members] = n_labels + parts
        n_labels += int(parts.max()) + 1
        large = np.flatnonzero(np.bincount(parts) > MAX_SIZE)
        left += [members[parts == one] for one in large]
    return compact_labels(labels)[0]


def split_evenly(labels: Labels) -> Labels:
    """Split clusters that are too large into parts of equal size."""
    split = labels.copy()
    for one in np.flatnonzero(np.bincount(labels) > MAX_SIZE):
        members = np.flatnonzero(labels == one)
        for part in np.array_split(members, -(-len(members) // MAX_SIZE))[1:]:
            split[part] = split.max() + 1
    return split


def sizes(names: tuple[str, ...]) -> None:
    columns = ("graph", "method", "clusters", "smallest", "largest", "modularity", "joined, nats")
    print(header((*columns, "fit, s", "s")), flush=True)
    for name, graph, _ in available(names):
        model, fit_seconds = timed(partial(PowerLawCut(random_state=0).fit, graph))
        make = partial(cluster_tree, graph, estimator=model, random_state=0)
        labels, seconds = timed(partial(repeated_leiden, graph))
        found = [("repeated Leiden", labels, seconds, "")]
        found.append(("the same, rest split evenly", split_evenly(labels), seconds, ""))
        for method, limits in (
            (f"max_size={MAX_SIZE}", {"max_size": MAX_SIZE}),
            (f"min_size={MIN_SIZE}, fitted level", {"min_size": MIN_SIZE}),
        ):
            tree, seconds = timed(partial(make, **limits))
            folded = tree.folded
            note = f"{folded.n_clusters:,}, {folded.nats:,.0f} ({folded.n_left} left)"
            at_limit = "max_size" in limits
            labels = tree.leaf if at_limit else tree.cut()
            found.append((method, labels, seconds, "" if at_limit else note))
        for method, labels, seconds, note in found:
            counts = np.bincount(compact_labels(labels)[0])
            show(
                name,
                method,
                f"{len(counts):,}",
                f"{counts.min():,}",
                f"{counts.max():,}",
                f"{modularity(graph, labels):.4f}",
                note,
                f"{fit_seconds:.1f}" if "_size" in method else "",
                f"{seconds:.1f}",
            )


SECTIONS = ("labelled", "planted", "sizes", "vectors")
VECTORS = (*SEEN_VECTORS, *UNSEEN_VECTORS)
QUICK_VECTORS = ("iris", "aniso")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS)
    parser.add_argument("--graphs", nargs="+", choices=CASES, metavar="NAME", default=list(CASES))
    parser.add_argument("--sets", nargs="+", choices=VECTORS, metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="use small data")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    quick = options.quick
    run = {
        "labelled": partial(labelled, ["karate", "dolphins"] if quick else options.graphs),
        "planted": partial(planted, 1000 if quick else 20_000, range(1 if quick else 3)),
        "sizes": partial(sizes, ("football",) if quick else SIZED),
        "vectors": partial(vectors, options.sets or (QUICK_VECTORS if quick else VECTORS)),
    }
    for section in options.only:
        print(f"\n## {section}\n")
        run[section]()


if __name__ == "__main__":
    main()
