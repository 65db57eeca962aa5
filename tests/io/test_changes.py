"""Changes of a graph in text."""

import gzip
import io

import numpy as np
import pytest

from powercut import PowerLawCut
from powercut.io import FileError, read_changes


def read(text: str, **options):
    return read_changes(io.BytesIO(text.encode()), **options)


@pytest.mark.parametrize("delimiter", [" ", "\t", ",", ";", "  ", ", "])
def test_edges_and_nodes_come_and_go(delimiter: str) -> None:
    lines = ["+ 0 7", "- 3 4", "+ 5 -6", "- 2", "# a comment", "", "+ 9"]
    changes = read("\n".join(line.replace(" ", delimiter) for line in lines) + "\n")
    for found, expected in zip(changes["added"], ([0, 5], [7, -6]), strict=True):
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == np.int64
    np.testing.assert_array_equal(changes["removed"], [[3], [4]])
    np.testing.assert_array_equal(changes["added_nodes"], [9])
    np.testing.assert_array_equal(changes["removed_nodes"], [2])


def test_names_may_be_quoted_and_files_compressed() -> None:
    text = '+\t"a\tb"\tc d\n-\tc d\n'
    changes = read_changes(io.BytesIO(gzip.compress(text.encode())))
    assert [ends.tolist() for ends in changes["added"]] == [["a\tb"], ["c d"]]
    assert changes["removed_nodes"].tolist() == ["c d"]


def test_numbers_are_names_if_told() -> None:
    assert read("+ 01 2\n", ids="names")["added"][0].tolist() == ["01"]


def test_edges_that_come_may_have_weights() -> None:
    changes = read("+ a b 2.5\n- a c\n+ d e 1e-3\n")
    np.testing.assert_array_equal(changes["added"][2], [2.5, 1e-3])
    assert len(changes["removed"]) == 2


def test_comments_alone_are_no_change() -> None:
    assert set(read("# nothing\n").values()) == {None}


def test_changes_are_arguments_of_update() -> None:
    A = np.kron(np.eye(2), np.ones((8, 8)) - np.eye(8))
    model = PowerLawCut(random_state=0).fit(A)
    model.update(**read("+ 0 8\n- 1 2\n- 15\n+ 16 3\n+ 17\n"))
    assert len(model.labels_) == 17
    assert model._input.graph.n_edges == 56 + 1 - 1 - 7 + 1


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("", "the file is empty; a comment, # nothing, says", None),
        ("+ 0 1\n0 1\n", "'0 1' does not begin with + or -, followed by a space", 2),
        ("+0 1\n", "'+0 1' does not begin with + or -", 1),
        (",0,1\n", "does not begin with + or -", 1),
        ("+\n", "there are 0 columns after the +", 1),
        ("+,0,,3\n", "there are 3 columns after the +", 1),
        ("- 0 1 2\n", "there are 3 columns after the -: one or two nodes are expected", 1),
        ("+ 0 1 2 3\n", "there are 4 columns after the +", 1),
        ("+ 0 1\n+ 0 x\n", "the id 'x' is not a whole number of 64 bits; pass ids=", 2),
        ("+ 0 9223372036854775808\n", "is not a whole number of 64 bits", 1),
        ("+ 0 1 1\n+ 0 2\n", "some edges that come have a weight, and others have none", 2),
        ("+ 0 1\n+ 0 2 1\n", "some edges that come have a weight, and others have none", 2),
        ("+ 0 1 -1\n", "the weight '-1' is not a finite number", 1),
        ("+ 0 1 1_0\n", "the weight '1_0' is not a finite number", 1),
        ("+ 0 1 nan\n", "the weight 'nan' is not a finite number", 1),
        ('+\t"a\tb\n', "the quote is not closed", 1),
    ],
)
def test_malformed_changes_are_refused(text: str, message: str, line: int | None) -> None:
    with pytest.raises(FileError) as refused:
        read(text)
    assert message in str(refused.value)
    assert refused.value.line == line


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="ids must be one of"):
        read("+ 0 1\n", ids="letters")
    with pytest.raises(FileError, match="not UTF-8"):
        read_changes(io.BytesIO(b"+ \xff a\n"))
