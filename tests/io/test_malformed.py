"""Malformed files are refused with an error that names the file."""

import gzip
import io
import struct
import zipfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from powercut.io import read_graph, read_labels, read_points

MTX = b"%%MatrixMarket matrix coordinate real symmetric\n"
GRAPHML = (
    b'<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    b'<graph edgedefault="undirected"><node id="a"/><node id="b"/>'
    b'<edge source="a" target="b"/></graph></graphml>'
)


def npz_of(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def sparse_npz() -> bytes:
    file = io.BytesIO()
    sparse.save_npz(file, sparse.csr_array(np.ones((3, 3))))
    return file.getvalue()


def parquet_of(**columns: Any) -> bytes:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file)
    return file.getvalue()


def zip_of(name: str, content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, content)
    return file.getvalue()


def edge_lists() -> Iterator[bytes]:
    """Yield edge lists with an error in the third line."""
    numbers = ["x", "1.0", "1e3", "0x1", "9223372036854775808", "-9223372036854775809", "--1", "1-"]
    numbers += ["+1", "1_0", "\u0661", "1\x00", "\x00", "nan", "1\x1b", "''", "1;", "\xa01"]
    for wrong in numbers:
        yield f"0 1\n1 2\n{wrong} 3\n".encode()
        yield f"0 1\n1 2\n3 {wrong}\n4 5\n".encode()
        yield f"0,1\n1,2\n{wrong},3\n".encode()
    weights = ["x", "-1", "nan", "inf", "-inf", "1e999", "1e-999", "0x1p3", "1,5", "1.2.3", "--1"]
    weights += ["+-1", "1e", "e5", "1d3", "1f", ".", "-", "+", "1\x00", "NaN", "Infinity", "1_0"]
    for wrong in weights:
        yield f"0 1 1\n1 2 2\n2 3 {wrong}\n".encode()
    for wrong in ["", ",", ",,", "1", "1,", ",1", "1,2,3", '"1,2', '"1"x,2', "1 2", "1;2", "\x00"]:
        if wrong:
            yield f"0,1\n1,2\n{wrong}\n".encode()
    for wrong in [b"1", b"1 2 3", b"1 2 3 4", b"\xff\xfe", b"1 2\r3 4", b"1 2 # why", b"1 2,"]:
        yield b"0 1\n1 2\n" + wrong + b"\n"
    for wrong in [
        b"a,",
        b",a",
        b'"a',
        b'a,"b',
        b'"a"b,c',
        b'"a"b"c",d',
        b"a,\xff",
        b"a,\xc3(",
        b"a,\x07",
    ]:
        yield b"n,m\nm,o\n" + wrong + b"\n"
    yield from (b"", b"\n", b"\n\n\r\n", b"#\n", b"# a b\n% c d\n", b"   \n\t\n", b"\xef\xbb\xbf")
    yield b"lonely\n"
    yield b"\x0b"
    yield b"\x85\n"
    yield b';\x00\n"'
    yield b"0\n1\n"
    yield b"0 1 2 3\n"
    yield b"0 1 abc\n"
    yield b"0" * (1 << 21)
    yield b"0 1\n1 " + b"2" * (1 << 21)
    yield b"# Nodes: 3 Edges: 3\n0 1\n1 2\n"
    yield b"# Nodes: 2 Edges: 2\n0 1\n1 2\n"


def metis_files() -> Iterator[bytes]:
    yield from (b"", b"%\n", b"\n", b"2\n", b"2 1 0 1 1\n", b"x 1\n", b"-2 1\n", b"2.0 1\n2\n1\n")
    yield from (b"2 1\n", b"2 1\n2\n", b"2 1\n2\n1\n1\n", b"2 1\n2\n1\n\n2\n", b"2 0\n2\n1\n")
    yield from (b"2 2\n2\n1\n", b"2 1\n3\n1\n", b"2 1\n0\n1\n", b"2 1\n1\n2\n", b"2 1\n2 2\n\n")
    yield from (b"2 1 2\n2\n1\n", b"2 1 112\n2\n1\n", b"2 1 1000\n2\n1\n", b"2 1 1 1\n2 1\n1 1\n")
    yield from (b"2 1 1\n2\n1\n", b"2 1 1\n2 0\n1 0\n", b"2 1 1\n2 5\n1 6\n", b"2 1 11\n\n1 1 5\n")
    yield from (b"2 1 10 0\n2\n1\n", b"3000000000 1\n", b"99999999999999999999 1\n")
    yield from (
        b"2 1\n2a\n1\n",
        b"2 1\n2\n1 \x00\n",
        b"2 1\n2,\n1\n",
        b"2 1\n2 %\n1\n",
        b"2 1\n\xff\n",
    )
    yield b"2 1\n99999999999999999999\n1\n"
    yield b"4 2\n2 3\n1\n4\n1\n"


def matrix_market_files() -> Iterator[bytes]:
    sizes = [b"", b"2", b"2 2", b"x 2 1", b"2 2 x", b"-2 2 1", b"2 3 1", b"2 2 -1", b"2.5 2 1"]
    sizes += [b"99999999999999999999 2 1", b"2 2 99999999999999", b"2000000000 2000000000 1"]
    for size in sizes:
        yield MTX + size + b"\n1 2 1\n"
    entries = [
        b"",
        b"1",
        b"1 2",
        b"x 2 1",
        b"1 x 1",
        b"1 2 x",
        b"0 1 1",
        b"3 1 1",
        b"2 3 1",
        b"2 1 nan",
    ]
    entries += [
        b"2 1 -1",
        b"2 1 inf",
        b"2 1 1\n2 1 1",
        b"-1 1 1",
        b"2 1 1e999",
        b"\xff \xff \xff",
        b"2 1 1\0\0",
    ]
    for entry in entries:
        yield MTX + b"2 2 1\n" + entry + b"\n"
    for banner in [b"", b"%%", b"%%MatrixMarket", b"%%MatrixMarket matrix", b"1 2 3"]:
        yield banner + b"\n2 2 1\n2 1 1\n"
    yield MTX + b"2 2 1\n2 1 1e%"
    yield MTX.replace(b"real", b"complex") + b"2 2 1\n2 1 1 1\n"
    yield MTX.replace(b"real", b"quaternion") + b"2 2 1\n2 1 1\n"
    yield MTX.replace(b"symmetric", b"skew-symmetric") + b"2 2 1\n2 1 1\n"
    yield MTX.replace(b"symmetric", b"general") + b"2 2 1\n2 1 1\n"
    yield MTX.replace(b"symmetric", b"round") + b"2 2 1\n2 1 1\n"
    yield MTX.replace(b"coordinate", b"array") + b"2 2\n1\n"
    yield MTX.replace(b"coordinate", b"array") + b"100000 100000\n1\n"


def npz_files() -> Iterator[bytes]:
    good = sparse_npz()
    yield from (b"", b"PK", good[:10], good[: len(good) // 2], good[:-5], zip_of("a.npy", b"x"))
    yield from (zip_of("format.npy", b""), npz_of(), npz_of(a=[1]))
    parts = {
        "format": b"csr",
        "shape": [2, 2],
        "indptr": [0, 1, 2],
        "indices": [1, 0],
        "data": [1, 1],
    }
    wrong: dict[str, list[Any]] = {
        "format": [b"xyz", [1], 5.0],
        "shape": [[2], [2, 3], [-1, -1], ["a", "b"], [3, 3]],
        "indptr": [[0, 1], [0, 5, 2], [0, 1, 9], [1, 1, 2], [0.5, 1, 2], [[0, 1, 2]]],
        "indices": [[1, 7], [1, -1], [1], [0.5, 1.5], [1, 1]],
        "data": [[1], [np.nan, 1], [-1, -1], ["a", "b"], [1j, 1j], [1, 2], [[1, 1]]],
    }
    for name, values in wrong.items():
        yield npz_of(**{key: part for key, part in parts.items() if key != name})
        for value in values:
            yield npz_of(**{**parts, name: value})


def graphml_files() -> Iterator[bytes]:
    yield from (b"", b"<", b"<graphml>", b"<html></html>", GRAPHML[:-10], GRAPHML + b"x")
    yield GRAPHML.replace(b'source="a" ', b"")
    yield GRAPHML.replace(b"undirected", b"directed")
    yield GRAPHML.replace(b"</graph>", b"</graf>")
    yield b"<?xml version='1.0' encoding='utf-99'?>" + GRAPHML
    yield b"\xff\xfe\x00" + GRAPHML
    for weight in (b"-1", b"nan", b"x"):
        key = b'<key id="w" for="edge" attr.name="weight" attr.type="double"/><graph '
        data = b'target="b"><data key="w">' + weight + b"</data></edge>"
        yield GRAPHML.replace(b"<graph ", key).replace(b'target="b"/>', data)


def parquet_files() -> Iterator[bytes]:
    good = parquet_of(a=[0, 1], b=[1, 2])
    yield from (b"", b"PAR1", b"PAR1" * 4, good[:-1], good[: len(good) // 2], good[4:])
    yield good[:-8] + struct.pack("<I", 2**31 - 1) + b"PAR1"
    yield from (parquet_of(a=[0]), parquet_of(a=[0], b=[1], c=[1], d=[1]), parquet_of())
    yield from (parquet_of(a=[0, None], b=[1, 2]), parquet_of(a=[0.5], b=[1]))
    yield from (
        parquet_of(a=["x"], b=[1]),
        parquet_of(a=[[1]], b=[[2]]),
        parquet_of(a=[True], b=[False]),
    )
    for weight in (-1.0, float("nan"), float("inf"), None, "x"):
        yield parquet_of(a=[0], b=[1], w=[weight])
    big = np.array([2**63], dtype=np.uint64)
    yield from (
        parquet_of(a=big, b=big),
        parquet_of(a=np.array([], np.int64), b=np.array([], np.int64)),
    )


def compressed_files() -> Iterator[bytes]:
    good = gzip.compress(b"0 1\n" * 1000)
    yield from (good[:5], good[:-1], good[:-8], good[:20], b"\x1f\x8b", b"\x1f\x8b\x00\x00")
    yield good[:-8] + b"\x00" * 8
    yield good[:30] + bytes(byte ^ 0xFF for byte in good[30:])
    yield from (b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfd" + b"\xff" * 40)


GRAPHS = {
    "edges": edge_lists,
    "metis": metis_files,
    "matrixmarket": matrix_market_files,
    "npz": npz_files,
    "graphml": graphml_files,
    "parquet": parquet_files,
    "arrow": lambda: iter([b"", b"ARROW1", b"ARROW1\x00\x00" * 9, b"\xff" * 64, b"\x00" * 64]),
}
CASES = [
    *((kind, content) for kind, make in GRAPHS.items() for content in make()),
    *(("edges", content) for content in compressed_files()),
]


def test_there_are_at_least_two_hundred_cases() -> None:
    assert len(CASES) >= 200
    assert len(set(CASES)) == len(CASES)


@pytest.mark.parametrize(("kind", "number"), [(kind, i) for i, (kind, _) in enumerate(CASES)])
def test_malformed_graphs_are_refused_by_name(kind: str, number: int, tmp_path: Path) -> None:
    path = tmp_path / f"file.{kind}"
    path.write_bytes(CASES[number][1])
    format = None if kind == "edges" else kind  # noqa: A001
    if kind == "edges":
        path = path.rename(tmp_path / "file.txt")
    with pytest.raises(ValueError, match=r"file\.\w+: \S") as error:
        read_graph(path, format=format)
    message = str(error.value)
    assert message.startswith(str(path))
    if kind == "edges" and CASES[number][1].startswith(
        (b"0 1\n1 2\n", b"0,1\n1,2\n", b"n,m\nm,o\n")
    ):
        assert "line 3, column " in message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "there are no labels"),
        (b"# only\n", "there are no labels"),
        (b"a,b,c\n", "line 1: there are 3 columns"),
        (b"a 1\nb\n", "line 2: 'b' does not have 2 columns"),
        (b"a,1\nb,\n", "line 2: 'b,' does not have 2 columns"),
        (b"a 1\nb \xff\n", "line 2, column 3: not UTF-8"),
    ],
)
def test_malformed_labels(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "labels.txt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message) as error:
        read_labels(path)
    assert str(error.value).startswith(str(path))


@pytest.mark.parametrize(
    ("name", "content"),
    list(product(["labels.npz", "labels.parquet"], [b"", b"PK", b"PAR1PAR1", b"\xff" * 99])),
)
def test_malformed_archives_of_labels(name: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=str(path)):
        read_labels(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("points.csv", b"", "there are no points"),
        ("points.csv", b"x,y\n", "there are no points"),
        ("points.csv", b"1,2\n3\n", "line 2: there are 1 columns, but 2 in the first"),
        ("points.csv", b"x,y\n1,2\n\n3,z\n", "line 4, column 3: 'z' is not a number"),
        ("points.csv", b"1,2\n3,\n", "line 2, column 3: '' is not a number"),
        ("points.csv", b"1,2\n3,\xff\n", "line 2, column 3: not UTF-8"),
        ("points.npy", b"\x93NUMPY", "cannot be read as npy"),
        ("points.npy", b"", "cannot be read as npy"),
        ("points.npz", npz_of(a=[1], b=[2]), "none of them is X"),
        ("points.npz", npz_of(X=["a"]), "points must be rows of numbers"),
        ("points.npz", npz_of(X=[1.0, 2.0]), "points must be rows of numbers"),
        ("points.parquet", b"PAR1", "cannot be read as parquet"),
    ],
)
def test_malformed_points(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message) as error:
        read_points(path)
    assert str(error.value).startswith(str(path))
