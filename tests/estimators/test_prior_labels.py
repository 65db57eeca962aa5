"""Labels that attract nodes but do not bind them: `prior_labels` of a fit."""

import warnings
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import normalized_mutual_info_score

import powercut
from powercut import Graph, PowerLawClusters, PowerLawCut, power_law_cut
from powercut.datasets import make_block_graph
from powercut.disk import write_blocks
from powercut.graphs import level as levels
from powercut.graphs.prior_labels import PriorLabels
from powercut.search.known import Known
from powercut.search.objective import j_per_nat

pytestmark = pytest.mark.usefixtures("eight_cores")

GRAPH, TRUTH = make_block_graph(400, degree=14, mixing=0.3, random_state=0)
HARD, HARD_TRUTH = make_block_graph(2000, degree=10, mixing=0.6, random_state=1)
SCORES = pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"connected": False},
        {"score": "modularity", "tradeoff": 1.0},
        {"score": "ncut"},
    ],
)
NONE = np.empty((0, 2), dtype=np.intp)


def fit(graph: Any = GRAPH, parameters: dict[str, Any] | None = None, **known: Any) -> PowerLawCut:
    return PowerLawCut(random_state=0, **(parameters or {})).fit(graph, **known)


def seeds(
    truth: np.ndarray, share: float, wrong: float = 0.0, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Return labels of a share of the nodes, and which nodes have a wrong one."""
    random = np.random.default_rng(seed)
    labels = np.where(random.random(len(truth)) < share, truth, -1)
    nodes = np.flatnonzero(labels >= 0)
    some = nodes[random.random(len(nodes)) < wrong]
    labels[some] = random.choice(np.unique(labels[nodes]), len(some))
    return labels, np.flatnonzero((labels >= 0) & (labels != truth))


def with_prior_labels(
    model: PowerLawCut, labels: np.ndarray, nats: float, known: Known | None = None
) -> float:
    """Return J with what prior labels cost, from scratch."""
    moved = PriorLabels(labels, nats, known or Known(None, NONE, NONE)).moved(model.labels_)
    objective = model._posterior.objective
    scale = j_per_nat(objective.regulariser.tradeoff)
    return objective.value(model._posterior.stats) + scale * nats * len(moved)


@SCORES
def test_labels_that_cost_next_to_nothing_change_nothing(parameters: dict[str, Any]) -> None:
    labels, _ = seeds(TRUTH, 0.2, 0.3)
    labels[GRAPH.isolated] = -1  # those would join the cluster of their label
    free = fit(GRAPH, parameters)
    model = fit(GRAPH, parameters, prior_labels=labels, prior_nats=1e-9)
    np.testing.assert_array_equal(model.labels_, free.labels_)
    none = fit(GRAPH, parameters, prior_labels=np.full(400, -1))
    np.testing.assert_array_equal(none.labels_, free.labels_)
    assert not hasattr(none, "prior_moved_")


@SCORES
def test_labels_that_cost_a_lot_are_as_good_as_fixed(parameters: dict[str, Any]) -> None:
    labels, wrong = seeds(TRUTH, 0.2, 0.3)
    assert len(wrong) > 10
    bound = fit(GRAPH, parameters, fixed=labels)
    model = fit(GRAPH, parameters, prior_labels=labels, prior_nats=1e9)
    np.testing.assert_array_equal(model.labels_, bound.labels_)
    assert len(model.prior_moved_) == 0


@SCORES
@pytest.mark.parametrize("nats", [0.3, None, 30.0])
def test_objective_has_the_cost_of_prior_labels(
    parameters: dict[str, Any], nats: float | None
) -> None:
    labels, _ = seeds(TRUTH, 0.3, 0.3)
    model = fit(GRAPH, parameters, prior_labels=labels, prior_nats=nats)
    expected = with_prior_labels(model, labels, np.log(99) if nats is None else nats)
    assert model.objective_ == pytest.approx(expected, rel=1e-9)
    assert (np.diff(model.objective_path_) <= 0).all()
    homes = PriorLabels(labels, 1.0, Known(None, NONE, NONE)).homes(model.labels_)
    nodes = np.flatnonzero(labels >= 0)
    np.testing.assert_array_equal(model.prior_moved_, nodes[model.labels_[nodes] != homes[nodes]])


@SCORES
def test_threads_and_values_of_labels_do_not_matter(parameters: dict[str, Any]) -> None:
    labels, _ = seeds(TRUTH, 0.3, 0.3)
    first = fit(GRAPH, {**parameters, "n_jobs": 1}, prior_labels=labels, prior_nats=3.0)
    for n_jobs in (2, 8):
        again = fit(GRAPH, {**parameters, "n_jobs": n_jobs}, prior_labels=labels, prior_nats=3.0)
        np.testing.assert_array_equal(again.labels_, first.labels_)
    names = np.random.default_rng(0).permutation(1000)
    named = {int(i): int(names[labels[i]]) for i in np.flatnonzero(labels >= 0)[::-1]}
    again = fit(GRAPH, parameters, prior_labels=named, prior_nats=3.0)
    np.testing.assert_array_equal(again.labels_, first.labels_)
    np.testing.assert_array_equal(again.prior_moved_, first.prior_moved_)


def test_wrong_labels_are_left_and_right_ones_are_not() -> None:
    graph, truth = make_block_graph(2000, degree=14, mixing=0.4, random_state=0)
    labels, wrong = seeds(truth, 0.1, 0.1)
    model = fit(graph, prior_labels=labels)
    right = np.setdiff1d(np.flatnonzero(labels >= 0), wrong)
    assert np.isin(wrong, model.prior_moved_).mean() > 0.8
    assert np.isin(right, model.prior_moved_).mean() < 0.05
    assert normalized_mutual_info_score(truth, model.labels_) > 0.98


@pytest.mark.parametrize("wrong", [0.0, 0.1])
def test_labels_help_to_find_the_clusters_of_other_nodes(wrong: float) -> None:
    labels, _ = seeds(HARD_TRUTH, 0.2, wrong)
    unknown = labels == -1
    free, known = (
        normalized_mutual_info_score(HARD_TRUTH[unknown], model.labels_[unknown])
        for model in (fit(HARD), fit(HARD, prior_labels=labels))
    )
    assert known > free + 0.03


def test_a_move_of_one_node_to_the_best_other_cluster_costs_its_margin() -> None:
    labels, _ = seeds(TRUTH, 0.3, 0.3)
    model = fit(GRAPH, {"connected": False}, prior_labels=labels, prior_nats=3.0)
    without = fit(GRAPH, {"connected": False, "init": model.labels_}).margins_
    assert (model.margins_ > -1e-9).all()
    rise = np.where(np.isfinite(without), model.margins_, 0) - np.nan_to_num(without, posinf=0)
    at_home = np.setdiff1d(np.flatnonzero(labels >= 0), model.prior_moved_)
    assert np.median(rise[at_home]) == pytest.approx(3.0, abs=0.3)
    assert np.median(np.abs(rise[labels < 0])) < 0.1


def test_margins_of_fixed_nodes_tell_what_the_edges_say() -> None:
    A = np.kron(np.eye(2), np.ones((12, 12)) - np.eye(12))
    A[0, 12] = A[12, 0] = 1
    fixed = {0: 1, 5: 0, 12: 1}
    model = fit(A, fixed=fixed, prior_labels={6: 0, 13: 1})
    bound = fit(A, fixed=fixed)
    np.testing.assert_array_equal(model.labels_, bound.labels_)
    assert model.margins_[0] < 0
    rise = model.margins_ - bound.margins_
    assert rise[[6, 13]] == pytest.approx(np.log(99))
    assert np.delete(rise, [6, 13]) == pytest.approx(0, abs=1e-9)


def test_nodes_without_neighbours_join_the_cluster_of_their_label() -> None:
    A = np.zeros((18, 18))
    A[:8, :8] = A[8:16, 8:16] = 1
    np.fill_diagonal(A, 0)
    for connected in (True, False):
        parameters = {"score": "modularity", "tradeoff": 0.1, "connected": connected}
        model = fit(A, parameters, prior_labels={0: 5, 16: 5, 17: 6}, prior_nats=1e-3)
        assert model.labels_.tolist() == [0] * 8 + [1] * 8 + [0, 2]
        assert len(model.prior_moved_) == 0


@given(st.integers(0, 2**32), st.sampled_from([5, 12, 40]))
@settings(deadline=None, derandomize=True, max_examples=40)
def test_random_graphs_with_random_labels_and_constraints(seed: int, n: int) -> None:
    random = np.random.default_rng(seed)
    upper = np.triu(random.random((n, n)) < random.choice([0.1, 0.4, 0.9]), 1)
    if random.random() < 0.5:
        upper = upper * random.uniform(0.1, 3, (n, n))
    graph = Graph((upper + upper.T).astype(float))
    truth = random.integers(0, random.integers(1, n), n)
    pairs = random.integers(0, n, (6, 2))
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    fixed = np.where(random.random(n) < 0.2, truth, -1)
    labels = np.where((random.random(n) < 0.5) & (fixed < 0), random.integers(0, 5, n), -1)
    given = {"fixed": fixed, "must_link": pairs[same], "cannot_link": pairs[~same]}
    parameters = {
        "score": random.choice(["likelihood", "likelihood", "modularity", "rcut"]),
        "connected": bool(random.random() < 0.7),
    }
    nats = float(random.choice([1e-3, 2.0, 1e4]))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "no cluster|One cluster|.*one cluster")
        one, two = (
            fit(
                graph, {**parameters, "n_jobs": jobs}, prior_labels=labels, prior_nats=nats, **given
            )
            for jobs in (1, 2)
        )
    np.testing.assert_array_equal(one.labels_, two.labels_)
    found = one.labels_
    if labels.max() >= 0:
        constraints = Known(fixed if fixed.max() >= 0 else None, pairs[same], pairs[~same])
        expected = with_prior_labels(one, labels, nats, constraints)
        assert one.objective_ == pytest.approx(expected, rel=1e-7, abs=1e-7)
        assert (np.diff(one.objective_path_) <= 0).all()
    nodes = np.flatnonzero(fixed >= 0)
    together = fixed[nodes][:, None] == fixed[nodes]
    np.testing.assert_array_equal(together, found[nodes][:, None] == found[nodes])
    assert (found[pairs[same, 0]] == found[pairs[same, 1]]).all()
    assert (found[pairs[~same, 0]] != found[pairs[~same, 1]]).all()


def test_large_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "LARGE", 100)
    monkeypatch.setattr(levels, "MANY_NODES", 100)
    labels, _ = seeds(TRUTH, 0.3, 0.1)
    one, two = (fit(GRAPH, {"n_jobs": n_jobs}, prior_labels=labels) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.labels_, two.labels_)
    assert len(one.prior_moved_)
    bound = fit(GRAPH, fixed=labels)
    model = fit(GRAPH, prior_labels=labels, prior_nats=1e9)
    np.testing.assert_array_equal(model.labels_, bound.labels_)


def test_graphs_in_files_have_prior_labels_and_those_of_remote_workers_do_not(
    tmp_path: Path,
) -> None:
    labels, _ = seeds(TRUTH, 0.3, 0.3)
    write_blocks(tmp_path / "graph", GRAPH)
    model = fit(tmp_path / "graph", prior_labels=labels)
    np.testing.assert_array_equal(model.labels_, fit(GRAPH, prior_labels=labels).labels_)
    remote: Any = Graph(GRAPH.adjacency)
    remote.workers = object()
    with pytest.raises(ValueError, match="prior_labels need the graph in memory, or in files"):
        fit(remote, prior_labels=labels)


def test_graphs_of_neighbours_are_tempered() -> None:
    random = np.random.default_rng(5)
    X = np.concatenate([random.normal(size=(300, 3)), random.normal(8, 1, (300, 3))])
    graph = powercut.neighbors.graph(X)
    labels = np.where(random.random(600) < 0.1, np.repeat([0, 1], 300), -1)
    nodes = np.flatnonzero(labels >= 0)
    labels[nodes[0]] = 1
    model = fit(graph, prior_labels=labels)
    assert model.tradeoff_ > 1.1
    assert model.n_clusters_ == 2
    assert model.prior_moved_.tolist() == [nodes[0]]
    assert model.objective_ == pytest.approx(with_prior_labels(model, labels, np.log(99)))


@pytest.mark.filterwarnings("ignore:.*time limit|.*max_seconds")
def test_time_may_be_up_at_any_moment() -> None:
    labels, _ = seeds(TRUTH, 0.3, 0.3)
    for seconds in (0, 1e-3, 1e-2, 5e-2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = fit(GRAPH, {"max_seconds": seconds}, prior_labels=labels)
        assert len(model.labels_) == 400
        assert model.objective_ == pytest.approx(with_prior_labels(model, labels, np.log(99)))


def test_nodes_have_names() -> None:
    graph = nx.les_miserables_graph()
    model = fit(graph, prior_labels={"Valjean": 3, "Javert": 3, "Cosette": 4}, prior_nats=50.0)
    of = dict(zip(model.node_names_, model.labels_, strict=True))
    assert of["Valjean"] == of["Javert"] != of["Cosette"]


def test_other_interfaces_pass_prior_labels_on(tmp_path: Path) -> None:
    labels, _ = seeds(TRUTH, 0.3, 0.3)
    known = {"prior_labels": labels, "prior_nats": 2.0}
    model = fit(GRAPH, **known)
    assert len(model.prior_moved_)
    np.testing.assert_array_equal(power_law_cut(GRAPH, random_state=0, **known), model.labels_)
    other = PowerLawClusters(random_state=0).fit(GRAPH, **known)
    np.testing.assert_array_equal(other.labels_, model.labels_)
    moved, margins = model.prior_moved_, model.margins_
    for one in (model, other):
        np.testing.assert_array_equal(one.prior_moved_, moved)
        powercut.save(tmp_path / "model.npz", model=one)
        loaded = powercut.load(tmp_path / "model.npz")
        np.testing.assert_array_equal(loaded.prior_moved_, moved)
        np.testing.assert_array_equal(loaded.margins_, margins)
        one.update(removed_nodes=[0])
        loaded.update(removed_nodes=[0], graph=GRAPH)
        for name in ("labels_", "prior_moved_", "margins_"):
            np.testing.assert_array_equal(getattr(loaded, name), getattr(one, name))
    assert not hasattr(model.fit(GRAPH), "prior_moved_")
    assert not hasattr(other.fit(GRAPH), "prior_moved_")
    with pytest.raises(ValueError, match="prior_labels are for graphs, and X has vectors"):
        PowerLawClusters().fit(np.zeros((5, 2)), prior_labels=[0, 1, 0, 1, 0])


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"prior_labels": [0, 1]}, r"prior_labels has shape \(2,\); 400 labels are needed"),
        ({"prior_labels": np.full(400, -2)}, "prior_labels has -2 for node 0; labels are at least"),
        ({"prior_labels": np.zeros(400)}, "prior_labels must have integer labels, got dtype float"),
        ({"prior_labels": {400: 1}}, "prior_labels has 400, which is not a node"),
        ({"prior_labels": {0: 1}, "prior_nats": 0}, "prior_nats must be above 0, got 0"),
        ({"prior_labels": {0: 1}, "prior_nats": np.inf}, "prior_nats must be finite"),
        ({"prior_labels": {0: 1}, "prior_nats": "2"}, "prior_nats must be an instance of"),
        ({"prior_nats": 2.0}, "prior_nats is what prior_labels cost"),
        (
            {"prior_labels": {0: 1, 3: 2}, "fixed": {0: 1, 3: 4}},
            "prior_labels has 2 for node 3, which is fixed at 4",
        ),
    ],
)
def test_invalid_prior_labels_are_refused(known: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        fit(GRAPH, **known)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"score": "ncut", "algorithm": "lloyd"}, "'lloyd' does not keep prior_labels"),
        ({"min_size": 3}, "min_size and prior_labels cannot be combined"),
        ({"tree": True}, "levels of a tree do not keep prior_labels"),
        ({"tradeoff": 2.0}, "tradeoff=2.0 merges clusters, and does not move nodes"),
    ],
)
def test_what_does_not_support_prior_labels_is_refused(
    parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        fit(GRAPH, parameters, prior_labels={0: 1, 1: 1})
