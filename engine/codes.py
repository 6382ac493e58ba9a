"""Move codes: one non-negative integer below 2**63 for every move of the rules.

A move takes cards from the market and gives cards away; the two counts by type say it all:

| move | taken | given |
|---|---|---|
| take one good | one of it | nothing |
| take the camels | one camel, however many lie there | nothing |
| sell | nothing | k of one good |
| exchange | k goods | k goods and camels |

Layout: one nibble a type, in the order of `engine.rules`; taken from bit 0, given from bit 32.
"""

from collections.abc import Sequence

from engine.rules import TYPES

NIBBLE = 4
"""Bits a type."""
NIBBLE_MASK = (1 << NIBBLE) - 1
GIVEN_SHIFT = 32
"""First bit of the given cards."""

Counts = tuple[int, ...]
"""Seven counts of cards, by type."""


def encode(taken: Sequence[int], given: Sequence[int]) -> int:
    """The code of the move that takes and gives these cards: counts by type (7), each 0 to 15."""
    return _pack(taken) | _pack(given) << GIVEN_SHIFT


def decode(code: int) -> tuple[Counts, Counts]:
    """The cards taken and the cards given, as counts by type (7 each): the inverse of `encode`."""
    return _unpack(code), _unpack(code >> GIVEN_SHIFT)


def _pack(counts: Sequence[int]) -> int:
    return sum(int(count) << NIBBLE * kind for kind, count in enumerate(counts))


def _unpack(bits: int) -> Counts:
    return tuple(bits >> NIBBLE * kind & NIBBLE_MASK for kind in range(TYPES))
