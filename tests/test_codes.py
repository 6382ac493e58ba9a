"""Move codes: exact layout and round trips."""

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from engine.codes import decode, encode

NOTHING = (0,) * 7
COUNTS = st.tuples(*[st.integers(0, 7)] * 7)


@pytest.mark.parametrize(
    ("taken", "given", "code"),
    [
        ((0, 1, 0, 0, 0, 0, 0), NOTHING, 0x10),
        ((0, 0, 0, 0, 0, 0, 1), NOTHING, 0x1000000),
        (NOTHING, (0, 0, 0, 0, 0, 3, 0), 0x00300000_00000000),
        ((0, 2, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 1, 1), 0x01100000_00000020),
    ],
    ids=["take gold", "take camels", "sell 3 leather", "exchange gold gold for leather camel"],
)
def test_layout(taken: tuple[int, ...], given: tuple[int, ...], code: int) -> None:
    assert encode(taken, given) == code
    assert decode(code) == (taken, given)


@examples(COUNTS, COUNTS)
def test_decode_is_the_inverse_of_encode(taken: tuple[int, ...], given: tuple[int, ...]) -> None:
    code = encode(taken, given)
    assert 0 <= code < 2**63
    assert decode(code) == (taken, given)
