"""What `import powercut` costs and brings along."""

import subprocess
import sys


def run(program: str) -> str:
    """Run a program in a fresh interpreter and return what it printed."""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_import_adds_less_than_half_a_second_to_scikit_learns() -> None:
    program = (
        "import time, sklearn.base\n"
        "start = time.perf_counter()\n"
        "import powercut\n"
        "print(time.perf_counter() - start)"
    )
    # The best of several: a busy machine only adds to the time.
    seconds = [float(run(program))]
    while seconds[-1] >= 0.5 and len(seconds) < 5:
        seconds.append(float(run(program)))
    assert min(seconds) < 0.5


def test_import_leaves_optional_packages_alone() -> None:
    program = (
        "import sys, sklearn.base\n"
        "before = set(sys.modules)\n"
        "import powercut\n"
        "print(*(set(sys.modules) - before))"
    )
    imported = set(run(program).split())
    assert "powercut" in imported
    assert not imported & {"networkx", "igraph", "pandas", "matplotlib"}
