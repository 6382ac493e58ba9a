"""The fields of a position together: what was left out is worked out, and what cannot occur is found.

Each step looks at a few fields of `values` (path -> value, as `advisor.fields` reads them), fills in those left out,
and adds a fault for what does not fit. A step whose fields are faulty already is skipped: its complaint would be
an echo of theirs.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import chain
from typing import Any

from advisor.faults import Fault
from advisor.readings import Reading, readings, sold_options
from advisor.words import CARD_NAMES, Counts
from engine.beliefs import token_splits
from engine.rules import BONUS, BONUS_VALUES, CAMEL, CARDS, GOODS, MARKET_SIZE, SEALS_TO_WIN, TIER_SIZE, TOKENS, TYPES

Values = dict[str, Any]

DEFAULTS: Values = {
    "market": (0,) * TYPES,  # never a default, but a stand-in for a market that cannot be read
    "me.hand": (0,) * GOODS,  # a stand-in, like the market
    "me.herd": 0,
    "me.rupees": None,
    "me.goods_tokens": None,
    "me.bonus": None,
    "me.seals": 0,
    "opponent.hand": 0,  # a stand-in, like the market
    "opponent.seen": (0,) * GOODS,
    "opponent.herd": None,
    "opponent.rupees": None,
    "opponent.goods_tokens": None,
    "opponent.bonus": None,
    "opponent.seals": 0,
    "deck": None,
    "tokens": tuple(map(len, TOKENS)),
    "sold": (None,) * GOODS,
    "bonus": (None,) * len(TIER_SIZE),
    "first": None,
    "deck_end": "refill",
}


def complete(given: Values, faults: list[Fault]) -> Values:
    """All fields of a position: those given, and the others worked out; None stays where more than one answer fits."""
    values = DEFAULTS | given
    for fields, step in _STEPS:
        if not (faults and _faulty(fields, faults)):
            step(values, faults)
    return values


def missing_tokens(tokens: Counts) -> tuple[int, ...]:
    """Values of the goods tokens the players hold, when `tokens` are left by good."""
    return tuple(value for pile, left in zip(TOKENS, tokens, strict=True) for value in pile[: len(pile) - left])


@lru_cache(maxsize=1024)
def splits(tokens: Counts, rupees: int) -> list[int]:
    """Ways in which k of the tokens that are gone give `rupees`, for each k."""
    return token_splits(missing_tokens(tokens), rupees)


def tier_counts(tiers: Iterable[int]) -> Counts:
    """Bonus tokens by tier, from a list of tiers 3, 4, 5."""
    held = list(tiers)
    return tuple(held.count(size) for size in TIER_SIZE)


def value_tiers(values: Iterable[int]) -> list[int]:
    """The tier 3, 4 or 5 of each bonus value."""
    return [TIER_SIZE[BONUS_VALUES.index(value) // 3] for value in values]


def unseen_cards(market: Counts, hand: Counts, herd: int, seen: Counts) -> Counts:
    """By type, the cards neither in the market, nor with me, nor seen in the opponent's hand; below 0 if impossible."""
    return tuple(
        most - lying - mine - theirs
        for most, lying, mine, theirs in zip(CARDS, market, (*hand, herd), (*seen, 0), strict=True)
    )


def _faulty(fields: tuple[str, ...], faults: list[Fault]) -> bool:
    """Whether one of the fields, a table it stands in, or an entry of it has a fault."""
    places = [f"{fault.field}." for fault in faults]
    return any(place.startswith(f"{path}.") or f"{path}.".startswith(place) for path in fields for place in places)


def _first(values: Values, faults: list[Fault]) -> None:
    if values["first"] == "unknown":
        values["first"] = None


def _seals(values: Values, faults: list[Fault]) -> None:
    mine, theirs = values["me.seals"], values["opponent.seals"]
    if mine == theirs == SEALS_TO_WIN:
        faults.append(Fault("opponent.seals", f"read {theirs}, and {mine} for me; the first to have {mine} has won"))


def _seen(values: Values, faults: list[Fault]) -> None:
    seen, hand = sum(values["opponent.seen"]), values["opponent.hand"]
    if seen > hand:
        faults.append(Fault("opponent.seen", f"read {seen} cards, expected at most the {hand} of opponent.hand"))


def _bonus(values: Values, faults: list[Fault]) -> None:
    """Left and held tokens make up each tier: one of the three left out is the rest of a tier, another one is none."""
    mine, theirs = values["me.bonus"], values["opponent.bonus"]
    unknown = (None,) * len(TIER_SIZE)
    my_counts = unknown if mine is None else tier_counts(value_tiers(mine))
    their_counts = unknown if theirs is None else tier_counts(theirs)
    found = []
    for size, tokens, *told in zip(TIER_SIZE, BONUS, values["bonus"], my_counts, their_counts, strict=True):
        if told[0] is None or told.count(None) == 1:
            told[told.index(None)] = len(tokens) - sum(count or 0 for count in told)
        parts = [count or 0 for count in told]
        found.append(parts)
        if sum(parts) != len(tokens) or min(parts) < 0:
            places = zip(parts, ("left", "mine", "the opponent's"), strict=True)
            read = ", ".join(f"{count} {place}" for count, place in places if count >= 0)
            faults.append(Fault(f"bonus.{size}", f"read {read}, expected {len(tokens)} together"))
        elif mine is None and parts[1] not in (0, len(tokens)):
            faults.append(Fault("me.bonus", f"left out, but I hold {parts[1]} of the tokens for {size} cards: which?"))
    left, my_counts, their_counts = zip(*found, strict=True)
    values["bonus"] = left
    if mine is None:
        values["me.bonus"] = tuple(chain(*(tokens[:n] for tokens, n in zip(BONUS, my_counts, strict=True))))
    values["opponent.bonus"] = tuple(chain(*([size] * n for size, n in zip(TIER_SIZE, their_counts, strict=True))))


def _rupees(values: Values, faults: list[Fault]) -> None:
    """Both players' rupees are the missing goods tokens, which split into single tokens."""
    mine, theirs = values["me.rupees"], values["opponent.rupees"]
    told = [(name, count) for name, count in (("me.rupees", mine), ("opponent.rupees", theirs)) if count is not None]
    missing = missing_tokens(values["tokens"])
    worth = sum(missing)
    if missing and not told:
        faults.append(Fault("me.rupees", f"left out for both players, but goods tokens of {worth} rupees are gone"))
        return
    if mine is None:
        mine = worth - theirs if told else 0
    if theirs is None:
        theirs = worth - mine
    field, read = told[0] if told else ("me.rupees", 0)
    if mine + theirs != worth or min(mine, theirs) < 0:
        read = " and ".join(str(count) for _, count in told)
        faults.append(Fault(field, f"read {read}, but the missing goods tokens are worth {worth} together"))
    elif not any(splits(values["tokens"], mine)):
        tokens = " ".join(map(str, missing))
        faults.append(Fault(field, f"read {read}, but no split of the missing goods tokens {tokens} gives that"))
    values["me.rupees"], values["opponent.rupees"] = mine, theirs


def _goods_tokens(values: Values, faults: list[Fault]) -> None:
    """Numbers of goods tokens that fit the rupees."""
    mine, theirs = values["me.goods_tokens"], values["opponent.goods_tokens"]
    ways = splits(values["tokens"], values["me.rupees"])
    fit = {k: len(ways) - 1 - k for k, count in enumerate(ways) if count}
    answers = [(k, other) for k, other in fit.items() if mine in (None, k) and theirs in (None, other)]
    if not answers:
        field = "me.goods_tokens" if mine is not None else "opponent.goods_tokens"
        told = " and ".join(str(count) for count in (mine, theirs) if count is not None)
        expected = " or ".join(f"{k} and {other}" for k, other in fit.items())
        faults.append(Fault(field, f"read {told}, expected {expected} (mine, the opponent's) to fit the rupees"))
    elif len(answers) == 1:
        values["me.goods_tokens"], values["opponent.goods_tokens"] = answers[0]


def _sold(values: Values, faults: list[Fault]) -> None:
    for name, pile, left, sold in zip(CARD_NAMES, TOKENS, values["tokens"], values["sold"], strict=False):
        options = sold_options(left, pile, len(pile) + 1)
        if sold is not None and sold not in options:
            expected = " or ".join(map(str, options))
            gone = len(pile) - left
            faults.append(Fault(f"sold.{name}", f"read {sold}, expected {expected}, as {gone} of its tokens are gone"))


def _cards(values: Values, faults: list[Fault]) -> None:
    """No more cards of any type than there are."""
    gone = [len(pile) - left for pile, left in zip(TOKENS, values["tokens"], strict=True)]
    herds = {"me.herd": values["me.herd"], "opponent.herd": values["opponent.herd"] or 0}
    for kind, (name, most) in enumerate(zip(CARD_NAMES, CARDS, strict=True)):
        places = {"market": values["market"][kind]}
        if kind == CAMEL:
            places |= herds
        else:
            places |= {"me.hand": values["me.hand"][kind], "opponent.seen": values["opponent.seen"][kind]}
            sold = values["sold"][kind]
            places |= {f"tokens.{name}": gone[kind]} if sold is None else {f"sold.{name}": sold}
        if sum(places.values()) > most:
            told = ", ".join(f"{count} in {place}" for place, count in places.items() if count)
            worst = max(places, key=lambda place: places[place])
            faults.append(Fault(worst, f"read {sum(places.values())} {name} ({told}), expected at most {most}"))


def _counts(values: Values, faults: list[Fault]) -> None:
    """The 55 cards add up; deck, opponent's herd and sold cards are worked out as far as one answer fits."""
    found = _readings(values)
    if not found:
        faults.append(_sum_fault(values))
        return
    values["deck"] = _only(one.deck for one in found)
    values["opponent.herd"] = _only(one.herd for one in found)
    values["sold"] = tuple(map(_only, zip(*(one.sold for one in found), strict=True)))


def _readings(values: Values) -> list[Reading]:
    unseen = unseen_cards(values["market"], values["me.hand"], values["me.herd"], values["opponent.seen"])
    hidden = values["opponent.hand"] - sum(values["opponent.seen"])
    told = (values[field] for field in ("tokens", "sold", "opponent.herd", "deck", "deck_end"))
    return readings(unseen, hidden, *told)


def _sum_fault(values: Values) -> Fault:
    """Why the cards do not add up, blamed on the first field that would let them if it were left out."""
    for field, attribute in (("deck", "deck"), ("opponent.herd", "herd")):
        told = values[field]
        if told is not None and (found := _readings(values | {field: None})):
            fit = sorted({getattr(one, attribute) for one in found})
            expected = " or ".join(map(str, fit)) if len(fit) < 3 else f"{fit[0]} to {fit[-1]}"
            return Fault(field, f"read {told}, expected {expected}: {_tally(values)}")
    return Fault("opponent.hand", f"read {values['opponent.hand']}, too many goods: {_tally(values)}")


def _tally(values: Values) -> str:
    """The cards as counted, for people who add up themselves."""
    parts = {
        "market": MARKET_SIZE,
        "my hand": sum(values["me.hand"]),
        "my herd": values["me.herd"],
        "opponent's hand": values["opponent.hand"],
        "opponent's herd": values["opponent.herd"],
        "deck": values["deck"],
        "tokens gone": len(missing_tokens(values["tokens"])),
    }
    told = ", ".join(f"{name} {'open' if count is None else count}" for name, count in parts.items())
    return f"{told}; all cards are {sum(CARDS)}"


def _only(answers: Iterable[int]) -> int | None:
    """The one answer there is, or None where there are several."""
    different = set(answers)
    return different.pop() if len(different) == 1 else None


Step = Callable[[Values, list[Fault]], None]

_STEPS: tuple[tuple[tuple[str, ...], Step], ...] = (
    (("first",), _first),
    (("me.seals", "opponent.seals"), _seals),
    (("opponent.hand", "opponent.seen"), _seen),
    (("bonus", "me.bonus", "opponent.bonus"), _bonus),
    (("tokens", "me.rupees", "opponent.rupees"), _rupees),
    (("tokens", "me.rupees", "opponent.rupees", "me.goods_tokens", "opponent.goods_tokens"), _goods_tokens),
    (("tokens", "sold"), _sold),
    ((), _cards),
    (
        ("market", "me.hand", "me.herd", "opponent.hand", "opponent.seen", "opponent.herd", "deck", "tokens", "sold"),
        _counts,
    ),
)
"""The steps, each with the fields that must be free of faults for it."""
