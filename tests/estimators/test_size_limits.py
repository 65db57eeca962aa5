"""`min_size` and `max_size`: a fit whose clusters are within limits."""

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from powercut import Graph, PowerLawCut, load, save
from powercut.datasets import make_block_graph, make_paper_graph
from powercut.estimators.confidence import cluster_evidence
from powercut.graphs.level import Level

GRAPH = make_paper_graph(600, random_state=0)[0]
SCORES = pytest.mark.parametrize(
    "parameters", [{}, {"score": "modularity"}, {"score": "ncut", "algorithm": "lloyd", "shift": 0}]
)


def fit(**parameters: Any) -> PowerLawCut:
    return PowerLawCut(random_state=0, **parameters).fit(GRAPH)


@SCORES
def test_all_clusters_are_within_the_limits(parameters: Any) -> None:
    free = fit(**parameters)
    model = fit(min_size=10, max_size=40, **parameters)
    assert free.cluster_sizes_.min() < 10 or free.cluster_sizes_.max() > 40
    assert model.cluster_sizes_.min() >= 10
    assert model.cluster_sizes_.max() <= 40
    np.testing.assert_array_equal(model.objective_path_, free.objective_path_)
    assert model.objective_unconnected_ == free.objective_unconnected_


@SCORES
def test_results_are_those_of_the_limited_clusters(parameters: Any) -> None:
    model = fit(max_size=40, **parameters)
    objective = model._posterior.objective
    level = Level.finest(GRAPH)
    j = level.objective(model.labels_, model.n_clusters_, objective)
    j += objective.regulariser.constant(GRAPH.n_nodes)
    assert model.objective_ == pytest.approx(j, rel=1e-9)
    evidence = cluster_evidence(level, model.labels_, objective)
    np.testing.assert_allclose(model.cluster_evidence_, evidence)
    np.testing.assert_array_equal(np.bincount(model.labels_), model.cluster_sizes_)
    assert (np.diff(model.cluster_sizes_) <= 0).all()


@SCORES
def test_no_node_has_a_better_place_within_the_limits(parameters: Any) -> None:
    model = fit(min_size=5, max_size=40, connected=False, **parameters)
    assert model.margins_.min() >= -1e-9
    free = Level.finest(GRAPH).margins(model.labels_, model._posterior.objective)
    assert free.min() < -1e-3


def test_limits_that_hold_already_move_no_node() -> None:
    # Clusters that were merged up to this tradeoff, of which a node would move.
    graph = Graph.from_networkx(nx.les_miserables_graph())
    free = PowerLawCut(tradeoff=5.0, random_state=0).fit(graph)
    limited = PowerLawCut(tradeoff=5.0, max_size=graph.n_nodes, random_state=0).fit(graph)
    np.testing.assert_array_equal(limited.labels_, free.labels_)


def test_limits_that_hold_already_change_nothing() -> None:
    free = fit()
    sizes = free.cluster_sizes_
    model = fit(min_size=int(sizes.min()), max_size=max(int(sizes.max()), 2 * int(sizes.min())))
    np.testing.assert_array_equal(model.labels_, free.labels_)
    assert model.objective_ == pytest.approx(free.objective_, rel=1e-12)


def test_labels_do_not_depend_on_threads() -> None:
    one, two = (fit(min_size=5, max_size=30, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.labels_, two.labels_)


def test_tree_is_grown_around_the_limited_clusters() -> None:
    model = fit(min_size=5, max_size=30, tree=True)
    np.testing.assert_array_equal(model.tree_.cut(), model.labels_)
    assert model.tree_.size[model.tree_.is_leaf].max() <= 30


def test_limited_models_predict_and_are_saved(tmp_path: Path) -> None:
    model = fit(max_size=40)
    np.testing.assert_array_equal(model.predict(GRAPH.adjacency), model.labels_)
    save(tmp_path / "model", model=model)
    again = load(tmp_path / "model")
    assert again.max_size == 40
    np.testing.assert_array_equal(again.predict(GRAPH.adjacency), model.labels_)


def test_clusters_without_neighbours_stay_small_with_a_warning() -> None:
    A = np.zeros((14, 14))
    A[:6, :6] = A[6:12, 6:12] = 1
    A[0, 6] = A[6, 0] = 1
    np.fill_diagonal(A, 0)
    with pytest.warns(UserWarning, match="2 clusters have fewer than min_size=3 nodes") as caught:
        model = PowerLawCut(min_size=3, random_state=0).fit(Graph(A))
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(model.cluster_sizes_, [6, 6, 1, 1])


def test_time_limit_holds_while_clusters_are_divided() -> None:
    graph = make_block_graph(20_000, random_state=0)[0]
    with pytest.warns(UserWarning, match="max_seconds"):
        model = PowerLawCut(max_size=30, max_seconds=0, random_state=0).fit(graph)
    assert model.stopped_early_
    assert model.cluster_sizes_.max() <= 30


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"min_size": 0}, "min_size == 0, must be >= 1"),
        ({"max_size": 0}, "max_size == 0, must be >= 1"),
        ({"min_size": 5, "max_size": 8}, "max_size must be at least 9"),
    ],
)
def test_invalid_limits_are_refused(parameters: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit(**parameters)
