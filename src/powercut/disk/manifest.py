"""The manifest of a graph folder: sizes, dtypes, row ranges, and a checksum of each range."""

import json
import os
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from powercut._atomic import atomic_open
from powercut.graphs.gap_code import MOST_COLUMNS, PADDING

# The file calls row ranges blocks.
FORMAT, VERSION = "powercut blocks", 3
# A folder without gap code is described as version 2 did, which knew none; one that was never
# updated besides as version 1 did, which knew no updates.
WITHOUT_GAPS, WRITTEN_ONCE = 2, 1
MANIFEST = "manifest.json"
OFFSETS, INDICES, WEIGHTS, CHANGES = "offsets", "indices", "weights", "changes"
# In place of the indices: these in gap code, and where the code of each row begins.
GAPS, STARTS = "gaps", "starts"
# Types that an array may have.
DTYPES = {
    OFFSETS: ("<i4", "<i8"),
    INDICES: ("<i4", "<i8"),
    WEIGHTS: ("<f4", "<f8"),
    GAPS: ("|u1",),
    STARTS: ("<u4",),
}


@dataclass(frozen=True)
class RowRange:
    """A range of consecutive rows of the matrix.

    Attributes
    ----------
    first_row, end_row : int
        The rows, `end_row` excluded.
    first_entry, end_entry : int
        Positions of their entries in the arrays of indices and weights, `end_entry` excluded.
    checksums : dict
        For each array, the CRC-32 of the bytes that belong to the range; from the offsets and the
        starts, the ends of its rows.
    first_byte, end_byte : int
        Positions of the columns in gap code, if there is one, `end_byte` excluded.
    """

    first_row: int
    end_row: int
    first_entry: int
    end_entry: int
    checksums: dict[str, int]
    first_byte: int = 0
    end_byte: int = 0

    def items(self, name: str) -> tuple[int, int]:
        """Return the first and the end position in an array of the items of the range."""
        if name in (OFFSETS, STARTS):
            return self.first_row + 1, self.end_row + 1
        if name == GAPS:
            return self.first_byte, self.end_byte
        return self.first_entry, self.end_entry


@dataclass(frozen=True)
class Changes:
    """How much of the file of changes counts.

    Attributes
    ----------
    n_bytes : int
        Length of the records. What follows them was written by a process that was killed.
    n_entries : int
        How much they change, as `powercut.graphs.edits.Change` counts it.
    checksum : int
        The CRC-32 of the records.
    """

    n_bytes: int = 0
    n_entries: int = 0
    checksum: int = 0


@dataclass(frozen=True)
class Manifest:
    """The description of a graph on disk, apart from its arrays.

    Attributes
    ----------
    n_nodes, n_entries : int
        Rows of the matrix, and its stored entries: two per edge, one per self-loop.
    dtypes : dict
        Type of each stored array, as NumPy writes it: ``"<i4"``.
    blocks : tuple of RowRange
        The row ranges, in order; together they cover all rows.
    generation : int
        How many times the arrays were written again. Names of their files have it.
    changes : Changes
        What has changed since.
    """

    n_nodes: int
    n_entries: int
    dtypes: dict[str, str]
    blocks: tuple[RowRange, ...]
    generation: int = 0
    changes: Changes = Changes()

    def length(self, name: str) -> int:
        """Return the number of items of an array."""
        if name == GAPS:
            return self.blocks[-1].end_byte + PADDING
        return self.n_nodes + 1 if name in (OFFSETS, STARTS) else self.n_entries

    @property
    def encoding(self) -> str:
        """How columns are written: "plain" or "gaps"."""
        return "gaps" if GAPS in self.dtypes else "plain"

    def to_json(self) -> str:
        """Return the text of the file, its own checksum included."""
        content = {"format": FORMAT, "version": VERSION, **asdict(self)}
        if self.encoding == "plain":
            content["version"] = WITHOUT_GAPS
            for block in content["blocks"]:
                del block["first_byte"], block["end_byte"]
            if self.generation == 0 and self.changes == Changes():
                content["version"] = WRITTEN_ONCE
                del content["generation"], content["changes"]
        return json.dumps({**content, "checksum": _checksum(content)}, indent=1) + "\n"

    def write(self, folder: Path) -> None:
        """Write the manifest, which completes the folder."""
        with atomic_open(folder / MANIFEST, "w", encoding="utf-8") as file:
            file.write(self.to_json())

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the manifest of a folder; raise if it is missing, damaged or of another format."""
        path = folder / MANIFEST
        if not path.is_file():
            raise ValueError(
                f"{folder} is not a graph folder: it has no {MANIFEST}, which is written last. "
                "Write the folder again with powercut.disk.write_blocks; read other formats "
                "with powercut.io.read_graph."
            )
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            found = content.pop("checksum")
            if content["format"] != FORMAT or not isinstance(content["version"], int):
                raise ValueError("another format")
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise ValueError(f"{path} is not the manifest of a graph folder: {error}") from error
        # Checked first: a later version may also compute its checksum differently.
        if content["version"] > VERSION:
            raise ValueError(
                f"{path} has version {content['version']}, and this powercut reads {VERSION} at "
                "most: install a later version of powercut."
            )
        if found != _checksum(content):
            raise ValueError(f"{path} is damaged: its checksum is wrong. Write the folder again.")
        try:
            manifest = cls(
                content["n_nodes"],
                content["n_entries"],
                content["dtypes"],
                tuple(RowRange(**block) for block in content["blocks"]),
                content.get("generation", 0),
                Changes(**content.get("changes", {})),
            )
            manifest._check()
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(
                f"{path} does not describe a graph: {error}. Write the folder again."
            ) from error
        return manifest

    def _check(self) -> None:
        """Raise if the row ranges do not cover all rows and entries, or an array is unknown."""
        if set(self.dtypes) - {WEIGHTS} not in ({OFFSETS, INDICES}, {OFFSETS, GAPS, STARTS}):
            raise ValueError(f"its arrays are {sorted(self.dtypes)}")
        for name, dtype in self.dtypes.items():
            if dtype not in DTYPES[name]:
                raise ValueError(f"{name} has type {dtype!r}")
        if self.encoding == "gaps" and self.n_nodes > MOST_COLUMNS:
            raise ValueError(f"{self.n_nodes} nodes are more than gap code has")
        at = (0, 0, 0)
        for row_range in self.blocks:
            begin = (row_range.first_row, row_range.first_entry, row_range.first_byte)
            end = (row_range.end_row, row_range.end_entry, row_range.end_byte)
            if begin != at or not all(isinstance(x, int) for x in (*begin, *end)):
                raise ValueError(f"its row ranges do not follow each other at row {at[0]}")
            if any(last < first for first, last in zip(begin, end, strict=True)):
                raise ValueError(f"the row range at row {at[0]} ends before it begins")
            if set(row_range.checksums) != set(self.dtypes):
                raise ValueError(f"the row range at row {at[0]} lacks a checksum")
            at = end
        if at[:2] != (self.n_nodes, self.n_entries):
            raise ValueError(
                f"its row ranges end at row {at[0]} and entry {at[1]} of {self.n_nodes} rows and "
                f"{self.n_entries} entries"
            )
        if GAPS in self.dtypes and not self.blocks:
            raise ValueError("it has no row ranges")
        for number in (self.generation, *asdict(self.changes).values()):
            if type(number) is not int or number < 0:
                raise ValueError(f"its updates are described by {number!r}")


def is_graph_folder(path: Any) -> bool:
    """Return whether `path` is that of a folder with a manifest."""
    return isinstance(path, str | os.PathLike) and Path(path, MANIFEST).is_file()


def array_path(folder: Path, name: str, generation: int = 0) -> Path:
    """Return the file of an array."""
    return folder / f"{name}{_suffix(generation)}.npy"


def changes_path(folder: Path, generation: int) -> Path:
    """Return the file of the changes since the arrays were written."""
    return folder / f"{CHANGES}{_suffix(generation)}.bin"


def _suffix(generation: int) -> str:
    return f"-{generation}" if generation else ""


def _checksum(content: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())
