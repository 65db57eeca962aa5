"""The README and the pages of the documentation run as they stand, and print what they show."""

import re
import sys
from pathlib import Path

import pytest

import pages


@pytest.mark.parametrize(
    "page",
    [page for page in pages.PAGES if pages.has_snippets(page)],
    ids=lambda page: page.stem,
)
def test_page_runs_as_written(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    wrong = pages.run_page(page)
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
    assert not wrong, "\n".join(wrong)


def test_links_of_the_readme_lead_somewhere() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", (pages.ROOT / "README.md").read_text())
    assert links
    assert [link for link in links if not (pages.ROOT / link).exists()] == []
