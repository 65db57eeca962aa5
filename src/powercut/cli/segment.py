"""``powercut segment``: segment an image."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from typing import Any

from powercut._atomic import atomic_open, atomic_path
from powercut.cli import _common

EXAMPLES = """
powercut segment photo.png -o segments.npy
powercut segment photo.png --overlay segments.png --json
"""


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Declare the arguments."""
    parser = _common.command(
        commands,
        "segment",
        "segment an image",
        description="Segment an image; the number of segments is estimated. Write the segment\n"
        "of each pixel as a NumPy array (0 is the largest), and a picture of them.",
        examples=EXAMPLES,
    )
    parser.add_argument("image", metavar="IMAGE", help="image file: PNG, JPEG and others")
    group = parser.add_argument_group("fitting")
    group.add_argument(
        "--resolution",
        type=float,
        metavar="NUMBER",
        help="probability above which two regions attract each other; higher gives more segments",
    )
    group.add_argument(
        "--tradeoff",
        type=float,
        metavar="NUMBER",
        help="weight of the size prior against the score",
    )
    _common.add_seed(group)
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write the label array to FILE (.npy)"
    )
    parser.add_argument("--overlay", metavar="FILE", help="write a picture of the segments to FILE")
    _common.add_json(parser, "print a summary in JSON")
    _common.add_quiet(parser)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Read, segment and write."""
    for path in (arguments.output, arguments.overlay):
        _common.check_output(path)
    import numpy as np

    from powercut import image  # raises with advice if scikit-image is missing

    io, util = import_module("skimage.io"), import_module("skimage.util")
    pixels = io.imread(arguments.image)
    if pixels.ndim == 3:
        pixels = pixels[..., :3]  # without the alpha channel
    given = {name: getattr(arguments, name) for name in ("resolution", "tradeoff")}
    given = {name: value for name, value in given.items() if value is not None}
    labels = image.segment(pixels, random_state=arguments.seed, **given)
    if arguments.output is not None:
        with atomic_open(arguments.output) as file:
            np.save(file, labels)
    if arguments.overlay is not None:
        shown = util.img_as_ubyte(image.overlay(pixels, labels))
        with atomic_path(arguments.overlay) as path:
            io.imsave(path, shown, check_contrast=False)
    sizes = np.bincount(labels.ravel())
    if arguments.json:
        summary = {"input": arguments.image, "shape": list(labels.shape)}
        _common.print_json({**summary, "n_segments": len(sizes), "segment_sizes": sizes})
    elif not arguments.quiet:
        height, width = labels.shape
        print(f"{height} x {width} pixels: {len(sizes)} segments", file=sys.stderr)
    return 0
