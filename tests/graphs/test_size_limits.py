"""Limits of cluster sizes."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from powercut import Graph
from powercut._typing import LABEL, Labels
from powercut.graphs.block_model import BlockModel, block_level
from powercut.graphs.nested import NestedModel, parents_of
from powercut.graphs.scales import modularity
from powercut.graphs.size_limits import (
    SizeLimits,
    divide_large,
    fold_small,
    improve_within,
    limit_sizes,
)
from powercut.partition import common_refinement, compact_labels


def nested_model(graph: Graph) -> NestedModel:
    return NestedModel(BlockModel.of(graph, degree_corrected=True))


def random_graph(random: np.random.Generator, n: int, density: float) -> Graph:
    upper = np.triu(random.random((n, n)) < density, 1)
    return Graph(upper + upper.T)


def path_of_cliques(sizes: list[int], ties: int = 1) -> tuple[Graph, np.ndarray]:
    """Return cliques in a row, the first of which has more edges to the second."""
    labels = np.repeat(np.arange(len(sizes)), sizes).astype(LABEL)
    A = (labels[:, None] == labels).astype(float)
    np.fill_diagonal(A, 0)
    starts = np.cumsum([0, *sizes[:-1]])
    for one, other in pairwise(starts):
        A[one, other] = A[other, one] = 1
    A[0, starts[1] : starts[1] + ties] = A[starts[1] : starts[1] + ties, 0] = 1
    return Graph(A), labels


def test_small_cluster_joins_the_neighbour_that_loses_fewest_nats() -> None:
    graph, labels = path_of_cliques([10, 3, 10], ties=3)
    model, level = nested_model(graph), block_level(graph)
    folded, result = fold_small(level, labels, 4, model)
    assert np.array_equal(folded, np.where(labels == 2, folded[-1], folded[0]))
    assert folded[0] != folded[-1]
    lost = []
    for joined in ([0, 0, 1], [0, 1, 1]):
        coarse = np.array(joined, dtype=LABEL)[labels]
        stats = [level.cluster_stats(one) for one in (coarse, labels)]
        lost.append(model.evidence(*stats, parents_of(labels, coarse)).sum())
    assert lost[0] < lost[1]
    assert (result.n_clusters, result.n_left) == (1, 0)
    assert result.nats == pytest.approx(lost[0])


def test_component_without_neighbour_is_left() -> None:
    graph = Graph(np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3)))
    labels = np.repeat([0, 1], 3).astype(LABEL)
    folded, result = fold_small(block_level(graph), labels, 4, nested_model(graph))
    assert np.array_equal(folded, labels)
    assert (result.n_clusters, result.nats, result.n_left) == (0, 0.0, 2)


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 5))
def test_folding_joins_whole_clusters_until_none_is_small(seed: int, min_size: int) -> None:
    random = np.random.default_rng(seed)
    graph = random_graph(random, 40, 0.15)
    labels = compact_labels(random.integers(0, 12, 40))[0]
    level = block_level(graph)
    folded, result = fold_small(level, labels, min_size, nested_model(graph))
    assert np.array_equal(parents_of(labels, folded)[labels], folded)
    assert result.n_clusters == labels.max() - folded.max()
    between = level.aggregate(folded, int(folded.max()) + 1, None)
    connected = np.diff(between.graph[0]) > (
        between.cluster_stats(np.arange(between.n, dtype=LABEL)).inside > 0
    )
    assert not (connected & (np.bincount(folded) < min_size)).any()


@example(seed=3506, min_size=2, more=1)  # parts of an even split may be disconnected
@example(seed=3693, min_size=4, more=0)
@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(0, 8))
def test_sizes_are_within_both_limits(seed: int, min_size: int, more: int) -> None:
    random = np.random.default_rng(seed)
    graph = random_graph(random, 40, float(random.choice([0.05, 0.2, 1.0])))
    limits = SizeLimits(min_size, 2 * min_size - 1 + more)
    level, model = block_level(graph), nested_model(graph)
    labels, _ = fold_small(level, level.components, min_size, model)
    divided = divide_large(level, labels, limits, model, random=random)
    assert np.array_equal(parents_of(divided, labels)[divided], labels)
    sizes = np.bincount(divided)
    assert sizes.max() <= limits.max_size
    of_component = np.bincount(level.components)[level.components]
    assert (sizes[divided] >= np.minimum(min_size, of_component)).all()


def test_division_follows_structure_and_is_even_without() -> None:
    graph, labels = path_of_cliques([8, 8, 8])
    one = np.zeros(24, dtype=LABEL)
    options = {"model": nested_model(graph), "random": np.random.default_rng(0)}
    divided = divide_large(block_level(graph), one, SizeLimits(1, 8), **options)
    assert np.array_equal(parents_of(divided, labels)[divided], labels)
    assert divided.max() == 2
    clique = Graph(np.ones((10, 10)) - np.eye(10))
    options["model"] = nested_model(clique)
    divided = divide_large(block_level(clique), one[:10], SizeLimits(1, 4), **options)
    assert sorted(np.bincount(divided)) == [3, 3, 4]


def test_large_clusters_are_divided_inside_themselves() -> None:
    graph, cliques = path_of_cliques([3] * 40)
    halves = (cliques >= 21).astype(LABEL)
    halves[60:63] = [0, 1, 1]  # a border through a clique
    limits, model = SizeLimits(1, 7), nested_model(graph)
    random = np.random.default_rng(0)
    divided = divide_large(block_level(graph), halves, limits, model, random=random)
    assert np.array_equal(parents_of(divided, halves)[divided], halves)


def test_trees_are_divided_along_their_branches() -> None:
    random = np.random.default_rng(0)
    ends = np.arange(1, 3000)
    parents = ends - random.integers(1, np.minimum(ends, 50) + 1)
    graph = Graph.from_edges(ends, parents, symmetrize="sum")
    one = np.zeros(3000, dtype=LABEL)
    limits, model = SizeLimits(1, 60), nested_model(graph)
    divided = divide_large(block_level(graph), one, limits, model, random=random)
    inside = block_level(graph).cluster_stats(divided).inside.sum()
    assert inside / graph.total_weight > 0.95


def test_parts_that_fit_into_one_cluster_are_joined() -> None:
    graph, cliques = path_of_cliques([3] * 40)
    level, limits = block_level(graph), SizeLimits(1, 7)
    options = {"model": nested_model(graph), "random": np.random.default_rng(0)}
    divided = divide_large(level, np.zeros(120, dtype=LABEL), limits, **options)
    assert np.array_equal(parents_of(cliques, divided)[cliques], divided)
    sizes = np.bincount(divided)
    assert sizes.max() == 6
    assert len(sizes) <= 28


def assert_small_only_grow(before: Labels, after: Labels, min_size: int) -> None:
    """Check that no cluster became too small, and that none that was so was divided.

    The number of nodes in such clusters may rise: they may gain nodes that others can do without,
    and still be too small. But a node leaves a cluster only if enough nodes remain, or none, and
    opens one only if it stands for enough. So a cluster that is too small was always so and has
    only gained: it contains all nodes of a cluster that was too small at the start.
    """
    sizes = np.bincount(before)
    common = np.zeros((int(after.max()) + 1, len(sizes)), dtype=np.int64)
    np.add.at(common, (after, before), 1)
    contains_small = ((common == sizes) & (sizes < min_size)).any(axis=1)
    assert contains_small[np.bincount(after) < min_size].all()


@example(seed=191, min_size=4, more=2, connected=False)  # a single node gains two others
@example(seed=191, min_size=4, more=2, connected=True)
@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(0, 8), st.booleans())
def test_moves_lower_j_within_the_limits(
    seed: int, min_size: int, more: int, connected: bool
) -> None:
    random = np.random.default_rng(seed)
    graph = random_graph(random, 40, float(random.choice([0.05, 0.2, 1.0])))
    limits = SizeLimits(min_size, 2 * min_size - 1 + more)
    level, model = block_level(graph), nested_model(graph)
    start, _ = limit_sizes(level, level.components, limits, model, random=random)
    objective = modularity(1.0, graph.total_weight)
    coarse = common_refinement([level.components, random.integers(0, 2, 40).astype(LABEL)])[0]
    for within in (None, coarse):
        labels = start if within is None else common_refinement([start, coarse])[0]
        moved = improve_within(
            level, labels, limits, objective, connected=connected, within=within, random=random
        )
        before, after = (
            level.objective(each, int(each.max()) + 1, objective) for each in (labels, moved)
        )
        assert after <= before + 1e-9
        assert np.bincount(moved).max() <= limits.max_size
        assert_small_only_grow(labels, moved, min_size)
        if within is not None:
            assert np.array_equal(parents_of(moved, within)[moved], within)
        rise = level.margins(moved, objective, limits=limits.native)
        assert connected or within is not None or (rise >= -1e-9).all()
