"""Results of all segmentation methods on all images, and their averages."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from powercut._typing import IntArray
from powercut.datasets import HumanSegmentations
from powercut.image.measures import Agreement, BoundaryMatches, LabelMap, People
from powercut.progress import ProgressReporter
from powercut.reproduce._segmenters import Method, as_text


@dataclass(frozen=True)
class Outcome:
    """The result of one method with one setting on one image."""

    agreement: Agreement
    sizes: IntArray
    seconds: float


@dataclass(frozen=True)
class Averages:
    """Mean agreement with people over images; boundary pixels are pooled over all images."""

    covering: float
    rand: float
    information: float
    f_measure: float

    @classmethod
    def of(cls, agreements: Sequence[Agreement]) -> "Averages":
        """Average over images, one agreement per image."""
        return cls(
            float(np.mean([each.covering for each in agreements])),
            float(np.mean([each.rand for each in agreements])),
            float(np.mean([each.information for each in agreements])),
            sum((each.boundaries for each in agreements), BoundaryMatches(0, 0, 0, 0)).f_measure,
        )

    @classmethod
    def of_best(cls, choices: Sequence[Sequence[Agreement]]) -> "Averages":
        """Average the best setting of each image, chosen separately for each measure."""
        return cls(
            cls.of([max(all_, key=lambda each: each.covering) for all_ in choices]).covering,
            cls.of([max(all_, key=lambda each: each.rand) for all_ in choices]).rand,
            cls.of([min(all_, key=lambda each: each.information) for all_ in choices]).information,
            cls.of(
                [max(all_, key=lambda each: each.boundaries.f_measure) for all_ in choices]
            ).f_measure,
        )


@dataclass(frozen=True)
class Results:
    """The results of one method on all images.

    Attributes
    ----------
    method : Method
    validation, test : list of lists
        For each image, one outcome per setting.
    """

    method: Method
    validation: list[list[Outcome]]
    test: list[list[Outcome]]

    @property
    def validated(self) -> list[float]:
        """Mean covering of the validation images, per setting."""
        return [
            float(np.mean([outcome.agreement.covering for outcome in outcomes]))
            for outcomes in zip(*self.validation, strict=True)
        ]

    @property
    def chosen(self) -> int:
        """Index of the setting with the best covering of the validation images."""
        return int(np.argmax(self.validated))

    @property
    def setting(self) -> str:
        """The chosen setting, as text."""
        return as_text(self.method.settings[self.chosen])

    @property
    def outcomes(self) -> list[Outcome]:
        """Outcomes of the chosen setting on the test images."""
        return [outcomes[self.chosen] for outcomes in self.test]

    @property
    def fixed(self) -> Averages:
        """Mean agreement of the chosen setting on the test images."""
        return Averages.of([outcome.agreement for outcome in self.outcomes])

    @property
    def best(self) -> Averages:
        """Mean agreement with the best setting of each test image."""
        return Averages.of_best([[each.agreement for each in outcomes] for outcomes in self.test])

    @property
    def sizes(self) -> IntArray:
        """Sizes of all segments of the test images, with the chosen setting."""
        return np.concatenate([outcome.sizes for outcome in self.outcomes])

    def labels(self, example: HumanSegmentations) -> npt.NDArray[np.integer]:
        """Segment one image with the chosen setting."""
        cut = self.method.prepare(example.image(), typical_number(example.segmentations()))
        return cut(**self.method.settings[self.chosen])


def typical_number(segmentations: Sequence[LabelMap]) -> int:
    """Return the median number of segments."""
    return round(float(np.median([len(np.unique(human)) for human in segmentations])))


def segment_sizes(labels: npt.NDArray[np.integer]) -> IntArray:
    """Return the number of pixels of each segment."""
    return np.asarray(np.unique(labels, return_counts=True)[1])


def evaluate(
    methods: Sequence[Method],
    validation: Sequence[HumanSegmentations],
    test: Sequence[HumanSegmentations],
    reporter: ProgressReporter,
) -> list[Results]:
    """Run all methods with all their settings on all images."""
    outcomes = []
    n = len(validation) + len(test)
    for i, example in enumerate([*validation, *test]):
        with reporter.part(1 / (n - i), f"image {i + 1} of {n}"):
            image, segmentations = example.image(), example.segmentations()
            people = People(segmentations)
            k = typical_number(segmentations)
            outcomes.append(
                [
                    [
                        Outcome(people.compare(labels), segment_sizes(labels), seconds)
                        for labels, seconds in method.run(image, k)
                    ]
                    for method in methods
                ]
            )
    by_method = [list(each) for each in zip(*outcomes, strict=True)]
    return [
        Results(method, each[: len(validation)], each[len(validation) :])
        for method, each in zip(methods, by_method, strict=True)
    ]


def human_agreement(
    images: Sequence[HumanSegmentations],
) -> tuple[Averages, IntArray, float]:
    """Compare each person with the others; return agreement, sizes and median number of segments.

    The sizes are those of all human segments.
    """
    agreements, sizes = [], []
    for example in images:
        segmentations = example.segmentations()
        for i, one in enumerate(segmentations):
            agreements.append(People(segmentations[:i] + segmentations[i + 1 :]).compare(one))
            sizes.append(segment_sizes(one))
    median = float(np.median([len(each) for each in sizes]))
    return Averages.of(agreements), np.concatenate(sizes), median
