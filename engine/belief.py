"""What is believed about the opponent's hidden cards: players keep good cards, so these are no random ones.

c hidden cards of a good weigh exp(c x + s) (see `engine.hands`). Both x and s come from learned tables over what the
mover knows, s being what a set of c cards weighs beyond its cards one by one. x is a sum over 26 tables: one for each
two of seven numbers (tokens left, cards seen in the other hand, cards in the market, own cards and unseen cards of the
good; phase of the deck; hidden cards), and one for each of five others (hidden cards and hand size of the opponent
together; own herd; the opponent's; goods tokens that he has won; deck size). s is looked up by tokens left, cards seen
in the other hand, phase of the deck, and c. Goods that no rule tells apart, cloth and spice, share their tables.

docs/training.md tells how the tables were learned.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

from engine import rules, weights
from engine.beliefs import FULL_DECK
from engine.hands import AXIS
from engine.lanes import lane
from engine.state import DECK, HIDDEN, HOLD, KNOWN, MARKET, SCORE, TOKENS, TOKENS_WON, deck_size, hand_size

SHIPPED = Path(__file__).with_name("belief.npz")
"""The belief that the advisor plays with."""

PHASES = 8
_PHASE_CARDS = FULL_DECK // PHASES
_MOST_WON = 20
"""Goods tokens of the opponent; more count as many."""

_RULES = list(zip(rules.TOKENS, rules.CARDS, strict=False))
_KINDS = list(dict.fromkeys(_RULES))
KIND = np.array([_KINDS.index(rule) for rule in _RULES], np.int64)
"""Kind of each good: those with the same tokens and as many cards are one."""

_TOKENS_AXIS = 1 + max(len(pile) for pile in rules.TOKENS)
_UNSEEN_AXIS = 1 + max(rules.CARDS[: rules.GOODS])
_HERD_AXIS = 1 + rules.CARDS[rules.CAMEL]
NUMBERS = np.array([_TOKENS_AXIS, AXIS, 1 + rules.MARKET_SIZE, AXIS, _UNSEEN_AXIS, PHASES, AXIS], np.int64)
"""Sizes of the seven numbers that are looked up two by two."""
_PAIRS = [int(NUMBERS[a] * NUMBERS[b]) for a in range(len(NUMBERS)) for b in range(a)]
CELLS = np.array([*_PAIRS, AXIS * AXIS, _HERD_AXIS, _HERD_AXIS, 1 + _MOST_WON, 1 + FULL_DECK], np.int64)
"""Sizes of the tables of x for one kind of good."""
TABLES = len(CELLS)
_FIRST = np.cumsum(CELLS * len(_KINDS)) - CELLS * len(_KINDS)
"""First column of each table."""
COLUMNS = int(np.sum(CELLS)) * len(_KINDS)
SETS = len(_KINDS) * _TOKENS_AXIS * AXIS * PHASES
"""Rows of s."""


class Belief(NamedTuple):
    """Learned tables, float32: card[COLUMNS], whose sum is x; sets[SETS, AXIS], s by the number of cards."""

    card: np.ndarray
    sets: np.ndarray


def blank():
    """The `Belief` to which all cards are alike."""
    return Belief(np.zeros(COLUMNS, np.float32), np.zeros((SETS, AXIS), np.float32))


@njit(cache=True, nogil=True)
def columns_of(info, good, columns):
    """Fill int64[TABLES] with the columns of x for a good in an information set; returns the row of s."""
    hidden = lane(info[HOLD + 1], HIDDEN)
    tokens, known = lane(info[TOKENS], good), lane(info[KNOWN + 1], good)
    deck = min(deck_size(info), FULL_DECK)
    phase = min(deck // _PHASE_CARDS, PHASES - 1)
    numbers = (
        tokens, known, lane(info[MARKET], good), lane(info[HOLD], good), lane(info[DECK], good), phase, hidden,
    )  # fmt: skip
    table = 0
    for a in range(len(numbers)):
        for b in range(a):
            columns[table] = numbers[a] * NUMBERS[b] + numbers[b]
            table += 1
    columns[table] = hidden * AXIS + hand_size(info, 1)
    columns[table + 1] = lane(info[HOLD], rules.CAMEL)
    columns[table + 2] = lane(info[HOLD + 1], rules.CAMEL)
    columns[table + 3] = min(lane(info[SCORE + 1], TOKENS_WON), _MOST_WON)
    columns[table + 4] = deck
    kind = KIND[good]
    for i in range(TABLES):
        columns[i] += _FIRST[i] + kind * CELLS[i]
    return ((kind * _TOKENS_AXIS + tokens) * AXIS + known) * PHASES + phase


@njit(cache=True, nogil=True)
def set_weights(info, belief, columns, result):
    """Fill float64[GOODS, AXIS] with the weights of 0 to HAND_LIMIT cards of each good; columns: int64[TABLES]."""
    for good in range(rules.GOODS):
        row = columns_of(info, good, columns)
        x = 0.0
        for column in columns:
            x += belief.card[column]
        for c in range(AXIS):
            result[good, c] = np.exp(c * x + belief.sets[row, c])


@njit(cache=True, nogil=True)
def weights_of(readings, belief):
    """Weights of the goods in information sets uint64[r, STATE_WORDS] by a `Belief`: float64[r, GOODS, AXIS]."""
    result = np.empty((len(readings), rules.GOODS, AXIS))
    columns = np.empty(TABLES, np.int64)
    for i in range(len(readings)):
        set_weights(readings[i], belief, columns, result[i])
    return result


def load(path=SHIPPED):
    """Read (`Belief`, provenance). Raises OSError or ValueError where the file is not such a file."""
    belief, provenance = weights.read(path, Belief)
    weights.check(path, belief, blank())
    return belief, provenance


@cache
def _shipped():
    return load()[0]


def learned(readings):
    """The shipped belief's weights of the goods in information sets: float64[r, GOODS, AXIS]."""
    return weights_of(readings, _shipped())


def uniform(readings):
    """The same where every unseen card is alike."""
    return np.ones((len(readings), rules.GOODS, AXIS))
