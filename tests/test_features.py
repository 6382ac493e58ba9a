"""The columns against named facts: the same column for the same fact, and different ones for different facts."""

import random
from itertools import pairwise, product

import numpy as np
import plain
import pytest
from hypothesis import assume, given
from naive import afterstate, ahead, described, facts, played, score_facts, stage
from packed import JIT, TABLES, code, made_up, packed
from sight import seen_by

from engine import features, rules, state
from engine.infoset import information_set

TABLES_NAMED = 600 if JIT else 25
MOVES_NAMED = 8
MOST_CARDS = 40
"""In the deck."""


def test_columns_are_names_of_facts() -> None:
    """Afterstates of all kinds of moves; a column that told two facts, or a fact told by two columns, would show."""
    column_of: dict[object, int] = {}
    fact_of: dict[int, object] = {}
    for seed in range(TABLES_NAMED):
        table = made_up(seed)
        if len(table.deck) > MOST_CARDS:
            continue
        moves = plain.legal_moves(table)
        for move in random.Random(seed).sample(moves, min(MOVES_NAMED, len(moves))):
            after, down = afterstate(table, move)
            columns, weight = described(played(packed(table), code(move)), table.turn)
            lower = int(columns[-6]) - features.SCORE
            place = min(max(float(ahead(after, table.turn, down)) / 4 + 20, 0), 39.999)
            assert 0 <= weight <= 1
            assert lower + float(weight) == pytest.approx(place, abs=1e-4)
            named = facts(after, table.turn) + score_facts(after, table.turn, lower)
            assert len(named) == len(columns) == features.ACTIVE
            for fact, column in zip(named, columns.tolist(), strict=True):
                assert column_of.setdefault(fact, column) == column, fact
                assert fact_of.setdefault(column, fact) == fact, column
    assert 0 <= min(fact_of) <= max(fact_of) < features.COLUMNS


def test_the_columns_of_goods_fill_their_place() -> None:
    """Every (t, o), (t, m), ... of every good has a column of its own, and none is left over before POOL."""
    own, market, known = range(8), range(6), range(8)
    axes = [own, market, known, product(own, market), product(known, market), product(own, known)]
    sizes = [len(list(axis)) for axis in axes]
    columns = [
        features.good_column(good, t, table, index)
        for good in range(rules.GOODS)
        for t in range(len(rules.TOKENS[good]) + 1)
        for table, size in enumerate(sizes)
        for index in range(size)
    ]
    assert columns == list(range(features.POOL[0]))


def test_the_columns_of_pools_fill_their_place() -> None:
    columns = [
        features.pool_column(good, t, unseen, own)
        for good in range(rules.GOODS)
        for t in range(len(rules.TOKENS[good]) + 1)
        for unseen in range(max(rules.CARDS) + 1)
        for own in range(8)
    ]
    assert columns == list(range(features.POOL[0], features.UNSEEN))


def test_the_other_groups_do_not_overlap() -> None:
    """Each group is as wide as its facts are many, and begins where the one before ends."""
    herd = rules.CARDS[rules.CAMEL] + 1
    widths = [
        (features.UNSEEN, 7 * 12),
        (features.OWN_HERD, herd),
        (features.OTHER_HERD, herd),
        (features.LEVEL - (herd - 1), 2 * herd - 1),
        (features.HERDS, herd * herd),
        (features.CAMELS, 6),
        (features.VACANT, 6),
        (features.OWN_HAND, 8),
        (features.OTHER_HAND, 8),
        (features.OTHER_HIDDEN, 8),
        (features.TEMPO, 8 * 8 * 6),
        (features.DECK, MOST_CARDS + 1),
        (features.EMPTY, 4),
        (features.BONUS, 3 * 8),
        (features.END, 9 * 16),
        (features.SCORE, 41),
        (features.SCORE_DECK, 9 * 41),
        (features.SCORE_CAMELS, 3 * 16 * 41),
        (features.COLUMNS, 0),
    ]
    for (first, width), (following, _) in pairwise(widths):
        assert first + width == following
    tempo = [features.tempo_column(*place) for place in product(range(8), range(8), range(6))]
    assert tempo == list(range(features.TEMPO, features.DECK))
    herds = [features.herds_column(*place) for place in product(range(herd), range(herd))]
    assert herds == list(range(features.HERDS, features.CAMELS))


@given(TABLES)
def test_the_columns_tell_what_the_player_knows_and_no_more(table: plain.Table) -> None:
    """A world is described as the information set of the player, which holds nothing that he does not know."""
    assume(len(table.deck) <= MOST_CARDS)
    for player in range(rules.PLAYERS):
        columns, weight = described(packed(table), player)
        blind_columns, blind_weight = described(seen_by(table, player), 0)
        assert columns.tolist() == blind_columns.tolist()
        assert weight == blind_weight


@given(TABLES)
def test_a_bonus_token_just_earned_is_known_to_nobody(table: plain.Table) -> None:
    """The other player expects of it what he has not seen himself."""
    assume(len(table.deck) <= MOST_CARDS)
    world = packed(table)
    for move in plain.legal_moves(table):
        if not move.startswith("sell"):
            continue
        after, down = afterstate(table, move)
        words = played(world, code(move))
        assert features.rupees_ahead(words, table.turn) == pytest.approx(float(ahead(after, table.turn, down)))
        info = np.empty_like(words)
        information_set(words, table.turn, info)
        assert features.rupees_ahead(info, 0) == features.rupees_ahead(words, table.turn)
        for tier in down:
            after.mover.bonus.append(min(plain.BONUS[tier]))
        assert features.rupees_ahead(words, 1 - table.turn) == pytest.approx(float(ahead(after, 1 - table.turn)))


@given(TABLES)
def test_stage_counts_the_three_smallest_piles(table: plain.Table) -> None:
    assert features.stage(packed(table)[state.TOKENS]) == stage(table)


@pytest.mark.parametrize(
    ("rupees", "lower", "weight"),
    [
        (0, 20, 0),
        (1, 20, 0.25),
        (-1, 19, 0.75),
        (7, 21, 0.75),
        (-80, 0, 0),
        (-500, 0, 0),
        (78, 39, 0.5),
        (500, 39, 0.999),
    ],
)
def test_score_bins_by_hand(rupees: float, lower: int, weight: float) -> None:
    """Bins of four rupees, 0 in the middle; beyond the outermost nothing changes."""
    got_lower, got_weight = features.score_bin(float(rupees))
    assert got_lower == lower
    assert got_weight == pytest.approx(weight, abs=1e-5)


@pytest.mark.parametrize(("deck", "phase"), [(0, 0), (1, 1), (5, 1), (6, 2), (40, 8)])
def test_phases_by_hand(deck: int, phase: int) -> None:
    assert features.phase(deck) == phase


def test_the_mean_of_bonus_tokens_by_hand() -> None:
    """Tokens 1 and 3 seen: 1 2 2 2 3 are left. Who has seen all of a tier expects nothing."""
    table = plain.lay(["gold"] * 5, [[], []])
    table.players[0].bonus = [1, 3, *plain.BONUS[5]]
    table.players[1].bonus = [2, 2]
    words = packed(table)
    assert [features.bonus_mean(words, 0, tier) for tier in range(3)] == [2, 5, 0]
    assert features.bonus_mean(words, 1, 0) == 10 / 5
    assert features.rupees_ahead(words, 0) == 4 + 45 - 2 * 2
    assert features.rupees_ahead(words, 1) == 4 - 2 * 2 - 5 * 9


@pytest.mark.parametrize(("herds", "lead"), [(-3, 0), (0, 1), (1, 2)])
def test_camel_lead_by_hand(herds: int, lead: int) -> None:
    assert features.camel_lead(herds) == lead
