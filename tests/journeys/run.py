"""The ways of new users, each in a clean environment: ``python tests/journeys/run.py WHEEL``.

A journey is a script that says on top what it installs, and which page says so. It runs in a folder
and an environment of its own, with the wheel and these packages. Names of journeys may follow the
wheel. Wants uv, which makes an environment in a second.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
# Inline metadata of a script, as in PEP 723.
METADATA = re.compile(r"^# /// script$\n(?P<lines>(?:^#.*$\n)+?)^# ///$", re.MULTILINE)
# Seconds: for all journeys, and from the installation to a first partition.
ALL, FIRST_MINUTE = 300, 60


@dataclass(frozen=True)
class Journey:
    """A script, what it needs, and the page that its user has read."""

    script: Path
    dependencies: list[str]
    page: Path
    # Packages of which only the code is needed: what they depend on would take gigabytes.
    without_dependencies: list[str]

    @classmethod
    def of(cls, script: Path) -> "Journey":
        """Read the head of a script."""
        found = METADATA.search(script.read_text(encoding="utf-8"))
        if found is None:
            raise SystemExit(f"{script.name} does not say what it installs")
        head = tomllib.loads(re.sub("^# ?", "", found["lines"], flags=re.MULTILINE))
        own = head["tool"]["journey"]
        return cls(
            script, head["dependencies"], ROOT / own["page"], own.get("without-dependencies", [])
        )

    def not_on_the_page(self) -> list[str]:
        """Return the packages that the page does not say to install."""
        lines = " ".join(re.findall("pip install [^`\n]*", self.page.read_text(encoding="utf-8")))
        said = re.sub('["`]', " ", lines).split()
        named = self.dependencies + self.without_dependencies
        return [name for name in named if name not in said and name != "powercut"]

    def go(self, wheel: Path, folder: Path) -> None:
        """Install into an empty environment, and run the script there."""
        python = folder / "environment" / "bin" / "python"
        packages = [re.sub("^powercut", str(wheel), name) for name in self.dependencies]
        uv("venv", "--quiet", "--clear", "--python", sys.executable, folder / "environment")
        uv("pip", "install", "--quiet", "--python", python, *packages)
        if self.without_dependencies:
            alone = self.without_dependencies
            uv("pip", "install", "--quiet", "--no-deps", "--python", python, *alone)
        # All environments are at the same path, one after the other, and share what is compiled.
        shared = {"PYTHONPYCACHEPREFIX": str(folder / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
        with tempfile.TemporaryDirectory(dir=folder) as work:
            command = [python, "-W", "default", self.script]
            if subprocess.run(command, cwd=work, env=os.environ | shared, check=False).returncode:
                raise SystemExit(f"{self.script.name} did not reach its end")


def uv(*arguments: str | Path) -> None:
    """Run uv, which must be installed."""
    subprocess.run([sys.executable, "-m", "uv", *arguments], check=True)


def main() -> None:
    """Go all ways, or those that are named."""
    wheel, names = Path(sys.argv[1]).resolve(), sys.argv[2:]
    scripts = sorted(path for path in HERE.glob("*.py") if path.stem not in ("run", "steps"))
    chosen = [Journey.of(path) for path in scripts if not names or path.stem in names]
    for journey in chosen:
        missing = journey.not_on_the_page()
        if missing:
            raise SystemExit(
                f"{journey.script.name} needs {', '.join(missing)}, which {journey.page.name} does "
                "not say to install"
            )
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for journey in chosen:
            print(f"--- {journey.script.stem}", flush=True)
            start = time.monotonic()
            journey.go(wheel, Path(folder))
            seconds = time.monotonic() - start
            print(f"{seconds:.0f} s", flush=True)
            if journey.script.stem == "first_minute" and seconds > FIRST_MINUTE:
                raise SystemExit(f"the first session took more than {FIRST_MINUTE} s")
    seconds = time.monotonic() - began
    print(f"{len(chosen)} journeys, {seconds:.0f} s")
    if seconds > ALL:
        raise SystemExit(f"they took more than {ALL} s")


if __name__ == "__main__":
    main()
