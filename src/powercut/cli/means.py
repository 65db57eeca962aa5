"""``powercut means``: clusters of vectors."""

from __future__ import annotations

import argparse
from typing import Any

from powercut.cli import _common

SCORES = ("gaussian", "kmeans")
EXAMPLES = """
powercut generate blobs --nodes 2000 -o points.csv --truth truth.tsv
powercut means points.csv -o labels.tsv
powercut means points.csv --covariance spherical --json
"""


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Describe the arguments."""
    parser = _common.command(
        commands,
        "means",
        "find the clusters of vectors",
        description="Find the clusters of points, whose number and sizes need not be known.\n"
        "Writes a line for each point: its number, from 0 on, and its cluster, of which 0 is\n"
        "the largest.",
        examples=EXAMPLES,
    )
    parser.add_argument("points", metavar="POINTS", help="file of points; - for standard input")
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--format",
        choices=_common.POINT_FORMATS,
        help="format of POINTS; default: by its suffix, or text",
    )
    group = _common.add_fit(parser, SCORES)
    group.add_argument(
        "--covariance",
        choices=("diagonal", "spherical", "full"),
        default="diagonal",
        help="form of Gaussian clusters; default: %(default)s",
    )
    _common.add_output(parser, "labels", _common.LABEL_FORMATS)
    _common.add_json(
        parser, "print a summary in JSON; labels are then written only where --output says"
    )
    _common.add_quiet(parser)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Read, fit and write."""
    _common.check_input(arguments.points)
    _common.check_output(arguments.output)
    clock = _common.Clock()
    from powercut import PowerLawMeans, io

    clock.note("start")
    points = io.read_points(_common.source(arguments.points), format=arguments.format)
    clock.note("read")
    with _common.progress_bar(arguments.quiet) as progress:
        model = PowerLawMeans(
            arguments.score,
            covariance=arguments.covariance,
            tradeoff="auto" if arguments.tradeoff is None else arguments.tradeoff,
            concentration=arguments.concentration,
            discount=arguments.discount,
            max_seconds=arguments.max_seconds,
            n_jobs=arguments.jobs,
            random_state=arguments.seed,
            progress=progress,
        ).fit(points)
    clock.note("fit")
    _common.write_labels(arguments, model.labels_)
    clock.note("write")
    if arguments.json:
        size = {"n_points": points.shape[0], "n_features": points.shape[1]}
        summary = {"input": arguments.points, **size, **_common.fit_summary(model)}
        _common.print_json({**summary, "seconds": clock.seconds})
    elif not arguments.quiet:
        what = f"{points.shape[0]:,} points of {points.shape[1]:,} features"
        _common.say_clusters(what, model, clock.seconds)
    return 0
