"""All legal moves of a position listed and evaluated together.

The hidden sums of the unmoved position are built once. What a move changes is added to them: an exchange that moves
j cards of a good between hand and market changes one folded row of that good, so that all exchanges share at most
twelve differences; camels, hand size and vacancies depend on the number of given camels alone.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from engine import features, rules
from engine.endings import WIDTH, finished_value
from engine.lanes import GOODS_LANES, U, lane, one, total
from engine.moves import CAMEL_BIT, FEWEST, MAX_MOVES, givable_camels, rank
from engine.network import GOOD_ROWS, HIDDEN_UNITS, MARGIN_UNIT, head_of, sigmoid
from engine.state import (
    DECK_END,
    HOLD,
    INFO,
    KNOWN,
    MARKET,
    OVER_DECK,
    STATE_WORDS,
    TOKENS,
    bonus_left,
    copy_state,
    deck_size,
    empty_piles,
    end_round,
    hand_size,
    over_of,
    play,
    sale_rupees,
    taken_of,
    tier_of,
    turn_of,
)

_REACH = rules.MAX_EXCHANGE
"""Most cards of a good that an exchange moves."""
_MARKET_SETS, _HAND_SETS = 32, 89
"""Most sub-multisets of five, and of at most seven goods, of up to five goods each."""

_ZERO, _BASE, _STILL, _UNSOLD, _GOOD_TAKEN, _CAMELS_TAKEN, _WITH_CAMELS, _SOLD = np.arange(8)
"""Rows of the scratch: zeros; sums of what no move changes; with what no take or exchange changes; with what few sales
change; with all but the goods after a good is taken, the camels are, camels are given in an exchange; then, one for
each sale, one for each difference of a good, one for each set taken, one for each set given, first without camels."""
_DELTA = _SOLD + rules.HAND_LIMIT
_TAKEN = _DELTA + rules.GOODS * (2 * _REACH + 1)
_GIVEN = _TAKEN + _MARKET_SETS
_GIVEN_WITH_CAMELS = _GIVEN + _HAND_SETS
_ROWS = _GIVEN_WITH_CAMELS + rules.MAX_EXCHANGE * _HAND_SETS

_NONE = np.int64(0)
"""A number, where a literal 0 would have a kernel compiled once more for it alone."""

_TWO, _HEAD, _ENDS = U(16), U(32), U(48)
"""First bits of a move's terms: it has the hidden sums of two rows, the first in the low bits; its head;
whether it ends the round."""
_ROW = U(0xFFFF)


class Scratch(NamedTuple):
    """Work space of `evaluate`.

    rows: float32[_ROWS, HIDDEN_UNITS]; terms: uint64[MAX_MOVES]; bonus: float64[2, WIDTH]; after: uint64[STATE_WORDS].
    """

    rows: np.ndarray
    terms: np.ndarray
    bonus: np.ndarray
    after: np.ndarray


def scratch():
    """A `Scratch`."""
    return Scratch(
        np.zeros((_ROWS, HIDDEN_UNITS), np.float32),
        np.zeros(MAX_MOVES, np.uint64),
        np.empty((2, WIDTH), np.float64),
        np.empty(STATE_WORDS, np.uint64),
    )


@njit(cache=True, nogil=True)
def ends_round(state, vacant):
    """Whether the round ends when `vacant` places of the market have to be filled."""
    deck = deck_size(state)
    return deck < vacant or (vacant > 0 and deck == vacant and lane(state[INFO], DECK_END) == rules.DECK_END_EMPTY)


# Rows are told by number, as views of them would cost more than a sum; and each loop adds up no more than LLVM cares to
# check for overlap (eight rows) before it vectorises the loop.


@njit(cache=True, nogil=True)
def _good_row(good, t, o, m, k):
    return GOOD_ROWS[good] + ((t * features.OWN_AXIS + o) * features.MARKET_AXIS + m) * features.KNOWN_AXIS + k


@njit(cache=True, nogil=True)
def _delta_row(good, j):
    """Row of the difference that j cards of a good make which go from the market to the hand (-_REACH to _REACH)."""
    return _DELTA + good * (2 * _REACH + 1) + _REACH + j


@njit(cache=True, nogil=True, fastmath=True)
def _set_base(state, player, network, rows):
    """Row _BASE: the goods as they lie, and what no move changes."""
    other = 1 - player
    unseen = features.unseen_cards(state, player)
    columns, goods = network.columns, network.good
    hidden = features.OTHER_HIDDEN + hand_size(state, other) - total(state[KNOWN + other])
    deck = features.DECK + features.known_deck(state)
    camels = features.unseen_column(rules.CAMEL, lane(unseen, rules.CAMEL))
    for i in range(HIDDEN_UNITS):
        rows[_BASE, i] = network.bias[i] + columns[hidden, i] + columns[deck, i] + columns[camels, i]
    for good in range(rules.GOODS):
        t = lane(state[TOKENS], good)
        o = lane(state[HOLD + player], good)
        row = _good_row(good, t, o, lane(state[MARKET], good), lane(state[KNOWN + other], good))
        pool = features.pool_column(good, t, lane(unseen, good), o)
        for i in range(HIDDEN_UNITS):
            rows[_BASE, i] += goods[row, i] + columns[pool, i]


@njit(cache=True, nogil=True, fastmath=True)
def _add_score(rows, target, columns, ahead, deck, empty, stage):
    """Add the columns of the score by the deck, and of how near the end is."""
    lower, weight = features.score_bin(ahead)
    lower += features.SCORE_DECK + features.phase(deck) * features.SCORE_BINS
    empty += features.EMPTY
    end = features.END + features.phase(deck) * features.STAGES + stage
    rest = np.float32(1.0) - weight
    for i in range(HIDDEN_UNITS):
        rows[target, i] += (
            rest * columns[lower, i] + weight * columns[lower + 1, i] + columns[empty, i] + columns[end, i]
        )


@njit(cache=True, nogil=True, fastmath=True)
def _add_camel_score(rows, target, columns, lead, ahead, stage):
    """Add the columns of the score by the lead in camels."""
    lower, weight = features.score_bin(ahead)
    lower += features.SCORE_CAMELS + (features.camel_lead(lead) * features.STAGES + stage) * features.SCORE_BINS
    rest = np.float32(1.0) - weight
    for i in range(HIDDEN_UNITS):
        rows[target, i] += rest * columns[lower, i] + weight * columns[lower + 1, i]


@njit(cache=True, nogil=True)
def _bonus_columns(state):
    """Columns of the bonus tokens left in each tier."""
    first, axis = features.BONUS, features.BONUS_AXIS
    return first + bonus_left(state, 0), first + axis + bonus_left(state, 1), first + 2 * axis + bonus_left(state, 2)


@njit(cache=True, nogil=True, fastmath=True)
def _set_still(state, network, rows, ahead, stage):
    """Row _STILL: what no take or exchange changes."""
    columns = network.columns
    small, middle, large = _bonus_columns(state)
    for i in range(HIDDEN_UNITS):
        rows[_STILL, i] = rows[_BASE, i] + columns[small, i] + columns[middle, i] + columns[large, i]
    _add_score(rows, _STILL, columns, ahead, features.known_deck(state), empty_piles(state), stage)


@njit(cache=True, nogil=True, fastmath=True)
def _set_context(state, player, network, rows, target, camels_taken, vacant, hand, ahead, stage):
    """Row `target`: row _STILL, and all but the goods after a take or an exchange.

    camels_taken: from the market to the herd, negative where they go the other way; vacant: places left in the market;
    hand: own hand size afterwards.
    """
    columns = network.columns
    herd = lane(state[HOLD + player], rules.CAMEL) + camels_taken
    other_herd = lane(state[HOLD + 1 - player], rules.CAMEL)
    camels = lane(state[MARKET], rules.CAMEL) - camels_taken
    herds = features.herds_column(herd, other_herd)
    tempo = features.tempo_column(hand, hand_size(state, 1 - player), camels)
    vacant += features.VACANT
    for i in range(HIDDEN_UNITS):
        rows[target, i] = rows[_STILL, i] + columns[herds, i] + columns[tempo, i] + columns[vacant, i]
    _add_camel_score(rows, target, columns, herd - other_herd, ahead, stage)


@njit(cache=True, nogil=True, fastmath=True)
def _set_deltas(state, player, network, rows):
    """The rows of `_delta_row`, as far as cards and places allow."""
    unseen = features.unseen_cards(state, player)
    columns, goods = network.columns, network.good
    for good in range(rules.GOODS):
        t = lane(state[TOKENS], good)
        o = lane(state[HOLD + player], good)
        m = lane(state[MARKET], good)
        here = _good_row(good, t, o, m, lane(state[KNOWN + 1 - player], good))
        pool = features.pool_column(good, t, lane(unseen, good), o)
        for j in range(-min(o, _REACH), min(m, rules.HAND_LIMIT - o) + 1):
            if j == 0:
                continue
            there = here + j * (features.MARKET_AXIS - 1) * features.KNOWN_AXIS
            target = _delta_row(good, j)
            for i in range(HIDDEN_UNITS):
                rows[target, i] = goods[there, i] - goods[here, i] + columns[pool + j, i] - columns[pool, i]


@njit(cache=True, nogil=True, forceinline=True)
def _list(moves, terms, n, move, row, other, head, ends):
    """Enter a move and its terms at place n."""
    moves[n] = move
    terms[n] = U(row) | (U(other) << _TWO) | (U(head) << _HEAD) | (U(ends) << _ENDS)


@njit(cache=True, nogil=True, fastmath=True)
def _list_takes(state, player, network, space, moves, n, ahead, stage):
    """List the moves that take one good or the camels."""
    market = state[MARKET]
    hand = hand_size(state, player)
    camels = lane(market, rules.CAMEL)
    head = head_of(stage)
    if hand < rules.HAND_LIMIT and market & GOODS_LANES:
        _set_context(state, player, network, space.rows, _GOOD_TAKEN, _NONE, _NONE + 1, hand + 1, ahead, stage)
        ends = ends_round(state, 1)
        for good in range(rules.GOODS):
            if lane(market, good):
                _list(moves, space.terms, n, U(1) << U(4 * good), _GOOD_TAKEN, _delta_row(good, 1), head, ends)
                n += 1
    if camels:
        _set_context(state, player, network, space.rows, _CAMELS_TAKEN, camels, camels, hand, ahead, stage)
        ends = ends_round(state, camels)
        _list(moves, space.terms, n, U(1) << U(CAMEL_BIT), _CAMELS_TAKEN, _ZERO, head, ends)
        n += 1
    return n


@njit(cache=True, nogil=True, fastmath=True)
def _set_unsold(state, player, network, rows):
    """Row _UNSOLD: what few sales change, all but goods, own hand and score."""
    columns = network.columns
    herds = features.herds_column(lane(state[HOLD + player], rules.CAMEL), lane(state[HOLD + 1 - player], rules.CAMEL))
    small, middle, large = _bonus_columns(state)
    for i in range(HIDDEN_UNITS):
        rows[_UNSOLD, i] = (
            rows[_BASE, i] + columns[herds, i] + columns[features.VACANT, i]
            + columns[small, i] + columns[middle, i] + columns[large, i]
        )  # fmt: skip


@njit(cache=True, nogil=True, fastmath=True)
def _set_sold(state, player, network, rows, target, good, count, left, unseen):
    """Row `target`: row _UNSOLD after the sale of `count` cards of a good, `left` of its tokens being left."""
    columns, goods = network.columns, network.good
    t = lane(state[TOKENS], good)
    o = lane(state[HOLD + player], good)
    m = lane(state[MARKET], good)
    k = lane(state[KNOWN + 1 - player], good)
    here, there = _good_row(good, t, o, m, k), _good_row(good, left, o - count, m, k)
    pool, new_pool = features.pool_column(good, t, unseen, o), features.pool_column(good, left, unseen, o - count)
    tempo = features.tempo_column(
        hand_size(state, player) - count, hand_size(state, 1 - player), lane(state[MARKET], rules.CAMEL)
    )
    for i in range(HIDDEN_UNITS):
        rows[target, i] = (
            rows[_UNSOLD, i] + goods[there, i] - goods[here, i]
            + columns[new_pool, i] - columns[pool, i] + columns[tempo, i]
        )  # fmt: skip


@njit(cache=True, nogil=True, fastmath=True)
def _add_bonus_taken(state, rows, target, columns, tier):
    """Add the difference that a bonus token of `tier` makes when it is taken."""
    column = features.BONUS + tier * features.BONUS_AXIS + bonus_left(state, tier)
    for i in range(HIDDEN_UNITS):
        rows[target, i] += columns[column - 1, i] - columns[column, i]


@njit(cache=True, nogil=True, fastmath=True)
def _list_sales(state, player, network, space, moves, n, ahead):
    """List the sales."""
    rows, columns = space.rows, network.columns
    lead = lane(state[HOLD + player], rules.CAMEL) - lane(state[HOLD + 1 - player], rules.CAMEL)
    deck = features.known_deck(state)
    unseen = features.unseen_cards(state, player)
    row = _SOLD
    for good in range(rules.GOODS):
        t = lane(state[TOKENS], good)
        for count in range(FEWEST[good], lane(state[HOLD + player], good) + 1):
            move = U(count) << U(32 + 4 * good)
            left = t - min(t, count)
            empty = empty_piles(state) + (t > 0 and left == 0)
            if empty >= rules.PILES_TO_END:
                _list(moves, space.terms, n, move, _ZERO, _ZERO, 0, True)
                n += 1
                continue
            _set_sold(state, player, network, rows, row, good, count, left, lane(unseen, good))
            ahead_then = ahead + sale_rupees(good, t, count)
            tier = tier_of(count)
            if tier >= 0 and bonus_left(state, tier) > 0:
                ahead_then += features.bonus_mean(state, player, tier)
                _add_bonus_taken(state, rows, row, columns, tier)
            stage = features.stage(state[TOKENS] - one(good) * U(t - left))
            _add_score(rows, row, columns, ahead_then, deck, empty, stage)
            _add_camel_score(rows, row, columns, lead, ahead_then, stage)
            _list(moves, space.terms, n, move, row, _ZERO, head_of(stage), False)
            n += 1
            row += 1
    return n


@njit(cache=True, nogil=True, fastmath=True, forceinline=True)
def _set_subsets(rows, first_row, tables, first, end, sign):
    """Rows `first_row` and following: the differences of the sub-multisets `first` to end - 1 of the tables, taken
    (sign 1) or given (-1), added to row `first_row`; each is made from the one without its last good."""
    for entry in range(first + 1, end):
        target = first_row + entry - first
        parent = first_row + tables.parent[entry]
        delta = _delta_row(tables.last[entry], sign * tables.copies[entry])
        for i in range(HIDDEN_UNITS):
            rows[target, i] = rows[parent, i] + rows[delta, i]


@njit(cache=True, nogil=True, fastmath=True, forceinline=True)
def _exchange_context(rows, target, given):
    """Row `target`: row `given`, but with camels given as well."""
    for i in range(HIDDEN_UNITS):
        rows[target, i] = rows[given, i] - rows[_GIVEN, i] + rows[_WITH_CAMELS, i]


@njit(cache=True, nogil=True, fastmath=True)
def _list_exchanges(state, player, tables, network, space, moves, n, ahead, stage):
    """List the exchanges: all pairs of a set given and a set taken that share no type."""
    rows, entries = space.rows, tables.entries
    goods = state[MARKET] & GOODS_LANES
    largest = min(total(goods), rules.MAX_EXCHANGE)
    if largest < rules.MIN_EXCHANGE:
        return n
    takes = tables.start[rank(goods)]
    gives = tables.start[rank(state[HOLD + player] & GOODS_LANES)]
    _set_subsets(rows, _TAKEN, tables, takes[0], takes[largest + 1], 1)
    hand = hand_size(state, player)
    head = head_of(stage)
    _set_context(state, player, network, rows, _GIVEN, _NONE, _NONE, hand, ahead, stage)
    _set_subsets(rows, _GIVEN, tables, gives[0], gives[largest + 1], -1)
    with_camels = _GIVEN_WITH_CAMELS
    for camels in range(min(givable_camels(state, player), largest) + 1):
        if camels > 0:
            _set_context(state, player, network, rows, _WITH_CAMELS, -camels, _NONE, hand + camels, ahead, stage)
        camel_code = U(camels) << U(CAMEL_BIT)
        for size in range(max(rules.MIN_EXCHANGE, camels), largest + 1):
            for g in range(gives[size - camels], gives[size - camels + 1]):
                row = _GIVEN + g - gives[0]
                if camels > 0:
                    _exchange_context(rows, with_camels, row)
                    row = with_camels
                    with_camels += 1
                given = entries[g]
                high = (given + camel_code) << U(32)
                for t in range(takes[size], takes[size + 1]):
                    taken = entries[t]
                    _list(moves, space.terms, n, high | taken_of(taken), row, _TAKEN + t - takes[0], head, False)
                    n += ((taken & given) >> U(32)) == U(0)
    return n


@njit(cache=True, nogil=True, fastmath=True)
def _output(space, i, network):
    """Logit of the seal, and margin in MARGIN_UNIT, of move i of the list."""
    terms, rows, out = space.terms[i], space.rows, network.out
    row, other, head = terms & _ROW, (terms >> _TWO) & _ROW, (terms >> _HEAD) & _ROW
    zero = np.float32(0.0)
    logit = zero
    margin = zero
    for j in range(HIDDEN_UNITS):
        unit = rows[row, j] + rows[other, j]
        unit = unit if unit > zero else zero
        logit += unit * out[head, 0, j]
        margin += unit * out[head, 1, j]
    return logit + network.out_bias[head, 0], margin + network.out_bias[head, 1]


@njit(cache=True, nogil=True)
def _finished(state, move, player, space):
    """Exact value of a move that ends the round: seal and margin."""
    after = space.after
    copy_state(after, state)
    play(after, move)
    if over_of(after) == 0:
        end_round(after, OVER_DECK)
    win, draw, mean = finished_value(after, player, space.bonus)
    return np.float32(win + 0.5 * draw), np.float32(mean)


@njit(cache=True, nogil=True, fastmath=True)
def evaluate(state, tables, network, space, moves, seal, margin):
    """List the legal moves and value their afterstates from what the mover knows.

    state: uint64[STATE_WORDS], the mover's hand fully known; space: `scratch()`; filled: moves uint64[MAX_MOVES], seal
    float32[MAX_MOVES] (probability of the seal, a draw counting half), margin float32[MAX_MOVES] (rupees). Returns the
    number of moves, 0 when the round is over.
    """
    if over_of(state):
        return 0
    player = turn_of(state)
    rows = space.rows
    ahead = features.rupees_ahead(state, player)
    stage = features.stage(state[TOKENS])
    _set_base(state, player, network, rows)
    _set_still(state, network, rows, ahead, stage)
    _set_unsold(state, player, network, rows)
    _set_deltas(state, player, network, rows)
    n = _list_takes(state, player, network, space, moves, 0, ahead, stage)
    n = _list_sales(state, player, network, space, moves, n, ahead)
    n = _list_exchanges(state, player, tables, network, space, moves, n, ahead, stage)
    for i in range(n):
        seal[i], margin[i] = _output(space, i, network)
    for i in range(n):
        seal[i] = sigmoid(seal[i])
        margin[i] *= np.float32(MARGIN_UNIT)
    for i in range(n):
        if space.terms[i] >> _ENDS:
            seal[i], margin[i] = _finished(state, moves[i], player, space)
    return n
