"""Who looks at the rows of a graph: the threads of this process, or tasks elsewhere.

A round of moves is *propose* (what would each node of a block gain elsewhere, against labels that
nobody changes meanwhile: all rows of the block are read) and *commit* (make the moves one after
the other that still lower J: no row is read). Commits are always made by `powercut._core` in
this process. Rows are read by its threads, also where they are mapped from disk, unless a graph has
an `Engine`: then they are read by tasks, which return what the threads would have found, so
the labels are the same.

What an engine serves is the graph itself. Coarser grains of it, and groups of nodes, are
always worked on here, over rows that are mapped from disk.
"""

from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from powercut import _core

Labels = npt.NDArray[np.int32]


class Engine(Protocol):
    """Tasks that read the rows of a graph."""

    def rounds(self, objective: "_core._Objective") -> "_core.Elsewhere":
        """Return what `powercut._core` asks in rounds of moves of single nodes."""

    def divide(
        self,
        labels: Labels,
        divisible: npt.NDArray[np.bool_],
        work: npt.NDArray[np.float64],
        objective: "_core._Objective",
        seed: int,
    ) -> tuple[Labels, int]:
        """Divide clusters from inside, as ``_core.divide`` does; `work` is what each takes."""
