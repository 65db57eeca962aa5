"""Answers to parameters of other methods: what to do here instead.

Whoever comes from Leiden, k-means, HDBSCAN or a mixture sets first what those methods must be told.
Python would answer that the keyword is unexpected.
"""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, ParamSpec

P = ParamSpec("P")

_FOUND = (
    "the number of clusters is found, not set. For a given number, cut the tree of nested "
    "clusters: {tree}).cut(n_clusters={value!r})"
)
_SCALE = (
    "the scale is found, and all other scales are levels of {tree}). The objective of Leiden at a "
    'resolution is powercut.PowerLawCut("modularity", resolution={value!r})'
)
_THRESHOLD = (
    "no distance or density is a threshold, all scales are found. For coarser or finer clusters, "
    "take another level of the tree: {tree}).cut(level=...)"
)
_SEED = "the seed is random_state={value!r}"

# A name of another method: what to do instead. {tree} begins the call of `cluster_tree`.
ANSWERS = {
    "n_clusters": _FOUND,
    "n_components": _FOUND,
    "k": _FOUND,
    "resolution": _SCALE,
    "resolution_parameter": _SCALE,
    "eps": _THRESHOLD,
    "min_samples": _THRESHOLD,
    "cluster_selection_epsilon": _THRESHOLD,
    "min_cluster_size": (
        "clusters are as small as the data support. To join those below a size to their "
        "neighbours: {tree}, min_size={value!r}).cut()"
    ),
    "metric": (
        "distances are Euclidean. For another metric, cluster the graph of nearest neighbours: "
        "powercut.PowerLawCut().fit(powercut.neighbors.graph(X, metric={value!r}))"
    ),
    "seed": _SEED,
    "random_seed": _SEED,
}


def answers_foreign_names(init: Callable[P, None]) -> Callable[P, None]:
    """Make the ``__init__`` of an estimator answer to names that it does not have.

    Its signature remains, by which scikit-learn knows the parameters of an estimator.
    """
    known = inspect.signature(init).parameters

    @wraps(init)
    def answering(*args: P.args, **kwargs: P.kwargs) -> None:
        for name, value in kwargs.items():
            if name not in known:
                raise TypeError(_answer(type(args[0]).__name__, name, value, known))
        init(*args, **kwargs)

    return answering


def _answer(owner: str, name: str, value: Any, known: Iterable[str]) -> str:
    # A matrix is a graph to PowerLawCut, and vectors to all others.
    of_graphs = "graph, estimator=powercut.PowerLawCut()"
    tree = f"powercut.cluster_tree({of_graphs if owner == 'PowerLawCut' else 'X'}"
    names = ", ".join(each for each in known if each != "self")
    answer = ANSWERS.get(name, "its parameters are {names}")
    return f"{owner} has no parameter {name}: {answer.format(tree=tree, value=value, names=names)}."
