"""A position on the command line: a file, `-`, a one-line position, or an option for each field."""

import re
import sys
from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from advisor.faults import quoted

Document = str | bytes | dict[str, Any]
"""What `advisor.position.read_position` takes."""

_LINE = re.compile(r"\s*JP\d", re.IGNORECASE)
"""How one-line positions begin; a file of such a name is `./JP1...`."""

MOST_BYTES = 1_000_000
"""Largest file read; long matches take a tenth of it."""


def _number(text: str) -> object:
    """A whole number; other texts stay, for the check of the position to find."""
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else text


def _numbers(text: str) -> list[object]:
    return [_number(word) for word in re.split(r"[\s,]+", text) if word]


def _tiers_left(text: str) -> object:
    numbers = _numbers(text)
    return dict(zip("345", numbers, strict=True)) if len(numbers) == 3 else text


def _tokens(text: str) -> object:
    """`gold 3, cloth 0` or `3 gold, 0 cloth` as a table; whatever is neither stays in it, to be refused."""
    parts = re.findall(r"\d+|[^\s\d,;:=]+", text)
    if parts and parts[0].isdigit():
        parts.reverse()
    goods, counts = parts[::2], parts[1::2]
    if len(counts) < len(goods) or len(set(goods)) < len(goods):
        return text
    return dict(zip(goods, map(_number, counts), strict=True))


class _Field(NamedTuple):
    """An option for one field of a position."""

    path: str
    flag: str
    metavar: str
    help: str
    value: Callable[[str], object] = str
    """What the field gets for the text of the option."""

    @property
    def name(self) -> str:
        return self.path.replace(".", "_")


FIELDS = (
    _Field("market", "--market", "CARDS", "The five cards: '2 camels gold leather spice', 'MMGLP'."),
    _Field("me.hand", "--hand", "CARDS", "Your goods cards."),
    _Field("me.herd", "--herd", "N", "Your camels.", _number),
    _Field("me.rupees", "--rupees", "N", "Rupees on your goods tokens alone.", _number),
    _Field("me.goods_tokens", "--goods-tokens", "N", "Number of your goods tokens.", _number),
    _Field("me.bonus", "--own-bonus", "VALUES", "Your bonus tokens by value: '2 5'.", _numbers),
    _Field("me.seals", "--seals", "N", "Your seals.", _number),
    _Field("opponent.hand", "--opponent-hand", "N", "Number of the opponent's goods cards.", _number),
    _Field("opponent.seen", "--opponent-seen", "CARDS", "Those of them that you know."),
    _Field("opponent.herd", "--opponent-herd", "N", "The opponent's camels.", _number),
    _Field("opponent.rupees", "--opponent-rupees", "N", "Rupees on the opponent's goods tokens alone.", _number),
    _Field("opponent.goods_tokens", "--opponent-goods-tokens", "N", "Number of the opponent's goods tokens.", _number),
    _Field("opponent.bonus", "--opponent-bonus", "TIERS", "The opponent's bonus tokens by tier: '3 5'.", _numbers),
    _Field("opponent.seals", "--opponent-seals", "N", "The opponent's seals.", _number),
    _Field("deck", "--deck", "N", "Cards left in the deck.", _number),
    _Field("tokens", "--tokens", "COUNTS", "Goods tokens left where some are gone: 'gold 3 cloth 0'.", _tokens),
    _Field("sold", "--sold", "CARDS", "The discard pile."),
    _Field("bonus", "--bonus-left", "COUNTS", "Bonus tokens left of the three tiers: '6 6 5'.", _tiers_left),
    _Field("first", "--first", "WHO", "Who started the round: me or opponent."),
    _Field("deck_end", "--deck-end", "RULE", "When the deck ends the round: refill or empty."),
)


def takes_position(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the argument POSITION and an option for each field; it gets the `Position` that they make."""

    @wraps(command)
    def run(document: Document, **given: Any) -> None:
        from advisor.position import read_position

        command(read_position(document), **given)

    return takes_document(run)


def takes_document(command: Callable[..., None]) -> Callable[..., None]:
    """The same for a command that reads the position itself: it gets what `read_position` takes."""

    @wraps(command)
    def run(source: str | None, **given: Any) -> None:
        told = {field.path: field.value(text) for field in FIELDS if (text := given.pop(field.name)) is not None}
        command(_document(source, told), **given)

    _, *own = signature(command).parameters.values()
    source = _parameter("source", typer.Argument(metavar="[POSITION]", help="A file, - for standard input, or JP1..."))
    fields = [_parameter(one.name, typer.Option(one.flag, metavar=one.metavar, help=one.help)) for one in FIELDS]
    run.__signature__ = Signature([source, *own, *fields])  # type: ignore[attr-defined]
    run.__annotations__ = {}  # they stand in the signature
    return run


def _parameter(name: str, kind: Any) -> Parameter:
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=Annotated[str | None, kind])


def _document(source: str | None, told: Mapping[str, object]) -> Document:
    if told and source is None:
        return _nested(told)
    if told:
        raise ValueError(f"read POSITION {quoted(source)} and options that describe a position, expected one of them")
    if source is None:
        raise ValueError("no position: expected a file, - for standard input, a one-line position, or options")
    return source if _LINE.match(source) else read_bytes(source)


def _nested(told: Mapping[str, object]) -> dict[str, Any]:
    """Fields by path as a document has them: `me.hand` within `me`."""
    document: dict[str, Any] = {}
    for path, value in told.items():
        *table, name = path.split(".")
        (document.setdefault(table[0], {}) if table else document)[name] = value
    return document


def read_bytes(source: str) -> bytes:
    """What a file holds, or standard input for `-`; raises OSError, or ValueError where that is too much or no name."""
    if not source.strip():
        raise ValueError(f"read {quoted(source)}, expected the name of a file, or - for standard input")
    if source == "-":
        found = sys.stdin.buffer.read(MOST_BYTES + 1)
    else:
        with Path(source).open("rb") as file:
            found = file.read(MOST_BYTES + 1)
    if len(found) > MOST_BYTES:
        raise ValueError(f"{source}: expected at most {MOST_BYTES:,} bytes, it has more")
    return found
