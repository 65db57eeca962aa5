"""Helpers of all three estimators: parameters, fitted attributes, training rows."""

import numbers
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from powercut._typing import Random
from powercut._utils import cached_property, slices, warn_user
from powercut._validation import check_choice, check_whole, effective_jobs
from powercut.graphs._adjacency import check_stored
from powercut.partition import canonical_labels
from powercut.prior import PitmanYor
from powercut.search.lloyd import MAX_PASSES
from powercut.search.objective import SearchResult

# Keys that are looked up at a time, so that an interrupt is handled soon.
KEYS_AT_ONCE = 2**16
# A list of more starts than this would not fit into memory before the fit ends.
MOST_STARTS = 10**6
ALGORITHMS = ("multilevel", "lloyd")


def validated(estimator: Any, X: Any, **how: Any) -> Any:
    """Return vectors, or a matrix, that scikit-learn has checked; sparse ones are safe to use."""
    # Imported here: slow to import, and not needed for a Graph.
    from sklearn.utils.validation import validate_data

    if sp.issparse(X):
        check_stored(X)  # before scikit-learn converts it

    return validate_data(estimator, X, **how)


def check_search(estimator: Any) -> None:
    """Check the search parameters that all estimators have."""
    check_choice("algorithm", estimator.algorithm, ALGORITHMS)
    effective_jobs(estimator.n_jobs)
    check_whole(estimator.n_init, "n_init", min_val=1, max_val=MOST_STARTS)
    if estimator.max_iter is not None:
        check_whole(estimator.max_iter, "max_iter", min_val=1)


def max_passes(estimator: Any) -> int:
    """Return the maximum number of passes of Algorithm 1."""
    return MAX_PASSES if estimator.max_iter is None else int(estimator.max_iter)


def make_random(random_state: Any) -> Random:
    """Return a NumPy generator for a scikit-learn `random_state`."""
    if isinstance(random_state, numbers.Integral):
        state = np.random.RandomState(
            int(random_state)
        )  # as scikit-learn does, without its slow import
    else:
        from sklearn.utils import check_random_state

        state = check_random_state(random_state)
    return np.random.default_rng(state.randint(2**31, size=4))


def set_fitted(estimator: Any, found: SearchResult) -> None:
    """Set the fitted attributes that describe a partition, with canonical labels.

    Raise if J is not finite: then comparisons of partitions by J meant nothing.
    """
    if not np.isfinite(found.objective):
        raise ValueError(
            f"The objective of the best partition is {found.objective}: weights, distances or "
            "parameters are too large or too small for float64. Rescale them."
        )
    estimator.labels_ = canonical_labels(found.labels)
    estimator.cluster_sizes_ = np.bincount(estimator.labels_)
    estimator.n_clusters_ = len(estimator.cluster_sizes_)
    estimator.objective_ = found.objective
    estimator.objective_path_ = found.path
    estimator.n_iter_ = max(1, len(found.path) - 1)


def set_optional(estimator: Any, names: tuple[str, ...], attributes: dict[str, Any]) -> None:
    """Set the attributes that only some fits have, and delete those of an earlier fit."""
    for name in names:
        if name in attributes:
            setattr(estimator, name, attributes[name])
        else:
            vars(estimator).pop(name, None)


def given_prior(estimator: Any) -> PitmanYor | None:
    """Return the prior that was set, None if it is to be estimated."""
    concentration, discount = estimator.concentration, estimator.discount
    if concentration is None and discount is None:
        return None
    if concentration is None or discount is None:
        raise ValueError(
            f"score={estimator.score!r} estimates concentration and discount together; "
            "give both or neither."
        )
    return PitmanYor(concentration, discount)


def default_prior(estimator: Any, *, concentration: float, discount: float) -> PitmanYor:
    """Return the prior that was set, with defaults for parameters that were not."""
    return PitmanYor(
        concentration if estimator.concentration is None else estimator.concentration,
        discount if estimator.discount is None else estimator.discount,
    )


def warn_if_unfinished(estimator: Any, found: SearchResult) -> None:
    """Warn if Algorithm 1 did not converge in `max_iter` passes."""
    if len(found.path) > max_passes(estimator):
        from sklearn.exceptions import ConvergenceWarning

        warn_user(
            f"Algorithm 1 still moved points in pass {max_passes(estimator)}; raise max_iter.",
            ConvergenceWarning,
        )


def warn_of_one_cluster(n: int, of_what: str, tradeoff: float, *, given: bool) -> None:
    """Warn that there is one cluster: because of the data or, at a given tradeoff, perhaps of that.

    Not to be called for a search that was stopped early, which says nothing about the data.
    """
    at = f"tradeoff={tradeoff:.3g}"
    if given:
        message = (
            f"No more than one cluster was found: at {at}, which was set, the {n} {of_what} are "
            'one. Set a lower tradeoff, or "auto", for finer clusters'
        )
    else:
        message = (
            f"No more than one cluster is supported by the data: the {n} {of_what} show no "
            f"structure at {at}. Set a lower tradeoff for finer clusters"
        )
    warn_user(f"{message}; powercut.tradeoff_path shows all scales.")


class TrainingRows:
    """Recognises rows that a model was fitted on.

    A row equal to a training row is that training point, and `predict` returns its
    label of the fit. Rows are compared by 64-bit keys of their values. Among equal
    training rows, the one of the same position is taken if there is one, and the
    first one otherwise.
    """

    def __init__(self, keys: npt.NDArray[np.uint64]) -> None:
        self.keys = keys

    @cached_property
    def _order(self) -> npt.NDArray[np.intp]:
        """Training rows sorted by key; computed at the first `predict`, not by the fit."""
        return np.argsort(self.keys, kind="stable")

    def find(self, keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.intp]:
        """Return the index of the training row of each key, or -1."""
        found = np.full(len(keys), -1, dtype=np.intp)
        shared = min(len(keys), len(self.keys))
        same_position = np.flatnonzero(keys[:shared] == self.keys[:shared])
        found[same_position] = same_position
        others = np.flatnonzero(found < 0)
        if len(others) and len(self.keys):
            known = self.keys[self._order]
            for some in slices(len(others), KEYS_AT_ONCE):
                wanted = keys[others[some]]
                place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
                found[others[some]] = np.where(known[place] == wanted, self._order[place], -1)
        return found
