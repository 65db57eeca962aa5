"""The fitted partition that a tree of clusters is grown around: its graph, labels and model.

A graph has the model that was fitted to it. Vectors have the graph of their nearest neighbours,
whichever way their clusters were found in: edges near each other are there for the same points, so
the likelihood is tempered (`powercut.graphs.dependence`), and the model is the one of the shorter
description.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from powercut._typing import Labels
from powercut._validation import effective_jobs
from powercut.disk.reader import as_graph
from powercut.estimators._common import make_random
from powercut.estimators._graph_fit import GraphFit
from powercut.graphs.block_model import BlockModel, block_level, counts_per_weight, kind_of_weights
from powercut.graphs.dependence import needed_tradeoff
from powercut.graphs.description import describe
from powercut.graphs.graph import Graph
from powercut.graphs.nested import NestedModel
from powercut.partition import check_labels
from powercut.progress import ProgressReporter

if TYPE_CHECKING:
    from powercut.estimators.clusters import PowerLawClusters

# The share of the fit, for progress reports.
FIT = 0.6


@dataclass(frozen=True)
class TreeBase:
    """What the levels of a tree are searched around.

    Attributes
    ----------
    graph : Graph
        The graph, or that of the neighbours of vectors.
    labels : ndarray of int32
        The fitted partition.
    model : NestedModel
        The likelihood of nested clusters of the graph.
    objective : float
        J of the fit.
    """

    graph: Graph
    labels: Labels
    model: NestedModel
    objective: float


def tree_estimator(data: Any, estimator: Any) -> "GraphFit | PowerLawClusters":
    """Return the estimator of a tree, or the default one, if it is one that has a graph."""
    if estimator is None and isinstance(data, Graph):
        return GraphFit()  # does what PowerLawClusters does, without importing scikit-learn
    from powercut.estimators.clusters import PowerLawClusters

    if estimator is None:
        return PowerLawClusters()
    if not isinstance(estimator, GraphFit | PowerLawClusters):
        raise TypeError(
            "estimator must be a PowerLawClusters or PowerLawCut, fitted or not, got "
            f"{estimator!r}."
        )
    return estimator


def fit_base(
    data: Any, estimator: "GraphFit | PowerLawClusters", run: Any, reporter: ProgressReporter
) -> TreeBase:
    """Fit a copy of the estimator, unless it is fitted, and return what a tree needs.

    `run` has the number of threads and the seed.
    """
    if isinstance(estimator, GraphFit):
        return _base_of_graph(data, estimator, run, reporter)
    fit = _fitted(data, estimator, run, reporter)
    if fit.route_ == "graph":
        return _base_of_graph(data, fit._cut, run, reporter)
    points, index = fit._rows(data)
    if len(index) != len(fit.labels_) or (index < 0).any():
        raise ValueError("The estimator was fitted to other data; pass those, or an unfitted one.")
    if (fit.labels_ < 0).any():
        raise ValueError(
            'outliers="label" leaves points without a cluster, and a tree has them all; use '
            'PowerLawClusters(outliers="assign").'
        )
    return _base_of_vectors(points, fit, run)


def _fitted(data: Any, estimator: Any, run: Any, reporter: ProgressReporter) -> Any:
    """Return the estimator if it is fitted, else a fitted copy."""
    if hasattr(estimator, "labels_"):
        return estimator
    own = {"progress": reporter, "n_jobs": run.n_jobs, "random_state": run.random_state}
    if type(estimator) is GraphFit:
        copy = GraphFit(**own)
    else:
        from sklearn.base import clone  # slow to import, and not needed by the command line

        copy = clone(estimator).set_params(**own)
    with reporter.part(FIT):
        return copy.fit(data)


def _base_of_graph(
    data: Any, estimator: GraphFit, run: Any, reporter: ProgressReporter
) -> TreeBase:
    """Take the model of the fit; if it has none, a degree-corrected one of independent edges."""
    is_graph = estimator.affinity == "precomputed"
    data = as_graph(data) if is_graph else data
    fit = _fitted(data, estimator, run, reporter)
    graph = data if is_graph else Graph(fit.affinity_matrix_)
    likelihood = hasattr(fit, "degree_corrected_")
    model = BlockModel.of(
        graph,
        degree_corrected=fit.degree_corrected_ if likelihood else True,
        unit=counts_per_weight(graph, fit.weights_ if likelihood else kind_of_weights(graph)),
        tradeoff=max(fit.tradeoff_, 1.0) if likelihood else 1.0,
    )
    labels = check_labels(fit.labels_, graph.n_nodes, "labels_ of the estimator")
    return TreeBase(graph, labels, NestedModel(model), fit.objective_)


def _base_of_vectors(points: Any, fit: Any, run: Any) -> TreeBase:
    """Take the graph of the nearest neighbours, and the model that describes it shorter."""
    from powercut.graphs import neighbors

    n_threads, random = effective_jobs(run.n_jobs), make_random(run.random_state)
    graph = neighbors.graph(points, n_jobs=n_threads, random_state=0)
    level = block_level(graph, n_threads=n_threads)
    models = [BlockModel.of(graph, degree_corrected=corrected) for corrected in (False, True)]
    nats = [describe(graph, level, fit.labels_, model).nats for model in models]
    model = models[int(np.argmin(nats))]
    tradeoff = needed_tradeoff(graph, fit.labels_, model, random=random)
    model = model.with_tradeoff(max(tradeoff, 1.0))
    return TreeBase(graph, fit.labels_, NestedModel(model), fit.objective_)
