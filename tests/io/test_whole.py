"""Output files are written whole, or the file that was there stays."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from powercut import Graph
from powercut.io import _tables, read_labels, write_graph, write_labels, write_points

GRAPH = Graph.from_edges([0, 1], [1, 2], symmetrize="max")
WRITERS: dict[str, Callable[[Path], None]] = {
    "labels.tsv": lambda path: write_labels(path, np.zeros(3, dtype=int)),
    "labels.csv.gz": lambda path: write_labels(path, np.zeros(3, dtype=int)),
    "labels.npz": lambda path: write_labels(path, np.zeros(3, dtype=int)),
    "labels.parquet": lambda path: write_labels(path, np.zeros(3, dtype=int)),
    "graph.txt": lambda path: write_graph(path, GRAPH),
    "graph.txt.gz": lambda path: write_graph(path, GRAPH),
    "graph.npz": lambda path: write_graph(path, GRAPH),
    "points.csv": lambda path: write_points(path, np.zeros((3, 2))),
    "points.npy": lambda path: write_points(path, np.zeros((3, 2))),
}


class FullDisk:
    """A file to which only a few bytes fit."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, data: Any) -> int:
        self._file.write(bytes(data)[:3])
        raise OSError(28, "No space left on device")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("before", [None, b"the old file"])
def test_a_full_disk_leaves_the_old_file(
    name: str, before: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    if before is not None:
        path.write_bytes(before)
    opened = _tables.written

    @contextmanager
    def on_full_disk(target: Any) -> Iterator[FullDisk]:
        with opened(target) as file:
            yield FullDisk(file)

    for module in ("graphs", "labels", "points"):
        monkeypatch.setattr(f"powercut.io.{module}.written", on_full_disk)
    with pytest.raises(OSError, match="No space left"):
        WRITERS[name](path)
    assert [file.name for file in tmp_path.iterdir()] == ([] if before is None else [name])
    assert before is None or path.read_bytes() == before


def test_a_name_that_cannot_be_written_leaves_the_old_labels(tmp_path: Path) -> None:
    path = tmp_path / "labels.tsv"
    write_labels(path, [1, 2])
    names = [*map(str, range(100_000)), "\ud800"]  # a surrogate, which is not in UTF-8
    with pytest.raises(UnicodeEncodeError):
        write_labels(path, np.zeros(len(names), dtype=int), names=names)
    assert read_labels(path).labels.tolist() == [1, 2]
    assert len(list(tmp_path.iterdir())) == 1
