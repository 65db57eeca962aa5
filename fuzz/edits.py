"""Edits of valid values: bytes, arrays and JSON with wrong parts.

A nearly valid value gets further than a random one.
"""

from random import Random
from typing import Any

import numpy as np

WORDS = (0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1, 2**63, 2**64 - 1)
INTEGERS = (-1, 0, 1, 7, 10**4, 2**31 - 1, -(2**31), 2**62, -(2**62))
FLOATS = (np.nan, np.inf, -np.inf, -1.0, -0.0, 0.0, 0.5, 1e300, -1e300, 1e-300, 5e-324)
DTYPES = ("i1", "i4", "i8", "u1", "u8", "f2", "f4", "f8", ">i4", ">f8", "c16", "U3", "S2", "?", "O")
SHAPES = ((1, -1), (-1, 1), (-1,), (1, 1, -1))
JSON = (
    *(None, True, -1, 0, 1, 2, 2**31, 2**63, 2**70, 1.5, 1e300, float("nan"), "", "x", "../x"),
    *("<i8", "|O", [], [0], {}, {"float": "nan"}, {"array": "labels_"}, {"csr": {}, "shape": []}),
    {"object": "Graph", "state": {}},
)


def edit_bytes(random: Random, data: bytes, tokens: tuple[bytes, ...] = ()) -> bytes:
    """Return the data after a few edits.

    An edit replaces some bytes by a token or, if there are none, by a machine word where binary
    formats may have one; or it replaces them by random bytes, removes or repeats them.
    """
    text = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        at = random.randint(0, len(text))
        end = at + random.randint(0, 8)
        kind = random.randrange(6)
        if kind < 2 and tokens:
            text[at:end] = random.choice(tokens)
        elif kind < 2:
            size = random.choice((4, 8))
            at -= at % 4
            word = random.choice(WORDS) % 2 ** (8 * size)
            text[at : at + size] = word.to_bytes(size, "little")
        elif kind == 2:
            text[at:at] = text[at:end]
        elif kind == 3:
            del text[at : at + random.randint(1, 32)]
        else:
            text[at:end] = random.randbytes(random.randint(0, 4))
    return bytes(text)


def edit_array(random: Random, array: Any) -> Any:
    """Return the array with other values, another shape, another type or another layout."""
    array = np.array(array)
    if array.size and array.dtype.kind in "iuf" and random.random() < 0.5:
        return _with_value(random, array)
    with np.errstate(all="ignore"):
        return random.choice(LAYOUTS)(random, array)


def _with_value(random: Random, array: Any) -> Any:
    """Return a copy with an extreme value in one place, in some, or in all."""
    value = random.choice(FLOATS if array.dtype.kind == "f" else INTEGERS)
    first = random.randrange(array.size)
    places = random.choice((slice(first, first + 1), slice(first, None, 3), slice(None)))
    with np.errstate(all="ignore"):
        array.flat[places] = np.array(value).astype(array.dtype)
    return array


def _read_only(_: Random, array: Any) -> Any:
    array.flags.writeable = False
    return array


def _other_type(random: Random, array: Any) -> Any:
    numeric = array.dtype.kind in "biufc"
    return array.astype(random.choice(DTYPES if numeric else ("S2", "U3", "O")), casting="unsafe")


LAYOUTS = (
    lambda random, array: np.atleast_1d(array)[: random.randint(0, array.size)],
    lambda random, array: np.concatenate([array.ravel()] * random.randint(2, 3)),
    lambda random, array: array.reshape(random.choice(SHAPES)),
    lambda _, array: array.ravel()[:1].reshape(()) if array.size else array,
    lambda _, array: np.flip(array),  # strides are negative
    lambda _, array: np.repeat(np.atleast_1d(array), 2, axis=0)[::2],
    lambda _, array: np.asfortranarray(array),
    lambda _, array: np.empty((0, *array.shape[1:]), dtype=array.dtype),
    _read_only,
    *[_other_type] * 4,
)


def edit_json(random: Random, value: Any) -> Any:
    """Return a copy of nested dictionaries and lists with one entry replaced, removed or added."""
    if isinstance(value, dict) and value and random.random() < 0.9:
        name = random.choice(list(value))
        kind = random.randrange(16)
        if kind == 0:
            return {key: item for key, item in value.items() if key != name}
        if kind == 1:
            return {**value, str(random.choice(JSON)): value[name]}
        return {**value, name: edit_json(random, value[name])}
    if isinstance(value, list) and value and random.random() < 0.75:
        at = random.randrange(len(value))
        return [*value[:at], edit_json(random, value[at]), *value[at + 1 :]]
    return random.choice(JSON)
