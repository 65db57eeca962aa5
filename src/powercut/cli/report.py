"""``powercut report``: cluster a graph and write a page on the result."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from powercut.cli import _common, cluster

EXAMPLES = """
powercut generate blocks --nodes 1000 -o graph.txt
powercut report graph.txt -o report.html --title "A thousand nodes"
"""


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Declare the arguments."""
    parser = _common.command(
        commands,
        "report",
        "cluster a graph and write a page on the result",
        description="Cluster the nodes of a graph and write a self-contained HTML page: data and\n"
        "parameters, size distribution, confidence, largest clusters, labels, figures.",
        examples=EXAMPLES,
    )
    _common.add_graph(parser)
    cluster.add_fit(parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="write the page to FILE"
    )
    parser.add_argument(
        "--title", default="powercut report", help="title of the page; default: %(default)s"
    )
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Read, fit and write."""
    _common.check_input(arguments.graph)
    _common.check_output(arguments.output)
    clock = _common.Clock()
    from powercut import PowerLawCut
    from powercut.report import write_report

    clock.note("start")
    graph, names = _common.read_graph(arguments)
    clock.note("read")
    model = cluster.fit(PowerLawCut, arguments, graph)
    clock.note("fit")
    write_report(arguments.output, model=model, data=graph, names=names, title=arguments.title)
    clock.note("write")
    if not arguments.quiet:
        _common.print_summary(_common.describe_graph(graph), model, clock.seconds)
        print(arguments.output, file=sys.stderr)
    return 0
