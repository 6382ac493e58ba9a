"""Random streams: SplitMix64 itself, its keys, and the exact ranges of what is made of it."""

from itertools import product

import numpy as np
import pytest
import steer
from hypothesis import given
from hypothesis import strategies as st

from engine import streams
from engine.lanes import U

WORDS = st.integers(0, 2**64 - 1)


def keyed(seed: int, world: int, purpose: int) -> np.ndarray:
    stream = np.zeros(1, np.uint64)
    streams.set_stream(stream, seed, world, purpose)
    return stream


def test_published_numbers() -> None:
    """The first numbers of SplitMix64 from the seed 1234567, as other implementations give them."""
    stream = np.array([1234567], np.uint64)
    assert [int(streams.next_word(stream)) for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_a_key_is_all_that_counts() -> None:
    keys = list(product(range(20), range(20), range(4)))
    assert len({int(keyed(*key)[0]) for key in keys}) == len(keys)
    assert keyed(7, 5, streams.WORLD) == keyed(7, 5, streams.WORLD)


@given(WORDS)
def test_streams_can_be_steered(word: int) -> None:
    assert int(streams.mixed(U(steer.before_mixing(word)))) == word
    assert int(streams.next_word(steer.stream_to(word))) == word


@given(st.integers(1, 2**31), st.data())
def test_below_shares_all_words_out_in_order(n: int, data: st.DataObject) -> None:
    """The words of an index follow on those of the index before, so the shares differ by one in 2**32 at most."""
    index = data.draw(st.integers(0, n - 1))
    first, following = steer.first_word(index, n), steer.first_word(index + 1, n)
    assert streams.below(steer.stream_to(first), n) == index
    assert streams.below(steer.stream_to(following - 1), n) == index


@pytest.mark.parametrize(("word", "value"), [(0, 0.0), (2**63, 0.5), (2**64 - 1, 1 - 2**-53)])
def test_uniform(word: int, value: float) -> None:
    assert streams.uniform(steer.stream_to(word)) == value
