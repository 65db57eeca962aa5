"""What a call leaves in its folder, so that another can go on with it."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from powercut._typing import Array
from powercut.disk.durable import write_text

ABOUT, LABELS = "about.json", "labels.npy"


def begin(path: Path, about: dict[str, Any], *, resume: bool) -> None:
    """Make the folder, or see whether what is there is the same work.

    Parameters
    ----------
    path : Path
        The folder.
    about : dict
        The arguments that decide the result.
    resume : bool
        Whether the folder may be there.
    """
    text, told = json.dumps(about, default=repr, indent=1, sort_keys=True), path / ABOUT
    if path.exists() and not resume:
        raise FileExistsError(
            f"{path} exists: remove it, choose another folder, or go on with resume=True."
        )
    if told.exists() and told.read_text(encoding="utf-8") != text:
        raise ValueError(
            f"{told} tells of other arguments than those given now: resume with the same, or "
            "begin again in another folder."
        )
    path.mkdir(parents=True, exist_ok=True)
    write_text(told, text)


def write_labels(path: Path, labels: Array) -> None:
    """Write the labels, which have their name once they are whole."""
    unfinished = path / f"unfinished-{LABELS}"
    np.save(unfinished, labels)
    unfinished.rename(path / LABELS)
