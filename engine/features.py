"""The columns of the network: sparse inputs that describe an afterstate as its mover knows it.

An afterstate is the table right after a move, before bonus token and refill: vacancies wait for cards. Every
column is a fact that the mover knows; what the other player hides enters as counts alone. Good by good there are
six columns over four numbers: t tokens left, o own cards, m cards in the market, k cards seen in the other hand.

| group | columns of | active |
|---|---|---|
| GOOD | (t, o), (t, m), (t, k), (t, o, m), (t, k, m), (t, o, k) of each good | 36 |
| POOL | (t, unseen cards, o) of each good: what a set can still grow to | 6 |
| UNSEEN | unseen cards of each type | 7 |
| OWN_HERD, OTHER_HERD, LEAD, HERDS | camels of each, their difference, and both together | 4 |
| CAMELS, VACANT | camels and vacancies in the market | 2 |
| OWN_HAND, OTHER_HAND, OTHER_HIDDEN | hand sizes, hidden cards of the other | 3 |
| TEMPO | own hand size, other hand size and camels in the market together | 1 |
| DECK, EMPTY, BONUS | deck size, empty piles, bonus tokens left by tier | 5 |
| END | phase of the deck and the tokens left in the three smallest piles together | 1 |
| SCORE | rupees ahead, in two neighbouring bins with linear weights | 2 |
| SCORE_DECK | the same by phase of the deck | 2 |
| SCORE_CAMELS | the same by who leads in camels and by the tokens left in the three smallest piles | 2 |
"""

import numpy as np
from numba import njit

from engine import rules
from engine.beliefs import FULL_DECK
from engine.lanes import GOODS_LANES, U, lane, total
from engine.state import (
    DECK as DECK_WORD,
)
from engine.state import (
    HOLD,
    KNOWN,
    MARKET,
    OWNED,
    RUPEES,
    TOKENS,
    bonus_left,
    deck_size,
    empty_piles,
    hand_size,
    vacancies,
)
from engine.state import (
    SCORE as SCORE_WORD,
)

PILE = np.array([len(pile) for pile in rules.TOKENS], np.int64)
OWN_AXIS, MARKET_AXIS, KNOWN_AXIS = rules.HAND_LIMIT + 1, rules.MARKET_SIZE + 1, rules.HAND_LIMIT + 1
"""Sizes of the axes own, market, known."""
_TABLES = [
    OWN_AXIS, MARKET_AXIS, KNOWN_AXIS, OWN_AXIS * MARKET_AXIS, KNOWN_AXIS * MARKET_AXIS, OWN_AXIS * KNOWN_AXIS,
]  # fmt: skip
GOOD_COLUMNS = np.cumsum([0, *_TABLES[:-1]])
"""Offsets of the six tables within the columns of one good and one number of tokens."""
GOOD_STRIDE = sum(_TABLES)

GOOD = np.zeros(rules.GOODS, np.int64)
"""First column of each good."""
_next = 0
for _good in range(rules.GOODS):
    GOOD[_good] = _next
    _next += int(PILE[_good] + 1) * GOOD_STRIDE

UNSEEN_AXIS = max(rules.CARDS) + 1
POOL_STRIDE = UNSEEN_AXIS * OWN_AXIS
"""Columns of POOL for one good and one number of tokens."""
POOL = np.zeros(rules.GOODS, np.int64)
"""First column of each good in POOL."""
for _good in range(rules.GOODS):
    POOL[_good] = _next
    _next += int(PILE[_good] + 1) * POOL_STRIDE

BONUS_AXIS = 8
SCORE_WIDTH = 4.0
SCORE_BINS = 41
PHASES = 9
STAGES = 16
"""0 to 15 tokens left in the three smallest piles."""

UNSEEN = _next
OWN_HERD = UNSEEN + rules.TYPES * UNSEEN_AXIS
HERD_AXIS = rules.CARDS[rules.CAMEL] + 1
OTHER_HERD = OWN_HERD + HERD_AXIS
LEVEL = OTHER_HERD + 2 * HERD_AXIS - 1
"""Column of LEAD for equal herds."""
HERDS = LEVEL + HERD_AXIS
CAMELS = HERDS + HERD_AXIS * HERD_AXIS
VACANT = CAMELS + MARKET_AXIS
OWN_HAND = VACANT + MARKET_AXIS
OTHER_HAND = OWN_HAND + OWN_AXIS
OTHER_HIDDEN = OTHER_HAND + OWN_AXIS
TEMPO = OTHER_HIDDEN + OWN_AXIS
DECK = TEMPO + OWN_AXIS * OWN_AXIS * MARKET_AXIS
EMPTY = DECK + FULL_DECK + 1
BONUS = EMPTY + 4
END = BONUS + rules.TIERS * BONUS_AXIS
SCORE = END + PHASES * STAGES
SCORE_DECK = SCORE + SCORE_BINS
SCORE_CAMELS = SCORE_DECK + PHASES * SCORE_BINS
COLUMNS = SCORE_CAMELS + 3 * STAGES * SCORE_BINS

ACTIVE = 36 + 6 + 7 + 4 + 2 + 3 + 1 + 5 + 1 + 6
"""Columns active in any afterstate; the last six have weights, the others count once."""
SCORE_ACTIVE = 6

_TIER_SUM = np.array([sum(values) for values in rules.BONUS], np.float64)
_TIER_TOKENS = np.array([len(values) for values in rules.BONUS], np.int64)


@njit(cache=True, nogil=True)
def _face_up(state, player, tier):
    """Own bonus tokens of a tier whose value is known."""
    own = state[OWNED + player] >> U(12 * tier)
    return np.int64((own & U(15)) + ((own >> U(4)) & U(15)) + ((own >> U(8)) & U(15)))


@njit(cache=True, nogil=True)
def bonus_mean(state, player, tier):
    """Mean value of the bonus tokens of a tier that `player` has not seen; 0 where there is none."""
    hidden = _TIER_TOKENS[tier] - _face_up(state, player, tier)
    if hidden == 0:
        return 0.0
    return (_TIER_SUM[tier] - lane(state[SCORE_WORD + player], 3 + tier)) / hidden


@njit(cache=True, nogil=True)
def face_down(state, player, tier):
    """Own bonus tokens of a tier whose value is not known yet."""
    return lane(state[SCORE_WORD + player], tier) - _face_up(state, player, tier)


@njit(cache=True, nogil=True)
def rupees_ahead(state, player):
    """Expected rupees of `player` less those of the other, tokens alone, as `player` knows them; float64."""
    own = state[SCORE_WORD + player]
    other = state[SCORE_WORD + 1 - player]
    ahead = np.float64(lane(own, RUPEES) - lane(other, RUPEES))
    for tier in range(rules.TIERS):
        hidden = face_down(state, player, tier) - lane(other, tier)
        ahead += lane(own, 3 + tier) + hidden * bonus_mean(state, player, tier)
    return ahead


@njit(cache=True, nogil=True)
def stage(tokens):
    """Tokens left in the three smallest piles, 0 to 15: how near the end is. `tokens` is a word."""
    a = b = c = 99
    for good in range(rules.GOODS):
        left = lane(tokens, good)
        if left < a:
            a, b, c = left, a, b
        elif left < b:
            b, c = left, b
        elif left < c:
            c = left
    return a + b + c


@njit(cache=True, nogil=True)
def score_bin(ahead):
    """Position of a score difference on the axis of the bins: its lower bin, and the weight of the upper one."""
    place = min(max(ahead / SCORE_WIDTH + SCORE_BINS // 2, 0.0), SCORE_BINS - 1.001)
    lower = np.int64(place)
    return lower, np.float32(place - lower)


@njit(cache=True, nogil=True)
def camel_lead(herds):
    """0, 1 or 2: behind, level or ahead in camels."""
    return np.int64(herds > 0) - np.int64(herds < 0) + 1


@njit(cache=True, nogil=True)
def unseen_cards(state, player):
    """Cards by type that `player` has not seen, as a word: the deck and the other's hidden cards."""
    other = 1 - player
    return state[DECK_WORD] + (state[HOLD + other] & GOODS_LANES) - state[KNOWN + other]


@njit(cache=True, nogil=True)
def good_column(good, tokens, table, index):
    """Column of one of the six tables of a good."""
    return GOOD[good] + tokens * GOOD_STRIDE + GOOD_COLUMNS[table] + index


@njit(cache=True, nogil=True)
def pool_column(good, tokens, unseen, own):
    """Column of POOL."""
    return POOL[good] + tokens * POOL_STRIDE + unseen * OWN_AXIS + own


@njit(cache=True, nogil=True)
def unseen_column(kind, unseen):
    """Column of UNSEEN."""
    return UNSEEN + kind * UNSEEN_AXIS + unseen


@njit(cache=True, nogil=True)
def tempo_column(own_hand, other_hand, camels):
    """Column of TEMPO."""
    return TEMPO + (own_hand * OWN_AXIS + other_hand) * MARKET_AXIS + camels


@njit(cache=True, nogil=True)
def herds_column(own, other):
    """Column of HERDS."""
    return HERDS + own * HERD_AXIS + other


@njit(cache=True, nogil=True)
def known_deck(state):
    """Deck size, made-up decks of more than FULL_DECK cards counting as full ones."""
    return min(deck_size(state), FULL_DECK)


@njit(cache=True, nogil=True)
def phase(deck):
    """Phase of the deck, 0 (no card left) to 8."""
    return (deck + 4) // 5


@njit(cache=True, nogil=True)
def active_columns(state, player, columns):
    """Describe the afterstate in `state`, made by `player`.

    columns: int32[ACTIVE], filled; of the last six the pairs share the weights (1 - w, w). Returns w, float32.
    """
    other = 1 - player
    unseen = unseen_cards(state, player)
    n = 0
    for good in range(rules.GOODS):
        t = lane(state[TOKENS], good)
        o = lane(state[HOLD + player], good)
        m = lane(state[MARKET], good)
        k = lane(state[KNOWN + other], good)
        columns[n] = good_column(good, t, 0, o)
        columns[n + 1] = good_column(good, t, 1, m)
        columns[n + 2] = good_column(good, t, 2, k)
        columns[n + 3] = good_column(good, t, 3, o * MARKET_AXIS + m)
        columns[n + 4] = good_column(good, t, 4, k * MARKET_AXIS + m)
        columns[n + 5] = good_column(good, t, 5, o * KNOWN_AXIS + k)
        columns[n + 6] = pool_column(good, t, lane(unseen, good), o)
        n += 7
    for kind in range(rules.TYPES):
        columns[n] = unseen_column(kind, lane(unseen, kind))
        n += 1
    own_herd = lane(state[HOLD + player], rules.CAMEL)
    other_herd = lane(state[HOLD + other], rules.CAMEL)
    own_size = hand_size(state, player)
    other_size = hand_size(state, other)
    camels = lane(state[MARKET], rules.CAMEL)
    deck = known_deck(state)
    near_end = stage(state[TOKENS])
    columns[n] = OWN_HERD + own_herd
    columns[n + 1] = OTHER_HERD + other_herd
    columns[n + 2] = LEVEL + own_herd - other_herd
    columns[n + 3] = herds_column(own_herd, other_herd)
    columns[n + 4] = CAMELS + camels
    columns[n + 5] = VACANT + vacancies(state)
    columns[n + 6] = OWN_HAND + own_size
    columns[n + 7] = OTHER_HAND + other_size
    columns[n + 8] = OTHER_HIDDEN + other_size - total(state[KNOWN + other])
    columns[n + 9] = tempo_column(own_size, other_size, camels)
    columns[n + 10] = DECK + deck
    columns[n + 11] = EMPTY + empty_piles(state)
    columns[n + 12] = END + phase(deck) * STAGES + near_end
    n += 13
    for tier in range(rules.TIERS):
        columns[n] = BONUS + tier * BONUS_AXIS + bonus_left(state, tier)
        n += 1
    lower, weight = score_bin(rupees_ahead(state, player))
    lead = camel_lead(own_herd - other_herd)
    columns[n] = SCORE + lower
    columns[n + 2] = SCORE_DECK + phase(deck) * SCORE_BINS + lower
    columns[n + 4] = SCORE_CAMELS + (lead * STAGES + near_end) * SCORE_BINS + lower
    for pair in range(3):
        columns[n + 2 * pair + 1] = columns[n + 2 * pair] + 1
    return weight
