"""Exact values of endings in which nothing but bonus tokens is hidden.

With an empty deck the unseen cards are the opponent's hand, so both players know all cards; with a short deck the same
holds where all cards of the opponent have been seen, and what the deck brings is averaged over all its orders (the
opponent is then taken to know the mover's hand). The value is minimax: the probability that player 0 takes the seal, a
draw counting half, averaged over the bonus tokens that he has not seen.

Exchanges can go round for ever, but only in runs that no other move interrupts. Each search allows runs of a given
length and is made twice: a longer run counts as lost for player 0 if the opponent makes it, and is left out if he
would make it himself; then the other way round. The two values enclose the true one; where they meet, it is exact.

Alpha-beta (Knuth and Moore 1975) with a transposition table; moves are tried in the order of their evaluation.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from engine import rules
from engine.endings import finished_value
from engine.evaluation import evaluate
from engine.features import bonus_mean, face_down
from engine.lanes import BYTE, GOODS_LANES, U, lane, one, total
from engine.moves import MAX_MOVES
from engine.policy import is_exchange
from engine.state import (
    DECK,
    EXCHANGES,
    HIDDEN,
    HOLD,
    INFO,
    KNOWN,
    MARKET,
    OVER_DECK,
    SCORE,
    STATE_WORDS,
    TOKENS,
    UNTOLD,
    camel_token,
    copy_state,
    deck_size,
    end_round,
    over_of,
    pass_turn,
    play,
    refill,
    rupees,
    turn_of,
    vacancies,
)
from engine.streams import mixed

LONGEST_DECK = 3
"""Longest deck of an ending that is tried."""
MAX_PLY = 64
LONGEST_RUN = 3
"""Longest runs of exchanges that are allowed before the solver gives up."""
EQUAL = 1e-9
"""Probabilities that differ by less are the same."""
BEST_FOUND, SOLVED = 1, 2
LOWER, UPPER, EXACT = 1, 2, 3
MAX_WAITING = rules.TYPES * (LONGEST_DECK + 1)
"""Tables that wait to be followed: a card is drawn LONGEST_DECK times at the most."""

FRAME = np.dtype(
    [
        ("alpha", np.float64),
        ("beta", np.float64),
        ("low", np.float64),
        ("high", np.float64),
        ("value", np.float64),
        ("chance", np.float64),
        ("next", np.int64),
        ("count", np.int64),
        ("draws", np.bool_),
        ("done", np.bool_),
    ]
)
"""A table being searched: its window as given and as narrowed, its value so far, the chance of the card drawn last, its
next child and their number, whether it waits for cards, whether its value is final."""


class Ending(NamedTuple):
    """Work space of the solver.

    keys: uint64[slots]; values: float64[slots]; kinds: int8[slots], LOWER, UPPER, EXACT or 0; states:
    uint64[MAX_PLY, STATE_WORDS]; frames: FRAME[MAX_PLY]; moves: uint64[MAX_PLY, MAX_MOVES]; worth:
    float32[MAX_PLY, MAX_MOVES]; margins: float32[MAX_MOVES]; left: int64[1], the nodes that may still be visited.
    """

    keys: np.ndarray
    values: np.ndarray
    kinds: np.ndarray
    states: np.ndarray
    frames: np.ndarray
    moves: np.ndarray
    worth: np.ndarray
    margins: np.ndarray
    left: np.ndarray


def ending_space(slots):
    """An empty `Ending`; slots: size of the transposition table, a power of two."""
    return Ending(
        np.zeros(slots, np.uint64),
        np.zeros(slots, np.float64),
        np.zeros(slots, np.int8),
        np.zeros((MAX_PLY, STATE_WORDS), np.uint64),
        np.zeros(MAX_PLY, FRAME),
        np.zeros((MAX_PLY, MAX_MOVES), np.uint64),
        np.zeros((MAX_PLY, MAX_MOVES), np.float32),
        np.zeros(MAX_MOVES, np.float32),
        np.zeros(1, np.int64),
    )


@njit(cache=True, nogil=True)
def lay_open(info, world):
    """Write the one world that `info` can stand for into `world`, bonus tokens apart; False where there are several."""
    copy_state(world, info)
    hidden = lane(info[HOLD + 1], HIDDEN)
    if hidden > 0:
        cards = info[DECK]
        if deck_size(info) > 0 or cards != cards & GOODS_LANES:
            return False
        world[HOLD + 1] += cards - one(HIDDEN) * U(hidden)
        world[DECK] = U(0)
    world[INFO] &= ~(one(UNTOLD) * BYTE)
    for player in range(rules.PLAYERS):
        world[KNOWN + player] = world[HOLD + player] & GOODS_LANES
    return total(world[DECK]) <= LONGEST_DECK


@njit(cache=True, nogil=True)
def _key(state, salt):
    key = U(salt)
    for word in (MARKET, HOLD, HOLD + 1, DECK, TOKENS, SCORE, SCORE + 1, INFO):
        key = mixed(key ^ state[word]) + U(word)
    return key | U(1)


@njit(cache=True, nogil=True)
def _sort(moves, worth, n):
    """Insertion sort of the moves, the greatest worth first."""
    for i in range(1, n):
        move, value = moves[i], worth[i]
        j = i - 1
        while j >= 0 and worth[j] < value:
            moves[j + 1], worth[j + 1] = moves[j], worth[j]
            j -= 1
        moves[j + 1], worth[j + 1] = move, value


@njit(cache=True, nogil=True)
def _step(ending, ply, move):
    """Write into states[ply + 1] the table after a move in states[ply], the market not filled yet."""
    below = ending.states[ply + 1]
    copy_state(below, ending.states[ply])
    play(below, move)
    if total(below[DECK]) < vacancies(below):
        end_round(below, OVER_DECK)
    pass_turn(below)


@njit(cache=True, nogil=True)
def _draw(ending, ply, kind):
    """Write into states[ply + 1] the table after a card of `kind` came into the market of states[ply]; its chance."""
    below = ending.states[ply + 1]
    copy_state(below, ending.states[ply])
    chance = lane(below[DECK], kind) / total(below[DECK])
    if vacancies(below) == 1:
        refill(below, one(kind))
    else:
        below[MARKET] += one(kind)
        below[DECK] -= one(kind)
    return chance


@njit(cache=True, nogil=True, inline="always")
def _ordered_moves(ending, ply, tables, network, space):
    """List the moves of states[ply], the best evaluated first; their number."""
    moves, worth = ending.moves[ply], ending.worth[ply]
    n = evaluate(ending.states[ply], tables, network, space, moves, worth, ending.margins)
    _sort(moves, worth, n)
    return n


@njit(cache=True, nogil=True)
def _remember(ending, ply, salt):
    """Enter the value of the decision in frame `ply` into the transposition table."""
    frame = ending.frames[ply]
    key = _key(ending.states[ply], salt)
    slot = np.int64(key >> U(1)) & (ending.keys.size - 1)
    ending.keys[slot] = key
    ending.values[slot] = frame.value
    ending.kinds[slot] = LOWER if frame.value >= frame.beta else UPPER if frame.value <= frame.alpha else EXACT


@njit(cache=True, nogil=True)
def _plain(ending, ply, run, pessimist, space):
    """Whether the value in states[ply] is plain to see, and then it stands in the frame: the round is over, the
    transposition table knows it, or nothing may be visited any more."""
    state, frame = ending.states[ply], ending.frames[ply]
    if over_of(state):
        win, draw, _ = finished_value(state, 0, space.bonus)
        frame.value = win + 0.5 * draw
        return True
    ending.left[0] -= 1
    if ending.left[0] < 0 or ply + 2 >= MAX_PLY:
        ending.left[0] = -1
        return True
    if frame.draws:
        return False
    key = _key(state, 2 * run + pessimist)
    slot = np.int64(key >> U(1)) & (ending.keys.size - 1)
    if ending.keys[slot] != key:
        return False
    kind = ending.kinds[slot]
    frame.value = ending.values[slot]
    return (
        kind == EXACT or (kind == LOWER and frame.value >= frame.beta) or (kind == UPPER and frame.value <= frame.alpha)
    )


@njit(cache=True, nogil=True, inline="always")
def _open(ending, ply, run, pessimist, alpha, beta, tables, network, space):
    """Begin the table in states[ply]: its frame is done at once where the value is plain to see."""
    state, frame = ending.states[ply], ending.frames[ply]
    frame.alpha = frame.low = alpha
    frame.beta = frame.high = beta
    frame.next = 0
    frame.draws = vacancies(state) > 0
    frame.done = _plain(ending, ply, run, pessimist, space)
    if not frame.done and frame.draws:
        frame.count = rules.TYPES
        frame.value = 0.0
    elif not frame.done:
        frame.count = _ordered_moves(ending, ply, tables, network, space)
        frame.value = -1.0 if turn_of(state) == 0 else 2.0


@njit(cache=True, nogil=True)
def _take_in(ending, ply, value):
    """Let the value of the child that was visited last count in frame `ply`."""
    frame = ending.frames[ply]
    if frame.draws:
        frame.value += frame.chance * value
    elif turn_of(ending.states[ply]) == 0:
        frame.value = max(frame.value, value)
        frame.low = max(frame.low, value)
    else:
        frame.value = min(frame.value, value)
        frame.high = min(frame.high, value)


@njit(cache=True, nogil=True)
def _next_child(ending, ply, run, pessimist):
    """Set up the next child of frame `ply` in states[ply + 1]; False where there is none, or none is needed."""
    state, frame = ending.states[ply], ending.frames[ply]
    while frame.next < frame.count and frame.low < frame.high:
        index = frame.next
        frame.next += 1
        if frame.draws:
            if lane(state[DECK], index):
                frame.chance = _draw(ending, ply, index)
                return True
            continue
        move = ending.moves[ply, index]
        if is_exchange(move) and lane(state[INFO], EXCHANGES) >= run:
            if (turn_of(state) == 0) != pessimist:
                _take_in(ending, ply, 0.0 if pessimist else 1.0)
            continue
        _step(ending, ply, move)
        return True
    return False


@njit(cache=True, nogil=True)
def _value(ending, first, run, pessimist, tables, network, space):
    """Value of states[first] to player 0, runs of exchanges allowed up to `run`: depth first, a frame for each ply.

    A table with vacancies waits for cards: it is averaged over them, one by one. pessimist: whether longer runs count
    against player 0. The value means nothing once `left` is below 0. (A function that calls itself cannot be cached.)
    """
    ply = first
    _open(ending, ply, run, pessimist, 0.0, 1.0, tables, network, space)
    while True:
        frame = ending.frames[ply]
        if frame.done:
            if ply == first:
                return frame.value
            ply -= 1
            _take_in(ending, ply, frame.value)
        elif _next_child(ending, ply, run, pessimist):
            alpha, beta = (0.0, 1.0) if frame.draws else (frame.low, frame.high)
            ply += 1
            _open(ending, ply, run, pessimist, alpha, beta, tables, network, space)
        else:
            frame.done = True
            if not frame.draws and ending.left[0] >= 0:
                _remember(ending, ply, 2 * run + pessimist)


@njit(cache=True, nogil=True)
def _final_rupees(state):
    """Expected final rupees of player 0, his face-down bonus tokens at their mean."""
    mine = np.float64(rupees(state, 0) + rules.CAMEL_TOKEN * (camel_token(state) == 0))
    for tier in range(rules.TIERS):
        mine += face_down(state, 0, tier) * bonus_mean(state, 0, tier)
    return mine


@njit(cache=True, nogil=True, inline="always")
def _best_reply(ending, run, tables, network, space):
    """Make the best move in states[0], in place; of equal ones the first by its evaluation."""
    mover = turn_of(ending.states[0])
    at_limit = lane(ending.states[0, INFO], EXCHANGES) >= run
    n = _ordered_moves(ending, 0, tables, network, space)
    chosen = U(0)
    best = 0.0
    for i in range(n):
        if at_limit and is_exchange(ending.moves[0, i]):
            continue
        _step(ending, 0, ending.moves[0, i])
        value = _value(ending, 1, run, mover == 0, tables, network, space)
        if chosen == U(0) or (value > best if mover == 0 else value < best):
            chosen, best = ending.moves[0, i], value
    _step(ending, 0, chosen)
    copy_state(ending.states[0], ending.states[1])


@njit(cache=True, nogil=True, inline="always")
def _best_play(ending, run, tables, network, space, result):
    """Follow best play from states[0], over everything that the deck may bring; adds up `outcomes`' columns."""
    waiting = np.empty((MAX_WAITING, STATE_WORDS), np.uint64)
    chances = np.empty(MAX_WAITING)
    copy_state(waiting[0], ending.states[0])
    chances[0] = 1.0
    n = 1
    while n > 0:
        n -= 1
        chance = chances[n]
        copy_state(ending.states[0], waiting[n])
        while over_of(ending.states[0]) == 0 and vacancies(ending.states[0]) == 0:
            _best_reply(ending, run, tables, network, space)
        state = ending.states[0]
        if over_of(state):
            win, draw, mean = finished_value(state, 0, space.bonus)
            mine = _final_rupees(state)
            for i, part in enumerate((win, draw, mine, mine - mean)):
                result[i] += chance * part
            continue
        for kind in range(rules.TYPES):
            if lane(state[DECK], kind):
                chances[n] = chance * _draw(ending, 0, kind)
                copy_state(waiting[n], ending.states[1])
                n += 1


@njit(cache=True, nogil=True, inline="always")
def _enclose(world, moves, run, ending, tables, network, space, lowest, highest):
    """Enclose the values of all root moves with runs of exchanges up to `run`."""
    for i in range(moves.size):
        for pessimist in (True, False):
            copy_state(ending.states[0], world)
            _step(ending, 0, moves[i])
            value = _value(ending, 1, run, pessimist, tables, network, space)
            if pessimist:
                lowest[i] = value
            else:
                highest[i] = value


@njit(cache=True, nogil=True)
def _state_of_proof(lowest, highest):
    """SOLVED where all bounds meet, BEST_FOUND where nothing beats the move with the greatest lower bound, else 0."""
    best = 0
    for i in range(lowest.size):
        if lowest[i] > lowest[best]:
            best = i
    proof = SOLVED
    for i in range(lowest.size):
        if highest[i] > lowest[i] + EQUAL:
            proof = min(proof, BEST_FOUND)
            if i == best or highest[i] > lowest[best] + EQUAL:
                proof = 0
    return proof


@njit(cache=True, nogil=True)
def solve(world, moves, ending, tables, network, space, values, results):
    """Solve an ending, with longer and longer runs of exchanges, as far as the nodes left in `ending` reach.

    world: uint64[STATE_WORDS] from `lay_open`; moves: uint64[n], the legal ones. Returns SOLVED where the values of all
    moves are exact, BEST_FOUND where only the best move is certain, else 0. values: float64[n], filled with the proven
    lower bounds; results: float64[n, 4], or [0, 4] where nobody asks, filled if SOLVED with what best play leads to
    after each move: probability of the seal and of a draw, final rupees of player 0 and of player 1.
    """
    lowest = np.zeros(moves.size)
    highest = np.ones(moves.size)
    found = 0
    for run in range(1, LONGEST_RUN + 1):
        _enclose(world, moves, run, ending, tables, network, space, lowest, highest)
        if ending.left[0] < 0:
            break
        proof = _state_of_proof(lowest, highest)
        if proof:
            found = proof
            for i in range(lowest.size):
                values[i] = lowest[i]
        if proof == SOLVED:
            for i in range(len(results)):
                copy_state(ending.states[0], world)
                _step(ending, 0, moves[i])
                copy_state(ending.states[0], ending.states[1])
                _best_play(ending, run, tables, network, space, results[i])
            if ending.left[0] < 0:
                found = BEST_FOUND
            break
    return found
