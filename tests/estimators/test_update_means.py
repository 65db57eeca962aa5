"""`PowerLawMeans.update`: points that come and go."""

from copy import deepcopy
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import powercut
from changing_graphs import ids_of
from powercut import PowerLawMeans
from powercut._typing import LABEL
from powercut.datasets import make_blobs
from powercut.prior import PitmanYor
from powercut.search.objective import Objective, Regulariser
from powercut.vectors.covariances import COVARIANCES
from powercut.vectors.multilevel import Multilevel
from powercut.vectors.points import Points
from powercut.vectors.scores import KMeans

CENTRES = np.array([[0.0, 0.0], [30.0, 0.0], [0.0, 30.0], [30.0, 30.0]])
KINDS = {
    **{name: {"covariance": name} for name in COVARIANCES},
    "kmeans": {"score": "kmeans"},
    "kmeans-tradeoff": {"score": "kmeans", "tradeoff": 20.0},
}


def cloud(centre: int, n: int, seed: int = 0, spread: float = 1.0) -> np.ndarray:
    return CENTRES[centre] + np.random.default_rng(seed + 10 * centre).normal(0, spread, (n, 2))


def clouds(n: int = 60) -> np.ndarray:
    return np.concatenate([cloud(centre, n - 10 * centre) for centre in range(3)])


def fitted(kind: str, X: np.ndarray) -> PowerLawMeans:
    return PowerLawMeans(random_state=0, **KINDS[kind]).fit(X)


@cache
def fitted_to_clouds(kind: str) -> PowerLawMeans:
    return fitted(kind, clouds())


@pytest.fixture(params=KINDS)
def model(request):
    return deepcopy(fitted_to_clouds(request.param))


@pytest.fixture
def diagonal():
    return deepcopy(fitted_to_clouds("diagonal"))


def test_ids_are_the_labels_after_a_fit(model):
    np.testing.assert_array_equal(model.cluster_ids_, np.arange(3))
    assert not hasattr(model, "changes_")


def test_no_change_changes_nothing(model):
    names = ("labels_", "objective_", "margins_", "cluster_evidence_", "cluster_centers_")
    before = {name: getattr(model, name) for name in names}
    model.update()
    for name, value in before.items():
        np.testing.assert_allclose(getattr(model, name), value, rtol=1e-3)
    assert model.changes_.to_frame().empty


def test_points_that_come_join_their_clusters(model):
    model.update(np.concatenate([cloud(1, 5, seed=7), cloud(2, 3, seed=7)]))
    ids = ids_of(model)
    np.testing.assert_array_equal(ids, np.repeat([0, 1, 2, 1, 2], [60, 50, 40, 5, 3]))
    table = model.changes_.to_frame()
    assert list(table.change) == ["grown", "grown"]
    assert list(table.after) == [55, 43]
    assert list(model.cluster_sizes_) == [60, 55, 43]


def test_points_that_come_found_a_cluster(model):
    model.update(cloud(3, 25))
    assert set(ids_of(model)[150:]) == {3}
    assert list(model.changes_.change) == ["born"]
    # It is now the last but one in size, and the ids know.
    np.testing.assert_array_equal(model.cluster_ids_, [0, 1, 2, 3])
    model.update(cloud(3, 50, seed=5))
    np.testing.assert_array_equal(model.cluster_ids_, [3, 0, 1, 2])


def test_two_clusters_come_at_once(model):
    far = cloud(3, 20) + 60
    model.update(np.concatenate([cloud(3, 30), far]))
    ids = ids_of(model)
    assert len(set(ids[150:180])) == len(set(ids[180:])) == 1
    assert model.n_clusters_ == 5
    assert list(model.changes_.change) == ["born", "born"]


def test_cluster_whose_points_go_dies_and_its_id_is_not_used_again(model):
    model.update(removed=np.arange(60, 110))
    table = model.changes_.to_frame()
    assert [*table[["id", "change", "before", "after"]].iloc[0]] == [1, "died", 50, 0]
    assert len(table) == 1
    assert len(model.labels_) == 100
    model.update(cloud(1, 30, seed=3))
    assert 1 not in model.cluster_ids_
    assert model.cluster_ids_[model.labels_[-30:]].min() == 3


def test_rows_come_and_go_in_one_update(model):
    model.update(cloud(3, 20), removed=[0, 149])
    np.testing.assert_array_equal(ids_of(model), np.repeat([0, 1, 2, 3], [59, 50, 39, 20]))
    assert set(model.changes_.change) == {"shrunk", "born"}


def test_points_between_two_clusters_join_them():
    rng = np.random.default_rng(0)
    left, right = rng.normal(0, 1, (60, 2)), rng.normal((6, 0), 1, (50, 2))
    model = fitted("diagonal", np.concatenate([left, right, cloud(2, 40)]))
    assert model.n_clusters_ == 3
    model.update(rng.normal((3, 0), (2.5, 1), (1500, 2)))
    assert "merged" in set(model.changes_.change)


def test_points_that_make_two_of_a_cluster_split_it():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (30, 2)), cloud(2, 100)])
    few = rng.normal((3.2, 0), 0.3, (4, 2))
    model = fitted("diagonal", np.concatenate([X, few]))
    joint = model.labels_[-4:]
    model.update(rng.normal((3.2, 0), 0.3, (60, 2)))
    labels = model.labels_
    assert len(set(joint)) == 1
    # Old points that were put elsewhere follow.
    assert set(labels[130:134]) == set(labels[134:])
    assert labels[134] != labels[0]


def test_result_is_that_of_a_model_fitted_to_all(model):
    """Attributes that need no search agree with a fit that starts, and ends, there."""
    model.update(np.concatenate([cloud(0, 6, seed=1), cloud(3, 30)]), removed=[3])
    X = model._kept
    again = PowerLawMeans(**{**model.get_params(), "init": model.labels_}).fit(X)
    np.testing.assert_array_equal(again.labels_, model.labels_)
    np.testing.assert_allclose(again.cluster_centers_, model.cluster_centers_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    if again.tradeoff_ == model.tradeoff_:  # k-means estimates it at other labels
        assert again.objective_ == pytest.approx(model.objective_, rel=1e-3)
        np.testing.assert_allclose(again.margins_, model.margins_, rtol=0.1)
    if hasattr(model, "description_length_"):
        assert again.description_length_ == pytest.approx(model.description_length_, rel=1e-3)


def test_path_never_rises_and_ends_at_the_objective(model):
    model.update(cloud(3, 30))
    path = model.objective_path_
    assert np.all(np.diff(path) <= 1e-9 * np.abs(path[:-1]))
    assert path[-1] == model.objective_


def test_units_do_not_matter():
    X, new = clouds(), cloud(3, 20)
    units, origin = np.array([1e-3, 1e4]), np.array([5.0, -2.0])
    one = fitted("diagonal", X).update(new)
    two = fitted("diagonal", X * units + origin).update(new * units + origin)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    difference = len(one.labels_) * np.log(units).sum()
    assert two.objective_ - difference == pytest.approx(one.objective_, rel=1e-6)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_features_that_were_constant_count_once_they_vary(covariance):
    X = np.column_stack([clouds(), np.full(150, 2.0)])
    model = fitted(covariance, X)
    model.update(np.column_stack([cloud(0, 40, seed=4), np.random.default_rng(1).normal(9, 1, 40)]))
    assert set(ids_of(model)[150:]) == {3}


def test_half_a_nat_does_not_move_a_point_but_inertia_may_be_lower():
    """A point that is moved at no inertia stays if the gain is below it."""
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.normal(0, 1, (200, 1)), rng.normal(3.5, 1, (200, 1))])
    new = rng.normal(2.5, 0.5, (80, 1))
    moved = {}
    for inertia in (0.0, 0.5, 1e6):
        model = PowerLawMeans("kmeans", tradeoff=4.0, random_state=0).fit(X)
        old = model.labels_
        model.update(new, inertia=inertia)
        moved[inertia] = int(np.sum(ids_of(model)[:400] != old))
    assert moved[1e6] == 0
    assert moved[0.0] >= moved[0.5]
    assert moved[0.0] > 0


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 1000), inertia=st.floats(0, 5), k=st.integers(1, 5))
def test_moves_of_visited_points_gain_more_than_the_inertia(seed, inertia, k):
    rng = np.random.default_rng(seed)
    points = Points(rng.normal(0, 3, (40, 2)))
    objective = Objective(KMeans(2), Regulariser(PitmanYor(1.0, 0.2), 2.0))
    labels = rng.integers(k, size=40).astype(LABEL)
    visited = rng.random(40) < 0.5
    search = Multilevel(points, objective, random=rng, visited=visited, inertia=inertia)
    after = search.improve(labels)
    # Points that are not visited keep their company.
    still = ~visited
    for label in set(labels[still]):
        assert len(set(after[still & (labels == label)])) == 1
    assert len(set(zip(labels[still], after[still], strict=True))) == len(set(after[still]))
    # No visited point could gain more than the inertia.
    at_most = objective.value(points.aggregate(after, after.max() + 1, "total")) - inertia
    for i in np.flatnonzero(visited):
        for target in range(after.max() + 2):
            moved = after.copy()
            moved[i] = target
            compact = np.unique(moved, return_inverse=True)[1].astype(LABEL)
            clusters = points.aggregate(compact, compact.max() + 1, "total")
            assert objective.value(clusters) >= at_most - 1e-6


def test_same_labels_for_any_number_of_threads_and_again():
    X, _ = make_blobs(26_000, n_features=3, random_state=0)
    first = PowerLawMeans("kmeans", tradeoff=20.0, random_state=0).fit(X[:25_000])
    results = []
    for n_jobs in (1, 2, 2):
        model = PowerLawMeans("kmeans", tradeoff=20.0, random_state=0, n_jobs=n_jobs)
        model.init = first.labels_
        model.fit(X[:25_000]).update(X[25_000:25_500]).update(X[25_500:])
        results.append(model)
    for model in results[1:]:
        np.testing.assert_array_equal(model.labels_, results[0].labels_)
        assert model.objective_ == results[0].objective_


def test_loaded_model_is_given_its_points_and_goes_on_as_the_other(model, tmp_path):
    model.update(cloud(3, 20))
    points = model._kept
    powercut.save(tmp_path / "model.npz", model=model)
    again = powercut.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(again.cluster_ids_, model.cluster_ids_)
    more = cloud(1, 9, seed=8)
    with pytest.raises(ValueError, match="no points in memory: pass those before the update"):
        again.update(more)
    with pytest.raises(ValueError, match="points are not those that the model was fitted to"):
        again.update(more, points=points[::-1])
    again.update(more, points=points)
    model.update(more)
    for name in ("labels_", "cluster_ids_", "margins_", "objective_path_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
    with pytest.raises(ValueError, match="only for a model that does not have them"):
        model.update(more, points=points)


def test_points_that_were_changed_since_the_fit_are_not_used():
    X = clouds()
    model = fitted("diagonal", X)
    X[3] += 1
    with pytest.raises(ValueError, match="X of the fit was changed since"):
        model.update(cloud(0, 3))


def test_mapped_points_are_not_kept(tmp_path):
    np.save(tmp_path / "points.npy", clouds())
    mapped = np.load(tmp_path / "points.npy", mmap_mode="r")
    model = fitted("diagonal", mapped)
    with pytest.raises(ValueError, match="no points in memory"):
        model.update(cloud(0, 3))
    model.update(cloud(0, 3), points=clouds())
    model.update(cloud(0, 3, seed=1))  # now it has them


def test_points_that_come_have_weights():
    X = clouds()
    model = PowerLawMeans("kmeans", tradeoff=20.0, random_state=0).fit(X)
    model.update([[100.0, 100.0], [0.0, 0.0]], sample_weight=[2.0, 1000.0])
    assert np.abs(model.cluster_centers_[0]).max() < 0.01
    assert model.n_clusters_ == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"inertia": -1}, "inertia == -1, must be >= 0"),
        ({"removed": [150]}, "removed has row 150; rows are numbered from 0 to 149"),
        ({"removed": [-1]}, "removed has row -1"),
        ({"removed": [1, 1]}, "removed has row 1 more than once"),
        ({"removed": [0.5]}, "removed must be a list of row numbers"),
        ({"removed": np.ones(150, dtype=bool)}, "removed must be a list of row numbers"),
        ({"removed": np.arange(150)}, "none are left to cluster"),
        ({"X": [[1.0, 2.0, 3.0]]}, "3 features, but PowerLawMeans is expecting 2"),
        ({"X": [[np.nan, 2.0]]}, "contains NaN"),
        ({"X": [[1e200, 2.0]]}, "overflow"),
        ({"X": [[1.0, 2.0]], "sample_weight": [1.0]}, "score='gaussian' has no weights"),
    ],
)
def test_errors_leave_the_model_as_it_was(diagonal, arguments, message):
    before = dict(vars(diagonal))
    with pytest.raises(ValueError, match=message):
        diagonal.update(**arguments)
    assert vars(diagonal).keys() == before.keys()
    assert all(vars(diagonal)[name] is value for name, value in before.items())


def test_all_points_may_be_replaced(model):
    model.update(cloud(3, 40), removed=np.arange(150))
    assert len(model.labels_) == 40
    assert set(model.changes_.change) >= {"died", "born"}
    assert min(model.cluster_ids_) >= 3


def test_a_fit_forgets_updates(model):
    model.update(cloud(3, 30)).fit(clouds())
    np.testing.assert_array_equal(model.cluster_ids_, np.arange(3))
    assert not hasattr(model, "changes_")


def test_lloyd_and_models_without_a_fit_have_no_update():
    with pytest.raises(NotFittedError):
        PowerLawMeans().update(clouds())
    model = PowerLawMeans("kmeans", algorithm="lloyd", tradeoff=20.0).fit(clouds())
    with pytest.raises(ValueError, match="update needs algorithm='multilevel'"):
        model.update(cloud(0, 3))


def test_update_stops_in_time(diagonal):
    model = diagonal.set_params(max_seconds=0)
    with pytest.warns(ConvergenceWarning, match="stopped early"):
        model.update(cloud(1, 9, seed=3))
    np.testing.assert_array_equal(ids_of(model)[150:], 1)
    assert model.stopped_early_


def test_updates_follow_a_mixture_as_well_as_fits():
    """Ten steps: J stays within .2% of a fit's, and at least 99% of the points keep their id."""
    X, _ = make_blobs(6000, n_features=4, random_state=3)
    steps = np.split(np.random.default_rng(0).permutation(6000), 5400 + 60 * np.arange(10))
    model = PowerLawMeans(random_state=0).fit(X[steps[0]])
    for step in steps[1:]:
        before = ids_of(model)
        model.update(X[step])
        assert np.mean(ids_of(model)[: len(before)] == before) > 0.99
    again = PowerLawMeans(random_state=0).fit(model._kept)
    assert model.objective_ < again.objective_ + 0.002 * abs(again.objective_)
