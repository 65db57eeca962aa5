"""`PowerLawCut.update`: graphs that change."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import powercut
from changing_graphs import cliques, edges_of, edges_of_graph, ids_of, pairs, replaced
from powercut import Graph, PowerLawCut
from powercut.datasets import make_block_graph
from powercut.estimators.confidence import cluster_evidence, node_margins
from powercut.graphs.block_model import block_level

pytestmark = pytest.mark.usefixtures("eight_cores")


@pytest.fixture
def model():
    return PowerLawCut(random_state=0).fit(cliques(5))


def test_ids_are_the_labels_after_a_fit(model):
    np.testing.assert_array_equal(model.cluster_ids_, np.arange(5))
    assert not hasattr(model, "changes_")


def test_no_change_changes_nothing(model):
    before = {name: getattr(model, name) for name in ("labels_", "objective_", "margins_")}
    length = model.description_length_
    model.update()
    for name, value in before.items():
        np.testing.assert_allclose(getattr(model, name), value)
    assert model.description_length_ == pytest.approx(length)
    assert model.changes_.to_frame().empty


def test_cluster_of_nodes_that_come_is_born(model):
    model.update(added=pairs(np.arange(60, 67)))
    assert model.n_clusters_ == 6
    np.testing.assert_array_equal(ids_of(model)[60:], 5)
    assert list(model.changes_.change) == ["born"]
    assert model.n_features_in_ == 67
    assert model.node_names_ is None


def test_sparse_cluster_of_nodes_that_come_is_born():
    graph, _ = make_block_graph(1000, random_state=0)
    model = PowerLawCut(random_state=0).fit(graph)
    u, v = pairs(np.arange(1000, 1040))
    some = np.random.default_rng(0).random(len(u)) < 0.12
    model.update(added=(u[some], v[some]))
    newcomers = model.labels_[1000:]
    assert np.bincount(newcomers).max() > 0.8 * len(newcomers)


def test_node_that_comes_joins_its_neighbours(model):
    model.update(added=([60] * 6, np.arange(14, 20)), added_nodes=[61])
    ids = ids_of(model)
    assert ids[60] == ids[14]
    assert list(model.changes_.change) == ["grown", "born"]
    assert np.isinf(model.margins_[61])


def test_cluster_whose_nodes_go_dies(model):
    gone = ids_of(model)[12]
    model.update(removed_nodes=np.arange(12, 24))
    table = model.changes_.to_frame()
    assert [*table[["id", "change", "before", "after"]].iloc[0]] == [gone, "died", 12, 0]
    assert len(table) == 1
    # Nodes that stay keep their numbers.
    np.testing.assert_array_equal(model.node_names_, np.delete(np.arange(60), np.arange(12, 24)))
    # Its id is not used again.
    model.update(added=pairs(np.arange(100, 110)))
    assert model.cluster_ids_.max() == 5
    assert gone not in model.cluster_ids_


def test_cluster_that_is_cut_splits_and_its_larger_part_keeps_the_id():
    model = PowerLawCut(random_state=0).fit(cliques(5, 20))
    model.update(removed=pairs(np.arange(20, 28), np.arange(28, 40)))
    ids = ids_of(model)
    assert set(ids[28:40]) == {1}
    assert set(ids[20:28]) == {5}
    table = model.changes_.to_frame()
    assert list(table.change) == ["shrunk", "split"]
    assert list(table.other) == [-1, 1]


def test_clusters_that_grow_together_merge():
    model = PowerLawCut(random_state=0).fit(cliques(5, 20))
    bridge = pairs(np.arange(20, 40), np.arange(40, 60))
    there = cliques(5, 20)[bridge] > 0
    model.update(added=tuple(ends[~there] for ends in bridge))
    assert set(ids_of(model)[20:60]) == {1}
    assert list(model.changes_.change) == ["grown", "merged"]
    assert list(model.changes_.other) == [-1, 1]


def test_slow_changes_add_up_to_a_division():
    model = PowerLawCut(random_state=0).fit(cliques(5, 20))
    u, v = pairs(np.arange(20, 30), np.arange(30, 40))
    # A few edges are left: it is not divided because it is disconnected.
    for one in np.random.default_rng(0).permutation(len(u))[:-4]:
        model.update(removed=(u[[one]], v[[one]]))
    assert model.n_clusters_ == 6
    assert len(set(ids_of(model)[20:30])) == len(set(ids_of(model)[30:40])) == 1


def test_graph_is_that_of_a_fit_and_so_are_the_results():
    graph, _ = make_block_graph(800, random_state=0)
    old, added, removed = replaced(graph, 0.02, np.random.default_rng(0))
    model = PowerLawCut(random_state=0).fit(old).update(added=added, removed=removed)
    A = graph.adjacency.toarray()
    A[removed] = A[removed[::-1]] = 0
    new = Graph(A)
    np.testing.assert_array_equal(model._input.graph.indices, new.indices)
    np.testing.assert_array_equal(model.predict(new), model.labels_)
    level, objective = block_level(new), model._posterior.objective
    np.testing.assert_allclose(model.margins_, node_margins(level, model.labels_, objective))
    evidence = cluster_evidence(level, model.labels_, objective)
    np.testing.assert_allclose(model.cluster_evidence_, evidence)
    stats = level.cluster_stats(model.labels_)
    assert model.objective_ == pytest.approx(objective.value(stats))
    np.testing.assert_allclose(model._posterior.stats.inside, stats.inside)
    assert model.margins_.min() > -0.5 - 1e-9  # what is left would gain less than the inertia


@pytest.mark.parametrize("seed", range(3))
def test_ten_updates_are_as_good_as_a_fit(seed):
    random = np.random.default_rng(seed)
    graph, _ = make_block_graph(2000, random_state=seed)
    u, v = edges_of_graph(graph)
    order = random.permutation(len(u))
    batches = np.array_split(order[: len(u) // 10], 20)
    kept = np.setdiff1d(order, np.concatenate(batches[:10]))
    model = PowerLawCut(random_state=0).fit(
        Graph.from_edges(u[kept], v[kept], n_nodes=2000, symmetrize="max")
    )
    first = ids_of(model)
    for come, go in zip(batches[:10], batches[10:], strict=True):
        model.update(added=(u[come], v[come]), removed=(u[go], v[go]))
    refit = PowerLawCut(random_state=0).fit(model._input.graph)
    assert model.description_length_ < 1.002 * refit.description_length_
    assert np.mean(ids_of(model) == first) > 0.9


def test_replay_and_threads_give_the_same(monkeypatch):
    monkeypatch.setattr("powercut.graphs.level.LARGE", 100)
    monkeypatch.setattr("powercut.graphs.level.MANY_NODES", 100)
    graph, _ = make_block_graph(3000, random_state=0)
    old, added, removed = replaced(graph, 0.05, np.random.default_rng(0))
    ends = []
    for n_jobs in (1, 1, 2, 8):
        model = PowerLawCut(random_state=0, n_jobs=n_jobs).fit(old)
        model.update(added=added, removed=removed).update(added=removed, removed=added)
        ends.append(model)
    for other in ends[1:]:
        np.testing.assert_array_equal(other.labels_, ends[0].labels_)
        np.testing.assert_array_equal(other.cluster_ids_, ends[0].cluster_ids_)
        assert other.objective_ == ends[0].objective_


def test_clusters_stay_connected():
    random = np.random.default_rng(0)
    graph, _ = make_block_graph(600, random_state=1)
    model = PowerLawCut(random_state=0).fit(graph)
    for _ in range(5):
        u, v = edges_of_graph(model._input.graph)
        some = random.choice(len(u), size=len(u) // 10, replace=False)
        model.update(removed=(u[some], v[some]))
        split = powercut._core.split_components(model._input.graph.arrays, model.labels_, 1, None)
        assert split[1] == model.n_clusters_
        isolated = model._input.graph.isolated
        assert np.all(model.cluster_sizes_[model.labels_[isolated]] == 1)


def test_node_that_loses_its_neighbours_is_a_singleton():
    A = np.pad(cliques(3, 60), (0, 1))
    A[5:50, 180] = A[180, 5:50] = 1
    model = PowerLawCut(connected=False, random_state=0).fit(A)
    assert model.labels_[180] == model.labels_[5]
    # Too little of its cluster has changed for a division.
    model.update(removed=(np.arange(5, 50), [180] * 45), inertia=1e9)
    assert model.cluster_sizes_[model.labels_[180]] == 1


def test_inertia_holds_nodes_back():
    A = cliques(2, 20)
    A[0, 20:26] = A[20:26, 0] = 1
    model = PowerLawCut(random_state=0).fit(A)
    moved = PowerLawCut(random_state=0).fit(A)
    u, v = [0] * 9, np.arange(11, 20)
    at = np.arange(27, 36)
    changes = {"removed": (u, v), "added": (u, at)}
    model.update(**changes, inertia=1000)
    moved.update(**changes, inertia=0)
    assert moved.labels_[0] == moved.labels_[21]
    assert model.labels_[0] == model.labels_[1]


def test_names_come_and_go_in_tables():
    A = cliques(4)
    names = np.array([f"n{i}" for i in range(48)], dtype=object)
    u, v = edges_of(A)
    table = pd.DataFrame({"from": names[u], "to": names[v]})
    model = PowerLawCut(random_state=0).fit(table)
    old = dict(zip(model.node_names_, ids_of(model), strict=True))
    added = pd.DataFrame({"from": ["new"] * 5, "to": ["n1", "n2", "n3", "n4", "n5"]})
    model.update(added=added, removed=table.iloc[:1], removed_nodes=["n0", "n30"])
    new = dict(zip(model.node_names_, ids_of(model), strict=True))
    assert set(new) == {*old, "new"} - {"n0", "n30"}
    assert new["new"] == old["n1"]
    assert all(new[name] == old[name] for name in new if name != "new")
    assert list(model.labels_frame_.columns) == ["node", "cluster"]


def test_weights_are_summed_and_edges_removed_whole():
    A = 2 * cliques(3)
    model = PowerLawCut(random_state=0).fit(A)
    model.update(added=([0, 2], [1, 30], [3, 4]), removed=([0, 5], [1, 6]))
    A[0, 1] = A[1, 0] = 3
    A[2, 30] = A[30, 2] = 4
    A[5, 6] = A[6, 5] = 0
    np.testing.assert_array_equal(model._input.graph.adjacency.toarray(), A)
    both = PowerLawCut(random_state=0).fit(cliques(3)).update(added=([0, 30], [30, 0]))
    assert both._input.graph.weights is None  # an edge may be listed in both directions
    counted = PowerLawCut(random_state=0).fit(cliques(3)).update(added=([0], [1], [1]))
    assert counted._input.graph.adjacency[0, 1] == 2


def test_coarser_clusters_stay_coarse():
    graph, _ = make_block_graph(1000, random_state=0)
    old, added, removed = replaced(graph, 0.01, np.random.default_rng(0))
    model = PowerLawCut(tradeoff=3.0, random_state=0).fit(old)
    prior, before = (model.concentration_, model.discount_), ids_of(model)
    model.update(added=added, removed=removed)
    assert model.tradeoff_ == 3
    assert (model.concentration_, model.discount_) == prior
    assert np.mean(ids_of(model) == before) > 0.95


def test_loaded_model_needs_its_graph(tmp_path, model):
    again = PowerLawCut(random_state=0).fit(cliques(5))
    for one in (model, again):
        one.update(removed=([0], [1]))
    powercut.save(tmp_path / "model.npz", model=model)
    loaded = powercut.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(loaded.margins_, model.margins_)
    assert not hasattr(loaded, "changes_")
    with pytest.raises(ValueError, match="pass the one before the change as graph"):
        loaded.update(removed=([0], [2]))
    with pytest.raises(ValueError, match="graph is not the one that the model was fitted to"):
        loaded.update(removed=([0], [2]), graph=cliques(5))
    A = cliques(5)
    A[0, 1] = A[1, 0] = 0
    changes = {"removed": ([0], [2]), "added": pairs(np.arange(60, 70))}
    loaded.update(**changes, graph=A)
    again.update(**changes)
    np.testing.assert_array_equal(loaded.labels_, again.labels_)
    np.testing.assert_array_equal(loaded.cluster_ids_, again.cluster_ids_)
    with pytest.raises(ValueError, match="graph is only for a model that does not have it"):
        loaded.update(graph=A)


def test_mapped_graph_is_not_kept(tmp_path):
    powercut.disk.write_blocks(tmp_path / "blocks", Graph(cliques(3)))
    model = PowerLawCut(random_state=0).fit(tmp_path / "blocks")
    assert model._input.graph is None
    model.update(removed=([0], [1]), graph=tmp_path / "blocks")
    assert model._input.graph.n_edges == Graph(cliques(3)).n_edges - 1


def test_fit_begins_anew(model):
    model.update(removed_nodes=np.arange(12))
    model.fit(cliques(3))
    np.testing.assert_array_equal(model.cluster_ids_, np.arange(3))
    assert not hasattr(model, "changes_")
    model.set_params(score="ncut").fit(cliques(3))
    assert not hasattr(model, "description_length_")


def test_time_limit_leaves_sound_results(model):
    model.max_seconds = 0
    with pytest.warns(ConvergenceWarning, match="stopped early"):
        model.update(added=pairs(np.arange(60, 70)), removed=([0], [1]))
    assert len(model.labels_) == 70
    assert model.stopped_early_
    assert model.n_clusters_ == len(model.cluster_ids_)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"removed": ([0], [30])}, "removed has an edge between 0 and 30, but there is none"),
        ({"removed": ([0], [99])}, "removed has 99, which is not a node"),
        ({"removed": ([0], [1], [1.0])}, "edges are removed whole"),
        ({"added": ([0], [1])}, "added has an edge between 0 and 1, and there is one already"),
        ({"added": ([0, 0], [30, 30])}, "added has 1 edges more than once in the same direction"),
        ({"added": (["a"], ["b"])}, "the nodes are integers, but added has strings"),
        ({"added": ([0], [1, 2])}, "u and v pair up"),
        ({"added": [[0, 1]]}, "must be a table of two or three columns, or a tuple"),
        ({"added": ([0], [30], [0.5])}, "no longer counts"),
        ({"added": ([0], [30], [-1])}, "negative"),
        ({"added_nodes": [3]}, "added_nodes has 3, which is a node already"),
        ({"removed_nodes": [99]}, "removed_nodes has 99, which is not a node"),
        ({"removed_nodes": [3], "added": ([3], [30])}, "3 is in removed_nodes, but has edges"),
        ({"inertia": -1}, "inertia == -1"),
    ],
)
def test_unsound_changes_are_refused(model, changes, message):
    labels = model.labels_
    with pytest.raises(ValueError, match=message):
        model.update(**changes)
    assert model.labels_ is labels  # and nothing has changed


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"score": "ncut"}, "update needs score='likelihood'"),
        ({"tree": True}, "update does not keep tree_"),
        ({"max_size": 60}, "update does not keep min_size and max_size"),
    ],
)
def test_models_that_cannot_be_updated_say_so(parameters, message):
    model = PowerLawCut(random_state=0, **parameters).fit(cliques(3))
    with pytest.raises(ValueError, match=message):
        model.update(removed=([0], [1]))


def test_unfitted_models_say_so():
    with pytest.raises(NotFittedError):
        PowerLawCut().update(removed=([0], [1]))


def test_all_nodes_may_go_and_come_back(model):
    model.update(removed_nodes=np.arange(60))
    assert model.n_clusters_ == 0
    assert list(model.changes_.change) == ["died"] * 5
    model.update(added=pairs(np.arange(10)))
    assert list(model.cluster_ids_) == [5]
