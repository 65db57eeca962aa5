"""Types of arrays, by what they hold."""

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
# Numbers of rows or nodes, as NumPy indexes by them.
Positions = npt.NDArray[np.intp]
# The cluster of each node or point, 0 to k - 1.
Labels = npt.NDArray[np.int32]
# Vectors, one a row; kernels take both precisions as they are.
Rows = npt.NDArray[np.floating]
Random = np.random.Generator
