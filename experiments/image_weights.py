"""Fit the weights in the source code of `powercut.image`, on the fifty validation images.

    python experiments/image_weights.py            # fifty images, some minutes
    python experiments/image_weights.py --quick    # two images, seconds

There are two logistic regressions: of human boundaries on the gradients of the cues
(`powercut.image.cues.BOUNDARY_WEIGHTS`), and of the share of people who put two regions into the
same segment on their dissimilarities (`powercut.image.affinity.AFFINITY_WEIGHTS`). The second
depends on the boundary weights in the source code: put the result of the first there, and run
again. For the second, the error in five-fold cross-validation over images is printed too.
The images are read from the folder in POWERCUT_DATA, or downloaded.
"""

import argparse

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import squareform
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from powercut.datasets import load_bsds
from powercut.image.affinity import pair_features
from powercut.image.cues import Cues, find_cues, halved
from powercut.image.measures import common_pixels, edges
from powercut.image.regions import Regions, find_regions
from powercut.image.segmentation import N_SUPERPIXELS
from powercut.reproduce.images import validation_and_test

Array = npt.NDArray[np.float64]
SAMPLES = 4000


def regress(X: Array, share: Array) -> LogisticRegression:
    """Regress a share of people: each row is a positive and a negative, weighted by the share."""
    yes = np.repeat([1, 0], len(X))
    model = LogisticRegression(max_iter=2000)
    return model.fit(np.vstack([X, X]), yes, sample_weight=np.append(share, 1 - share))


def rounded(weights: Array) -> tuple[float, ...]:
    return tuple(round(float(weight), 2) for weight in weights)


def boundary_samples(
    cues: Cues, people: list[npt.NDArray[np.int32]], random: np.random.Generator
) -> tuple[Array, Array]:
    """Return square roots of gradients at random pixels, and the share of human boundaries there.

    The orientation is that of the strongest gradient.
    """
    roots = np.sqrt(cues.gradients)
    strongest = roots.sum(axis=0).argmax(axis=0)
    X = np.take_along_axis(roots, strongest[None, None], axis=1).reshape(len(roots), -1).T
    drawn = np.stack([edges(human) for human in people]).astype(np.float32)
    share = (halved(drawn) > 0).mean(axis=0).ravel()
    some = random.choice(len(X), SAMPLES, replace=False)
    return X[some], share[some]


def pair_samples(
    cues: Cues,
    regions: Regions,
    people: list[npt.NDArray[np.int32]],
    random: np.random.Generator,
) -> tuple[dict[str, Array], Array]:
    """Return features of random pairs of regions, and the share of people who join them.

    Pairs are drawn with probability proportional to the product of their areas.
    """
    together = np.zeros((len(regions), len(regions)))
    for human in people:
        table = common_pixels(regions.labels, human) / regions.areas[:, None]
        together += table @ table.T / len(people)
    np.fill_diagonal(together, 0)
    areas = regions.areas / regions.areas.sum()
    products = squareform(np.outer(areas, areas), checks=False)
    some = random.choice(len(products), SAMPLES, p=products / products.sum())
    features = pair_features(regions, cues)
    return (
        {name: feature[some] for name, feature in features.items()},
        squareform(together, checks=False)[some],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="use two images")
    quick = parser.parse_args().quick
    images = validation_and_test(load_bsds())[0][: 2 if quick else None]
    random = np.random.default_rng(0)
    boundaries, pairs = [], []
    for example in images:
        cues, people = find_cues(example.image()), example.segmentations()
        regions = find_regions(cues.boundaries(), N_SUPERPIXELS)
        boundaries.append(boundary_samples(cues, people, random))
        pairs.append(pair_samples(cues, regions, people, random))

    model = regress(*(np.concatenate(arrays) for arrays in zip(*boundaries, strict=True)))
    print("BOUNDARY_WEIGHTS =", rounded(model.coef_[0]))
    print("BOUNDARY_INTERCEPT =", rounded(model.intercept_)[0])

    names = list(pairs[0][0])
    X = np.vstack([np.stack([features[name] for name in names], axis=1) for features, _ in pairs])
    share = np.concatenate([share for _, share in pairs])
    model = regress(X, share)
    weights = zip(names, rounded(model.coef_[0]), strict=True)
    print("AFFINITY_WEIGHTS =", dict(weights))
    print("AFFINITY_INTERCEPT =", rounded(model.intercept_)[0])

    image = np.repeat(np.arange(len(images)), SAMPLES)
    errors = np.empty(len(X))
    for fitted, left_out in GroupKFold(min(5, len(images))).split(X, groups=image):
        predicted = regress(X[fitted], share[fitted]).predict_proba(X[left_out])[:, 1]
        errors[left_out] = (predicted - share[left_out]) ** 2
    print(f"cross-validated squared error {errors.mean():.4f}, of the mean {share.var():.4f}")


if __name__ == "__main__":
    main()
