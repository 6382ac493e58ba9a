"""What is wrong with a text or table that was read: every fault by its field."""

from collections.abc import Iterable
from reprlib import Repr
from typing import NamedTuple

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 60
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = 8
_SHORT.maxlevel = 2


class Fault(NamedTuple):
    """One fault: its field (`me.hand`; `position` for the whole), what was read there, what was expected."""

    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"


class FaultyError(ValueError):
    """Something read that cannot be used; `faults` holds every one of its faults."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))

    def __reduce__(self) -> tuple[type["FaultyError"], tuple[tuple[Fault, ...]]]:
        return type(self), (self.faults,)  # as it may come from another process


class PositionError(FaultyError):
    """A position that cannot be read or cannot occur."""


def printable(name: object) -> str:
    """A name as it was read, for use in a field's path: shortened, and safe to print on a terminal."""
    return quoted(name).strip("'")


def quoted(value: object) -> str:
    """A value as it was read, shortened, safe to print on a terminal."""
    try:
        return _SHORT.repr(value)
    except ValueError:  # Python prints no integer of more than some thousand digits
        return "a number of thousands of digits"
