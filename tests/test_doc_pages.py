"""The Python of the pages runs as it stands there."""

import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize(
    ("page", "packages"),
    [("plots", ["matplotlib"]), ("neighbours", ["networkx"]), ("model_files", [])],
)
def test_page_runs(
    page: str, packages: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in packages:
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / f"{page}.md").read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(block, names)
