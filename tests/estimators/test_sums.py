"""Sums that float64 cannot hold are refused, never compared."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from powercut import Graph, PowerLawClusters, PowerLawCut, PowerLawKernelMeans, PowerLawMeans
from powercut.io import read_graph

A = sp.csr_array(np.kron(np.eye(3), np.ones((8, 8))) - np.eye(24))
X = np.repeat(np.eye(3), 8, axis=0) * 9 + np.random.default_rng(0).normal(size=(24, 3))


@pytest.mark.parametrize("weight", [1e308, 1e307, 5e-324, 1e-312])
@pytest.mark.parametrize("dense", [False, True])
def test_weights_whose_sum_overflows_or_loses_its_digits_are_refused(
    weight: float, dense: bool
) -> None:
    scaled = A * weight
    with pytest.raises(ValueError, match=r"the weights add up to .* float64 cannot hold; rescale"):
        Graph(scaled.toarray() if dense else scaled)
    for graph in (Graph(A * (1e300 if weight > 1 else 1e-300)), Graph(scaled * 0)):
        assert np.isfinite(graph.total_weight)


def test_weights_of_a_file_whose_sum_overflows_are_refused_by_the_fit(tmp_path: Any) -> None:
    path = tmp_path / "graph.txt"
    path.write_text("a b 1e308\nb c 1e308\n")
    with pytest.raises(ValueError, match="the weights add up to inf"):
        PowerLawCut().fit(read_graph(path).graph)


@pytest.mark.parametrize(
    ("score", "weight", "sample_weight"),
    [
        ("modularity", 1e300, None),
        ("cpm", 1.0, 1e300),
        ("rcut", 1.0, 5e-324),
        ("rassoc", 1.0, 5e-324),
    ],
)
def test_scores_that_overflow_are_refused(
    score: str, weight: float, sample_weight: float | None
) -> None:
    given = None if sample_weight is None else np.full(24, sample_weight)
    with pytest.raises(ValueError, match=f"score='{score}' is .* Rescale them"):
        PowerLawCut(score).fit(A * weight, sample_weight=given)


@pytest.mark.parametrize("weight", [1e-300, 1e150])
def test_scores_that_do_not_overflow_are_those_of_other_weights(weight: float) -> None:
    for parameters in ({}, {"score": "ncut"}):
        one, scaled = (
            PowerLawCut(**parameters, random_state=0).fit(A * factor) for factor in (1.5, weight)
        )
        np.testing.assert_array_equal(one.labels_, scaled.labels_)
        assert np.isfinite(scaled.margins_).all()
        assert np.isfinite(scaled.predict_proba(A * weight)).all()


def test_predictions_of_single_precision_do_not_overflow() -> None:
    weights = (A * 3e38).astype(np.float32)
    for score in ("rcut", "modularity"):
        model = PowerLawCut(score, random_state=0).fit(weights)
        assert np.isfinite(model.predict_proba(weights)).all()
        np.testing.assert_array_equal(model.predict(weights), model.labels_)


@pytest.mark.parametrize(
    "model",
    [
        PowerLawClusters(),
        PowerLawClusters(scale="none"),
        PowerLawMeans(),
        PowerLawMeans("kmeans"),
        PowerLawMeans("kmeans", tradeoff=1.0),
        PowerLawMeans("kmeans", tradeoff=1.0, algorithm="lloyd"),
    ],
)
def test_points_whose_squared_distances_underflow_are_refused(model: Any) -> None:
    with pytest.raises(ValueError, match="the square of which is 0 in float64; scale X up"):
        model.fit(X * 1e-300)


@pytest.mark.parametrize("scale", ["auto", "columns"])
@pytest.mark.parametrize(
    ("factor", "dtype", "message"),
    [
        (1e160, np.float64, "The squares of X overflow float64; scale X down"),
        (1e30, np.float32, "The squares of X overflow float32; scale X down"),
        (1e-300, np.float64, "the square of which is 0 in float64; scale X up"),
    ],
)
def test_dense_and_sparse_vectors_whose_squares_are_no_numbers_are_refused(
    factor: float, dtype: Any, message: str, scale: str
) -> None:
    model, values = PowerLawClusters(scale=scale), (X * factor).astype(dtype)
    for vectors in (values, sp.csr_array(values)):
        with pytest.raises(ValueError, match=message):
            model.fit(vectors)


def test_sparse_vectors_of_single_precision_whose_squares_underflow_are_refused() -> None:
    values = sp.csr_array((X * 1e-30).astype(np.float32))
    with pytest.raises(ValueError, match="the square of which is 0 in float32; scale X up"):
        PowerLawClusters().fit(values)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("model", "data"),
    [
        (PowerLawCut("ncut", tradeoff=1e308, random_state=0), A),
        (PowerLawMeans("kmeans", tradeoff=1e308, random_state=0), X),
        (PowerLawKernelMeans(1e308, random_state=0), X @ X.T),
    ],
)
def test_an_objective_that_is_not_finite_is_refused(model: Any, data: Any) -> None:
    with pytest.raises(ValueError, match=r"The objective of the best partition is .*Rescale"):
        model.fit(data)
