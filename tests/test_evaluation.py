"""All moves evaluated together against one afterstate after the other, and that nothing hidden gets in."""

import random
from copy import deepcopy

import numpy as np
import plain
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from naive import MARGIN_UNIT, afterstate, described, finished, outputs, played, random_parameters, sigmoid, stage
from packed import SUBSETS, TABLES, packed, text
from sight import seen_by

from engine import features, rules
from engine.evaluation import evaluate, scratch
from engine.infoset import information_set
from engine.moves import MAX_MOVES
from engine.network import GOOD_ROWS, HEADS, Network, exponential, folded, fresh, head_of
from engine.network import sigmoid as float32_sigmoid

PARAMETERS = random_parameters(5)
NETWORK = folded(PARAMETERS)
SEEDS = st.integers(0, 2**32 - 1)
TOLERANCE = 2e-4


def evaluated(state: np.ndarray, network: Network = NETWORK) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Moves, seals and margins, in the order of the list."""
    moves = np.empty(MAX_MOVES, np.uint64)
    seal, margin = np.empty((2, MAX_MOVES), np.float32)
    n = evaluate(state, SUBSETS, network, scratch(), moves, seal, margin)
    return moves[:n], seal[:n], margin[:n]


def by_text(state: np.ndarray) -> dict[str, tuple[float, float]]:
    moves, seal, margin = evaluated(state)
    texts = [text(int(move)) for move in moves]
    assert len(set(texts)) == len(texts)
    return dict(zip(texts, zip(seal.tolist(), margin.tolist(), strict=True), strict=True))


def ends(table: plain.Table, move: str) -> bool:
    after = deepcopy(table)
    plain.play(after, move)
    return plain.over(after) is not None


def assert_all_moves_are_valued_one_by_one(table: plain.Table) -> None:
    moves, seal, margin = evaluated(packed(table))
    texts = [text(int(move)) for move in moves]
    assert sorted(texts) == plain.legal_moves(table)
    if not texts:
        return
    afters = [afterstate(table, move) for move in texts]
    described_afters = [described(played(packed(table), move), table.turn) for move in moves]
    columns = np.array([columns for columns, _ in described_afters])
    weight = np.array([weight for _, weight in described_afters])
    *_, out = outputs(PARAMETERS, columns, weight, np.array([stage(after) for after, _ in afters]))
    for i, (move, (after, down)) in enumerate(zip(texts, afters, strict=True)):
        if ends(table, move):
            win, draw, mean = finished(after, table.turn, down)
            assert seal[i] == pytest.approx(float(win + draw / 2), abs=1e-6), move
            assert margin[i] == pytest.approx(float(mean), abs=1e-5), move
        else:
            assert seal[i] == pytest.approx(sigmoid(out[i, 0]), abs=TOLERANCE), move
            assert margin[i] == pytest.approx(out[i, 1] * MARGIN_UNIT, abs=TOLERANCE * MARGIN_UNIT), move


@given(TABLES)
def test_every_move_has_the_value_of_its_afterstate(table: plain.Table) -> None:
    """The list is that of the legal moves; moves that end the round are valued exactly, by all that is unseen."""
    assume(len(table.deck) <= 40)
    assert_all_moves_are_valued_one_by_one(table)


@given(TABLES, SEEDS)
def test_moves_at_the_very_end(table: plain.Table, seed: int) -> None:
    """Few cards in the deck, two empty piles and one near it, nearly equal rupees."""
    rng = random.Random(seed)
    table.deck = table.deck[: rng.randint(0, 5)]
    for good, left in zip(rng.sample(plain.GOODS, 3), (0, 0, rng.randint(1, 4)), strict=True):
        table.tokens[good] = plain.TOKENS[good][-left:] if left else []
    for player in table.players:
        player.tokens = [30] * rng.randint(1, 2)
    assert_all_moves_are_valued_one_by_one(table)


@pytest.mark.parametrize("left", [0, 1])
def test_the_last_bonus_token_of_a_tier(left: int) -> None:
    """With it, and when it is gone."""
    table = plain.lay(["gold"] * 5, [["spice"] * 7, []], deck=["silver"] * 9)
    for tier, values in plain.BONUS.items():
        table.bonus[tier], table.players[1].bonus[len(table.players[1].bonus) :] = values[:left], values[left:]
    assert_all_moves_are_valued_one_by_one(table)


def test_moves_that_end_the_round_by_hand() -> None:
    """Three cloth win 2 + 1 + 1 rupees and a bonus token; the other holds one too, and 6 rupees of goods tokens.

    So the margin is own token - other token - 2. Of the 42 pairs of tokens, (3, 1) alone gives 0, in 2 x 2 ways; then
    the players have a bonus token each, and more goods tokens decide.
    """
    table = plain.Table(["gold"] * 5, [plain.Player(["cloth"] * 3), plain.Player([])], deck=["gold"] * 9)
    table.tokens |= {"gold": [], "silver": [], "cloth": [2, 1, 1]}
    table.players[1].bonus = [table.bonus[3].pop()]
    for tokens, seal in (([6], 4 / 42), ([3, 2, 1], 2 / 42), ([2, 2, 1, 1], 0)):
        table.players[1].tokens = tokens
        values = by_text(packed(table))
        assert values["sell 3 cloth"] == pytest.approx((seal, -2), abs=1e-6)
        assert values["sell 2 cloth"] != pytest.approx((seal, -2), abs=1e-6)


@pytest.mark.parametrize(
    ("deck_end", "deck", "ending"),
    [
        ("refill", 0, {"take gold", "take camels"}),
        ("refill", 1, {"take camels"}),
        ("refill", 2, set()),
        ("empty", 1, {"take gold", "take camels"}),
        ("empty", 2, {"take camels"}),
        ("empty", 3, set()),
    ],
)
def test_what_the_deck_ends(deck_end: str, deck: int, ending: set[str]) -> None:
    """Both rules for the end of the deck. One rupee ahead and no camels taken by the other: such an end is won."""
    market = ["gold", "gold", "gold", "camel", "camel"]
    me = plain.Player(["cloth", "cloth"], tokens=[5])
    table = plain.Table(market, [me, plain.Player([], tokens=[4])], deck=["silver"] * deck, deck_end=deck_end)
    values = by_text(packed(table))
    assert {move for move, (seal, _) in values.items() if seal == 1} == ending
    margins = {"take gold": 1, "take camels": 1 + 5}
    assert all(values[move][1] == margins[move] for move in ending)


def test_no_moves_when_the_round_is_over() -> None:
    table = plain.Table(["gold"] * 4, [plain.Player([]), plain.Player([])])
    assert len(evaluated(packed(table))[0]) == 0


@given(TABLES)
def test_the_table_is_left_alone(table: plain.Table) -> None:
    state = packed(table)
    evaluated(state)
    assert state.tobytes() == packed(table).tobytes()


# ---- nothing hidden gets in ----


def same_bytes(one: tuple[np.ndarray, ...], two: tuple[np.ndarray, ...]) -> bool:
    return [array.tobytes() for array in one] == [array.tobytes() for array in two]


def redealt(table: plain.Table, rng: random.Random) -> plain.Table:
    """Another table that the mover cannot tell from this one: hidden cards, deck and bonus tokens dealt once more."""
    again = deepcopy(table)
    other = again.players[1 - table.turn]
    hidden = list(other.hand)
    for card in other.seen:
        hidden.remove(card)
    goods = hidden + [card for card in table.deck if card != plain.CAMEL]
    camels = [plain.CAMEL] * table.deck.count(plain.CAMEL)
    rng.shuffle(goods)
    other.hand = other.seen + goods[: len(hidden)]
    again.deck = goods[len(hidden) :] + camels
    rng.shuffle(again.deck)
    other.bonus = []
    for tier, values in plain.BONUS.items():
        count = sum(value in values for value in table.players[1 - table.turn].bonus)
        unseen = table.bonus[tier] + [value for value in table.players[1 - table.turn].bonus if value in values]
        rng.shuffle(unseen)
        other.bonus += unseen[:count]
        again.bonus[tier] = unseen[count:]
    return again


@given(TABLES, SEEDS)
def test_the_evaluation_is_the_same_in_all_worlds_that_look_the_same(table: plain.Table, seed: int) -> None:
    assume(len(table.deck) <= 40)
    rng = random.Random(seed)
    values = evaluated(packed(table))
    for _ in range(3):
        assert same_bytes(values, evaluated(packed(redealt(table, rng))))


@given(TABLES)
def test_the_evaluation_of_a_world_is_that_of_its_information_set(table: plain.Table) -> None:
    """As the engine makes it of the world, and as it is by the rules."""
    assume(len(table.deck) <= 40)
    world = packed(table)
    info = np.empty_like(world)
    information_set(world, table.turn, info)
    assert same_bytes(evaluated(world), evaluated(info))
    assert same_bytes(evaluated(world), evaluated(seen_by(table, table.turn)))


# ---- the folded network ----


@pytest.mark.parametrize("heads", [1, HEADS])
def test_folding(heads: int) -> None:
    """A row of the folded network is the sum of the six columns of its good; a single head is repeated."""
    parameters = random_parameters(2, heads)
    network = folded(parameters)
    rows = set()
    for good in range(rules.GOODS):
        for t in range(len(rules.TOKENS[good]) + 1):
            for o, m, k in ((0, 0, 0), (7, 5, 7), (1, 2, 3), (6, 4, 5)):
                row = GOOD_ROWS[good] + ((t * 8 + o) * 6 + m) * 8 + k
                rows.add(row)
                six = ((0, o), (1, m), (2, k), (3, o * 6 + m), (4, k * 6 + m), (5, o * 8 + k))
                columns = [features.good_column(good, t, table, index) for table, index in six]
                np.testing.assert_allclose(network.good[row], parameters.columns[columns].sum(0), atol=1e-6)
    assert max(rows) == len(network.good) - 1
    assert np.array_equal(network.bias, parameters.bias)
    for head in range(HEADS):
        assert np.array_equal(network.out[head], parameters.out[head if heads == HEADS else 0])
        assert np.array_equal(network.out_bias[head], parameters.out_bias[head if heads == HEADS else 0])


def test_folding_of_implied_columns() -> None:
    """A column that another one implies is added to it; all others stay as they are."""
    parameters = random_parameters(2)
    columns, folded_columns = parameters.columns, folded(parameters).columns
    implied = {
        features.herds_column(7, 3): [features.OWN_HERD + 7, features.OTHER_HERD + 3, features.LEVEL + 4],
        features.herds_column(0, 11): [features.OWN_HERD, features.OTHER_HERD + 11, features.LEVEL - 11],
        features.tempo_column(6, 5, 4): [features.OWN_HAND + 6, features.OTHER_HAND + 5, features.CAMELS + 4],
        features.pool_column(3, 2, 7, 1): [features.unseen_column(3, 7)],
        features.SCORE_DECK + 8 * features.SCORE_BINS + 40: [features.SCORE + 40],
    }
    for column, others in implied.items():
        np.testing.assert_allclose(folded_columns[column], columns[[column, *others]].sum(0), atol=1e-6)
    changed = np.flatnonzero((folded_columns != columns).any(axis=1))
    for first, end in (
        (features.POOL[0], features.UNSEEN),
        (features.HERDS, features.CAMELS),
        (features.TEMPO, features.DECK),
        (features.SCORE_DECK, features.SCORE_CAMELS),
    ):
        changed = changed[(changed < first) | (changed >= end)]
    assert not len(changed)


def test_exponential() -> None:
    """Close everywhere between its ends, constant outside, and never falling."""
    x = np.linspace(-16, 16, 4001).astype(np.float32)
    y = np.array([exponential(value) for value in x], np.float64)
    np.testing.assert_allclose(y, np.exp(x.astype(np.float64)), rtol=2e-4)
    assert (np.diff(y) > 0).all()
    assert exponential(np.float32(99)) == exponential(np.float32(16))
    assert exponential(np.float32(-99)) == exponential(np.float32(-16))


def test_heads_by_hand() -> None:
    assert [head_of(stage) for stage in range(features.STAGES)] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]


def test_sigmoid_by_hand() -> None:
    values = [float32_sigmoid(np.float32(logit)) for logit in (0, np.log(3), -np.log(3), 100, -80)]
    assert values == pytest.approx([0.5, 0.75, 0.25, 1, 0], abs=1e-6)


def test_a_fresh_network_has_no_opinion_and_follows_its_seed() -> None:
    """All heads are alike, and so are all moves that do not end the round."""
    start = fresh(3)
    assert not start.columns.any()
    assert (start.out == start.out[0]).all()
    assert all(np.array_equal(a, b) for a, b in zip(start, fresh(3), strict=True))
    assert not np.array_equal(start.out, fresh(4).out)
    table = plain.deal(random.Random(1))
    _, seal, margin = evaluated(packed(table), folded(start))
    assert len(set(seal.tolist())) == len(set(margin.tolist())) == 1
