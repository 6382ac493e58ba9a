"""One table, packed into thirteen 64-bit words (104 bytes) that copy by value.

The same layout serves three purposes. In a *world* everything is known. In an *information set*
(mover = player 0) the opponent's hidden cards are only counted, in lane 7 of his hand, and `DECK` holds
all unseen cards; the opponent's bonus tokens lie face down, and `BONUS` holds all unseen ones. A table of a partly
known *record* may have hidden cards and tokens on either side. So in every case: deck size = total(DECK) - lane 7
of both hands, and a player's tokens of a tier in SCORE less those in OWNED lie face down.

| word | lanes |
|---|---|
| MARKET | the market by type |
| HOLD + p | 0-5 goods in the hand of player p, 6 herd, 7 hidden cards in the hand |
| KNOWN + p | goods in the hand of p that the other player has seen |
| DECK | unseen cards by type |
| TOKENS | goods tokens left by good |
| BONUS | unseen bonus tokens: nine 4-bit counts, in the order of `rules.BONUS_VALUES` |
| SCORE + p | 0-2 bonus tokens by tier, 3-5 rupees on those face up by tier, 6 rupees on goods tokens, 7 goods tokens |
| OWNED + p | bonus tokens face up, nine 4-bit counts like BONUS |
| INFO | 0 turn, 1 deck_end rule, 2 how the round ended (0: it goes on), 3 exchanges in a row, 4 KNOWN + 0 is untold |
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from engine import rules
from engine.lanes import (
    CAMEL_LANE,
    GOODS_LANES,
    U,
    lane,
    lane_of,
    less,
    occupied,
    one,
    pack,
    total,
    unpack,
)
from engine.streams import below

MARKET = 0
HOLD = 1
KNOWN = 3
DECK = 5
TOKENS = 6
BONUS = 7
SCORE = 8
OWNED = 10
INFO = 12
STATE_WORDS = 13

TURN, DECK_END, OVER, EXCHANGES, UNTOLD = range(5)
"""Lanes of INFO."""

RUPEES = 6
TOKENS_WON = 7
"""Lanes of SCORE beside the three bonus counts and the three bonus sums."""

HIDDEN = 7
"""Lane of a hand that counts its hidden cards."""

GOES_ON, OVER_PILES, OVER_DECK = range(3)

FULL_BONUS = U(sum(count << (4 * i) for i, count in enumerate(rules.BONUS_COUNTS)))
"""All 18 bonus tokens, in BONUS's form."""
_CARDS = pack(rules.CARDS)
_PILES = pack([len(pile) for pile in rules.TOKENS])
_TIER_TOKENS = np.array([len(values) for values in rules.BONUS], np.int64)
_BONUS_VALUES = np.array(rules.BONUS_VALUES, np.int64)
_NIBBLE_SPREAD = U(0x0F0F0F0F0F0F0F0F)

_BOTTOM = np.zeros((rules.GOODS, 10), np.int64)
"""[good, n]: value of the n tokens at the bottom of the pile, so of those left when n are left."""
for _good, _pile in enumerate(rules.TOKENS):
    for _n in range(len(_pile) + 1):
        _BOTTOM[_good, _n] = sum(_pile[len(_pile) - _n :])


class State(NamedTuple):
    """A table as plain tuples; see the module's docstring for the meaning of the lanes."""

    market: tuple[int, ...]
    holds: tuple[tuple[int, ...], tuple[int, ...]]
    knowns: tuple[tuple[int, ...], tuple[int, ...]]
    unseen: tuple[int, ...]
    tokens: tuple[int, ...]
    bonus: tuple[int, ...]
    owned: tuple[tuple[int, ...], tuple[int, ...]]
    scores: tuple[tuple[int, ...], tuple[int, ...]]
    turn: int
    deck_end: int
    over: int


def table(market, holds, knowns, unseen, tokens, owned, scores, turn=0, deck_end=0):
    """Pack a table.

    market: 7 counts; holds: 2 x 8 (six goods, herd, hidden cards); knowns: 2 x 6, None for player 0 where it is untold;
    unseen: 7; tokens: 6; owned: 2 x 9, bonus tokens whose value is known, by `rules.BONUS_VALUES`; scores: 2 x 5 (bonus
    tokens by tier, face down or not; rupees on goods tokens; goods tokens). Returns uint64[STATE_WORDS], the end of the
    round worked out.
    """
    state = np.empty(STATE_WORDS, np.uint64)
    state[MARKET] = pack(market)
    state[DECK] = pack(unseen)
    state[TOKENS] = pack(tokens)
    state[BONUS] = FULL_BONUS
    for player in range(rules.PLAYERS):
        state[HOLD + player] = pack(holds[player])
        state[KNOWN + player] = pack(knowns[player] or ())
        state[OWNED + player] = _pack_bonus(owned[player])
        state[BONUS] -= state[OWNED + player]
        counts, goods = scores[player][: rules.TIERS], scores[player][rules.TIERS :]
        state[SCORE + player] = pack((*counts, *_bonus_sums(owned[player]), *goods))
    over = GOES_ON
    if sum(1 for left in tokens if left == 0) >= rules.PILES_TO_END:
        over = OVER_PILES
    elif deck_end == rules.DECK_END_EMPTY and sum(unseen) == holds[0][HIDDEN] + holds[1][HIDDEN]:
        over = OVER_DECK
    state[INFO] = pack((turn, deck_end, over, 0, knowns[0] is None))
    return state


def _pack_bonus(counts):
    return U(sum(int(count) << (4 * i) for i, count in enumerate(counts)))


def _unpack_bonus(word):
    return tuple(int(word) >> (4 * i) & 0xF for i in range(len(rules.BONUS_VALUES)))


def _bonus_sums(counts):
    worth = [count * value for count, value in zip(counts, rules.BONUS_VALUES, strict=True)]
    return tuple(sum(worth[3 * tier : 3 * tier + 3]) for tier in range(rules.TIERS))


def read(state):
    """Unpack uint64[STATE_WORDS] into a `State`."""
    turn, deck_end, over = unpack(state[INFO], 3)
    return State(
        market=unpack(state[MARKET], rules.TYPES),
        holds=(unpack(state[HOLD]), unpack(state[HOLD + 1])),
        knowns=(unpack(state[KNOWN], rules.GOODS), unpack(state[KNOWN + 1], rules.GOODS)),
        unseen=unpack(state[DECK], rules.TYPES),
        tokens=unpack(state[TOKENS], rules.GOODS),
        bonus=_unpack_bonus(state[BONUS]),
        owned=(_unpack_bonus(state[OWNED]), _unpack_bonus(state[OWNED + 1])),
        scores=(unpack(state[SCORE]), unpack(state[SCORE + 1])),
        turn=turn,
        deck_end=deck_end,
        over=over,
    )


@njit(cache=True, nogil=True)
def copy_state(state, source):
    """Make `state` a copy of `source`. (Assigning whole arrays compiles numba's error messages along, for a second.)"""
    for i in range(STATE_WORDS):
        state[i] = source[i]


@njit(cache=True, nogil=True)
def turn_of(state):
    """Player to move, 0 or 1."""
    return lane(state[INFO], TURN)


@njit(cache=True, nogil=True)
def over_of(state):
    """GOES_ON, OVER_PILES or OVER_DECK."""
    return lane(state[INFO], OVER)


@njit(cache=True, nogil=True)
def end_round(state, how):
    """Mark the round as ended by OVER_PILES or OVER_DECK."""
    state[INFO] += one(OVER) * U(how)


@njit(cache=True, nogil=True)
def deck_size(state):
    """Cards left in the deck."""
    return total(state[DECK]) - lane(state[HOLD], HIDDEN) - lane(state[HOLD + 1], HIDDEN)


@njit(cache=True, nogil=True)
def hand_size(state, player):
    """Goods cards in the hand, hidden ones included."""
    return total(state[HOLD + player] & ~CAMEL_LANE)


@njit(cache=True, nogil=True)
def vacancies(state):
    """Places of the market that wait for a card."""
    return rules.MARKET_SIZE - total(state[MARKET])


@njit(cache=True, nogil=True)
def empty_piles(state):
    """Goods token piles that are empty."""
    return rules.GOODS - total(occupied(state[TOKENS]))


@njit(cache=True, nogil=True)
def bonus_left(state, tier):
    """Bonus tokens of a tier that nobody holds."""
    return _TIER_TOKENS[tier] - lane(state[SCORE], tier) - lane(state[SCORE + 1], tier)


@njit(cache=True, nogil=True)
def spread(nibbles):
    """Eight 4-bit counts (low 32 bits) as eight byte lanes."""
    word = (nibbles | (nibbles << U(16))) & U(0x0000FFFF0000FFFF)
    word = (word | (word << U(8))) & U(0x00FF00FF00FF00FF)
    return (word | (word << U(4))) & _NIBBLE_SPREAD


@njit(cache=True, nogil=True)
def taken_of(move):
    """4-bit counts of the cards that a move takes."""
    return move & U(0xFFFFFFFF)


@njit(cache=True, nogil=True)
def given_of(move):
    """4-bit counts of the cards that a move gives."""
    return move >> U(32)


@njit(cache=True, nogil=True)
def tier_of(count):
    """Tier of the bonus token for a sale of `count` cards, negative where there is none."""
    return min(count, 5) - 3


@njit(cache=True, nogil=True)
def sale_rupees(good, left, count):
    """Rupees of the goods tokens for `count` cards when `left` tokens are left."""
    return _BOTTOM[good, left] - _BOTTOM[good, left - min(left, count)]


@njit(cache=True, nogil=True)
def _sell(state, player, given):
    """Sell the cards of `given`; the tier of the bonus token earned and left, or -1."""
    good = lane_of(given, 0)
    count = total(given)
    left = lane(state[TOKENS], good)
    taken = min(count, left)
    state[TOKENS] -= one(good) * U(taken)
    state[SCORE + player] += one(RUPEES) * U(sale_rupees(good, left, count)) + one(TOKENS_WON) * U(taken)
    if taken > 0 and taken == left and empty_piles(state) >= rules.PILES_TO_END:
        end_round(state, OVER_PILES)
    tier = tier_of(count)
    if tier < 0 or bonus_left(state, tier) == 0:
        return -1
    state[SCORE + player] += one(tier)
    return tier


@njit(cache=True, nogil=True)
def play(state, move):
    """Make a legal move, up to the afterstate: no card is drawn and the bonus token stays face down.

    state: uint64[STATE_WORDS], changed in place; move: code of `engine.codes`, uint64. Hidden cards are given
    only after `reveal`. Returns the tier of the bonus token earned, or -1.
    """
    player = turn_of(state)
    taken = spread(taken_of(move))
    given = spread(given_of(move))
    if taken & CAMEL_LANE:
        taken = state[MARKET] & CAMEL_LANE
    state[HOLD + player] += taken - given
    state[KNOWN + player] = less(state[KNOWN + player], given) + (taken & GOODS_LANES)
    exchanges = one(EXCHANGES) * U(lane(state[INFO], EXCHANGES))
    if taken == U(0):
        state[INFO] -= exchanges
        return _sell(state, player, given)
    state[MARKET] += given - taken
    if given == U(0):
        state[INFO] -= exchanges
    elif exchanges < one(EXCHANGES) * U(255):
        state[INFO] += one(EXCHANGES)
    return -1


@njit(cache=True, nogil=True)
def take_bonus(state, player, value):
    """Turn up a bonus token of `player`: `value` is an index of `rules.BONUS_VALUES`."""
    token = U(1) << U(4 * value)
    state[BONUS] -= token
    state[OWNED + player] += token
    state[SCORE + player] += one(3 + value // 3) * U(_BONUS_VALUES[value])


@njit(cache=True, nogil=True)
def refill(state, cards):
    """Lay `cards` (a word, no more than there are vacancies) from the deck into the market; perhaps end the round.

    With fewer cards than vacancies the deck must be exhausted by them.
    """
    state[MARKET] += cards
    state[DECK] -= cards
    drawn_out = cards and deck_size(state) == 0 and lane(state[INFO], DECK_END) == rules.DECK_END_EMPTY
    if vacancies(state) > 0 or drawn_out:
        end_round(state, OVER_DECK)


@njit(cache=True, nogil=True)
def pass_turn(state):
    """The other player is to move."""
    state[INFO] ^= one(TURN)


@njit(cache=True, nogil=True)
def reveal(state, player, cards):
    """Turn hidden cards of a hand into known ones until it holds `cards` (a word of goods).

    Returns False, and changes nothing, where the hand has too few hidden cards or they are not unseen.
    """
    missing = less(cards & GOODS_LANES, state[HOLD + player] & GOODS_LANES)
    count = total(missing)
    if count > lane(state[HOLD + player], HIDDEN) or less(missing, state[DECK]):
        return False
    state[HOLD + player] += missing - one(HIDDEN) * U(count)
    state[DECK] -= missing
    return True


@njit(cache=True, nogil=True)
def draw(word, stream):
    """A random card of a word, as a word."""
    return one(lane_of(word, below(stream, total(word))))


@njit(cache=True, nogil=True)
def draw_bonus(bonus, tier, stream):
    """A random unseen bonus token of a tier: index of `rules.BONUS_VALUES`."""
    counts = bonus >> U(12 * tier)
    low = np.int64(counts & U(15))
    middle = np.int64((counts >> U(4)) & U(15))
    high = np.int64((counts >> U(8)) & U(15))
    index = below(stream, low + middle + high)
    return 3 * tier + (index >= low) + (index >= low + middle)


@njit(cache=True, nogil=True)
def draw_refill(state, stream):
    """Cards drawn at random from the deck of a world for all vacancies, as far as it reaches, as a word."""
    deck = state[DECK]
    count = vacancies(state)
    if total(deck) <= count:
        return deck
    cards = U(0)
    for _ in range(count):
        card = draw(deck, stream)
        deck -= card
        cards += card
    return cards


@njit(cache=True, nogil=True)
def complete_turn(state, tier, stream):
    """After `play` returned `tier` in a world: draw the bonus token, refill the market, pass the turn."""
    if tier >= 0:
        take_bonus(state, turn_of(state), draw_bonus(state[BONUS], tier, stream))
    if vacancies(state) > 0:
        refill(state, draw_refill(state, stream))
    pass_turn(state)


@njit(cache=True, nogil=True)
def deal(state, first, deck_end, stream):
    """Deal a fresh round into `state`, player `first` to move."""
    for i in range(STATE_WORDS):
        state[i] = U(0)
    deck = _CARDS - one(rules.CAMEL) * U(rules.OPENING_CAMELS)
    for player in range(rules.PLAYERS):
        for _ in range(rules.DEALT):
            card = draw(deck, stream)
            deck -= card
            state[HOLD + player] += card
    state[DECK] = deck
    state[MARKET] = one(rules.CAMEL) * U(rules.OPENING_CAMELS)
    state[TOKENS] = _PILES
    state[BONUS] = FULL_BONUS
    state[INFO] = one(TURN) * U(first) + one(DECK_END) * U(deck_end)
    refill(state, draw_refill(state, stream))


@njit(cache=True, nogil=True)
def camel_token(state):
    """Player with strictly more camels, or -1."""
    mine = lane(state[HOLD], rules.CAMEL)
    other = lane(state[HOLD + 1], rules.CAMEL)
    if mine == other:
        return -1
    return 0 if mine > other else 1


@njit(cache=True, nogil=True)
def rupees(state, player):
    """Rupees on the goods and bonus tokens of a player, hidden bonus tokens left out; no camel token."""
    score = state[SCORE + player]
    return lane(score, 3) + lane(score, 4) + lane(score, 5) + lane(score, RUPEES)


@njit(cache=True, nogil=True)
def margin(state):
    """Rupees of player 0 less those of player 1 at the end of a round, the camel token included."""
    camels = camel_token(state)
    token = 0 if camels < 0 else rules.CAMEL_TOKEN * (1 - 2 * camels)
    return rupees(state, 0) - rupees(state, 1) + token


@njit(cache=True, nogil=True)
def tie_break(state):
    """Sign of player 0's claim to the seal at equal rupees: more bonus tokens, then more goods tokens, else 0."""
    bonus = total(state[SCORE] & U(0xFFFFFF)) - total(state[SCORE + 1] & U(0xFFFFFF))
    if bonus != 0:
        return 1 if bonus > 0 else -1
    goods = lane(state[SCORE], TOKENS_WON) - lane(state[SCORE + 1], TOKENS_WON)
    if goods != 0:
        return 1 if goods > 0 else -1
    return 0


@njit(cache=True, nogil=True)
def winner(state):
    """Who takes the seal of a finished round: 0, 1, or -1 for a draw."""
    difference = margin(state)
    if difference == 0:
        difference = tie_break(state)
    if difference == 0:
        return -1
    return 0 if difference > 0 else 1
