"""What a fit would gain over updates, and fits that keep ids."""

import warnings

import numpy as np
import pytest

import powercut
from changing_graphs import cliques, edges_of_graph, ids_of, pairs, replaced
from powercut import PowerLawCut
from powercut.datasets import make_block_graph
from powercut.estimators._graph_refit import LOOK
from powercut.estimators.drift import WORTH

STILL = 1e9  # inertia at which no node moves


def crossed(graph, share, seed=0):
    """Return changes that exchange the ends of some edges, which blurs all clusters."""
    random = np.random.default_rng(seed)
    u, v = edges_of_graph(graph)
    some = random.permutation(len(u))[: int(share * len(u))]
    new = u[some], random.permutation(v[some])
    there = graph.adjacency[new].astype(bool) | (new[0] == new[1])
    pair = np.stack([np.minimum(*new), np.maximum(*new)], axis=1)
    first = np.zeros(len(some), dtype=bool)
    first[np.unique(pair, axis=0, return_index=True)[1]] = True
    kept = ~there & first
    return {"added": tuple(e[kept] for e in new), "removed": (u[some[kept]], v[some[kept]])}


@pytest.fixture(scope="module")
def graph():
    return make_block_graph(1500, degree=6, mixing=0.3, random_state=0)[0]


def drifted(graph, **how):
    """Return a model whose nodes stayed where they were through a large change."""
    model = PowerLawCut(random_state=0).fit(graph)
    return model.update(**crossed(graph, 0.1), inertia=STILL, **how)


def test_there_is_no_drift_after_a_fit(graph):
    drift = PowerLawCut(random_state=0).fit(graph).update().drift_
    assert drift.share < 1e-5
    assert not drift.is_due
    assert repr(drift).endswith("of the description: no refit is needed>")


@pytest.mark.parametrize("seed", range(3))
def test_drift_is_most_of_what_a_fit_gains(graph, seed):
    model = PowerLawCut(random_state=0).fit(graph)
    model.update(**crossed(graph, 0.3, seed), inertia=STILL)
    refit = PowerLawCut(random_state=0).fit(model._input.graph)
    gain = model.description_length_ - refit.description_length_
    assert gain > WORTH * model.description_length_
    assert 0.6 * gain < model.drift_.nats < 1.2 * gain
    assert model.drift_.share == pytest.approx(model.drift_.nats / model.description_length_)


def test_drift_of_large_graphs_is_most_of_what_a_fit_gains_too():
    # A round on all levels, as in small graphs, would gain more than a fit.
    graph, _ = make_block_graph(40_000, degree=28, mixing=0.2, random_state=0)
    model = PowerLawCut(random_state=0).fit(graph).update()
    assert model._level.is_large
    assert model.drift_.share < 1e-5
    model.update(**crossed(graph, 0.6), inertia=STILL)
    refit = PowerLawCut(random_state=0).fit(model._input.graph)
    gain = model.description_length_ - refit.description_length_
    assert gain > WORTH * model.description_length_
    assert 0.6 * gain < model.drift_.nats < 1.2 * gain


def test_drift_tells_that_the_other_model_is_better():
    graph, _ = make_block_graph(1500, degree=10, mixing=0.4, random_state=0)
    model = PowerLawCut(random_state=0).fit(graph)
    model.update(**crossed(graph, 0.3), inertia=STILL)
    refit = PowerLawCut(random_state=0).fit(model._input.graph)
    assert refit.degree_corrected_ > model.degree_corrected_
    assert model.drift_.nats > 0.8 * (model.description_length_ - refit.description_length_)


def test_drift_is_that_of_the_last_update(graph):
    model = PowerLawCut(random_state=0).fit(graph).update()
    first = model.drift_
    model.update(**crossed(graph, 0.1), inertia=STILL)
    assert model.drift_.nats > first.nats
    assert model.fit(graph).update().drift_ == first


def test_automatic_refit_is_a_fit_that_keeps_ids(graph):
    updated, model = drifted(graph), drifted(graph, refit="auto")
    assert updated.drift_.is_due
    fitted = PowerLawCut(random_state=0).fit(updated._input.graph)
    np.testing.assert_array_equal(model.labels_, fitted.labels_)
    assert model.description_length_ == fitted.description_length_
    assert not model.drift_.is_due
    before = PowerLawCut(random_state=0).fit(graph).labels_
    expected = powercut.match(before, fitted.labels_)
    np.testing.assert_array_equal(ids_of(model), expected.ids)
    np.testing.assert_array_equal(model.changes_.change, expected.change)
    # New ids begin after all that were ever given.
    model.update(added=pairs(np.arange(1500, 1510)))
    assert model.cluster_ids_.max() >= expected.next_id


def test_no_refit_without_drift():
    A = cliques(5, 20)
    updated, model = (PowerLawCut(random_state=0).fit(A) for _ in range(2))
    changes = {"removed": pairs(np.arange(20, 28), np.arange(28, 40))}
    updated.update(**changes)
    model.update(**changes, refit="auto")
    assert not model.drift_.is_due
    np.testing.assert_array_equal(ids_of(model), ids_of(updated))
    assert model._untried.shape == (100,)  # which a fit does not leave


def test_refit_fits_in_any_case():
    A = cliques(5, 20)
    model = PowerLawCut(random_state=0).fit(A).update(removed=([21], [22]), refit=True)
    assert not hasattr(model, "_untried")
    np.testing.assert_array_equal(ids_of(model), np.arange(100) // 20)
    assert model.changes_.to_frame().empty


def test_refit_that_is_worth_it_is_told(graph):
    with pytest.warns(UserWarning, match=r"by about [\d,]+ nats, [\d.]+%: update with refit=True"):
        model = drifted(graph, refit="warn")
    np.testing.assert_array_equal(model.labels_, drifted(graph).labels_)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PowerLawCut(random_state=0).fit(graph).update(refit="warn")


def test_drift_is_estimated_when_enough_has_changed(graph, tmp_path):
    model = PowerLawCut(random_state=0).fit(graph)
    seen = []
    for step in range(4):
        old, added, removed = replaced(model._input.graph, 0.4 * LOOK, np.random.default_rng(step))
        del old, added
        model.update(removed=removed, refit="auto")
        seen.append("drift_" in vars(model))
        powercut.save(tmp_path / "model.npz", model=model)
        again, kept = powercut.load(tmp_path / "model.npz"), model._input.graph
        assert again._unseen == model._unseen
        model = again
        model._input.graph = kept
    # Each removes .2% of the edges.
    assert seen == [False] * 4
    model.update(**crossed(model._input.graph, LOOK), refit="auto")
    assert "drift_" in vars(model)
    assert model._unseen == 0


@pytest.mark.parametrize(
    ("parameters", "refit", "message"),
    [
        ({}, "often", 'refit must be False, "warn", "auto" or True, got \'often\''),
        ({"init": np.zeros(60, dtype=int)}, True, "refit needs init=None"),
        ({"tradeoff": 3.0}, "auto", 'refit="auto" needs tradeoff="auto"'),
    ],
)
@pytest.mark.filterwarnings("ignore:No more than one cluster")
def test_refits_that_cannot_be_are_refused(parameters, refit, message):
    model = PowerLawCut(random_state=0, **parameters).fit(cliques(5))
    labels = model.labels_
    with pytest.raises(ValueError, match=message):
        model.update(removed=([0], [1]), refit=refit)
    assert model.labels_ is labels


def test_no_drift_where_clusters_are_not_of_shortest_description():
    model = PowerLawCut(tradeoff=3.0, random_state=0).fit(cliques(5)).update()
    with pytest.raises(AttributeError, match="no drift_ at a given tradeoff above 1"):
        _ = model.drift_


def test_no_drift_before_an_update():
    for parameters in ({}, {"score": "ncut"}, {"max_size": 7}):
        model = PowerLawCut(random_state=0, **parameters).fit(cliques(5))
        with pytest.raises(AttributeError, match="no drift_ before an update"):
            _ = model.drift_
