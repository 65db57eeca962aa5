"""``powercut segment``: segments of an image."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from typing import Any

from powercut.cli import _common

EXAMPLES = """
powercut segment photo.png -o segments.npy
powercut segment photo.png --overlay segments.png --json
"""


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Describe the arguments."""
    parser = _common.command(
        commands,
        "segment",
        "divide an image into segments",
        description="Divide an image into segments, as many as there are. Writes the segment of\n"
        "each pixel, of which 0 is the largest, as an array of NumPy, and a picture.",
        examples=EXAMPLES,
    )
    parser.add_argument("image", metavar="IMAGE", help="file of an image: PNG, JPEG and others")
    group = parser.add_argument_group("fitting")
    group.add_argument(
        "--resolution", type=float, metavar="NUMBER", help="higher gives more segments"
    )
    group.add_argument("--tradeoff", type=float, metavar="NUMBER", help="what sizes count")
    group.add_argument("--seed", type=int, default=0, help="of random numbers; default: 0")
    parser.add_argument("-o", "--output", metavar="FILE", help="where the segments go (.npy)")
    parser.add_argument("--overlay", metavar="FILE", help="where a picture of them goes")
    _common.add_json(parser, "print a summary in JSON")
    _common.add_quiet(parser)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Read, divide and write."""
    for path in (arguments.output, arguments.overlay):
        _common.check_output(path)
    import numpy as np

    from powercut import image  # which says how to get scikit-image where it is missing

    io, util = import_module("skimage.io"), import_module("skimage.util")
    pixels = io.imread(arguments.image)
    if pixels.ndim == 3:
        pixels = pixels[..., :3]  # opacity is no colour
    given = {name: getattr(arguments, name) for name in ("resolution", "tradeoff")}
    given = {name: value for name, value in given.items() if value is not None}
    labels = image.segment(pixels, random_state=arguments.seed, **given)
    if arguments.output is not None:
        with open(arguments.output, "wb") as file:
            np.save(file, labels)
    if arguments.overlay is not None:
        shown = util.img_as_ubyte(image.overlay(pixels, labels))
        io.imsave(arguments.overlay, shown, check_contrast=False)
    sizes = np.bincount(labels.ravel())
    if arguments.json:
        summary = {"input": arguments.image, "shape": list(labels.shape)}
        _common.print_json({**summary, "n_segments": len(sizes), "segment_sizes": sizes})
    elif not arguments.quiet:
        height, width = labels.shape
        print(f"{height} x {width} pixels: {len(sizes)} segments", file=sys.stderr)
    return 0
