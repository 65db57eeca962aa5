"""Folders whose checksums are right and whose contents no graph has."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_folders import rewrite
from powercut import PowerLawCut
from powercut.disk import open_blocks, write_blocks


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    u, v = np.random.default_rng(0).integers(0, 100, (2, 500))
    weights = np.full(500, 0.5)
    return write_blocks(tmp_path / "graph", [(u, v, weights)])


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        ("indices", 7, 100),
        ("indices", 7, 2**31 - 1),
        ("indices", 7, -1),
        ("offsets", 50, 2**31 - 1),
        ("offsets", 50, 0),
        ("offsets", 50, -5),
        ("weights", 3, np.nan),
        ("weights", 3, np.inf),
        ("weights", 3, -1.0),
        ("weights", 3, 0.0),
    ],
)
def test_values_are_checked_beside_checksums(
    folder: Path, name: str, at: int, value: float
) -> None:
    array = np.load(folder / f"{name}.npy")
    array[at] = value
    np.save(folder / f"{name}.npy", array)
    rewrite(folder, lambda _: None)
    with pytest.raises(ValueError, match=rf"{name}.npy has values in row range"):
        open_blocks(folder)
    with pytest.raises(ValueError, match=rf"{name}.npy has values in row range"):
        PowerLawCut(random_state=0).fit(folder)


def test_what_is_verified_is_what_is_mapped(folder: Path) -> None:
    path = folder / "indices.npy"
    indices = np.load(path)
    wrong = np.full_like(indices, 2**31 - 1)
    np.save(path, wrong)
    path.write_bytes(path.read_bytes() + indices.tobytes())
    with pytest.raises(ValueError, match=r"indices\.npy is damaged: it has more than the array"):
        open_blocks(folder)


@pytest.mark.parametrize(
    ("old", "new"), [(b"'shape': (", b"'shape': [("), (b"{'descr'", b"{'descr"), (b"}", b" ")]
)
def test_headers_that_are_no_expression_are_refused(folder: Path, old: bytes, new: bytes) -> None:
    path = folder / "indices.npy"
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new.ljust(len(old)), 1))
    with pytest.raises(ValueError, match=r"indices\.npy cannot be read"):
        open_blocks(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content.update(blocks=[]), "row ranges end at row 0"),
        (lambda content: content.update(n_nodes=99), "row ranges end at row 100"),
        (lambda content: content.update(n_nodes="100"), "row ranges end at row 100"),
        (lambda content: content["dtypes"].pop("indices"), "its arrays are"),
        (lambda content: content["dtypes"].update({"../x": "<i4"}), "its arrays are"),
        (lambda content: content["dtypes"].update(indices="<f8"), "indices has type '<f8'"),
        (lambda content: content["dtypes"].update(indices="|O"), "indices has type"),
        (lambda content: content["blocks"][0].update(first_row=1), "do not follow each other"),
        (lambda content: content["blocks"][0].update(end_row=-1), "ends before it begins"),
        (lambda content: content["blocks"][0].update(end_row=1.5), "do not follow each other"),
        (lambda content: content["blocks"][0].pop("end_row"), "does not describe a graph"),
        (lambda content: content["blocks"][0].update(checksums={}), "lacks a checksum"),
        (lambda content: content.update(blocks=None), "does not describe a graph"),
        (lambda content: content.update(dtypes=None), "does not describe a graph"),
    ],
)
def test_manifests_must_describe_a_graph(
    folder: Path, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    rewrite(folder, change)
    with pytest.raises(ValueError, match=message):
        open_blocks(folder)


def test_a_rewritten_manifest_is_accepted(folder: Path) -> None:
    # What the tests above refuse, they refuse for what was changed.
    before = open_blocks(folder)
    rewrite(folder, lambda _: None)
    np.testing.assert_array_equal(open_blocks(folder).indices, before.indices)
