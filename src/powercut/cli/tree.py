"""``powercut tree``: find nested clusters of a graph at all scales."""

from __future__ import annotations

import argparse
from typing import Any

from powercut.cli import _common

FORMATS = (*_common.LABEL_FORMATS, "json", "newick")
EXAMPLES = """
powercut generate blocks --nodes 500 -o graph.txt
powercut tree graph.txt
powercut tree graph.txt --max-size 50 -o communities.csv
powercut tree graph.txt --all-levels -o tree.nwk --json
"""


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Declare the arguments."""
    parser = _common.command(
        commands,
        "tree",
        "find nested clusters of a graph",
        description="Find nested clusters of a graph at all scales, around those that\n"
        "`powercut cluster` finds, and print a table of the levels. Write one line per node and\n"
        "cluster that it is in: node, cluster, parent cluster (-1 for connected components),\n"
        "level, and whether the cluster is not divided any further.",
        examples=EXAMPLES,
    )
    _common.add_graph(parser)
    group = parser.add_argument_group("fitting")
    group.add_argument(
        "--max-size", type=int, metavar="N", help="most nodes of the finest clusters"
    )
    group.add_argument(
        "--min-size", type=int, metavar="N", help="join clusters with fewer nodes to neighbours"
    )
    group.add_argument(
        "--all-levels",
        action="store_true",
        help="keep levels that make the description of the graph longer",
    )
    group.add_argument(
        "--max-seconds",
        type=float,
        metavar="SECONDS",
        help="stop after this time and return the levels found",
    )
    _common.add_running(group)
    _common.add_quiet(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="write the clusters to FILE")
    _common.add_output_format(parser, FORMATS)
    _common.add_json(parser, "print JSON instead of the table")
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Read, fit, write and print."""
    _common.check_input(arguments.graph)
    _common.check_output(arguments.output)
    _common.check_output_format(arguments, to_standard=False)
    from powercut import cluster_tree

    graph, _ = _common.read_graph(arguments)
    with _common.progress_bar(arguments.quiet) as progress:
        tree = cluster_tree(
            graph,
            max_size=arguments.max_size,
            min_size=arguments.min_size,
            prune=not arguments.all_levels,
            max_seconds=arguments.max_seconds,
            progress=progress,
            n_jobs=arguments.jobs,
            random_state=arguments.seed,
        )
    if arguments.output is not None:
        _write(arguments, tree)
    if not arguments.json:
        if not arguments.quiet:
            print(tree)
        return 0
    _common.print_json(
        {
            "input": arguments.graph,
            "n_nodes": graph.n_nodes,
            "n_edges": graph.n_edges,
            "n_clusters": [level.n_clusters for level in tree.summary()],
            "resolutions": tree.resolution,
            "fitted_level": tree.fitted_level,
            "n_folded": tree.folded.n_clusters,
            "nats_lost_by_folding": tree.folded.nats,
            "stopped_early": tree.stopped_early,
        }
    )
    return 0


def _write(arguments: argparse.Namespace, tree: Any) -> None:
    from powercut.graphs._tree_formats import assignment_columns
    from powercut.io._source import format_of
    from powercut.io._tables import write_table, written
    from powercut.io.labels import SUFFIXES

    suffixes = {**SUFFIXES, ".json": "json", ".nwk": "newick", ".newick": "newick"}
    kind = format_of(arguments.output, arguments.output_format, suffixes, "text")
    with written(_common.target(arguments.output)) as file:
        if kind in ("json", "newick"):
            text = tree.to_json() if kind == "json" else tree.to_newick(nodes=True)
            file.write(f"{text}\n".encode())
        else:
            write_table(file, assignment_columns(tree), kind)
