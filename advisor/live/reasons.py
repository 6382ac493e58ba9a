"""Why an entry cannot be: explained by what the table holds, in the language of the player."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from advisor.record import Round, Turn
from advisor.replay import bonus_tier
from advisor.speech import _, card_list, card_name, plural
from advisor.words import Counts
from engine import rules
from engine.codes import decode

if TYPE_CHECKING:
    import numpy as np

    from engine.state import State


class RefusedError(ValueError):
    """An entry that cannot be; the message is one sentence for a person."""


def deal_fault(mover: int | None, awaits: str, starters: frozenset[int], first: int) -> str | None:
    """Why a round cannot be dealt now, started by this player."""
    if mover is not None:
        return _("the round goes on: a move is expected")
    if awaits == "seal":
        return _("first say who took the seal of the last round: seals me, seals opponent, or seals draw")
    if first not in starters:
        return _("the other player starts: the loser of a round starts the next, after a draw who did not start it")
    return None


def turn_fault(table: "np.ndarray", turn: Turn, deal: Round) -> str | None:
    """Why a turn cannot be played on a table, None where it can."""
    from engine import state

    seen = state.read(table)
    taken, given = decode(turn.move)
    if reason := next(_move_faults(seen, taken, given), None):
        return reason
    return next(_bonus_faults(seen, taken, given, turn), None) or next(
        _refill_faults(table, seen, taken, given, turn, deal), None
    )


# ---- the move ----


def _move_faults(table: "State", taken: Counts, given: Counts) -> Iterator[str]:
    *hand, herd, hidden = table.holds[table.turn]
    yield from _market_faults(table.market, taken)
    yield from _shape_faults(taken, given)
    missing = [max(0, count - there) for count, there in zip(given, hand, strict=False)]
    for kind, count in enumerate(missing):
        if count and sum(missing) > hidden:
            yield _missing_card(kind, hand, hidden)
        if count > table.unseen[kind]:
            yield _("at most {n} of the unknown cards in that hand can be {card}").format(
                n=table.unseen[kind], card=card_name(kind)
            )
    if given[rules.CAMEL] > herd:
        yield _("gives {camels}, but the herd has {n}").format(camels=card_list((0,) * 6 + (given[6],)), n=herd)
    size = sum(hand) + hidden + sum(taken[: rules.GOODS]) - sum(given[: rules.GOODS])
    if size > rules.HAND_LIMIT:
        yield _("the hand would hold {n} goods, and 7 is the limit").format(n=size)


def _market_faults(market: Sequence[int], taken: Counts) -> Iterator[str]:
    for kind, (count, there) in enumerate(zip(taken, market, strict=True)):
        if count > there:
            said = {"card": card_name(kind), "n": there, "cards": card_list(market)}
            if not there:
                yield _("no {card} in the market: it has {cards}").format(**said)
            else:
                yield _("only {n} {card} in the market: it has {cards}").format(**said)


def _missing_card(kind: int, hand: Sequence[int], hidden: int) -> str:
    held = card_list(hand, empty="")
    unknown = plural("{n} unknown card", "{n} unknown cards", hidden) if hidden else ""
    cards = " + ".join(filter(None, (held, unknown))) or _("no cards")
    if hand[kind]:
        return _("only {n} {card} in the hand: it has {cards}").format(n=hand[kind], card=card_name(kind), cards=cards)
    return _("no {card} in the hand: it has {cards}").format(card=card_name(kind), cards=cards)


def _shape_faults(taken: Counts, given: Counts) -> Iterator[str]:
    """Why these cards make no sale or exchange on any table."""
    if not any(taken):
        for kind, (count, least) in enumerate(zip(given, rules.MIN_SALE, strict=False)):
            if 0 < count < least:
                yield _("{card} is sold by two cards at least").format(card=card_name(kind))
    elif any(given):
        if sum(taken) != sum(given):
            yield _("takes {n} cards and gives {m}: an exchange is card for card").format(n=sum(taken), m=sum(given))
        if sum(taken) < rules.MIN_EXCHANGE:
            yield _("an exchange is of two cards at least; to take a single card give nothing")
        for kind, (count, other) in enumerate(zip(taken, given, strict=True)):
            if count and other:
                yield _("{card} is both taken and given").format(card=card_name(kind))


# ---- what comes with it ----


def _bonus_faults(table: "State", taken: Counts, given: Counts, turn: Turn) -> Iterator[str]:
    if turn.bonus is None:
        return
    tier = bonus_tier(table, taken, given)
    value = rules.BONUS_VALUES[turn.bonus]
    if tier is None:
        yield _("a number is the value of a bonus token, but this move wins none")
    elif value not in rules.BONUS[tier]:
        yield _("bonus tokens for {size} cards are worth {values}, read {value}").format(
            size=rules.TIER_SIZE[tier], values=", ".join(map(str, sorted(set(rules.BONUS[tier])))), value=value
        )
    elif not table.bonus[turn.bonus]:
        yield _("every bonus token of {value} has been won before").format(value=value)


def _refill_faults(
    table: "np.ndarray", seen: "State", taken: Counts, given: Counts, turn: Turn, deal: Round
) -> Iterator[str]:
    from engine import state

    if deal.deck is not None:
        return
    vacant = 0
    if not any(given):
        vacant = seen.market[rules.CAMEL] if taken[rules.CAMEL] else 1
    size = min(vacant, state.deck_size(table))
    cards = turn.refill or (0,) * rules.TYPES
    if sum(cards) != size:
        if not size:
            yield _("no card comes into the market after this move")
        elif not sum(cards):
            yield plural(
                "{n} card came into the market: add its letter",
                "{n} cards came into the market: add their letters",
                size,
            )
        else:
            expected = plural("{n} card comes into the market", "{n} cards come into the market", size)
            yield _("{expected}, read {cards}").format(expected=expected, cards=card_list(cards))
    for kind, (count, unseen) in enumerate(zip(cards, seen.unseen, strict=True)):
        if count > unseen:
            yield _("{cards} cannot come: {n} of this kind can be left in the deck").format(
                cards=card_list(tuple(count * (other == kind) for other in range(rules.TYPES))), n=unseen
            )
    hidden = sum(hold[state.HIDDEN] for hold in seen.holds)
    if sum(seen.unseen[: rules.GOODS]) - sum(cards[: rules.GOODS]) < hidden:
        yield _("that leaves too few goods for the unknown cards in hand")
