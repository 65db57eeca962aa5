"""``powercut report``: a page on the clusters of a graph."""

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
    """Describe the arguments."""
    parser = _common.command(
        commands,
        "report",
        "write a page on the clusters of a graph",
        description="Find the clusters of a graph and write one self-contained page of HTML:\n"
        "data, settings, sizes and what they follow, confidence, the largest, pictures.",
        examples=EXAMPLES,
    )
    _common.add_graph(parser)
    cluster.add_fit(parser)
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="where the page goes")
    parser.add_argument("--title", default="powercut report", help="heading of the page")
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
        _common.say_clusters(f"{graph.n_nodes:,} nodes", model, clock.seconds)
        print(arguments.output, file=sys.stderr)
    return 0
