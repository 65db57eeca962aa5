"""What all methods make of all images, and what is taken from it."""

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
    """What came of one method at one setting, on one image."""

    agreement: Agreement
    sizes: IntArray
    seconds: float


@dataclass(frozen=True)
class Averages:
    """Agreement with people over many images; the boundaries of all images are counted together."""

    covering: float
    rand: float
    information: float
    f_measure: float

    @classmethod
    def of(cls, agreements: Sequence[Agreement]) -> "Averages":
        """Average the same setting, or the best one of each image, over images."""
        return cls(
            float(np.mean([each.covering for each in agreements])),
            float(np.mean([each.rand for each in agreements])),
            float(np.mean([each.information for each in agreements])),
            sum((each.boundaries for each in agreements), BoundaryMatches(0, 0, 0, 0)).f_measure,
        )

    @classmethod
    def of_best(cls, choices: Sequence[Sequence[Agreement]]) -> "Averages":
        """Average what is best in each image, by each measure for itself."""
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
    """What one method made of the images.

    Attributes
    ----------
    method : Method
    validation, test : list of lists
        Outcomes of each image, one for each setting.
    """

    method: Method
    validation: list[list[Outcome]]
    test: list[list[Outcome]]

    @property
    def validated(self) -> list[float]:
        """Mean covering of the validation images, for each setting."""
        return [
            float(np.mean([outcome.agreement.covering for outcome in outcomes]))
            for outcomes in zip(*self.validation, strict=True)
        ]

    @property
    def chosen(self) -> int:
        """The setting that covers the validation images best."""
        return int(np.argmax(self.validated))

    @property
    def setting(self) -> str:
        """That setting, as it is shown."""
        return as_text(self.method.settings[self.chosen])

    @property
    def outcomes(self) -> list[Outcome]:
        """What it gives on the test images."""
        return [outcomes[self.chosen] for outcomes in self.test]

    @property
    def fixed(self) -> Averages:
        """Agreement at that setting, on the test images."""
        return Averages.of([outcome.agreement for outcome in self.outcomes])

    @property
    def best(self) -> Averages:
        """Agreement at the best setting for each test image."""
        return Averages.of_best([[each.agreement for each in outcomes] for outcomes in self.test])

    @property
    def sizes(self) -> IntArray:
        """Sizes of all segments of the test images."""
        return np.concatenate([outcome.sizes for outcome in self.outcomes])

    def labels(self, example: HumanSegmentations) -> npt.NDArray[np.integer]:
        """Segment one image at the chosen setting."""
        cut = self.method.prepare(example.image(), typical_number(example.segmentations()))
        return cut(**self.method.settings[self.chosen])


def typical_number(segmentations: Sequence[LabelMap]) -> int:
    """Return the median number of segments."""
    return round(float(np.median([len(np.unique(human)) for human in segmentations])))


def segment_sizes(labels: npt.NDArray[np.integer]) -> IntArray:
    """Return the pixels of each segment."""
    return np.asarray(np.unique(labels, return_counts=True)[1])


def evaluate(
    methods: Sequence[Method],
    validation: Sequence[HumanSegmentations],
    test: Sequence[HumanSegmentations],
    reporter: ProgressReporter,
) -> list[Results]:
    """Run all methods at all their settings on all images."""
    outcomes = []
    n = len(validation) + len(test)
    for i, example in enumerate([*validation, *test]):
        with reporter.part(1 / (n - i), f"images: {i + 1} of {n}"):
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


def people_among_themselves(
    images: Sequence[HumanSegmentations],
) -> tuple[Averages, IntArray, float]:
    """Return how each person agrees with the others, all their sizes, and the median number."""
    agreements, sizes = [], []
    for example in images:
        segmentations = example.segmentations()
        for i, one in enumerate(segmentations):
            agreements.append(People(segmentations[:i] + segmentations[i + 1 :]).compare(one))
            sizes.append(segment_sizes(one))
    median = float(np.median([len(each) for each in sizes]))
    return Averages.of(agreements), np.concatenate(sizes), median
