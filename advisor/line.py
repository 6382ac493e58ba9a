"""The one-line position: 31 letters and digits beginning with JP1; its grammar is in docs/position.md.

A position is a row of small numbers, each below a radix of its own. They make one large number, written
in base 32 at a fixed length, so that a lost character shows; the last two characters make the whole number
1 modulo a prime, so that a changed character, or two swapped ones, show as well.
"""

from collections.abc import Iterator, Mapping
from itertools import repeat
from typing import Any

from advisor.faults import Fault, PositionError, quoted
from advisor.words import CARD_NAMES, DECK_ENDS
from engine.rules import (
    BONUS,
    BONUS_COUNTS,
    BONUS_VALUES,
    CAMEL,
    CARDS,
    GOODS,
    HAND_LIMIT,
    MARKET_SIZE,
    SEALS_TO_WIN,
    TIER_SIZE,
    TOKENS,
    TYPES,
)

PREFIX = "JP1"
DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Base 32 without I, L, O and U, which are misread."""

LENGTH = 31
_CHECK = len(DIGITS) ** 2
_PRIME = 1021
"""Largest prime below `_CHECK`; the powers of 32 repeat modulo it only after 204 places."""

_NAMES = CARD_NAMES[:GOODS]
_HERD_OPEN = CARDS[CAMEL] + 1
_DECK_OPEN = sum(CARDS) - MARKET_SIZE + 1
_GOODS_TOKENS_OPEN = sum(map(len, TOKENS)) + 1
_FIRST = (None, "me", "opponent")

_RADICES = (
    *repeat(MARKET_SIZE + 1, TYPES),  # market
    *repeat(HAND_LIMIT + 1, GOODS),  # me.hand
    CARDS[CAMEL] + 1,  # me.herd
    HAND_LIMIT + 1,  # opponent.hand
    *repeat(HAND_LIMIT + 1, GOODS),  # opponent.seen
    _HERD_OPEN + 1,
    _DECK_OPEN + 1,
    *(len(pile) + 3 for pile in TOKENS),  # tokens and sold, see _pile
    sum(map(sum, TOKENS)) + 1,  # me.rupees
    _GOODS_TOKENS_OPEN + 1,  # me.goods_tokens
    *(count + 1 for count in BONUS_COUNTS),  # me.bonus
    *(len(tokens) + 1 for tokens in BONUS),  # opponent.bonus
    SEALS_TO_WIN + 1,
    SEALS_TO_WIN + 1,
    len(_FIRST),
    len(DECK_ENDS),
)


def encode_line(fields: Mapping[str, Any]) -> str:
    """The one-line form of a position whose fields are all filled in (`Position.to_dict`)."""
    number = 0
    for figure, radix in zip(_figures(fields), _RADICES, strict=True):
        number = number * radix + figure
    number *= _CHECK
    return PREFIX + _in_base_32(number + (1 - number) % _PRIME)


def decode_line(text: str) -> dict[str, Any]:
    """The fields of a position from its one-line form, in capitals or all in small letters; raises `PositionError`."""
    line = text.upper() if text.islower() else text
    digits = line.removeprefix(PREFIX)
    if digits == line:
        raise _unreadable(text, f"expected version {PREFIX}, in capitals")
    if len(line) != LENGTH:
        raise _unreadable(text, f"expected {LENGTH} characters from {PREFIX} on, found {len(text)}; one may be lost")
    if not set(digits) <= set(DIGITS):
        raise _unreadable(text, f"expected capital letters (none of I, L, O, U) and digits after {PREFIX}")
    number = 0
    for digit in digits:
        number = number * len(DIGITS) + DIGITS.index(digit)
    figures = []
    rest = number // _CHECK
    for radix in reversed(_RADICES):
        rest, figure = divmod(rest, radix)
        figures.append(figure)
    if number % _PRIME != 1 or number % _CHECK >= _PRIME or rest:
        raise _unreadable(text, "its check characters do not fit: one character is wrong, or two are swapped")
    return _fields(iter(reversed(figures)))


def _unreadable(text: str, reason: str) -> PositionError:
    return PositionError([Fault("position", f"read the one-line position {quoted(text)}, {reason}")])


def _in_base_32(number: int) -> str:
    digits = []
    for _ in range(LENGTH - len(PREFIX)):
        number, digit = divmod(number, len(DIGITS))
        digits.append(DIGITS[digit])
    return "".join(reversed(digits))


def _figures(fields: Mapping[str, Any]) -> Iterator[int]:
    """The numbers of a position, in the order of `_RADICES`."""
    me, opponent = fields["me"], fields["opponent"]
    yield from (fields["market"].get(name, 0) for name in CARD_NAMES)
    yield from (me["hand"].get(name, 0) for name in _NAMES)
    yield me["herd"]
    yield opponent["hand"]
    yield from (opponent["seen"].get(name, 0) for name in _NAMES)
    yield _or_open(opponent["herd"], _HERD_OPEN)
    yield _or_open(fields["deck"], _DECK_OPEN)
    for name, pile in zip(_NAMES, TOKENS, strict=True):
        yield _pile(fields["tokens"][name], fields["sold"][name], len(pile))
    yield me["rupees"]
    yield _or_open(me["goods_tokens"], _GOODS_TOKENS_OPEN)
    yield from (me["bonus"].count(value) for value in BONUS_VALUES)
    yield from (opponent["bonus"].count(size) for size in TIER_SIZE)
    yield me["seals"]
    yield opponent["seals"]
    yield _FIRST.index(fields["first"])
    yield DECK_ENDS.index(fields["deck_end"])


def _fields(figures: Iterator[int]) -> dict[str, Any]:
    """The inverse of `_figures`; what is not in the line follows from the rest."""

    def counts(names: tuple[str, ...]) -> dict[str, int]:
        return {name: next(figures) for name in names}

    def several(kinds: tuple[int, ...]) -> list[int]:
        return [kind for kind in kinds for _ in range(next(figures))]

    def unless_open(mark: int) -> int | None:
        figure = next(figures)
        return None if figure == mark else figure

    me: dict[str, Any] = {}
    opponent: dict[str, Any] = {}
    fields: dict[str, Any] = {"market": counts(CARD_NAMES), "me": me, "opponent": opponent}
    me |= {"hand": counts(_NAMES), "herd": next(figures)}
    opponent |= {"hand": next(figures), "seen": counts(_NAMES), "herd": unless_open(_HERD_OPEN)}
    fields["deck"] = unless_open(_DECK_OPEN)
    piles = {name: _left_and_sold(next(figures), len(pile)) for name, pile in zip(_NAMES, TOKENS, strict=True)}
    fields["tokens"] = {name: left for name, (left, _) in piles.items()}
    fields["sold"] = {name: sold for name, (_, sold) in piles.items()}
    me |= {"rupees": next(figures), "goods_tokens": unless_open(_GOODS_TOKENS_OPEN), "bonus": several(BONUS_VALUES)}
    opponent["bonus"] = several(TIER_SIZE)
    me["seals"], opponent["seals"] = next(figures), next(figures)
    fields["first"], fields["deck_end"] = _FIRST[next(figures)], DECK_ENDS[next(figures)]
    return fields


def _or_open(value: int | None, mark: int) -> int:
    return mark if value is None else value


def _pile(left: int, sold: int | None, size: int) -> int:
    """Tokens and sold cards of a good: 0 empty, one more sold is possible but open; 1 empty, as many sold as tokens;
    2 empty, one more sold; from 3 on 1, 2, … tokens are left.
    """
    if left:
        return left + 2
    return 0 if sold is None else sold - size + 1


def _left_and_sold(figure: int, size: int) -> tuple[int, int | None]:
    """The inverse of `_pile`."""
    if figure > 2:
        return figure - 2, size - figure + 2
    return 0, size + figure - 1 if figure else None
