"""Hide a tenth of the edges of a graph, fit the rest, and tell hidden edges from non-edges.

    python experiments/held_out.py                          # graphs of up to 300,000 edges
    python experiments/held_out.py --graphs karate cora
    python experiments/held_out.py --quick                  # two small graphs, seconds

The test of Ghasemian, Hosseinmardi and Clauset (2019, Evaluating overfit and underfit in models
of network community structure): clusters that follow the noise of a graph, and clusters that miss
its structure, both predict its hidden edges badly. No known classes are needed.

Hidden edges are drawn uniformly. As many pairs of nodes without an edge are drawn, and a
partition of the other edges gives each pair a rate; see `Blocks`. Columns:

- AUC: how often a hidden edge has a larger rate than a pair without an edge.
- log-loss: mean of -ln of the probability of what is true, hidden edge or not, in nats. Half of
  the pairs are hidden edges, so guessing has ln 2 = 0.693.

Both are means over up to ten splits, fewer if one hides many edges. The partitions are ours, those
of igraph's Leiden and of graph-tool, and one block, which knows nothing but degrees. The blocks
are degree-corrected, except where our fit chose the uniform model. In a random graph the degrees
mislead: hidden edges are missing from those of their nodes, and an AUC below 0.5 is no mistake.
Graphs are those of POWERCUT_DATA.
"""

import argparse
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.metrics import roc_auc_score

from _npz import Labels
from _peers import LEIDEN, PEERS, Answer, run_peer, write_problem
from _quality_data import make_random
from _real_data import Unavailable, graph_folders, read_edges
from _results import OURS, header, markdown
from powercut import Graph, PowerLawCut
from powercut.datasets import make_block_graph

HIDDEN_SHARE = 0.1
ENOUGH_HIDDEN, MOST_SPLITS = 2000, 10
MOST_EDGES = 300_000
ONE_BLOCK = "one block"
COLUMNS = ("graph", "method", "AUC", "log-loss", "clusters", "degree-corrected", "splits")
HELD_OUT_PEERS = (LEIDEN, "graph-tool PP", "graph-tool SBM")
Floats = npt.NDArray[np.float64]
Pairs = npt.NDArray[np.int64]  # two rows: the two nodes of each pair


@dataclass(frozen=True)
class Split:
    """The graph without its hidden edges, these, and as many pairs that have no edge."""

    graph: Graph
    hidden: Pairs
    absent: Pairs

    @classmethod
    def of(cls, edges: Pairs, n: int, seed: int) -> "Split":
        """Hide a tenth of the edges, at least one."""
        random = np.random.default_rng(seed)
        n_hidden = count_hidden(edges)
        order = random.permutation(edges.shape[1])
        graph = Graph.from_edges(*edges[:, order[n_hidden:]], n_nodes=n, symmetrize="max")
        absent = draw_absent(edges, n, n_hidden, random)
        return cls(graph, edges[:, order[:n_hidden]], absent)


def count_hidden(edges: Pairs) -> int:
    return max(1, round(HIDDEN_SHARE * int(edges.shape[1])))


def draw_absent(edges: Pairs, n: int, size: int, random: np.random.Generator) -> Pairs:
    """Draw pairs of different nodes that have no edge, uniformly and with replacement."""
    present = np.sort(edges.min(axis=0) * n + edges.max(axis=0))
    absent = np.empty((2, 0), dtype=np.int64)
    while absent.shape[1] < size:
        pairs = np.sort(random.integers(0, n, (2, 2 * size)), axis=0)
        keys = pairs[0] * n + pairs[1]
        at = np.minimum(np.searchsorted(present, keys), len(present) - 1)
        new = (pairs[0] != pairs[1]) & (present[at] != keys)
        absent = np.concatenate([absent, pairs[:, new]], axis=1)
    return absent[:, :size]


class Blocks:
    r"""Rates of edges between nodes, from a partition of a graph.

    The rate of an edge between node u of block r and node v of block s is

    .. math:: \lambda_{uv} = e_{uv} \frac{E_{rs} + \gamma}{X_{rs} + 1}, \qquad
              e_{uv} = m \frac{s_u s_v}{\sum_{i < j} s_i s_j}.

    :math:`s_u` is 1 (uniform), or the degree plus 1 (degree-corrected): in proportion to the
    posterior mean if expected degrees have an exponential prior. So :math:`e_{uv}` is the rate
    in a graph of m edges without blocks. :math:`X_{rs}` is its sum over all pairs of nodes in
    r and s, and :math:`E_{rs}` the number of edges between r and s. The fraction is a posterior
    mean too: the prior is a Gamma distribution that counts as one expected edge, with mean
    :math:`\gamma = (\sum E + 1) / (\sum X + 1)`, summed over all pairs of blocks with r = s, or
    over all with r < s.

    Hidden edges are distributed as the others, in proportion to the rates; other pairs are
    uniform, nearly. If half of the pairs are hidden edges, the log-odds of a pair are thus

    .. math:: \ln \lambda_{uv} - \ln \bar\lambda,

    where :math:`\bar\lambda` is the mean rate over all pairs of nodes.

    Parameters
    ----------
    graph : Graph
        A graph without weights and self-loops.
    labels : array of int
        Block of each node, from 0.
    degree_corrected : bool
        Whether rates are proportional to degrees.
    """

    def __init__(self, graph: Graph, labels: Labels, *, degree_corrected: bool) -> None:
        self.labels = labels.astype(np.int64)
        self.k = int(self.labels.max()) + 1
        size = graph.degrees + 1.0 if degree_corrected else np.ones(graph.n_nodes)
        all_pairs = 0.5 * (size.sum() ** 2 - (size**2).sum())
        self.size = size * np.sqrt(graph.n_edges / all_pairs)
        # Sums of s_u and of its square over each block, scaled so that e_uv = s_u s_v.
        self.sums = np.bincount(self.labels, self.size, self.k)
        self.inside = 0.5 * (self.sums**2 - np.bincount(self.labels, self.size**2, self.k))
        u = np.repeat(np.arange(graph.n_nodes), np.diff(graph.indptr))
        once = u < graph.indices
        keys = self._keys(np.stack([u[once], graph.indices[once]]))
        self.keys, self.counts = np.unique(keys, return_counts=True)
        n_inside = self.counts[self.keys // self.k == self.keys % self.k].sum()
        expected = float(self.inside.sum())
        self.prior_inside = (n_inside + 1) / (expected + 1)
        self.prior_between = (graph.n_edges - n_inside + 1) / (graph.n_edges - expected + 1)
        n_pairs = 0.5 * graph.n_nodes * (graph.n_nodes - 1)
        self.mean_rate = self._sum_of_rates() / n_pairs

    def log_odds(self, pairs: Pairs) -> Floats:
        """Return the log-odds that pairs of nodes are hidden edges; see the class."""
        keys = self._keys(pairs)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        counts = np.where(self.keys[at] == keys, self.counts[at], 0)
        ratio = self._ratio(keys // self.k, keys % self.k, counts)
        rates = self.size[pairs[0]] * self.size[pairs[1]] * ratio
        return np.asarray(np.log(rates) - np.log(self.mean_rate))

    def _keys(self, pairs: Pairs) -> npt.NDArray[np.int64]:
        r, s = np.sort(self.labels[pairs], axis=0)
        return np.asarray(r * self.k + s)

    def _expected(self, r: Labels | int, s: Labels) -> Floats:
        return np.where(r == s, self.inside[r], self.sums[r] * self.sums[s])

    def _ratio(self, r: Labels | int, s: Labels, counts: Labels | int) -> Floats:
        prior = np.where(r == s, self.prior_inside, self.prior_between)
        return np.asarray((counts + prior) / (self._expected(r, s) + 1))

    def _sum_of_rates(self) -> float:
        """Return the sum over all pairs of nodes: first as if no pair of blocks had an edge."""
        total = 0.0
        for r in range(self.k):
            s = np.arange(r, self.k)
            total += float((self._expected(r, s) * self._ratio(r, s, 0)).sum())
        expected = self._expected(self.keys // self.k, self.keys % self.k)
        return total + float((expected * self.counts / (expected + 1)).sum())


class Judged(NamedTuple):
    """How well a partition predicts hidden edges; its number of clusters and its model."""

    auc: float
    log_loss: float
    k: int
    degree_corrected: bool


def judge(split: Split, labels: Labels, *, degree_corrected: bool = True) -> Judged:
    blocks = Blocks(split.graph, labels, degree_corrected=degree_corrected)
    hidden, absent = blocks.log_odds(split.hidden), blocks.log_odds(split.absent)
    is_edge = np.repeat([True, False], [len(hidden), len(absent)])
    losses = np.logaddexp(0, np.concatenate([-hidden, absent]))
    auc = float(roc_auc_score(is_edge, np.concatenate([hidden, absent])))
    return Judged(auc, float(losses.mean()), blocks.k, degree_corrected)


def judge_all(split: Split, limit: float, skipped: dict[str, set[str]]) -> dict[str, Judged]:
    """Judge the partition of each method; list what is skipped, and why."""
    model = PowerLawCut(n_jobs=1, random_state=0).fit(split.graph)
    found = {OURS: judge(split, model.labels_, degree_corrected=model.degree_corrected_)}
    with tempfile.TemporaryDirectory() as folder:
        problem = Path(folder) / "problem.npz"
        write_problem(problem, split.graph)
        for peer in (PEERS[name] for name in HELD_OUT_PEERS):
            if peer.max_edges is not None and split.graph.n_edges > peer.max_edges:
                skipped[f"more than {peer.max_edges:,} edges"].add(peer.name)
                continue
            answer = run_peer(peer, problem, limit)
            if isinstance(answer, Answer):
                labels = np.unique(answer.labels, return_inverse=True)[1]
                found[peer.name] = judge(split, labels)
            else:
                skipped[answer].add(peer.name)
    found[ONE_BLOCK] = judge(split, np.zeros(split.graph.n_nodes, dtype=np.int64))
    return found


def sources(
    graphs: list[str] | None, *, quick: bool
) -> Iterator[tuple[str, Callable[[], tuple[Pairs, int]]]]:
    """Yield names of graphs and functions that return the edges and the number of nodes."""
    if quick:
        yield "blocks-300", partial(edges_of, partial(make_block_graph, 300, random_state=0))
        yield "random-300", partial(edges_of, partial(make_random, 300, 8, 0))
        return
    for folder in graph_folders():
        if graphs is None or folder.name in graphs:
            yield folder.name, partial(read, folder)


def edges_of(make: Callable[[], tuple[Graph, Labels]]) -> tuple[Pairs, int]:
    graph, _ = make()
    u = np.repeat(np.arange(graph.n_nodes), np.diff(graph.indptr))
    once = u < graph.indices
    return np.stack([u[once], graph.indices[once]]).astype(np.int64), graph.n_nodes


def read(folder: Path) -> tuple[Pairs, int]:
    """Read edges; isolated nodes at the end are left out, as they change no comparison."""
    edges = np.stack(read_edges(folder))
    return edges, int(edges.max()) + 1


def show(name: str, splits: list[dict[str, Judged]]) -> dict[str, Judged]:
    """Print the means over the splits, and return them."""
    means = {}
    for method in splits[0]:
        judged = [split[method] for split in splits if method in split]
        means[method] = Judged(*(np.mean(values) for values in zip(*judged, strict=True)))
        auc, loss, k, corrected = means[method]
        numbers = [f"{auc:.4f}", f"{loss:.4f}", f"{k:,.0f}", f"{corrected:.0%}"]
        print(markdown([name, method, *numbers, str(len(judged))]), flush=True)
    return means


def summarise(found: Mapping[str, dict[str, Judged]]) -> None:
    """Print means over graphs, and on how many of them we are better."""
    columns = ("method", "graphs", "AUC", "log-loss", "our AUC is better", "our log-loss is better")
    print(f"\nMeans:\n\n{header(columns)}")
    for method in dict.fromkeys(method for one in found.values() for method in one):
        both = [(one[OURS], one[method]) for one in found.values() if method in one]
        means = [f"{np.mean([theirs[i] for _, theirs in both]):.4f}" for i in (0, 1)]
        auc = sum(ours.auc > theirs.auc for ours, theirs in both)
        loss = sum(ours.log_loss < theirs.log_loss for ours, theirs in both)
        better = ["", ""] if method == OURS else [f"on {auc}", f"on {loss}"]
        print(markdown([method, str(len(both)), *means, *better]))


def main() -> None:
    """Judge all graphs and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--graphs", nargs="+", help="names of graphs; default: all")
    parser.add_argument("--quick", action="store_true", help="use two small graphs")
    parser.add_argument("--limit", type=float, default=600.0, help="time limit per peer, seconds")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", "No more than one cluster", UserWarning)
    print(header(COLUMNS), flush=True)
    skipped, found = defaultdict[str, set[str]](set), {}
    try:
        for name, load in sources(options.graphs, quick=options.quick):
            edges, n = load()
            if edges.shape[1] > MOST_EDGES:
                skipped[f"more than {MOST_EDGES:,} edges"].add(name)
                continue
            n_splits = min(-(-ENOUGH_HIDDEN // count_hidden(edges)), MOST_SPLITS)
            seeds = range(1 if options.quick else n_splits)
            splits = [judge_all(Split.of(edges, n, seed), options.limit, skipped) for seed in seeds]
            found[name] = show(name, splits)
    except Unavailable as reason:
        print(f"\nThe graphs of POWERCUT_DATA are skipped: {reason}.")
    if found:
        summarise(found)
    for why, what in skipped.items():
        print(f"\nSkipped, {why}: {'; '.join(sorted(what))}.")


if __name__ == "__main__":
    main()
