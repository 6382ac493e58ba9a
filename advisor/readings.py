"""The unknown counts of a position: deck, opponent's herd and sold cards, solved from the 55 cards.

What is left out of them is worked out where one answer fits, and weighed where several do (`engine.beliefs`).
"""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from engine.beliefs import deck_prior, herd_weight
from engine.rules import TOKENS

SoldGiven = Sequence[int | None]
"""Sold cards by good, None where it is open."""


class Reading(NamedTuple):
    """One way to fill in the unknown counts; `weight` is relative, camels are those left in the deck."""

    sold: tuple[int, ...]
    herd: int
    deck: int
    camels: int
    weight: float


def readings(
    unseen: Sequence[int],
    hidden: int,
    tokens: Sequence[int],
    sold: SoldGiven,
    herd: int | None,
    deck: int | None,
    deck_end: str,
) -> list[Reading]:
    """Every way to fill in `sold`, the opponent's `herd` and `deck` where they are None.

    unseen: by type, the cards that are neither in the market nor with a player (before the opponent's herd and the
    sold ones); hidden: unknown goods cards in the opponent's hand; tokens: goods tokens left. Returns none where
    the cards do not add up. Readings that shuffling cannot bring about, or in which the deck has ended the round
    (`deck_end`), count only where there are no others.
    """
    *goods, camels = unseen
    piles = [sold_options(left, pile, most) for left, pile, most in zip(tokens, TOKENS, goods, strict=True)]
    choices = [options if given is None else (given,) for options, given in zip(piles, sold, strict=True)]
    herds = range(camels + 1) if herd is None else (herd,)
    found = [
        _reading(cards_sold, theirs, camels - theirs, sum(goods) - sum(cards_sold) - hidden)
        for cards_sold in product(*choices)
        for theirs in herds
    ]
    found = [one for one in found if 0 <= one.camels <= one.deck and deck in (None, one.deck)]
    likely = [one for one in found if one.weight > 0 and (one.deck or deck_end == "refill")]
    return likely or [one._replace(weight=1.0) for one in found]


def sold_options(left: int, pile: Sequence[int], most: int) -> tuple[int, ...]:
    """Numbers of cards of a good that may have been sold, at most `most`, when `left` tokens of its pile are left.

    As many as tokens are missing; once the pile is empty, one more is possible.
    """
    missing = len(pile) - left
    return tuple(range(missing, min(most, missing + (left == 0)) + 1))


def _reading(sold: tuple[int, ...], herd: int, camels: int, goods: int) -> Reading:
    """The reading whose deck holds `camels` camels and `goods` goods, of no weight where these are negative."""
    deck = camels + goods
    weight = herd_weight(deck, camels) * deck_prior(deck) if min(camels, goods) >= 0 else 0.0
    return Reading(sold, herd, deck, camels, weight)
