"""A hard limit of memory, and files that are not in memory."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from _measure import resident_memory

# Folder of cgroups and file of their limit, for versions 1 and 2.
CGROUPS = (
    (Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"),
    (Path("/sys/fs/cgroup"), "memory.max"),
)


@contextmanager
def hard_limit(limit: int) -> Iterator[bool]:
    """Limit the resident memory of this process by a cgroup; yield whether that was possible.

    What it holds already, such as libraries, stays on the account of the group that it came from:
    the limit of the new group is for the rest.
    """
    rest = limit - resident_memory()
    for root, file in CGROUPS:
        group = root / f"powercut-{os.getpid()}"
        try:
            group.mkdir()
            (group / file).write_text(str(rest))
            (group / "cgroup.procs").write_text(str(os.getpid()))
        except OSError:
            with suppress(OSError):
                group.rmdir()
            continue
        yield True
        (root / "cgroup.procs").write_text(str(os.getpid()))
        group.rmdir()
        return
    yield False


def forget_files(folder: Path) -> None:
    """Drop the files of a folder from the cache of the operating system."""
    for path in folder.iterdir():
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
