"""The snippets of Markdown pages, and how they are run as they stand."""

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# A fenced block, and the text right below it, which is then what it prints.
SNIPPET = re.compile(
    r"^```(?P<kind>python|bash)\n(?P<code>.*?)^```\n"
    r"(?:\n```text\n(?P<shown>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


def has_snippets(page: Path) -> bool:
    """Say whether there is anything to run on a page."""
    text = page.read_text()
    return SNIPPET.search(text) is not None or ">>> " in text


def run_page(page: Path) -> list[str]:
    """Run a page in the current folder, and return what it prints otherwise than it says.

    Python shares its names from block to block. Prompts (``>>>``) are doctests.
    """
    text = page.read_text()
    names: dict[str, Any] = {"__name__": "__main__"}
    wrong = []
    for snippet in SNIPPET.finditer(text):
        line = text.count("\n", 0, snippet.start()) + 1
        if snippet["kind"] == "python":
            printed = io.StringIO()
            # As many empty lines as there are above, so that a traceback names the line.
            code = compile("\n" * line + snippet["code"], str(page), "exec")
            with contextlib.redirect_stdout(printed):
                exec(code, names)
            output = printed.getvalue()
        else:
            output = _run_shell(snippet["code"], f"{page}:{line}")
        if snippet["shown"] is not None and output != snippet["shown"]:
            wrong.append(f"{page.name}:{line} prints\n{output}in place of\n{snippet['shown']}")
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, _ = doctest.testfile(str(page), module_relative=False, optionflags=flags)
    if failed:
        wrong.append(f"{page.name}: {failed} doctests failed, see above")
    return wrong


def _run_shell(code: str, where: str) -> str:
    """Run a block of shell commands and return what it prints; raise if one fails."""
    # The command powercut of the Python that runs this, before any other.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", code],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{where}: the shell ended with {done.returncode}:\n{done.stderr}")
    return done.stdout
