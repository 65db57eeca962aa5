"""The warnings about a single cluster say what is known, and what to do."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from powercut import PowerLawCut, PowerLawMeans, load, save
from powercut.datasets import make_blobs
from powercut.report import write_report

CLOUD = np.random.default_rng(0).normal(size=(200, 2))
EDGES = np.triu(np.random.default_rng(0).random((200, 200)) < 0.1, 1)
MODELS = [
    pytest.param(PowerLawCut(random_state=0), EDGES + EDGES.T, id="graph"),
    pytest.param(PowerLawMeans(random_state=0), CLOUD, id="points"),
]
BLOCKS = np.kron(np.ones((2, 2)) + 9 * np.eye(2), np.ones((100, 100)))  # one component
BLOBS = make_blobs(500, n_features=4, random_state=0)[0]


def messages_of(model: Any, X: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X)
    return [str(one.message) for one in caught]


@pytest.mark.parametrize(("model", "X"), MODELS)
def test_data_are_not_blamed_for_a_given_tradeoff(model: Any, X: Any) -> None:
    (message,) = messages_of(clone(model), X)
    assert "No more than one cluster is supported by the data: the 200 " in message
    assert "Set a lower tradeoff for finer clusters; powercut.tradeoff_path shows" in message
    (message,) = messages_of(clone(model).set_params(tradeoff=30.0), X)
    assert "at tradeoff=30, which was set, the 200 " in message
    assert 'Set a lower tradeoff, or "auto", for finer clusters; powercut.tradeoff_path' in message
    assert "data" not in message
    assert "structure" not in message


@pytest.mark.parametrize("tradeoff", ["auto", 1.0])
@pytest.mark.parametrize(
    ("model", "X"), [(PowerLawCut(), BLOCKS), (PowerLawMeans(), BLOBS)], ids=["graph", "points"]
)
def test_a_search_that_was_stopped_says_nothing_about_the_data(
    model: Any, X: Any, tradeoff: Any, tmp_path: Path
) -> None:
    model = clone(model).set_params(tradeoff=tradeoff, max_seconds=0.0, random_state=0)
    (message,) = messages_of(model, X)
    assert message.endswith("It was stopped by max_seconds=0.0; raise it for a longer search.")
    assert model.stopped_early_
    write_report(tmp_path / "report.html", model=model, data=X)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "stopped early" in page
    assert "structure" not in page
    save(tmp_path / "model.npz", model=model)
    assert load(tmp_path / "model.npz").stopped_early_ is True


def test_a_search_that_ended_was_not_stopped(tmp_path: Path) -> None:
    model = PowerLawMeans(max_seconds=1000.0, random_state=0).fit(BLOBS)
    assert model.stopped_early_ is False
    write_report(tmp_path / "report.html", model=model, data=BLOBS)
    assert "stopped early" not in (tmp_path / "report.html").read_text(encoding="utf-8")
