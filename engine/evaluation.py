"""All legal moves of a position listed and evaluated together.

The hidden sums of the unmoved position are built once. What a move changes is added to them: an exchange that moves
j cards of a good between hand and market changes one folded row of that good, so that all exchanges share at most
twelve differences; camels, hand size and vacancies depend on the number of given camels alone.
"""

import numpy as np
from numba import njit

from engine import features, rules
from engine.endings import WIDTH, finished_value
from engine.lanes import GOODS_LANES, U, lane, total
from engine.moves import givable_camels, rank
from engine.network import GOOD_ROWS, HIDDEN_UNITS, MARGIN_UNIT, OTHER, head_of, sigmoid
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
    deck_size,
    empty_piles,
    end_round,
    hand_size,
    over_of,
    play,
    sale_rupees,
    turn_of,
)

_MIN_SALE = np.array(rules.MIN_SALE, np.int64)
_CODE = U(0xFFFFFFFF)
_CAMEL_BIT = 4 * rules.CAMEL

_ZERO, _BASE, _STILL, _CONTEXT, _GIVE, _DELTA = range(6)
"""Rows of the scratch: zeros; sums without the score, with it unchanged, with the camels, with the given cards."""
_TAKES = _DELTA + rules.GOODS * 11
SCRATCH_ROWS = _TAKES + 32

_ENDS = np.float32(1e30)
"""Stands for the logit of a move that ends the round, until its exact value is worked out."""


def scratch():
    """Work space of `evaluate`: (float32[SCRATCH_ROWS, HIDDEN_UNITS], float64[2, WIDTH], uint64[STATE_WORDS])."""
    return (
        np.zeros((SCRATCH_ROWS, HIDDEN_UNITS), np.float32),
        np.empty((2, WIDTH), np.float64),
        np.empty(STATE_WORDS, np.uint64),
    )


@njit(cache=True, nogil=True)
def ends_round(state, vacant):
    """Whether the round ends when `vacant` places of the market have to be filled."""
    deck = deck_size(state)
    return deck < vacant or (vacant > 0 and deck == vacant and lane(state[INFO], DECK_END) == rules.DECK_END_EMPTY)


@njit(cache=True, nogil=True, fastmath=True, forceinline=True)
def _copy(rows, target, source):
    """Row `target` becomes a copy of row `source`."""
    for i in range(HIDDEN_UNITS):
        rows[target, i] = rows[source, i]


@njit(cache=True, nogil=True, fastmath=True, forceinline=True)
def _add(rows, target, columns, column):
    """Add one column to a row. Rows are told by number: views of them would cost more than the sum."""
    for i in range(HIDDEN_UNITS):
        rows[target, i] += columns[column, i]


@njit(cache=True, nogil=True, fastmath=True, forceinline=True)
def _add_pair(rows, target, columns, column, weight):
    """Add two neighbouring columns with linear weights."""
    rest = np.float32(1.0) - weight
    for i in range(HIDDEN_UNITS):
        rows[target, i] += rest * columns[column, i] + weight * columns[column + 1, i]


@njit(cache=True, nogil=True, fastmath=True, forceinline=True)
def _output_of_sum(rows, one, two, network, head):
    """Both outputs of a head for the hidden sums that two rows add up to."""
    zero = np.float32(0.0)
    logit = zero
    margin = zero
    out = network.out
    for i in range(HIDDEN_UNITS):
        unit = rows[one, i] + rows[two, i]
        unit = unit if unit > zero else zero
        logit += unit * out[head, 0, i]
        margin += unit * out[head, 1, i]
    return logit + network.out_bias[head, 0], margin + network.out_bias[head, 1]


@njit(cache=True, nogil=True)
def _good_row(good, t, o, m, k):
    return GOOD_ROWS[good] + ((t * features.OWN_AXIS + o) * features.MARKET_AXIS + m) * features.KNOWN_AXIS + k


@njit(cache=True, nogil=True, fastmath=True)
def _base(state, player, network, rows):
    """Hidden sums of the unmoved position: goods, and what no move changes."""
    other = 1 - player
    unseen = features.unseen_cards(state, player)
    for i in range(HIDDEN_UNITS):
        rows[_BASE, i] = network.bias[i]
    for good in range(rules.GOODS):
        t = lane(state[TOKENS], good)
        o = lane(state[HOLD + player], good)
        m = lane(state[MARKET], good)
        k = lane(state[KNOWN + other], good)
        _add(rows, _BASE, network.good, _good_row(good, t, o, m, k))
        _add(rows, _BASE, network.other, features.pool_column(good, t, lane(unseen, good), o) - OTHER)
    for kind in range(rules.TYPES):
        _add(rows, _BASE, network.other, features.UNSEEN - OTHER + kind * features.UNSEEN_AXIS + lane(unseen, kind))
    size = hand_size(state, other)
    _add(rows, _BASE, network.other, features.OTHER_HERD - OTHER + lane(state[HOLD + other], rules.CAMEL))
    _add(rows, _BASE, network.other, features.OTHER_HAND - OTHER + size)
    _add(rows, _BASE, network.other, features.OTHER_HIDDEN - OTHER + size - total(state[KNOWN + other]))
    _add(rows, _BASE, network.other, features.DECK - OTHER + features.known_deck(state))


@njit(cache=True, nogil=True, fastmath=True)
def _add_score(rows, target, columns, ahead, deck, empty, stage):
    lower, weight = features.score_bin(ahead)
    _add_pair(rows, target, columns, features.SCORE - OTHER + lower, weight)
    _add_pair(
        rows, target, columns, features.SCORE_DECK - OTHER + features.phase(deck) * features.SCORE_BINS + lower, weight
    )
    _add(rows, target, columns, features.EMPTY - OTHER + empty)
    _add(rows, target, columns, features.END - OTHER + features.phase(deck) * features.STAGES + stage)


@njit(cache=True, nogil=True, fastmath=True)
def _add_camels(rows, target, columns, herd, other_herd, camels, vacant, hand, other_hand, ahead, stage):
    """Columns of camels, vacancies, own hand size, and of the score by the lead in camels."""
    _add(rows, target, columns, features.OWN_HERD - OTHER + herd)
    _add(rows, target, columns, features.LEVEL - OTHER + herd - other_herd)
    _add(rows, target, columns, features.herds_column(herd, other_herd) - OTHER)
    _add(rows, target, columns, features.tempo_column(hand, other_hand, camels) - OTHER)
    _add(rows, target, columns, features.CAMELS - OTHER + camels)
    _add(rows, target, columns, features.VACANT - OTHER + vacant)
    _add(rows, target, columns, features.OWN_HAND - OTHER + hand)
    lower, weight = features.score_bin(ahead)
    table = features.camel_lead(herd - other_herd) * features.STAGES + stage
    _add_pair(rows, target, columns, features.SCORE_CAMELS - OTHER + table * features.SCORE_BINS + lower, weight)


@njit(cache=True, nogil=True, fastmath=True)
def _differences(state, player, network, rows):
    """Fill the rows _DELTA + good * 11 + 5 + j: what changes when j cards of a good go from the market to the hand."""
    unseen = features.unseen_cards(state, player)
    columns = network.other
    for good in range(rules.GOODS):
        t = lane(state[TOKENS], good)
        o = lane(state[HOLD + player], good)
        m = lane(state[MARKET], good)
        here = _good_row(good, t, o, m, lane(state[KNOWN + 1 - player], good))
        pool = features.pool_column(good, t, lane(unseen, good), o) - OTHER
        for j in range(-min(o, 5), min(m, rules.HAND_LIMIT - o) + 1):
            there = here + j * (features.MARKET_AXIS - 1) * features.KNOWN_AXIS
            target = _DELTA + good * 11 + 5 + j
            for i in range(HIDDEN_UNITS):
                rows[target, i] = network.good[there, i] - network.good[here, i]
            for i in range(HIDDEN_UNITS):
                rows[target, i] += columns[pool + j, i] - columns[pool, i]


@njit(cache=True, nogil=True)
def _finished(state, move, player, space):
    """Exact value of a move that ends the round: seal and margin."""
    after = space[2]
    after[:] = state
    play(after, move)
    if over_of(after) == 0:
        end_round(after, OVER_DECK)
    win, draw, mean = finished_value(after, player, space[1][0], space[1][1])
    return np.float32(win + 0.5 * draw), np.float32(mean)


@njit(cache=True, nogil=True, fastmath=True)
def _takes(state, player, network, space, moves, seal, margin, n):
    """List and value the moves that take one good or the camels."""
    rows = space[0]
    market = state[MARKET]
    hand = hand_size(state, player)
    herd = lane(state[HOLD + player], rules.CAMEL)
    other_herd = lane(state[HOLD + 1 - player], rules.CAMEL)
    other_hand = hand_size(state, 1 - player)
    camels = lane(market, rules.CAMEL)
    ahead = features.rupees_ahead(state, player)
    stage = features.stage(state[TOKENS])
    head = head_of(stage)
    if hand < rules.HAND_LIMIT and market & GOODS_LANES:
        ending = ends_round(state, 1)
        _copy(rows, _CONTEXT, _STILL)
        _add_camels(rows, _CONTEXT, network.other, herd, other_herd, camels, 1, hand + 1, other_hand, ahead, stage)
        for good in range(rules.GOODS):
            if lane(market, good):
                moves[n] = U(1) << U(4 * good)
                seal[n], margin[n] = _output_of_sum(rows, _CONTEXT, _DELTA + good * 11 + 6, network, head)
                if ending:
                    seal[n] = _ENDS
                n += 1
    if camels:
        moves[n] = U(1) << U(_CAMEL_BIT)
        _copy(rows, _CONTEXT, _STILL)
        _add_camels(rows, _CONTEXT, network.other, herd + camels, other_herd, 0, camels, hand, other_hand, ahead, stage)
        seal[n], margin[n] = _output_of_sum(rows, _CONTEXT, _ZERO, network, head)
        if ends_round(state, camels):
            seal[n] = _ENDS
        n += 1
    return n


@njit(cache=True, nogil=True, fastmath=True)
def _sales(state, player, network, space, moves, seal, margin, n):
    """List and value the sales."""
    rows = space[0]
    columns = network.other
    hand = hand_size(state, player)
    herd = lane(state[HOLD + player], rules.CAMEL)
    other_herd = lane(state[HOLD + 1 - player], rules.CAMEL)
    other_hand = hand_size(state, 1 - player)
    camels = lane(state[MARKET], rules.CAMEL)
    deck = features.known_deck(state)
    ahead_now = features.rupees_ahead(state, player)
    empty_now = empty_piles(state)
    unseen = features.unseen_cards(state, player)
    for good in range(rules.GOODS):
        o = lane(state[HOLD + player], good)
        t = lane(state[TOKENS], good)
        m = lane(state[MARKET], good)
        k = lane(state[KNOWN + 1 - player], good)
        for count in range(_MIN_SALE[good], o + 1):
            moves[n] = U(count) << U(32 + 4 * good)
            left = t - min(t, count)
            empty = empty_now + (t > 0 and left == 0)
            if empty >= rules.PILES_TO_END:
                seal[n] = _ENDS
                n += 1
                continue
            ahead = ahead_now + sale_rupees(good, t, count)
            sold_tier = min(count, 5) - 3
            if sold_tier >= 0 and bonus_left(state, sold_tier) > 0:
                ahead += features.bonus_mean(state, player, sold_tier)
            else:
                sold_tier = -1
            here = _good_row(good, t, o, m, k)
            there = _good_row(good, left, o - count, m, k)
            for i in range(HIDDEN_UNITS):
                rows[_CONTEXT, i] = rows[_BASE, i] + network.good[there, i] - network.good[here, i]
            here = features.pool_column(good, t, lane(unseen, good), o) - OTHER
            there = features.pool_column(good, left, lane(unseen, good), o - count) - OTHER
            for i in range(HIDDEN_UNITS):
                rows[_CONTEXT, i] += columns[there, i] - columns[here, i]
            for tier in range(rules.TIERS):
                left_of_tier = bonus_left(state, tier) - (tier == sold_tier)
                _add(rows, _CONTEXT, columns, features.BONUS - OTHER + tier * 8 + left_of_tier)
            stage = features.stage(state[TOKENS] - (U(t - left) << U(8 * good)))
            _add_score(rows, _CONTEXT, columns, ahead, deck, empty, stage)
            _add_camels(rows, _CONTEXT, columns, herd, other_herd, camels, 0, hand - count, other_hand, ahead, stage)
            seal[n], margin[n] = _output_of_sum(rows, _CONTEXT, _ZERO, network, head_of(stage))
            n += 1
    return n


@njit(cache=True, nogil=True, fastmath=True)
def _add_subset(rows, target, code, sign):
    """Add the differences of a multiset of goods (its code) taken (sign 1) or given (sign -1) to row `target`."""
    bits = code >> U(32)
    good = 0
    while bits:
        if bits & U(1):
            _add(rows, target, rows, _DELTA + good * 11 + 5 + sign * np.int64((code >> U(4 * good)) & U(15)))
        bits >>= U(1)
        good += 1


@njit(cache=True, nogil=True, fastmath=True)
def _exchanges(state, player, tables, network, space, moves, seal, margin, n):
    """List and value the exchanges: a sum for the given cards, then one addition for each set of taken ones."""
    rows = space[0]
    goods = state[MARKET] & GOODS_LANES
    largest = min(total(goods), rules.MAX_EXCHANGE)
    if largest < rules.MIN_EXCHANGE:
        return n
    entries = tables.entries
    takes = tables.start[rank(goods)]
    gives = tables.start[rank(state[HOLD + player] & GOODS_LANES)]
    first_take = takes[rules.MIN_EXCHANGE]
    for t in range(first_take, takes[largest + 1]):
        _copy(rows, _TAKES + t - first_take, _ZERO)
        _add_subset(rows, _TAKES + t - first_take, entries[t], 1)
    hand = hand_size(state, player)
    herd = lane(state[HOLD + player], rules.CAMEL)
    other_herd = lane(state[HOLD + 1 - player], rules.CAMEL)
    other_hand = hand_size(state, 1 - player)
    camels = lane(state[MARKET], rules.CAMEL)
    ahead = features.rupees_ahead(state, player)
    stage = features.stage(state[TOKENS])
    head = head_of(stage)
    for given_camels in range(min(givable_camels(state, player), largest) + 1):
        _copy(rows, _CONTEXT, _STILL)
        _add_camels(
            rows, _CONTEXT, network.other, herd - given_camels, other_herd, camels + given_camels, 0,
            hand + given_camels, other_hand, ahead, stage,
        )  # fmt: skip
        camel_code = U(given_camels) << U(_CAMEL_BIT)
        for size in range(max(rules.MIN_EXCHANGE, given_camels), largest + 1):
            for g in range(gives[size - given_camels], gives[size - given_camels + 1]):
                given = entries[g]
                _copy(rows, _GIVE, _CONTEXT)
                _add_subset(rows, _GIVE, given, -1)
                high = (given + camel_code) << U(32)
                for t in range(takes[size], takes[size + 1]):
                    taken = entries[t]
                    if (taken & given) >> U(32):
                        continue
                    moves[n] = high | (taken & _CODE)
                    seal[n], margin[n] = _output_of_sum(rows, _GIVE, _TAKES + t - first_take, network, head)
                    n += 1
    return n


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
    rows = space[0]
    _base(state, player, network, rows)
    _copy(rows, _STILL, _BASE)
    for tier in range(rules.TIERS):
        _add(rows, _STILL, network.other, features.BONUS - OTHER + tier * 8 + bonus_left(state, tier))
    ahead = features.rupees_ahead(state, player)
    stage = features.stage(state[TOKENS])
    _add_score(rows, _STILL, network.other, ahead, features.known_deck(state), empty_piles(state), stage)
    _differences(state, player, network, rows)
    n = _takes(state, player, network, space, moves, seal, margin, 0)
    n = _sales(state, player, network, space, moves, seal, margin, n)
    n = _exchanges(state, player, tables, network, space, moves, seal, margin, n)
    for i in range(n):
        if seal[i] == _ENDS:
            seal[i], margin[i] = _finished(state, moves[i], player, space)
        else:
            seal[i] = sigmoid(seal[i])
            margin[i] *= np.float32(MARGIN_UNIT)
    return n
