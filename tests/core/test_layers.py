"""The folders of the C++ core include only downward, and only the bindings know Python."""

import re
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "src" / "core"
BELOW: dict[str, set[str]] = {"base": set(), "prior": {"base"}, "search": {"base", "prior"}}
BELOW["graphs"] = BELOW["vectors"] = {*BELOW["search"], "search"}
BELOW["text"] = {*BELOW["graphs"], "graphs"}
BELOW["bindings"] = {*BELOW["text"], "text", "vectors"}


@pytest.mark.parametrize("folder", BELOW)
def test_includes_run_downward(folder: str) -> None:
    files = [*CORE.joinpath(folder).glob("*.hpp"), *CORE.joinpath(folder).glob("*.cpp")]
    assert files
    for file in files:
        included = re.findall(r'#include "(\w+)/', file.read_text())
        assert set(included) <= {*BELOW[folder], folder}, file
        assert folder == "bindings" or "nanobind" not in file.read_text(), file


def test_every_folder_has_its_place() -> None:
    assert {path.name for path in CORE.iterdir() if path.is_dir()} == set(BELOW)
