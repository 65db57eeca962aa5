"""What a graph or points have that are looked at elsewhere; `powercut.remote` says by whom."""

from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from powercut import _core
from powercut._typing import Labels


class GraphWorkers(Protocol):
    """Tasks that read the rows of a graph."""

    def rounds(self, objective: "_core._Objective") -> "_core.Elsewhere":
        """Return what `powercut._core` asks in rounds of moves of single nodes."""

    def divide(
        self,
        labels: Labels,
        divisible: npt.NDArray[np.bool_],
        objective: "_core._Objective",
        seed: int,
    ) -> tuple[Labels, int]:
        """Divide clusters from inside, as ``_core.divide`` does."""


class PointWorkers(Protocol):
    """Tasks that look at points."""

    @property
    def least_products(self) -> float:
        """Points times clusters times features that are not worth a task if they are fewer."""

    def rounds(
        self,
        points: "_core._PointArrays",
        prior: "_core._Prior",
        gaussian: "_core._Gaussian | None",
    ) -> "_core.PointsElsewhere":
        """Return what `powercut._core` asks while it moves points."""

    def nearest(self, points: "_core._PointArrays", means: npt.NDArray[np.floating]) -> Labels:
        """Return the nearest of the means for each point, the first of equals."""
