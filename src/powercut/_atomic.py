"""Files and folders that are written whole or not at all, even if the process is killed.

Content is written under a temporary name in the same folder, flushed to disk, and then renamed.
The file system renames in one step, so the name always has the old content or the new one. A
process that is killed leaves the temporary file behind: its name starts with ``.partial-``, nothing
reads it, and it can be deleted.
"""

import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

# Characters of the final name in the temporary one: file systems allow 255 bytes, and a character
# has up to four. The end is kept, because many libraries choose the format by the suffix.
KEPT = 50
# How temporary names begin.
TEMPORARY = ".partial-"
# Folders that may be written to but not read, and file systems without a sync of folders.
CANNOT_SYNC = (errno.EACCES, errno.EINVAL, errno.ENOTSUP)


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path in the same folder, and rename that file to `path` at the end.

    If the block raises, the temporary file is removed and an existing `path` is left as it was.
    As with `open`, symbolic links are followed, a new file has the permissions that the umask
    allows, and an existing file keeps its own. Pipes and devices, such as ``/dev/stdout``, cannot
    be replaced: their own path is yielded.

    Parameters
    ----------
    path : str or path-like
        The file to write; its folder must exist.

    Yields
    ------
    Path
        An empty file to write to, with the suffix of `path`.
    """
    path = Path(path)
    if _is_special(path):
        yield path
        return
    target = Path(os.path.realpath(path))
    temporary = _temporary(target)
    try:
        _create(temporary, path)
        yield temporary
        _sync(temporary, os.O_WRONLY)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(target.parent)


@contextmanager
def atomic_open(
    path: str | os.PathLike[str],
    mode: str = "wb",
    *,
    encoding: str | None = None,
    newline: str | None = None,
) -> Iterator[IO[Any]]:
    """Open a file for writing; it gets its name when the block ends without an exception.

    Parameters
    ----------
    path : str or path-like
        The file to write, as in `atomic_path`.
    mode, encoding, newline
        As in `open`; the mode starts with ``w``.

    Yields
    ------
    file object
        The open file.
    """
    with (
        atomic_path(path) as temporary,
        open(temporary, mode, encoding=encoding, newline=newline) as file,
    ):
        yield file


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder beside `path`, and rename it to `path` at the end.

    Files in it should be flushed by who writes them. An exception removes the folder.

    Parameters
    ----------
    path : Path
        The folder to make, with its parents. It must not exist.

    Yields
    ------
    Path
        An empty folder.
    """
    if path.exists():
        raise FileExistsError(f"{path} exists: remove it, or choose another name.")
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _temporary(path)
    try:
        temporary.mkdir()
        yield temporary
        sync_folder(temporary)
        temporary.rename(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    sync_folder(path.parent)


@contextmanager
def locked(folder: Path, user: str) -> Iterator[None]:
    """Keep a folder for one user at a time; a process that is killed releases it.

    Parameters
    ----------
    folder : Path
        A folder that exists. It gets a file ``lock``, which stays.
    user : str
        What uses it, for the error that another one uses it.
    """
    with (folder / "lock").open("w") as file:
        try:
            _lock(file)
        except OSError as error:
            raise ValueError(f"{folder} is used by another {user}.") from error
        yield


def _lock(file: IO[str]) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def sync_folder(folder: Path) -> None:
    """Flush the entries of a folder (the names of its files) to disk, where that is possible."""
    if os.name == "nt":  # folders cannot be opened there
        return
    try:
        _sync(folder, os.O_RDONLY)
    except OSError as error:
        if error.errno not in CANNOT_SYNC:
            raise


def _temporary(path: Path) -> Path:
    return path.with_name(f"{TEMPORARY}{os.urandom(8).hex()}-{path.name[-KEPT:]}")


def _is_special(path: Path) -> bool:
    """Return whether `path` is something other than a file with a name of its own.

    ``/dev/stdout`` and ``/dev/fd/3`` are links to whatever the process has open. If that is a
    file, other writers (the shell, `print`) have it open too, so it must not be replaced.
    """
    folder = os.path.realpath(path.parent)
    if folder == "/dev" or folder.startswith("/proc/"):
        return True
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False


def _create(temporary: Path, path: Path) -> None:
    """Make the empty temporary file, with the permissions that `path` has or would be given."""
    try:
        mode, exists = stat.S_IMODE(path.stat().st_mode), True
    except FileNotFoundError:
        mode, exists = 0o666, False
    if exists and not os.access(path, os.W_OK):
        # A rename needs no permission to write to the file that it replaces.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    try:
        # The system applies the umask. Reading the umask would set it for all threads.
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
    except OSError as error:
        raise OSError(error.errno, os.strerror(error.errno or 0), str(path)) from error
    if exists:
        temporary.chmod(mode)


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
