"""Rows in gap code: against plain Python, and with codes that are none."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from powercut import Graph, _core
from powercut._typing import LABEL
from powercut.datasets import make_block_graph
from powercut.graphs.gap_code import LONGEST, PADDING, GapCodes, encode

Rows = list[list[int]]
# Gaps of one to four bytes.
GAPS = st.integers(1, 26).flatmap(lambda bits: st.integers(0, 2**bits))
ROWS = st.lists(
    st.lists(GAPS, max_size=70).map(lambda gaps: (np.cumsum(gaps) + np.arange(len(gaps))).tolist()),
    max_size=6,
).map(lambda rows: [[column for column in row if column < 2**31 - 1] for row in rows])


def encoded_plainly(row: list[int]) -> bytes:
    """Return the code of a row."""
    controls, data = bytearray(-(-len(row) // 4)), bytearray()
    for place, (last, column) in enumerate(zip([-1, *row], row, strict=False)):
        gap = column - last - 1
        length = max(1, -(-gap.bit_length() // 8))
        controls[place // 4] |= (length - 1) << 2 * (place % 4)
        data += gap.to_bytes(length, "little")
    return bytes(controls + data)


def decoded_plainly(code: bytes, length: int) -> list[int] | None:
    """Return the columns of a row, None if the code is not that of so many columns."""
    n_controls = -(-length // 4)
    if len(code) < n_controls:
        return None
    codes = [code[at // 4] >> 2 * (at % 4) & 3 for at in range(4 * n_controls)]
    at, column, columns = n_controls, -1, []
    for size in codes[:length]:
        column += int.from_bytes(code[at : at + size + 1], "little") + 1
        at += size + 1
        columns.append(column)
    return columns if at == len(code) and not any(codes[length:]) else None


def coded(rows: Rows) -> tuple[Any, Any, Any]:
    """Return (offsets, codes, starts) of rows."""
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    columns = np.array([column for row in rows for column in row], dtype=LABEL)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return offsets, *encode(lengths, columns)


def stored(codes: Any, starts: Any) -> GapCodes:
    padded = np.concatenate([codes, np.full(PADDING, 255, dtype=np.uint8)])
    return GapCodes.of(padded, (starts % LONGEST).astype(np.uint32))


@settings(deadline=None, derandomize=True)
@given(ROWS)
def test_rows_are_encoded_and_decoded_as_in_plain_python(rows: Rows) -> None:
    offsets, codes, starts = coded(rows)
    pieces = [codes[begin:end].tobytes() for begin, end in pairwise(starts)]
    assert pieces == [encoded_plainly(row) for row in rows]
    assert [decoded_plainly(*each) for each in zip(pieces, map(len, rows), strict=True)] == rows
    found = _core.columns((offsets, stored(codes, starts), None), 0, len(rows))
    assert found.tolist() == [column for row in rows for column in row]
    assert _core.first_invalid_gaps(offsets, starts, codes, 2**31 - 1) is None
    n_columns = max((column for row in rows for column in row), default=0)
    if n_columns:
        assert _core.first_invalid_gaps(offsets, starts, codes, n_columns) is not None


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.data())
def test_codes_that_are_none_are_found(data: st.DataObject) -> None:
    offsets, codes, starts = coded(data.draw(ROWS.filter(any)))
    n_columns = data.draw(st.sampled_from([1000, 2**20, 2**31 - 1]))
    arrays = [offsets, starts, codes]
    wrong = arrays[data.draw(st.integers(0, 2))]
    at = data.draw(st.integers(0, len(wrong) - 1))
    wrong[at] = data.draw(st.integers(0, 255 if wrong is codes else len(codes) + 5))
    codes = codes[: data.draw(st.sampled_from([len(codes), len(codes) // 2, 0]))]

    def is_valid(i: int) -> bool:
        length, begin, end = offsets[i + 1] - offsets[i], starts[i], starts[i + 1]
        if length < 0 or begin > end or end > len(codes):
            return False
        columns = decoded_plainly(codes[begin:end].tobytes(), int(length))
        return columns is not None and max(columns, default=-1) < n_columns

    expected = next((i for i in range(len(offsets) - 1) if not is_valid(i)), None)
    assert _core.first_invalid_gaps(offsets, starts, codes, n_columns) == expected


def test_starts_wrap_at_32_bits() -> None:
    starts = np.array([0, 3_000_000_000, 6_000_000_000, 6_000_000_000, 9_000_000_000])
    codes = GapCodes.of(np.empty(0, dtype=np.uint8), (starts % LONGEST).astype(np.uint32))
    assert codes.wraps.tolist() == [2, 4]
    np.testing.assert_array_equal(codes.positions(0, 4), starts)
    np.testing.assert_array_equal(codes.positions(2, 3), starts[2:4])


@pytest.mark.parametrize("weighted", [False, True])
def test_a_graph_in_gap_code_has_the_rows_of_the_plain_one(weighted: bool) -> None:
    u, v = np.random.default_rng(0).integers(0, 900, (2, 600))
    # Nodes with a self-loop, an edge or both; with neither, and with many edges.
    u, v = np.append(u, np.zeros(800, int)), np.append(v, np.arange(800))
    weight = np.random.default_rng(1).integers(1, 9, len(u)) if weighted else None
    plain = Graph.from_edges(u, v, weight, symmetrize="max")
    codes, starts = encode(np.diff(plain.indptr).astype(np.int64), plain.indices.astype(LABEL))
    graph = Graph._of_rows(plain.indptr, stored(codes, starts), plain.weights)
    assert graph.n_entries == plain.n_entries
    assert graph.n_edges == plain.n_edges
    assert graph.has_self_loops
    np.testing.assert_array_equal(graph.isolated, plain.isolated)
    assert 0 < graph.isolated.sum() < graph.n_nodes
    np.testing.assert_array_equal(graph.columns(300, 500), plain.columns(300, 500))
    assert "indices" not in graph.__dict__  # nothing was decoded as a whole
    np.testing.assert_array_equal(_core.row_keys(graph.arrays), _core.row_keys(plain.arrays))
    assert (graph.adjacency != plain.adjacency).nnz == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda codes: codes._replace(starts=codes.starts[:-1]), "a start for each row"),
        (lambda codes: codes._replace(codes=codes.codes[:-1]), "end before their last row"),
        (lambda codes: codes._replace(wraps=np.array([3])), "end before their last row"),
    ],
)
def test_kernels_refuse_codes_that_end_too_early(change: Any, message: str) -> None:
    graph, _ = make_block_graph(100, degree=5, random_state=0)
    codes = stored(*encode(np.diff(graph.indptr).astype(np.int64), graph.indices))
    arrays = (graph.indptr, codes, None)
    assert _core.columns(arrays, 0, 100).tolist() == graph.indices.tolist()
    with pytest.raises(ValueError, match=message):
        _core.columns((graph.indptr, change(codes), None), 0, 100)
    with pytest.raises(ValueError, match="no such rows"):
        _core.columns(arrays, 0, 101)
    with pytest.raises(ValueError, match="as many weights"):
        _core.columns((graph.indptr, codes, np.ones(3)), 0, 100)


@pytest.mark.parametrize("offsets", [[], [1, 3], [0, 2], [0, 4], [0, 5, 3]])
def test_the_encoder_refuses_offsets_that_lead_elsewhere(offsets: list[int]) -> None:
    with pytest.raises(ValueError, match="offsets must lead"):
        _core.encode_gaps(np.array(offsets, dtype=np.int64), np.arange(3, dtype=LABEL))
