"""``powercut path``: find partitions of a graph over a range of tradeoffs."""

from __future__ import annotations

import argparse
from typing import Any

from powercut.cli import _common
from powercut.cli.cluster import SCORES

EXAMPLES = """
powercut generate blocks --nodes 500 -o graph.txt
powercut path graph.txt
powercut path graph.txt --tradeoffs 1 2 4 8 -o path.csv --json
"""


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Declare the arguments."""
    parser = _common.command(
        commands,
        "path",
        "find partitions of a graph at all scales",
        description="Find the partitions of a graph over a range of tradeoffs, from fine to\n"
        "coarse, and the partitions that persist over a long range. Print a table.",
        examples=EXAMPLES,
    )
    _common.add_graph(parser)
    group = parser.add_argument_group("fitting")
    _common.add_score(group, SCORES)
    group.add_argument(
        "--tradeoffs",
        type=float,
        nargs="+",
        metavar="NUMBER",
        help="tradeoffs in increasing order; default: 16 from 1 to 32",
    )
    _common.add_running(group)
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write labels to FILE, one column per tradeoff"
    )
    _common.add_output_format(parser, _common.LABEL_FORMATS)
    _common.add_json(parser, "print JSON instead of the table")
    _common.add_quiet(parser)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Read, fit, write and print."""
    _common.check_input(arguments.graph)
    _common.check_output(arguments.output)
    _common.check_output_format(arguments, to_standard=False)
    from powercut import PowerLawCut, tradeoff_path

    graph, names = _common.read_graph(arguments)
    with _common.progress_bar(arguments.quiet) as progress:
        path = tradeoff_path(
            graph,
            estimator=PowerLawCut(arguments.score),
            tradeoffs=arguments.tradeoffs,
            progress=progress,
            n_jobs=arguments.jobs,
            random_state=arguments.seed,
        )
    if arguments.output is not None:
        _write(arguments, path, names)
    if arguments.json:
        _common.print_json(
            {
                "input": arguments.graph,
                "n_nodes": graph.n_nodes,
                "n_edges": graph.n_edges,
                "tradeoffs": path.tradeoffs,
                "n_clusters": path.n_clusters,
                "objectives": path.objectives,
                "description_lengths": path.description_lengths,
                "agreement": path.agreement,
                "nested": path.nested,
                "plateaus": [
                    {
                        "first": one.first,
                        "last": one.last,
                        "n_clusters": one.n_clusters,
                        "persistence": one.persistence,
                    }
                    for one in path.plateaus()
                ],
            }
        )
        return 0
    if arguments.quiet:
        return 0
    print(path)
    for plateau in path.plateaus()[:3]:
        tradeoffs = f"{plateau.first:.3g} to {plateau.last:.3g}"
        print(f"{plateau.n_clusters} clusters persist from tradeoff {tradeoffs}")
    return 0


def _write(arguments: argparse.Namespace, path: Any, names: Any) -> None:
    import numpy as np

    from powercut.io._source import format_of
    from powercut.io._tables import write_table, written
    from powercut.io.labels import SUFFIXES

    columns = {"node": np.arange(path.labels.shape[1]) if names is None else names}
    columns |= {
        f"{one:.6g}": labels for one, labels in zip(path.tradeoffs, path.labels, strict=True)
    }
    kind = format_of(arguments.output, arguments.output_format, SUFFIXES, "text")
    with written(_common.target(arguments.output)) as file:
        write_table(file, columns, kind)
