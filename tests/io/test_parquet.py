"""What is read of a Parquet file before Arrow reads it."""

import io
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from powercut.io import FileError, read_graph
from powercut.io._parquet_pages import _chunks, _footer
from powercut.io._thrift import MOST_NESTED, Struct

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

LISTS = pa.array([[0], [1], [2]])
TEXT = pa.array(["ann", "bob", "ann"])


def written(columns: dict[str, Any], **options: Any) -> bytes:
    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file, **options)
    return file.getvalue()


def chunks_of_pyarrow(data: bytes) -> list[tuple[int, int]]:
    chunks = []
    metadata = parquet.read_metadata(io.BytesIO(data))
    for group in range(metadata.num_row_groups):
        for number in range(metadata.num_columns):
            column = metadata.row_group(group).column(number)
            start = column.data_page_offset
            if column.has_dictionary_page:
                start = min(start, column.dictionary_page_offset)
            chunks.append((start, start + column.total_compressed_size))
    return chunks


@pytest.mark.parametrize("use_dictionary", [False, True])
@pytest.mark.parametrize("n_columns", [1, 14, 15, 40])
def test_chunks_are_those_of_pyarrow(n_columns: int, use_dictionary: bool) -> None:
    """Also of lists with 15 elements or more, whose length is written in another way."""
    columns = {f"{i}": (TEXT, LISTS)[i % 2] for i in range(n_columns)}
    data = written(columns, use_dictionary=use_dictionary, row_group_size=1)
    found = list(_chunks(_footer(io.BytesIO(data))))
    assert found == chunks_of_pyarrow(data)
    assert len(found) == 3 * n_columns


def test_a_footer_with_any_wrong_byte_is_refused_or_read(tmp_path: Path) -> None:
    """The view of the footer in pyarrow ends the process where levels of lists are miscounted."""
    data = written({"a": LISTS, "b": TEXT}, compression="none")
    size = int.from_bytes(data[-8:-4], "little")
    path = tmp_path / "edges.parquet"
    refused = 0
    for place in range(len(data) - 8 - size, len(data)):
        for byte in (data[place] ^ 1, 255):
            path.write_bytes(data[:place] + bytes([byte]) + data[place + 1 :])
            with suppress(FileError):
                read_graph(path)
                continue
            refused += 1
    assert refused > size


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x1c" * (MOST_NESTED + 2) + bytes(100), "nested too deeply"),
        (b"\x1f", "unknown type 15"),
    ],
)
def test_bytes_that_are_no_structure(data: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Struct(data)


@pytest.mark.parametrize("data", [b"", b"\x15", b"\x15\x80", b"\x19\xfc\xff\xff\xff\x7f"])
def test_bytes_that_end_too_soon(data: bytes) -> None:
    """The last is a list of 2^28 structures."""
    with pytest.raises(IndexError):
        Struct(data)


def test_fields_by_their_number_and_type() -> None:
    """Integers of 32 and 64 bits, a boolean, bytes, a double, a map, a list, a structure."""
    data = bytes.fromhex("1503 1604 11 1802abcd 17") + bytes(8)
    data += bytes.fromhex("1b0155 0206 192c 150200 150400 1c150600 00")
    struct = Struct(data)
    assert struct.end == len(data)
    assert struct.integer(1, 5) == -2
    assert struct.integer(2, 6) == 2
    assert struct.integer(2, 5, default=7) == 7
    assert [one.integer(1, 5) for one in struct.structs(7)] == [1, 2]
    assert [one.integer(1, 5) for one in struct.structs(8, 12)] == [3]
