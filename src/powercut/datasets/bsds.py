"""The test images of BSDS500, the Berkeley Segmentation Data Set."""

import hashlib
import os
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.datasets import fetch_file, get_data_home

# A mirror of the Berkeley files as of January 2013. Downloads are checked by their sha256.
SOURCE = "https://raw.githubusercontent.com/BIDS/BSDS500/master/BSDS500/data/"


@dataclass(frozen=True)
class HumanSegmentations:
    """An image of BSDS500 with its human segmentations; files are read on demand.

    Attributes
    ----------
    name : str
        Number of the image in BSDS500.
    folder : Path or None
        Folder with ``images/test/NAME.jpg`` and ``groundTruth/test/NAME.mat``; None to download
        the files.
    """

    name: str
    folder: Path | None

    def image(self) -> npt.NDArray[np.uint8]:
        """Return the image, of shape (321, 481, 3) or (481, 321, 3)."""
        from skimage.io import imread

        pixels: npt.NDArray[np.uint8] = imread(self._file(f"images/test/{self.name}.jpg"))
        return pixels

    def segmentations(self) -> list[npt.NDArray[np.int32]]:
        """Return one label map, with labels from 0, for each of 4 to 8 people."""
        from scipy.io import loadmat

        cells = loadmat(self._file(f"groundTruth/test/{self.name}.mat"))["groundTruth"][0]
        return [cell["Segmentation"][0, 0].astype(np.int32) - 1 for cell in cells]

    def _file(self, path: str) -> Path:
        """Return a file, local or downloaded, after checking its sha256."""
        sha256 = _manifest()[path]
        if self.folder is None:
            cache_folder = Path(get_data_home()) / "powercut" / "bsds500" / Path(path).parent
            return Path(fetch_file(SOURCE + path, folder=cache_folder, sha256=sha256))
        file = self.folder / path
        if hashlib.sha256(file.read_bytes()).hexdigest() != sha256:
            raise ValueError(
                f"{file} is not the file of BSDS500: its sha256 is not {sha256}. "
                "Download it again from Berkeley or from the mirror BIDS/BSDS500 on GitHub."
            )
        return file


def load_bsds(*, data_home: str | Path | None = None) -> list[HumanSegmentations]:
    """Return the 200 test images of BSDS500, each with 4 to 8 human segmentations.

    Parameters
    ----------
    data_home : path, optional
        Folder with ``bsds500/images/test`` and ``bsds500/groundTruth/test``. Default: the
        environment variable ``POWERCUT_DATA``. If there is no such folder, each image is
        downloaded on first use (30 MB in total) into the data folder of scikit-learn. The
        licence permits research and education.

    Returns
    -------
    list of HumanSegmentations
        In the order of their names; ``image()`` and ``segmentations()`` read the files.

    Raises
    ------
    ValueError
        When a file is read whose sha256 is not that of BSDS500.

    References
    ----------
    P. Arbelaez, M. Maire, C. Fowlkes, J. Malik. Contour Detection and Hierarchical Image
    Segmentation. IEEE PAMI 33(5), 2011.

    Examples
    --------
    >>> from powercut.datasets import load_bsds
    >>> example = load_bsds()[0]
    >>> example.name
    '100007'
    >>> [labels.max() + 1 for labels in example.segmentations()]  # doctest: +SKIP
    [5, 7, 8, 13, 19]
    """
    home = os.environ.get("POWERCUT_DATA") if data_home is None else data_home
    folder = None if home is None else Path(home) / "bsds500"
    if folder is not None and not folder.is_dir():
        folder = None
    names = sorted(Path(path).stem for path in _manifest() if path.startswith("images/"))
    return [HumanSegmentations(name, folder) for name in names]


@cache
def _manifest() -> dict[str, str]:
    """Return the sha256 of each file."""
    lines = files("powercut.datasets").joinpath("bsds500.sha256").read_text("ascii").splitlines()
    return {path: sha256 for sha256, path in (line.split() for line in lines)}
