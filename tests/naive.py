"""The evaluation, plain and slow: what a player knows of an afterstate as named facts, the network as one formula,
and the odds of a finished round by going through every way in which the unseen bonus tokens can lie.

`down` are the tiers (3, 4 or 5) of a player's own bonus tokens whose values he does not know; they are in no `bonus`.
"""

from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import numpy as np
import plain

from engine.features import ACTIVE, COLUMNS, active_columns
from engine.network import HEADS, HIDDEN_UNITS, Parameters
from engine.state import STATE_WORDS, play

Fact = tuple[str | int, ...]
MARGIN_UNIT = 30
STAGES = 16
SCORE_COLUMNS = 6


def afterstate(table: plain.Table, move: str) -> tuple[plain.Table, list[int]]:
    """The table right after a move of the same mover, without refill, and the tier of a bonus token earned by it."""
    after = deepcopy(table)
    after.deck = []
    plain.play(after, move)
    after.turn, after.deck = table.turn, list(table.deck)
    earned = [after.mover.bonus.pop()] if len(after.mover.bonus) > len(table.mover.bonus) else []
    return after, [tier for tier, values in plain.BONUS.items() if set(earned) & set(values)]


# ---- facts ----


def facts(table: plain.Table, player: int) -> list[Fact]:
    """All facts but the score, in the order of the columns."""
    own, other = table.players[player], table.players[1 - player]
    hidden = list(other.hand)
    for card in other.seen:
        hidden.remove(card)
    unseen = table.deck + hidden
    found: list[Fact] = []
    for good in plain.GOODS:
        t, o = len(table.tokens[good]), own.hand.count(good)
        m, k = table.market.count(good), other.seen.count(good)
        found += [("own", good, t, o), ("market", good, t, m), ("seen", good, t, k)]
        found += [("own, market", good, t, o, m), ("seen, market", good, t, k, m), ("own, seen", good, t, o, k)]
        found += [("pool", good, t, unseen.count(good), o)]
    found += [("unseen", card, unseen.count(card)) for card in plain.TYPES]
    camels = table.market.count(plain.CAMEL)
    return [
        *found,
        ("own herd", own.herd),
        ("other herd", other.herd),
        ("lead", own.herd - other.herd),
        ("herds", own.herd, other.herd),
        ("camels", camels),
        ("vacant", 5 - len(table.market)),
        ("own hand", len(own.hand)),
        ("other hand", len(other.hand)),
        ("other hidden", len(hidden)),
        ("tempo", len(own.hand), len(other.hand), camels),
        ("deck", len(table.deck)),
        ("empty", sum(not pile for pile in table.tokens.values())),
        ("end", phase(table), stage(table)),
        *(("bonus", tier, len(pile)) for tier, pile in table.bonus.items()),
    ]


def score_facts(table: plain.Table, player: int, lower: int) -> list[Fact]:
    """The facts that tell the score, when it lies between the bins `lower` and `lower` + 1."""
    own, other = (table.players[i].herd for i in (player, 1 - player))
    lead = (own > other) - (own < other)
    return [
        fact
        for place in ((), ("deck", phase(table)), ("camels", lead, stage(table)))
        for fact in (("score", *place, lower), ("score", *place, lower + 1))
    ]


def phase(table: plain.Table) -> int:
    return -(-len(table.deck) // 5)


def stage(table: plain.Table) -> int:
    return sum(sorted(len(pile) for pile in table.tokens.values())[:3])


def ahead(table: plain.Table, player: int, down: Sequence[int] = ()) -> Fraction:
    """Expected rupees ahead: each token that a player does not know counts as the mean of those he has not seen."""
    own, other = table.players[player], table.players[1 - player]
    expected = Fraction(sum(own.tokens) + sum(own.bonus) - sum(other.tokens))
    for tier, values in plain.BONUS.items():
        unseen = unseen_bonus(own, tier)
        unknown = list(down).count(tier) - sum(value in values for value in other.bonus)
        expected += unknown * Fraction(sum(unseen), max(len(unseen), 1))
    return expected


def unseen_bonus(own: plain.Player, tier: int) -> tuple[int, ...]:
    """Bonus tokens of a tier that a player has never seen face up."""
    return tuple((Counter(plain.BONUS[tier]) - Counter(own.bonus)).elements())


# ---- the network ----


def random_parameters(seed: int, heads: int = HEADS) -> Parameters:
    """Parameters all different from zero, whose outputs are neither all alike nor all 0 or 1."""
    draw = np.random.default_rng(seed)
    shapes = ((COLUMNS, HIDDEN_UNITS), (HIDDEN_UNITS,), (heads, 2, HIDDEN_UNITS), (heads, 2))
    return Parameters(*((draw.standard_normal(shape) * 0.1).astype(np.float32) for shape in shapes))


def outputs(
    parameters: Parameters, columns: np.ndarray, weight: np.ndarray, stages: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Column weights [n, ACTIVE], hidden sums [n, HIDDEN_UNITS], heads [n] and outputs [n, 2], of n afterstates."""
    weights = np.ones(columns.shape)
    weights[:, -SCORE_COLUMNS::2] = 1 - weight[:, None]
    weights[:, -SCORE_COLUMNS + 1 :: 2] = weight[:, None]
    hidden = parameters.bias + np.einsum("nj,njh->nh", weights, parameters.columns[columns])
    heads = stages * len(parameters.out) // STAGES
    out = np.einsum("nh,noh->no", np.maximum(hidden, 0), parameters.out[heads]) + parameters.out_bias[heads]
    return weights, hidden, heads, out


def sigmoid(logit: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-logit))


def played(state: np.ndarray, move: int) -> np.ndarray:
    """The afterstate of a move, in the engine's words."""
    after = np.empty(STATE_WORDS, np.uint64)
    after[:] = state
    play(after, np.uint64(move))
    return after


def described(state: np.ndarray, player: int) -> tuple[np.ndarray, np.float32]:
    """The columns of an afterstate, and the weight of the upper score bins."""
    columns = np.full(ACTIVE, -1, np.int32)
    return columns, active_columns(state, player, columns)


# ---- finished rounds ----


def finished(table: plain.Table, player: int, down: Sequence[int] = ()) -> tuple[Fraction, Fraction, Fraction]:
    """Probability of the seal, probability of a draw and expected margin of a player, the round being over."""
    own, other = table.players[player], table.players[1 - player]
    lead = sum(own.tokens) + sum(own.bonus) - sum(other.tokens)
    lead += plain.CAMEL_TOKEN * ((own.herd > other.herd) - (own.herd < other.herd))
    tie = (len(own.bonus) + len(down), len(own.tokens)), (len(other.bonus), len(other.tokens))
    ways = [
        bonus_differences(
            unseen_bonus(own, tier), list(down).count(tier), sum(value in values for value in other.bonus)
        )
        for tier, values in plain.BONUS.items()
    ]
    total = win = draw = margins = 0
    for tiers in product(*(way.items() for way in ways)):
        weight = int(np.prod([count for _, count in tiers], dtype=object))
        margin = lead + sum(difference for difference, _ in tiers)
        total += weight
        win += weight * ((margin, tie[0]) > (0, tie[1]))
        draw += weight * ((margin, tie[0]) == (0, tie[1]))
        margins += weight * margin
    return Fraction(win, total), Fraction(draw, total), Fraction(margins, total)


@cache
def bonus_differences(unseen: tuple[int, ...], mine: int, others: int) -> Counter[int]:
    """Own less other rupees, over every choice of the tokens before oneself and then of those before the other."""
    found: Counter[int] = Counter()
    places = set(range(len(unseen)))
    for own in combinations(places, mine):
        for other in combinations(places - set(own), others):
            found[sum(unseen[i] for i in own) - sum(unseen[i] for i in other)] += 1
    return found
