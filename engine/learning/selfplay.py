"""Rounds of self-play, and the afterstates in them as training samples with TD(lambda) targets.

Both players choose by the network alone. Each player's own afterstates form a chain: the target of one is the
lambda-return of those that follow, up to how the round really ended (Sutton 1988). At an exploring move the return is
cut and the value of the move that would have been chosen takes its place (Watkins 1989).
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from engine import rules
from engine.evaluation import evaluate
from engine.features import ACTIVE, active_columns, stage
from engine.moves import MAX_MOVES
from engine.network import MARGIN_UNIT
from engine.policy import best_move
from engine.state import STATE_WORDS, TOKENS, complete_turn, deal, margin, over_of, play, turn_of, winner
from engine.streams import DEAL, EXPLORE, below, set_stream, uniform

ROUND_LIMIT = 1024
"""More samples than a round of capped self-play can give."""


class Samples(NamedTuple):
    """Afterstates and their targets.

    columns: int32[n, ACTIVE]; weight: float32[n], of the upper score bins; stage: int64[n]; target: float32[n, 2],
    seal (0 to 1) and margin (in MARGIN_UNIT).
    """

    columns: np.ndarray
    weight: np.ndarray
    stage: np.ndarray
    target: np.ndarray


def buffer(size):
    """Empty `Samples` for at least `size` samples."""
    size += ROUND_LIMIT
    return Samples(
        np.empty((size, ACTIVE), np.int32),
        np.empty(size, np.float32),
        np.empty(size, np.int64),
        np.empty((size, 2), np.float32),
    )


@njit(cache=True, nogil=True)
def _set_targets(samples, owner, first, last, outcome, trace, values, best, cut):
    """Lambda-returns of the samples first to last-1, backwards, each player's chain apart."""
    after = np.empty((rules.PLAYERS, 2), np.float32)
    after[:] = outcome
    for i in range(last - 1, first - 1, -1):
        mine = after[owner[i - first]]
        for output in range(2):
            samples.target[i, output] = mine[output]
            if cut[i - first]:
                mine[output] = best[i - first, output]
            else:
                value = values[i - first, output]
                mine[output] = value + trace * (mine[output] - value)


@njit(cache=True, nogil=True)
def play_rounds(wanted, seed, world, explore, trace, margin_weight, tables, network, space, samples):
    """Play rounds of the worlds `world`, `world + 1`, ... until `wanted` samples are there.

    explore: probability of a random move; trace: lambda; samples: `buffer(wanted)`, filled from the front.
    Returns (samples, rounds).
    """
    state = np.empty(STATE_WORDS, np.uint64)
    deck = np.empty(1, np.uint64)
    choice = np.empty(1, np.uint64)
    moves = np.empty(MAX_MOVES, np.uint64)
    seal = np.empty(MAX_MOVES, np.float32)
    margins = np.empty(MAX_MOVES, np.float32)
    owner = np.empty(ROUND_LIMIT, np.int64)
    values = np.empty((ROUND_LIMIT, 2), np.float32)
    best = np.empty((ROUND_LIMIT, 2), np.float32)
    cut = np.empty(ROUND_LIMIT, np.bool_)
    outcome = np.empty((rules.PLAYERS, 2), np.float32)
    count = 0
    rounds = 0
    while count < wanted:
        set_stream(deck, seed, world + rounds, DEAL)
        set_stream(choice, seed, world + rounds, EXPLORE)
        deal(state, (world + rounds) & 1, rules.DECK_END_REFILL, deck)
        first = count
        while over_of(state) == 0:
            player = turn_of(state)
            n = evaluate(state, tables, network, space, moves, seal, margins)
            greedy = best_move(state, moves, n, seal, margins, margin_weight)
            chosen = below(choice, n) if uniform(choice) < explore else greedy
            tier = play(state, moves[chosen])
            i = count - first
            owner[i] = player
            values[i, 0], values[i, 1] = seal[chosen], margins[chosen] / np.float32(MARGIN_UNIT)
            best[i, 0], best[i, 1] = seal[greedy], margins[greedy] / np.float32(MARGIN_UNIT)
            cut[i] = chosen != greedy
            samples.weight[count] = active_columns(state, player, samples.columns[count])
            samples.stage[count] = stage(state[TOKENS])
            complete_turn(state, tier, deck)
            count += over_of(state) == 0
        taker = winner(state)
        for player in range(rules.PLAYERS):
            outcome[player, 0] = 0.5 if taker < 0 else np.float32(taker == player)
            outcome[player, 1] = (1 - 2 * player) * margin(state) / np.float32(MARGIN_UNIT)
        _set_targets(samples, owner, first, count, outcome, trace, values, best, cut)
        rounds += 1
    return count, rounds
