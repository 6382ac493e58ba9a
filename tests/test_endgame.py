"""Exact endings against a plain recursion over all moves and all cards that the deck may bring."""

import os
import signal
import time
from math import inf
from threading import Event

import numpy as np
import pytest
from packed import SUBSETS
from sight import steady

from engine import rules, search
from engine.analysis import analyse
from engine.endgame import BEST_FOUND, SOLVED, Ending, ending_space, lay_open, solve
from engine.endings import WIDTH, finished_value
from engine.evaluation import scratch
from engine.lanes import lane, one, total
from engine.moves import MAX_MOVES, legal_moves
from engine.policy import is_exchange
from engine.state import (
    DECK,
    EXCHANGES,
    INFO,
    MARKET,
    OVER_DECK,
    end_round,
    over_of,
    pass_turn,
    play,
    refill,
    table,
    turn_of,
    vacancies,
)

U = np.uint64
NOTHING = (0,) * len(rules.BONUS_VALUES)


def ending(market, hand, herd, other, other_herd, tokens, deck=(0,) * 7, ahead=0, told=True, untold_bonus=0):
    """An information set near the end: counts by type; `ahead`: goods rupees of the mover less the other's."""
    other_seen, hidden = (other, 0) if told else ((0,) * 6, sum(other))
    unseen = np.array(deck) + (0 if told else np.array((*other, 0)))
    return table(
        market=market,
        holds=((*hand, herd, 0), (*other_seen, other_herd, hidden)),
        knowns=(None, other_seen),
        unseen=unseen,
        tokens=tokens,
        owned=(NOTHING, NOTHING),
        scores=((0, 0, 0, 50 + ahead, 15), (untold_bonus, 0, 0, 50, 15)),
    )


ENDINGS = {
    "deck empty": ending(
        (0, 0, 0, 1, 0, 1, 3), (0, 0, 0, 1, 1, 0), 3, (0, 0, 0, 0, 1, 1), 5, (0, 0, 5, 2, 2, 2), ahead=-4
    ),
    "hidden, deck empty": ending(
        (0, 0, 1, 0, 0, 2, 2), (0, 0, 2, 0, 0, 1), 4, (0, 0, 0, 2, 0, 0), 5, (0, 0, 2, 2, 2, 3), ahead=-6, told=False
    ),
    "camels to exchange": ending(
        (0, 0, 0, 1, 1, 3, 0), (0, 0, 0, 0, 1, 0), 1, (0, 0, 2, 0, 0, 0), 2, (0, 0, 2, 1, 1, 1)
    ),
    "one card left": ending(
        (0, 0, 0, 1, 0, 0, 4),
        (0, 0, 0, 0, 2, 0),
        3,
        (0, 0, 0, 0, 0, 1),
        3,
        (0, 0, 3, 1, 2, 1),
        deck=(0, 0, 0, 0, 0, 0, 1),
    ),
    "two cards left": ending(
        (0, 0, 0, 1, 0, 0, 4),
        (0, 0, 0, 0, 0, 1),
        3,
        (0, 0, 0, 0, 0, 1),
        2,
        (0, 0, 2, 1, 2, 1),
        deck=(0, 0, 0, 0, 1, 0, 1),
        ahead=-2,
        untold_bonus=1,
    ),
}


class Plain:
    """The slow twin: everything is tried, nothing is cut off; equal tables are looked up."""

    def __init__(self, run: int, pessimist: bool) -> None:
        self.run, self.pessimist = run, pessimist
        self.known: dict[bytes, float] = {}

    def after(self, state: np.ndarray, move: int) -> float:
        state = state.copy()
        play(state, U(move))
        if total(state[DECK]) < vacancies(state):
            end_round(state, OVER_DECK)
        pass_turn(state)
        return self.filled(state)

    def filled(self, state: np.ndarray) -> float:
        if over_of(state) or vacancies(state) == 0:
            return self.value(state)
        mean = 0.0
        for kind in range(rules.TYPES):
            if count := lane(state[DECK], kind):
                below = state.copy()
                if vacancies(below) == 1:
                    refill(below, U(one(kind)))
                else:
                    below[MARKET] += U(one(kind))
                    below[DECK] -= U(one(kind))
                mean += count / total(state[DECK]) * self.filled(below)
        return mean

    def value(self, state: np.ndarray) -> float:
        if over_of(state):
            win, draw, _ = finished_value(state, 0, np.empty((2, WIDTH)))
            return win + draw / 2
        if (key := state.tobytes()) not in self.known:
            mine = turn_of(state) == 0
            options = []
            moves = np.empty(MAX_MOVES, U)
            for move in moves[: legal_moves(state, SUBSETS, moves)]:
                if is_exchange(move) and lane(state[INFO], EXCHANGES) >= self.run:
                    if mine != self.pessimist:
                        options.append(1.0 - self.pessimist)
                else:
                    options.append(self.after(state, int(move)))
            self.known[key] = max(options) if mine else min(options)
        return self.known[key]


def solved(info: np.ndarray, nodes: int = 2_000_000):
    world, moves = np.empty_like(info), np.empty(MAX_MOVES, U)
    assert lay_open(info, world)
    moves = moves[: legal_moves(world, SUBSETS, moves)].copy()
    values, results = np.zeros(len(moves)), np.zeros((len(moves), 4))
    space = ending_space(1 << 16)
    space.left[0] = nodes
    proof = solve(world, moves, space, SUBSETS, steady(), scratch(), values, results)
    return proof, world, moves, values, results


@pytest.mark.parametrize("name", ENDINGS)
def test_values_are_those_of_the_plain_recursion(name: str) -> None:
    proof, world, moves, values, _ = solved(ENDINGS[name])
    assert proof == SOLVED
    lowest, highest = -inf, inf
    for run in (1, 2):
        enclosed = [[Plain(run, pessimist).after(world, int(move)) for move in moves] for pessimist in (True, False)]
        assert (np.array(enclosed[0]) <= values + 1e-9).all()
        assert (values <= np.array(enclosed[1]) + 1e-9).all()
        lowest, highest = max(lowest, max(enclosed[0])), min(highest, max(enclosed[1]))
    assert lowest == pytest.approx(highest)
    assert values.max() == pytest.approx(lowest)


@pytest.mark.parametrize("name", ENDINGS)
def test_best_play_leads_to_the_value(name: str) -> None:
    _, _, _, values, results = solved(ENDINGS[name])
    assert results[:, 0] + results[:, 1] / 2 == pytest.approx(values)
    assert (results[:, 2:] >= 50 - 8).all()
    assert (results[:, 2:] <= 130 + 89 + 5).all()


def test_too_few_nodes_prove_nothing() -> None:
    proof, *_ = solved(ENDINGS["two cards left"], nodes=3)
    assert proof == 0
    assert BEST_FOUND != SOLVED


def test_what_is_hidden_is_no_ending() -> None:
    world = np.empty_like(ENDINGS["deck empty"])
    hidden = ending(
        (0, 0, 0, 1, 0, 0, 4), (0, 0, 0, 0, 2, 0), 3, (0, 0, 0, 0, 0, 1), 3, (0, 0, 3, 1, 2, 1),
        deck=(0, 0, 0, 0, 0, 0, 1), told=False,
    )  # fmt: skip
    assert not lay_open(hidden, world)
    long = ending(
        (0, 0, 0, 1, 0, 0, 4), (0, 0, 0, 0, 2, 0), 0, (0, 0, 0, 0, 0, 1), 0, (0, 0, 3, 1, 2, 1),
        deck=(0, 0, 0, 0, 0, 0, 4),
    )  # fmt: skip
    assert not lay_open(long, world)


@pytest.mark.parametrize("name", ENDINGS)
def test_the_search_answers_exactly(name: str) -> None:
    info = ENDINGS[name]
    analysis = analyse(info[None], np.ones(1), iterations=100_000)
    assert analysis.solved
    assert set(analysis.win_stderr) == {0.0}
    assert np.diff(np.array(analysis.win) + np.array(analysis.draw) / 2).max(initial=-1) <= 1e-9
    assert sorted(analysis.moves) == sorted(search.legal(info[None]))
    assert search.best(info[None], np.ones(1), iterations=100_000) == analysis.moves[0]


def test_ctrl_c_stops_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """The moves are then ranked by what is known without it."""
    ended = Event()

    def endless(world: np.ndarray, moves: np.ndarray, ending: Ending, *rest: object) -> int:
        time.sleep(0.05)  # the main thread is waiting by then
        os.kill(os.getpid(), signal.SIGINT)
        while ending.left[0] != 0:
            time.sleep(0.001)
        ended.set()
        return 0

    monkeypatch.setattr(search, "solve", endless)
    analysis = analyse(ENDINGS["two cards left"][None], np.ones(1), iterations=100_000)
    assert ended.is_set()
    assert analysis.interrupted
    assert not analysis.solved
    assert sorted(analysis.moves) == sorted(search.legal(ENDINGS["two cards left"][None]))
