"""One exception for all readers, with the place of the error."""

import io
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from powercut.io import FileError, read_graph, read_labels, read_points

MTX = b"%%MatrixMarket matrix coordinate real symmetric\n"


@pytest.mark.parametrize(
    ("read", "name", "content", "line", "column"),
    [
        (read_graph, "a.txt", b"0 1\n1 x\n", 2, 3),
        (read_graph, "a.metis", b"2 1\n2\n 3\n", 3, 2),
        (read_graph, "a.mtx", MTX + b"2 2 1\nx\n", 3, None),
        (read_graph, "a.graphml", b"<graphml>\n<a></b>", 2, 6),
        (read_graph, "a.npz", b"PK", None, None),
        (read_graph, "a.parquet", b"PAR1", None, None),
        (read_graph, "a.arrow", b"ARROW1", None, None),
        (read_graph, "a.h5ad", b"\x89HDF", None, None),
        (read_labels, "a.tsv", b"a\t1\nb\n", 2, None),
        (read_labels, "a.tsv", b"a\t1\n\xc3\xa9\t\xff\n", 2, 4),
        (read_points, "a.csv", b"1, 2\n3, x\n", 2, 4),
        (read_points, "a.txt", b"1 2\n1    1e5 e\n", 2, 10),
        (read_points, "a.csv", b"1,2\n3\n", 2, None),
    ],
)
def test_errors_have_a_place(
    read: Any, name: str, content: bytes, line: int | None, column: int | None, tmp_path: Path
) -> None:
    if name.endswith("h5ad"):
        pytest.importorskip("anndata")
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileError) as found:
        read(path)
    error = found.value
    assert (error.file, error.line, error.column) == (str(path), line, column)
    place = "" if line is None else f"line {line}: " if column is None else f"line {line}, "
    assert str(error).startswith(f"{path}: {place}")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.line) == (str(error), line)


@pytest.mark.parametrize("read", [read_graph, read_labels, read_points])
def test_errors_of_the_system_stay_as_they_are(read: Any, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "missing.npz")
    with pytest.raises(IsADirectoryError if os.name == "posix" else PermissionError):
        read(tmp_path)
    (tmp_path / "file").write_bytes(b"0 1\n")
    with pytest.raises(NotADirectoryError if os.name == "posix" else FileNotFoundError):
        read(tmp_path / "file" / "x.txt")


@pytest.mark.parametrize(
    "failure", [RuntimeError("no"), KeyError("key"), OSError("no"), MemoryError(), EOFError()]
)
def test_any_other_error_becomes_that_of_readers(
    failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise failure

    monkeypatch.setattr(np, "load", fail)
    with pytest.raises(FileError, match="<BytesIO>: ") as found:
        read_points(io.BytesIO(b"\x93NUMPY"), format="npy")
    assert found.value.__cause__ is failure


def test_wrong_arguments_are_not_errors_of_the_file() -> None:
    for wrong in (0, -1, 1.5, "1"):
        for read in (read_graph, read_labels, read_points):
            with pytest.raises(ValueError, match="max_bytes must be an integer above 0") as found:
                read(io.BytesIO(b"0 1\n"), max_bytes=wrong)
            assert not isinstance(found.value, FileError)
    with pytest.raises(ValueError, match="columns must be") as found:
        read_graph(io.BytesIO(b""), format="parquet", columns=["a"])
    assert not isinstance(found.value, FileError)


def test_sources_are_paths_or_files() -> None:
    wrong: Any
    for wrong in (None, 3, b"0 1"):
        for read in (read_graph, read_labels, read_points):
            with pytest.raises(TypeError, match="source must be a path or a binary file"):
                read(wrong)


def test_files_of_the_caller_stay_open() -> None:
    file = io.BytesIO(b"0 1\n")
    assert read_graph(file).graph.n_edges == 1
    file.seek(0)
    assert read_labels(file).labels.tolist() == [1]


def test_weights_whose_sum_overflows_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "edges.txt"
    path.write_text("0 1 1e308\n1 2 1e308\n")
    with pytest.raises(FileError, match="add up to inf") as refused:
        read_graph(path)
    assert refused.value.file == str(path)
