"""The exception of all readers."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn


class FileError(ValueError):
    r"""A file that cannot be read: its content is invalid, or larger than allowed.

    All readers raise this for any content. Errors of the operating system (a missing file, a file
    without permission, a folder) and missing optional packages raise what Python raises.

    Attributes
    ----------
    file : str
        Name of the file, or the type of an object without a name.
    line, column : int or None
        Where the error is in a text file, counted from 1. None if it is not at one place, and in
        binary formats.

    Examples
    --------
    >>> import io
    >>> from powercut.io import FileError, read_graph
    >>> try:
    ...     read_graph(io.BytesIO(b"0 1\n1 x\n"))
    ... except FileError as error:
    ...     print(error.line, error.column)
    2 3
    """

    def __init__(
        self, message: str, file: str, line: int | None = None, column: int | None = None
    ) -> None:
        super().__init__(message, file, line, column)
        self.message, self.file, self.line, self.column = message, file, line, column

    def __str__(self) -> str:
        place = {"line": self.line, "column": self.column}
        known = ", ".join(f"{name} {at}" for name, at in place.items() if at is not None)
        return ": ".join(part for part in (self.file, known, self.message) if part)


def name_of(source: Any) -> str:
    """Return the name of a source, for messages."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    return str(getattr(source, "name", None) or f"<{type(source).__name__}>")


def fail(
    source: Any, message: object, *, line: int | None = None, column: int | None = None
) -> NoReturn:
    """Raise a `FileError` that names the file."""
    raise FileError(str(message), name_of(source), line, column)


def missing(package: str, what: str) -> ImportError:
    """Return an error that names the missing package and how to install it."""
    return ImportError(
        f'{what} needs {package}, which is not installed: pip install "powercut[io]"'
    )


# What a reader raises beside FileError: errors of the operating system and of the installation,
# and warnings that the user has turned into errors.
PASSED = (
    FileError,
    FileNotFoundError,
    IsADirectoryError,
    NotADirectoryError,
    PermissionError,
    ImportError,
    Warning,
)


@contextmanager
def file_errors(source: Any, kind: str) -> Iterator[None]:
    """Convert any other error while a file is read to a `FileError`."""
    try:
        yield
    except PASSED:
        raise
    except MemoryError as error:
        raise FileError("there is not enough memory to read it", name_of(source)) from error
    except Exception as error:
        message = f"cannot be read as {kind}: {error or type(error).__name__}"
        raise FileError(message, name_of(source)) from error
