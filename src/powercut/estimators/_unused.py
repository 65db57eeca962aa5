"""Refusal of parameters that were set although the fit would not use them.

A parameter that only some scores or algorithms use has a default that means "not set": None, or
what happens in any case. So a value that a user sets is either used or refused.
"""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from powercut.graphs.scores import GRAPH_SCORES


def check_used(
    estimator: Any, name: str, *, by: str, choices: Sequence[str], unset: Any = None
) -> None:
    """Raise if a parameter was set, and another one (`by`) is not a choice that uses it.

    Parameters
    ----------
    estimator : estimator
        Its parameters are checked.
    name : str
        The parameter that may have been set.
    by : str
        The parameter that decides whether it is used.
    choices : sequence of str
        The values of `by` with which it is used.
    unset : object, default=None
        Its value if it was not set.
    """
    value, chosen = getattr(estimator, name), getattr(estimator, by)
    was_set = value is not None if unset is None else value != unset
    if was_set and chosen not in choices:
        users = " or ".join(f"{by}={choice!r}" for choice in choices)
        raise ValueError(
            f"{name}={value!r} has no effect with {by}={chosen!r}: leave {name} out, or use "
            f"{users}."
        )


def check_starts_used(estimator: Any) -> None:
    """Raise if random starts are to be repeated, but there are none."""
    check_used(estimator, "n_init", by="algorithm", choices=("multilevel",), unset=1)
    if estimator.init is not None and estimator.n_init != 1:
        raise ValueError(
            f"n_init={estimator.n_init} has no effect with init: the labels of init are the only "
            "start. Leave one of the two out."
        )


def graph_scores_with(parameter: str) -> list[str]:
    """Return the names of the graph scores that have a parameter."""
    return [
        name
        for name, score in GRAPH_SCORES.items()
        if parameter in {field.name for field in fields(score)}  # type: ignore[arg-type]
    ]
