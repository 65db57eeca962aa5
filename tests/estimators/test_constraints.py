"""Constraints of a fit: `fixed`, `must_link` and `cannot_link`."""

import warnings
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import normalized_mutual_info_score

import powercut
from known_clusters import drawn, violations
from powercut import Graph, PowerLawClusters, PowerLawCut, power_law_cut
from powercut.datasets import make_block_graph
from powercut.graphs import level as levels
from powercut.graphs.level import Level
from powercut.partition import canonical_labels

pytestmark = pytest.mark.usefixtures("eight_cores")

GRAPH, TRUTH = make_block_graph(400, degree=12, mixing=0.3, random_state=0)
SCORES = pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"tradeoff": 1.5},
        {"connected": False},
        {"score": "modularity", "tradeoff": 1.0},
        {"score": "ncut"},
    ],
)


def fit(graph: Any = GRAPH, known: dict[str, Any] | None = None, **parameters: Any) -> PowerLawCut:
    return PowerLawCut(random_state=0, **parameters).fit(graph, **(known or {}))


@SCORES
@pytest.mark.parametrize("kept", ["fixed", "must_link", "cannot_link", None])
def test_constraints_are_kept(parameters: dict[str, Any], kept: str | None) -> None:
    random = np.random.default_rng(1)
    # Of labels that have nothing to do with the graph.
    known = drawn(random, random.integers(0, 9, 400), 40)
    if kept is not None:
        known = {kept: known[kept]}
    free = fit(**parameters)
    assert violations(free.labels_, known)
    for n_jobs in (1, 2, 8):
        model = fit(GRAPH, known, n_jobs=n_jobs, **parameters)
        assert violations(model.labels_, known) == 0
        np.testing.assert_array_equal(model.labels_, canonical_labels(model.labels_))
        if n_jobs == 1:
            first = model
        np.testing.assert_array_equal(model.labels_, first.labels_)


@given(st.integers(0, 2**32), st.sampled_from([5, 12, 40]), st.sampled_from([1, 3, 12]))
@settings(deadline=None, derandomize=True, max_examples=40)
def test_random_graphs_keep_random_constraints(seed: int, n: int, m: int) -> None:
    random = np.random.default_rng(seed)
    upper = np.triu(random.random((n, n)) < random.choice([0.1, 0.4, 0.9]), 1)
    if random.random() < 0.5:
        upper = upper * random.uniform(0.1, 3, (n, n))
    graph = Graph((upper + upper.T).astype(float))
    known = drawn(random, random.integers(0, random.integers(1, n), n), m)
    score = random.choice(["likelihood", "likelihood", "modularity", "rcut"])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "no cluster|One cluster|.*one cluster")
        found = [fit(graph, known, score=score, n_jobs=jobs).labels_ for jobs in (1, 2, 8)]
    assert violations(found[0], known) == 0
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


@SCORES
def test_without_constraints_labels_are_the_same(parameters: dict[str, Any]) -> None:
    free = fit(**parameters)
    none = {"fixed": np.full(400, -1), "must_link": [], "cannot_link": np.empty((0, 2), int)}
    np.testing.assert_array_equal(fit(GRAPH, none, **parameters).labels_, free.labels_)
    np.testing.assert_array_equal(fit(GRAPH, {"fixed": {}}, **parameters).labels_, free.labels_)


@SCORES
def test_constraints_that_hold_already_change_little(parameters: dict[str, Any]) -> None:
    free = fit(**parameters)
    known = drawn(np.random.default_rng(2), free.labels_, 60)
    again = fit(GRAPH, known, **parameters)
    assert again.objective_ == pytest.approx(free.objective_, rel=0.01)


@pytest.mark.parametrize("score", ["modularity", "ncut", "cpm"])
def test_j_is_not_above_that_of_the_start_without_conflicts(score: str) -> None:
    parameters = {"score": score, "tradeoff": 0.1, "connected": False}
    start = fit(**parameters).labels_
    random = np.random.default_rng(3)
    for _ in range(5):
        known = {"cannot_link": random.integers(0, 400, (200, 2))}
        known["cannot_link"] = known["cannot_link"][np.diff(known["cannot_link"]).ravel() != 0]
        model = fit(GRAPH, known, init=start, **parameters)
        repaired = start.copy()
        for at, node in enumerate(sorted(set(known["cannot_link"].ravel()))):
            repaired[node] = start.max() + 1 + at
        objective = model._posterior.objective
        level = Level.finest(GRAPH)
        k = int(repaired.max()) + 1
        j = level.objective(repaired, k, objective) + objective.regulariser.constant(400)
        assert model.objective_ <= j
        assert (np.diff(model.objective_path_) <= 1e-9 * abs(j)).all()


def test_objective_is_that_of_all_nodes() -> None:
    known = drawn(np.random.default_rng(4), TRUTH, 60)
    for parameters in ({}, {"score": "modularity", "tradeoff": 1.0}):
        model = fit(GRAPH, known, **parameters)
        objective, stats = model._posterior.objective, model._posterior.stats
        assert model.objective_ == pytest.approx(objective.value(stats), rel=1e-9)
        assert stats.counts.sum() == 400


@pytest.mark.parametrize("seed", [1, 2])
def test_known_labels_help_to_find_the_others(seed: int) -> None:
    graph, truth = make_block_graph(2000, degree=10, mixing=0.6, random_state=seed)
    fixed = np.where(np.random.default_rng(0).random(2000) < 0.2, truth, -1)
    unknown = fixed == -1
    free, known = (
        normalized_mutual_info_score(truth[unknown], fit(graph, constraints).labels_[unknown])
        for constraints in ({}, {"fixed": fixed})
    )
    assert known > free + 0.03


def test_fixed_labels_are_ids_of_clusters() -> None:
    fixed = np.where(np.random.default_rng(0).random(400) < 0.1, 10 * TRUTH + 5, -1)
    model = fit(GRAPH, {"fixed": fixed})
    ids = model.cluster_ids_[model.labels_]
    np.testing.assert_array_equal(ids[fixed >= 0], fixed[fixed >= 0])
    assert len(np.unique(model.cluster_ids_)) == model.n_clusters_
    others = np.setdiff1d(model.cluster_ids_, fixed)
    assert len(others) == 0 or others.min() > fixed.max()
    assert fit().cluster_ids_.tolist() == list(range(fit().n_clusters_))


def test_nodes_have_names() -> None:
    graph = nx.les_miserables_graph()
    model = fit(
        graph,
        {
            "fixed": {"Valjean": 0, "Javert": 1, "Cosette": 0},
            "must_link": [["Marius", "Enjolras", "Gavroche"], ["Fantine", "Cosette"]],
            "cannot_link": pd.DataFrame({"a": ["Marius"], "b": ["Cosette"]}),
        },
    )
    of = dict(zip(model.node_names_, model.cluster_ids_[model.labels_], strict=True))
    assert of["Valjean"] == of["Cosette"] == of["Fantine"] == 0
    assert of["Javert"] == 1
    assert of["Marius"] == of["Enjolras"] == of["Gavroche"] != of["Cosette"]


def test_numbers_may_be_names() -> None:
    graph = Graph.from_edges(pd.DataFrame({"u": [10, 10, 20, 30], "v": [20, 30, 30, 40]}))
    assert graph.names is not None
    model = fit(graph, {"cannot_link": [[10, 20]], "must_link": np.array([[30, 40]])})
    assert model.labels_[0] != model.labels_[1]
    assert model.labels_[2] == model.labels_[3]
    with pytest.raises(ValueError, match="cannot_link has 0, which is not a node"):
        fit(graph, {"cannot_link": [[0, 10]]})


def test_linked_nodes_count_as_connected() -> None:
    A = np.kron(np.eye(2), np.ones((8, 8)) - np.eye(8))
    assert fit(A).n_clusters_ == 2
    model = fit(A, {"must_link": [[0, 8]]})
    assert model.labels_[0] == model.labels_[8]
    lonely = np.zeros((17, 17))
    lonely[:16, :16] = A
    assert fit(lonely, {"must_link": [[3, 16]]}).labels_.tolist() == [0] * 8 + [1] * 8 + [0]


@pytest.mark.parametrize("tradeoff", ["auto", 1.0, 6.0])
def test_graphs_of_neighbours_keep_constraints(tradeoff: Any) -> None:
    random = np.random.default_rng(5)
    graph = powercut.neighbors.graph(random.normal(size=(600, 3)))
    known = drawn(random, random.integers(0, 5, 600), 30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fit(graph, known, tradeoff=tradeoff)
    assert violations(model.labels_, known) == 0
    if tradeoff == "auto":
        assert model.tradeoff_ > 1.1


def test_large_graphs_keep_constraints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "LARGE", 100)
    monkeypatch.setattr(levels, "MANY_NODES", 100)
    random = np.random.default_rng(6)
    for truth in (TRUTH, random.integers(0, 9, 400)):
        known = drawn(random, truth, 40)
        one, two = (fit(GRAPH, known, n_jobs=n_jobs).labels_ for n_jobs in (1, 2))
        assert violations(one, known) == 0
        np.testing.assert_array_equal(one, two)


@SCORES
def test_start_may_break_constraints(parameters: dict[str, Any]) -> None:
    known = drawn(np.random.default_rng(7), TRUTH, 60)
    for init in (np.zeros(400, dtype=int), np.arange(400), TRUTH):
        assert violations(fit(GRAPH, known, init=init, **parameters).labels_, known) == 0


@pytest.mark.filterwarnings("ignore:.*time limit|.*max_seconds")
@SCORES
def test_constraints_are_kept_when_time_is_up(parameters: dict[str, Any]) -> None:
    random = np.random.default_rng(8)
    known = drawn(random, random.integers(0, 9, 400), 40)
    for seconds in (0, 1e-4, 1e-3, 1e-2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = fit(GRAPH, known, max_seconds=seconds, **parameters)
        assert violations(model.labels_, known) == 0


def test_margins_tell_where_only_a_constraint_holds_a_node() -> None:
    A = np.kron(np.eye(2), np.ones((12, 12)) - np.eye(12))
    A[0, 12] = A[12, 0] = 1
    model = fit(A, {"fixed": {0: 1, 5: 0, 12: 1}})
    assert model.labels_[0] == model.labels_[12] != model.labels_[5]
    assert model.margins_[0] < 0
    assert model.margins_[5] > 0


def test_other_interfaces_pass_constraints_on() -> None:
    known = drawn(np.random.default_rng(9), TRUTH, 40)
    labels = fit(GRAPH, known).labels_
    np.testing.assert_array_equal(power_law_cut(GRAPH, random_state=0, **known), labels)
    model = PowerLawClusters(random_state=0).fit(GRAPH, **known)
    np.testing.assert_array_equal(model.labels_, labels)
    with pytest.raises(ValueError, match="prior_labels are for graphs, and X has vectors"):
        PowerLawClusters().fit(np.zeros((5, 2)), prior_labels={0: 1})


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"fixed": [0, 1]}, r"fixed has shape \(2,\); 400 labels are needed"),
        ({"fixed": np.full(400, -2)}, "fixed has -2 for node 0; labels are at least 0"),
        ({"fixed": {3: 2**53}}, "fixed has 9007199254740992 for node 3"),
        ({"fixed": np.zeros(400)}, "fixed must have integer labels, got dtype float64"),
        ({"fixed": {400: 1}}, "fixed has 400, which is not a node"),
        ({"fixed": {"ann": 1}}, "the nodes are integers, but fixed has strings"),
        ({"must_link": [0, 1]}, r"must_link\[0\] is 0; it must be a pair or a group"),
        ({"must_link": ["ab"]}, r"must_link\[0\] is 'ab'; it must be a pair or a group"),
        ({"must_link": 5}, "must_link must be a sequence of pairs or groups"),
        ({"must_link": [[0.5, 1]]}, "must_link must hold integer node ids"),
        ({"cannot_link": [[0, 1, 2]]}, r"cannot_link\[0\] has 3 nodes"),
        ({"cannot_link": [[0, -1]]}, "cannot_link has -1, which is not a node"),
        ({"cannot_link": pd.DataFrame(np.ones((2, 3), int))}, "must be a table of two columns"),
        (
            {"must_link": [[3, 5], [5, 7]], "cannot_link": [[7, 3]]},
            r"nodes 7 and 3 must link \(through 5\), but they cannot link",
        ),
    ],
)
def test_invalid_constraints_are_refused(known: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit(GRAPH, known)


def test_contradictions_are_told_by_name() -> None:
    known = {"fixed": {"Valjean": 0, "Javert": 1}, "must_link": [["Valjean", "Javert"]]}
    with pytest.raises(ValueError, match="nodes 'Valjean' and 'Javert' must link, but they are"):
        fit(nx.les_miserables_graph(), known)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"score": "ncut", "algorithm": "lloyd"}, "'lloyd' does not keep must_link"),
        ({"min_size": 3}, "min_size and must_link cannot be combined"),
        ({"max_size": 30}, "max_size and must_link cannot be combined"),
        ({"tree": True}, "levels of a tree do not keep must_link"),
    ],
)
def test_what_does_not_keep_constraints_is_refused(
    parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        fit(GRAPH, {"must_link": [[0, 1]]}, **parameters)


def test_clusters_are_connected_without_nodes_in_conflict() -> None:
    # What is left of the path without node 1 is not one cluster.
    A = np.zeros((3, 3))
    A[[0, 1, 1, 2], [1, 0, 2, 1]] = 1
    assert fit(A, {"cannot_link": [[0, 1]]}).labels_.tolist() == [1, 0, 0]
