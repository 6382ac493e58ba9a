"""What the mover knows, and worlds that fit it.

An information set is a table (see `engine.state`) with the mover as player 0: the opponent's hidden cards are counted
but lie among the unseen, his bonus tokens lie face down. `determinise` fills it up to a world by drawing. It reads
nothing but the information set, so no answer can depend on the hidden truth.
"""

from numba import njit

from engine import rules
from engine.beliefs import FULL_DECK
from engine.hands import draw_hand
from engine.lanes import GOODS_LANES, U, lane, one, total
from engine.state import (
    BONUS,
    DECK,
    HIDDEN,
    HOLD,
    INFO,
    KNOWN,
    OWNED,
    SCORE,
    TURN,
    UNTOLD,
    copy_state,
    deck_size,
    draw_bonus,
    take_bonus,
)
from engine.streams import uniform

_SUM_LANES = U(0x0000FFFFFF000000)

SEEN_AT_LAST = 0.96
"""Share of a hand that the other player has seen when the deck is empty.

Measured in self-play, with decks of 37, 32, 27, 22, 17, 12, 7 and 2 cards: 17, 47, 69, 80, 86, 91, 94 and 96 %.
The curve of `_draw_seen` passes within 3 points of all of them.
"""


@njit(cache=True, nogil=True)
def information_set(world, player, info):
    """Write into `info` (uint64[STATE_WORDS]) what `player` knows of `world`, as player 0."""
    other = 1 - player
    copy_state(info, world)
    hidden = (world[HOLD + other] & GOODS_LANES) - world[KNOWN + other]
    info[HOLD] = world[HOLD + player]
    info[HOLD + 1] = world[HOLD + other] - hidden + one(HIDDEN) * U(total(hidden))
    info[KNOWN] = world[KNOWN + player]
    info[KNOWN + 1] = world[KNOWN + other]
    info[DECK] = world[DECK] + hidden
    info[SCORE] = world[SCORE + player]
    info[SCORE + 1] = world[SCORE + other] & ~_SUM_LANES
    info[OWNED] = world[OWNED + player]
    info[OWNED + 1] = U(0)
    info[BONUS] = world[BONUS] + world[OWNED + other]
    info[INFO] = world[INFO] ^ (one(TURN) * U(player))


@njit(cache=True, nogil=True)
def drawn_reading(cumulative, stream):
    """Index of a random reading of a position; cumulative: float64[r], the added-up probabilities."""
    point = uniform(stream) * cumulative[-1]
    reading = 0
    while cumulative[reading] <= point:
        reading += 1
    return reading


@njit(cache=True, nogil=True)
def _draw_seen(hand, deck, stream):
    """Cards of the mover's hand that the opponent has seen, where the position does not tell: each with a chance that
    grows as the deck shrinks."""
    chance = SEEN_AT_LAST * (1.0 - (deck / FULL_DECK) ** 3)
    seen = U(0)
    for good in range(rules.GOODS):
        for _ in range(lane(hand, good)):
            seen += one(good) * U(uniform(stream) < chance)
    return seen


@njit(cache=True, nogil=True)
def determinise_cards(info, chances, stream, world):
    """Draw the opponent's hidden cards into `world`, a copy of `info`; chances: float64[GOODS, AXIS, AXIS] of
    `hands.chances_of`.

    What the opponent has seen of the mover's hand is drawn too where the position leaves it untold.
    """
    copy_state(world, info)
    if lane(info[INFO], UNTOLD):
        world[KNOWN] = _draw_seen(info[HOLD] & GOODS_LANES, deck_size(info), stream)
        world[INFO] -= one(UNTOLD)
    hidden = lane(info[HOLD + 1], HIDDEN)
    cards = draw_hand(chances, hidden, stream)
    world[HOLD + 1] += cards - one(HIDDEN) * U(hidden)
    world[DECK] -= cards


@njit(cache=True, nogil=True)
def determinise(info, chances, stream, world):
    """Draw a full world that fits `info`: the opponent's hidden cards, and the values of his bonus tokens."""
    determinise_cards(info, chances, stream, world)
    for tier in range(rules.TIERS):
        for _ in range(lane(info[SCORE + 1], tier)):
            take_bonus(world, 1, draw_bonus(world[BONUS], tier, stream))
