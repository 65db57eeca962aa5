"""Graphs on disk equal those in memory; incomplete or damaged folders are refused."""

import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import eye_array

import powercut
from graph_folders import assert_same, bases_of, chunks_of, is_padding, upper_edges
from powercut import Graph, PowerLawClusters, PowerLawCut, Progress
from powercut.datasets import make_block_graph
from powercut.disk import open_blocks, write_blocks
from powercut.disk.manifest import MANIFEST
from powercut.disk.sorting import MOST_NODES

Chunk = tuple[Any, ...]


@pytest.fixture(scope="module", autouse=True)
def _without_fsync() -> Iterator[None]:
    # It takes most of the time, and matters only when the power fails.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture
def blocks() -> Graph:
    return make_block_graph(600, degree=8, random_state=0)[0]


@pytest.fixture
def written(tmp_path: Path, blocks: Graph) -> Path:
    # Memory for a few hundred entries, so that there are many row ranges.
    return write_blocks(
        tmp_path / "graph", chunks_of(upper_edges(blocks), 500), n_nodes=600, memory="32KiB"
    )


WHOLE_NUMBERS = st.integers(0, 3).map(float)  # their sums are exact, in any order


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    edges=st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12), WHOLE_NUMBERS), max_size=60),
    dtype=st.sampled_from([None, np.float32, np.float64, np.int64]),
    symmetrize=st.sampled_from(["sum", "max", "mean"]),
    more_nodes=st.integers(0, 3),
    chunk=st.integers(1, 20),
    memory=st.sampled_from([64 * 70, "2GiB"]),
)
def test_the_graph_equals_that_of_from_edges(
    tmp_path_factory: pytest.TempPathFactory,
    edges: list[tuple[int, int, float]],
    dtype: Any,
    symmetrize: Any,
    more_nodes: int,
    chunk: int,
    memory: Any,
) -> None:
    u, v = (np.array([edge[end] for edge in edges], dtype=np.int64) for end in (0, 1))
    n_nodes = max([-1, *u, *v]) + 1 + more_nodes
    weight = None if dtype is None else np.array([edge[2] for edge in edges], dtype=dtype)
    arrays = [u, v] if weight is None else [u, v, weight]
    path = write_blocks(
        tmp_path_factory.mktemp("disk") / "graph",
        chunks_of(arrays, chunk),
        n_nodes=n_nodes if more_nodes else None,
        symmetrize=symmetrize,
        memory=memory,
    )
    expected = Graph.from_edges(u, v, weight, n_nodes=n_nodes, symmetrize=symmetrize)
    assert_same(open_blocks(path), expected)


@pytest.mark.parametrize("symmetrize", ["sum", "max", "mean"])
def test_duplicates_and_both_directions_are_combined(tmp_path: Path, symmetrize: Any) -> None:
    u, v = np.random.default_rng(0).integers(0, 40, size=(2, 3000))
    chunks = chunks_of([u, v], 700)
    path = write_blocks(tmp_path / "graph", chunks, symmetrize=symmetrize, memory="32KiB")
    assert_same(open_blocks(path), Graph.from_edges(u, v, symmetrize=symmetrize))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_graph_is_written_unchanged(tmp_path: Path, blocks: Graph, dtype: Any) -> None:
    weighted = blocks.adjacency.astype(dtype)
    weighted.data[:] = (1 + blocks.indices + np.repeat(np.arange(600), np.diff(blocks.indptr))) / 7
    graph = Graph(weighted + eye_array(600, dtype=dtype))
    assert_same(open_blocks(write_blocks(tmp_path / "weighted", graph)), graph)
    assert_same(open_blocks(write_blocks(tmp_path / "blocks", blocks)), blocks)


def test_the_first_weight_other_than_1_may_be_in_a_late_row_range(tmp_path: Path) -> None:
    u = np.append(np.arange(2000), [1500, 1500])
    path = write_blocks(tmp_path / "graph", [(u, u + 1)], memory="32KiB")
    expected = Graph.from_edges(u, u + 1, symmetrize="max")
    assert expected.weights is not None
    assert expected.weights.max() == 3
    assert_same(open_blocks(path), expected)


def test_rounded_sums_are_symmetric_bit_for_bit(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    u, v = random.integers(0, 6, size=(2, 2000))
    path = write_blocks(
        tmp_path / "graph", [(u, v, random.random(2000))], symmetrize="sum", memory="64KiB"
    )
    matrix = open_blocks(path).adjacency
    np.testing.assert_array_equal(matrix.toarray(), matrix.toarray().T)


def test_files_are_plain_arrays_with_row_ranges_in_the_manifest(
    written: Path, blocks: Graph
) -> None:
    files = {path.name for path in written.iterdir()}
    assert files == {MANIFEST, "offsets.npy", "indices.npy"}
    np.testing.assert_array_equal(np.load(written / "indices.npy"), blocks.indices)
    ranges = json.loads((written / MANIFEST).read_text())["blocks"]
    assert len(ranges) > 5
    assert [0, *(rows["end_row"] for rows in ranges)] == [
        *(rows["first_row"] for rows in ranges),
        600,
    ]
    entries = [rows["end_entry"] - rows["first_entry"] for rows in ranges]
    assert max(entries) <= 512
    assert list(written.parent.iterdir()) == [written]


def test_arrays_are_mapped_and_not_copied(written: Path) -> None:
    for array in open_blocks(written).arrays[:2]:
        assert array is not None
        assert not array.flags.writeable
        assert any(isinstance(base, np.memmap) for base in bases_of(array))


@pytest.mark.parametrize("score", ["likelihood", "ncut"])
def test_a_path_gives_the_labels_of_the_graph(written: Path, blocks: Graph, score: str) -> None:
    model = PowerLawCut(score, random_state=0).fit(str(written))
    in_memory = PowerLawCut(score, random_state=0).fit(blocks)
    np.testing.assert_array_equal(model.labels_, in_memory.labels_)
    assert model.objective_ == in_memory.objective_
    np.testing.assert_array_equal(model.predict(written), in_memory.labels_)


@pytest.mark.parametrize("name", ["indices.npy", "offsets.npy", MANIFEST])
def test_a_flipped_bit_anywhere_is_detected(written: Path, name: str) -> None:
    path = written / name
    intact = path.read_bytes()
    open_blocks(written)
    random = np.random.default_rng(0)
    for at in {0, len(intact) - 1, *random.integers(0, len(intact), size=100).tolist()}:
        flipped = bytearray(intact)
        flipped[at] ^= 1 << int(random.integers(8))
        path.write_bytes(flipped)
        if name != MANIFEST and is_padding(intact, at):
            continue
        with pytest.raises(ValueError, match=r"damaged|cannot be read|manifest|version"):
            PowerLawCut().fit(written)


def test_the_damaged_row_range_is_named(written: Path) -> None:
    path = written / "indices.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    last = json.loads((written / MANIFEST).read_text())["blocks"][-1]
    with pytest.raises(ValueError, match=rf"indices.npy .* \(nodes {last['first_row']} to 599\)"):
        open_blocks(written)


def test_an_incomplete_folder_is_refused(written: Path, tmp_path: Path) -> None:
    (written / "indices.npy").write_bytes((written / "indices.npy").read_bytes()[:-4])
    with pytest.raises(ValueError, match=r"indices\.npy cannot be read"):
        open_blocks(written)
    (written / "indices.npy").unlink()
    with pytest.raises(ValueError, match=r"indices\.npy cannot be read"):
        open_blocks(written)
    (written / MANIFEST).unlink()
    with pytest.raises(ValueError, match="no manifest"):
        PowerLawCut().fit(written)
    with pytest.raises(ValueError, match="no manifest"):
        open_blocks(tmp_path / "nowhere")


def test_a_file_is_refused_with_the_line_that_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "graph.txt"
    path.write_text("".join(f"{i} {(i + 1) % 8}\n" for i in range(8)))
    for fit in (PowerLawCut().fit, PowerLawClusters().fit, powercut.community):
        with pytest.raises(ValueError, match=r"is a file, .* Read the file first") as caught:
            fit(str(path))
        remedy = re.search(r"first: (.*), or", str(caught.value))
        assert remedy is not None
        graph = eval(remedy[1], {"powercut": powercut})
        assert graph.n_nodes == 8


def test_a_missing_path_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no such file or folder: .*nowhere"):
        PowerLawCut().fit(tmp_path / "nowhere")


def test_a_later_version_is_refused(written: Path) -> None:
    path = written / MANIFEST
    path.write_text(path.read_text().replace('"version": 1', '"version": 4'))
    with pytest.raises(ValueError, match="version 4, and this powercut reads 3"):
        open_blocks(written)


def test_an_existing_folder_is_not_overwritten(written: Path) -> None:
    with pytest.raises(FileExistsError, match="remove it"):
        write_blocks(written, [([0], [1])])
    open_blocks(written)


@pytest.mark.parametrize(
    ("chunks", "options", "message"),
    [
        ([([0], [1]), ([0, -1], [1, 2])], {}, r"edges\[1\]: u\[1\] = -1 is not a node"),
        ([([0], [5])], {"n_nodes": 5}, r"edges\[0\]: v\[0\] = 5 is not a node"),
        ([([0], [MOST_NODES])], {}, "is not a node"),
        ([([0.5], [1])], {}, "integer node ids"),
        ([([0], [1], [-1.0])], {}, r"A\[0, 1\] = -1.0"),
        ([([0], [1], [1.0]), ([0], [1])], {}, r"edges\[1\] has weights of type None"),
        ([([0, 1], [1])], {}, "one length"),
        ([([0],)], {}, "1 arrays"),
        ([], {"memory": "lots"}, "memory must be"),
        ([], {"symmetrize": "min"}, "symmetrize must be one of"),
    ],
)
def test_invalid_edges_are_refused_and_leave_no_files(
    tmp_path: Path, chunks: Any, options: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        write_blocks(tmp_path / "graph", chunks, **options)
    assert not list(tmp_path.iterdir())


def test_a_hub_that_does_not_fit_in_memory_is_refused(tmp_path: Path) -> None:
    star = np.zeros(1000, dtype=np.int64), np.arange(1, 1001)
    with pytest.raises(MemoryError, match=r"node 0 has 1,000 entries.*raise `memory`"):
        write_blocks(tmp_path / "graph", [star], memory="32KiB")


def test_progress_is_reported(
    tmp_path: Path, blocks: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("powercut.progress.ProgressReporter.interval", 0)
    reports: list[Progress] = []
    edges = upper_edges(blocks)
    write_blocks(tmp_path / "graph", chunks_of(edges, 100), memory="32KiB", progress=reports.append)
    assert [stage for stage, _ in itertools.groupby(reports, key=lambda report: report.stage)] == [
        "edges",
        "buckets",
        "blocks",
        "done",
    ]
    fractions = [report.fraction for report in reports]
    assert fractions == sorted(fractions)
    assert len(set(fractions)) > 20
    assert str(reports[0]) == "edges"


FILL = """
import errno, sys
import numpy as np
from powercut.disk import write_blocks
n = int(sys.argv[2])
chunks = [np.random.default_rng(i).integers(0, 1000, size=(2, 1000)) for i in range(n)]
try:
    write_blocks(sys.argv[1] + "/graph", chunks, memory="1MiB")
except OSError as error:
    assert error.errno == errno.ENOSPC, error
    print(error)
"""


@pytest.mark.parametrize("n_chunks", [30, 10, 250])
def test_a_full_disk_leaves_no_folder(tmp_path: Path, n_chunks: int) -> None:
    # A file system of 320 KiB, in a namespace of its own. 250 chunks do not fit even as a copy of
    # the edges, 30 chunks do not fit in both directions, and 10 chunks fit.
    small = 'mount -t tmpfs -o size=320k tmpfs "$0" && "$@" && ls -A "$0"'
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", small, str(tmp_path)]
    try:
        subprocess.run([*command, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this system allows no mounts in user namespaces")
    done = subprocess.run(
        [*command, sys.executable, "-c", FILL, str(tmp_path), str(n_chunks)],
        check=True,
        capture_output=True,
        text=True,
    )
    if n_chunks == 10:
        assert done.stdout.split() == ["graph"]
    else:
        assert "is full" in done.stdout
        assert len(done.stdout.splitlines()) == 1


def test_weights_whose_sum_is_infinite_are_refused(tmp_path: Path) -> None:
    edges = [(np.array([0, 0]), np.array([1, 1]), np.array([1e308, 1e308]))]
    with pytest.raises(ValueError, match=r"A\[0, 1\] = inf"):
        write_blocks(tmp_path / "graph", edges)
    assert not list(tmp_path.iterdir())
