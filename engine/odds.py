"""Odds that do not come from the tree: moves are measured by playouts in fresh worlds.

Tree statistics are no odds: exploration biases them, and the best-looking move is biased up. Here every move meets
the same worlds (hidden cards, order of the deck, order of the bonus tokens), so that differences between moves are
paired; both sides go on by the evaluation until the round is over.
"""

import numpy as np
from numba import njit

from engine import rules
from engine.evaluation import evaluate
from engine.infoset import determinise, drawn_reading
from engine.lanes import U, total
from engine.moves import MAX_MOVES
from engine.policy import best_move
from engine.state import (
    BONUS,
    DECK,
    STATE_WORDS,
    bonus_left,
    camel_token,
    copy_state,
    draw,
    draw_bonus,
    over_of,
    pass_turn,
    play,
    refill,
    rupees,
    take_bonus,
    turn_of,
    vacancies,
    winner,
)
from engine.streams import MEASURE, set_stream

SEAL, MINE, OTHERS = range(3)
"""Columns of an outcome: 1, 0.5 or 0 for a seal won, drawn or lost; final rupees of the mover and of the opponent."""

_LONGEST_DECK = sum(rules.CARDS)
_MOST_BONUS = max(len(values) for values in rules.BONUS)


@njit(cache=True, nogil=True)
def _shuffle(world, stream, deck, bonus):
    """Fix the order in which cards and bonus tokens of `world` are drawn.

    deck: uint64[_LONGEST_DECK], filled with the cards as words, the last drawn first; bonus: int64[TIERS, _MOST_BONUS],
    filled with indices of `rules.BONUS_VALUES`, the last drawn first.
    """
    left = world[DECK]
    for i in range(total(left)):
        deck[i] = draw(left, stream)
        left -= deck[i]
    unseen = world[BONUS]
    for tier in range(rules.TIERS):
        for i in range(bonus_left(world, tier)):
            bonus[tier, i] = draw_bonus(unseen, tier, stream)
            unseen -= U(1) << U(4 * bonus[tier, i])


@njit(cache=True, nogil=True)
def _make(state, move, deck, bonus):
    """Make a move in a world whose draws are fixed."""
    tier = play(state, move)
    if tier >= 0:
        take_bonus(state, turn_of(state), bonus[tier, bonus_left(state, tier)])
    cards = U(0)
    left = total(state[DECK])
    for i in range(min(vacancies(state), left)):
        cards += deck[left - 1 - i]
    if vacancies(state) > 0:
        refill(state, cards)
    pass_turn(state)


@njit(cache=True, nogil=True)
def _final_rupees(state, player):
    return rupees(state, player) + (rules.CAMEL_TOKEN if camel_token(state) == player else 0)


@njit(cache=True, nogil=True)
def measure(readings, cumulative, chances, candidates, first, outcomes, seed, margin_weight, tables, network, space):
    """Play every candidate out in the same worlds, the numbers `first` and following.

    readings, cumulative, chances: as for `tree.iterate`; candidates: uint64[n];
    outcomes: float32[n, worlds, 3], filled.
    """
    stream = np.empty(1, np.uint64)
    world = np.empty(STATE_WORDS, np.uint64)
    state = np.empty(STATE_WORDS, np.uint64)
    deck = np.empty(_LONGEST_DECK, np.uint64)
    bonus = np.empty((rules.TIERS, _MOST_BONUS), np.int64)
    moves = np.empty(MAX_MOVES, np.uint64)
    seal = np.empty(MAX_MOVES, np.float32)
    margins = np.empty(MAX_MOVES, np.float32)
    for w in range(outcomes.shape[1]):
        set_stream(stream, seed, first + w, MEASURE)
        reading = drawn_reading(cumulative, stream)
        determinise(readings[reading], chances[reading], stream, world)
        _shuffle(world, stream, deck, bonus)
        for c in range(candidates.size):
            copy_state(state, world)
            _make(state, candidates[c], deck, bonus)
            while over_of(state) == 0:
                n = evaluate(state, tables, network, space, moves, seal, margins)
                _make(state, moves[best_move(state, moves, n, seal, margins, margin_weight)], deck, bonus)
            taker = winner(state)
            outcomes[c, w, SEAL] = 0.5 if taker < 0 else np.float32(taker == 0)
            outcomes[c, w, MINE] = _final_rupees(state, 0)
            outcomes[c, w, OTHERS] = _final_rupees(state, 1)
