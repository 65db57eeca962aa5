"""Graph folders that follow changes equal folders that are written afresh."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import powercut
from killing import run_killed
from powercut import Graph, PowerLawCut
from powercut._atomic import locked
from powercut.datasets import make_block_graph
from powercut.disk import changes, open_blocks, write_blocks
from powercut.disk.manifest import MANIFEST, Changes, Manifest
from powercut.disk.updates import GraphFolder
from powercut.estimators._graph_input import is_mapped
from powercut.graphs.edits import Edited, edit

NOTHING = np.empty(0, dtype=np.intp)
ADDED = {MANIFEST, "changes.bin"}


@pytest.fixture(scope="module", autouse=True)
def _without_fsync() -> Iterator[None]:
    # It takes most of the time, and matters only when the power fails.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


def ring(n: int) -> Graph:
    return Graph.from_edges(np.arange(n), (np.arange(n) + 1) % n, symmetrize="max")


def without(graph: Graph, u: Any, v: Any) -> Edited:
    removed = np.asarray(u, dtype=np.intp), np.asarray(v, dtype=np.intp)
    nothing = Graph.from_edges([], [], n_nodes=graph.n_nodes, symmetrize="max")
    return edit(graph, added=nothing, removed=removed, gone=NOTHING, sums=False)


def without_edges_of_ring(graph: Graph, *nodes: int) -> Edited:
    return without(graph, nodes, [(node + 1) % graph.n_nodes for node in nodes])


def opened(path: Path) -> tuple[GraphFolder, Graph]:
    folder = GraphFolder(path)
    return folder, folder.open()[0]


def assert_same(found: Graph, expected: Graph) -> None:
    for name in ("indptr", "indices", "weights"):
        one, other = (getattr(graph, name) for graph in (found, expected))
        assert (one is None) == (other is None), name
        if one is not None:
            assert one.dtype == other.dtype, name
            np.testing.assert_array_equal(one, other, err_msg=name)


def content(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.iterdir() if file.name != "lock"}


@st.composite
def edges(draw: st.DrawFn, n: int, dtype: Any) -> Graph:
    """Draw a graph of n nodes."""
    weights = [1.0] if dtype is None else [1.0, 2.0, 0.3]
    node = st.integers(0, max(0, n - 1))
    some = draw(st.lists(st.tuples(node, node, st.sampled_from(weights)), max_size=2 * n))
    unique = {(min(u, v), max(u, v)): weight for u, v, weight in some}
    u, v = (np.array([pair[end] for pair in unique], dtype=np.intp) for end in (0, 1))
    weight = None if dtype is None else np.array(list(unique.values()), dtype=dtype)
    return Graph.from_edges(u, v, weight, n_nodes=n, symmetrize="max")


@st.composite
def steps(draw: st.DrawFn, graph: Graph, dtype: Any) -> Edited:
    """Draw a change of a graph: edges and nodes that come and go."""
    n, came = graph.n_nodes, draw(st.integers(0, 2))
    listed = np.argwhere(np.triu(graph.adjacency.toarray()))
    lost = sorted(draw(st.sets(st.integers(0, len(listed) - 1)))) if len(listed) else []
    u, v = listed[lost].T if lost else (NOTHING, NOTHING)
    gone = np.array(sorted(draw(st.sets(st.integers(0, n - 1), max_size=2))) if n else [], np.intp)
    more = draw(edges(n + came, dtype)).adjacency.toarray()
    more[gone] = more[:, gone] = 0
    if dtype is None:
        there = graph.adjacency.toarray() > 0
        there[u, v] = there[v, u] = False
        more[:n, :n][there] = 0
    return edit(graph, added=Graph(more), removed=(u, v), gone=gone, sums=dtype is not None)


@settings(deadline=None, derandomize=True, max_examples=100)
@given(data=st.data())
def test_a_folder_with_changes_is_one_written_afresh(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    tmp_path = tmp_path_factory.mktemp("updates")
    dtype = data.draw(st.sampled_from([None, np.float32, np.float64]))
    graph = data.draw(edges(data.draw(st.integers(0, 7)), dtype))
    path = write_blocks(tmp_path / "graph", graph)
    folder = opened(path)[0]
    for number in range(data.draw(st.integers(1, 5))):
        edited = data.draw(steps(graph, dtype))
        graph = edited.graph
        if data.draw(st.integers(0, 4)):
            folder.append(edited.change, {})
        else:
            folder.follow(graph, edited.change)
        fresh = write_blocks(tmp_path / f"{number}", graph)
        assert_same(open_blocks(path), graph)
        assert_same(open_blocks(path), open_blocks(fresh))
        if data.draw(st.booleans()):
            folder = opened(path)[0]  # as another process does
    if graph.n_edges:
        models = [PowerLawCut("modularity", random_state=0).fit(each) for each in (path, fresh)]
        np.testing.assert_array_equal(*(model.labels_ for model in models))


@pytest.fixture
def blocks() -> Graph:
    return make_block_graph(600, degree=8, random_state=0)[0]


def batches(graph: Graph, n_batches: int, size: int) -> Iterator[dict[str, Any]]:
    """Yield changes that each remove edges, and add those that the one before has removed."""
    matrix = graph.adjacency.tocoo()
    once = np.random.default_rng(0).permutation(np.flatnonzero(matrix.row < matrix.col))
    before = once[:0]
    for number in range(n_batches):
        some = once[number * size : (number + 1) * size]
        ends = [(matrix.row[edge], matrix.col[edge]) for edge in (before, some)]
        yield {"added": ends[0], "removed": ends[1]}
        before = some


def test_a_model_of_a_folder_is_updated_as_in_memory(tmp_path: Path, blocks: Graph) -> None:
    path = write_blocks(tmp_path / "graph", blocks)
    model, expected = (PowerLawCut(random_state=0).fit(each) for each in (path, blocks))
    for number, batch in enumerate(batches(blocks, 8, 30)):
        nodes = {"removed_nodes": [number], "added_nodes": [1000 + number]} if number == 7 else {}
        model.update(**batch, **nodes)
        expected.update(**batch, **nodes)
        np.testing.assert_array_equal(model.labels_, expected.labels_)
        np.testing.assert_array_equal(model.cluster_ids_, expected.cluster_ids_)
        assert_same(open_blocks(path), expected._graph)
    fresh = write_blocks(tmp_path / "fresh", expected._graph)
    one, other = (PowerLawCut(random_state=0).fit(each) for each in (path, fresh))
    np.testing.assert_array_equal(one.labels_, other.labels_)
    assert one.objective_ == other.objective_


def test_a_loaded_model_and_its_folder_follow_together(tmp_path: Path, blocks: Graph) -> None:
    path = write_blocks(tmp_path / "graph", blocks)
    first, second, third = batches(blocks, 3, 10)
    model = PowerLawCut(random_state=0).fit(path).update(**first)
    powercut.save(tmp_path / "model.npz", model=model)
    loaded = powercut.load(tmp_path / "model.npz").update(**second, graph=path)
    assert_same(open_blocks(path), loaded._graph)
    with pytest.raises(ValueError, match=r"graph has changed since the model has read it"):
        model.update(**second)
    loaded.update(**third, refit=True)
    assert_same(open_blocks(path), loaded._graph)
    assert loaded._input.folder is not None


def test_a_graph_that_is_passed_opened_leaves_the_folder(tmp_path: Path, blocks: Graph) -> None:
    path = write_blocks(tmp_path / "graph", blocks)
    (batch,) = batches(blocks, 1, 10)
    before = content(path)
    PowerLawCut(random_state=0).fit(path).update(**batch, graph=open_blocks(path))
    assert content(path) == before


def test_a_write_that_fails_leaves_model_and_folder(
    tmp_path: Path, blocks: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_blocks(tmp_path / "graph", blocks)
    model = PowerLawCut(random_state=0).fit(path)
    labels, before = model.labels_, content(path)
    for size in (10, 900):  # appended, written again
        (batch,) = batches(blocks, 1, size)
        with monkeypatch.context() as patch:
            patch.setattr(Manifest, "write", lambda *_: os.stat(tmp_path / "nothing"))
            with pytest.raises(FileNotFoundError):
                model.update(**batch)
        assert model.labels_ is labels
        assert_same(open_blocks(path), blocks)
    assert content(path).keys() - {"changes.bin"} == before.keys()
    model.update(**batch)
    assert_same(open_blocks(path), model._graph)


def test_arrays_are_written_again_past_a_tenth_and_not_before(tmp_path: Path) -> None:
    path = write_blocks(tmp_path / "graph", ring(100))
    notes = path / "weights.txt"
    notes.touch()
    folder, graph = opened(path)
    before = content(path)
    for node in range(0, 20, 2):  # two entries each, of 200
        edited = without_edges_of_ring(graph, node)
        graph = edited.graph
        folder.follow(graph, edited.change)
        after = content(path)
        assert {name for name in after if after[name] != before.get(name)} == ADDED
        assert not is_mapped(open_blocks(path).indices)
    edited = without_edges_of_ring(graph, 50)
    folder.follow(edited.graph, edited.change)
    assert content(path).keys() == {MANIFEST, "offsets-1.npy", "indices-1.npy", notes.name}
    assert is_mapped(open_blocks(path).indices)
    assert_same(open_blocks(path), edited.graph)
    edited = without_edges_of_ring(edited.graph, 60)
    folder.follow(edited.graph, edited.change)
    assert_same(open_blocks(path), edited.graph)
    assert (path / "changes-1.bin").exists()


def test_bytes_are_those_of_the_change_whatever_the_graph(tmp_path: Path) -> None:
    def written(n: int, n_edges: int) -> int:
        path = write_blocks(tmp_path / f"{n}-{n_edges}", ring(n))
        folder, graph = opened(path)
        before = content(path)
        edited = without_edges_of_ring(graph, *range(0, 2 * n_edges, 2))
        folder.append(edited.change, {})
        after = content(path)
        touched = {name for name in after if after[name] != before.get(name)}
        assert touched == ADDED
        assert len(after[MANIFEST]) < 1000
        return len(after["changes.bin"])

    few, many = written(50_000, 10), written(50_000, 1010)
    assert written(1000, 10) == few
    assert many - few == 1000 * (4 + 4 + 1)


# A program that updates a folder, and is killed before a call of the system.
UPDATE = """
import sys
from pathlib import Path
import numpy as np
from powercut import Graph
from powercut.disk.updates import GraphFolder
from powercut.graphs.edits import edit

path, n_edges, name, text = sys.argv[1:]
folder = GraphFolder(Path(path))
graph = folder.open()[0]
u = np.arange(0, 2 * int(n_edges), 2)
nothing = Graph.from_edges([], [], n_nodes=graph.n_nodes, symmetrize="max")
edited = edit(graph, added=nothing, removed=(u, u + 1), gone=u[:0], sums=False)
kill_at(name, text)
folder.follow(edited.graph, edited.change)
"""
APPEND, AGAIN = 3, 30
MOMENTS = {
    "a record is written, and not yet flushed": (APPEND, "fsync", "", False),
    "a record is flushed, and the manifest is not": (APPEND, "replace", MANIFEST, False),
    "an array is written again, and not yet flushed": (AGAIN, "fsync", "", False),
    "the arrays are written again, and not yet named": (AGAIN, "replace", MANIFEST, False),
    "the old arrays are half removed": (AGAIN, "unlink", "indices.npy", True),
}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_update_leaves_the_old_graph_or_the_new_one(tmp_path: Path, moment: str) -> None:
    n_edges, name, text, is_new = MOMENTS[moment]
    path = write_blocks(tmp_path / "graph", ring(200))
    run_killed(UPDATE, str(path), str(n_edges), name, text)
    folder, graph = opened(path)
    assert graph.n_edges == (200 - n_edges if is_new else 200)
    edited = without_edges_of_ring(graph, 151)
    folder.follow(edited.graph, edited.change)
    assert_same(open_blocks(path), edited.graph)
    generation = "-1" if is_new else ""
    arrays = {f"{array}{generation}.npy" for array in ("offsets", "indices")}
    assert content(path).keys() == {MANIFEST, f"changes{generation}.bin", *arrays}


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    path = write_blocks(tmp_path / "graph", ring(100))
    folder, graph = opened(path)
    for node in (5, 20):
        edited = without_edges_of_ring(graph, node)
        graph = edited.graph
        folder.append(edited.change, {})
    return path


def test_damaged_changes_are_refused_by_name(changed: Path) -> None:
    path = changed / "changes.bin"
    intact = path.read_bytes()
    random = np.random.default_rng(0)
    for at in {0, len(intact) - 1, *random.integers(0, len(intact), size=60).tolist()}:
        flipped = bytearray(intact)
        flipped[at] ^= 1 << int(random.integers(8))
        path.write_bytes(flipped)
        with pytest.raises(ValueError, match=r"changes\.bin is damaged"):
            PowerLawCut().fit(changed)
    path.write_bytes(intact[:-1])
    with pytest.raises(ValueError, match=r"changes\.bin is damaged"):
        open_blocks(changed)
    path.unlink()
    with pytest.raises(ValueError, match=r"changes\.bin cannot be read"):
        open_blocks(changed)


def test_bytes_after_the_records_are_not_read(changed: Path) -> None:
    expected = open_blocks(changed)
    with (changed / "changes.bin").open("ab") as file:
        file.write(b"begun by a process that was killed")
    assert_same(open_blocks(changed), expected)


WRONG = {
    "a node is not one of 100": {"u": np.array([100], np.int32), "v": np.array([100], np.int32)},
    "several lengths": {"u": np.array([1, 2], np.int32)},
    "not finite": {"weight": np.array([np.nan])},
    "100 nodes become 99": {"n_all": np.array([99])},
    "an array of type <i2": {"gone": np.array([1], np.int16)},
    "an array of type <f8 has shape": {"weight": np.ones((1, 1))},
}


@pytest.mark.parametrize("message", WRONG)
def test_changes_that_no_graph_has_are_refused(tmp_path: Path, message: str) -> None:
    path = write_blocks(tmp_path / "graph", ring(100))
    folder, graph = opened(path)
    record = changes.record_of(without_edges_of_ring(graph, 5).change, folder.nodes)
    manifest = Manifest.read(path)
    after = changes.append(path, manifest, {**record, **WRONG[message]}, n_entries=2)
    replace(manifest, changes=after).write(path)
    with pytest.raises(ValueError, match=rf"changes\.bin has changes that no graph has.*{message}"):
        open_blocks(path)
    replace(manifest, changes=replace(after, n_bytes=-1)).write(path)
    with pytest.raises(ValueError, match=r"does not describe a graph: its updates .* -1"):
        open_blocks(path)


def test_other_bytes_with_the_right_checksum_are_refused(changed: Path) -> None:
    import zlib

    data = b"neither arrays nor names"
    (changed / "changes.bin").write_bytes(data)
    manifest = replace(Manifest.read(changed), changes=Changes(len(data), 1, zlib.crc32(data)))
    manifest.write(changed)
    with pytest.raises(ValueError, match=r"changes\.bin has changes that no graph has"):
        open_blocks(changed)


def test_a_folder_has_one_writer_at_a_time(changed: Path) -> None:
    folder, graph = opened(changed)
    edited = without_edges_of_ring(graph, 50)
    with (
        locked(changed, "process that updates it"),
        pytest.raises(ValueError, match="used by another process that updates it"),
    ):
        folder.append(edited.change, {})
    other, _ = opened(changed)
    other.append(edited.change, {})
    with pytest.raises(ValueError, match="has changed since the model has read it"):
        folder.append(edited.change, {})


def test_a_folder_that_is_gone_is_said_to_be(tmp_path: Path, blocks: Graph) -> None:
    path = write_blocks(tmp_path / "graph", blocks)
    model = PowerLawCut(random_state=0).fit(path)
    shutil.rmtree(path)
    with pytest.raises(ValueError, match="is not a graph folder"):
        model.update(removed_nodes=[0])


def test_a_folder_that_was_never_updated_has_version_1(tmp_path: Path) -> None:
    path = write_blocks(tmp_path / "graph", ring(100))
    assert '"version": 1' in (path / MANIFEST).read_text()
    folder, graph = opened(path)
    folder.append(without_edges_of_ring(graph, 5).change, {})
    assert '"version": 2' in (path / MANIFEST).read_text()
