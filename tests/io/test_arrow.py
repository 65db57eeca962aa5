"""Arrow data whose buffers contradict one another are refused before they are used."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from powercut.io import read_graph

pa = pytest.importorskip("pyarrow")

N = 200
NAMES = [f"{i:03d}" for i in range(N)]
LONG = [f"longer than a view holds {i:03d}" for i in range(N)]


def ipc_of(column: Any) -> bytes:
    """Return an Arrow file of edges that begin in a column and end in one node."""
    batch = pa.record_batch([column, pa.array(["b"] * len(column))], names=["u", "v"])
    file = io.BytesIO()
    with pa.ipc.new_file(file, batch.schema) as writer:
        writer.write_batch(batch)
    return file.getvalue()


def spoiled(column: Any, values: np.ndarray, spoil: Callable[[np.ndarray], Any]) -> bytes:
    """Return the Arrow file of a column, with the values of one buffer changed."""
    content = ipc_of(column)
    changed = values.copy()
    spoil(changed)
    assert content.count(values.tobytes()) == 1
    return content.replace(values.tobytes(), changed.tobytes())


def put(where: Any, value: int) -> Callable[[np.ndarray], Any]:
    return lambda values: values.__setitem__(where, value)


def string_files(kind: Any, offset: type) -> dict[str, bytes]:
    column = pa.array(NAMES, kind)
    offsets = np.arange(N + 1, dtype=offset) * 3
    wrong = {"beyond": np.iinfo(offset).max, "negative": -5, "falling": 3}
    return {name: spoiled(column, offsets, put(100, value)) for name, value in wrong.items()}


def view_files() -> dict[str, bytes]:
    column = pa.array(LONG, pa.string_view())
    views = np.frombuffer(column.buffers()[1], dtype=np.int32).reshape(N, 4)
    wrong = {"size": (0, 2**31 - 1), "buffer": (2, 77777), "offset": (3, 2**31 - 100)}
    return {
        name: spoiled(column, views, put((slice(10, None), field), value))
        for name, (field, value) in wrong.items()
    }


def dictionary_files() -> dict[str, bytes]:
    indices = (np.arange(N) % 50).astype(np.int32)
    column = pa.DictionaryArray.from_arrays(pa.array(indices), pa.array(NAMES[:50]))
    wrong = {"beyond": 2**31 - 1, "negative": -(2**31)}
    return {
        name: spoiled(column, indices, put(slice(0, None, 5), value))
        for name, value in wrong.items()
    }


FILES = {
    **{f"string-{name}": file for name, file in string_files(pa.string(), np.int32).items()},
    **{f"large-{name}": file for name, file in string_files(pa.large_string(), np.int64).items()},
    **{f"view-{name}": file for name, file in view_files().items()},
    **{f"dictionary-{name}": file for name, file in dictionary_files().items()},
}


@pytest.mark.parametrize("name", FILES)
def test_files_with_unsound_buffers_are_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "edges.arrow"
    path.write_bytes(FILES[name])
    with pytest.raises(ValueError, match=r"edges\.arrow: cannot be read as"):
        read_graph(path, max_bytes=2**62)  # a size out of bounds is over the limit, too
    # A table in memory, whose buffers are mapped from the file.
    with pa.memory_map(str(path)) as mapped:
        table = pa.ipc.open_file(mapped).read_all()
        with pytest.raises(ValueError, match="cannot be read as"):
            read_graph(table)


def test_names_that_are_not_utf8_are_refused() -> None:
    content = ipc_of(pa.array(NAMES)).replace(b"007", b"\xff\xfe\xfd")
    with pytest.raises(ValueError, match="UTF8"):
        read_graph(io.BytesIO(content), format="arrow")
