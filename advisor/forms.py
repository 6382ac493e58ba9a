"""JSON texts, and readers for whole objects and lists, made from readers of their parts.

A reader takes a value, its path and the list of faults, as in `advisor.fields`. It returns what it read; or it adds to
the faults, and what it then returns means nothing.
"""

from collections.abc import Callable, Mapping
from typing import Any

from advisor.faults import Fault, quoted
from advisor.fields import Reader, unknown_fields
from advisor.source import load_json

MOST_FAULTS = 100
"""A list with so many faults is read no further."""


def parse_json(source: str | bytes) -> Any:
    """The value of a JSON text (bytes: UTF-8) in which no object has a name twice; raises ValueError."""
    try:
        return load_json(source.decode("utf-8-sig") if isinstance(source, bytes) else source)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def parsed(parse: Callable[[Any], Any]) -> Reader:
    """A reader of values that `parse` understands, or raises ValueError with what it read and expected."""

    def read(value: object, path: str, faults: list[Fault]) -> Any:
        try:
            return parse(value)
        except ValueError as error:
            faults.append(Fault(path, str(error)))
            return None

    return read


def list_of(item: Reader, length: int | None = None) -> Reader:
    """A reader of lists of items (of exactly `length`, if given), which come as a tuple."""
    expected = "a list" if length is None else f"a list of {length}"

    def read(value: object, path: str, faults: list[Fault]) -> tuple[Any, ...]:
        if not isinstance(value, list):
            faults.append(Fault(path, f"read {quoted(value)}, expected {expected}"))
            return ()
        if length not in (None, len(value)):
            faults.append(Fault(path, f"read a list of {len(value)}, expected {expected}"))
            return ()
        items = []
        for index, each in enumerate(value):
            if len(faults) >= MOST_FAULTS:
                break
            items.append(item(each, f"{path}[{index}]", faults))
        return tuple(items)

    return read


def object_of(required: Mapping[str, Reader], optional: Mapping[str, Reader] | None = None) -> Reader:
    """A reader of objects, which come as a dict of all these fields; None (like `null`) for a field left out."""
    readers = {**required, **(optional or {})}

    def read(value: object, path: str, faults: list[Fault]) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            faults.append(Fault(path, f"read {quoted(value)}, expected an object with {', '.join(readers)}"))
            return dict.fromkeys(readers)
        prefix = f"{path}." if path else ""
        faults.extend(unknown_fields(value, readers, prefix))
        told = {name: value[name] for name in readers if value.get(name) is not None}
        faults.extend(Fault(prefix + name, "left out") for name in required if name not in told)
        return {
            name: reader(told[name], prefix + name, faults) if name in told else None
            for name, reader in readers.items()
        }

    return read


def text(value: object) -> str:
    """Any text; raises ValueError."""
    if not isinstance(value, str):
        raise ValueError(f"read {quoted(value)}, expected a text")
    return value
