"""The examples of the README run, and print what it says."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

README = Path(__file__).parent.parent / "README.md"


@pytest.fixture(scope="module")
def blocks() -> dict[str, list[str]]:
    text = README.read_text()
    return {
        kind: re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL) for kind in ("python", "text")
    }


def test_first_example_prints_what_is_shown(blocks: dict[str, list[str]]) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(blocks["python"][0], {})
    assert printed.getvalue() == blocks["text"][0]


def test_edge_arrays_give_the_labels_shown(blocks: dict[str, list[str]]) -> None:
    names: dict[str, Any] = {}
    exec(blocks["python"][1], names)
    shown = re.search(r"# (array\(.*\))", blocks["python"][1])
    assert shown is not None
    assert repr(names["labels"]) == shown.group(1)


def test_vectors_are_predicted(blocks: dict[str, list[str]]) -> None:
    names: dict[str, Any] = {}
    exec(blocks["python"][2], names)
    np.testing.assert_array_equal(names["new_labels"], names["model"].labels_[:10])
