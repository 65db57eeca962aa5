"""The fit of the estimator that a tree of clusters is grown around."""

from typing import TYPE_CHECKING, Any

from powercut._validation import effective_jobs
from powercut.disk.reader import as_graph
from powercut.estimators._common import make_random
from powercut.estimators._graph_fit import GraphFit
from powercut.estimators._stopping import BEFORE_TREE
from powercut.estimators._tree import TreeBase
from powercut.graphs.graph import Graph
from powercut.partition import check_labels
from powercut.progress import ProgressReporter

if TYPE_CHECKING:
    from powercut.estimators.clusters import PowerLawClusters


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
) -> tuple[TreeBase, float]:
    """Fit a copy of the estimator, unless it is fitted; return what a tree needs, and J.

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
    n_threads, random = effective_jobs(run.n_jobs), make_random(run.random_state)
    base = TreeBase.of_vectors(points, fit.labels_, n_threads=n_threads, random=random)
    return base, fit.objective_


def _fitted(data: Any, estimator: Any, run: Any, reporter: ProgressReporter) -> Any:
    """Return the estimator if it is fitted, else a fitted copy, without a tree of its own."""
    if hasattr(estimator, "labels_"):
        return estimator
    own = {"progress": reporter, "n_jobs": run.n_jobs, "random_state": run.random_state}
    if type(estimator) is GraphFit:
        copy = GraphFit(**own)
    else:
        from sklearn.base import clone  # slow to import, and not needed by the command line

        copy = clone(estimator).set_params(tree=False, **own)
    with reporter.part(BEFORE_TREE):
        return copy.fit(data)


def _base_of_graph(
    data: Any, estimator: GraphFit, run: Any, reporter: ProgressReporter
) -> tuple[TreeBase, float]:
    is_graph = estimator.affinity == "precomputed"
    data = as_graph(data) if is_graph else data
    fit = _fitted(data, estimator, run, reporter)
    graph = data if is_graph else Graph(fit.affinity_matrix_)
    labels = check_labels(fit.labels_, graph.n_nodes, "labels_ of the estimator")
    base = TreeBase.of_graph(graph, labels, fitted=vars(fit), tradeoff=fit.tradeoff_)
    return base, fit.objective_
