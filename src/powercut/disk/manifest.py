"""What a folder of blocks holds: sizes, types, ranges of rows, and a checksum of each."""

import json
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

FORMAT, VERSION = "powercut blocks", 1
MANIFEST = "manifest.json"
OFFSETS, INDICES, WEIGHTS = "offsets", "indices", "weights"


@dataclass(frozen=True)
class Block:
    """Consecutive rows of the matrix.

    Attributes
    ----------
    first_row, end_row : int
        Its rows, the end not included.
    first_entry, end_entry : int
        Where their entries lie in the arrays of indices and weights.
    checksums : dict
        CRC-32 of the bytes of each array that belong to it; of the offsets these are the
        ends of its rows.
    """

    first_row: int
    end_row: int
    first_entry: int
    end_entry: int
    checksums: dict[str, int]

    def items(self, name: str) -> tuple[int, int]:
        """Return the first item of an array that belongs to the block, and the end."""
        if name == OFFSETS:
            return self.first_row + 1, self.end_row + 1
        return self.first_entry, self.end_entry


@dataclass(frozen=True)
class Manifest:
    """All that is known of a graph on disk without reading its arrays.

    Attributes
    ----------
    n_nodes, n_entries : int
        Rows of the matrix, and its stored entries: two for an edge, one for a self-loop.
    dtypes : dict
        Type of each array there is, as NumPy writes it: ``"<i4"``.
    blocks : tuple of Block
        In the order of their rows; together they are the whole matrix.
    """

    n_nodes: int
    n_entries: int
    dtypes: dict[str, str]
    blocks: tuple[Block, ...]

    def length(self, name: str) -> int:
        """Return the number of items of an array."""
        return self.n_nodes + 1 if name == OFFSETS else self.n_entries

    def to_json(self) -> str:
        """Return the text of the file, which has a checksum of its own."""
        content = {"format": FORMAT, "version": VERSION, **asdict(self)}
        return json.dumps({**content, "checksum": _checksum(content)}, indent=1) + "\n"

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the manifest of a folder, and refuse what is not whole or not ours."""
        path = folder / MANIFEST
        if not path.is_file():
            raise ValueError(
                f"{folder} is not a graph in blocks: it has no {MANIFEST}, which is written last. "
                "Write the folder again with powercut.disk.write_blocks; other formats are "
                "for powercut.io.read_graph."
            )
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            found = content.pop("checksum")
            if content["format"] != FORMAT or not isinstance(content["version"], int):
                raise ValueError("another format")
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise ValueError(f"{path} is not the manifest of a graph in blocks: {error}") from error
        # A later version may also count its checksum in another way.
        if content["version"] > VERSION:
            raise ValueError(
                f"{path} has version {content['version']}, and this powercut reads {VERSION} at "
                "most: install a later one."
            )
        if found != _checksum(content):
            raise ValueError(f"{path} is damaged: its checksum is wrong. Write the folder again.")
        return cls(
            content["n_nodes"],
            content["n_entries"],
            content["dtypes"],
            tuple(Block(**block) for block in content["blocks"]),
        )


def array_path(folder: Path, name: str) -> Path:
    """Return the file of an array."""
    return folder / f"{name}.npy"


def _checksum(content: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())
