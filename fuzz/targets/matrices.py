"""Sparse matrices in NPZ and AnnData files: edited arrays, shapes, attributes and bytes."""

import io
import re
from random import Random
from typing import Any

import h5py
import numpy as np
import scipy.sparse as sp
from edits import edit_array, edit_bytes
from target import Target
from targets.text import FileError, check_graph

DENSE = np.array([[0, 1, 0, 2], [1, 0, 1, 0], [0, 1, 0, 1], [2, 0, 1, 0.0]])
SHAPES = ((4, 4), (4, 5), (3, 3), (4,), (-4, 4), (10**6, 10**6), (2**31, 2**31), (2**62, 4), ())
ENCODINGS = ("csr_matrix", "csc_matrix", "array", "dataframe", "coo", "")


def parts_of(kind: str) -> dict[str, Any]:
    """Return the arrays that `scipy.sparse.save_npz` writes."""
    file = io.BytesIO()
    sp.save_npz(file, sp.coo_array(DENSE).asformat(kind))
    file.seek(0)
    with np.load(file) as stored:
        return dict(stored)


NPZ = [parts_of(kind) for kind in ("csr", "csc", "coo", "bsr", "dia")]
H5AD = {
    **{f"graph/{name}": getattr(sp.csr_array(DENSE), name) for name in ("data", "indices")},
    "graph/indptr": sp.csr_array(DENSE).indptr,
    "names": np.array([b"ann", b"bob", b"carl", b"dora"]),
}

STORED: list[dict[str, Any]] = [
    {},
    {"chunks": (3,), "maxshape": (None,)},
    {"chunks": (3,), "compression": "gzip", "maxshape": (None,)},
    {"chunks": (3,), "compression": "lzf", "maxshape": (None,)},
]


def prepare(name: str) -> Target:
    """Return the target of one format."""
    write = write_npz if name == "npz" else write_h5ad

    def make(random: Random) -> bytes:
        data = write(random)
        return data if random.random() < 0.75 else edit_bytes(random, data)

    return Target(make, check_graph(name), (FileError,))


def edit_parts(random: Random, parts: dict[str, Any]) -> dict[str, Any]:
    """Return arrays of which up to three are edited or missing."""
    parts = dict(parts)
    for _ in range(random.randint(0, 3)):
        name = random.choice(list(parts))
        if random.random() < 0.9:
            parts[name] = edit_array(random, parts[name])
        else:
            parts[name] = np.array(random.choice(SHAPES))
    return parts


def write_npz(random: Random) -> bytes:
    """Return an archive of the arrays of a matrix."""
    parts = edit_parts(random, random.choice(NPZ))
    file = io.BytesIO()
    # Arrays of objects are pickled, and must be refused.
    random.choice((np.savez, np.savez_compressed))(file, allow_pickle=True, **parts)
    return file.getvalue()


def write_h5ad(random: Random) -> bytes:
    """Return an AnnData file with a graph and names."""
    parts = edit_parts(random, H5AD)
    with h5py.File("memory", "w", driver="core", backing_store=False) as file:
        graph = file.create_group("obsp/connectivities")
        encoding = ENCODINGS[0] if random.random() < 0.75 else random.choice(ENCODINGS)
        graph.attrs.update({"encoding-type": encoding, "encoding-version": "0.1.0"})
        graph.attrs["shape"] = SHAPES[0] if random.random() < 0.75 else random.choice(SHAPES)
        obs = file.create_group("obs")
        obs.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.2.0"})
        obs.attrs.update({"_index": "_index", "column-order": np.array([], "S1")})
        for name, array in parts.items():
            place = graph if "/" in name else obs
            _put(random, place, name.rpartition("/")[2].replace("names", "_index"), array)
        file.flush()
        image: bytes = file.id.get_file_image()
    return image if random.random() < 0.75 else edit_reference(random, image)


def edit_reference(random: Random, image: bytes) -> bytes:
    """Change the length that a reference to a string declares, before its address in the heap."""
    heap = image.find(b"GCOL").to_bytes(8, "little", signed=True)
    places = [found.start() - 4 for found in re.finditer(re.escape(heap), image)]
    if not places:
        return image
    place = random.choice(places)
    length = random.choice((0, 1, 2**20, 2**31 - 1, 2**32 - 1, random.getrandbits(32)))
    return image[:place] + length.to_bytes(4, "little") + image[place + 4 :]


def _put(random: Random, group: Any, name: str, array: Any) -> None:
    """Store an array, which may be elsewhere, missing, or larger than what the file holds."""
    kind = random.randint(0, 31)
    if kind == 0:
        group[name] = h5py.ExternalLink("/etc/passwd", "data")
    elif kind == 1:
        group[name] = h5py.SoftLink(random.choice((f"/{name}", "/obs", group.name)))
    elif kind == 2:
        group.create_dataset(name, shape=(2**40,), dtype="f8", chunks=(2**10,), compression="gzip")
    elif array.dtype.kind == "S" and kind % 2:
        text = [item.decode("latin-1").replace("\0", "") for item in array.ravel()]
        group.create_dataset(name, data=text, dtype=h5py.string_dtype(), **random.choice(STORED))
    elif array.dtype.kind == "U":
        group[name] = array.astype("S")
    elif array.dtype.kind == "O":
        group[name] = [str(item) for item in array.ravel()]
    else:
        group[name] = array
    if kind > 3 and array.dtype.kind == "S":
        group[name].attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})
    elif kind > 3:
        group[name].attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
