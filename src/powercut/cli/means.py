"""``powercut means``: cluster vectors."""

from __future__ import annotations

import argparse
from typing import Any

from powercut.cli import _common, _constraints

SCORES = ("gaussian", "kmeans")
EXAMPLES = """
powercut generate blobs --nodes 2000 -o points.csv --truth truth.tsv
powercut means points.csv -o labels.tsv
powercut means points.csv --covariance spherical --json
head -n 20 truth.tsv > known.tsv
powercut means points.csv --fixed known.tsv -o again.tsv
"""


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Declare the arguments."""
    parser = _common.command(
        commands,
        "means",
        "cluster vectors",
        description="Cluster points; number and sizes of clusters are estimated.\n"
        "Write one line per point: its number, from 0 on, and its cluster; cluster 0 is the\n"
        "largest.",
        examples=EXAMPLES,
    )
    parser.add_argument("points", metavar="POINTS", help="point file; - for standard input")
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--format",
        choices=_common.POINT_FORMATS,
        help="format of POINTS; default: by its suffix, else text",
    )
    _common.add_max_bytes(group)
    group = _common.add_fit(parser, SCORES)
    group.add_argument(
        "--covariance",
        choices=("diagonal", "spherical", "full", "auto"),
        help="covariance structure of Gaussian clusters; default: diagonal",
    )
    _constraints.add_constraints(
        parser, "Points are given by their numbers, from 0 on.", kind="points"
    )
    _common.add_output(parser, "labels", _common.LABEL_FORMATS)
    _common.add_json(
        parser, "print a summary in JSON; labels are then written only to the file of --output"
    )
    _common.add_quiet(parser)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Read, fit and write."""
    _common.check_input(arguments.points, *_constraints.constraint_files(arguments))
    _common.check_output(arguments.output)
    _common.check_output_format(arguments, to_standard=not arguments.json)
    clock = _common.Clock()
    from powercut import PowerLawMeans, io

    clock.note("start")
    points = io.read_points(
        _common.source(arguments.points), format=arguments.format, max_bytes=arguments.max_bytes
    )
    known = _constraints.read_constraints(arguments, None)
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
        ).fit(points, **known)
    clock.note("fit")
    _common.write_labels(arguments, model.labels_)
    clock.note("write")
    if arguments.json:
        size = {"n_points": points.shape[0], "n_features": points.shape[1]}
        summary = {"input": arguments.points, **size, **_common.fit_summary(model)}
        _common.print_json({**summary, "seconds": clock.seconds})
    elif not arguments.quiet:
        what = f"{points.shape[0]:,} points, {points.shape[1]:,} features"
        _common.print_summary(what, model, clock.seconds)
    return 0
