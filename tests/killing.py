"""Programs that are killed before a call of the operating system."""

import signal
import subprocess
import sys

KILL_AT = """
import os, signal

def kill_at(name, text):
    call = getattr(os, name)

    def killed(*given, **options):
        if text in " ".join(map(str, given)):
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*given, **options)

    setattr(os, name, killed)
"""


def run_killed(program: str, *arguments: str) -> None:
    """Run Python source in a process of its own, and see that it was killed.

    It may call ``kill_at(name, text)``: the next call of that function of `os` with the text in
    its arguments kills the process.
    """
    command = [sys.executable, "-c", KILL_AT + program, *arguments]
    done = subprocess.run(command, check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
