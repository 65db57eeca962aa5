"""BSDS500 is read from a local folder, and its files are checked."""

import os
from pathlib import Path

import numpy as np
import pytest

from powercut.datasets import load_bsds

FOLDER = os.environ.get("POWERCUT_DATA")


def test_there_are_two_hundred_images(tmp_path: Path):
    names = [example.name for example in load_bsds(data_home=tmp_path)]
    assert len(set(names)) == 200
    assert names == sorted(names)


def test_other_files_are_refused(tmp_path: Path):
    folder = tmp_path / "bsds500" / "images" / "test"
    folder.mkdir(parents=True)
    (folder / "100007.jpg").write_bytes(b"something else")
    with pytest.raises(ValueError, match=r"100007.jpg is not the file .* Download it again"):
        load_bsds(data_home=tmp_path)[0].image()


@pytest.mark.skipif(
    FOLDER is None or not (Path(FOLDER) / "bsds500").is_dir(),
    reason="POWERCUT_DATA has no folder bsds500",
)
def test_reads_an_image_and_its_human_segmentations():
    example = load_bsds()[0]
    image, people = example.image(), example.segmentations()
    assert image.shape == (321, 481, 3)
    assert image.dtype == np.uint8
    assert [int(labels.max()) + 1 for labels in people] == [5, 7, 8, 13, 19]
    assert all(labels.shape == image.shape[:2] and labels.min() == 0 for labels in people)
