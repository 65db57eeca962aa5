"""Checks of what is given to an estimator, in the words of scikit-learn where it has them."""

import numbers
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils import check_scalar
from sklearn.utils.validation import validate_data

from powercut.graph import Graph

FloatArray = npt.NDArray[np.float64]


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Refuse a value that is not one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {list(choices)}, got {value!r}.")


def check_tradeoff(tradeoff: Any) -> float | None:
    """Return the tradeoff, or None for ``"auto"``."""
    if isinstance(tradeoff, str):
        check_choice("tradeoff", tradeoff, ("auto",))
        return None
    return check_real(tradeoff, "tradeoff", min_val=0)


def check_sample_weight(sample_weight: Any, n: int) -> FloatArray | None:
    """Return positive weights for n rows, or None where none were given."""
    if sample_weight is None:
        return None
    weight = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weight.shape != (n,):
        raise ValueError(
            f"sample_weight has shape {weight.shape}; {n} weights are needed, one for each row."
        )
    wrong = np.flatnonzero(~((weight > 0) & np.isfinite(weight)))
    if len(wrong):
        raise ValueError(
            f"sample_weight[{wrong[0]}] is {weight[wrong[0]]}; weights must be above zero "
            "and finite. Leave out rows that should not count."
        )
    return weight


def check_real(value: Any, name: str, *, min_val: float | None = None) -> float:
    """Return a parameter that must be a finite number."""
    check_scalar(value, name, numbers.Real, min_val=min_val)
    if not np.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value}.")
    return float(value)


def is_matrix(X: Any) -> bool:
    """Whether X is what scikit-learn takes, rather than a graph of some library."""
    return isinstance(X, list | np.ndarray) or sparse.issparse(X) or hasattr(X, "iloc")


def validate_graph(estimator: Any, X: Any) -> Graph:
    """Return the graph that X is, and tell the estimator its number of columns.

    The values of a square matrix are for Graph to judge, which names the entry that
    is wrong. Any other matrix is no graph, and scikit-learn says first what else may
    be wrong with it.
    """
    if is_matrix(X):
        shape = np.shape(X)
        strict = len(shape) != 2 or shape[0] != shape[1]
        X = validate_data(
            estimator,
            X,
            accept_sparse=True,
            ensure_all_finite=strict,
            ensure_min_samples=int(strict),
            ensure_min_features=int(strict),
        )
        if strict:
            raise ValueError(
                f"A graph is a square matrix, and X has shape {shape}. For vectors use "
                "affinity='nearest_neighbors' or PowerLawMeans; for edges in two columns, "
                "Graph.from_edges(X[:, 0], X[:, 1], symmetrize='max')."
            )
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    graph = Graph.wrap(X)
    estimator.n_features_in_ = graph.n_nodes
    return graph
