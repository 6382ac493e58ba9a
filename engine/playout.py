"""Uniformly random play: whole rounds for the benchmarks, and the tables they are measured on."""

import numpy as np
from numba import njit

from engine.moves import random_move
from engine.rules import DECK_END_REFILL
from engine.state import STATE_WORDS, complete_turn, deal, over_of, play
from engine.streams import PLAYOUT, below, set_stream

FIRST_PLY, LAST_PLY = 10, 40
"""Moves played before the tables of `random_tables`, both included."""


@njit(cache=True, nogil=True, forceinline=True)
def _random_turn(state, tables, stream):
    """One uniformly random legal move of a world and all that follows it."""
    tier = play(state, random_move(state, tables, stream))
    complete_turn(state, tier, stream)


@njit(cache=True, nogil=True)
def random_rounds(n, seed, tables):
    """Play `n` rounds from a fresh deal to their end, every move uniform among all legal ones.

    tables: `moves.subsets()`. Round i draws from the stream (seed, i, PLAYOUT) alone. Returns the moves made in
    all, int64. There is no cap: exchanges can go round, but random play leaves them for good almost surely.
    """
    state = np.empty(STATE_WORDS, np.uint64)
    stream = np.empty(1, np.uint64)
    plies = 0
    for i in range(n):
        set_stream(stream, seed, i, PLAYOUT)
        deal(state, i & 1, DECK_END_REFILL, stream)
        while not over_of(state):
            _random_turn(state, tables, stream)
            plies += 1
    return plies


@njit(cache=True, nogil=True)
def random_tables(n, seed, tables):
    """Worlds uint64[n, STATE_WORDS] after FIRST_PLY to LAST_PLY moves of random rounds that still go on."""
    worlds = np.empty((n, STATE_WORDS), np.uint64)
    stream = np.empty(1, np.uint64)
    found = 0
    world = 0
    while found < n:
        state = worlds[found]
        set_stream(stream, seed, world, PLAYOUT)
        deal(state, world & 1, DECK_END_REFILL, stream)
        for _ in range(FIRST_PLY + below(stream, LAST_PLY - FIRST_PLY + 1)):
            if not over_of(state):
                _random_turn(state, tables, stream)
        found += not over_of(state)
        world += 1
    return worlds
