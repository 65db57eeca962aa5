"""Nested partitions around a given one, their evidence, and the levels that are kept."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import xlogy

from powercut import Graph
from powercut._typing import LABEL, Labels
from powercut.graphs.block_model import BlockModel, block_level
from powercut.graphs.hierarchy import find_hierarchy
from powercut.graphs.level import Level
from powercut.graphs.nested import NestedModel, levels_worth_keeping, parents_of
from powercut.graphs.scales import coarser_scales, divided_clusters, finer_scales
from powercut.graphs.size_limits import SizeLimits
from powercut.graphs.subclusters import subclusters
from powercut.partition import canonical_labels


def random_graph(seed: int, n: int = 40, density: float = 0.1) -> Graph:
    random = np.random.default_rng(seed)
    upper = np.triu(random.random((n, n)) < density, 1)
    return Graph(upper + upper.T)


def planted(seed: int = 0) -> tuple[Graph, Labels]:
    """Return a graph of 3 groups of 4 clusters of 15 nodes, and the clusters."""
    cluster = np.repeat(np.arange(12), 15)
    same, near = cluster[:, None] == cluster, cluster[:, None] // 4 == cluster // 4
    density = np.where(same, 0.8, np.where(near, 0.15, 0.01))
    upper = np.triu(np.random.default_rng(seed).random((180, 180)) < density, 1)
    return Graph(upper + upper.T), cluster.astype(LABEL)


def are_nested(partitions: list[Labels]) -> bool:
    return all(
        np.array_equal(parents_of(fine, coarse)[fine], coarse)
        for coarse, fine in pairwise(partitions)
    )


@settings(deadline=None)
@given(st.integers(0, 10**6))
def test_scales_are_nested_and_ever_finer(seed: int) -> None:
    graph = random_graph(seed)
    level, random = block_level(graph), np.random.default_rng(seed)
    labels = random.integers(0, 8, 40).astype(LABEL)
    labels = np.unique(labels, return_inverse=True)[1].astype(LABEL)
    # Clusters that cross components are joined, as a partition of the graph would have them.
    labels = np.unique(level.components * 8 + labels, return_inverse=True)[1].astype(LABEL)
    coarser = coarser_scales(level, labels, random=random)
    finer = finer_scales(level, labels, random=random)
    k = [scale.n_clusters for scale in (*coarser, *finer)]
    k.insert(len(coarser), int(labels.max()) + 1)
    assert k == sorted(set(k))
    assert are_nested([*(s.labels for s in coarser), labels, *(s.labels for s in finer)])
    resolutions = [scale.resolution for scale in coarser]
    assert resolutions == sorted(resolutions)


def test_first_scale_is_that_of_components() -> None:
    graph, clusters = planted()
    (first, *_) = coarser_scales(Level.finest(graph), clusters, random=np.random.default_rng(0))
    assert first.n_clusters == 1
    assert first.resolution == 0


def test_planted_groups_are_found_and_other_levels_left_out() -> None:
    graph, clusters = planted()
    model = NestedModel(BlockModel.of(graph, degree_corrected=False))
    found = {}
    for prune in (False, True):
        hierarchy = find_hierarchy(
            block_level(graph),
            clusters,
            model,
            prune=prune,
            limits=SizeLimits(),
            random=np.random.default_rng(0),
        )
        assert np.array_equal(hierarchy.scales[hierarchy.fitted].labels, clusters)
        assert np.isnan(hierarchy.scales[hierarchy.fitted].resolution)
        found[prune] = [scale.n_clusters for scale in hierarchy.scales]
    assert found[True] == [1, 3, 12]
    assert set(found[True]) < set(found[False])


def evidence_by_hand(graph: Graph, coarse: Labels, fine: Labels, tradeoff: float) -> list[float]:
    """Return the nats lost by each coarse cluster, from dense matrices, degree-corrected."""
    A, d = graph.adjacency.toarray(), graph.degrees
    pairs = np.outer(d, d)
    np.fill_diagonal(pairs, 0)

    def nats(where: np.ndarray) -> float:
        weight, size = A[where].sum(), pairs[where].sum()
        return float(xlogy(weight, weight / size)) / 2 / tradeoff if size > 0 else 0.0

    lost = []
    for c in range(int(coarse.max()) + 1):
        inside = (coarse[:, None] == c) & (coarse == c)
        same = fine[:, None] == fine
        parts = [inside & (fine[:, None] == f) & (fine == f) for f in np.unique(fine[coarse == c])]
        lost.append(sum(map(nats, parts)) + nats(inside & ~same) - nats(inside))
    return lost


@settings(deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1.0, 2.5]))
def test_evidence_is_the_difference_of_log_likelihoods(seed: int, tradeoff: float) -> None:
    graph = random_graph(seed, n=20, density=0.3)
    random = np.random.default_rng(seed)
    fine = np.unique(random.integers(0, 6, 20), return_inverse=True)[1].astype(LABEL)
    coarse = np.unique(fine // 3, return_inverse=True)[1].astype(LABEL)
    model = NestedModel(BlockModel.of(graph, degree_corrected=True, tradeoff=tradeoff))
    level = block_level(graph)
    stats = [level.cluster_stats(labels) for labels in (coarse, fine)]
    evidence = model.evidence(*stats, parents_of(fine, coarse))
    assert evidence == pytest.approx(evidence_by_hand(graph, coarse, fine, tradeoff), abs=1e-9)
    assert (evidence >= 0).all()


def test_first_and_fitted_levels_are_kept_even_without_evidence() -> None:
    graph = random_graph(0, n=60, density=0.2)
    levels = [np.zeros(60, dtype=LABEL), (np.arange(60) % 5).astype(LABEL)]
    levels.append(np.arange(60, dtype=LABEL))
    model = NestedModel(BlockModel.of(graph, degree_corrected=False))
    assert levels_worth_keeping(block_level(graph), levels, model, fitted=1) == [0, 1]
    assert levels_worth_keeping(block_level(graph), levels[:2], model, fitted=0) == [0]


def test_subclusters_are_found_at_the_rate_of_their_own_cluster() -> None:
    graph, clusters = planted()
    groups = clusters // 4
    model = NestedModel(BlockModel.of(graph, degree_corrected=True))
    level = block_level(graph)
    (parts,) = subclusters(level, groups, model, random=np.random.default_rng(0))
    assert np.array_equal(canonical_labels(parts), canonical_labels(clusters))
    assert subclusters(level, clusters, model, random=np.random.default_rng(0)) == []


@pytest.mark.parametrize("degree_corrected", [False, True])
def test_clusters_without_structure_have_no_subclusters(degree_corrected: bool) -> None:
    graph = random_graph(1, n=200, density=0.1)
    model = NestedModel(BlockModel.of(graph, degree_corrected=degree_corrected))
    one = np.zeros(200, dtype=LABEL)
    assert subclusters(block_level(graph), one, model, random=np.random.default_rng(0)) == []


def test_only_clusters_with_structure_have_subclusters() -> None:
    structured, clusters = planted()
    A = np.zeros((120, 120))
    A[:60, :60] = structured.adjacency.toarray()[:60, :60]
    A[60:, 60:] = random_graph(2, n=60, density=0.3).adjacency.toarray()
    A[0, 60] = A[60, 0] = 1
    graph, halves = Graph(A), np.repeat([0, 1], 60).astype(LABEL)
    model = NestedModel(BlockModel.of(graph, degree_corrected=False))
    (parts,) = subclusters(block_level(graph), halves, model, random=np.random.default_rng(0))
    assert np.array_equal(canonical_labels(parts[:60]), canonical_labels(clusters[:60]))
    assert len(np.unique(parts[60:])) == 1


def test_divided_clusters_are_connected_and_only_where_allowed() -> None:
    graph, clusters = planted()
    groups = clusters // 4
    level = block_level(graph)
    divisible = np.array([True, False, True])
    parts, n_parts = divided_clusters(level, groups, divisible, random=np.random.default_rng(0))
    assert are_nested([groups, parts])
    assert np.bincount(parents_of(parts, groups)).tolist() == [4, 1, 4]
    assert n_parts == 9
