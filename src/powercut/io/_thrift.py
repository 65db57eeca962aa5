"""Structures of the compact protocol of Thrift, in which Parquet files have their headers."""

from collections.abc import Iterator

# Types of fields and elements.
TRUE, FALSE, BYTE, INT16, INT32, INT64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
MOST_NESTED = 16


class Struct:
    """The structure that begins at a position of some bytes.

    Raises `IndexError` where the bytes end too soon, and `ValueError` where they are no
    structure.

    Attributes
    ----------
    end : int
        The position after the structure.
    fields : dict of (int, int) to int, Struct or list of Struct
        Its integers, structures and lists of structures by their number and type. As in Thrift,
        a field of another type than expected is not there.
    """

    def __init__(self, data: bytes, start: int = 0, depth: int = 0) -> None:
        self._data, self.end, self._depth = data, start, depth
        if depth > MOST_NESTED:
            raise ValueError("its structures are nested too deeply")
        self.fields: dict[tuple[int, int], int | Struct | list[Struct]] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            # A boolean is its type.
            value = None if kind in (TRUE, FALSE) else self._value(kind)
            if value is not None:
                self.fields[number, kind] = value

    def integer(self, number: int, kind: int, default: int = 0) -> int:
        """Return an integer of type `kind`."""
        value = self.fields.get((number, kind), default)
        assert isinstance(value, int)
        return value

    def structs(self, number: int, kind: int = LIST) -> "Iterator[Struct]":
        """Yield the structures of a list, or the only one of a field of type `STRUCT`."""
        value = self.fields.get((number, kind), [])
        assert not isinstance(value, int)
        yield from value if isinstance(value, list) else [value]

    def _value(self, kind: int) -> "int | Struct | list[Struct] | None":
        """Read a value; return what `fields` has of it."""
        if kind in (TRUE, FALSE, BYTE):
            self._byte()
        elif kind in (INT16, INT32, INT64):
            return self._integer()
        elif kind == DOUBLE:
            self.end += 8
        elif kind == BINARY:
            length = self._unsigned()
            self.end += length
        elif kind in (LIST, SET):
            return self._list()
        elif kind == MAP:
            self._map()
        elif kind == STRUCT:
            struct = Struct(self._data, self.end, self._depth + 1)
            self.end = struct.end
            return struct
        else:
            raise ValueError(f"it has a field of the unknown type {kind}")
        return None

    def _list(self) -> "list[Struct]":
        head = self._byte()
        length = self._unsigned() if head >> 4 == 15 else head >> 4
        values = [self._value(head & 15) for _ in range(self._possible(length))]
        return [value for value in values if isinstance(value, Struct)]

    def _map(self) -> None:
        if length := self._unsigned():
            kinds = self._byte()
            for _ in range(self._possible(length)):
                self._value(kinds >> 4)
                self._value(kinds & 15)

    def _possible(self, length: int) -> int:
        """Return the length of a list, whose elements have a byte at least."""
        if length > len(self._data) - self.end:
            raise IndexError("a list is longer than the bytes")
        return length

    def _byte(self) -> int:
        byte = self._data[self.end]
        self.end += 1
        return byte

    def _unsigned(self) -> int:
        value = shift = 0
        while (byte := self._byte()) >= 128:
            value |= (byte & 127) << shift
            shift += 7
        return value | byte << shift

    def _integer(self) -> int:
        """Read a signed integer: 0, -1, 1, -2, ... are stored as 0, 1, 2, 3, ..."""
        value = self._unsigned()
        return value >> 1 if value % 2 == 0 else -(value + 1 >> 1)
