"""Multisets of cards as eight byte lanes of one 64-bit word, and the arithmetic on them.

Lane `i` (bits 8i to 8i+7) counts the cards of type `i`; every lane stays below 128, so that sums,
comparisons and minima of all lanes are a few word operations. All words are `uint64`: in numba a
mixture with signed integers would turn into floats.
"""

import numpy as np
from numba import njit

U = np.uint64

ONES = U(0x0101010101010101)
HIGH = U(0x8080808080808080)
LOW7 = U(0x7F7F7F7F7F7F7F7F)
BYTE = U(0xFF)
GOODS_LANES = U(0x0000FFFFFFFFFFFF)
CAMEL_LANE = U(0x00FF000000000000)


def pack(counts):
    """Word of up to eight lane counts (0 to 127 each)."""
    word = 0
    for i, count in enumerate(counts):
        word |= int(count) << (8 * i)
    return U(word)


def unpack(word, lanes=8):
    """Tuple of the first `lanes` counts of a word."""
    return tuple(int(word) >> (8 * i) & 0xFF for i in range(lanes))


@njit(cache=True, nogil=True)
def lane(word, i):
    """Count in lane `i`, int64."""
    return np.int64((word >> U(8 * i)) & BYTE)


@njit(cache=True, nogil=True)
def one(i):
    """Word with one card in lane `i`."""
    return U(1) << U(8 * i)


@njit(cache=True, nogil=True)
def total(word):
    """Sum of all eight lanes (must be below 256), int64."""
    return np.int64((word * ONES) >> U(56))


@njit(cache=True, nogil=True)
def occupied(word):
    """1 in each lane that is not empty."""
    return ((word + LOW7) & HIGH) >> U(7)


@njit(cache=True, nogil=True)
def smaller(a, b):
    """Lane by lane the smaller of two counts."""
    a_is_less = ((((a | HIGH) - b) & HIGH) ^ HIGH) >> U(7)
    mask = a_is_less * BYTE
    return (a & mask) | (b & ~mask)


@njit(cache=True, nogil=True)
def less(a, b):
    """Lane by lane `a - b`, but at least 0."""
    return a - smaller(a, b)


@njit(cache=True, nogil=True)
def lane_of(word, index):
    """Lane of the card with number `index` (0 to total-1) when the cards are laid out in lane order."""
    prefix = word * ONES
    passed = ((U(index) * ONES | HIGH) - prefix) & HIGH
    return np.int64(((passed >> U(7)) * ONES) >> U(56))


@njit(cache=True, nogil=True)
def before(word, i):
    """Number of cards in the lanes before lane `i`, int64."""
    return np.int64(((word * ONES) << U(8) >> U(8 * i)) & BYTE)
