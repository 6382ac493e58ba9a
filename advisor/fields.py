"""The fields of a position one by one: their names, and how the value of each is read.

A reader takes what stands in a field, its path and the list of faults; it returns the value in the form in
which `advisor.position` keeps it, or None after it has added a fault. Cards and tokens that were understood but break
a limit are returned, so that later checks can look at them too.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from advisor.faults import Fault, printable, quoted
from advisor.words import CARD_NAMES, DECK_ENDS, Counts, WordError, card, cards, hint
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
)

Reader = Callable[[object, str, list[Fault]], Any]

MOST_UNKNOWN = 10
"""Unknown fields named one by one; a longer list helps nobody."""


def whole_number(low: int, high: int) -> Callable[[object, str, list[Fault]], int | None]:
    """A reader of whole numbers from `low` to `high`."""

    def read(value: object, path: str, faults: list[Fault]) -> int | None:
        if type(value) is int and low <= value <= high:  # type(): True is no number here
            return value
        faults.append(Fault(path, f"read {quoted(value)}, expected a whole number from {low} to {high}"))
        return None

    return read


def one_of(*choices: str) -> Reader:
    """A reader of one of a few words."""

    def read(value: object, path: str, faults: list[Fault]) -> str | None:
        if isinstance(value, str) and value in choices:
            return value
        faults.append(Fault(path, f"read {quoted(value)}, expected {' or '.join(map(repr, choices))}"))
        return None

    return read


def unknown_fields(source: Mapping[Any, object], known: Collection[str], prefix: str) -> Iterator[Fault]:
    """A fault for each name in a table that is no field of it: a misspelt one is not to be taken for none."""
    for name in islice((name for name in source if name not in known), MOST_UNKNOWN):
        yield Fault(prefix + printable(name), f"no such field{hint(str(name), known)}")


def _list_of_cards(value: object, path: str, faults: list[Fault]) -> Counts | None:
    try:
        return cards(value)
    except WordError as error:
        faults.append(Fault(path, str(error)))
        return None


def _market(value: object, path: str, faults: list[Fault]) -> Counts | None:
    counts = _list_of_cards(value, path, faults)
    if counts and sum(counts) != MARKET_SIZE:
        faults.append(Fault(path, f"read {quoted(value)}, {sum(counts)} cards, expected {MARKET_SIZE}"))
    return counts


def _hand(value: object, path: str, faults: list[Fault]) -> Counts | None:
    counts = _list_of_cards(value, path, faults)
    if counts is None:
        return None
    if counts[CAMEL]:
        faults.append(Fault(path, f"read {quoted(value)}, expected goods: camels lie in the herd"))
    goods = counts[:CAMEL]
    if sum(goods) > HAND_LIMIT:
        faults.append(Fault(path, f"read {quoted(value)}, {sum(goods)} cards, expected at most {HAND_LIMIT}"))
    return goods


def _by_good(value: Mapping[object, object], path: str, faults: list[Fault], read: Callable[..., Any]) -> list[Any]:
    """A table by good: `read(value, path, faults, kind)` of each, None where a good is left out."""
    found: list[Any] = [None] * GOODS
    named = set()
    for word, entry in value.items():
        try:
            kind = card(str(word))
        except WordError as error:
            faults.append(Fault(path, str(error)))
            break  # one is enough: a table of nonsense is not searched for near words a thousand times
        place = f"{path}.{CARD_NAMES[kind]}"
        if kind == CAMEL or kind in named:
            faults.append(Fault(place, f"read {quoted(word)}, expected each of the six goods once at most"))
        elif entry is not None:
            found[kind] = read(entry, place, faults, kind)
        named.add(kind)
    return found


def _tokens(value: object, path: str, faults: list[Fault]) -> Counts | None:
    """Tokens left by good; a good left out has its full pile."""
    if not isinstance(value, Mapping):
        faults.append(Fault(path, f"read {quoted(value)}, expected tokens by good, such as {{gold: 5}}"))
        return None
    found = _by_good(value, path, faults, _pile)
    return tuple(len(pile) if left is None else left for left, pile in zip(found, TOKENS, strict=True))


def _pile(value: object, path: str, faults: list[Fault], kind: int) -> int | None:
    """Tokens left of a pile, from their number or their values, top first."""
    pile = TOKENS[kind]
    if type(value) is int and 0 <= value <= len(pile):
        return value
    if isinstance(value, list | tuple) and _is_bottom(value, pile):
        return len(value)
    whole = " ".join(map(str, pile))
    faults.append(Fault(path, f"read {quoted(value)}, expected how many are left of {whole}, or the last of these"))
    return None


def _is_bottom(values: Sequence[object], pile: tuple[int, ...]) -> bool:
    """Whether these values are what is left of a pile."""
    return all(type(one) is int for one in values) and tuple(values) == pile[max(0, len(pile) - len(values)) :]


def _sold(value: object, path: str, faults: list[Fault]) -> tuple[int | None, ...] | None:
    """Sold cards by good, None for a good left out."""
    if isinstance(value, Mapping):
        return tuple(_by_good(value, path, faults, _sold_cards))
    counts = _list_of_cards(value, path, faults)
    if counts and counts[CAMEL]:
        faults.append(Fault(path, f"read {quoted(value)}, expected goods: camels are never sold"))
    return counts and tuple(count or None for count in counts[:CAMEL])


_NUMBER_SOLD = [whole_number(0, most) for most in CARDS]


def _sold_cards(value: object, path: str, faults: list[Fault], kind: int) -> int | None:
    return _NUMBER_SOLD[kind](value, path, faults)


def _bonus_left(value: object, path: str, faults: list[Fault]) -> tuple[int | None, ...] | None:
    """Bonus tokens left by tier, None for a tier left out."""
    tiers = [str(size) for size in TIER_SIZE]
    if not isinstance(value, Mapping) or not {str(key) for key in value} <= set(tiers):
        expected = '{"3": 7, "4": 6, "5": 5}'
        faults.append(Fault(path, f"read {quoted(value)}, expected tokens left by tier, such as {expected}"))
        return None
    left = {str(key): count for key, count in value.items() if count is not None}
    return tuple(
        whole_number(0, len(BONUS[i]))(left[tier], f"{path}.{tier}", faults) if tier in left else None
        for i, tier in enumerate(tiers)
    )


def _some_of(expected: str, counts: Mapping[int, int]) -> Reader:
    """A reader of a list of tokens, each at most as often as `counts` says; returned sorted."""

    def read(value: object, path: str, faults: list[Fault]) -> tuple[int, ...] | None:
        if not isinstance(value, list | tuple) or any(type(one) is not int or one not in counts for one in value):
            faults.append(Fault(path, f"read {quoted(value)}, expected a list of {expected}"))
            return None
        for one, most in counts.items():
            if (count := value.count(one)) > most:
                faults.append(Fault(path, f"read {quoted(value)}, {one} {count} times, expected at most {most} times"))
        return tuple(sorted(value))

    return read


_RUPEES = whole_number(0, sum(map(sum, TOKENS)))
_GOODS_TOKENS = whole_number(0, sum(map(len, TOKENS)))
_HERD = whole_number(0, CARDS[CAMEL])
_SEALS = whole_number(0, SEALS_TO_WIN)

Table = dict[str, "Reader | Table"]

FIELDS: Table = {
    "market": _market,
    "me": {
        "hand": _hand,
        "herd": _HERD,
        "rupees": _RUPEES,
        "goods_tokens": _GOODS_TOKENS,
        "bonus": _some_of(
            f"bonus values {' '.join(map(str, BONUS_VALUES))}", dict(zip(BONUS_VALUES, BONUS_COUNTS, strict=True))
        ),
        "seals": _SEALS,
    },
    "opponent": {
        "hand": whole_number(0, HAND_LIMIT),
        "seen": _hand,
        "herd": _HERD,
        "rupees": _RUPEES,
        "goods_tokens": _GOODS_TOKENS,
        "bonus": _some_of("tiers 3, 4 or 5", {size: len(BONUS[i]) for i, size in enumerate(TIER_SIZE)}),
        "seals": _SEALS,
    },
    "deck": whole_number(0, sum(CARDS) - MARKET_SIZE),
    "tokens": _tokens,
    "sold": _sold,
    "bonus": _bonus_left,
    "first": one_of("me", "opponent", "unknown"),
    "deck_end": one_of(*DECK_ENDS),
}
"""The reader of each field, nested as in a position."""

REQUIRED = ("market", "me.hand", "opponent.hand")


def read_fields(source: Mapping[str, Any]) -> tuple[dict[str, Any], list[Fault]]:
    """The values of all fields that are given and can be read, by path, and the faults found on the way."""
    values: dict[str, Any] = {}
    faults: list[Fault] = []
    _read_table(source, FIELDS, "", values, faults)
    faulty = {fault.field for fault in faults}
    missing = [path for path in REQUIRED if path not in values and faulty.isdisjoint((path, path.partition(".")[0]))]
    faults.extend(Fault(path, "left out, but nothing else tells it") for path in missing)
    return values, faults


def _read_table(
    source: Mapping[str, Any], fields: Table, prefix: str, values: dict[str, Any], faults: list[Fault]
) -> None:
    for name, entry in fields.items():
        value, path = source.get(name), f"{prefix}{name}"
        if value is None:
            continue
        if not isinstance(entry, dict):
            found = entry(value, path, faults)
            if found is not None:
                values[path] = found
        elif isinstance(value, Mapping):
            _read_table(value, entry, f"{path}.", values, faults)
        else:
            faults.append(Fault(path, f"read {quoted(value)}, expected a table with {', '.join(entry)}"))
    faults.extend(unknown_fields(source, fields, prefix))
