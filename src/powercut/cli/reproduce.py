"""``powercut reproduce``: reproduce the tables and figures of the paper."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from powercut.progress import Progress

WHAT = ("synthetic", "table1", "table2", "figure-sizes", "images", "all")
EPILOG = """\
synthetic     figure 1: graphs of 4,000 nodes with Pitman-Yor cluster sizes
table1        six UCI data sets as vectors
table2        the same data sets as graphs
figure-sizes  cluster sizes on ecoli
images        segmentation of the Berkeley images

UCI data and images are read from the folder in the environment variable POWERCUT_DATA, or
downloaded. Pictures need matplotlib: pip install "powercut[plot]".
"""
BAR_WIDTH = 24


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Declare the arguments."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "reproduce",
        help="reproduce the tables and figures of the paper",
        description="Reproduce the tables and figures of 'Power-Law Graph Cuts', next to the\n"
        "results of the paper.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "what", metavar="WHAT", choices=WHAT, help=f"part to reproduce: {', '.join(WHAT)}"
    )
    parser.add_argument(
        *("-o", "--output"),
        metavar="FOLDER",
        type=Path,
        required=True,
        help="write CSV, PNG, report.md and index.html to FOLDER",
    )
    parser.add_argument(
        "--quick", action="store_true", help="use smaller data and fewer runs: a few minutes"
    )
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Run the experiments, and print the path of the page."""
    from powercut.reproduce import reproduce

    reproduce(arguments.what, arguments.output, quick=arguments.quick, progress=make_bar())
    print(arguments.output / "index.html")
    return 0


def make_bar() -> Callable[[Progress], None]:
    """Return a callback that draws a bar in a terminal, or else prints one line per stage."""
    last = ""

    def show(progress: Progress) -> None:
        nonlocal last
        minutes, seconds = divmod(int(progress.seconds), 60)
        text = f"{progress.fraction:4.0%} {minutes:3d}:{seconds:02d} {progress.stage}"
        if sys.stderr.isatty():
            filled = round(BAR_WIDTH * progress.fraction)
            end = "\n" if progress.stage == "done" else ""
            bar = "█" * filled + "·" * (BAR_WIDTH - filled)
            line = f"{bar}{text}"[: get_terminal_size().columns - 1]
            print(f"\r\033[K{line}", end=end, file=sys.stderr, flush=True)
        elif progress.stage != last:
            print(text, file=sys.stderr, flush=True)
        last = progress.stage

    return show
