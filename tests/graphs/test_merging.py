"""Merged clusters: the order of merges, nested partitions, and fits at tradeoffs above 1."""

from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from powercut import Graph, PowerLawCut
from powercut.datasets import make_block_graph
from powercut.graphs.block_model import BlockModel, block_level
from powercut.graphs.level import Level
from powercut.graphs.merging import merge_clusters
from powercut.graphs.scores import GraphObjective
from powercut.partition import canonical_labels, compact_labels
from powercut.results.comparison import is_nested
from strategies import compact


def parts(level: Level, labels: np.ndarray, objective: GraphObjective) -> tuple[float, float]:
    """Return the negative log-likelihood and that of the sizes."""
    stats = level.cluster_stats(labels)
    return float(objective.score.cost(stats).sum()), objective.regulariser.nats(stats.counts)


def twin_of_merges(level: Level, labels: np.ndarray, objective: GraphObjective) -> list[float]:
    """Return the tradeoffs of all merges, each found by trying all pairs of clusters."""
    A = np.zeros((level.n, level.n))
    indptr, indices, weights = level.graph
    rows = np.repeat(np.arange(level.n), np.diff(indptr))
    A[rows, indices] = 1 if weights is None else weights
    tradeoffs = [0.0]
    while True:
        before = parts(level, labels, objective)
        best, best_labels = np.inf, labels
        for one, other in combinations(range(int(labels.max()) + 1), 2):
            if A[np.ix_(labels == one, labels == other)].sum() == 0:
                continue
            merged = compact_labels(np.where(labels == other, one, labels))[0]
            after = parts(level, merged, objective)
            won = before[1] - after[1]
            tradeoff = (after[0] - before[0]) / won if won > 0 else np.inf
            if tradeoff < best:
                best, best_labels = tradeoff, merged
        if np.isinf(best):
            return tradeoffs[1:]
        labels = best_labels
        tradeoffs.append(max(best, tradeoffs[-1]))


@given(st.integers(4, 9), st.integers(0, 1000), st.booleans(), st.booleans(), st.data())
@settings(deadline=None, derandomize=True, max_examples=60)
def test_merges_are_those_of_the_smallest_tradeoffs(
    n: int, seed: int, corrected: bool, weighted: bool, data: st.DataObject
) -> None:
    random = np.random.default_rng(seed)
    A = np.triu(random.random((n, n)) < 0.5, 1) * (random.integers(1, 9, (n, n)) ** weighted)
    graph, labels = Graph((A + A.T).astype(float)), data.draw(compact(n))
    if graph.n_edges == 0:
        return
    level, model = block_level(graph), BlockModel.of(graph, degree_corrected=corrected)
    objective = model.estimate(level.cluster_stats(labels))
    merges = merge_clusters(level, labels, objective)
    expected = twin_of_merges(level, labels, objective)
    # Ties may be broken in another order, and lead elsewhere: compare up to the first.
    ties = [i for i, (a, b) in enumerate(pairwise(expected)) if b - a < 1e-6 * abs(b)]
    same = min([len(expected), *ties])
    np.testing.assert_allclose(merges.tradeoffs[:same], expected[:same], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("corrected", [False, True])
def test_merges_lower_j_at_their_tradeoff_and_end_at_components(corrected: bool) -> None:
    graph, truth = make_block_graph(500, mixing=0.3, random_state=0)
    level, model = block_level(graph), BlockModel.of(graph, degree_corrected=corrected)
    labels = compact_labels(truth)[0]
    objective = model.estimate(level.cluster_stats(labels))
    merges = merge_clusters(level, labels, objective)
    assert (np.diff(merges.tradeoffs) >= 0).all()
    levels = np.unique(merges.tradeoffs)
    partitions = [labels, *map(merges.at, levels)]
    values = [parts(level, one, objective) for one in partitions]
    for tradeoff, (before, after) in zip(levels, pairwise(values), strict=True):
        assert after[0] + tradeoff * after[1] <= before[0] + tradeoff * before[1] + 1e-8
    for finer, coarser in pairwise(partitions):
        assert is_nested(finer, coarser)
        assert coarser.max() < finer.max()
    np.testing.assert_array_equal(
        canonical_labels(partitions[-1]), canonical_labels(level.components)
    )


TRADEOFFS = (1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0)
GRAPHS = {
    "karate": lambda: Graph.from_networkx(nx.karate_club_graph(), weight=None),
    "miserables": lambda: Graph.from_networkx(nx.les_miserables_graph()),
    "caves": lambda: Graph.from_networkx(nx.connected_caveman_graph(20, 8)),
    "sparse": lambda: make_block_graph(1000, degree=3, random_state=0)[0],
}


@pytest.mark.filterwarnings("ignore:No more than one cluster")
@pytest.mark.parametrize("name", list(GRAPHS))
def test_a_larger_tradeoff_never_gives_more_clusters_or_new_singletons(name: str) -> None:
    graph = GRAPHS[name]()
    found = [PowerLawCut(tradeoff=t, random_state=0).fit(graph).labels_ for t in TRADEOFFS]
    singletons = [np.bincount(labels)[labels] == 1 for labels in found]
    for (finer, alone), (coarser, still_alone) in pairwise(zip(found, singletons, strict=True)):
        assert is_nested(finer, coarser)
        assert not (still_alone & ~alone).any()
    assert found[-1].max() < found[0].max()
