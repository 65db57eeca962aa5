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
    with new_folder(path) as folder:
        try:
            yield folder
        except OSError as error:
            if error.errno not in DISK_IS_FULL:
                raise
            room = shutil.disk_usage(path.parent).free
            raise OSError(
                error.errno,
                f"the disk of {path.parent} is full ({room:,} bytes were left): nothing was "
                "written. Sorting takes 24 bytes per edge, 40 with float32 and 56 with float64 "
                "weights; free some space, or write to another disk.",
            ) from error
