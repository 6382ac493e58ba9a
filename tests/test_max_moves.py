"""The most legal moves that a position can have, proved by counting them for every market, hand and herd.

A player's moves depend on the market, his hand and his herd alone. An exchange takes goods of one set of kinds
and gives goods of a set disjoint from it, and camels. So the exchanges between every market and every hand are a
sum of matrix products, one for each size: taken[market, kinds] @ disjoint[kinds, kinds] @ given[hand, kinds].
"""

from collections.abc import Iterator
from itertools import combinations_with_replacement, product

import numpy as np
import plain
import pytest
from plain import Player, Table

MOST = 167

HERDS = range(plain.CARDS["camel"] + 1)
KINDS = 2 ** len(plain.GOODS)
"""Sets of goods, as bits."""
DISJOINT = np.array([[one & other == 0 for other in range(KINDS)] for one in range(KINDS)], dtype=np.int64)


def multisets(types: int, size: int) -> Iterator[list[int]]:
    """Every multiset of `size` cards, as counts by type."""
    for cards in combinations_with_replacement(range(types), size):
        yield [cards.count(kind) for kind in range(types)]


MARKETS = np.array([*multisets(7, 5)])
"""Counts by type, int64 (462, 7)."""
HANDS = np.array([hand for size in range(8) for hand in multisets(6, size)])
"""Counts by good, int64 (1716, 6)."""
ROOM = 7 - HANDS.sum(axis=1)


def parts(goods: np.ndarray) -> np.ndarray:
    """Number of choices from each row of goods (n, 6), by size 0 to 5 and by kinds chosen: int64 (6, n, KINDS)."""
    counts = np.zeros((6, len(goods), KINDS), dtype=np.int64)
    for row, holding in enumerate(goods):
        for part in product(*(range(count + 1) for count in holding)):
            if sum(part) <= 5:
                counts[sum(part), row, sum(1 << good for good in range(6) if part[good])] += 1
    return counts


TAKEN = parts(MARKETS[:, :6])
GIVEN = parts(HANDS)


def exchanges(herd: int) -> np.ndarray:
    """Number of exchanges, int64 (markets, hands). Each camel given needs room in the hand."""
    total = np.zeros((len(MARKETS), len(HANDS)), dtype=np.int64)
    for size in range(2, 6):
        given = sum(GIVEN[size - camels] * (camels <= ROOM)[:, None] for camels in range(min(herd, size) + 1))
        total += TAKEN[size] @ DISJOINT @ given.T
    return total


def takes_and_sales() -> np.ndarray:
    """Number of the other moves, int64 (markets, hands)."""
    takes = np.outer((MARKETS[:, :6] > 0).sum(axis=1), ROOM > 0) + (MARKETS[:, 6:] > 0)
    sales = np.maximum(HANDS + 1 - [plain.LEAST_SALE[good] for good in plain.GOODS], 0).sum(axis=1)
    return takes + sales


def possible(herd: int) -> np.ndarray:
    """Whether there are cards enough: bool (markets, hands)."""
    cards = np.array([*plain.CARDS.values()])
    goods = (MARKETS[:, None, :6] + HANDS <= cards[:6]).all(axis=2)
    return goods & (MARKETS[:, 6:] + herd <= cards[6])


@pytest.fixture(scope="module")
def counts() -> np.ndarray:
    """Number of legal moves, int64 (herds, markets, hands); 0 where there are not cards enough."""
    return np.array([np.where(possible(herd), exchanges(herd) + takes_and_sales(), 0) for herd in HERDS])


def table(herd: int, market: int, hand: int) -> Table:
    """The table of an entry of `counts`."""
    market_cards = [card for card, count in zip(plain.TYPES, MARKETS[market], strict=True) for _ in range(count)]
    hand_cards = [good for good, count in zip(plain.GOODS, HANDS[hand], strict=True) for _ in range(count)]
    return Table(market_cards, [Player(hand_cards, herd), Player([])])


def test_no_position_has_more_moves(counts: np.ndarray) -> None:
    assert counts.max() == MOST


def test_positions_with_most_moves(counts: np.ndarray) -> None:
    """Five dear goods of all three kinds in the market, two of each cheap good in the hand, a camel or more."""
    best = np.argwhere(counts == MOST)
    assert len(best) == 3 * len(HERDS[1:])
    for herd, market, hand in best:
        assert herd >= 1
        assert sorted(MARKETS[market]) == [0, 0, 0, 0, 1, 2, 2]
        assert MARKETS[market, 3:].sum() == 0
        assert HANDS[hand].tolist() == [0, 0, 0, 2, 2, 2]
        assert len(plain.legal_moves(table(herd, market, hand))) == MOST


def test_every_position_has_a_move(counts: np.ndarray) -> None:
    assert all(np.array_equal(counts[herd] > 0, possible(herd)) for herd in HERDS)


def test_counts_are_those_of_the_rules(counts: np.ndarray) -> None:
    for herd, market, hand in np.random.default_rng(1).choice(np.argwhere(counts), 500):
        assert len(plain.legal_moves(table(herd, market, hand))) == counts[herd, market, hand]
