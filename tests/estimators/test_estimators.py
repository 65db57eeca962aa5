"""The estimators: scikit-learn API, objectives, prediction, invalid input."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

import powercut
import reference
from powercut import Graph, PowerLawCut, PowerLawKernelMeans, PowerLawMeans
from powercut._typing import LABEL
from powercut.datasets import make_blobs, make_paper_graph
from powercut.graphs.scores import GRAPH_SCORES, BlockScore, NCut
from powercut.prior import PitmanYor

POINTS_COUNT = (
    "sample_weight weights distances or nodes; the prior counts points, as in the paper, so a "
    "point of weight two is not two points."
)
SCORE = (
    "`score` is the parameter that names the objective, not a method: there is no truth to score."
)
CLASSIFIER = "the check expects classifier tags of every estimator with predict_proba."
NO_WEIGHTS = (
    "likelihoods and ncut have no weights; a sample_weight is refused, and the error says so."
)
SQUARE = "the check passes vectors where a graph or kernel matrix is expected; the error says so."
FRAGMENTS = (
    "the paper's Algorithm 1, from one cluster, leaves singletons where the check expects blobs."
)

NO_EQUIVALENCE = {
    "check_sample_weight_equivalence_on_dense_data": POINTS_COUNT,
    "check_sample_weight_equivalence_on_sparse_data": POINTS_COUNT,
}
SCORE_NAMED = {
    "check_fit_score_takes_y": SCORE,
    "check_n_features_in_after_fitting": SCORE,
    "check_pipeline_consistency": SCORE,
}
CUT = {
    **NO_EQUIVALENCE,
    **SCORE_NAMED,
    "check_estimator_sparse_array": CLASSIFIER,
    "check_estimator_sparse_matrix": CLASSIFIER,
}
WEIGHTS_REFUSED = {
    "check_sample_weights_pandas_series": NO_WEIGHTS,
    "check_sample_weights_not_an_array": NO_WEIGHTS,
    "check_sample_weights_list": NO_WEIGHTS,
    "check_sample_weights_shape": NO_WEIGHTS,
    "check_sample_weights_not_overwritten": NO_WEIGHTS,
}
WITHOUT_WEIGHTS = {
    **CUT,
    **WEIGHTS_REFUSED,
    "check_all_zero_sample_weights_error": NO_WEIGHTS,
}
GRAPH_GIVEN = {
    **WITHOUT_WEIGHTS,
    "check_clustering": SQUARE,
}


def expected_failures(estimator: Any) -> dict[str, str]:
    if isinstance(estimator, PowerLawKernelMeans):
        return {**NO_EQUIVALENCE, "check_clustering": SQUARE}
    if isinstance(estimator, PowerLawMeans):
        lloyd = {"check_clustering": FRAGMENTS} if estimator.algorithm == "lloyd" else {}
        refused = WEIGHTS_REFUSED if estimator.score == "gaussian" else {}
        return {**NO_EQUIVALENCE, **SCORE_NAMED, **lloyd, **refused}
    if estimator.affinity == "precomputed":
        return GRAPH_GIVEN
    return CUT if estimator.score == "rassoc" else WITHOUT_WEIGHTS


# Most checks use data without structure.
@pytest.mark.filterwarnings("ignore:No more than one cluster:UserWarning")
@parametrize_with_checks(
    [
        PowerLawCut(),
        PowerLawCut(affinity="rbf"),
        PowerLawCut("ncut", affinity="rbf"),
        PowerLawCut("rassoc", affinity="nearest_neighbors", shift=-4.0),
        PowerLawMeans(),
        PowerLawMeans("kmeans"),
        PowerLawMeans("kmeans", tradeoff=1.0, algorithm="lloyd"),
        PowerLawKernelMeans(),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


# Properties of all estimators, on suitable data for each.

GRAPH, TRUTH = make_paper_graph(300, n_clusters=(4, 8), random_state=1)
POINTS = make_blobs(200, n_features=3, random_state=2)[0].astype(np.float64)
# With full or spherical covariances some clusters of POINTS are merged, and a warning says: not
# Gaussian.
OTHER_POINTS = make_blobs(200, n_features=3, random_state=0)[0].astype(np.float64)
MODELS = {
    **{score: (PowerLawCut(score, random_state=0), GRAPH.adjacency) for score in GRAPH_SCORES},
    "lloyd": (PowerLawCut("ncut", algorithm="lloyd", shift=1.0), GRAPH.adjacency),
    "split": (
        PowerLawCut("ncut", tradeoff=0.05, random_state=0),
        sp.block_diag([GRAPH.adjacency] * 2),
    ),
    "nearest_neighbors": (
        PowerLawCut(affinity="nearest_neighbors", tradeoff=2.0, random_state=0),
        POINTS,
    ),
    "rbf": (PowerLawCut(affinity="rbf", tradeoff=2.0, random_state=0), POINTS),
    "gaussian": (PowerLawMeans(random_state=0), POINTS),
    "spherical": (PowerLawMeans(covariance="spherical", random_state=0), OTHER_POINTS),
    "full": (PowerLawMeans(covariance="full", random_state=0), OTHER_POINTS),
    "means_estimated": (PowerLawMeans("kmeans", random_state=0), POINTS),
    "means": (PowerLawMeans("kmeans", tradeoff=3.0, random_state=0), POINTS),
    "means_lloyd": (PowerLawMeans("kmeans", tradeoff=3.0, algorithm="lloyd"), POINTS),
    "fragments": (PowerLawMeans("kmeans", tradeoff=0.5, discount=0.3, random_state=0), POINTS),
    "kernel": (PowerLawKernelMeans(0.2, random_state=0), rbf_kernel(POINTS, gamma=0.1)),
    "kernel_lloyd": (
        PowerLawKernelMeans(0.2, algorithm="lloyd"),
        rbf_kernel(POINTS, gamma=0.1),
    ),
}
each_model = pytest.mark.parametrize(("model", "X"), MODELS.values(), ids=MODELS.keys())


@each_model
def test_predict_returns_the_labels_of_training_data(model: Any, X: Any) -> None:
    model = clone(model).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    some = np.random.default_rng(0).permutation(X.shape[0])[:50]
    np.testing.assert_array_equal(
        model.predict(sp.csr_array(X)[some].toarray()), model.labels_[some]
    )


@each_model
def test_probabilities_agree_with_the_labels(model: Any, X: Any) -> None:
    model = clone(model).fit(X)
    p = model.predict_proba(X)
    assert p.shape == (X.shape[0], model.n_clusters_)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert p.min() >= 0
    np.testing.assert_array_equal(p.argmax(axis=1), model.labels_)


@each_model
def test_every_point_has_a_margin_and_every_cluster_evidence(model: Any, X: Any) -> None:
    model = clone(model).fit(X)
    assert model.margins_.shape == model.labels_.shape
    assert model.cluster_evidence_.shape == (model.n_clusters_,)
    assert not np.isnan(model.margins_).any()
    assert not np.isnan(model.cluster_evidence_).any()


@pytest.mark.parametrize("name", ["gaussian", "full", "means", "kernel"])
def test_margins_are_the_log_odds_of_the_two_best_clusters(name: str) -> None:
    model, X = MODELS[name]
    model = clone(model).fit(X)
    p = np.sort(model.predict_proba(X), axis=1)
    positive = p[:, -2] > 0
    assert positive.mean() > 0.5
    odds = np.log(p[positive, -1]) - np.log(p[positive, -2])
    np.testing.assert_allclose(model.margins_[positive], odds, atol=1e-9)


@each_model
def test_labels_are_canonical_and_attributes_agree_with_them(model: Any, X: Any) -> None:
    model = clone(model).fit(X)
    labels = model.labels_
    assert labels.dtype == LABEL
    np.testing.assert_array_equal(labels, powercut.partition.canonical_labels(labels))
    np.testing.assert_array_equal(model.cluster_sizes_, np.bincount(labels))
    assert np.all(np.diff(model.cluster_sizes_) <= 0)
    assert model.n_clusters_ == len(model.cluster_sizes_)
    path = model.objective_path_
    assert np.all(np.diff(path) <= 1e-12 * np.abs(path).max())


@each_model
def test_labels_depend_on_random_state_only_not_on_threads(model: Any, X: Any) -> None:
    one = clone(model).fit(X)
    np.testing.assert_array_equal(clone(model).fit(X).labels_, one.labels_)
    np.testing.assert_array_equal(clone(model).set_params(n_jobs=3).fit(X).labels_, one.labels_)


@each_model
def test_pickled_models_predict_the_same(model: Any, X: Any) -> None:
    model = clone(model).fit(X)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.labels_)
    # Similarities are recomputed, and their last digits depend on the alignment of arrays.
    np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X), rtol=1e-9)


@each_model
def test_a_fit_from_its_own_labels_is_not_worse(model: Any, X: Any) -> None:
    end = clone(model).fit(X)
    again = clone(model).set_params(init=end.labels_).fit(X)
    before, after = end.objective_, again.objective_
    if hasattr(end, "degree_corrected_"):
        # J at different estimates is not comparable; the rank of block model fits is.
        before, after = (fit._description.tempered(fit.tradeoff_) for fit in (end, again))
    # Estimates depend slightly on their initial values.
    slack = 0.05 if getattr(model, "score", "") == "gaussian" else 1e-9 * abs(before)
    assert after <= before + slack


# Objectives, against the reference implementation.


@pytest.mark.parametrize("score", GRAPH_SCORES)
def test_objective_of_a_cut_equals_j_of_its_labels(score: str) -> None:
    A = GRAPH.adjacency.toarray()
    model = PowerLawCut(score, tradeoff=0.1, concentration=2.0, discount=0.3, random_state=0)
    model.fit(A)
    ones, degrees = np.ones(len(A), dtype=np.int64), A.sum(axis=1)
    fitted = model._posterior.objective.score
    # The likelihood of an unweighted graph is that of one of two models.
    assert isinstance(fitted, BlockScore if score == "likelihood" else GRAPH_SCORES[score])
    weight = fitted.node_weight(degrees, ones * 1.0)
    prior, alone = PitmanYor(2.0, 0.3), model._posterior.objective.regulariser.alone
    assert (alone > 0) == (score == "likelihood")
    j = reference.graph_objective(
        A, degrees, weight, ones, model.labels_, fitted, prior, 0.1, alone
    )
    assert model.objective_ == pytest.approx(j, rel=1e-9)


@pytest.mark.parametrize("algorithm", ["multilevel", "lloyd"])
def test_objective_of_means_and_kernel_means_equals_j_of_their_labels(algorithm: str) -> None:
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(POINTS))
    prior, ones = PitmanYor(1.0, 0.0), np.ones(len(POINTS), dtype=np.int64)
    K = POINTS @ POINTS.T
    for model, X in (
        (PowerLawMeans("kmeans", tradeoff=3.0), POINTS),
        (PowerLawKernelMeans(3.0), K),
    ):
        model.set_params(algorithm=algorithm, random_state=0).fit(X, sample_weight=weight)
        j = reference.kmeans_objective(POINTS, weight, ones, model.labels_, prior, 3.0)
        assert model.objective_ == pytest.approx(j, rel=1e-9)


def test_kernel_means_with_a_linear_kernel_equal_means() -> None:
    means = PowerLawMeans("kmeans", tradeoff=3.0, random_state=0).fit(POINTS)
    kernel = PowerLawKernelMeans(3.0, random_state=0).fit(POINTS @ POINTS.T)
    assert kernel.objective_ == pytest.approx(means.objective_, rel=1e-2)
    new = POINTS[:40] + 0.05
    same = kernel.set_params(init=means.labels_).fit(POINTS @ POINTS.T)
    np.testing.assert_array_equal(same.predict(new @ POINTS.T), means.predict(new))


# New points, weights and invalid input.


def test_new_nodes_join_the_cluster_that_lowers_j_most() -> None:
    A = GRAPH.adjacency.toarray()
    model = PowerLawCut("ncut", random_state=0).fit(A)
    row = A[7] * (np.random.default_rng(0).random(len(A)) < 0.8)
    grown = np.block([[A, row[:, None]], [row, np.zeros((1, 1))]])
    ones = np.ones(len(grown), dtype=np.int64)
    volume = np.append(A.sum(axis=1), row.sum())  # degrees of the old nodes do not change

    def j(c: int) -> float:
        labels = np.append(model.labels_, c).astype(LABEL)
        return reference.graph_objective(
            grown, volume, ones * 1.0, ones, labels, NCut(-0.2), PitmanYor(1.0, 0.2), 1e-4
        )

    linked = np.unique(model.labels_[row > 0])
    best = min(linked.tolist(), key=j)
    assert model.predict(row[None])[0] == best
    p = model.predict_proba(row[None])[0]
    others = [c for c in linked.tolist() if c != best]
    for c in others:
        # J is tradeoff times minus the log-posterior.
        ratio = np.exp(-(j(c) - j(best)) / 1e-4)
        assert p[c] / p[best] == pytest.approx(ratio, rel=1e-6, abs=1e-12)


def test_new_points_get_the_most_probable_cluster() -> None:
    model = PowerLawMeans(
        "kmeans", tradeoff=3.0, concentration=1.0, discount=0.2, random_state=0
    ).fit(POINTS)
    new = np.random.default_rng(1).normal(0, 3, (30, 3))
    squared = ((new[:, None] - model.cluster_centers_) ** 2).sum(axis=-1)
    weight = (model.cluster_sizes_ - 0.2) * np.exp(-squared / 3.0)
    np.testing.assert_array_equal(model.predict(new), weight.argmax(axis=1))
    np.testing.assert_allclose(
        model.predict_proba(new), weight / weight.sum(axis=1, keepdims=True), rtol=1e-6, atol=1e-12
    )
    np.testing.assert_allclose(model.transform(new), np.sqrt(squared), rtol=1e-6)


def test_node_weights_replace_counts_in_the_score() -> None:
    A = GRAPH.adjacency.toarray()
    weight = A.sum(axis=1)
    weighted = PowerLawCut("rassoc", random_state=0).fit(A, sample_weight=weight)
    ncut = PowerLawCut("ncut", random_state=0).fit(A)
    # Weighted association with degrees for weights is normalized cut.
    assert weighted.objective_ == pytest.approx(ncut.objective_, rel=1e-9)
    np.testing.assert_array_equal(weighted.labels_, ncut.labels_)


def test_connected_clusters_by_default_and_both_objectives() -> None:
    A = sp.block_diag([np.ones((4, 4)), np.ones((4, 4))]).toarray()
    start = np.zeros(8, dtype=int)
    heavy = {"tradeoff": 10.0, "concentration": 0.01, "discount": 0.0, "init": start}
    free = PowerLawCut("ncut", connected=False, **heavy).fit(A)
    assert free.n_clusters_ == 1
    assert free.objective_ == free.objective_unconnected_ == free.objective_path_[-1]
    connected = PowerLawCut("ncut", **heavy).fit(A)
    np.testing.assert_array_equal(connected.labels_, [0, 0, 0, 0, 1, 1, 1, 1])
    assert connected.objective_unconnected_ == free.objective_
    assert connected.objective_ > connected.objective_unconnected_


def test_planted_clusters_are_found() -> None:
    # J has lower minima than the planted partition, which a quarter of the seeds end in.
    models = [PowerLawCut("ncut", shift=-0.1, random_state=seed).fit(GRAPH) for seed in range(9)]
    assert np.median([adjusted_rand_score(TRUTH, model.labels_) for model in models]) > 0.9
    X, truth = make_blobs(500, n_features=8, random_state=0)
    means = PowerLawMeans("kmeans", tradeoff=6.0, random_state=0).fit(X)
    assert adjusted_rand_score(truth, means.labels_) > 0.95


def test_functions_give_the_labels_of_the_estimators() -> None:
    np.testing.assert_array_equal(
        powercut.power_law_cut(GRAPH, score="ncut", shift=-0.1, random_state=0),
        PowerLawCut("ncut", shift=-0.1, random_state=0).fit(GRAPH).labels_,
    )
    np.testing.assert_array_equal(
        powercut.power_law_means(POINTS, score="kmeans", tradeoff=3.0, random_state=0),
        PowerLawMeans("kmeans", tradeoff=3.0, random_state=0).fit(POINTS).labels_,
    )
    K = rbf_kernel(POINTS)
    np.testing.assert_array_equal(
        powercut.power_law_kernel_means(K, tradeoff=0.5, random_state=0),
        PowerLawKernelMeans(0.5, random_state=0).fit(K).labels_,
    )


def test_algorithm_1_warns_if_it_does_not_converge() -> None:
    with pytest.warns(ConvergenceWarning, match="raise max_iter") as caught:
        PowerLawMeans("kmeans", tradeoff=0.3, algorithm="lloyd", max_iter=1).fit(POINTS)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"score": "likely"}, "score must be one of"),
        ({"algorithm": "magic"}, "algorithm must be one of"),
        ({"affinity": "cosine"}, "affinity must be one of"),
        ({"tradeoff": -1.0}, "tradeoff == -1.0, must be >= 0"),
        ({"tradeoff": "best"}, "tradeoff must be one of"),
        ({"weights": "heavy"}, "weights must be one of"),
        ({"concentration": 1.0, "discount": 1.0}, "discount"),
        ({"concentration": -0.5, "discount": 0.0}, "concentration"),
        ({"n_init": 0}, "n_init == 0, must be >= 1"),
        ({"n_init": 10**18}, "n_init == 1000000000000000000, must be <= 1000000"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
        ({"score": "ncut", "n_jobs": 0, "algorithm": "lloyd"}, "n_jobs must not be 0"),
        ({"init": [0, 1]}, r"init has shape \(2,\); 300 labels are needed"),
        ({"init": np.full(300, 0.5)}, "init must hold integer labels"),
        ({"init": np.full(300, -1)}, r"init\[0\] is -1; labels must not be negative"),
        ({"tradeoff": np.nan}, "tradeoff must be finite, got nan"),
        ({"shift": np.inf}, "shift must be finite, got inf"),
        ({"score": "modularity", "resolution": np.nan}, "resolution must be finite"),
        ({"score": "cpm", "algorithm": "lloyd"}, "score='cpm' has none"),
    ],
)
def test_invalid_parameters_are_refused(parameters: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PowerLawCut(**parameters).fit(GRAPH)


def test_a_failed_fit_is_not_fitted() -> None:
    model = PowerLawCut("rcut")
    with pytest.raises(ValueError, match="above zero"):
        model.fit(GRAPH, sample_weight=-np.ones(300))
    with pytest.raises(NotFittedError):
        model.predict(GRAPH)
    means = PowerLawMeans(algorithm="magic")
    with pytest.raises(ValueError, match="algorithm must be"):
        means.fit(POINTS)
    with pytest.raises(NotFittedError):
        means.predict(POINTS)


def test_parameters_set_after_the_fit_do_not_change_predictions() -> None:
    model = PowerLawCut(random_state=0).fit(GRAPH)
    row = GRAPH.adjacency[[5]] * 0.5
    before = model.predict_proba(row)
    np.testing.assert_array_equal(model.set_params(tradeoff=100.0).predict_proba(row), before)


def test_algorithm_1_warns_if_its_kernel_is_not_positive_definite() -> None:
    with pytest.warns(UserWarning, match=r"shift=-0.2 < 0 keeps its kernel from being positive"):
        PowerLawCut("ncut", algorithm="lloyd").fit(GRAPH)


def test_predict_refuses_graphs_of_another_size_and_negative_weights() -> None:
    model = PowerLawCut(random_state=0).fit(GRAPH)
    with pytest.raises(ValueError, match="X has 2 nodes; predict takes the graph of the fit"):
        model.predict(Graph(np.ones((2, 2))))
    with pytest.raises(ValueError, match=r"X\[0, 3\] is -1.0; weights of edges must not be"):
        model.predict(np.where(np.arange(300) == 3, -1.0, 0.0)[None])


def test_points_whose_squares_overflow_are_refused() -> None:
    with pytest.raises(ValueError, match="squares of X overflow float64; scale X down"):
        PowerLawMeans().fit(POINTS * 1e160)


def test_graphs_made_from_vectors_have_no_self_loops() -> None:
    for affinity in ("rbf", "nearest_neighbors"):
        model = PowerLawCut(affinity=affinity, tradeoff=2.0, random_state=0).fit(POINTS)
        assert np.all(model.affinity_matrix_.diagonal() == 0)


def test_clusters_of_algorithm_1_are_split_but_not_improved() -> None:
    two = sp.block_diag([GRAPH.adjacency] * 2).tocsr()
    lloyd = {"score": "ncut", "algorithm": "lloyd", "shift": 0.05, "tradeoff": 0.01}
    pure = PowerLawCut(connected=False, **lloyd).fit(two)
    connected = PowerLawCut(**lloyd).fit(two)
    pairs = set(zip(pure.labels_.tolist(), (np.arange(600) >= 300).tolist(), strict=True))
    assert connected.n_clusters_ >= len(pairs)
    assert connected.objective_unconnected_ == pure.objective_
    for c in range(connected.n_clusters_):
        assert len(set(pure.labels_[connected.labels_ == c])) == 1


def test_timestamps_are_clustered_and_their_objective_equals_j() -> None:
    random = np.random.default_rng(0)
    X = 1.7e18 + random.normal(0, 1e9, (300, 1))
    model = PowerLawMeans("kmeans", tradeoff=1e6, random_state=0).fit(X)
    prior, ones = PitmanYor(1.0, 0.0), np.ones(300, dtype=np.int64)
    j = reference.kmeans_objective(X - X.mean(), ones * 1.0, ones, model.labels_, prior, 1e6)
    assert model.objective_ == pytest.approx(j, rel=1e-6)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_the_objective_is_accurate_with_extreme_weights() -> None:
    random = np.random.default_rng(0)
    X, weight = random.normal(0, 1, (100, 2)) + 1e4, random.lognormal(0, 8, 100)
    model = PowerLawMeans("kmeans", tradeoff=1.0, random_state=0).fit(X, sample_weight=weight)
    ones = np.ones(100, dtype=np.int64)
    j = reference.kmeans_objective(
        X - X.mean(axis=0), weight, ones, model.labels_, PitmanYor(1.0, 0.0), 1.0
    )
    assert model.objective_ == pytest.approx(j, rel=1e-6)


def test_centres_are_weighted_means() -> None:
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(POINTS))
    model = PowerLawMeans("kmeans", tradeoff=3.0, random_state=0).fit(POINTS, sample_weight=weight)
    for c in range(model.n_clusters_):
        inside = model.labels_ == c
        mean = np.average(POINTS[inside], axis=0, weights=weight[inside])
        np.testing.assert_allclose(model.cluster_centers_[c], mean)


def test_attributes_of_an_earlier_fit_are_removed() -> None:
    pandas = pytest.importorskip("pandas")
    model = PowerLawCut("ncut", random_state=0)
    model.fit(pandas.DataFrame(np.ones((3, 3)), columns=["a", "b", "c"]))
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    model.fit(GRAPH)
    assert not hasattr(model, "feature_names_in_")
    model.set_params(affinity="rbf").fit(POINTS)
    assert model.affinity_matrix_.shape == (200, 200)
    np.testing.assert_array_equal(
        model.set_params(affinity="precomputed").predict(POINTS), model.labels_
    )
    model.fit(GRAPH)
    assert not hasattr(model, "affinity_matrix_")


def test_huge_concentrations_keep_the_precision_of_the_objective() -> None:
    X = np.arange(200.0)[:, None]
    huge = {"concentration": 1e12, "tradeoff": 1.0}
    one = PowerLawMeans("kmeans", algorithm="lloyd", **huge).fit(X)
    two = PowerLawMeans("kmeans", random_state=0, **huge).fit(X)
    assert one.n_clusters_ == two.n_clusters_ == 200
    assert one.objective_ == pytest.approx(two.objective_, rel=1e-3)
    assert two.objective_ == pytest.approx(199 * 200 / 2 / 1e12, rel=1e-3)


def test_points_whose_squared_distance_underflows_are_clustered() -> None:
    assert (
        PowerLawMeans("kmeans", tradeoff=0.0, random_state=0)
        .fit([[0.0], [1e-162], [2e-162]])
        .n_clusters_
        >= 1
    )


def test_invalid_sample_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="score='ncut' has no node weights"):
        PowerLawCut("ncut").fit(GRAPH, sample_weight=np.ones(300))
    with pytest.raises(ValueError, match=r"sample_weight\[3\] is -1.0"):
        PowerLawMeans().fit(POINTS, sample_weight=np.where(np.arange(200) == 3, -1.0, 1.0))
    with pytest.raises(ValueError, match=r"sample_weight has shape \(7,\); 200 weights"):
        PowerLawMeans().fit(POINTS, sample_weight=np.ones(7))
    with pytest.raises(ValueError, match="score='gaussian' has no weights"):
        PowerLawMeans().fit(POINTS, sample_weight=np.ones(200))


def test_invalid_kernel_matrices_are_refused() -> None:
    with pytest.raises(ValueError, match=r"square; X has shape \(200, 3\)"):
        PowerLawKernelMeans().fit(POINTS)
    K = POINTS @ POINTS.T
    K[3, 5] += 100
    with pytest.raises(ValueError, match=r"symmetric; X\[3, 5\] is"):
        PowerLawKernelMeans().fit(K)


def test_graphs_of_other_libraries_are_accepted() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.karate_club_graph()
    model = PowerLawCut(random_state=0).fit(graph)
    assert model.labels_.shape == (34,)
    np.testing.assert_array_equal(model.predict(graph), model.labels_)
    np.testing.assert_array_equal(
        PowerLawCut(random_state=0).fit(Graph.wrap(graph)).labels_, model.labels_
    )
