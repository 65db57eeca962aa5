"""``powercut segment``: segments of an image."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from powercut.cli import _common

EXAMPLES = """
python -c "import numpy, skimage.io; skimage.io.imsave('grey.png', numpy.eye(64, dtype='uint8'))"
powercut segment grey.png -o segments.npy
powercut segment grey.png --overlay segments.png --json
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

    from powercut import image

    # After powercut.image, which says how to get it where it is missing.
    from skimage import io, util

    pixels = io.imread(arguments.image)[..., :3]
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
