"""The search tree and its iteration: information-set MCTS with one tree over what the mover knows.

Each iteration draws a fresh world that fits the information set (Cowling, Powley and Whitehouse 2012) and plays it down
the tree. A node is a history that the mover can see: the moves, and what came into the market. The selection rule is
PUCT (Silver et al. 2017) with availability counts. What is special here: the evaluation is asked anew at every node,
for the hand that the player to move has in this world, and the tree only learns *gains*, by how much the value that
comes back differs from the evaluation of the move. So a move's worth follows the hidden cards of each world, and
what the tree knows is shared by all worlds. An untried move counts by its evaluation alone.

The tree is a hash table without pointers: entries are found by a key of the history. One for a node counts its
visits; one for an edge (a move at a node) counts visits and availability, and adds up gains.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from engine.endings import finished_value
from engine.evaluation import evaluate
from engine.greedy import greedy_move
from engine.infoset import determinise_cards, drawn_reading
from engine.lanes import U
from engine.moves import MAX_MOVES, legal_moves
from engine.network import exponential
from engine.state import STATE_WORDS, draw_refill, over_of, pass_turn, play, refill, turn_of, vacancies
from engine.streams import WORLD, mixed, set_stream

MAX_DEPTH = 48
"""Moves looked ahead at the most: exchanges could go round for ever."""

PLAYOUT_CAP = 150
"""Moves after which a greedy playout is cut off and counted as it stands; see docs/search.md for what it changes."""

SLIGHTEST_PRIOR = np.float32(3e-4)
"""Moves of smaller priors are left out of the tree: they would hardly ever be tried, but looked up at each visit."""

ROOT = U(0x51ED270B7F4A7C15)
_MOVE, _REFILL = U(0xD1342543DE82EF95), U(0xA0761D6478BD642F)


class Rule(NamedTuple):
    """Constants of the selection rule, float32.

    exploration: PUCT's c; temperature: of the prior, a softmax of the evaluations; margin_weight: utility of a rupee
    of margin beside a probability of 1 of the seal; rollouts: the search without learning, kept as a reference
    opponent: equal priors, leaf values from greedy playouts.
    """

    exploration: np.float32
    temperature: np.float32
    margin_weight: np.float32
    rollouts: bool = False


class Tree(NamedTuple):
    """Entries of nodes and edges.

    keys: uint64[capacity], 0 where free; visits, available: int32[capacity]; gain: float32[capacity];
    size: int64[1], entries in use.
    """

    keys: np.ndarray
    visits: np.ndarray
    available: np.ndarray
    gain: np.ndarray
    size: np.ndarray


class Root(NamedTuple):
    """The moves at the root: moves, uint64[n]; their utilities, averaged over the readings, and priors, float32[n]."""

    moves: np.ndarray
    utility: np.ndarray
    priors: np.ndarray


def empty_tree(capacity):
    """An empty `Tree`; capacity: a power of two."""
    return Tree(
        np.zeros(capacity, np.uint64),
        np.zeros(capacity, np.int32),
        np.zeros(capacity, np.int32),
        np.zeros(capacity, np.float32),
        np.zeros(1, np.int64),
    )


@njit(cache=True, nogil=True)
def find(tree, key):
    """Place of a key, or of the free entry where it would stand."""
    mask = U(tree.keys.size - 1)
    place = (key >> U(1)) & mask
    while tree.keys[place] != key and tree.keys[place] != U(0):
        place = (place + U(1)) & mask
    return np.int64(place)


@njit(cache=True, nogil=True)
def full(tree):
    """Whether no new entry is taken any more: three quarters of the capacity are in use."""
    return 4 * tree.size[0] >= 3 * tree.keys.size


@njit(cache=True, nogil=True)
def claim(tree, key):
    """Place of a key, which is entered if it is new; -1 where the tree is full."""
    place = find(tree, key)
    if tree.keys[place] == U(0):
        if full(tree):
            return -1
        tree.keys[place] = key
        tree.size[0] += 1
    return place


@njit(cache=True, nogil=True)
def enter(tree, edge, node_visits):
    """Place of an edge, or -1; a new one was available, and passed over, at all earlier visits of its node."""
    place = claim(tree, edge)
    if place >= 0 and tree.visits[place] == 0:
        tree.available[place] = node_visits
    return place


@njit(cache=True, nogil=True)
def highest_of(values, n):
    """Largest of the first n values."""
    highest = values[0]
    for i in range(1, n):
        highest = max(highest, values[i])
    return highest


@njit(cache=True, nogil=True)
def edge_key(node, move):
    """Key of a move at a node: odd, so never 0, which marks a free entry."""
    return mixed(node ^ (move * _MOVE)) | U(1)


@njit(cache=True, nogil=True)
def child_key(edge, cards):
    """Key of the node that a move leads to when `cards` come into the market."""
    return mixed(edge ^ ((cards + U(1)) * _REFILL)) | U(1)


@njit(cache=True, nogil=True, fastmath=True)
def set_priors(utility, n, temperature, priors):
    """Softmax of the first n utilities; priors: float32[n], filled."""
    best = highest_of(utility, n)
    total = np.float32(0.0)
    scale = np.float32(1.0) / temperature
    for i in range(n):
        priors[i] = exponential((utility[i] - best) * scale)
        total += priors[i]
    for i in range(n):
        priors[i] /= total


@njit(cache=True, nogil=True, fastmath=True)
def select(tree, node, node_visits, n, moves, utility, priors, rule):
    """The move of the best PUCT score; counts how often tried moves were available.

    In a full tree untried moves are not explored: they could not be entered, and so would be chosen for ever.
    """
    untried = np.float32(0.0 if full(tree) else np.sqrt(node_visits))
    chosen = 0
    highest = np.float32(-1e9)
    for i in range(n):
        if priors[i] < SLIGHTEST_PRIOR:
            continue
        place = find(tree, edge_key(node, moves[i]))
        if tree.keys[place] == U(0):
            score = utility[i] + rule.exploration * priors[i] * untried
        else:
            tree.available[place] += 1
            share = np.float32(1.0) / (1 + tree.visits[place])
            score = utility[i] + tree.gain[place] * share
            score += rule.exploration * priors[i] * np.float32(np.sqrt(tree.available[place])) * share
        if score > highest:
            highest = score
            chosen = i
    return chosen


@njit(cache=True, nogil=True, inline="always")
def _judge(state, tables, network, space, moves, utility, margins, rule):
    """List the legal moves and their utilities to the mover, seal + margin_weight * margin. Returns their number.

    margins: float32[MAX_MOVES], overwritten. With rollouts nothing is known of a move beforehand: all count alike.
    """
    if rule.rollouts:
        n = legal_moves(state, tables, moves)
        for i in range(n):
            utility[i] = np.float32(0.5)
    else:
        n = evaluate(state, tables, network, space, moves, utility, margins)
        for i in range(n):
            utility[i] += rule.margin_weight * margins[i]
    return n


@njit(cache=True, nogil=True)
def _roll_out(world, stream, tables, moves, space, rule):
    """Utility to player 0 of a greedy playout from `world`, which it spoils; cut off after PLAYOUT_CAP moves."""
    for _ in range(PLAYOUT_CAP):
        if over_of(world):
            break
        _turn(world, greedy_move(world, tables, moves), stream)
    return _outcome(world, space, rule)


@njit(cache=True, nogil=True)
def _outcome(world, space, rule):
    """Utility to player 0 of a table as it stands, averaged over the bonus tokens that he has not seen."""
    win, draw, mean = finished_value(world, 0, space.bonus)
    return np.float32(win + 0.5 * draw + rule.margin_weight * mean)


@njit(cache=True, nogil=True)
def _turn(world, move, stream):
    """Make a move, bonus tokens staying face down; the cards that came into the market, as a word."""
    play(world, move)
    cards = draw_refill(world, stream)
    if vacancies(world) > 0:
        refill(world, cards)
    pass_turn(world)
    return cards


@njit(cache=True, nogil=True, inline="always")
def _leaf(world, n, utility, stream, tables, moves, space, rule):
    """Utility to player 0 of a node that is new: the best reply's, by its evaluation or by playing on."""
    if rule.rollouts:
        value = _roll_out(world, stream, tables, moves, space, rule)
    else:
        value = highest_of(utility, n)
        if turn_of(world) == 1:
            value = np.float32(1.0) - value
    return value


@njit(cache=True, nogil=True, inline="always")
def _iterate(world, root, stream, tables, network, space, tree, rule, moves, utility, priors, margins, path, expected):
    """Play one world down the tree and carry the value back. Utilities of the two players add up to 1."""
    node = ROOT
    depth = 0
    n = root.moves.size
    for i in range(n):
        moves[i] = root.moves[i]
        utility[i] = root.utility[i]
        priors[i] = root.priors[i]
    while True:
        place = claim(tree, node)
        visits = tree.visits[place] if place >= 0 else 0
        if visits == 0 or depth == MAX_DEPTH:
            value = _leaf(world, n, utility, stream, tables, moves, space, rule)
            if place >= 0:
                tree.visits[place] += 1
            break
        tree.visits[place] += 1
        if depth > 0:
            set_priors(utility, n, rule.temperature, priors)
        chosen = select(tree, node, visits, n, moves, utility, priors, rule)
        edge = edge_key(node, moves[chosen])
        path[depth] = enter(tree, edge, visits)
        mine = turn_of(world) == 0
        expected[depth] = utility[chosen] if mine else np.float32(1.0) - utility[chosen]
        depth += 1
        cards = _turn(world, moves[chosen], stream)
        if over_of(world):
            value = _outcome(world, space, rule)
            break
        node = child_key(edge, cards)
        n = _judge(world, tables, network, space, moves, utility, margins, rule)
    for i in range(depth):
        place = path[i]
        if place >= 0:
            gain = value - expected[i]
            tree.gain[place] += gain if i % 2 == 0 else -gain
            tree.visits[place] += 1


@njit(cache=True, nogil=True)
def iterate(readings, cumulative, chances, root, first, count, seed, tables, network, space, tree, rule):
    """Run the iterations first to first + count - 1, each in a world of its own stream.

    readings: uint64[r, STATE_WORDS], the information sets that the position may stand for; cumulative: float64[r],
    their added-up probabilities; chances: `hands.chances_of` them; space: `evaluation.scratch()`.
    """
    stream = np.empty(1, np.uint64)
    world = np.empty(STATE_WORDS, np.uint64)
    moves = np.empty(MAX_MOVES, np.uint64)
    utility = np.empty(MAX_MOVES, np.float32)
    priors = np.empty(MAX_MOVES, np.float32)
    margins = np.empty(MAX_MOVES, np.float32)
    path = np.empty(MAX_DEPTH, np.int64)
    expected = np.empty(MAX_DEPTH, np.float32)
    for iteration in range(first, first + count):
        set_stream(stream, seed, iteration, WORLD)
        reading = drawn_reading(cumulative, stream)
        determinise_cards(readings[reading], chances[reading], stream, world)
        _iterate(
            world, root, stream, tables, network, space, tree, rule, moves, utility, priors, margins, path, expected
        )
