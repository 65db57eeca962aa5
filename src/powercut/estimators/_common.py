"""What the three estimators share: parameters, fitted attributes, training rows."""

import numbers
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from powercut._typing import Random
from powercut._utils import cached_property, slices
from powercut._validation import check_choice, check_whole
from powercut.partition import canonical_labels
from powercut.prior import PitmanYor
from powercut.search.objective import Found

# Keys that are looked up at a time: an interrupt waits for no more.
KEYS_AT_ONCE = 2**16
ALGORITHMS = ("multilevel", "lloyd")


def effective_jobs(n_jobs: Any) -> int:
    """Return how many threads `n_jobs` asks for, by scikit-learn's conventions.

    Never more than there are cores for the process: threads that share a core wait for each
    other.
    """
    if n_jobs is None:
        return 1
    threads = check_whole(n_jobs, "n_jobs")
    if threads == 0:
        raise ValueError("n_jobs must not be 0; use 1 for one thread and -1 for all.")
    from joblib import cpu_count  # slow to import, and one thread needs no count

    cores = int(cpu_count())
    return min(threads, cores) if threads > 0 else max(1, cores + 1 + threads)


def check_search(estimator: Any) -> None:
    """Check the parameters of the search, which all estimators have."""
    check_choice("algorithm", estimator.algorithm, ALGORITHMS)
    effective_jobs(estimator.n_jobs)
    check_whole(estimator.n_init, "n_init", min_val=1)
    check_whole(estimator.max_iter, "max_iter", min_val=1)


def make_random(random_state: Any) -> Random:
    """Return a generator for a scikit-learn random state."""
    if isinstance(random_state, numbers.Integral):
        state = np.random.RandomState(int(random_state))  # as scikit-learn, which is slow to import
    else:
        from sklearn.utils import check_random_state

        state = check_random_state(random_state)
    return np.random.default_rng(state.randint(2**31, size=4))


def set_fitted(estimator: Any, found: Found) -> None:
    """Set the attributes that describe a partition, with canonical labels."""
    estimator.labels_ = canonical_labels(found.labels)
    estimator.cluster_sizes_ = np.bincount(estimator.labels_)
    estimator.n_clusters_ = len(estimator.cluster_sizes_)
    estimator.objective_ = found.objective
    estimator.objective_path_ = found.path
    estimator.n_iter_ = max(1, len(found.path) - 1)


def set_optional(estimator: Any, names: tuple[str, ...], attributes: dict[str, Any]) -> None:
    """Set attributes that not every fit has, and take away those of an earlier one."""
    for name in names:
        if name in attributes:
            setattr(estimator, name, attributes[name])
        elif hasattr(estimator, name):
            delattr(estimator, name)


def given_prior(estimator: Any) -> PitmanYor | None:
    """Return the prior that was set, None where it is to be estimated."""
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
    """Return the prior that was set, with what is usual for what was not."""
    return PitmanYor(
        concentration if estimator.concentration is None else estimator.concentration,
        discount if estimator.discount is None else estimator.discount,
    )


def warn_if_unfinished(estimator: Any, found: Found) -> None:
    """Warn where Algorithm 1 used all its passes."""
    if len(found.path) > estimator.max_iter:
        from sklearn.exceptions import ConvergenceWarning

        warnings.warn(
            f"Algorithm 1 still moved points in pass {estimator.max_iter}; raise max_iter.",
            ConvergenceWarning,
            stacklevel=4,
        )


def warn_of_one_cluster(n: int, of_what: str, tradeoff: float) -> None:
    """Warn where the data do not support more than one cluster."""
    warnings.warn(
        f"No more than one cluster is supported by the data: the {n} {of_what} look as if they "
        f"had no structure, at tradeoff={tradeoff:.3g}.",
        stacklevel=4,
    )


class TrainingRows:
    """Recognises rows that a model was fitted on.

    A row equal to a training row is that training point, and its label is known:
    what `predict` says of it can't differ from the fit. Rows are compared by
    64-bit keys of their values. Where equal rows ended in different clusters, the
    row of the same position is meant if it matches, and the first one otherwise.
    """

    def __init__(self, keys: npt.NDArray[np.uint64]) -> None:
        self.keys = keys

    @cached_property
    def _order(self) -> npt.NDArray[np.intp]:
        """Rows by their keys; not for the fit to wait for."""
        return np.argsort(self.keys, kind="stable")

    def find(self, keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.intp]:
        """Return the training row that each key belongs to, or -1."""
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
