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


def test_actions_are_pinned_to_commits() -> None:
    for file in (ROOT / ".github" / "workflows").glob("*.yml"):
        for action in re.findall(r"uses: *(.+)$", file.read_text(), re.MULTILINE):
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", action), action


def test_every_python_is_classified_tested_and_built() -> None:
    stated = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))
    assert stated == [f"3.{minor}" for minor in range(11, 16)]
    tests = (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    assert f"python: {stated}".replace("'", '"') in tests
    built = PROJECT["tool"]["cibuildwheel"]["build"].split()
    assert {f"cp{version.replace('.', '')}-*" for version in stated} <= set(built)
    # The native module may be used without the GIL, and wheels for that are built and tested.
    assert "FREE_THREADED" in (ROOT / "CMakeLists.txt").read_text()
    assert "cp314t-*" in built
    assert 'python-version: "3.14t"' in tests


def test_addresses_are_those_of_one_repository() -> None:
    urls = PROJECT["project"]["urls"]
    assert {"Homepage", "Repository", "Issues", "Changelog"} <= set(urls)
    assert all(url.startswith(urls["Repository"]) for url in urls.values())


def test_recipe_agrees_with_the_project() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed; the recipe is not read")
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text())
    project = PROJECT["project"]
    assert recipe["context"]["version"] == project["version"]
    assert recipe["about"]["license"] == project["license"]
    assert recipe["about"]["summary"] == project["description"]
    assert recipe["about"]["repository"] == project["urls"]["Repository"]
    needs = recipe["requirements"]
    assert needs["run"] == ["python", *map(_spaced, project["dependencies"])]
    assert set(map(_spaced, PROJECT["build-system"]["requires"])) <= set(needs["host"])
    assert (
        f'match(python, "<{project["requires-python"].removeprefix(">=")}")'
        == (recipe["build"]["skip"])
    )
    name, target = recipe["build"]["python"]["entry_points"][0].split(" = ")
    assert project["scripts"] == {name: target}


def _spaced(requirement: str) -> str:
    """Return a requirement as conda writes it."""
    return requirement.replace(">=", " >=")


def test_code_of_conduct_names_a_private_way_to_the_maintainers() -> None:
    text = (ROOT / "CODE_OF_CONDUCT.md").read_text()
    assert "Contributor Covenant" in text
    assert "Security tab" in text


def test_wheels_come_with_a_bill_of_materials() -> None:
    workflow = (ROOT / ".github" / "workflows" / "wheels.yml").read_text()
    assert "cyclonedx-py environment" in workflow
    assert "needs: [wheels, sdist, sbom]" in workflow


def test_extras_say_what_errors_tell_to_install() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "src" / "powercut").rglob("*.py"))
    told = set(re.findall(r"powercut\[(\w+)\]", sources))
    assert {"plot", "progress"} <= told
    assert told <= set(PROJECT["project"]["optional-dependencies"])


def test_smoke_test_of_the_wheels_passes(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "tests" / "smoke.py")]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "all well" in run.stdout
