"""Prior labels through updates: nodes stay attracted, and what they cost stays in J."""

import warnings
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from powercut import PowerLawCut, load, save
from powercut.datasets import make_block_graph
from powercut.graphs import level as levels
from powercut.graphs.block_model import block_level
from powercut.graphs.prior_labels import PriorLabels
from powercut.search.known import Known
from powercut.search.objective import j_per_nat

NONE = np.empty((0, 2), dtype=np.intp)


def fit(graph: Any, n_jobs: int = 1, **known: Any) -> PowerLawCut:
    return PowerLawCut(random_state=0, n_jobs=n_jobs).fit(graph, **known)


def cliques(n: int, size: int = 8) -> nx.Graph:
    """Return cliques in a chain; node ``size * c`` begins clique c."""
    graph = nx.disjoint_union_all([nx.complete_graph(size)] * n)
    graph.add_edges_from((size * c + 1, size * (c + 1)) for c in range(n - 1))
    return graph


def of_names(model: PowerLawCut) -> dict[int, int]:
    names = range(len(model.labels_)) if model.node_names_ is None else model.node_names_
    return dict(zip(map(int, names), model.cluster_ids_[model.labels_].tolist(), strict=True))


def changes_of(
    model: PowerLawCut, random: np.random.Generator, labels: dict[int, int], linked: list[int]
) -> Any:
    """Return a random change, and apply what it says of prior labels to `labels`."""
    names = sorted(of_names(model))
    gone = random.choice([name for name in names if name not in linked], 2, replace=False).tolist()
    stay = [name for name in names if name not in gone]
    new = [max(names) + 1, max(names) + 2]
    wanted = [random.choice([*stay, *new], 2, replace=False) for _ in range(8)]
    wanted += [(name, random.choice(stay)) for name in new]
    u, v = np.unique(np.sort(wanted, axis=1), axis=0).T
    prior = {int(name): int(random.integers(4)) for name in random.choice([*stay, *new], 3)}
    for name in gone:
        labels.pop(name, None)
    labels |= prior
    return {
        "added": (u, v, np.ones(len(u))),
        "removed_nodes": gone,
        "prior_labels": prior,
        "refit": bool(random.random() < 0.2),
    }


def check(model: PowerLawCut, labels: dict[int, int], nats: float, linked: list[int]) -> None:
    """Compare J and the nodes that left with those computed from scratch; clusters connect."""
    ids = of_names(model)
    assert len({ids[name] for name in linked}) == 1
    names = list(ids)
    prior = PriorLabels(
        np.array([labels.get(name, -1) for name in names]), nats, Known(None, NONE, NONE)
    )
    moved, homes = prior.moved(model.labels_), prior.homes(model.labels_)
    np.testing.assert_array_equal(model.prior_moved_, moved)
    objective = model._posterior.objective
    scale = j_per_nat(objective.regulariser.tradeoff)
    expected = objective.value(model._posterior.stats) + scale * nats * len(moved)
    assert model.objective_ == pytest.approx(expected, rel=1e-9)
    joined = nx.from_scipy_sparse_array(model._graph.adjacency)
    joined.remove_edges_from(
        [(u, v) for u, v in joined.edges if model.labels_[u] != model.labels_[v]]
    )
    joined.add_edges_from(pairwise(names.index(name) for name in linked))
    for label in range(model.n_clusters_):  # nodes at home count as connected
        at_home = np.flatnonzero((homes == label) & (model.labels_ == label))
        joined.add_edges_from(pairwise(at_home.tolist()))
    assert nx.number_connected_components(joined) == model.n_clusters_


def followed(seed: int, n_jobs: int, folder: Any = None) -> list[Any]:
    random, found = np.random.default_rng(seed), []
    graph, truth = make_block_graph(60, degree=6, mixing=0.3, random_state=seed % 100)
    labels = {int(node): int(truth[node]) for node in random.choice(60, 12, replace=False)}
    nats = float(random.choice([0.5, 5.0, 100.0]))
    linked = random.choice(60, 3, replace=False).tolist()
    model = fit(graph, n_jobs, prior_labels=dict(labels), prior_nats=nats, must_link=[linked])
    for _ in range(4):
        change = changes_of(model, random, labels, linked)
        if folder is not None:
            before = model._graph
            save(folder / "model.npz", model=model)
            model, change["graph"] = load(folder / "model.npz"), before
        model.update(**change)
        check(model, labels, nats, linked)
        found.append((of_names(model), model.objective_, model.margins_.tolist()))
    return found


@given(st.integers(0, 2**32), st.booleans())
@settings(deadline=None, derandomize=True, max_examples=15)
def test_random_histories_cost_what_their_labels_cost(
    tmp_path_factory: pytest.TempPathFactory, seed: int, is_large: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*one cluster")
        if is_large:
            patch.setattr(levels, "LARGE", 10)
            patch.setattr(levels, "MANY_NODES", 5)
        one = followed(seed, 1)
        assert one == followed(seed, 2)
        assert one == followed(seed, 1, tmp_path_factory.mktemp("models"))


def test_labels_that_cost_next_to_nothing_change_nothing() -> None:
    graph, truth = make_block_graph(400, degree=14, mixing=0.3, random_state=0)
    labels = np.where(np.random.default_rng(0).random(400) < 0.2, truth, -1)
    labels[graph.isolated] = -1
    change = {"added": ([0, 1, 2], [100, 101, 102]), "removed_nodes": [50, 60]}
    free = fit(graph).update(**change)
    model = fit(graph, prior_labels=labels, prior_nats=1e-9).update(**change)
    np.testing.assert_array_equal(model.labels_, free.labels_)


def test_a_label_that_comes_attracts_a_node_and_holds_it() -> None:
    between = cliques(2)
    between.add_edges_from([(100, 2), (100, 3), (100, 4), (100, 10), (100, 11)])
    model = fit(between)
    ids = of_names(model)
    assert ids[100] == ids[2] != ids[10]
    model.update(prior_labels={100: 5, 10: 5, 11: 5}, prior_nats=20.0)
    ids = of_names(model)
    assert ids[100] == ids[10] != ids[2]
    assert len(model.prior_moved_) == 0
    # An edge more to its old cluster does not outweigh the label, many do.
    model.update(added=([100], [5]))
    assert of_names(model)[100] == ids[10]
    model.update(added=(np.full(5, 100), [2, 3, 4, 6, 7], np.full(5, 40)))
    assert of_names(model)[100] == of_names(model)[2]
    assert [int(model.node_names_[node]) for node in model.prior_moved_] == [100]


def test_margins_tell_what_it_costs_to_leave_a_label() -> None:
    between = cliques(2)
    between.add_edges_from([(100, 2), (100, 3), (100, 4), (100, 10), (100, 11)])
    model = fit(between).update(prior_labels={100: 5, 10: 5, 11: 5}, prior_nats=20.0)
    names = [int(name) for name in model.node_names_]
    here, there = names.index(100), names.index(2)
    objective = model._posterior.objective

    def j(labels: np.ndarray, *, n_moved: int) -> float:
        stats = block_level(model._graph).cluster_stats(labels)
        return objective.value(stats) / j_per_nat(model.tradeoff_) + 20.0 * n_moved

    rises = []
    for label in (model.labels_[there], model.n_clusters_):  # to its neighbours there, or alone
        moved = model.labels_.copy()
        moved[here] = label
        rises.append(j(moved, n_moved=1) - j(model.labels_, n_moved=0))
    assert 0 < min(rises) < 20  # without the label it would leave
    assert model.margins_[here] == pytest.approx(min(rises), rel=1e-9)


def test_a_node_that_is_fixed_has_no_other_label_any_more() -> None:
    model = fit(cliques(2), prior_labels={0: 1, 1: 1, 9: 2}, prior_nats=3.0)
    model.update(fixed={0: 7})
    assert model._prior_labels[[0, 1, 9]].tolist() == [-1, 1, 2]
    with pytest.raises(ValueError, match="prior_labels has 1 for node 0, which is fixed at 7"):
        model.update(prior_labels={0: 1})
    model.update(removed_nodes=[1, 9])
    for name in ("_prior_labels", "_prior_nats", "prior_moved_"):
        assert not hasattr(model, name)


def test_nats_are_those_of_the_last_labels() -> None:
    model = fit(cliques(2), prior_labels={0: 1}, prior_nats=3.0)
    assert model.update(prior_labels={1: 1})._prior_nats == 3.0
    assert model.update(prior_labels={2: 1}, prior_nats=2.0)._prior_nats == 2.0
    model.update(refit=True)
    assert model._prior_labels[:4].tolist() == [1, 1, 1, -1]
    assert model._prior_nats == 2.0
    assert model.update(prior_nats=4.0)._prior_nats == 4.0
    assert model.update(prior_labels={0: -1}, prior_nats=5.0)._prior_nats == 5.0
    assert model._prior_labels[:4].tolist() == [1, 1, 1, -1]
    with pytest.raises(ValueError, match="prior_nats must be above 0"):
        model.update(prior_nats=0.0)


def test_what_cannot_be_told_with_prior_labels_is_refused() -> None:
    model = fit(cliques(2), prior_labels={0: 1}).update(removed_nodes=[15])
    with pytest.raises(AttributeError, match="there is no drift_ with prior labels"):
        _ = model.drift_
    for refit in ("warn", "auto"):
        with pytest.raises(ValueError, match="cannot tell what prior_labels hold back"):
            model.update(refit=refit)
        with pytest.raises(ValueError, match="cannot tell what prior_labels hold back"):
            fit(cliques(2)).update(prior_labels={0: 1}, refit=refit)
    merged = PowerLawCut(random_state=0, tradeoff=2.0).fit(cliques(4))
    with pytest.raises(ValueError, match=r"tradeoff=2\.0 merges clusters"):
        merged.update(prior_labels={0: 1})
    with pytest.raises(ValueError, match="prior_nats is what prior_labels cost"):
        fit(cliques(2)).update(prior_nats=2.0)


@pytest.mark.filterwarnings("ignore:No more than one cluster:UserWarning")
def test_an_empty_graph_has_no_labels_left() -> None:
    model = fit(cliques(1), prior_labels={0: 1})
    model.update(removed_nodes=np.arange(8))
    assert len(model.labels_) == 0
    assert not hasattr(model, "prior_moved_")
