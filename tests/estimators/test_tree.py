"""`tree=True`: the tree of clusters that a fit finds besides its labels."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from powercut import (
    PowerLawClusters,
    PowerLawCut,
    Progress,
    cluster_tree,
    load,
    save,
)
from powercut.datasets import make_blobs, make_block_graph
from powercut.progress import ProgressReporter

GRAPH = make_block_graph(600, random_state=0)[0]
MOONS = make_moons(400, noise=0.05, random_state=0)[0]
BLOBS = make_blobs(400, random_state=0)[0]
FITS = pytest.mark.parametrize(
    ("model", "X"),
    [
        (PowerLawCut(random_state=0), GRAPH),
        (PowerLawCut("modularity", tradeoff=0, random_state=0), GRAPH),
        (PowerLawCut(affinity="nearest_neighbors", random_state=0), MOONS),
        (PowerLawClusters(random_state=0), GRAPH),
        (PowerLawClusters(random_state=0), MOONS),
        (PowerLawClusters(random_state=0), BLOBS),
    ],
    ids=["likelihood", "modularity", "affinity", "graph", "density", "gaussian"],
)


@FITS
def test_the_tree_is_that_of_cluster_tree_around_the_same_labels(model: Any, X: Any) -> None:
    plain = clone(model).fit(X)
    assert not hasattr(plain, "tree_")
    fit = clone(model).set_params(tree=True).fit(X)
    assert np.array_equal(fit.labels_, plain.labels_)
    assert np.array_equal(fit.tree_.cut(), fit.labels_)
    for other in (plain, fit, clone(model), clone(model).set_params(tree=True)):
        tree = cluster_tree(X, estimator=other)
        assert np.array_equal(fit.tree_.leaf, tree.leaf)
        assert np.array_equal(fit.tree_.evidence, tree.evidence)
    fit.set_params(tree=False).fit(X)
    assert not hasattr(fit, "tree_")


@FITS
def test_progress_and_time_limit_include_the_levels(
    model: Any, X: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ProgressReporter, "interval", 0.0)
    reports: list[Progress] = []
    clone(model).set_params(tree=True, progress=reports.append).fit(X)
    assert "levels" in {report.stage for report in reports}
    fractions = [report.fraction for report in reports]
    assert fractions == sorted(fractions)
    assert [report.stage for report in reports].count("done") == 1
    with pytest.warns(ConvergenceWarning, match="stopped early") as caught:
        stopped = clone(model).set_params(tree=True, max_seconds=0).fit(X)
    assert len(caught) == 1
    assert stopped.stopped_early_
    assert stopped.tree_.stopped_early
    assert np.array_equal(stopped.tree_.cut(), stopped.labels_)


@pytest.mark.parametrize(
    ("model", "X"),
    [(PowerLawCut(), GRAPH), (PowerLawClusters(), GRAPH), (PowerLawClusters(), MOONS)],
)
def test_model_files_have_no_tree_and_pickles_do(model: Any, X: Any, tmp_path: Path) -> None:
    fit = clone(model).set_params(tree=True, random_state=0).fit(X)
    again = pickle.loads(pickle.dumps(fit))
    assert np.array_equal(again.tree_.leaf, fit.tree_.leaf)
    with pytest.warns(UserWarning, match="tree_ is not stored") as caught:
        save(tmp_path / "model", model=fit)
    assert len(caught) == 1
    loaded = load(tmp_path / "model")
    assert np.array_equal(cluster_tree(X, estimator=loaded, random_state=0).leaf, fit.tree_.leaf)
    assert hasattr(fit, "tree_")


def test_wrong_parameters() -> None:
    for estimator in (PowerLawCut, PowerLawClusters):
        with pytest.raises(TypeError, match="tree"):
            estimator(tree="yes").fit(GRAPH)
    with pytest.raises(ValueError, match="leave one of outliers and tree out"):
        PowerLawClusters(outliers="label", tree=True).fit(MOONS)
