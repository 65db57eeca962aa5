"""Types of arrays."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from powercut import _core

if TYPE_CHECKING:
    LABEL = np.int32
else:
    # Labels and node numbers have as many bits as in the native module, see POWERCUT_NODE_BITS in
    # CMakeLists.txt.
    LABEL = np.int32 if _core.NODE_BITS == 32 else np.int64

Array = npt.NDArray[Any]
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
# Indices of rows or nodes, in NumPy's index type.
Positions = npt.NDArray[np.intp]
# The cluster of each node or point, 0 to k - 1.
Labels = npt.NDArray[LABEL]
# Vectors, one per row, in float32 or float64.
Rows = npt.NDArray[np.floating]
Random = np.random.Generator
