"""The folder of a graph: complete or absent, and advice if the disk is too small for it."""

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from powercut._atomic import new_folder

DISK_IS_FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def new_graph_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder that becomes `path` when it is complete, as `new_folder` does."""
    advice = "Sorting takes 24 bytes per edge, 40 with float32 and 56 with float64 weights"
    with new_folder(path) as folder, advising(path, advice):
        yield folder


@contextmanager
def advising(path: Path, advice: str) -> Iterator[None]:
    """Say what to do if the disk of a folder is full."""
    try:
        yield
    except OSError as error:
        if error.errno not in DISK_IS_FULL:
            raise
        room = shutil.disk_usage(path.parent).free
        raise OSError(
            error.errno,
            f"the disk of {path.parent} is full ({room:,} bytes were left): nothing was "
            f"written. {advice}; free some space, or write to another disk.",
        ) from error
