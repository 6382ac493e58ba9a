"""How a player without search chooses."""

import numpy as np
import plain
import pytest
from hypothesis import assume, given
from packed import TABLES, code, packed, text

from engine.lanes import U
from engine.policy import EXCHANGE_CAP, best_move, is_exchange

MOVES = ["exchange gold gold for cloth spice", "take camels", "sell 2 cloth", "take spice"]
TABLE = plain.lay(["gold"] * 5, [[], []])


def chosen(seal: list[float], margins: list[float], margin_weight: float = 0.01, exchanges: int = 0) -> str:
    moves = np.array([code(move) for move in MOVES], np.uint64)
    seals, rupees = np.array([seal, margins], np.float32)
    return MOVES[best_move(packed(TABLE, exchanges), moves, len(seal), seals, rupees, np.float32(margin_weight))]


@pytest.mark.parametrize(
    ("seal", "margins", "move"),
    [
        pytest.param([0.1, 0.2, 0.4, 0.3], [0, 0, 0, 0], MOVES[2], id="the largest seal"),
        pytest.param([0.1, 0.2, 0.4, 0.3], [0, 0, 0, 11], MOVES[3], id="rupees weigh too"),
        pytest.param([0.1, 0.2, 0.4, 0.3], [0, 0, 0, 9], MOVES[2], id="but not more than they should"),
        pytest.param([0, 0, 0, 0], [-60, -50, -40, -50], MOVES[2], id="all are bad"),
        pytest.param([0.5, 0.5, 0.5, 0.5], [1, 2, 2, 0], MOVES[1], id="the first of equals"),
        pytest.param([0.1, 0.2], [0, 0], MOVES[1], id="of the first two alone"),
    ],
)
def test_the_best_move(seal: list[float], margins: list[float], move: str) -> None:
    assert chosen(seal, margins) == move


@pytest.mark.parametrize(
    ("exchanges", "move"),
    [
        (0, MOVES[0]),
        (EXCHANGE_CAP - 1, MOVES[0]),
        (EXCHANGE_CAP, MOVES[3]),
        (EXCHANGE_CAP + 1, MOVES[3]),
        (255, MOVES[3]),
    ],
)
def test_no_exchange_after_so_many(exchanges: int, move: str) -> None:
    assert chosen([0.9, 0.1, 0.2, 0.3], [0, 0, 0, 0], exchanges=exchanges) == move


@given(TABLES)
def test_exchanges_are_told_from_other_moves(table: plain.Table) -> None:
    for move in plain.legal_moves(table):
        assert is_exchange(U(code(move))) == move.startswith("exchange")


@given(TABLES)
def test_there_is_always_another_move_than_an_exchange(table: plain.Table) -> None:
    """So that the cap leaves something to choose."""
    moves = plain.legal_moves(table)
    assume(moves)
    codes = np.array([code(move) for move in moves], np.uint64)
    seal, margins = np.zeros((2, len(moves)), np.float32)
    capped = packed(table, EXCHANGE_CAP)
    best = best_move(capped, codes, len(moves), seal, margins, np.float32(1))
    assert not text(int(codes[best])).startswith("exchange")
    assert best >= 0
