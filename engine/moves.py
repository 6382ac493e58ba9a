"""Legal moves: the complete list, and one of them uniformly at random without listing.

A move is a code of `engine.codes`: 4-bit counts by type, taken cards in the low and given cards in the high
32 bits. Exchanges come from tables: the goods of a market (at most 5) and of a hand (at most 7) have a rank
among all multisets of at most seven goods, and for each rank the table lists its sub-multisets by size.
"""

from math import comb
from typing import NamedTuple

import numpy as np
from numba import njit

from engine import rules
from engine.lanes import CAMEL_LANE, GOODS_LANES, HIGH, ONES, U, before, lane, lane_of, less, occupied, pack, total
from engine.state import HOLD, MARKET, hand_size, over_of, taken_of, turn_of
from engine.streams import below

MAX_MOVES = 168
"""Size of a buffer for the legal moves of any position: there are at most 167, and the list writes one place ahead."""

_SALE_FLOOR = pack([fewest - 1 for fewest in rules.MIN_SALE])
FEWEST = np.array(rules.MIN_SALE, np.int64)
"""Smallest sale of each good."""
_RANK = np.array([[comb(p + i, i + 1) for p in range(rules.HAND_LIMIT + 1)] for i in range(rules.GOODS)], np.int64)
CAMEL_BIT = 4 * rules.CAMEL
"""First bit of the camels in 4-bit counts."""


class Subsets(NamedTuple):
    """Sub-multisets of every multiset of at most seven goods.

    start: int64[1716, 7], those of k goods (0 to 5) of a rank stand at start[rank, k] to start[rank, k + 1];
    entries: uint64[n], code in the low 32 bits and a bit for each type in it from bit 32 on;
    parent, last, copies: int64[n], the sub-multiset without its last type, counted from start[rank, 0]; that type; how
    many of it.
    """

    start: np.ndarray
    entries: np.ndarray
    parent: np.ndarray
    last: np.ndarray
    copies: np.ndarray


def subsets():
    """Build the tables of `Subsets`, some 50,000 entries, in a few milliseconds."""
    counts = np.indices((rules.HAND_LIMIT + 1,) * rules.GOODS).reshape(rules.GOODS, -1).T
    counts = counts[counts.sum(axis=1) <= rules.HAND_LIMIT]
    prefix = counts.cumsum(axis=1)
    counts = counts[np.argsort(sum(_RANK[i][prefix[:, i]] for i in range(rules.GOODS)))]
    size = counts.sum(axis=1)
    small = counts[size <= rules.MAX_EXCHANGE]
    bits = np.arange(rules.GOODS)
    lanes, small_lanes = ((some << (8 * bits)).sum(axis=1).astype(np.uint64) for some in (counts, small))
    whole, part = np.nonzero(((lanes[:, None] | HIGH) - small_lanes) & HIGH == HIGH)
    codes = (small << (4 * bits)).sum(axis=1) | ((small > 0) << (32 + bits)).sum(axis=1)
    keys = whole * (rules.MAX_EXCHANGE + 1) + size[part]
    wanted = np.arange(len(counts) * (rules.MAX_EXCHANGE + 1) + 1)
    starts = np.searchsorted(keys, wanted)
    rows = np.arange(len(counts))[:, None] * (rules.MAX_EXCHANGE + 1) + np.arange(rules.MAX_EXCHANGE + 2)
    start = starts[rows]
    last = np.where(small > 0, bits, 0).max(axis=1)
    without = small.copy()
    without[np.arange(len(small)), last] = 0
    rank_of = {code: i for i, code in enumerate((small << (4 * bits)).sum(axis=1).tolist())}
    parent_part = np.array([rank_of[code] for code in (without << (4 * bits)).sum(axis=1).tolist()])
    place = whole * len(small) + part
    parent = np.searchsorted(place, whole * len(small) + parent_part[part]) - start[whole, 0]
    copies = small[np.arange(len(small)), last]
    return Subsets(start, codes[part].astype(np.uint64), parent, last[part], copies[part])


@njit(cache=True, nogil=True, forceinline=True)
def rank(goods):
    """Rank of a multiset of at most seven goods (a word): sums of binomials of its prefix sums."""
    prefix = goods * ONES
    index = np.int64(0)
    for i in range(rules.GOODS):
        index += _RANK[i, lane(prefix, i)]
    return index


@njit(cache=True, nogil=True, forceinline=True)
def givable_camels(state, player):
    """Camels of the herd that one exchange may bring into hand places."""
    return min(lane(state[HOLD + player], rules.CAMEL), rules.HAND_LIMIT - hand_size(state, player))


@njit(cache=True, nogil=True)
def legal_moves(state, tables, moves):
    """List the legal moves, none twice.

    state: uint64[STATE_WORDS], the mover without hidden cards; tables: `subsets()`; moves: uint64[MAX_MOVES],
    filled. Returns their number, 0 when the round is over.
    """
    if over_of(state):
        return 0
    player = turn_of(state)
    market = state[MARKET]
    hand = state[HOLD + player] & GOODS_LANES
    n = 0
    if total(hand) < rules.HAND_LIMIT:
        for good in range(rules.GOODS):
            if lane(market, good):
                moves[n] = U(1) << U(4 * good)
                n += 1
    if market & CAMEL_LANE:
        moves[n] = U(1) << U(CAMEL_BIT)
        n += 1
    for good in range(rules.GOODS):
        for count in range(FEWEST[good], lane(hand, good) + 1):
            moves[n] = U(count) << U(32 + 4 * good)
            n += 1
    return _exchanges(market & GOODS_LANES, hand, givable_camels(state, player), tables, moves, n)


@njit(cache=True, nogil=True)
def _exchanges(market, hand, camels, tables, moves, n):
    """Append the exchanges; `market` and `hand` are words of goods. Returns the new number of moves."""
    takes = tables.start[rank(market)]
    gives = tables.start[rank(hand)]
    for size in range(rules.MIN_EXCHANGE, min(total(market), rules.MAX_EXCHANGE) + 1):
        for given_camels in range(min(camels, size) + 1):
            camel_code = U(given_camels) << U(CAMEL_BIT)
            for g in range(gives[size - given_camels], gives[size - given_camels + 1]):
                given = tables.entries[g]
                high = (given + camel_code) << U(32)
                for t in range(takes[size], takes[size + 1]):
                    taken = tables.entries[t]
                    moves[n] = high | (taken_of(taken))
                    n += ((taken & given) >> U(32)) == U(0)
    return n


@njit(cache=True, nogil=True, forceinline=True)
def _pairs(start, takes, gives, size, camels):
    """Pairs of `size` goods taken and as many goods and camels given, those with a common type included."""
    given = start[gives, size + 1] - start[gives, size - min(camels, size)]
    return (start[takes, size + 1] - start[takes, size]) * given


@njit(cache=True, nogil=True, forceinline=True)
def random_move(state, tables, stream):
    """One legal move of a round that goes on, all equally likely (as far as `below` is uniform).

    A kind is chosen by the number of its moves, pairs of goods taken and given counted whether they share a type
    or not; where they do, the whole choice is made again, which leaves all legal moves equally likely.
    """
    player = turn_of(state)
    market = state[MARKET]
    goods = market & GOODS_LANES
    hand = state[HOLD + player] & GOODS_LANES
    takable = occupied(goods) if total(hand) < rules.HAND_LIMIT else U(0)
    takable |= occupied(market & CAMEL_LANE)
    salable = less(hand, _SALE_FLOOR)
    n_takes = total(takable)
    n_simple = n_takes + total(salable)
    start, takes, gives = tables.start, rank(goods), rank(hand)
    camels = givable_camels(state, player)
    # Sizes MIN_EXCHANGE to MAX_EXCHANGE written out: a loop of varying length cost a tenth of the time. A size that the
    # market has not got counts 0.
    pairs_2 = _pairs(start, takes, gives, 2, camels)
    pairs_3 = pairs_2 + _pairs(start, takes, gives, 3, camels)
    pairs_4 = pairs_3 + _pairs(start, takes, gives, 4, camels)
    n_moves = n_simple + pairs_4 + _pairs(start, takes, gives, 5, camels)
    while True:
        index = below(stream, n_moves)
        if index < n_takes:
            return U(1) << U(4 * lane_of(takable, index))
        index -= n_takes
        if index < n_simple - n_takes:
            good = lane_of(salable, index)
            return U(FEWEST[good] + index - before(salable, good)) << U(32 + 4 * good)
        index -= n_simple - n_takes
        size = 2 + (index >= pairs_2) + (index >= pairs_3) + (index >= pairs_4)
        index -= pairs_4 if size == 5 else pairs_3 if size == 4 else pairs_2 if size == 3 else 0
        first = start[gives, size - min(camels, size)]
        n_gives = start[gives, size + 1] - first
        nth_take = np.int64(U(index) // U(n_gives))
        given_index = first + index - nth_take * n_gives
        given = tables.entries[given_index]
        taken = tables.entries[start[takes, size] + nth_take]
        if (taken & given) >> U(32):
            continue
        given_camels = 0
        while given_index < start[gives, size - given_camels]:
            given_camels += 1
        return ((given + (U(given_camels) << U(CAMEL_BIT))) << U(32)) | (taken_of(taken))
