"""Type aliases of arrays."""

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
# Indices of rows or nodes, in NumPy's index type.
Positions = npt.NDArray[np.intp]
# The cluster of each node or point, 0 to k - 1.
Labels = npt.NDArray[np.int32]
# Vectors, one per row, in float32 or float64.
Rows = npt.NDArray[np.floating]
Random = np.random.Generator
