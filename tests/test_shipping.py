"""What a release needs is there, and says the same everywhere."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_citation_has_the_version_of_the_package() -> None:
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited is not None
    assert cited.group(1) == PROJECT["project"]["version"]


def test_github_files_are_yaml() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed; the files are not read")
    files = [*(ROOT / ".github").rglob("*.yml"), ROOT / "CITATION.cff"]
    assert len(files) >= 5
    for file in files:
        assert isinstance(yaml.safe_load(file.read_text()), dict)


def test_extras_say_what_errors_tell_to_install() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "src" / "powercut").rglob("*.py"))
    told = set(re.findall(r"powercut\[(\w+)\]", sources))
    assert {"plot", "neighbors", "progress"} <= told
    assert told <= set(PROJECT["project"]["optional-dependencies"])


def test_smoke_test_of_the_wheels_passes(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "tests" / "smoke.py")]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "all well" in run.stdout
