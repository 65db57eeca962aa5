"""The section on images: all methods, all measures, settings chosen on validation images."""

from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from powercut.image.measures import Agreement, BoundaryMatches
from powercut.progress import ProgressReporter
from powercut.reproduce import _segmenters
from powercut.reproduce import images as part
from powercut.reproduce._segmentation_results import Averages, Outcome, Results
from powercut.reproduce._segmenters import Method, grid


@dataclass(frozen=True)
class Painted:
    """A synthetic image in place of one of BSDS500: two people segment it by its three colours."""

    name: str

    def segmentations(self) -> list[np.ndarray]:
        labels = np.zeros((90, 120), np.int32)
        labels[50 + int(self.name) :] = 1
        labels[35:55, 30:55] = 2
        return [labels, labels]

    def image(self) -> np.ndarray:
        colours = np.array([[128, 178, 230], [77, 128, 51], [178, 51, 26]], np.uint8)
        return colours[self.segmentations()[0]]


def test_section_has_all_methods_and_pictures(monkeypatch, tmp_path: Path):
    monkeypatch.setattr(part, "load_bsds", lambda: [Painted(str(i)) for i in range(8)])
    monkeypatch.setattr(part, "N_VALIDATION", 4)
    monkeypatch.setattr(part, "QUICK", (1, 1))
    monkeypatch.setattr(_segmenters, "N_SUPERPIXELS", 120)
    few = tuple(replace(method, settings=method.settings[-2:]) for method in part.METHODS)
    monkeypatch.setattr(part, "METHODS", few)
    stages = []
    with closing(ProgressReporter(lambda progress: stages.append(progress.stage))) as reporter:
        section = part.images(tmp_path, quick=True, reporter=reporter)
    agreement, sizes, settings = section.tables
    assert [picture.name for picture in section.pictures] == [
        "images_contact_sheet",
        "images_sizes",
    ]
    assert all(picture.png.startswith(b"\x89PNG") for picture in section.pictures)
    ours = agreement.rows[1]
    assert ours[0] == "power-law cuts"
    assert ours[2] == pytest.approx(1, abs=0.1)  # the segments are obvious
    assert [row[0] for row in agreement.rows[1:]] == [row[0] for row in sizes.rows[1:]]
    assert len(settings.rows) == sum(len(method.settings) for method in part.METHODS)
    assert "image 2 of 2" in stages


def test_validation_images_are_not_reported():
    everything = [Painted(str(i)) for i in range(200)]
    validation, test = part.validation_and_test(everything)
    assert len(validation) == 50
    assert len(test) == 150
    assert set(validation) | set(test) == set(everything)
    assert (validation, test) == part.validation_and_test(everything)


def outcome(covering: float, information: float = 1.0) -> Outcome:
    agreement = Agreement(covering, covering, information, BoundaryMatches(1, 2, 1, 2))
    return Outcome(agreement, np.array([1]), 0.1)


def test_setting_is_chosen_on_validation_images_only():
    method = Method("any", lambda *_: np.zeros, grid(knob=(1, 2)))
    validation = [[outcome(0.4), outcome(0.5)]]
    test = [[outcome(0.9, 3.0), outcome(0.1, 2.0)], [outcome(0.2, 3.0), outcome(0.3, 4.0)]]
    results = Results(method, validation, test)
    assert results.setting == "knob 2"
    assert results.fixed == Averages(pytest.approx(0.2), pytest.approx(0.2), 3.0, 0.5)
    assert results.best == Averages(pytest.approx(0.6), pytest.approx(0.6), 2.5, 0.5)
