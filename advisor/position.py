"""A position: the table as the player to move sees it, read from any of its forms, checked and filled in."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from advisor.completion import complete, splits, tier_counts, unseen_cards, value_tiers
from advisor.faults import PositionError
from advisor.fields import read_fields
from advisor.line import encode_line
from advisor.readings import readings
from advisor.source import load
from advisor.words import CARD_NAMES, DECK_ENDS, Counts, count_by_name
from engine.rules import BONUS_VALUES, PILES_TO_END, SEALS_TO_WIN, TIER_SIZE

if TYPE_CHECKING:  # numpy is slow to import, and the command line's help needs none of it
    import numpy as np


@dataclass(frozen=True, slots=True)
class Me:
    """The player to move."""

    hand: Counts
    """Goods cards, six counts."""
    herd: int
    rupees: int
    """Rupees on the goods tokens alone."""
    goods_tokens: int | None
    """Number of goods tokens; None where the rupees leave it open."""
    bonus: tuple[int, ...]
    """Values of the bonus tokens, sorted."""
    seals: int


@dataclass(frozen=True, slots=True)
class Opponent:
    """The other player, as far as the player to move knows."""

    hand: int
    """Number of goods cards."""
    seen: Counts
    """The known ones of them, six counts."""
    herd: int | None
    """Number of camels; None where the 55 cards leave it open."""
    rupees: int
    goods_tokens: int | None
    bonus: tuple[int, ...]
    """Tiers (3, 4, 5) of the bonus tokens, sorted."""
    seals: int


@dataclass(frozen=True, slots=True)
class Position:
    """A table that can occur, every field filled in; None stands where more than one answer fits.

    Made by `read_position`, which checks; the constructor does not.
    """

    market: Counts
    """Seven counts."""
    me: Me
    opponent: Opponent
    deck: int | None
    tokens: Counts
    """Goods tokens left, six counts."""
    sold: tuple[int | None, ...]
    """Cards in the discard pile, six counts."""
    bonus: Counts
    """Bonus tokens left, by tier."""
    first: str | None
    """Who started the round, `me` or `opponent`; None if unknown."""
    deck_end: str
    """`refill` or `empty`."""

    @property
    def over(self) -> str | None:
        """Why there is nothing to play: `match`, `piles` or `deck`; None while the round goes on."""
        if SEALS_TO_WIN in (self.me.seals, self.opponent.seals):
            return "match"
        if self.tokens.count(0) >= PILES_TO_END:
            return "piles"
        return "deck" if self.deck_end == "empty" and self.deck == 0 else None

    def open_fields(self) -> list[str]:
        """Paths of the fields to which more than one answer fits."""
        fields = {
            "me.goods_tokens": self.me.goods_tokens,
            "opponent.herd": self.opponent.herd,
            "opponent.goods_tokens": self.opponent.goods_tokens,
            "deck": self.deck,
            **{f"sold.{name}": sold for name, sold in zip(CARD_NAMES, self.sold, strict=False)},
            "first": self.first,
        }
        return [path for path, value in fields.items() if value is None]

    def to_dict(self) -> dict[str, Any]:
        """Every field under its name in documents, cards as counts by name, None for what is open."""
        return {
            "market": count_by_name(self.market),
            "me": {
                "hand": count_by_name(self.me.hand),
                "herd": self.me.herd,
                "rupees": self.me.rupees,
                "goods_tokens": self.me.goods_tokens,
                "bonus": list(self.me.bonus),
                "seals": self.me.seals,
            },
            "opponent": {
                "hand": self.opponent.hand,
                "seen": count_by_name(self.opponent.seen),
                "herd": self.opponent.herd,
                "rupees": self.opponent.rupees,
                "goods_tokens": self.opponent.goods_tokens,
                "bonus": list(self.opponent.bonus),
                "seals": self.opponent.seals,
            },
            "deck": self.deck,
            "tokens": dict(zip(CARD_NAMES, self.tokens, strict=False)),
            "sold": dict(zip(CARD_NAMES, self.sold, strict=False)),
            "bonus": {str(size): left for size, left in zip(TIER_SIZE, self.bonus, strict=True)},
            "first": self.first,
            "deck_end": self.deck_end,
        }

    def line(self) -> str:
        """The one-line position."""
        return encode_line(self.to_dict())

    def alternatives(self) -> "tuple[np.ndarray, np.ndarray]":
        """Every way to fill in the open counts, with the player to move as player 0.

        Returns the tables, uint64[n, STATE_WORDS], and their probabilities, float64[n], as `engine.beliefs` weighs
        them. The opponent's hidden cards and the values of his bonus tokens stay unknown within each table, and
        what he has seen of the mover's hand is not part of a position: it stays untold.
        """
        import numpy as np

        from engine.state import table

        me, opponent = self.me, self.opponent
        hidden = opponent.hand - sum(opponent.seen)
        unseen = unseen_cards(self.market, me.hand, me.herd, opponent.seen)
        counts = readings(unseen, hidden, self.tokens, self.sold, opponent.herd, self.deck, self.deck_end)
        ways = splits(self.tokens, me.rupees)
        held = range(len(ways)) if me.goods_tokens is None else (me.goods_tokens,)
        choices = [(one, k) for one, k in product(counts, held) if ways[k]]
        owned = [me.bonus.count(value) for value in BONUS_VALUES]
        my_tiers, their_tiers = tier_counts(value_tiers(me.bonus)), tier_counts(opponent.bonus)
        tables = [
            table(
                market=self.market,
                holds=((*me.hand, me.herd, 0), (*opponent.seen, one.herd, hidden)),
                knowns=(None, opponent.seen),
                unseen=(*(most - sold for most, sold in zip(unseen, one.sold, strict=False)), one.camels),
                tokens=self.tokens,
                owned=(owned, _NO_BONUS),
                scores=((*my_tiers, me.rupees, k), (*their_tiers, opponent.rupees, len(ways) - 1 - k)),
                deck_end=DECK_ENDS.index(self.deck_end),
            )
            for one, k in choices
        ]
        weights = np.array([one.weight * ways[k] for one, k in choices])
        return np.stack(tables), weights / weights.sum()


_NO_BONUS = (0,) * len(BONUS_VALUES)


def read_position(source: str | bytes | Mapping[str, Any]) -> Position:
    """A position from TOML, JSON or one-line text, or a table of fields; raises `PositionError` with every fault."""
    given, faults = read_fields(load(source))
    values = complete(given, faults)
    if faults:
        raise PositionError(faults)
    return Position(
        market=values["market"],
        me=Me(**{name: values[f"me.{name}"] for name in Me.__dataclass_fields__}),
        opponent=Opponent(**{name: values[f"opponent.{name}"] for name in Opponent.__dataclass_fields__}),
        deck=values["deck"],
        tokens=values["tokens"],
        sold=values["sold"],
        bonus=values["bonus"],
        first=values["first"],
        deck_end=values["deck_end"],
    )
