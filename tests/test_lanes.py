"""Lane arithmetic against tuples of counts."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import lanes
from engine.lanes import U, pack, unpack

LANES = st.tuples(*[st.integers(0, 127)] * 8)


def sharing(most: int) -> st.SearchStrategy[list[int]]:
    """Eight counts that sum up to at most `most`."""
    cuts = st.lists(st.integers(0, most), min_size=8, max_size=8).map(sorted)
    return cuts.map(lambda ends: [end - start for start, end in pairwise([0, *ends])])


def test_layout() -> None:
    assert pack((1, 2, 3)) == 0x030201
    assert pack((0,) * 7 + (127,)) == 0x7F00_0000_0000_0000
    assert unpack(U(0x030201), 4) == (1, 2, 3, 0)
    assert unpack(lanes.GOODS_LANES) == (255,) * 6 + (0, 0)
    assert unpack(lanes.CAMEL_LANE) == (0,) * 6 + (255, 0)


@given(LANES)
def test_words_and_single_lanes(counts: tuple[int, ...]) -> None:
    word = pack(counts)
    assert unpack(word) == counts
    assert tuple(lanes.lane(word, i) for i in range(8)) == counts
    assert unpack(U(lanes.occupied(word))) == tuple(int(count > 0) for count in counts)


@pytest.mark.parametrize("i", range(8))
def test_one(i: int) -> None:
    assert unpack(U(lanes.one(i))) == tuple(int(j == i) for j in range(8))


@given(LANES, LANES)
def test_smaller_and_less(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    pairs = list(zip(a, b, strict=True))
    assert unpack(U(lanes.smaller(pack(a), pack(b)))) == tuple(min(pair) for pair in pairs)
    assert unpack(U(lanes.less(pack(a), pack(b)))) == tuple(max(x - y, 0) for x, y in pairs)


@given(sharing(255))
def test_total(counts: list[int]) -> None:
    assert lanes.total(pack(counts)) == sum(counts)


@given(sharing(127))
def test_cards_in_lane_order(counts: list[int]) -> None:
    """Every index finds its lane, and `before` counts the cards to the left of each lane."""
    laid_out = [i for i, count in enumerate(counts) for _ in range(count)]
    assert [lanes.lane_of(pack(counts), index) for index in range(len(laid_out))] == laid_out
    assert [lanes.before(pack(counts), i) for i in range(8)] == [sum(counts[:i]) for i in range(8)]
