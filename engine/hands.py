"""How many cards of each good a hidden hand holds: a noncentral hypergeometric distribution, drawn exactly.

A hand of h cards is taken from a pool with n_g cards of good g (0 to 5). Its probability is proportional to the product
of C(n_g, h_g) W_g(h_g) over the goods. With W_g(c) = w_g^c this is Fisher's noncentral hypergeometric distribution
(Fog 2008), each card of good g weighing w_g; here a set of cards may weigh more or less than its cards one by one.
With all weights 1 every set of h cards of the pool is equally likely.

The goods are drawn one after the other. What goods g to 5 can make of r cards is added up backwards, once for a
position; then the chances of each count of good g follow, given that r cards are left for the goods from g on.
"""

import numpy as np
from numba import njit

from engine import rules
from engine.lanes import U, lane, one
from engine.state import DECK, HIDDEN, HOLD
from engine.streams import uniform

AXIS = rules.HAND_LIMIT + 1
"""Counts of cards, 0 to HAND_LIMIT."""


@njit(cache=True, nogil=True)
def set_chances(pool, hidden, weights, chances):
    """Work out the chances of hands of `hidden` cards from the goods of the word `pool`.

    weights: float64[GOODS, AXIS], positive; filled: chances float64[GOODS, AXIS, AXIS], at [g, r, c] the probability of
    c cards of good g or fewer, given that r cards are of the goods from g on. Where r is impossible it means nothing.
    """
    ways = np.zeros(AXIS)
    longer = np.empty(AXIS)
    term = np.empty(AXIS)
    ways[0] = 1.0
    for good in range(rules.GOODS - 1, -1, -1):
        cards = lane(pool, good)
        subsets = 1.0
        for c in range(hidden + 1):
            term[c] = subsets * weights[good, c]
            subsets *= (cards - c) / (c + 1)
        for r in range(hidden + 1):
            longer[r] = 0.0
            for c in range(r + 1):
                longer[r] += term[c] * ways[r - c]
                chances[good, r, c] = longer[r]
            if longer[r] > 0.0:
                for c in range(r + 1):
                    chances[good, r, c] /= longer[r]
        for r in range(hidden + 1):
            ways[r] = longer[r]


@njit(cache=True, nogil=True)
def chances_of(readings, weights):
    """Chances of the opponent's hidden cards in information sets, float64[r, GOODS, AXIS, AXIS].

    readings: uint64[r, STATE_WORDS]; weights: float64[r, GOODS, AXIS].
    """
    chances = np.zeros((len(readings), rules.GOODS, AXIS, AXIS))
    for i in range(len(readings)):
        set_chances(readings[i, DECK], lane(readings[i, HOLD + 1], HIDDEN), weights[i], chances[i])
    return chances


@njit(cache=True, nogil=True)
def draw_hand(chances, hidden, stream):
    """Draw a hand of `hidden` cards, as a word; chances: float64[GOODS, AXIS, AXIS], see `set_chances`."""
    cards = U(0)
    good = 0
    while hidden > 0:
        point = uniform(stream)
        count = 0
        while chances[good, hidden, count] <= point:
            count += 1
        cards += one(good) * U(count)
        hidden -= count
        good += 1
    return cards
