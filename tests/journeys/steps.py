"""What the journeys share: the command that the wheel installed, and checks that are printed."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command ``powercut``, whatever it returns."""
    command = Path(sys.executable).with_name("powercut")
    return subprocess.run([command, *arguments], capture_output=True, text=True, check=False)


def powercut(*arguments: str | Path) -> str:
    """Run the command ``powercut``, which must succeed, and return what it prints."""
    done = run(*arguments)
    if done.returncode:
        raise SystemExit(f"powercut {' '.join(map(str, arguments))}\n{done.stderr}")
    return done.stdout


def check(what: str, holds: object) -> None:
    """Say what was seen, or end here."""
    if not holds:
        raise SystemExit(f"not so: {what}")
    print("ok:", what)


def answer(call: Callable[[], object]) -> str:
    """Return the message of the error that a call raises."""
    try:
        call()
    except Exception as error:
        return str(error)
    raise SystemExit("not so: there was no error")
