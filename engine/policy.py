"""How a player without search chooses: the best evaluated move, without going round in exchanges."""

import numpy as np
from numba import njit

from engine.lanes import U, lane
from engine.state import EXCHANGES, INFO, given_of, taken_of

EXCHANGE_CAP = 8
"""Exchanges in a row, by both players, after which another move is made. Without it the learned values drift into
endless exchanging, and a playout might never end."""


@njit(cache=True, nogil=True)
def is_exchange(move):
    """Whether a move code takes and gives."""
    return taken_of(move) != U(0) and given_of(move) != U(0)


@njit(cache=True, nogil=True)
def best_move(state, moves, n, seal, margins, margin_weight):
    """Index of the move with the largest seal + margin_weight * margin; no exchange after EXCHANGE_CAP of them."""
    capped = lane(state[INFO], EXCHANGES) >= EXCHANGE_CAP
    best = -1
    highest = np.float32(-1e9)
    for i in range(n):
        utility = seal[i] + margin_weight * margins[i]
        if utility > highest and not (capped and is_exchange(moves[i])):
            highest = utility
            best = i
    return best
