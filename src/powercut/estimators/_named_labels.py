"""Labels of nodes that have names, as a table."""

from typing import Any

import numpy as np

from powercut._typing import Labels
from powercut.graphs._frames import make_frame
from powercut.graphs.graph import Graph


class NamedLabelsMixin:
    """Names of the nodes of a fitted graph, and the table of their clusters."""

    labels_: Labels
    node_names_: Any
    _frame_library: str | None

    def _set_names(self, graph: Graph) -> None:
        self.node_names_, self._frame_library = graph.names, graph.frame_library

    @property
    def labels_frame_(self) -> Any:
        """Table with the columns ``node`` and ``cluster``.

        It is of the library of the table of edges that was fitted, otherwise a data frame of
        pandas.
        """
        names = self.node_names_
        nodes = np.arange(len(self.labels_)) if names is None else names
        return make_frame({"node": nodes, "cluster": self.labels_}, self._frame_library)
