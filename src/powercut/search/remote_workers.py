"""The interface of remote workers, which read a graph in place of local threads.

`powercut.remote` implements it.
"""

from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from powercut import _core
from powercut._typing import Labels


class GraphWorkers(Protocol):
    """Remote workers that read the rows of a graph."""

    def rounds(self, objective: "_core._Objective") -> "_core.RemoteGraphWorkers":
        """Return the object that `powercut._core` requests proposals from, to move single nodes."""

    def divide(
        self,
        labels: Labels,
        divisible: npt.NDArray[np.bool_],
        objective: "_core._Objective",
        seed: int,
    ) -> tuple[Labels, int]:
        """Divide clusters into subclusters, with the same result as ``_core.divide``."""
