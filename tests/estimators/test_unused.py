"""No parameter is ignored in silence: what a fit does not use, it refuses."""

from typing import Any

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsTransformer

from powercut import (
    Graph,
    PowerLawClusters,
    PowerLawCut,
    PowerLawKernelMeans,
    PowerLawMeans,
    neighbors,
    power_law_cut,
    tradeoff_path,
)
from powercut.baselines import NormalizedCut
from powercut.datasets import make_block_graph
from powercut.graphs.level import Level

X = np.random.default_rng(0).normal(size=(30, 2))
A = np.kron(np.eye(3), np.ones((10, 10)))
LABELS = np.zeros(30, dtype=int)
LLOYD: dict[str, Any] = {"tradeoff": 1.0, "algorithm": "lloyd"}

UNUSED = {
    "shift-likelihood": (PowerLawCut(shift=-0.2), A),
    "shift-modularity": (PowerLawCut("modularity", shift=0.0), A),
    "shift-cpm": (PowerLawCut("cpm", shift=-0.1), A),
    "resolution-likelihood": (PowerLawCut(resolution=1.0), A),
    "resolution-ncut": (PowerLawCut("ncut", resolution=2.0), A),
    "resolution-rcut": (PowerLawCut("rcut", resolution=2.0), A),
    "resolution-rassoc": (PowerLawCut("rassoc", resolution=2.0), A),
    "weights-ncut": (PowerLawCut("ncut", weights="counts"), A),
    "max_iter-multilevel": (PowerLawCut("ncut", max_iter=300), A),
    "n_init-lloyd": (PowerLawCut("ncut", algorithm="lloyd", shift=1.0, n_init=2), A),
    "n_init-init": (PowerLawCut(n_init=2, init=LABELS), A),
    "n_neighbors-precomputed": (PowerLawCut(n_neighbors=10), A),
    "n_neighbors-rbf": (PowerLawCut(affinity="rbf", n_neighbors=5), X),
    "gamma-precomputed": (PowerLawCut(gamma=1.0), A),
    "gamma-neighbors": (PowerLawCut(affinity="nearest_neighbors", gamma=0.5), X),
    "covariance-kmeans": (PowerLawMeans("kmeans", covariance="diagonal"), X),
    "max_iter-gaussian": (PowerLawMeans(max_iter=10), X),
    "max_iter-kmeans": (PowerLawMeans("kmeans", max_iter=10), X),
    "n_init-kmeans-lloyd": (PowerLawMeans("kmeans", n_init=2, **LLOYD), X),
    "n_init-kmeans-init": (PowerLawMeans("kmeans", n_init=2, init=LABELS), X),
    "max_iter-kernel": (PowerLawKernelMeans(max_iter=10), X @ X.T),
    "n_init-kernel-lloyd": (PowerLawKernelMeans(n_init=2, **LLOYD), X @ X.T),
    "gamma-spectral": (NormalizedCut(2, gamma=1.0), A),
    "n_neighbors-spectral": (NormalizedCut(2, affinity="rbf", n_neighbors=3), X),
}


@pytest.mark.parametrize("case", UNUSED)
def test_a_parameter_that_the_fit_does_not_use_is_refused(case: str) -> None:
    model, data = UNUSED[case]
    with pytest.raises(ValueError, match=rf"^{case.partition('-')[0]}=.* has no effect with "):
        model.fit(data)


@pytest.mark.parametrize("parameter", [{"scale": "none"}, {"outliers": "label"}])
def test_a_parameter_of_vectors_is_refused_for_a_graph(parameter: dict[str, str]) -> None:
    (name,) = parameter
    with pytest.raises(ValueError, match=f"^{name}=.* has no effect on a graph"):
        PowerLawClusters(**parameter).fit(Graph(A))


def test_the_message_names_the_choices_that_use_the_parameter() -> None:
    with pytest.raises(
        ValueError,
        match=r"^resolution=2.0 has no effect with score='likelihood': leave resolution out, or "
        r"use score='modularity' or score='cpm'\.$",
    ):
        power_law_cut(A, resolution=2.0)


def test_defaults_are_those_of_the_documentation() -> None:
    for score, parameter in {
        "ncut": {"shift": -0.2},
        "rcut": {"shift": -0.2},
        "modularity": {"resolution": 1.0},
        "cpm": {"resolution": 1.0},
    }.items():
        default = PowerLawCut(score, random_state=0).fit(A)
        explicit = PowerLawCut(score, random_state=0, **parameter).fit(A)
        assert default.objective_ == explicit.objective_
    for affinity, given in {
        "rbf": {"gamma": 1.0},
        "nearest_neighbors": {"n_neighbors": 10},
    }.items():
        matrices = [
            PowerLawCut("ncut", affinity=affinity, random_state=0, **parameters).fit(X)
            for parameters in ({}, given)
        ]
        one, other = (model.affinity_matrix_.toarray() for model in matrices)
        np.testing.assert_array_equal(one, other)
    objectives = {
        PowerLawMeans(random_state=0, init=np.arange(30) // 10, **parameters).fit(X).objective_
        for parameters in ({}, {"covariance": "diagonal"})
    }
    assert len(objectives) == 1


def test_more_starts_of_a_large_graph_are_not_ignored_in_silence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Level, "is_large", property(lambda self: self.n > 100))
    graph, _ = make_block_graph(300, random_state=0)
    with pytest.warns(UserWarning, match="n_init=2 has no effect: .* searched from one start"):
        PowerLawCut(n_init=2, tradeoff=1.0, random_state=0).fit(graph)


@pytest.mark.parametrize("parameters", [{"n_neighbors": 3}, {"metric": "cosine"}, {"n_jobs": 2}])
def test_a_transformer_has_its_own_parameters(parameters: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="has no effect on a transformer; set it in KNeighbors"):
        neighbors.graph(X, algorithm=KNeighborsTransformer(n_neighbors=4), **parameters)


def test_a_path_of_vectors_keeps_their_graph() -> None:
    estimator = PowerLawCut(affinity="nearest_neighbors", n_neighbors=5, n_init=2)
    path = tradeoff_path(X, estimator=estimator, tradeoffs=[1.0, 4.0], random_state=0)
    assert path.labels.shape == (2, 30)


def test_the_name_of_an_attribute_that_no_edge_has_is_refused() -> None:
    nx, ig = pytest.importorskip("networkx"), pytest.importorskip("igraph")
    theirs = nx.Graph([(0, 1, {"cost": 2.0}), (1, 2)])
    assert Graph.from_networkx(theirs, weight="cost").degrees.tolist() == [2.0, 3.0, 1.0]
    assert Graph.from_networkx(theirs).degrees.tolist() == [1.0, 2.0, 1.0]
    assert Graph.from_networkx(nx.empty_graph(2), weight="cost").n_nodes == 2
    assert Graph.from_igraph(ig.Graph(2), weight="cost").n_nodes == 2
    for make, graph in (
        (Graph.from_networkx, theirs),
        (Graph.from_igraph, ig.Graph(edges=[(0, 1)])),
    ):
        with pytest.raises(ValueError, match="no edge has the attribute 'costs'"):
            make(graph, weight="costs")
