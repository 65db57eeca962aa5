"""The command ``powercut``: one module a subcommand, found by its name.

A module of a subcommand has ``add_parser(commands)``, which describes its arguments, and
``run(arguments)``, which does the work and returns the exit code. What is slow to import is
imported in ``run``, so that ``powercut --help`` answers at once.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version

COMMANDS: tuple[str, ...] = ()


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line, with all subcommands."""
    parser = argparse.ArgumentParser(
        prog="powercut",
        description="Clusters whose sizes follow a power law, in graphs and in vectors.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {version('powercut')}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = import_module(f"{__name__}.{name}")
        module.add_parser(commands).set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 1 failed, 2 wrong arguments."""
    arguments = make_parser().parse_args(argv)
    code: int = arguments.run(arguments)
    return code
