"""The exact value of a finished round to one player, who does not know the bonus tokens that lie face down.

The unseen tokens of a tier are equally likely to lie anywhere, so the sum of those that a player holds face down has
a distribution by plain counting, tier by tier. Only in the rare case that both players hold some face down does the
order matter: whatever the other drew is gone for oneself.
"""

import numpy as np
from numba import njit

from engine import rules
from engine.features import face_down
from engine.lanes import U, lane
from engine.state import BONUS, OWNED, SCORE, margin, tie_break

WIDTH = 2 * sum(max(values) * len(values) for values in rules.BONUS) + 1
"""Size of a distribution of the difference of bonus rupees, with room to spare; its middle is 0."""

_VALUES = np.array(rules.BONUS_VALUES, np.int64)
_CHOOSE = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 2, 1, 0], [1, 3, 3, 1]], np.float64)


@njit(cache=True, nogil=True)
def _tier_difference(pool, tier, mine, others, before, after, low, high):
    """Convolve one tier into `before`, giving `after`, both float64[WIDTH] and unnormalised: own less other face-down
    rupees, which lie at the indices low to high of `before`.

    pool: unseen tokens in BONUS's form; `mine` and `others` of them lie face down before the players.
    """
    n0 = np.int64((pool >> U(12 * tier)) & U(15))
    n1 = np.int64((pool >> U(12 * tier + 4)) & U(15))
    n2 = np.int64((pool >> U(12 * tier + 8)) & U(15))
    least, middle, most = _VALUES[3 * tier], _VALUES[3 * tier + 1], _VALUES[3 * tier + 2]
    after[low - others * most : high + mine * most + 1] = 0.0
    for a in range(min(n0, mine) + 1):
        for b in range(min(n1, mine - a) + 1):
            c = mine - a - b
            if c > n2:
                continue
            own_ways = _CHOOSE[n0, a] * _CHOOSE[n1, b] * _CHOOSE[n2, c]
            for d in range(min(n0 - a, others) + 1):
                for e in range(min(n1 - b, others - d) + 1):
                    f = others - d - e
                    if f > n2 - c:
                        continue
                    ways = own_ways * _CHOOSE[n0 - a, d] * _CHOOSE[n1 - b, e] * _CHOOSE[n2 - c, f]
                    shift = (a - d) * least + (b - e) * middle + (c - f) * most
                    for i in range(low, high + 1):
                        after[i + shift] += ways * before[i]


@njit(cache=True, nogil=True)
def finished_value(state, player, scratch):
    """Value of a finished round to `player`: (probability of the seal, of a draw, expected margin in rupees).

    The other's bonus tokens count as face down, turned up in `state` or not. scratch: float64[2, WIDTH].
    """
    one, two = scratch[0], scratch[1]
    other = 1 - player
    pool = state[BONUS] + state[OWNED + other]
    low = high = WIDTH // 2
    one[low] = 1.0
    for tier in range(rules.TIERS):
        mine = face_down(state, player, tier)
        others = lane(state[SCORE + other], tier)
        if mine + others > 0:
            _tier_difference(pool, tier, mine, others, one, two, low, high)
            low -= others * _VALUES[3 * tier + 2]
            high += mine * _VALUES[3 * tier + 2]
            one, two = two, one
    sign = 1 - 2 * player
    face_up = lane(state[SCORE + other], 3) + lane(state[SCORE + other], 4) + lane(state[SCORE + other], 5)
    ahead = sign * margin(state) + face_up
    tie = sign * tie_break(state)
    weight = win = draw = mean = 0.0
    for i in range(low, high + 1):
        difference = ahead + i - WIDTH // 2
        weight += one[i]
        mean += one[i] * difference
        if difference > 0 or (difference == 0 and tie > 0):
            win += one[i]
        elif difference == 0 and tie == 0:
            draw += one[i]
    return win / weight, draw / weight, mean / weight
