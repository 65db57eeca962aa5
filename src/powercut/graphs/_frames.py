"""Tables of edges: data frames of pandas or polars, and Arrow tables.

None of the libraries is imported: a table is recognised by the package of its class.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from powercut._typing import Array
from powercut.graphs._adjacency import as_ids

# A column, by its name or its position.
Column = str | int
# The constructor of a table from columns, in each library.
CONSTRUCTORS = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}
# Types of columns of strings, in the three libraries.
WORDS = frozenset({"object", "str", "string", "large_string", "category", "categorical"})


def frame_library(obj: Any) -> str | None:
    """Return the library of a table, None if `obj` is no table.

    Tables of other libraries, with the method ``__arrow_c_stream__``, are read by pyarrow.
    """
    kind = type(obj)
    packages = {base.__module__.partition(".")[0] for base in kind.__mro__}
    library = next((name for name in CONSTRUCTORS if name in packages), None)
    if library is not None:
        # Not a single column, nor a query that has not been run.
        return library if hasattr(kind, "columns") and hasattr(kind, "shape") else None
    return "pyarrow" if hasattr(kind, "__arrow_c_stream__") else None


def column_types(obj: Any) -> list[tuple[str, bool]]:
    """Return the name of each column of a table, and whether it has words; else nothing."""
    if frame_library(obj) is None or not hasattr(obj, "shape"):
        return []
    is_frame = hasattr(obj, "dtypes")
    names = obj.columns if is_frame else obj.schema.names
    kinds = obj.dtypes if is_frame else obj.schema.types
    return [
        (str(name), str(kind).lower() in WORDS) for name, kind in zip(names, kinds, strict=True)
    ]


def is_table_of_edges(obj: Any) -> bool:
    """Whether a table has two or three columns, and cannot be a matrix."""
    columns = column_types(obj)
    has_words = any(words for _, words in columns)
    return len(columns) in (2, 3) and (obj.shape[0] != len(columns) or has_words)


def make_frame(columns: Mapping[str, Array], library: str | None) -> Any:
    """Make a table of a library, by default of pandas."""
    name = library or "pandas"
    try:
        make = getattr(import_module(name), CONSTRUCTORS[name])
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"A table of labels needs {name}: pip install {name}.") from error
    return make(dict(columns))


def edges_of_frame(
    frame: Any, source: Column | None, target: Column | None, weight: Any
) -> tuple[Array, Array, Array | None]:
    """Return the two ends and the weight of each row.

    By default the ends are in the first two columns, and the weight in the third of three.
    """
    library = frame_library(frame)
    if library == "pyarrow" and not hasattr(frame, "column_names"):
        frame = import_module("pyarrow").table(frame)
    names = [str(name) for name in (frame.column_names if library == "pyarrow" else frame.columns)]
    if source is None and target is None:
        if weight is None and len(names) not in (2, 3):
            raise ValueError(
                f"a table of edges has two columns, or three with weights, but this one has {names}"
                "; name them: Graph.from_edges(frame, source=..., target=..., weight=...)"
            )
        source, target = 0, 1
        weight = 2 if weight is None and len(names) == 3 else weight
    elif source is None or target is None:
        raise ValueError("source and target name the two ends of an edge; give both")
    wanted = [_position(names, one) for one in (source, target)]
    u, v = (_ends(_values(frame, library, at), names[at]) for at in wanted)
    if weight is None:
        return u, v, None
    return u, v, _values(frame, library, _position(names, weight))


def _position(names: list[str], column: Any) -> int:
    if isinstance(column, str) and names.count(column) == 1:
        return names.index(column)
    if isinstance(column, int) and not isinstance(column, bool) and 0 <= column < len(names):
        return column
    raise ValueError(f"{column!r} is not one of the columns {names}, nor the position of one")


def _values(frame: Any, library: str | None, at: int) -> Array:
    if library == "pandas":
        column = frame.iloc[:, at]
    else:
        column = frame.to_series(at) if library == "polars" else frame.column(at)
    return np.asarray(column.to_numpy())


def _ends(values: Array, name: str) -> Array:
    """Return ends of edges as integers, or as objects that are all strings."""
    if values.dtype.kind in "iu":
        return values
    if values.dtype.kind == "U":
        return values.astype(object)
    kinds = set(map(type, values)) if values.dtype == object else set()
    if kinds and all(issubclass(kind, int) and kind is not bool for kind in kinds):
        return values.astype(np.int64)
    wrong = next((at for at, value in enumerate(values) if not isinstance(value, str)), None)
    if wrong is not None:
        raise ValueError(
            f"row {wrong} of column {name!r} is {values[wrong]!r}; the ends of edges are integers "
            "or strings, and none may be missing. For vectors use powercut.PowerLawClusters."
        )
    return values


def as_ends(name: str, values: npt.ArrayLike) -> Array:
    """Return ends of edges that are no column: integers, or objects that are all strings."""
    ends = np.asarray(values)
    if ends.dtype.kind == "U" or (ends.dtype == object and {str} == set(map(type, ends.flat))):
        return ends.astype(object)
    return as_ids(name, ends)


def _signed(ends: Array) -> Array:
    """Return unsigned integers as signed ones if they fit."""
    if ends.dtype != np.uint64 or ends.max(initial=0) > np.iinfo(np.int64).max:
        return ends
    return ends.astype(np.int64)


def number_nodes(u: Array, v: Array) -> tuple[Array, Array, npt.NDArray[Any] | None]:
    """Assign numbers to nodes; return the two ends of each edge, and the names of the nodes.

    Integers are numbered in ascending order, strings in the order of the edges. The names are None
    if they are 0, 1, 2, ...
    """
    if len(u) and len(v) and (u.dtype == object) != (v.dtype == object):
        raise ValueError(
            "one end of the edges is a number and the other a string; make them the same, such as "
            "by astype(str)"
        )
    if u.ndim != 1 or u.shape != v.shape:
        raise ValueError(f"u and v must have the same length, got shapes {u.shape} and {v.shape}")
    # The common type of signed and unsigned integers is float64, in which large ones become equal.
    u, v = (_signed(ends) for ends in (u, v))
    if u.dtype != v.dtype and np.uint64 in (u.dtype, v.dtype):
        raise ValueError(
            f"the two ends of the edges have types {u.dtype} and {v.dtype}, and some are too large "
            "for one type; make them strings, such as by astype(str)"
        )
    both = np.stack([u, v], axis=1).ravel()
    names, first, ids = np.unique(both, return_index=True, return_inverse=True)
    if both.dtype == object:
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return rank[ids[::2]], rank[ids[1::2]], names[order]
    numbered = len(names) == 0 or (names[0] == 0 and names[-1] == len(names) - 1)
    return ids[::2], ids[1::2], None if numbered else names
