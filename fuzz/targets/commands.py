"""The command line: any arguments and files end in an exit code and a message."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from edits import edit_bytes
from target import Target
from targets.models import memory_folder
from targets.text import TOKENS, VALID

from powercut.cli import COMMANDS, main, make_parser

# `reproduce` runs for minutes, `watch` until it is ended, `segment` and `report` mostly in other
# packages.
LEFT_OUT = ("reproduce", "watch", "segment", "report")
NAMES = [name for name in COMMANDS if name not in LEFT_OUT]
NUMBERS = ("0", "1", "2", "7", "0.5", "-1", "nan", "inf", "1e300", "1e-300", "x", "")
WORDS = ("max", "none", "names", "text", "csv", "npz", "edges", "metis", "npy", "parquet", "h5ad")
FILES = ("graph.txt", "graph.metis", "points.csv", "labels.tsv", "edited.txt", "edited.npz")
OUTPUTS = ("out.tsv", "out.csv", "out.npz", "out.parquet", "out.gz", "missing/out.tsv", ".", "-")


def prepare(_: str) -> Target:
    """Write valid files."""
    os.chdir(memory_folder())
    Path("graph.txt").write_bytes(b"0 1\n1 2\n2 0\n2 3\n3 4\n4 5\n5 3\n")
    Path("graph.metis").write_bytes(VALID["metis"][0])
    Path("points.csv").write_bytes(b"x,y\n" + b"1,2\n1,3\n2,2\n8,9\n9,9\n" * 3)
    Path("labels.tsv").write_bytes(b"0\t0\n1\t0\n2\t1\n")
    Path("folder").mkdir()
    options = options_of_commands()
    seeds = [data for files in VALID.values() for data in files]

    def make(random: Random) -> tuple[bytes, list[str]]:
        command = random.choice(NAMES)
        arguments = [command, *arguments_of(random, command, options[command])]
        return edit_bytes(random, random.choice(seeds), TOKENS), arguments

    def check(file_and_arguments: tuple[bytes, list[str]]) -> None:
        data, arguments = file_and_arguments
        for name in ("edited.txt", "edited.npz"):
            Path(name).write_bytes(data)
        with standard_streams(data):
            try:
                code = main(arguments)
            except SystemExit as stop:  # as argparse does after --help and wrong arguments
                code = stop.code
        assert code in (0, 1, 2), f"{arguments} ends with {code}"

    # `main` itself turns every error into an exit code.
    return Target(make, check, ())


def options_of_commands() -> dict[str, list[str]]:
    """Return the options of each command."""
    parsers = make_parser()._subparsers._group_actions[0].choices  # type: ignore[union-attr]
    return {
        name: [option for action in parser._actions for option in action.option_strings]
        for name, parser in parsers.items()  # type: ignore[attr-defined]
    }


def arguments_of(random: Random, command: str, options: list[str]) -> Iterator[str]:
    """Yield arguments of a command, most of them of the right kind."""
    if command == "generate":  # 10,000 nodes, the default, take too long
        yield from (random.choice(("paper", "blocks", "blobs")), "--nodes", random.choice(NUMBERS))
    elif command == "completion":
        yield random.choice(("bash", "zsh", "fish", "x"))
    else:
        yield random.choice((*FILES, *FILES, "-", "missing.txt", "folder", "", "\udcff"))
    for _ in range(random.randint(0, 4)):
        yield random.choice(options) if random.random() < 0.5 else random.choice(FILES)
        yield random.choice(random.choice((NUMBERS, WORDS, OUTPUTS, FILES)))


@contextmanager
def standard_streams(given: bytes) -> Iterator[None]:
    """Let standard input be the bytes, and keep what is printed off the terminal."""
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BytesIO(given))
    sys.stdout = io.TextIOWrapper(io.BytesIO())
    sys.stderr = io.TextIOWrapper(io.BytesIO(), errors="backslashreplace")  # as Python has it
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
