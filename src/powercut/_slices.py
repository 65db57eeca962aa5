"""Work on arrays a piece at a time."""

from collections.abc import Iterator


def slices(n: int, length: int) -> Iterator[slice]:
    """Yield slices of this length, the last perhaps shorter, of n things.

    What `sklearn.utils.gen_batches` does, for modules that do not import scikit-learn.

    Examples
    --------
    >>> from powercut._slices import slices
    >>> list(slices(5, 3))
    [slice(0, 3, None), slice(3, 5, None)]
    """
    yield from (slice(start, min(start + length, n)) for start in range(0, n, length))
