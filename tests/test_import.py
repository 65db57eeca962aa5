"""`import powercut`: how long it takes, and which modules it imports."""

import subprocess
import sys
from pathlib import Path

import pytest

import powercut


def run(program: str) -> str:
    """Run a program in a new interpreter and return its output."""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_import_adds_less_than_half_a_second_to_scikit_learns() -> None:
    program = (
        "import time, sklearn.base\n"
        "start = time.perf_counter()\n"
        "import powercut\n"
        "powercut.PowerLawCut\n"
        "print(time.perf_counter() - start)"
    )
    # Take the best of several runs: a busy machine only adds to the time.
    seconds = [float(run(program))]
    while seconds[-1] >= 0.5 and len(seconds) < 5:
        seconds.append(float(run(program)))
    assert min(seconds) < 0.5


def test_import_does_not_import_optional_packages() -> None:
    program = (
        "import sys, sklearn.base\n"
        "before = set(sys.modules)\n"
        "from powercut import *\n"
        "print(*(set(sys.modules) - before))"
    )
    imported = set(run(program).split())
    assert "powercut" in imported
    assert not imported & {"networkx", "igraph", "pandas", "matplotlib", "pyarrow"}


def test_import_is_cheap_until_a_name_is_used() -> None:
    program = (
        "import sys, powercut\n"
        "print('numpy' in sys.modules, 'sklearn' in sys.modules)\n"
        "powercut.PitmanYor\n"
        "print('numpy' in sys.modules)"
    )
    assert run(program).split() == ["False", "False", "True"]


def test_commands_do_not_wait_for_what_only_trees_or_estimators_need() -> None:
    program = (
        "import sys\n"
        "from powercut.estimators._graph_fit import GraphFit\n"
        "print('scipy.cluster.hierarchy' in sys.modules, 'sklearn' in sys.modules)\n"
        "from powercut import Graph, cluster_tree\n"
        "cluster_tree(Graph([[0, 1], [1, 0]]), random_state=0)\n"
        "print('sklearn' in sys.modules)"
    )
    assert run(program).split() == ["False", "False", "False"]


def test_every_public_name_is_importable_listed_and_typed() -> None:
    names = {*powercut._DEFINED_IN, *powercut._MODULES}
    # Modules that need optional packages are attributes, but not part of a star import.
    assert set(powercut._DEFINED_IN) < set(powercut.__all__) < names
    assert names | {"__version__"} <= set(dir(powercut))
    for name in names:
        assert getattr(powercut, name) is not None
    source = Path(powercut.__file__).read_text()
    for_type_checkers = source[source.index("if TYPE_CHECKING") : source.index("_DEFINED_IN")]
    assert [name for name in names if name not in for_type_checkers] == []
    with pytest.raises(AttributeError, match="has no attribute 'PowerLawCats'"):
        powercut.PowerLawCats  # noqa: B018


def test_star_import_defines_the_public_names() -> None:
    assert "PowerLawCut" in run("from powercut import *; print(*dir())").split()
