"""Constraints of points that last through updates, and constraints that come with them."""

import warnings
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from changing_graphs import ids_of
from known_clusters import drawn, violations
from powercut import PowerLawClusters, PowerLawMeans, load, save
from powercut.datasets import make_blobs

X, TRUTH = make_blobs(200, n_features=4, random_state=0)
X = X.astype(np.float64)
# Labels of `fixed` in the random histories; ids of other clusters stay below.
FIRST_LABEL = 1000
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"covariance": "full"},
    {"score": "kmeans"},
    {"score": "kmeans", "tradeoff": 3.0},
)
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*do not pass as Gaussian"),
    pytest.mark.usefixtures("eight_cores"),
]


def fit(points: Any, n_jobs: int = 1, known: Any = None, **parameters: Any) -> PowerLawMeans:
    model = PowerLawMeans(random_state=0, n_jobs=n_jobs, **parameters)
    return model.fit(points, **(known or {}))


class History:
    """Points that come and go at random, and all that was ever said of them.

    Points have a name, and a true label, which has nothing to do with where they are, so nothing
    contradicts it.
    """

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.truth = self.random.integers(0, self.random.integers(2, 5), 200)
        self.place = self.random.normal(size=(200, 2)) + 6 * self.random.integers(0, 3, (200, 1))
        self.names = list(range(int(self.random.integers(8, 40))))
        self.next = len(self.names)
        self.links = nx.Graph()
        self.links.add_nodes_from(range(200))
        self.apart: list[tuple[int, int]] = []
        self.fixed: dict[int, int] = {}

    @property
    def points(self) -> np.ndarray:
        return self.place[self.names]

    def known(self, taken: set[int]) -> dict[str, Any]:
        """Say something of some points; not by labels that are taken."""
        row = {name: at for at, name in enumerate(self.names)}
        some = self.random.choice(self.names, (self.random.integers(0, 5), 2)).tolist()
        same = [(a, b) for a, b in some if self.truth[a] == self.truth[b]]
        others = [(a, b) for a, b in some if self.truth[a] != self.truth[b]]
        few = self.random.choice(self.names, self.random.integers(0, 3)).tolist()
        fixed = {name: FIRST_LABEL + int(self.truth[name]) for name in few}
        fixed = {name: label for name, label in fixed.items() if label not in taken}
        self.links.add_edges_from(same)
        self.links.add_edges_from((name, f"label {label}") for name, label in fixed.items())
        self.apart += others
        self.fixed |= fixed
        return {
            "fixed": {row[name]: label for name, label in fixed.items()},
            "must_link": [[row[a], row[b]] for a, b in same],
            "cannot_link": [[row[a], row[b]] for a, b in others],
        }

    def change(self, model: PowerLawMeans) -> tuple[np.ndarray, dict[str, Any]]:
        """Let points come and go, and say more; return arguments of `update`."""
        gone = self.random.choice(len(self.names), self.random.integers(0, 4), replace=False)
        new = list(range(self.next, self.next + int(self.random.integers(0, 8))))
        self.next += len(new)
        stay = [name for at, name in enumerate(self.names) if at not in gone]
        self.names = stay + new
        # Labels of which no point is left, and ids of clusters without fixed points.
        used = {*self.fixed.values(), *model.cluster_ids_.tolist()}
        taken = used - {self.fixed.get(name) for name in stay}
        return self.place[new], {"removed": gone, **self.known(taken)}

    def check(self, model: PowerLawMeans) -> None:
        """Check that the model keeps all that was said, also what points that went told."""
        cluster = dict(zip(self.names, model.labels_.tolist(), strict=True))
        group = {
            name: number
            for number, names in enumerate(nx.connected_components(self.links))
            for name in names
        }
        of_group: dict[int, set[int]] = {}
        for name, label in cluster.items():
            of_group.setdefault(group[name], set()).add(label)
        assert all(len(labels) == 1 for labels in of_group.values())
        for a, b in self.apart:
            one, other = (of_group.get(group[name], {-1 - name}) for name in (a, b))
            assert one != other
        ids = dict(zip(self.names, ids_of(model).tolist(), strict=True))
        for name, label in self.fixed.items():
            assert ids.get(name, label) == label


@pytest.mark.parametrize("parameters", OPTIONS)
@settings(deadline=None, derandomize=True, max_examples=8)
@given(seed=st.integers(0, 10**6))
def test_random_histories_keep_all_that_was_said_on_any_number_of_threads(
    tmp_path_factory: pytest.TempPathFactory, parameters: dict[str, Any], seed: int
) -> None:
    history, path = History(seed), tmp_path_factory.mktemp("models") / "model.npz"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = history.known(set())
        one, two = (fit(history.points, n, known, **parameters) for n in (1, 8))
        for _ in range(4):
            history.check(one)
            np.testing.assert_array_equal(one.labels_, two.labels_)
            np.testing.assert_array_equal(one.cluster_ids_, two.cluster_ids_)
            before = history.points
            save(path, model=one)
            new, change = history.change(one)
            two.update(new, **change)
            one = load(path).update(new, points=before, **change)
    history.check(one)
    np.testing.assert_array_equal(one.labels_, two.labels_)


def test_new_points_follow_what_is_known_of_them() -> None:
    model = fit(X)
    ids = ids_of(model)
    one, other = (np.flatnonzero(ids == label) for label in (0, 1))
    # The same points again, in the other cluster.
    model.update(X[one[:5]], fixed={**{200 + i: 1 for i in range(5)}, int(other[0]): 1})
    np.testing.assert_array_equal(ids_of(model)[200:], 1)
    assert ids_of(model)[other[0]] == 1
    # They stay there.
    model.update(X[one[5:9]], must_link=[[200, 205]])
    np.testing.assert_array_equal(ids_of(model)[200:206], 1)


def test_the_cluster_stays_with_points_that_were_fixed_before() -> None:
    labels = fit(X).labels_
    first, second = np.flatnonzero(labels == 0)[:2].tolist()
    members = np.flatnonzero(labels == 0)[2:]
    model = fit(X, known={"fixed": {first: 7}})
    np.testing.assert_array_equal(ids_of(model)[members], 7)
    # Another label for many new points in its place, and for an old one.
    new = np.repeat(X[first : first + 1], 30, axis=0)
    model.update(new, fixed={second: 99, **{200 + i: 99 for i in range(30)}})
    assert ids_of(model)[first] == 7
    assert ids_of(model)[second] == 99
    np.testing.assert_array_equal(ids_of(model)[200:], 99)
    assert np.mean(ids_of(model)[members] == 7) > 0.5


@pytest.mark.parametrize("n_jobs", [1, 2, 8])
def test_constraints_are_kept_at_any_size_of_an_update(n_jobs: int) -> None:
    random = np.random.default_rng(0)
    known = drawn(random, random.integers(0, 6, 200), 30)
    model = fit(X, n_jobs, known)
    model.update(X + 0.1)
    for name in ("must_link", "cannot_link"):
        assert violations(model.labels_, {name: known[name]}) == 0
    assert violations(model.labels_[:200], {"fixed": known["fixed"]}) == 0


def test_contradictions_leave_the_model_as_it_was(tmp_path: Path) -> None:
    model = fit(X, known={"must_link": [[0, 1]], "fixed": {5: 3}})
    save(tmp_path / "before.npz", model=model)
    for wrong, message in (
        ({"cannot_link": [[0, 1]]}, "points 0 and 1 must link, but they cannot link"),
        ({"fixed": {5: 4}}, "fixed has 4 for point 5, which is fixed at 3 already"),
        ({"fixed": {201: int(model.cluster_ids_.max())}}, "none of which is in the cluster of"),
        ({"must_link": [[0, 203]]}, "must_link has 203, which is not a point"),
    ):
        with pytest.raises(ValueError, match=message):
            model.update(X[:3], **wrong)
    save(tmp_path / "after.npz", model=model)
    before, after = (load(tmp_path / f"{name}.npz") for name in ("before", "after"))
    np.testing.assert_array_equal(before.labels_, after.labels_)
    np.testing.assert_array_equal(before.cluster_ids_, after.cluster_ids_)
    assert len(model.update(X[:3]).labels_) == 203


def test_gaussian_clusters_keep_constraints_too(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    truth = np.arange(300) % 3
    points = 7 * random.normal(size=(3, 4))[truth] + random.normal(size=(300, 4))
    known = drawn(random, random.integers(0, 4, 300), 20)
    model = PowerLawClusters(random_state=0).fit(points, **known)
    assert model.route_ == "gaussian"
    save(tmp_path / "model.npz", model=model)
    loaded = load(tmp_path / "model.npz").update(points[:9], points=points, cannot_link=[[0, 300]])
    model.update(points[:9], cannot_link=[[0, 300]])
    np.testing.assert_array_equal(model.labels_, loaded.labels_)
    assert violations(model.labels_[:300], known) == 0
    assert model.labels_[0] != model.labels_[300]
    rows = np.flatnonzero(known["fixed"] >= 0)
    np.testing.assert_array_equal(ids_of(model)[rows], known["fixed"][rows])
    with pytest.raises(ValueError, match="has no prior_labels"):
        model.update(prior_labels={0: 1})
