"""Graph folders in gap code: the same graph and the same labels, and nothing that is no code."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_folders import assert_same, bases_of, chunks_of, is_padding, rewrite, upper_edges
from powercut import Graph, PowerLawCut
from powercut.datasets import make_block_graph, write_block_graph
from powercut.disk import columns, open_blocks, write_blocks
from powercut.disk.manifest import MANIFEST, Manifest, RowRange
from powercut.graphs.gap_code import PADDING

FILES = {MANIFEST, "offsets.npy", "gaps.npy", "starts.npy"}


@pytest.fixture(scope="module", autouse=True)
def _without_fsync() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="module")
def blocks() -> Graph:
    return make_block_graph(600, degree=8, random_state=0)[0]


@pytest.fixture
def written(tmp_path: Path, blocks: Graph) -> Path:
    edges = chunks_of(upper_edges(blocks), 500)
    return write_blocks(tmp_path / "graph", edges, n_nodes=600, memory="32KiB", encoding="gaps")


def weighted(graph: Graph, dtype: Any) -> Graph:
    matrix = graph.adjacency.tocoo()
    weight = 1 + (matrix.row + matrix.col) % 5
    return Graph.from_edges(matrix.row, matrix.col, weight.astype(dtype), n_nodes=graph.n_nodes)


@settings(deadline=None, derandomize=True, max_examples=30)
@given(
    edges=st.lists(st.tuples(st.integers(0, 700), st.integers(0, 700)), max_size=60),
    dtype=st.sampled_from([None, np.float32, np.float64]),
    memory=st.sampled_from([64 * 70, "2GiB"]),
)
def test_the_graph_is_that_of_a_plain_folder(
    tmp_path_factory: pytest.TempPathFactory,
    edges: list[tuple[int, int]],
    dtype: Any,
    memory: Any,
) -> None:
    u, v = (np.array([edge[end] for edge in edges], dtype=np.int64) for end in (0, 1))
    arrays = [u, v] if dtype is None else [u, v, np.full(len(u), 2.5, dtype=dtype)]
    folder = tmp_path_factory.mktemp("gaps")
    plain, gaps = (
        open_blocks(write_blocks(folder / encoding, [arrays], memory=memory, encoding=encoding))
        for encoding in ("plain", "gaps")
    )
    assert gaps.n_edges == plain.n_edges
    assert_same(gaps, plain)
    # Each encoding is written from the other.
    again = write_blocks(folder / "again", gaps, memory="1MiB")
    back = write_blocks(folder / "back", open_blocks(again), memory="1MiB", encoding="gaps")
    for one, other in ((again, folder / "plain"), (back, folder / "gaps")):
        for file in other.glob("*.npy"):
            assert file.read_bytes() == (one / file.name).read_bytes()


def test_the_manifest_says_the_encoding(written: Path, blocks: Graph) -> None:
    assert {path.name for path in written.iterdir()} == FILES
    content = json.loads((written / MANIFEST).read_text())
    assert content["version"] == 3
    assert Manifest.read(written).encoding == "gaps"
    assert len(content["blocks"]) > 5
    codes = np.load(written / "gaps.npy")
    assert len(codes) == content["blocks"][-1]["end_byte"] + PADDING
    assert len(codes) < 2.5 * blocks.n_entries
    graph = open_blocks(written)
    for array in (graph.indptr, *graph.arrays[1][:2]):
        assert not array.flags.writeable
        assert any(isinstance(base, np.memmap) for base in bases_of(array))


@pytest.mark.parametrize("score", ["likelihood", "ncut", "modularity"])
@pytest.mark.parametrize("dtype", [None, np.float32, np.float64])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_labels_are_those_of_the_plain_graph(
    tmp_path: Path, blocks: Graph, score: str, dtype: Any, n_jobs: int
) -> None:
    graph = blocks if dtype is None else weighted(blocks, dtype)
    path = write_blocks(tmp_path / "graph", graph, encoding="gaps")
    model = PowerLawCut(score, random_state=0, n_jobs=n_jobs).fit(path)
    expected = PowerLawCut(score, random_state=0).fit(graph)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert model.objective_ == expected.objective_


def test_a_fit_does_not_decode_the_graph(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def decode(*_: object) -> None:
        raise AssertionError("all rows were decoded")

    monkeypatch.setattr(Graph, "indices", property(decode))
    PowerLawCut(random_state=0).fit(written)


def test_generated_graphs_are_written_in_gap_code(tmp_path: Path) -> None:
    options: dict[str, Any] = {"mixing": 0.3, "random_state": 3}
    write_block_graph(tmp_path / "graph", 2000, memory="200KiB", encoding="gaps", **options)
    assert Manifest.read(tmp_path / "graph").encoding == "gaps"
    assert_same(open_blocks(tmp_path / "graph"), make_block_graph(2000, **options)[0])


@pytest.mark.parametrize("name", ["gaps.npy", "starts.npy", MANIFEST])
def test_a_flipped_bit_anywhere_is_detected(written: Path, name: str) -> None:
    path = written / name
    intact = path.read_bytes()
    random = np.random.default_rng(0)
    places = {0, 128, *range(len(intact) - 20, len(intact))}
    for at in places | set(random.integers(0, len(intact), size=60).tolist()):
        flipped = bytearray(intact)
        flipped[at] ^= 1 << int(random.integers(8))
        path.write_bytes(flipped)
        if name != MANIFEST and is_padding(intact, at):
            continue
        with pytest.raises(ValueError, match=r"damaged|cannot be read|manifest|version"):
            open_blocks(written)


@pytest.mark.parametrize("name", ["gaps", "starts"])
def test_truncated_files_are_refused(written: Path, name: str) -> None:
    path = written / f"{name}.npy"
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(ValueError, match=rf"{name}\.npy cannot be read"):
        open_blocks(written)
    np.save(path, np.zeros(3, dtype=np.uint8 if name == "gaps" else np.uint32))
    with pytest.raises(ValueError, match=r"and the manifest says"):
        open_blocks(written)


@pytest.mark.parametrize(
    ("name", "at", "value", "said"),
    [
        ("gaps", 0, 255, "gaps"),  # a control byte: longer gaps than there are bytes
        ("gaps", 3, 255, "gaps"),
        ("gaps", 500, 255, "gaps"),
        ("starts", 50, 0, "starts"),  # it wraps
        ("starts", 50, 2**32 - 1, "starts"),
        ("starts", 600, 2**32 - 1, "starts"),
        ("offsets", 50, 0, "offsets"),
    ],
)
def test_values_are_checked_beside_checksums(
    written: Path, name: str, at: int, value: int, said: str
) -> None:
    array = np.load(written / f"{name}.npy")
    array[at] = value
    np.save(written / f"{name}.npy", array)
    rewrite(written, lambda _: None)
    with pytest.raises(ValueError, match=rf"{said}.npy has values in row range"):
        open_blocks(written)


def test_every_changed_byte_is_no_code_or_another_graph(written: Path) -> None:
    path = written / "gaps.npy"
    codes = np.load(path)
    random = np.random.default_rng(0)
    n_opened = 0
    for at in random.integers(0, len(codes) - PADDING, 60):
        changed = codes.copy()
        changed[at] ^= 1 << int(random.integers(8))
        np.save(path, changed)
        rewrite(written, lambda _: None)
        try:
            graph = open_blocks(written)
        except ValueError:
            continue
        n_opened += 1
        assert 0 <= graph.indices.min() <= graph.indices.max() < 600
        PowerLawCut("modularity", tradeoff=1.0, random_state=0).fit(written)
    assert 0 < n_opened < 60


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content["dtypes"].pop("starts"), "its arrays are"),
        (lambda content: content["dtypes"].update(indices="<i4"), "its arrays are"),
        (lambda content: content["dtypes"].update(gaps="<i4"), "gaps has type"),
        (lambda content: content["blocks"][1].update(first_byte=0), "do not follow each other"),
        (lambda content: content["blocks"][-1].update(end_byte=0), "ends before it begins"),
        (lambda content: content["blocks"][-1].update(end_byte=10**12), "manifest says"),
        (lambda content: content["blocks"][0].update(end_byte=1.5), "do not follow each other"),
        (lambda content: content.update(blocks=[]), "row ranges end at row 0"),
    ],
)
def test_manifests_must_describe_a_graph(written: Path, change: Any, message: str) -> None:
    rewrite(written, change)
    with pytest.raises(ValueError, match=message):
        open_blocks(written)


def test_updates_keep_the_encoding(tmp_path: Path, blocks: Graph) -> None:
    path = write_blocks(tmp_path / "graph", blocks, encoding="gaps")
    model = PowerLawCut(random_state=0).fit(path)
    matrix = blocks.adjacency.tocoo()
    few, many = matrix.row < 5, matrix.row < 200
    model.update(removed=(matrix.row[few], matrix.col[few]))
    assert_same(open_blocks(path), model._graph)
    assert Manifest.read(path).generation == 0
    rest = many & ~few & (matrix.col >= 5)
    model.update(removed=(matrix.row[rest], matrix.col[rest]))
    manifest = Manifest.read(path)
    assert (manifest.generation, manifest.encoding) == (1, "gaps")
    assert_same(open_blocks(path), model._graph)
    fresh = write_blocks(tmp_path / "fresh", model._graph, encoding="gaps")
    assert (fresh / "gaps.npy").read_bytes() == (path / "gaps-1.npy").read_bytes()


def test_rows_of_4_gib_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "LONGEST", 100)
    star = np.zeros(200, dtype=int), np.arange(200)
    with pytest.raises(ValueError, match=r'node 0 has 200 entries.*encoding="plain"'):
        write_blocks(tmp_path / "graph", [star], encoding="gaps")
    assert not list(tmp_path.iterdir())


def test_unknown_encodings_are_refused(tmp_path: Path, blocks: Graph) -> None:
    for edges in (blocks, [([0], [1])]):
        with pytest.raises(ValueError, match="encoding"):
            write_blocks(tmp_path / "graph", edges, encoding="zip")


def test_a_row_range_has_bytes_in_gap_code() -> None:
    row_range = RowRange(0, 3, 0, 7, {}, 5, 15)
    assert row_range.items("gaps") == (5, 15)
    assert row_range.items("starts") == (1, 4)
