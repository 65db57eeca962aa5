"""The vectors that `PowerLawClusters` takes: what is one, and what must be encoded first."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from powercut._validation import float_types
from powercut.estimators._common import validated
from powercut.estimators._graph_input import is_matrix
from powercut.estimators._means_base import check_spread, check_squares
from powercut.graphs._frames import WORDS, frame_library


def is_vectors(X: Any) -> bool:
    """Whether X is a matrix of vectors, not an object or file of a graph."""
    return is_matrix(X) or (hasattr(X, "__array__") and not hasattr(X, "adjacency"))


def validate_vectors(estimator: Any, X: Any) -> Any:
    """Return vectors to fit, and set `n_features_in_` of the estimator.

    Missing values, columns of text, matrices that may be graphs and values whose squares are 0 or
    infinite are refused; the errors say what to do.
    """
    _check_encoded(X)
    X = validated(
        estimator,
        X,
        accept_sparse="csr",
        dtype=float_types(X),
        order="C",
        ensure_all_finite="allow-nan",
    )
    if np.isnan(X.data if sp.issparse(X) else X).any():
        raise ValueError(
            "Input X contains NaN. Fill missing values first: "
            "sklearn.impute.SimpleImputer().fit_transform(X)."
        )
    _check_unambiguous(X)
    check_squares(X.data if sp.issparse(X) else X)
    # Distances of sparse rows are computed in the type of the matrix, others in float64.
    check_spread(X, X.dtype if sp.issparse(X) else np.float64)
    return X


def _check_encoded(X: Any) -> None:
    """Raise if columns of a data frame are not numbers."""
    if not hasattr(X, "dtypes") or not hasattr(X, "columns"):
        return
    words = [
        str(name)
        for name, kind in zip(X.columns, X.dtypes, strict=True)
        if str(kind).lower() in WORDS or str(kind).lower().startswith("date")
    ]
    if words:
        encoded = f"pandas.get_dummies(X, columns={words}, dtype=float)"
        if frame_library(X) == "polars":
            encoded = f"X.to_dummies({words})"
        raise ValueError(
            f"The columns {words} are no numbers. Encode them first: {encoded}. If they are the "
            "ends of edges, pass powercut.Graph.from_edges(X)."
        )


def _check_unambiguous(X: Any) -> None:
    """Raise if a sparse matrix may be a graph: square and symmetric."""
    if sp.issparse(X) and X.shape[0] == X.shape[1] > 1 and abs(X - X.T).nnz == 0:
        raise ValueError(
            "X is a sparse matrix that is square and symmetric, so it may be a graph. Pass "
            "powercut.Graph(X) to cluster its nodes, or X.toarray() to cluster its rows as vectors."
        )
