"""Legal moves: the complete list, and a random one that is exactly uniform."""

from collections import Counter
from math import comb

import numpy as np
import plain
import pytest
import steer
from hypothesis import assume, given
from packed import SUBSETS, TABLES, legal, made_up, packed, text

from engine import rules, streams
from engine.codes import encode
from engine.lanes import U, pack
from engine.moves import MAX_MOVES, legal_moves, random_move, rank


def hands(size: int, types: int = rules.GOODS) -> list[tuple[int, ...]]:
    """Every multiset of at most `size` goods."""
    if types == 0:
        return [()]
    return [(count, *rest) for count in range(size + 1) for rest in hands(size - count, types - 1)]


def test_every_hand_has_its_own_rank() -> None:
    everything = hands(rules.HAND_LIMIT)
    assert len(everything) == comb(13, 6)
    assert {rank(pack(hand)) for hand in everything} == set(range(len(everything)))


def test_tables_list_every_part_of_every_hand() -> None:
    for hand in hands(rules.HAND_LIMIT)[::7]:
        start = SUBSETS.start[rank(pack(hand))]
        cards = [good for good, count in zip(plain.GOODS, hand, strict=True) for _ in range(count)]
        for size in range(rules.MAX_EXCHANGE + 1):
            parts = [tuple(part.count(good) for good in plain.GOODS) for part in plain.multisets(cards, size)]
            codes = [encode(part, ()) | sum(1 << (32 + i) for i in range(6) if part[i]) for part in parts]
            assert sorted(SUBSETS.entries[start[size] : start[size + 1]]) == sorted(codes)


@given(TABLES)
def test_legal_moves_are_those_of_the_plain_twin(table: plain.Table) -> None:
    """None is missing, none is listed twice, and there is always one while the round goes on."""
    moves = legal(packed(table))
    assert moves == plain.legal_moves(table)
    assert bool(moves) == (plain.over(table) is None)


def test_the_buffer_is_not_overrun() -> None:
    for seed in range(300):
        moves = np.full(MAX_MOVES + 8, 2**64 - 1, np.uint64)
        n = legal_moves(packed(made_up(seed)), SUBSETS, moves)
        assert n < MAX_MOVES
        assert (moves[MAX_MOVES:] == 2**64 - 1).all()


@given(TABLES)
def test_every_legal_move_is_chosen_by_one_number(table: plain.Table) -> None:
    """Of all numbers that a random move starts with, each legal move has just one; the others lead to a new choice."""
    assume(plain.over(table) is None)
    chosen = []
    for stream in steer.streams_below(choices(table)):
        start = int(stream[0])
        move = text(int(random_move(packed(table), SUBSETS, stream)))
        if steer.drawn_once(start, stream):
            chosen.append(move)
    assert sorted(chosen) == plain.legal_moves(table)


def choices(table: plain.Table) -> int:
    """Takes, sales, and pairs of cards taken and given that may share a type."""
    mover = table.mover
    goods = [card for card in table.market if card != plain.CAMEL]
    camels = min(mover.herd, 7 - len(mover.hand))
    pairs = 0
    for size in range(2, 6):
        own = mover.hand + [plain.CAMEL] * min(camels, size)
        pairs += len(plain.multisets(goods, size)) * len(plain.multisets(own, size))
    return len([*plain.takes(table), *plain.sales(table)]) + pairs


@pytest.mark.parametrize(
    ("market", "hand", "herd"),
    [
        ("camel camel camel gold spice", "leather silver gold", 2),
        ("diamond gold silver cloth spice", "diamond gold silver cloth leather leather", 4),
        ("gold gold spice leather leather", "cloth cloth silver silver spice spice spice", 3),
        ("gold gold silver silver spice", "diamond cloth leather", 5),
        ("camel camel camel camel leather", "", 0),
    ],
)
def test_random_moves_pass_a_chi_square_test(market: str, hand: str, herd: int) -> None:
    table = plain.Table(market.split(), [plain.Player(hand.split(), herd), plain.Player([])])
    words, moves = packed(table), plain.legal_moves(table)
    stream = np.empty(1, np.uint64)
    streams.set_stream(stream, 1, 0, streams.PLAYOUT)
    expected = 200
    drawn = Counter(int(random_move(words, SUBSETS, stream)) for _ in range(expected * len(moves)))
    assert sorted(map(text, drawn)) == moves
    chi_square = sum((count - expected) ** 2 / expected for count in drawn.values())
    freedom = len(moves) - 1
    assert abs(chi_square - freedom) < 4 * np.sqrt(2 * freedom)


def test_random_move_leaves_the_table_alone() -> None:
    table = packed(made_up(3))
    as_it_was = table.copy()
    random_move(table, SUBSETS, np.array([U(5)]))
    assert np.array_equal(table, as_it_was)
