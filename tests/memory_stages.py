"""Stages of memory of a small example, to be measured in a fresh process."""

import numpy as np

from memory import Stage, Stages


def stages_of_an_example() -> tuple[dict[str, Stage], int]:
    """Return the stages of a function that needs 48 MiB in one of them, and its peak."""
    # Code that says it is powercut's, as only such code is looked at.
    scope = {"__name__": "powercut.example", "np": np}
    exec(
        "def large(): return np.ones(48 * 2**20, dtype=np.uint8).sum()\n"
        "def small(): return np.ones(2**20, dtype=np.uint8).sum()\n"
        "def outer(): return small() + large() + small()",
        scope,
    )
    with Stages() as stages:
        scope["outer"]()  # type: ignore[operator]
    return stages.by_name, stages.peak
