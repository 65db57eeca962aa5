"""Graph folders in tests: how they are written, compared and damaged."""

import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from powercut import Graph
from powercut.disk.manifest import MANIFEST, RowRange


def chunks_of(arrays: list[Any], size: int) -> Iterator[tuple[Any, ...]]:
    for start in range(0, len(arrays[0]), size):
        yield tuple(array[start : start + size] for array in arrays)


def upper_edges(graph: Graph) -> list[Any]:
    """Each edge of a graph once, in a random order."""
    matrix = graph.adjacency.tocoo()
    once = np.flatnonzero(matrix.row <= matrix.col)
    once = np.random.default_rng(0).permutation(once)
    ends = [matrix.row[once], matrix.col[once]]
    return ends if graph.weights is None else [*ends, matrix.data[once]]


def assert_same(graph: Graph, other: Graph) -> None:
    np.testing.assert_array_equal(graph.indptr, other.indptr)
    np.testing.assert_array_equal(graph.indices, other.indices)
    assert (graph.weights is None) == (other.weights is None)
    if graph.weights is not None and other.weights is not None:
        assert graph.weights.dtype == other.weights.dtype
        np.testing.assert_array_equal(graph.weights, other.weights)


def bases_of(array: Any) -> Iterator[Any]:
    while array is not None:
        yield array
        array = getattr(array, "base", None)


def is_padding(content: bytes, at: int) -> bool:
    """Whether a byte is padding of the header."""
    return at < 128 and content[at : at + 1] in b" \n"


def rewrite(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the manifest, with checksums of what the files hold now."""
    path = folder / MANIFEST
    content = json.loads(path.read_text())
    content.pop("checksum")
    for entry in content["blocks"]:
        row_range = RowRange(**entry)
        for name in entry["checksums"]:
            begin, end = row_range.items(name)
            data = np.load(folder / f"{name}.npy")[begin:end]
            entry["checksums"][name] = zlib.crc32(data.tobytes())
    change(content)
    content["checksum"] = zlib.crc32(json.dumps(content, sort_keys=True).encode())
    path.write_text(json.dumps(content))
