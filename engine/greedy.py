"""The greedy player: the reference opponent, and a first opinion of every move.

The greedy score of a move is the rupees gained at once + 0.7 x the worth of the hand afterwards + the own herd
afterwards. Here it is counted in tenths of a rupee, so that it is an integer and ties are exact. Only the mover's own
hand and herd, the market and the tokens matter: the score is the same in a world and in an information set.
"""

import numpy as np
from numba import njit

from engine import rules
from engine.lanes import CAMEL_LANE, U, lane, lane_of, one, pack, total
from engine.moves import legal_moves
from engine.state import HOLD, MARKET, SCORE, TOKENS, given_of, sale_rupees, spread, taken_of, turn_of

_LARGEST_TIER = rules.TIER_SIZE[-1]
_FIRST_TIER = rules.TIER_SIZE[0]
_BONUS_TOKENS = pack([0] * _FIRST_TIER + [len(values) for values in rules.BONUS])
_TIER_LANES = U(0x0000FFFFFF000000)
"""Bonus tokens by tier are counted in lanes 3, 4 and 5: the lane is the number of cards sold, 5 for more."""

_EXPECTED = np.array([0, 0, 0, 2, 5, 9], np.int64)
"""Rupees that a bonus token is taken to bring, by the number of cards sold, 5 for more."""

_GAINED, _KEPT, _CAMEL = 10, 7, 10
"""Tenths: of a rupee gained at once, of a rupee's worth in the hand, of a camel; and in a whole rupee."""

_SPELLING = np.array([2, 4, 6, 1, 7, 5, 0], np.int64)
_FOR = 3
"""Alphabetical order of the words of a move: camel, cloth, diamond, for, gold, leather, silver, spice."""
_WORD_BITS = 3
_SELL, _TAKE = 1 << 33, 2 << 33
"""Kinds of moves after the exchanges, which are spelled with eleven words of three bits at most."""


@njit(cache=True, nogil=True)
def _gain(good, count, tokens, bonus):
    """Expected rupees for `count` cards of `good`, given the tokens left and the bonus tokens left (`_TIER_LANES`)."""
    tier = min(count, _LARGEST_TIER)
    extra = _EXPECTED[tier] if lane(bonus, tier) else 0
    return sale_rupees(good, lane(tokens, good), count) + extra


@njit(cache=True, nogil=True)
def greedy_tenths(state, move):
    """Greedy score of a legal move (uint64) in tenths of a rupee, int64."""
    player = turn_of(state)
    taken = spread(taken_of(move))
    given = spread(given_of(move))
    if taken & CAMEL_LANE:
        taken = state[MARKET] & CAMEL_LANE
    hold = state[HOLD + player] + taken - given
    tokens = state[TOKENS]
    bonus = _BONUS_TOKENS - (((state[SCORE] + state[SCORE + 1]) << U(8 * _FIRST_TIER)) & _TIER_LANES)
    gained = 0
    if taken == U(0):
        good = lane_of(given, 0)
        count = total(given)
        gained = _gain(good, count, tokens, bonus)
        tokens -= one(good) * U(min(count, lane(tokens, good)))
        tier = min(count, _LARGEST_TIER)
        if lane(bonus, tier):
            bonus -= one(tier)
    kept = 0
    for good in range(rules.GOODS):
        kept += _gain(good, lane(hold, good), tokens, bonus)
    return _GAINED * gained + _KEPT * kept + _CAMEL * lane(hold, rules.CAMEL)


@njit(cache=True, nogil=True)
def _spelled(key, cards):
    """`key` with the words of the cards appended, in canonical order."""
    for kind in range(rules.TYPES):
        for _ in range(lane(cards, kind)):
            key = (key << _WORD_BITS) | _SPELLING[kind]
    return key


@njit(cache=True, nogil=True)
def text_order(move):
    """Key of a move (uint64) that sorts moves as their canonical texts sort, int64."""
    taken = spread(taken_of(move))
    given = spread(given_of(move))
    if given == U(0):
        return _TAKE + _SPELLING[lane_of(taken, 0)]
    if taken == U(0):
        return _SELL + _spelled(total(given), one(lane_of(given, 0)))
    key = _spelled((_spelled(np.int64(0), taken) << _WORD_BITS) | _FOR, given)
    return key << (2 * _WORD_BITS * (rules.MAX_EXCHANGE - total(taken)))


@njit(cache=True, nogil=True)
def greedy_move(state, tables, moves):
    """The legal move with the largest greedy score; of equal ones, the first by its text. 0 when the round is over.

    state: uint64[STATE_WORDS], the mover without hidden cards; tables: `moves.subsets()`; moves: uint64[MAX_MOVES],
    overwritten with the legal moves.
    """
    best = U(0)
    most = np.int64(-1)
    for i in range(legal_moves(state, tables, moves)):
        score = greedy_tenths(state, moves[i])
        if score > most or (score == most and text_order(moves[i]) < text_order(best)):
            best = moves[i]
            most = score
    return best
