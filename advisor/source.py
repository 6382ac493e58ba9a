"""The forms in which a position comes: a table of fields, JSON, TOML, or the one line."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from typing import Any

from advisor.faults import Fault, PositionError, quoted
from advisor.line import PREFIX, decode_line

MAX_SIZE = 65_536
"""Largest text read, in bytes or characters; a position with many remarks has some thousand."""

MAX_TOML_LINE = 1000
"""Longest line of TOML: the time for a dotted name grows with the square of its length."""

MAX_DIGITS = 100
"""Longest whole number of JSON that is read exactly; no field takes one as long."""

_LINE = re.compile(r"JP\d\S*", re.IGNORECASE)


def load(source: str | bytes | Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of a position, unchecked, from any of its forms; raises `PositionError` with one fault."""
    if isinstance(source, Mapping):
        return source
    if not isinstance(source, str | bytes):
        raise _fault(f"read {quoted(source)}, expected a table of fields or a text")
    if len(source) > MAX_SIZE:
        raise _fault(f"read {len(source):,} bytes, expected at most {MAX_SIZE:,}")
    text = _decode(source).strip()
    if not text:
        raise _fault("read nothing, expected TOML, JSON or a one-line position")
    if _LINE.fullmatch(text):
        return decode_line(text)
    try:
        return load_json(text) if text.startswith("{") else _load_toml(text)
    except RecursionError:
        raise _fault("read tables nested too deeply, expected a table of fields") from None
    except ValueError as error:
        form = "JSON" if text.startswith("{") else "TOML"
        if form == "TOML" and "=" not in text:
            form = f"{quoted(text)}, which is no JSON, no line from {PREFIX} on, and TOML"
        raise _fault(f"read {form} with an error: {error}") from None


def load_json(text: str) -> Any:
    """The value of a JSON text in which no object has a name twice; raises ValueError or RecursionError."""
    return json.loads(text, object_pairs_hook=_without_twins, parse_int=_whole_number)


def _whole_number(digits: str) -> int | float:
    """A whole number; a longer one as a float, which the field it stands in will refuse."""
    return int(digits) if len(digits) <= MAX_DIGITS else float(digits)


def _load_toml(text: str) -> dict[str, Any]:
    longest = max(map(len, text.splitlines()))
    if longest > MAX_TOML_LINE:
        raise ValueError(f"a line of {longest:,} characters, expected at most {MAX_TOML_LINE:,}")
    return tomllib.loads(text)


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        (twin, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"the name {quoted(twin)} stands twice in one object")
    return table


def _decode(source: str | bytes) -> str:
    try:
        text = source.decode("utf-8-sig") if isinstance(source, bytes) else source
    except UnicodeDecodeError:
        raise _fault("read bytes that are no UTF-8 text") from None
    if "\0" in text:
        raise _fault("read binary data, expected text")
    return text


def _fault(message: str) -> PositionError:
    return PositionError([Fault("position", message)])
