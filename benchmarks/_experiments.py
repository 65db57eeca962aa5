"""Code shared with the experiments, imported from their folder."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "experiments"))

from _npz import Labels, read_npz
from _quality_data import Unavailable, data_folder
from _results import header, markdown

__all__ = ["Labels", "Unavailable", "data_folder", "header", "markdown", "read_npz"]
