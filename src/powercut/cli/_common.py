"""What subcommands share: arguments, input and output, and a bar for who waits."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from powercut.progress import Progress

STANDARD = "-"
GRAPH_FORMATS = (
    "edges",
    "snap",
    "metis",
    "matrixmarket",
    "graphml",
    "parquet",
    "arrow",
    "npz",
    "h5ad",
)
LABEL_FORMATS = ("text", "csv", "parquet", "npz")
POINT_FORMATS = ("text", "npy", "npz", "parquet")


# Arguments.


def command(
    commands: Any, name: str, summary: str, *, description: str, examples: str
) -> argparse.ArgumentParser:
    """Add a subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog="examples:\n" + "\n".join(f"  {line}" for line in examples.strip().splitlines()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    return parser


def add_graph(parser: argparse.ArgumentParser) -> None:
    """Add the graph to read, and what it may need to be told."""
    parser.add_argument("graph", metavar="GRAPH", help="file of a graph; - for standard input")
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--format", choices=GRAPH_FORMATS, help="format of GRAPH; default: by its suffix, or edges"
    )
    group.add_argument(
        "--symmetrize",
        choices=("sum", "max", "mean", "none"),
        help="how both directions of an edge combine; none: both must be there, and agree; "
        "default: max for lists of edges, none for matrices",
    )
    group.add_argument("--ids", choices=("numbers", "names"), help="what nodes are called in text")
    group.add_argument(
        "--weighted",
        action=argparse.BooleanOptionalAction,
        help="whether the third column of text is a weight",
    )
    group.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        help="whether the first line of text names the columns",
    )
    group.add_argument(
        "--columns", nargs="+", metavar="NAME", help="columns of ends, and weight, of a table"
    )
    group.add_argument("--key", help="which of obsp of an AnnData file; default: connectivities")


def add_fit(parser: argparse.ArgumentParser, scores: tuple[str, ...]) -> Any:
    """Add what every fit may be told, and return the group."""
    group = parser.add_argument_group("fitting")
    group.add_argument("--score", choices=scores, default=scores[0], help="default: %(default)s")
    group.add_argument(
        "--tradeoff", type=float, metavar="NUMBER", help="what sizes count; default: estimated"
    )
    group.add_argument("--concentration", type=float, metavar="NUMBER", help="of the prior")
    group.add_argument("--discount", type=float, metavar="NUMBER", help="of the prior")
    group.add_argument(
        "--max-seconds", type=float, metavar="SECONDS", help="take the best that is found by then"
    )
    add_running(group)
    return group


def add_running(group: Any) -> None:
    """Add what says how a search is run."""
    group.add_argument("--seed", type=int, default=0, help="of random numbers; default: 0")
    group.add_argument(
        "--jobs", type=int, metavar="N", help="threads; -1 for all; the labels are the same"
    )


def add_output(parser: argparse.ArgumentParser, what: str, formats: tuple[str, ...]) -> None:
    """Add where results go."""
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=f"where {what} go; default: standard output"
    )
    parser.add_argument(
        "--output-format", choices=formats, help=f"default: by the suffix, or {formats[0]}"
    )


def add_json(parser: argparse.ArgumentParser, text: str) -> None:
    """Add the summary for programs."""
    parser.add_argument("--json", action="store_true", help=text)


def add_quiet(parser: argparse.ArgumentParser) -> None:
    """Add the wish to be told nothing."""
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress, and no summary")


# Input and output.


def source(path: str) -> str | BinaryIO:
    """Return what to read from."""
    return sys.stdin.buffer if path == STANDARD else path


def target(path: str | None) -> str | BinaryIO:
    """Return what to write to."""
    return sys.stdout.buffer if path in (None, STANDARD) else str(path)


def check_input(*paths: str) -> None:
    """Refuse a file that is not there, before anything slow is imported."""
    for path in paths:
        if path != STANDARD:
            os.stat(path)


def check_output(path: str | None) -> None:
    """Refuse a file that cannot be written, before the work rather than after it."""
    if path in (None, STANDARD):
        return
    folder = Path(str(path)).parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise ValueError(f"{path}: there is no folder {folder} that can be written to")


def read_graph(arguments: argparse.Namespace) -> Any:
    """Read the graph of the arguments."""
    from powercut import io

    symmetrize = {None: "auto", "none": None}.get(arguments.symmetrize, arguments.symmetrize)
    return io.read_graph(
        source(arguments.graph),
        format=arguments.format,
        symmetrize=symmetrize,
        ids=arguments.ids or "auto",
        weighted=arguments.weighted,
        header=arguments.header,
        columns=arguments.columns,
        key=arguments.key,
    )


def write_labels(arguments: argparse.Namespace, labels: Any, names: Any = None) -> None:
    """Write labels where the arguments say; nowhere, if standard output is for the summary."""
    from powercut import io

    if arguments.output is not None or not arguments.json:
        output = target(arguments.output)
        io.write_labels(output, labels, names=names, format=arguments.output_format)


def print_json(summary: dict[str, Any]) -> None:
    """Print a summary for programs; what is no number in JSON is null."""
    print(json.dumps({name: _plain(value) for name, value in summary.items()}, indent=2))


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, float) and not -float("inf") < value < float("inf"):
        return None
    return value


def fit_summary(model: Any) -> dict[str, Any]:
    """Return what a fit found, by the names of its attributes."""
    names = (
        "n_clusters",
        "tradeoff",
        "concentration",
        "discount",
        "objective",
        "description_length",
        "degree_corrected",
    )
    found = {name: getattr(model, f"{name}_") for name in names if hasattr(model, f"{name}_")}
    return {"score": model.score, **found, "cluster_sizes": model.cluster_sizes_}


def say_clusters(what: str, model: Any, seconds: dict[str, float]) -> None:
    """Tell who waits in a line what was found."""
    sizes, k = model.cluster_sizes_, model.n_clusters_
    times = ", ".join(f"{name} {value:.1f} s" for name, value in seconds.items())
    clusters = f"{k:,} {'cluster' if k == 1 else 'clusters'}, the largest of {sizes.max():,}"
    print(f"{what}: {clusters} ({times})", file=sys.stderr)


class Clock:
    """Takes the times of parts of the work, one after the other."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def note(self, part: str) -> None:
        """Note that a part is done."""
        now = time.perf_counter()
        self.seconds[part], self._last = round(now - self._last, 3), now


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Any]:
    """Yield what shows how far a fit is, if standard error is a terminal; None if it is not."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    try:
        yield _show
    finally:
        sys.stderr.write("\r\x1b[K")  # leaves an empty line to who comes next
        sys.stderr.flush()


def _show(progress: Progress) -> None:
    done = round(20 * progress.fraction)
    minutes, seconds = divmod(int(progress.seconds), 60)
    line = (
        f"{progress.fraction:4.0%} [{'#' * done}{'.' * (20 - done)}] {minutes}:{seconds:02d} "
        f"{progress}"
    )
    width = os.get_terminal_size(sys.stderr.fileno()).columns - 1
    sys.stderr.write(f"\r{line[:width]}\x1b[K")
    sys.stderr.flush()
