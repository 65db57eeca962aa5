"""Small files cannot fill the memory, nor take more than linear time."""

import gzip
import io
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from powercut.io import FileError, _source, read_graph, read_labels, read_points
from powercut.partition import compact_labels

TOO_LARGE = r"over the limit of [\d,]+: if you trust the file, pass a larger max_bytes"
KIB = 1 << 10


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the size that is always allowed, so that tests need no large files."""
    monkeypatch.setattr(_source, "SMALL", 64 * KIB)


def zstd(content: bytes) -> bytes:
    compressed: bytes = pytest.importorskip("zstandard").compress(content, 19)
    return compressed


TEXTS: dict[str, tuple[Callable[..., Any], dict[str, str], bytes, bytes]] = {
    "edges": (read_graph, {"format": "edges"}, b"0 1\n", b"# \n"),
    "metis": (read_graph, {"format": "metis"}, b"2 1\n2\n1\n", b"% \n"),
    "graphml": (read_graph, {"format": "graphml"}, b"", b" "),
    "matrixmarket": (read_graph, {"format": "matrixmarket"}, b"", b"% \n"),
    "labels": (read_labels, {}, b"0\n", b"0\n"),
    "points": (read_points, {}, b"0 1\n", b"0 1\n"),
}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("compress", [gzip.compress, zstd])
@pytest.mark.parametrize("kind", TEXTS)
def test_compressed_text(kind: str, compress: Callable[[bytes], bytes]) -> None:
    read, options, first, line = TEXTS[kind]
    bomb = compress(first * 2 + line * (1 << 19))
    assert len(bomb) < 4 * KIB
    with pytest.raises(FileError, match=TOO_LARGE):
        read(io.BytesIO(bomb), **options)


@pytest.mark.usefixtures("small")
def test_the_limit_grows_with_the_file_and_can_be_lifted() -> None:
    numbers = np.random.default_rng(0).integers(10, size=60_000)
    text = b"".join(b"%d\n" % number for number in numbers)
    assert len(gzip.compress(text)) * 2 < len(text)
    assert len(read_labels(io.BytesIO(gzip.compress(text))).labels) == 60_000
    zeros = gzip.compress(b"0\n" * 60_000)
    with pytest.raises(FileError, match=TOO_LARGE):
        read_labels(io.BytesIO(zeros))
    assert len(read_labels(io.BytesIO(zeros), max_bytes=120_000).labels) == 60_000
    # A limit that is given holds for plain files too.
    with pytest.raises(FileError, match="over the limit of 10:"):
        read_points(io.BytesIO(b"1 2\n3 4\n5 6\n"), max_bytes=10)


@pytest.mark.usefixtures("small")
def test_streams_are_limited_by_what_has_been_read() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    random = np.random.default_rng(0).integers(1 << 40, size=40_000)
    text = b"".join(b"%d\n" % number for number in random)
    assert len(read_labels(Pipe(gzip.compress(text))).labels) == 40_000
    with pytest.raises(FileError, match=TOO_LARGE):
        read_labels(Pipe(gzip.compress(b"0\n" * 60_000)))


def test_a_step_of_zstd_is_bounded() -> None:
    """64 MiB in 6 KB would be decompressed at once."""
    import tracemalloc

    bomb = zstd(b"# \n" * (64 * KIB * KIB // 3))
    tracemalloc.start()
    with pytest.raises(FileError, match="there is no edge in the first 16 megabytes"):
        read_graph(io.BytesIO(bomb))
    assert tracemalloc.get_traced_memory()[1] < 100 << 20
    tracemalloc.stop()


def npz(**arrays: Any) -> io.BytesIO:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    file.seek(0)
    return file


@pytest.mark.parametrize("n", [10**8, 2 * 10**9, 2**62])
def test_declared_nodes(n: int) -> None:
    one = {"row": np.array([0, 1]), "col": np.array([1, 0]), "data": np.ones(2)}
    with pytest.raises(FileError, match=f"a graph of {n:,} nodes.*{TOO_LARGE}"):
        read_graph(npz(format=b"coo", shape=np.array([n, n]), **one), format="npz")
    text = f"%%MatrixMarket matrix coordinate real symmetric\n{n} {n} 1\n2 1 1\n".encode()
    with pytest.raises(FileError, match=TOO_LARGE):
        read_graph(io.BytesIO(text), format="matrixmarket")


def test_declared_nodes_that_are_allowed() -> None:
    text = b"%%MatrixMarket matrix coordinate real symmetric\n1000000 1000000 1\n2 1 1\n"
    assert read_graph(io.BytesIO(text), format="matrixmarket").graph.n_nodes == 1_000_000
    with pytest.raises(FileError, match=r"8,000,000 bytes.*over the limit of 7,999,999"):
        read_graph(io.BytesIO(text), format="matrixmarket", max_bytes=7_999_999)


@pytest.mark.usefixtures("small")
def test_archives() -> None:
    with pytest.raises(FileError, match=TOO_LARGE):
        read_labels(npz(label=np.zeros(1 << 20, dtype=np.int8)), format="npz")
    with pytest.raises(FileError, match=TOO_LARGE):
        read_points(npz(X=np.zeros((1 << 10, 1 << 10))), format="npz")
    matrix = io.BytesIO()
    sparse.save_npz(matrix, sparse.csr_array((1 << 18, 1 << 18)))
    matrix.seek(0)
    with pytest.raises(FileError, match=TOO_LARGE):
        read_graph(matrix, format="npz")


def test_arrays_without_bytes(tmp_path: Path) -> None:
    import zipfile

    for dtype, shape in (("<U0", "(1000000000000,)"), ("<i8", "(1000000000000,)")):
        header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
        content = b"\x93NUMPY\x01\x00v\x00" + header.ljust(117).encode() + b"\n"
        with zipfile.ZipFile(tmp_path / "labels.npz", "w") as archive:
            archive.writestr("label.npy", content)
        with pytest.raises(FileError, match=r"label\.npy has too few bytes for its 1,000,000,"):
            read_labels(tmp_path / "labels.npz")
    np.save(tmp_path / "points.npy", np.empty((10**12, 0)))
    with pytest.raises(FileError, match="points must be rows of numbers"):
        read_points(tmp_path / "points.npy")


def parquet(**columns: Any) -> io.BytesIO:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file, compression="zstd")
    file.seek(0)
    return file


@pytest.mark.usefixtures("small")
def test_rows_of_parquet() -> None:
    zeros = np.zeros(1 << 18, dtype=np.int64)
    for read, columns in (
        (read_graph, {"a": zeros, "b": zeros}),
        (read_labels, {"label": zeros}),
        (read_points, {"x": zeros}),
    ):
        with pytest.raises(FileError, match=f"262,144 rows would take.*{TOO_LARGE}"):
            read(parquet(**columns), format="parquet")


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("codec", ["gzip", "snappy", "zstd"])
def test_pages_of_parquet(version: str, codec: str, tmp_path: Path) -> None:
    """The pages of one column have a few kilobytes, and state megabytes."""
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    n = 3000
    table = pa.table(
        {
            "a": pa.array([f"node {i}" for i in range(n)]),
            "b": pa.array(["x", "y", "z"] * 1000).dictionary_encode(),
            "long": ["x" * 10_000] * n,
        }
    )
    path = tmp_path / "edges.parquet"
    parquet.write_table(
        table,
        path,
        compression=codec,
        data_page_version=version,
        use_dictionary=["b"],
        row_group_size=1000,
        write_page_checksum=True,
    )
    assert read_graph(path, columns="ab", max_bytes=40_000_000).graph.n_edges == n
    with pytest.raises(FileError, match="the pages would take 30,"):
        read_graph(path, columns="ab", max_bytes=30_000_000)


def test_long_names_that_are_stored_once() -> None:
    """A kilobyte of indices would make gigabytes of text."""
    pa = pytest.importorskip("pyarrow")
    long = "x" * 100_000
    names = pa.DictionaryArray.from_arrays(np.zeros(10_000, dtype=np.int8), [long])
    _, view, text = pa.array([long], pa.string_view()).buffers()
    buffers = [None, pa.py_buffer(view.to_pybytes() * 10_000), text]
    views = pa.Array.from_buffers(pa.string_view(), 10_000, buffers)
    for column in (names, views):
        table = pa.table({"a": column, "b": column})
        file = io.BytesIO()
        with pa.ipc.new_stream(file, table.schema) as stream:
            stream.write_table(table)
        file.seek(0)
        with pytest.raises(FileError, match=f"the names.*{TOO_LARGE}"):
            read_graph(file, format="arrow")
    with pytest.raises(FileError, match=f"the names.*{TOO_LARGE}"):
        read_graph(parquet(a=names, b=names), format="parquet")
    labels = read_labels(parquet(node=names, label=np.zeros(10_000, dtype=int)), format="parquet")
    assert labels.names is not None
    assert labels.names[0] is labels.names[-1]  # one text, not 10,000 copies


def test_labels_in_several_row_groups(tmp_path: Path) -> None:
    """Each has a dictionary of its own."""
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"node": list("abcabd"), "label": [0, 1, 2, 0, 1, 3]})
    frame.to_parquet(tmp_path / "labels.parquet", row_group_size=2)
    found = read_labels(tmp_path / "labels.parquet")
    assert found.names is not None
    assert (found.names.tolist(), found.labels.tolist()) == (list("abcabd"), [0, 1, 2, 0, 1, 3])


@pytest.mark.parametrize("codec", ["zstd", "lz4"])
@pytest.mark.parametrize("kind", ["file", "stream"])
def test_compressed_buffers_of_arrow(kind: str, codec: str) -> None:
    """They are refused before Arrow expands them."""
    pa = pytest.importorskip("pyarrow")

    def written(n: int, **columns: Any) -> io.BytesIO:
        file = io.BytesIO()
        table = pa.table({"a": np.zeros(n, dtype=np.int64), "b": np.arange(n), **columns})
        new = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
        options = pa.ipc.IpcWriteOptions(compression=codec)
        with new(file, table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=n // 3)
        file.seek(0)
        return file

    names = pa.array(["x", "y", "z"] * 1000).dictionary_encode()
    assert read_graph(written(3000, c=names), format="arrow", columns="ab").graph.n_edges == 3000
    bomb = written(3000, long=pa.array(["x" * 10_000] * 3000))
    assert len(bomb.getvalue()) < 400 * KIB
    size = 30_000_000 + 3 * 1001 * 4 + 2 * 3000 * 8  # text, its offsets, and the ends of edges
    with pytest.raises(FileError, match=f"the compressed columns would take {size:,} bytes"):
        read_graph(bomb, format="arrow", columns="ab", max_bytes=size - 1)


def seconds(read: Callable[[], Any]) -> float:
    start = time.process_time()
    with suppress(FileError):
        read()
    return time.process_time() - start


def test_first_lines_and_comments_take_linear_time() -> None:
    """Each took from ten seconds to minutes in a search that goes back."""
    texts = {
        "columns": b"a," * 100_000 + b"b\n",
        "quotes": b'"a",' * 100_000 + b"b\n",
        "open quotes": b'a,"' + b'""\n' * 100_000,
        "comments": b"# \n" * 1_000_000 + b"0 1\n1 2\n",
        "comments after an edge": b"0 1\n" + b"# \n" * 1_000_000,
        "tabs": b"\t" * 500_000 + b"a\n",
        "spaces": b", " * 200_000 + b" " * 500_000 + b"\n",
    }
    for name, text in texts.items():
        assert seconds(lambda text=text: read_graph(io.BytesIO(text))) < 5, name
        assert seconds(lambda text=text: read_labels(io.BytesIO(text))) < 8, name
    points = b"1," * 100_000 + b"x\n"
    assert seconds(lambda: read_points(io.BytesIO(b"1,1\n" + points))) < 5


def test_ids_cannot_be_chosen_to_collide() -> None:
    """These made one chain in a table that is indexed by the low bits of SplitMix64."""
    mask = (1 << 64) - 1

    def unshifted(z: int, shift: int) -> int:
        found = z
        for _ in range(64 // shift + 1):
            found = z ^ (found >> shift)
        return found

    def with_hash(z: int) -> int:
        z = unshifted(z, 31) * pow(0x94D049BB133111EB, -1, 1 << 64) & mask
        z = unshifted(z, 27) * pow(0xBF58476D1CE4E5B9, -1, 1 << 64) & mask
        z = (unshifted(z, 30) - 0x9E3779B97F4A7C15) & mask
        return z - (1 << 64) if z >> 63 else z

    ids = [with_hash(i << 24) for i in range(40_000)]
    text = b"".join(b"%d %d\n" % edge for edge in zip(ids[::2], ids[1::2], strict=True))
    assert seconds(lambda: read_graph(io.BytesIO(text))) < 2


def test_large_labels_take_no_table() -> None:
    import tracemalloc

    tracemalloc.start()
    labels, k = compact_labels(np.array([0, 0, 2_000_000_000, 7]))
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
    assert (labels.tolist(), k) == ([0, 0, 2, 1], 3)
