"""Parameters of other methods are answered by what to do instead."""

import inspect
import pickle
import re
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import powercut
from powercut import PowerLawClusters, PowerLawCut, PowerLawKernelMeans, PowerLawMeans
from powercut.estimators._foreign_names import ANSWERS

ESTIMATORS = (PowerLawCut, PowerLawClusters, PowerLawMeans, PowerLawKernelMeans)
X, _ = powercut.datasets.make_blobs(300, n_features=4, random_state=0)
A = np.kron(np.eye(8), np.ones((10, 10)))
A[:40, :40] = np.maximum(A[:40, :40], np.random.default_rng(0).random((40, 40)) < 0.2)
A = np.maximum(A, A.T) - np.eye(80)


def answer_of(call: Any, **parameters: Any) -> str:
    with pytest.raises(TypeError) as caught:
        call(**parameters)
    return str(caught.value)


def code_in(answer: str, X: np.ndarray = X) -> Any:
    """Evaluate the line of Python that ends an answer."""
    line = re.search(r": (powercut\..*)\.$", answer)
    assert line is not None
    return eval(line[1], {"powercut": powercut, "X": X, "graph": A})


@pytest.mark.parametrize("name", ["n_clusters", "k", "n_components"])
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_number_of_clusters_is_a_cut_of_the_tree(estimator: Any, name: str) -> None:
    answer = answer_of(estimator, **{name: 5})
    assert answer.startswith(f"{estimator.__name__} has no parameter {name}: ")
    assert "found, not set" in answer
    assert "PowerLawCut()).cut(n_clusters=5)" in answer or "(X).cut(n_clusters=5)" in answer


@pytest.mark.parametrize(("estimator", "data"), [(PowerLawCut, A), (PowerLawClusters, X)])
def test_the_line_of_the_answer_gives_this_number(estimator: Any, data: Any) -> None:
    labels = code_in(answer_of(estimator, n_clusters=5))
    assert len(labels) == len(data)
    assert labels.max() + 1 == 5


def test_functions_answer_too() -> None:
    for call in (powercut.cluster, powercut.community, powercut.power_law_cut):
        with pytest.raises(TypeError, match=r"cut\(n_clusters=5\)"):
            call(X, n_clusters=5)


def test_small_clusters_are_joined_by_a_tree() -> None:
    assert np.bincount(code_in(answer_of(PowerLawClusters, min_cluster_size=5))).min() >= 5


def test_another_metric_is_one_of_the_neighbour_graph() -> None:
    direction = np.repeat(np.eye(4), 75, axis=0)
    noise, length = np.random.default_rng(0).random((2, 300, 1)) * [[[0.1]], [[9.0]]]
    answer = answer_of(PowerLawClusters, metric="cosine")
    model = code_in(answer, (direction + noise * np.roll(direction, 1, axis=1)) * (1 + length))
    assert len(set(zip(direction.argmax(axis=1), model.labels_, strict=True))) == model.n_clusters_


def test_resolution_is_that_of_modularity() -> None:
    answer = answer_of(PowerLawClusters, resolution=0.5)
    assert answer.endswith('is powercut.PowerLawCut("modularity", resolution=0.5).')
    assert PowerLawCut(resolution=0.5).resolution == 0.5  # its own parameter


@pytest.mark.parametrize("name", sorted(ANSWERS))
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_foreign_name_has_an_answer(estimator: Any, name: str) -> None:
    if name in inspect.signature(estimator).parameters:
        return
    answer = answer_of(estimator, **{name: 7})
    assert "{" not in answer
    assert "random_state=7" in answer if "seed" in name else "powercut." in answer


def test_other_unknown_names_are_answered_by_the_known_ones() -> None:
    answer = answer_of(PowerLawCut, tradeof=2.0)
    assert answer.startswith("PowerLawCut has no parameter tradeof: its parameters are score, tr")


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_scikit_learn_knows_the_same_parameters(estimator: Any) -> None:
    own = set(inspect.signature(estimator).parameters)
    assert own == set(inspect.signature(estimator.__init__).parameters) - {"self"}
    assert not own & {"args", "kwargs"}
    model = estimator(random_state=3)
    assert set(model.get_params()) == own
    for copy in (clone(model), pickle.loads(pickle.dumps(model))):
        assert copy.get_params() == model.get_params()
