"""Folders of `powercut.disk`: edited arrays and manifests, with checksums that are right."""

import io
import json
import shutil
import zlib
from random import Random
from typing import Any

import numpy as np
from edits import edit_array, edit_bytes, edit_json
from target import Target
from targets.models import memory_folder

from powercut import PowerLawCut
from powercut.disk import open_blocks, write_blocks
from powercut.disk.manifest import MANIFEST, RowRange


def prepare(_: str) -> Target:
    """Write valid folders."""
    place = memory_folder()
    u, v = np.random.default_rng(0).integers(0, 40, (2, 150))
    folders = [
        write_blocks(place / "plain", [(u, v)], memory="20KiB"),
        write_blocks(place / "weighted", [(u, v, np.full(150, 0.5))], memory="20KiB"),
        write_blocks(place / "gaps", [(u, v)], memory="20KiB", encoding="gaps"),
    ]
    files = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders]
    edited = place / "edited"

    def make(random: Random) -> dict[str, bytes]:
        return edit(random, random.choice(files))

    def check(files: dict[str, bytes]) -> None:
        shutil.rmtree(edited, ignore_errors=True)
        edited.mkdir()
        for name, data in files.items():
            (edited / name).write_bytes(data)
        graph = open_blocks(edited)
        PowerLawCut("modularity", tradeoff=1.0, random_state=0).fit(graph)

    return Target(make, check, (ValueError,))


def edit(random: Random, files: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files of a folder with an edited array, manifest or both."""
    files = dict(files)
    content = json.loads(files[MANIFEST])
    content.pop("checksum")
    kind = random.choice(("bytes", "array", "array", "array", "manifest", "manifest", "both"))
    name = random.choice(sorted(name for name in files if name.endswith(".npy")))
    if kind == "bytes":
        files[name] = edit_bytes(random, files[name])
    elif kind != "manifest":
        array = edit_array(random, np.load(io.BytesIO(files[name])))
        file = io.BytesIO()
        np.save(file, array, allow_pickle=True)
        files[name] = file.getvalue()
        if random.random() < 0.9:
            update_checksums(content, name.removesuffix(".npy"), array)
    if kind in ("manifest", "both"):
        content = edit_json(random, content)
    if isinstance(content, dict):
        content["checksum"] = zlib.crc32(json.dumps(content, sort_keys=True).encode())
    files[MANIFEST] = json.dumps(content).encode()
    return files


def update_checksums(content: Any, name: str, array: Any) -> None:
    """Let the manifest have the type and the checksums of an array."""
    for entry in content["blocks"]:
        begin, end = RowRange(**entry).items(name)
        entry["checksums"][name] = zlib.crc32(np.atleast_1d(array)[begin:end].tobytes())
    content["dtypes"][name] = array.dtype.str
