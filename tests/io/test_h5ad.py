"""AnnData files: nothing outside of them is read, and no more than they may take."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from powercut.io import FileError, read_graph

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")

MATRIX = "obsp/connectivities"


@pytest.fixture
def cells(tmp_path: Path) -> Path:
    data = anndata.AnnData(
        np.zeros((4, 1), dtype=np.float32), obs=pd.DataFrame(index=["a", "b", "c", "d"])
    )
    data.obsp["connectivities"] = sparse.csr_matrix(np.ones((4, 4)) - np.eye(4))
    data.write_h5ad(tmp_path / "cells.h5ad")
    return tmp_path / "cells.h5ad"


def replaced(name: str, **dataset: Any) -> Callable[[Any, Path], None]:
    """Return a function that replaces a dataset."""

    def change(file: Any, folder: Path) -> None:  # noqa: ARG001
        encoding = dict(file[name].attrs)
        del file[name]
        file.create_dataset(name, **dataset).attrs.update(encoding)

    return change


def link(name: str, target: Any) -> Callable[[Any, Path], None]:
    def change(file: Any, folder: Path) -> None:  # noqa: ARG001
        file.move(name, "moved")
        file[name] = target

    return change


def virtual(file: Any, folder: Path) -> None:  # noqa: ARG001
    """Map an array to one of another file."""
    layout = h5py.VirtualLayout(shape=(12,), dtype="f8")
    layout[:] = h5py.VirtualSource("other.h5", "data", shape=(12,))
    del file[f"{MATRIX}/data"]
    file.create_virtual_dataset(f"{MATRIX}/data", layout)


def external(file: Any, folder: Path) -> None:
    """Store an array in another file."""
    (folder / "secret").write_bytes(np.ones(12).tobytes())
    name = f"{MATRIX}/data"
    replaced(name, shape=(12,), dtype="f8", external=[(str(folder / "secret"), 0, 96)])(
        file, folder
    )


def array_for_group(file: Any, folder: Path) -> None:  # noqa: ARG001
    del file["obsp"]
    file.create_dataset("obsp", shape=(10**9,), dtype="f8", chunks=(10**6,))


def index_path(file: Any, folder: Path) -> None:  # noqa: ARG001
    file["obs"].attrs["_index"] = f"../{MATRIX}/data"


def cycle(file: Any, folder: Path) -> None:  # noqa: ARG001
    file[f"{MATRIX}/again"] = file[MATRIX]


def shape(file: Any, folder: Path) -> None:  # noqa: ARG001
    file[MATRIX].attrs["shape"] = np.array([2**31 - 1, 2**31 - 1])


def shared_strings(file: Any, folder: Path) -> None:
    """Make 4,000 names that all point to one text of 60 kB."""
    from h5py import h5d, h5s, h5t

    replaced("obs/_index", data=["x" * 60_000], dtype=h5py.string_dtype())(file, Path())
    text = file["obs/_index"]
    raw = text.id.get_offset()
    file.flush()
    with open(file.filename, "rb") as stored:
        stored.seek(raw)
        pointer = stored.read(16)
    attributes = dict(text.attrs)
    del file["obs/_index"]
    kind = h5t.py_create(h5py.string_dtype(), logical=True)
    made = h5d.create(file["obs"].id, b"_index", kind, h5s.create_simple((4000,)))
    made.write(h5s.ALL, h5s.ALL, np.array(["y"] * 4000, dtype=object), kind)
    file["obs/_index"].attrs.update(attributes)
    file.flush()
    offset = made.get_offset()
    file.close()
    with open(folder / "cells.h5ad", "r+b") as stored:
        stored.seek(offset)
        stored.write(pointer * 4000)


CHANGES = {
    "external link": (link(MATRIX, h5py.ExternalLink("other.h5ad", "/obsp")), "is a link"),
    "soft link": (link(MATRIX, h5py.SoftLink("/moved")), "is a link"),
    "linked array": (link(f"{MATRIX}/data", h5py.SoftLink("/moved")), "is a link"),
    "linked names": (link("obs/_index", h5py.SoftLink("/moved")), "is a link"),
    "linked obs": (link("obs", h5py.SoftLink("/moved")), "is a link"),
    "linked obsp": (link("obsp", h5py.SoftLink("/moved")), "there is no obsp"),
    "array": (array_for_group, "there is no obsp"),
    "virtual": (virtual, "is stored in other files"),
    "external": (external, "is stored in other files"),
    "path of names": (index_path, "there is no '../obsp"),
    "cycle": (cycle, "is not stored as by AnnData"),
    "shape": (shape, "a graph of 2,147,483,647 nodes.*over the limit"),
    "fill value": (
        replaced(f"{MATRIX}/data", shape=(2 * 10**9,), dtype="f8", fillvalue=1.0, chunks=(10**6,)),
        "16,000,000,.*over the limit",
    ),
    "words": (
        replaced(f"{MATRIX}/data", data=["x"] * 12, dtype=h5py.string_dtype()),
        "data has no numbers",
    ),
    "fewer names": (replaced("obs/_index", data=["a", "b"]), "2 names for the 4 nodes"),
    "more names": (replaced("obs/_index", data=list("abcde")), "5 names for the 4 nodes"),
    "index": (replaced(f"{MATRIX}/indices", data=np.full(12, 2**30)), "is not a column"),
    "offsets": (replaced(f"{MATRIX}/indptr", data=[0, 2**30, 6, 9, 12]), "offsets"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_hostile_files_are_refused(name: str, cells: Path) -> None:
    change, message = CHANGES[name]
    with h5py.File(cells, "r+") as file:
        change(file, cells.parent)
    with pytest.raises(FileError, match=message):
        read_graph(cells)


def test_names_that_share_one_text(cells: Path) -> None:
    with h5py.File(cells, "r+") as file:
        shared_strings(file, cells.parent)
    assert cells.stat().st_size < 400_000
    with pytest.raises(FileError, match=r"obs/_index would take .*over the limit"):
        read_graph(cells)


def test_limit_can_be_lifted(cells: Path) -> None:
    with pytest.raises(FileError, match="over the limit of 100:"):
        read_graph(cells, max_bytes=100)
    assert read_graph(cells, max_bytes=10_000).names.tolist() == ["a", "b", "c", "d"]
    with open(cells, "rb") as file:
        assert read_graph(file, format="h5ad").graph.n_edges == 6
