"""Random rounds against the same rounds stepped through from outside."""

import numpy as np
import pytest
from packed import JIT, SUBSETS

from engine.lanes import U
from engine.moves import MAX_MOVES, legal_moves, random_move
from engine.playout import random_rounds, random_tables
from engine.rules import DECK_END_REFILL
from engine.state import STATE_WORDS, complete_turn, deal, over_of, play
from engine.streams import PLAYOUT, set_stream
from engine.workload import information_sets, list_all


def stepped_plies(world: int, seed: int) -> int:
    state, stream = np.empty(STATE_WORDS, np.uint64), np.empty(1, np.uint64)
    set_stream(stream, seed, world, PLAYOUT)
    deal(state, world % 2, DECK_END_REFILL, stream)
    plies = 0
    while not over_of(state):
        complete_turn(state, play(state, U(random_move(state, SUBSETS, stream))), stream)
        plies += 1
    return plies


def test_rounds_are_those_stepped_through() -> None:
    rounds = 20 if JIT else 2
    assert random_rounds(rounds, 7, SUBSETS) == sum(stepped_plies(world, 7) for world in range(rounds))


@pytest.mark.skipif(not JIT, reason="slow without the compiler")
def test_a_random_round_takes_77_moves() -> None:
    rounds = 20_000
    assert random_rounds(rounds, 1, SUBSETS) / rounds == pytest.approx(77.7, abs=0.6)


def test_tables_go_on_and_come_again() -> None:
    count = 50 if JIT else 3
    tables = random_tables(count, 3, SUBSETS)
    assert not any(over_of(table) for table in tables)
    assert np.array_equal(tables, random_tables(count, 3, SUBSETS))
    assert len(np.unique(tables, axis=0)) == count


def test_moves_of_a_workload_are_those_of_its_tables() -> None:
    tables = information_sets(random_tables(20 if JIT else 2, 3, SUBSETS))
    moves = np.empty(MAX_MOVES, np.uint64)
    assert list_all(tables, SUBSETS, moves) == sum(legal_moves(table, SUBSETS, moves) for table in tables)
