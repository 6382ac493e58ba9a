"""Streams steered to chosen numbers: SplitMix64 run backwards, so that tests can go through every draw there is."""

from collections.abc import Iterator

import numpy as np

from engine.streams import GOLDEN, MIX1, MIX2

WORD = 2**64


def unshifted(x: int, shift: int) -> int:
    """The y with y ^ (y >> shift) == x."""
    y = x
    for _ in range(64 // shift):
        y = x ^ (y >> shift)
    return y


def before_mixing(word: int) -> int:
    """Inverse of `streams.mixed`."""
    x = unshifted(word, 31) * pow(int(MIX2), -1, WORD) % WORD
    x = unshifted(x, 27) * pow(int(MIX1), -1, WORD) % WORD
    return unshifted(x, 30)


def stream_to(word: int) -> np.ndarray:
    """A stream whose next 64 bits are `word`."""
    return np.array([(before_mixing(word) - int(GOLDEN)) % WORD], np.uint64)


def first_word(index: int, n: int) -> int:
    """The smallest 64 random bits of which `below(stream, n)` makes `index`."""
    return -(-(index << 32) // n) << 32


def streams_below(n: int) -> Iterator[np.ndarray]:
    """A stream for each number that `below(stream, n)` can give, in order."""
    for index in range(n):
        yield stream_to(first_word(index, n))


def drawn_once(start: int, stream: np.ndarray) -> bool:
    """Whether `stream` has given one number since its word was `start`."""
    return int(stream[0]) == (start + int(GOLDEN)) % WORD
