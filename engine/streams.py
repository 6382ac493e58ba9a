"""Keyed streams of random numbers: a stream is a function of (seed, world, purpose) and nothing else.

A stream is one `uint64` in an array of length 1, advanced by SplitMix64 (Steele, Lea and Flood 2014).
"""

import numpy as np
from numba import njit

U = np.uint64

GOLDEN = U(0x9E3779B97F4A7C15)
MIX1 = U(0xBF58476D1CE4E5B9)
MIX2 = U(0x94D049BB133111EB)

DEAL, WORLD, PLAYOUT, EXPLORE, MEASURE = range(5)
"""Purposes of streams."""


@njit(cache=True, nogil=True)
def mixed(x):
    """SplitMix64's finalizer: a bijection of 64-bit words that scatters its input."""
    x = (x ^ (x >> U(30))) * MIX1
    x = (x ^ (x >> U(27))) * MIX2
    return x ^ (x >> U(31))


@njit(cache=True, nogil=True)
def set_stream(stream, seed, world, purpose):
    """Start `stream` (uint64[1]) at the key (seed, world, purpose), three integers."""
    stream[0] = mixed(mixed(mixed(U(seed)) + U(world)) + U(purpose))


@njit(cache=True, nogil=True)
def next_word(stream):
    """Next 64 random bits."""
    stream[0] += GOLDEN
    return mixed(stream[0])


@njit(cache=True, nogil=True)
def below(stream, n):
    """Random integer from 0 to n-1, n from 1 to 2**31; off uniform by less than n / 2**32."""
    return np.int64(((next_word(stream) >> U(32)) * U(n)) >> U(32))


@njit(cache=True, nogil=True)
def uniform(stream):
    """Random float64 in [0, 1)."""
    return np.float64(np.int64(next_word(stream) >> U(11))) * (1.0 / 9007199254740992.0)
