"""Arrow and Parquet files: edited bytes, and wrong offsets or views in their buffers."""

import io
from random import Random
from typing import Any

import pyarrow as pa
from edits import WORDS, edit_bytes
from pyarrow import ipc, parquet
from target import Target
from targets.text import FileError, check_graph

TEXT = ["ann", "bob", "a name of more than twelve bytes"]
KINDS: tuple[Any, ...] = (
    pa.array([0, 1, 2]),
    pa.array([0, 1, 2], pa.int8()),
    pa.array([0, 1, 2], pa.uint64()),
    pa.array([1.0, 2.0, 0.5]),
    pa.array([0, None, 2]),
    pa.array(TEXT),
    pa.array(TEXT, pa.large_string()),
    pa.array(TEXT, pa.string_view()),
    pa.array(TEXT, pa.binary()),
    pa.array(TEXT).dictionary_encode(),
    pa.array([[0], [1], [2]]),
)
ARROW_ONLY = (pa.RunEndEncodedArray.from_arrays([1, 2, 3], TEXT),)


def prepare(name: str) -> Target:
    """Return the target of one format."""
    kinds = list(KINDS if name == "parquet" else (*KINDS, *ARROW_ONLY))

    def make(random: Random) -> bytes:
        columns = random.choices(kinds, k=random.choice((2, 2, 3)))
        if name == "parquet":
            return edit_bytes(random, write_parquet(random, columns))
        if random.random() < 0.5:
            return edit_bytes(random, write_arrow(random, columns))
        return edit_buffers(random, write_arrow(random, columns), columns)

    return Target(make, check_graph(name), (FileError,))


def write_arrow(random: Random, columns: list[Any]) -> bytes:
    """Return an Arrow file or stream, perhaps compressed."""
    batch = pa.record_batch(columns, names=list("abc")[: len(columns)])
    options = ipc.IpcWriteOptions(compression=random.choice((None, None, "lz4", "zstd")))
    file = io.BytesIO()
    new = random.choice((ipc.new_file, ipc.new_stream))
    with new(file, batch.schema, options=options) as writer:
        for _ in range(random.choice((1, 2))):
            writer.write_batch(batch)
    return file.getvalue()


def write_parquet(random: Random, columns: list[Any]) -> bytes:
    """Return a Parquet file."""
    table = pa.table(columns, names=list("abc")[: len(columns)])
    file = io.BytesIO()
    compression = random.choice(("none", "snappy", "zstd"))
    parquet.write_table(
        table, file, compression=compression, use_dictionary=random.choice((True, False))
    )
    return file.getvalue()


def edit_buffers(random: Random, data: bytes, columns: list[Any]) -> bytes:
    """Return a file with wrong words in a column's buffer of offsets, views, values or bits."""
    buffers = [bytes(one) for column in columns for one in column.buffers() if one is not None]
    for _ in range(random.choice((1, 1, 2))):
        buffer = random.choice(buffers)
        place = data.find(buffer) + 4 * random.randrange(len(buffer) // 4 + 1)
        size = random.choice((4, 8))
        word = random.choice(WORDS) if random.random() < 0.5 else random.randint(0, 64)
        word %= 2 ** (8 * size)
        data = data[:place] + word.to_bytes(size, "little") + data[place + size :]
    return data
