"""Records: rounds and matches as they were played, in the JSON form `jaipur-record/1`.

`read` checks a record's form and the cards of each deal. Whether its moves can be played is found out by playing
them: `advisor.replay`.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from advisor.faults import Fault, FaultyError, quoted
from advisor.fields import Reader, one_of, whole_number
from advisor.forms import list_of, object_of, parse_json, parsed, text
from advisor.words import CARD_NAMES, DECK_ENDS, Counts, card, cards, parse_move
from engine import rules
from engine.beliefs import FULL_DECK

FORMAT = "jaipur-record/1"


class RecordError(FaultyError):
    """A record that cannot be read or played."""


class Turn(NamedTuple):
    """One turn of a round."""

    move: int
    """Code of `engine.codes`."""
    refill: Counts | None
    """Cards laid into the market afterwards; None where they were not told here."""
    bonus: int | None
    """Index in `rules.BONUS_VALUES` of the bonus token won; None where it was not told here."""


class Round(NamedTuple):
    """One round, up to where it was told."""

    first: int
    """The player who starts, 0 or 1."""
    market: Counts
    hands: tuple[Counts, Counts]
    """The cards dealt to each player as far as known, camels included; the others are goods."""
    deck_end: int
    """`rules.DECK_END_REFILL` or `rules.DECK_END_EMPTY`."""
    deck: tuple[int, ...] | None
    """The 40 types in the order in which they are drawn; None if unknown."""
    bonus: tuple[tuple[int, ...], ...] | None
    """For each tier the indices in `rules.BONUS_VALUES`, top first; None if unknown."""
    turns: tuple[Turn, ...]

    @property
    def fully_known(self) -> bool:
        """Whether nothing is hidden: hands, deck and bonus tokens are all told."""
        return self.deck is not None and self.bonus is not None and sum(map(sum, self.hands)) == 2 * rules.DEALT


class Record(NamedTuple):
    """A match, or a part of it."""

    players: tuple[str, str]
    rounds: tuple[Round, ...]


def read(source: object) -> Record:
    """A record from its JSON text (bytes: UTF-8) or JSON value; raises `RecordError` with every fault of its form."""
    try:
        value = parse_json(source) if isinstance(source, str | bytes) else source
    except ValueError as error:
        raise RecordError([Fault("record", f"no JSON: {error}")]) from None
    faults: list[Fault] = []
    told = _RECORD(value, "", faults)
    if faults:
        raise RecordError(Fault(field or "record", message) for field, message in faults)
    return Record(told["players"], told["rounds"])


def _deal_faults(played: Round, path: str) -> Iterator[Fault]:
    """Cards that are dealt too often, and camels among cards that must be unknown goods."""
    dealt = [sum(counts) for counts in zip(played.market, *played.hands, tally(played.deck or ()), strict=True)]
    for name, count, most in zip(CARD_NAMES, dealt, rules.CARDS, strict=True):
        if count > most:
            yield Fault(path, f"read {count} {name} in market, hands and deck, expected at most {most}")
    camels = dealt[rules.CAMEL]
    if played.deck is not None and camels < rules.CARDS[rules.CAMEL]:
        yield Fault(
            path,
            f"read {camels} camel in market, hands and deck, expected all {rules.CARDS[rules.CAMEL]}: "
            "the unknown cards of a hand are goods",
        )


def _told_twice(played: Round, path: str) -> Iterator[Fault]:
    """Refills where the deck tells them, bonus values where the piles do."""
    for index, turn in enumerate(played.turns):
        if played.deck is not None and turn.refill is not None:
            yield Fault(f"{path}.turns[{index}].refill", "expected no refill where the round tells its deck")
        if played.bonus is not None and turn.bonus is not None:
            yield Fault(f"{path}.turns[{index}].bonus", "expected no bonus where the round tells its piles")


def tally(kinds: Iterable[int]) -> Counts:
    """Some cards, given by their types, as seven counts."""
    counts = [0] * rules.TYPES
    for kind in kinds:
        counts[kind] += 1
    return tuple(counts)


# ---- the leaves ----


def _format(value: Any) -> str:
    if value != FORMAT:
        raise ValueError(f"read {quoted(value)}, expected '{FORMAT}'")
    return FORMAT


def _some_cards(least: int, most: int) -> Callable[[Any], Counts]:
    expected = f"{most}" if least == most else f"at most {most}"

    def parse(value: Any) -> Counts:
        counts = cards(value)
        if not least <= sum(counts) <= most:
            raise ValueError(f"read {quoted(sum(counts))} cards, expected {expected}")
        return counts

    return parse


def _market(value: Any) -> Counts:
    counts = _some_cards(rules.MARKET_SIZE, rules.MARKET_SIZE)(value)
    if counts[rules.CAMEL] < rules.OPENING_CAMELS:
        raise ValueError(f"read {counts[rules.CAMEL]} camels, expected at least {rules.OPENING_CAMELS} at the start")
    return counts


def _card(value: Any) -> int:
    return card(text(value))


def _bonus_value(value: Any) -> int:
    if type(value) is not int or value not in rules.BONUS_VALUES:
        raise ValueError(f"read {quoted(value)}, expected the value of a bonus token: {_or(rules.BONUS_VALUES)}")
    return rules.BONUS_VALUES.index(value)


def _pile(tier: int) -> Callable[[Any], tuple[int, ...]]:
    values = rules.BONUS[tier]

    def parse(value: Any) -> tuple[int, ...]:
        if not isinstance(value, list) or any(type(each) is not int for each in value) or sorted(value) != [*values]:
            raise ValueError(f"read {quoted(value)}, expected {' '.join(map(str, values))} in any order, top first")
        return tuple(map(rules.BONUS_VALUES.index, value))

    return parse


def _or(values: Iterable[int]) -> str:
    *most, last = map(str, values)
    return f"{', '.join(most)} or {last}"


# ---- the form ----


def _piles(value: object, path: str, faults: list[Fault]) -> tuple[Any, ...]:
    return tuple(_PILES(value, path, faults).values())


def _deck_end(value: object, path: str, faults: list[Fault]) -> int | None:
    word = one_of(*DECK_ENDS)(value, path, faults)
    return word and DECK_ENDS.index(word)


def _turn(value: object, path: str, faults: list[Fault]) -> Turn:
    return Turn(**_TURN({"move": value} if isinstance(value, str) else value, path, faults))


def _round(value: object, path: str, faults: list[Fault]) -> Round | None:
    before = len(faults)
    told = _ROUND(value, path, faults)
    if len(faults) > before:
        return None
    played = Round(**(told | {"deck_end": told["deck_end"] or rules.DECK_END_REFILL}))
    faults.extend(_deal_faults(played, path))
    faults.extend(_told_twice(played, path))
    return played


_PILES = object_of({str(size): parsed(_pile(tier)) for tier, size in enumerate(rules.TIER_SIZE)})

_TURN = object_of(
    {"move": parsed(parse_move)},
    {"refill": parsed(_some_cards(0, rules.MARKET_SIZE)), "bonus": parsed(_bonus_value)},
)

_ROUND = object_of(
    {
        "first": whole_number(0, 1),
        "market": parsed(_market),
        "hands": list_of(parsed(_some_cards(0, rules.DEALT)), rules.PLAYERS),
        "turns": list_of(_turn),
    },
    {
        "deck_end": _deck_end,
        "deck": list_of(parsed(_card), FULL_DECK),
        "bonus": _piles,
    },
)

_RECORD: Reader = object_of(
    {"format": parsed(_format), "players": list_of(parsed(text), rules.PLAYERS), "rounds": list_of(_round)}
)
