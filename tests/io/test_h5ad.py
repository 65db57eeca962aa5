"""AnnData files: nothing outside of them is read, and no more than they may take."""

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from powercut.io import FileError, read_graph
from powercut.io._hdf5_strings import HDF5Strings

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
    "chunk": (
        replaced(f"{MATRIX}/data", shape=(12,), dtype="f8", chunks=(2**28,), maxshape=(None,)),
        "2,147,483,.*over the limit",
    ),
    "string for missing names": (
        replaced("obs/_index", shape=(4,), dtype=h5py.string_dtype(), fillvalue="x" * 10**5),
        "_index is not stored as by AnnData",
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


def names_stored(path: Path, **stored: Any) -> None:
    with h5py.File(path, "r+") as file:
        replaced("obs/_index", data=list("abcd"), dtype=h5py.string_dtype(), **stored)(file, path)


def references(image: bytes) -> list[int]:
    """Return where a file refers to a string: its length, a part of the heap, and an index."""
    found = []
    for at in range(len(image) - 15):
        length, heap, index = struct.unpack_from("<IQI", image, at)
        if 0 < length < 100 and 0 < index < 100 and image[heap : heap + 4] == b"GCOL":
            found.append(at)
    return found


@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize("stored", [{}, {"chunks": (3,)}], ids=["contiguous", "chunks"])
def test_declared_lengths_of_strings_are_limited_before_they_are_read(
    cells: Path, stored: Any, libver: str
) -> None:
    names_stored(cells, **stored)
    again = cells.with_name("again.h5ad")
    with h5py.File(cells) as file, h5py.File(again, "w", libver=libver) as other:
        for name in file:
            file.copy(name, other)
    image = again.read_bytes()
    messages = []
    for at in references(image):
        again.write_bytes(image[:at] + struct.pack("<I", 2**32 - 1) + image[at + 4 :])
        try:
            read_graph(again)  # not all of the file is read
        except FileError as error:
            messages.append(str(error))
    # Four names, and the encoding of the matrix, of obs and of the names, with versions; _index.
    assert len(messages) >= 11
    # HDF5 says something else, when it is too late.
    assert all("over the limit" in message for message in messages)


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"chunks": (3,), "maxshape": (None,)},
        {"chunks": (3,), "compression": "gzip"},
        {"chunks": (3,), "compression": "lzf", "shuffle": True},
    ],
    ids=["contiguous", "chunks", "gzip", "lzf"],
)
def test_lengths_of_strings(cells: Path, stored: Any) -> None:
    names = ["", "ä", "abc", "x" * 100_000]
    with h5py.File(cells, "r+") as file:
        file.create_dataset("names", data=names, dtype=h5py.string_dtype(), **stored)
        file.create_dataset("nothing", shape=(5,), dtype=h5py.string_dtype(), **stored)
    with h5py.File(cells) as file:
        strings = HDF5Strings(file, cells)
        assert strings.in_dataset(file["names"]) == sum(len(name.encode()) for name in names)
        assert strings.in_dataset(file["nothing"]) == 0


@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize("n", [0, 1, 7])
def test_lengths_of_attributes(cells: Path, libver: str, n: int) -> None:
    with h5py.File(cells, "w", libver=libver) as file:
        group = file.create_group("group")
        for number in range(n):
            group.attrs[f"attribute {number}"] = [b"numbers"] * number
            group.attrs[f"attribute {number}"] = ["x" * 100 * number] * number
        group.attrs["number"] = np.arange(6)
    with h5py.File(cells) as file:
        length = HDF5Strings(file, cells).in_attributes(file["group"])
    assert length == sum(100 * number**2 for number in range(n))


def many_attributes(file: Any, folder: Path) -> None:
    """Store attributes in a heap of their own."""
    file.close()
    with h5py.File(folder / "cells.h5ad", "r+", libver="latest") as again:
        attributes = dict(again[MATRIX].attrs)
        again.move(MATRIX, "moved")
        group = again.create_group(MATRIX)
        for name in ("data", "indices", "indptr"):
            again.move(f"moved/{name}", f"{MATRIX}/{name}")
        group.attrs.update(attributes)
        for number in range(20):
            group.attrs[f"attribute {number}"] = "text"


def test_attributes_stored_elsewhere_are_refused(cells: Path) -> None:
    with h5py.File(cells, "r+") as file:
        many_attributes(file, cells.parent)
    with pytest.raises(FileError, match="an attribute of /obsp/connectivities is not stored as by"):
        read_graph(cells)


def test_chunks_that_would_end_after_the_file_are_refused(cells: Path) -> None:
    with h5py.File(cells, "r+") as file:
        data = file[f"{MATRIX}/data"][:]
        replaced(f"{MATRIX}/data", data=data, chunks=(6,), compression="gzip")(file, cells)
        chunk = file[f"{MATRIX}/data"].id.get_chunk_info(0)
    image = cells.read_bytes()
    assert read_graph(cells).graph.n_edges == 6
    # The index of chunks has the size in four bytes, a mask of filters, and the place in the array.
    entry = struct.pack("<IIQ", chunk.size, 0, 0)
    assert image.count(entry) == 1
    cells.write_bytes(image.replace(entry, struct.pack("<IIQ", 2**32 - 1, 0, 0)))
    with pytest.raises(FileError, match="a part of /obsp/connectivities/data would end after"):
        read_graph(cells)
