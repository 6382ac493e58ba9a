"""Hidden hands: chances against a count of all hands, and draws against their chances."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb, prod

import numpy as np
import plain
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packed import packed

from engine import rules, streams
from engine.hands import AXIS, chances_of, draw_hand, set_chances
from engine.infoset import information_set
from engine.lanes import pack, unpack

Hand = tuple[int, ...]

POOLS = st.lists(st.integers(0, 10), min_size=rules.GOODS, max_size=rules.GOODS).filter(any)
SHAPE = (rules.GOODS, AXIS)
WEIGHTS = st.integers(0, 2**32 - 1).map(lambda seed: np.exp(np.random.default_rng(seed).normal(0, 2, SHAPE)))


def powers(weights: list[float]) -> np.ndarray:
    """Weights of sets that are those of their cards one by one: Fisher's distribution."""
    return np.array(weights)[:, None] ** np.arange(AXIS)


def hands(pool: list[int], size: int, weights: np.ndarray) -> dict[Hand, Fraction]:
    """Every hand of a pool with its probability, by counting."""
    ways: dict[Hand, Fraction] = {}
    for hand in product(*(range(min(n, size) + 1) for n in pool)):
        if sum(hand) == size:
            ways[hand] = Fraction(prod(map(comb, pool, hand)))
            ways[hand] *= prod(Fraction(float(row[h])) for h, row in zip(hand, weights, strict=True))
    whole = sum(ways.values())
    return {hand: way / whole for hand, way in ways.items()}


def chances_for(pool: list[int], size: int, weights: np.ndarray) -> np.ndarray:
    chances = np.full((rules.GOODS, AXIS, AXIS), np.nan)
    set_chances(pack(pool), size, weights, chances)
    return chances


def probability(chances: np.ndarray, hand: Hand) -> float:
    """Probability that the hand is drawn, good by good."""
    left, product = sum(hand), 1.0
    for good, count in enumerate(hand):
        row = chances[good, left]
        product *= row[count] - (row[count - 1] if count else 0.0)
        left -= count
    return product


@given(POOLS, st.integers(0, rules.HAND_LIMIT), WEIGHTS)
@settings(max_examples=25)
def test_chances_are_those_of_all_hands_counted(pool: list[int], size: int, weights: np.ndarray) -> None:
    size = min(size, sum(pool))
    chances = chances_for(pool, size, weights)
    for hand, chance in hands(pool, size, weights).items():
        assert probability(chances, hand) == pytest.approx(float(chance), rel=1e-9, abs=1e-12)


def test_equal_weights_make_all_sets_of_cards_alike() -> None:
    pool = [1, 2, 0, 3, 0, 2]
    chances = chances_for(pool, 3, powers([2.5] * rules.GOODS))
    for hand in hands(pool, 3, powers([1.0] * rules.GOODS)):
        ways = prod(comb(n, h) for n, h in zip(pool, hand, strict=True))
        assert probability(chances, hand) == pytest.approx(ways / comb(8, 3))


def drawn(chances: np.ndarray, size: int, count: int) -> Counter[Hand]:
    stream = np.empty(1, np.uint64)
    found: Counter[Hand] = Counter()
    for number in range(count):
        streams.set_stream(stream, 1, number, streams.WORLD)
        found[unpack(draw_hand(chances, size, stream), rules.GOODS)] += 1
    return found


@pytest.mark.parametrize("size", [1, 3, 7])
def test_draws_come_as_often_as_their_chances(size: int) -> None:
    """Chi-square over all hands that are expected five times or more; four standard deviations are allowed."""
    pool, weights, count = [2, 1, 3, 2, 0, 4], powers([3.0, 0.5, 1.0, 2.0, 9.0, 0.125]), 20_000
    weights[2, 2:] *= 4.0  # two or three silver are kept together
    expected = {hand: float(count * chance) for hand, chance in hands(pool, size, weights).items()}
    found = drawn(chances_for(pool, size, weights), size, count)
    assert set(found) <= set(expected)
    likely = {hand: mean for hand, mean in expected.items() if mean >= 5}
    rare = count - sum(likely.values()), count - sum(found[hand] for hand in likely)
    chi_square = sum((found[hand] - mean) ** 2 / mean for hand, mean in likely.items())
    chi_square += (rare[1] - rare[0]) ** 2 / rare[0] if rare[0] > 5 else 0.0
    freedom = len(likely) - (rare[0] <= 5)
    assert freedom >= 4
    assert abs(chi_square - freedom) < 4 * np.sqrt(2 * freedom)


@given(POOLS, st.integers(0, rules.HAND_LIMIT), WEIGHTS, st.integers(0, 2**32))
def test_a_drawn_hand_is_in_the_pool(pool: list[int], size: int, weights: np.ndarray, seed: int) -> None:
    size = min(size, sum(pool))
    stream = np.array([seed], np.uint64)
    hand = unpack(draw_hand(chances_for(pool, size, weights), size, stream), 8)
    assert sum(hand) == size
    assert all(h <= n for h, n in zip(hand, [*pool, 0, 0], strict=True))


def test_a_pool_that_is_no_larger_than_the_hand_is_the_hand() -> None:
    pool = [0, 2, 1, 0, 3, 1]
    assert drawn(chances_for(pool, 7, powers([1e-6, 1e6, 1.0, 1.0, 1e-6, 1.0])), 7, 50) == {tuple(pool): 50}


def test_chances_of_information_sets() -> None:
    """Each has its own pool, the goods in the deck and the hidden ones, and its own number of hidden cards."""
    table = plain.Table(["camel"] * 5, [plain.Player(["cloth"]), plain.Player(["gold", "spice"], 1, seen=["spice"])])
    table.deck = ["silver", "leather", "leather", "camel"]
    infos = np.empty((2, *packed(table).shape), np.uint64)
    for player in range(2):
        information_set(packed(table), player, infos[player])
    weights = np.array([powers([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), powers([6.0, 5.0, 4.0, 3.0, 2.0, 1.0])])
    chances = chances_of(infos, weights)
    for player, pool in enumerate([[0, 1, 1, 0, 0, 2], [0, 0, 1, 1, 0, 2]]):
        for hand, chance in hands(pool, 1, weights[player]).items():
            assert probability(chances[player], hand) == pytest.approx(float(chance))
