"""The network: one layer of rectified units over sparse columns, then a head chosen by the stage of the round.

`Parameters` are what training changes; `Network` is the same function prepared for speed. The six tables of a good,
which all depend on (t, o, m, k), are added up into one row for each combination; and a column that another active one
implies (the own herd, where both herds together have a column) is added to that one, and not looked up any more.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from engine import features, rules
from engine.features import COLUMNS, KNOWN_AXIS, MARKET_AXIS, OWN_AXIS, PILE, STAGES, good_column

HIDDEN_UNITS = 64
HEADS = 8
MARGIN_UNIT = 30.0
"""Rupees a unit of the margin output."""

_ROWS = OWN_AXIS * MARKET_AXIS * KNOWN_AXIS
GOOD_ROWS = np.concatenate(([0], np.cumsum((PILE + 1) * _ROWS)[:-1]))
"""First folded row of each good."""


class Parameters(NamedTuple):
    """What is learned, all float32.

    columns: [COLUMNS, HIDDEN_UNITS]; bias: [HIDDEN_UNITS]; out: [heads, 2, HIDDEN_UNITS], for the logit of the seal
    and the margin in units of MARGIN_UNIT; out_bias: [heads, 2]; 1 or HEADS heads.
    """

    columns: np.ndarray
    bias: np.ndarray
    out: np.ndarray
    out_bias: np.ndarray


class Network(NamedTuple):
    """Parameters folded for evaluation, float32.

    good: [rows, HIDDEN_UNITS], row GOOD_ROWS[good] + ((t * OWN_AXIS + o) * MARKET_AXIS + m) * KNOWN_AXIS + k; columns:
    [COLUMNS, HIDDEN_UNITS], POOL with UNSEEN of the good in it, HERDS with OWN_HERD, OTHER_HERD and LEAD, TEMPO with
    OWN_HAND, OTHER_HAND and CAMELS, SCORE_DECK with SCORE; bias, out, out_bias as in `Parameters`.
    """

    good: np.ndarray
    columns: np.ndarray
    bias: np.ndarray
    out: np.ndarray
    out_bias: np.ndarray


def fresh(seed, heads=HEADS):
    """`Parameters` to start from: no column says anything yet, the heads are small random numbers."""
    random = np.random.default_rng(seed)
    return Parameters(
        np.zeros((COLUMNS, HIDDEN_UNITS), np.float32),
        np.full(HIDDEN_UNITS, 0.1, np.float32),
        (random.standard_normal((1, 2, HIDDEN_UNITS)) * 0.1).astype(np.float32).repeat(heads, 0),
        np.zeros((heads, 2), np.float32),
    )


def folded(parameters):
    """The `Network` of `parameters`."""
    network = Network(
        np.empty((int(((PILE + 1) * _ROWS).sum()), HIDDEN_UNITS), np.float32),
        parameters.columns.copy(),
        parameters.bias.copy(),
        np.empty((HEADS, 2, HIDDEN_UNITS), np.float32),
        np.empty((HEADS, 2), np.float32),
    )
    fold(parameters, network)
    return network


@njit(cache=True, nogil=True, fastmath=True)
def _fold_goods(columns, good_rows):
    """Add up the six tables of each good."""
    pair = np.empty(HIDDEN_UNITS, np.float32)
    for good in range(rules.GOODS):
        row = GOOD_ROWS[good]
        for t in range(PILE[good] + 1):
            for o in range(OWN_AXIS):
                for m in range(MARKET_AXIS):
                    a = columns[good_column(good, t, 0, o)]
                    b = columns[good_column(good, t, 1, m)]
                    d = columns[good_column(good, t, 3, o * MARKET_AXIS + m)]
                    for i in range(HIDDEN_UNITS):
                        pair[i] = a[i] + b[i] + d[i]
                    for k in range(KNOWN_AXIS):
                        c = columns[good_column(good, t, 2, k)]
                        e = columns[good_column(good, t, 4, k * MARKET_AXIS + m)]
                        f = columns[good_column(good, t, 5, o * KNOWN_AXIS + k)]
                        target = good_rows[row]
                        for i in range(HIDDEN_UNITS):
                            target[i] = pair[i] + c[i] + e[i] + f[i]
                        row += 1


@njit(cache=True, nogil=True, fastmath=True)
def _add_column(rows, target, columns, column):
    for i in range(HIDDEN_UNITS):
        rows[target, i] += columns[column, i]


@njit(cache=True, nogil=True)
def _fold_columns(columns, rows):
    """Add the implied columns to those that imply them, in `rows`, a copy of the columns."""
    for good in range(rules.GOODS):
        for t in range(PILE[good] + 1):
            for unseen in range(features.UNSEEN_AXIS):
                for own in range(OWN_AXIS):
                    target = features.pool_column(good, t, unseen, own)
                    _add_column(rows, target, columns, features.unseen_column(good, unseen))
    for own in range(features.HERD_AXIS):
        for other in range(features.HERD_AXIS):
            target = features.herds_column(own, other)
            _add_column(rows, target, columns, features.OWN_HERD + own)
            _add_column(rows, target, columns, features.OTHER_HERD + other)
            _add_column(rows, target, columns, features.LEVEL + own - other)
    for own in range(OWN_AXIS):
        for other in range(OWN_AXIS):
            for camels in range(MARKET_AXIS):
                target = features.tempo_column(own, other, camels)
                _add_column(rows, target, columns, features.OWN_HAND + own)
                _add_column(rows, target, columns, features.OTHER_HAND + other)
                _add_column(rows, target, columns, features.CAMELS + camels)
    for phase in range(features.PHASES):
        for lower in range(features.SCORE_BINS):
            target = features.SCORE_DECK + phase * features.SCORE_BINS + lower
            _add_column(rows, target, columns, features.SCORE + lower)


def fold(parameters, network):
    """Write `parameters` into an existing `network`."""
    network.columns[:] = parameters.columns
    _fold_goods(parameters.columns, network.good)
    _fold_columns(parameters.columns, network.columns)
    network.bias[:] = parameters.bias
    repeats = HEADS // len(parameters.out)
    network.out[:] = parameters.out.repeat(repeats, axis=0)
    network.out_bias[:] = parameters.out_bias.repeat(repeats, axis=0)


@njit(cache=True, nogil=True)
def head_of(stage):
    """Head that judges a stage (0 to 15)."""
    return stage * HEADS // STAGES


@njit(cache=True, nogil=True, fastmath=True, forceinline=True)
def exponential(x):
    """e**x of a float32, -16 to 16 (farther numbers count as these), off by less than 2e-4 of itself.

    Taylor's series of x / 16, squared four times: without a call or a branch, so that LLVM vectorises a loop of it.
    """
    x = min(max(x, np.float32(-16.0)), np.float32(16.0)) * np.float32(1 / 16)
    y = np.float32(1 / 5040) + x * np.float32(1 / 40320)
    y = np.float32(1 / 120) + x * (np.float32(1 / 720) + x * y)
    y = np.float32(1 / 6) + x * (np.float32(1 / 24) + x * y)
    y = np.float32(1.0) + x * (np.float32(1.0) + x * (np.float32(1 / 2) + x * y))
    y *= y
    y *= y
    y *= y
    return y * y


@njit(cache=True, nogil=True, fastmath=True, forceinline=True)
def sigmoid(logit):
    """Probability of a logit, float32."""
    return np.float32(1.0) / (np.float32(1.0) + exponential(-logit))
