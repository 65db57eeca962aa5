"""The command ``powercut``: one module a subcommand, found by its name.

A module of a subcommand has ``add_parser(commands)``, which describes its arguments, and
``run(arguments)``, which does the work and returns the exit code. What is slow to import is
imported in ``run``, so that ``powercut --help`` answers at once.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

COMMANDS: tuple[str, ...] = (
    "cluster",
    "means",
    "path",
    "sizes",
    "compare",
    "generate",
    "segment",
    "report",
    "reproduce",
    "completion",
)
DONE, FAILED, WRONG_ARGUMENTS, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141
EXIT_CODES = """\
exit codes:
  0 done, 1 failed, 2 wrong arguments, 130 ended by Ctrl-C, 141 nobody read the output
"""


class _Version(argparse.Action):
    """Look the version up only if it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version

        print(f"{parser.prog} {version('powercut')}")
        parser.exit()


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line, with all subcommands."""
    parser = argparse.ArgumentParser(
        prog="powercut",
        description="Clusters whose sizes follow a power law, in graphs and in vectors.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and end")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = import_module(f"{__name__}.{name}")
        module.add_parser(commands).set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    arguments = make_parser().parse_args(argv)
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        warnings.simplefilter("always", UserWarning)
        try:
            code: int = arguments.run(arguments)
            sys.stdout.flush()
            return code
        except KeyboardInterrupt:
            _say("interrupted")
            return INTERRUPTED
        except BrokenPipeError:
            # Whoever read the output has gone; Python would complain of it once more at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return PIPE_CLOSED
        except (ValueError, OSError, ImportError, MemoryError) as error:
            _say(f"error: {_message(error)}")
            return FAILED


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error) or "there is not enough memory"


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _say(f"warning: {message}")


def _say(text: str) -> None:
    print(f"powercut: {text}", file=sys.stderr)
