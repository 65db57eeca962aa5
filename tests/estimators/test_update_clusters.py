"""`PowerLawClusters.update`: what was fitted decides what is updated."""

from copy import deepcopy
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError

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


def curved(n, seed):
    """Return two moons, and four skewed clusters in eight columns."""
    random = np.random.default_rng(seed)
    centres = 30 * random.normal(size=(4, 8))
    skewed = random.exponential(size=(n, 8)) ** 2 + centres[random.integers(4, size=n)]
    return make_moons(n, noise=0.05, random_state=seed)[0], skewed


@pytest.mark.parametrize("columns", [0, 1])
def test_clusters_of_other_routes_are_found_anew_and_keep_their_ids(columns, tmp_path):
    points = curved(600, 0)[columns]
    model = PowerLawClusters(random_state=0).fit(points[:550])
    assert model.route_ == ("density", "neighbors")[columns]
    before = model.cluster_ids_[model.labels_]
    powercut.save(tmp_path / "model.npz", model=model)
    loaded = powercut.load(tmp_path / "model.npz")
    changes = {"removed": [3, 7]}
    model.update(points[550:], **changes)
    stay = np.delete(np.arange(550), [3, 7])
    now = np.concatenate([points[stay], points[550:]])
    again = PowerLawClusters(random_state=0).fit(now)
    np.testing.assert_array_equal(model.labels_, again.labels_)
    np.testing.assert_array_equal(model.predict(now), model.labels_)
    ids = model.cluster_ids_[model.labels_]
    assert np.mean(ids[:548] == before[stay]) > 0.95
    loaded.update(points[550:], points=points[:550], **changes)
    np.testing.assert_array_equal(loaded.cluster_ids_, model.cluster_ids_)
    np.testing.assert_array_equal(loaded.labels_, model.labels_)


def test_constraints_last_where_clusters_are_found_anew():
    points = curved(600, 0)[1]
    model = PowerLawClusters(random_state=0).fit(points[:550])
    assert model.route_ == "neighbors"
    ends = [int(np.flatnonzero(model.labels_ == c)[0]) for c in (0, 1)]
    model.update(points[550:], must_link=[ends])
    assert model.labels_[ends[0]] == model.labels_[ends[1]]
    model.update(removed=[int(np.flatnonzero(model.labels_ == 2)[-1])])
    assert model.labels_[ends[0]] == model.labels_[ends[1]]


@pytest.mark.parametrize("is_error", [False, True])
def test_a_cluster_that_goes_and_comes_back_has_another_id(is_error):
    """Also if the warning that one cluster is left is an error: everything is set before."""
    points = curved(600, 0)[0]
    model = PowerLawClusters(random_state=0).fit(points)
    larger = np.flatnonzero(model.labels_ == 0)
    if is_error:
        with pytest.raises(UserWarning, match="No more than one cluster"):
            model.update(removed=larger)
    else:
        with pytest.warns(UserWarning, match="No more than one cluster"):
            model.update(removed=larger)
    assert model.cluster_ids_.tolist() == [1]
    assert model.changes_.cluster_ids.tolist() == [1]
    assert sorted(model.update(points[larger]).cluster_ids_) == [1, 2]


def test_an_update_that_fails_leaves_the_clusters_as_they_were(tmp_path):
    points = curved(600, 0)[0]
    model = PowerLawClusters(random_state=0).fit(points)
    before = model.labels_
    with pytest.raises(ConvergenceWarning):  # warnings are errors here
        model.set_params(max_seconds=0).update(removed=[0])
    assert model.route_ == "density"
    np.testing.assert_array_equal(model.labels_, before)
    powercut.save(tmp_path / "model.npz", model=model)
    np.testing.assert_array_equal(powercut.load(tmp_path / "model.npz").predict(points), before)
    assert len(model.set_params(max_seconds=None).update(removed=[0]).labels_) == 599


def test_columns_of_a_frame_keep_their_names():
    frame = pd.DataFrame(curved(600, 0)[0], columns=["a", "b"])
    model = PowerLawClusters(random_state=0).fit(frame[:590])
    model.update(frame[590:])
    assert model.feature_names_in_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(model.predict(frame), model.labels_)
    with pytest.raises(ValueError, match="feature names"):
        model.update(frame[["b", "a"]])


def test_what_other_routes_do_not_take_is_refused():
    points = curved(600, 0)[0]
    model = PowerLawClusters(random_state=0).fit(points)
    before = model.labels_
    with pytest.raises(ValueError, match="inertia is for Gaussian clusters and graphs"):
        model.update(points[:3], inertia=0.5)
    with pytest.raises(ValueError, match="removed has row 600"):
        model.update(removed=[600])
    with pytest.raises(ValueError, match="must link, but they cannot link"):
        model.update(must_link=[[0, 1]], cannot_link=[[0, 1]])
    np.testing.assert_array_equal(model.labels_, before)
    sparse = PowerLawClusters(random_state=0).fit(csr_array(curved(600, 0)[1]))
    with pytest.raises(ValueError, match=r"sparse vectors have no update.*powercut\.match"):
        sparse.update(points[:3])


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
