"""What benchmarks measure: a layer at work on many tables, as calls from Python would cost more than the work."""

import numpy as np
from numba import njit

from engine.evaluation import evaluate
from engine.infoset import information_set
from engine.moves import legal_moves
from engine.state import turn_of


@njit(cache=True, nogil=True)
def list_all(states, tables, moves):
    """List the legal moves of each of uint64[n, STATE_WORDS] into the buffer `moves`; their number in all, int64."""
    listed = 0
    for i in range(len(states)):
        listed += legal_moves(states[i], tables, moves)
    return listed


@njit(cache=True, nogil=True)
def evaluate_all(states, tables, network, space, moves, seal, margin):
    """List and evaluate the moves of each of uint64[n, STATE_WORDS]; arguments as of `evaluation.evaluate`.

    Returns the number of moves in all, int64.
    """
    evaluated = 0
    for i in range(len(states)):
        evaluated += evaluate(states[i], tables, network, space, moves, seal, margin)
    return evaluated


@njit(cache=True, nogil=True)
def information_sets(worlds):
    """What the player to move knows of each world: uint64[n, STATE_WORDS]."""
    known = np.empty_like(worlds)
    for i in range(len(worlds)):
        information_set(worlds[i], turn_of(worlds[i]), known[i])
    return known
