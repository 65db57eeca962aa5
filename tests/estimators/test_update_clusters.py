"""`PowerLawClusters.update`: what was fitted decides what is updated."""

from copy import deepcopy
from functools import cache

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.exceptions import NotFittedError

import powercut
from changing_graphs import cliques, ids_of, pairs
from powercut import Graph, PowerLawClusters, PowerLawCut

RANDOM = np.random.default_rng(0)
CENTRES = RANDOM.normal(0, 12, (5, 3))
X = (CENTRES[RANDOM.integers(5, size=900)] + RANDOM.normal(0, 1, (900, 3))).astype(np.float32)


@cache
def fitted_to_blobs() -> PowerLawClusters:
    return PowerLawClusters(random_state=0).fit(X[:800])


@pytest.fixture
def model():
    return deepcopy(fitted_to_blobs())


def test_gaussian_clusters_follow_points(model):
    assert model.route_ == "gaussian"
    before = ids_of(model)
    np.testing.assert_array_equal(before, model.labels_)
    model.update(X[800:])
    assert np.mean(ids_of(model)[:800] == before) > 0.99
    again = PowerLawClusters(random_state=0).fit(X)
    assert model.objective_ == pytest.approx(again.objective_, rel=0.002)
    assert set(model.changes_.change) >= {"grown"}
    assert len(model.outlier_score_) == len(model.margins_) == 900
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.predict_proba(X[:5]).shape == (5, model.n_clusters_)


def test_points_go(model):
    gone = np.flatnonzero(model.labels_ == 2)
    model.update(removed=gone)
    assert 2 not in model.cluster_ids_
    assert len(model.labels_) == 800 - len(gone)


def test_columns_keep_the_scale_of_the_fit():
    units = np.array([1.0, 1e3, 1e-2])
    model = PowerLawClusters(scale="columns", random_state=0).fit(X[:800] * units)
    scale = model.scale_
    model.update(X[800:] * units)
    np.testing.assert_array_equal(model.scale_, scale)
    np.testing.assert_array_equal(model.predict(X * units), model.labels_)


def test_loaded_model_goes_on_as_the_other(model, tmp_path):
    model.update(X[800:850])
    powercut.save(tmp_path / "model.npz", model=model)
    again = powercut.load(tmp_path / "model.npz")
    with pytest.raises(ValueError, match="no points in memory"):
        again.update(X[850:])
    again.update(X[850:], points=X[:850])
    model.update(X[850:])
    for name in ("labels_", "cluster_ids_", "margins_", "outlier_score_", "objective_path_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))


def test_a_graph_is_updated_as_by_cut():
    graph = Graph(cliques(5))
    added = pairs(np.arange(60, 67))
    changes = {"added": added, "inertia": 0.2, "cannot_link": [(0, 1)]}
    model = PowerLawClusters(random_state=0).fit(graph)
    cut = PowerLawCut(random_state=0).fit(graph)
    np.testing.assert_array_equal(model.cluster_ids_, np.arange(5))
    assert not hasattr(model, "changes_")
    model.update(**changes)
    cut.update(**changes)
    for name in ("labels_", "cluster_ids_", "margins_", "cluster_evidence_", "n_features_in_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(cut, name))
    assert list(model.changes_.change) == ["shrunk", "split", "born"]
    assert model.labels_[0] != model.labels_[1]
    # A fit forgets them.
    model.fit(graph)
    assert not hasattr(model, "changes_")
    np.testing.assert_array_equal(model.cluster_ids_, np.arange(5))


def test_a_loaded_graph_is_passed_again(tmp_path):
    graph = Graph(cliques(5))
    model = PowerLawClusters(random_state=0).fit(graph).update(added_nodes=[60])
    powercut.save(tmp_path / "model.npz", model=model)
    again = powercut.load(tmp_path / "model.npz")
    with pytest.raises(ValueError, match="pass the one before the change as graph"):
        again.update(removed_nodes=[3])
    np.testing.assert_array_equal(again.cluster_ids_, model.cluster_ids_)


def test_other_routes_say_what_to_do():
    moons = make_moons(500, noise=0.05, random_state=0)[0]
    model = PowerLawClusters(random_state=0).fit(moons)
    with pytest.raises(ValueError, match=r"found by density: fit all points again.*powercut.match"):
        model.update(moons[:3])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"outliers": "label"}, 'update needs outliers="assign"'),
        ({"tree": True}, "update does not keep tree_"),
    ],
)
def test_models_that_have_no_update(parameters, message):
    model = PowerLawClusters(random_state=0, **parameters).fit(X[:300])
    with pytest.raises(ValueError, match=message):
        model.update(X[300:310])


def test_parameters_of_the_other_kind_of_data_are_refused(model):
    with pytest.raises(ValueError, match="update of vectors has no added_nodes; it takes"):
        model.update(added_nodes=[1])
    graph = PowerLawClusters(random_state=0).fit(Graph(cliques(5)))
    with pytest.raises(ValueError, match="update of a graph has no X; it takes"):
        graph.update(X)
    with pytest.raises(NotFittedError):
        PowerLawClusters().update(X)
    with pytest.raises(ValueError, match="removed has row 800"):
        model.update(removed=[800])
