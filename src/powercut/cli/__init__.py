"""The command ``powercut``: one module per subcommand, of the same name.

The module of a subcommand has ``add_parser(commands)``, which declares its arguments, and
``run(arguments)``, which runs it and returns the exit code. Slow imports are in ``run``, so that
``powercut --help`` prints at once.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from powercut.cli._messages import in_options

COMMANDS: tuple[str, ...] = (
    "cluster",
    "watch",
    "means",
    "path",
    "tree",
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
  0 success, 1 failure, 2 wrong arguments, 130 interrupted by Ctrl-C, 141 output pipe closed
"""


class _Version(argparse.Action):
    """Prints the version, which is looked up only then because that is slow."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version

        print(f"{parser.prog} {version('powercut')}")
        parser.exit()


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line, with all subcommands."""
    parser = argparse.ArgumentParser(
        prog="powercut",
        description="Find clusters with power-law sizes in graphs and vectors.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = import_module(f"{__name__}.{name}")
        module.add_parser(commands).set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    arguments = make_parser().parse_args(argv)
    options = vars(arguments)

    def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
        _print_message(f"warning: {in_options(str(message), options)}")

    with warnings.catch_warnings():
        warnings.showwarning = show_warning
        warnings.simplefilter("always", UserWarning)
        try:
            code: int = arguments.run(arguments)
            sys.stdout.flush()
            return code
        except KeyboardInterrupt:
            _print_message("interrupted")
            return INTERRUPTED
        except BrokenPipeError:
            # The reader has closed the pipe; Python would report that again when it exits.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return PIPE_CLOSED
        except (ValueError, OSError, ImportError, MemoryError) as error:
            _print_message(f"error: {in_options(_message(error), options)}")
            return FAILED


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error) or "out of memory"


def _print_message(text: str) -> None:
    print(f"powercut: {text}", file=sys.stderr)
