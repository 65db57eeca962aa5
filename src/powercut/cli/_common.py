"""Code shared by subcommands: arguments, input and output, and a progress bar."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

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
    "folder",
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


def add_graph(
    parser: argparse.ArgumentParser, text: str = "graph file; - for standard input"
) -> None:
    """Add the graph to read, and options for reading it."""
    parser.add_argument("graph", metavar="GRAPH", help=text)
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--format",
        choices=GRAPH_FORMATS,
        help="format of GRAPH; default: by its suffix, else edges",
    )
    group.add_argument(
        "--symmetrize",
        choices=("sum", "max", "mean", "none"),
        help="how to combine the two directions of an edge; none requires both, with equal "
        "weights; default: max for edge lists, none for matrices",
    )
    group.add_argument(
        "--ids", choices=("numbers", "names"), help="type of the node ids in a text file"
    )
    group.add_argument(
        "--weighted",
        action=argparse.BooleanOptionalAction,
        help="read the third column of a text file as the weight",
    )
    group.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        help="treat the first line of a text file as a header",
    )
    group.add_argument(
        "--columns",
        nargs="+",
        metavar="NAME",
        help="columns of a table with source, target and, optionally, weight",
    )
    group.add_argument(
        "--key", help="entry of obsp in an AnnData file to read; default: connectivities"
    )
    add_max_bytes(group)


def add_max_bytes(group: Any) -> None:
    """Add the limit of what a file may take in memory."""
    group.add_argument(
        "--max-bytes",
        type=int,
        metavar="N",
        help="most bytes that the content of a file may take; default: 64 MiB, or 100 times the "
        "size of the file if that is more",
    )


def add_fit(parser: argparse.ArgumentParser, scores: tuple[str, ...]) -> Any:
    """Add the options of every fit, and return their group."""
    group = parser.add_argument_group("fitting")
    add_score(group, scores)
    add_tradeoff(group)
    for name in ("concentration", "discount"):
        group.add_argument(
            f"--{name}", type=float, metavar="NUMBER", help=f"{name} of the size prior"
        )
    group.add_argument(
        "--max-seconds",
        type=float,
        metavar="SECONDS",
        help="stop after this time and return the best partition found",
    )
    add_running(group)
    return group


def add_tradeoff(group: Any) -> None:
    """Add the weight of the size prior."""
    group.add_argument(
        "--tradeoff",
        type=float,
        metavar="NUMBER",
        help="weight of the size prior against the score; default: estimated",
    )


def add_score(group: Any, scores: tuple[str, ...]) -> None:
    """Add the score to optimise."""
    group.add_argument(
        "--score", choices=scores, default=scores[0], help="score to optimise; default: %(default)s"
    )


def add_seed(group: Any) -> None:
    """Add the seed of random numbers."""
    group.add_argument("--seed", type=int, default=0, help="random seed; default: 0")


def add_running(group: Any) -> None:
    """Add the seed and the number of threads."""
    add_seed(group)
    group.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        help="number of threads; -1 for all processors; labels do not depend on it",
    )


def add_output(parser: argparse.ArgumentParser, what: str, formats: tuple[str, ...]) -> None:
    """Add the output file and its format."""
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=f"write {what} to FILE; default: standard output"
    )
    add_output_format(parser, formats)


def add_output_format(parser: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    """Add the format of the output file."""
    parser.add_argument(
        "--output-format",
        choices=formats,
        help=f"format of the output; default: by its suffix, else {formats[0]}",
    )


def add_json(parser: argparse.ArgumentParser, text: str) -> None:
    """Add output in JSON."""
    parser.add_argument("--json", action="store_true", help=text)


def add_quiet(parser: argparse.ArgumentParser) -> None:
    """Add the option to print neither progress nor summary."""
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="print neither progress nor summary"
    )


# Input and output.


def source(path: str) -> str | BinaryIO:
    """Return the path or standard input."""
    return sys.stdin.buffer if path == STANDARD else path


def target(path: str | None) -> str | BinaryIO:
    """Return the path or standard output."""
    return sys.stdout.buffer if path in (None, STANDARD) else str(path)


def check_input(*paths: str) -> None:
    """Raise for a missing file, before anything slow is imported."""
    for path in paths:
        if path != STANDARD:
            os.stat(path)


def check_output(path: str | None) -> None:
    """Raise for an output folder that cannot be written to, before the computation starts."""
    if path in (None, STANDARD):
        return
    folder = Path(str(path)).parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise ValueError(f"{path}: the folder {folder} does not exist or is not writable")


def check_output_format(arguments: argparse.Namespace, *, to_standard: bool) -> None:
    """Raise for a format of labels that are not written, neither to a file nor to standard output.

    `to_standard` says whether labels go to standard output if no file is named.
    """
    if arguments.output_format is not None and arguments.output is None and not to_standard:
        raise ValueError("--output-format has no effect without --output: no labels are written")


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
        max_bytes=arguments.max_bytes,
    )


def write_labels(arguments: argparse.Namespace, labels: Any, names: Any = None) -> None:
    """Write labels to the output; to standard output only if it does not take the summary."""
    from powercut import io

    if arguments.output is not None or not arguments.json:
        output = target(arguments.output)
        io.write_labels(output, labels, names=names, format=arguments.output_format)


def print_json(summary: dict[str, Any]) -> None:
    """Print a summary in JSON; infinite numbers and NaN become null."""
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


def describe_graph(graph: Any) -> str:
    """Return the numbers of nodes and edges, and of edges that became one by summing weights."""
    text = f"{graph.n_nodes:,} nodes, {graph.n_edges:,} edges"
    if graph.n_repeats:
        text += f" (weights of {graph.n_repeats:,} repeated ones summed)"
    return text


def fit_summary(model: Any) -> dict[str, Any]:
    """Return the results of a fit, by the names of its attributes."""
    names = (
        "n_clusters",
        "tradeoff",
        "concentration",
        "discount",
        "objective",
        "description_length",
        "degree_corrected",
        "stopped_early",
    )
    found = {name: getattr(model, f"{name}_") for name in names if hasattr(model, f"{name}_")}
    if hasattr(model, "prior_moved_"):
        found["n_prior_moved"] = len(model.prior_moved_)
    return {"score": model.score, **found, "cluster_sizes": model.cluster_sizes_}


def print_summary(what: str, model: Any, seconds: dict[str, float]) -> None:
    """Print one line to standard error: data, clusters and times."""
    sizes, k = model.cluster_sizes_, model.n_clusters_
    times = ", ".join(f"{name} {value:.1f} s" for name, value in seconds.items())
    clusters = f"{k:,} {'cluster' if k == 1 else 'clusters'}, largest {sizes.max():,}"
    stopped = ", search stopped early" if model.stopped_early_ else ""
    moved = getattr(model, "prior_moved_", None)
    left = "" if moved is None else f", {len(moved):,} nodes left their prior labels"
    print(f"{what}: {clusters}{left}{stopped} ({times})", file=sys.stderr)


class Clock:
    """Measures the times of consecutive parts of the work."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def note(self, part: str) -> None:
        """Record the time since the previous call as that of a part."""
        now = time.perf_counter()
        self.seconds[part], self._last = round(now - self._last, 3), now


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Any]:
    """Yield a progress callback that draws a bar, or None if standard error is not a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from powercut._bars import plain_bar

    with plain_bar(erase=True) as show:
        yield show
