"""The working folder of a call, from which an interrupted call can be resumed."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from powercut._atomic import atomic_open
from powercut._typing import Array

ABOUT, LABELS = "about.json", "labels.npy"


def begin(path: Path, about: dict[str, Any], *, resume: bool) -> None:
    """Make the folder, or check that its content is from a call with the same arguments.

    Parameters
    ----------
    path : Path
        The folder.
    about : dict
        The arguments that decide the result.
    resume : bool
        Whether the folder may exist.
    """
    text, file = json.dumps(about, default=repr, indent=1, sort_keys=True), path / ABOUT
    if path.exists() and not resume:
        raise FileExistsError(
            f"{path} exists: remove it, choose another folder, or continue with resume=True."
        )
    if file.exists() and file.read_text(encoding="utf-8") != text:
        raise ValueError(
            f"{file} is from a call with other arguments: resume with the same arguments, or "
            "start again in another folder."
        )
    path.mkdir(parents=True, exist_ok=True)
    with atomic_open(file, "w", encoding="utf-8") as opened:
        opened.write(text)


def write_labels(path: Path, labels: Array) -> None:
    """Write the labels atomically: the file gets its name once it is complete."""
    with atomic_open(path / LABELS) as file:
        np.save(file, labels)
