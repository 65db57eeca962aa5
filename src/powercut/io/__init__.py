"""Reading and writing graphs, their changes, points and labels.

There is one module per format. Text is read in chunks by native code; errors name the file, the
line and the column.
"""

from powercut.io._errors import FileError
from powercut.io.changes import read_changes
from powercut.io.graphs import FORMATS, NamedGraph, read_graph, write_graph
from powercut.io.labels import LABEL_FORMATS, read_labels, write_labels
from powercut.io.points import POINT_FORMATS, read_points, write_points

__all__ = [
    "FORMATS",
    "LABEL_FORMATS",
    "POINT_FORMATS",
    "FileError",
    "NamedGraph",
    "read_changes",
    "read_graph",
    "read_labels",
    "read_points",
    "write_graph",
    "write_labels",
    "write_points",
]
