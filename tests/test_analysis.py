"""The same question gives the same odds, the moves that count are measured in depth, and statistics are right."""

import numpy as np
import plain
import pytest
from asking import ALONE, Readings, info, open_herds, pressed_at
from packed import text
from sight import midway, seen_by

from engine import odds, search
from engine.analysis import BRIEF, FEWEST_WORLDS, MEASURED, analyse, statistics
from engine.search import Position
from engine.tree import iterate

MEASURES = ("me", "opponent", "win", "draw", "loss", "win_stderr", "margin_stderr", "gap", "gap_stderr")


@pytest.fixture(scope="module")
def readings() -> Readings:
    return open_herds()


def test_all_legal_moves_are_ranked() -> None:
    table = midway(3, 14)
    tables = seen_by(table, table.turn)[None]
    analysis = analyse(tables, ALONE, iterations=200)
    assert sorted(map(text, analysis.moves)) == plain.legal_moves(table)
    assert sorted(analysis.moves) == sorted(search.legal(tables))
    assert analysis.visits == sorted(analysis.visits, reverse=True)
    assert analysis.share == [pytest.approx(n / 199) for n in analysis.visits]
    assert {len(getattr(analysis, name)) for name in ("visits", "samples", *MEASURES)} == {len(analysis.moves)}


def test_the_first_moves_and_the_forced_ones_are_measured_in_depth() -> None:
    tables = info()
    order = analyse(tables, ALONE, iterations=100).moves
    assert len(order) > MEASURED + 3
    forced = (order[MEASURED], order[-1])
    analysis = analyse(tables, ALONE, iterations=100, forced=forced)
    assert analysis.moves == order
    deep = FEWEST_WORLDS
    rest = len(order) - MEASURED - 2
    assert analysis.samples == [deep] * (MEASURED + 1) + [BRIEF] * rest + [deep]


def test_worlds_go_with_the_iterations() -> None:
    analysis = analyse(info(), ALONE, iterations=64 * 50)
    assert analysis.samples[0] == 50


def test_forcing_changes_nothing_else() -> None:
    plainly = analyse(info(), ALONE, iterations=100)
    forced = analyse(info(), ALONE, iterations=100, forced=plainly.moves)
    assert forced.samples == [FEWEST_WORLDS] * len(plainly.moves)
    for name in ("moves", "visits", "win", "me", "gap"):
        assert getattr(forced, name)[:MEASURED] == getattr(plainly, name)[:MEASURED]


def teststatistics_by_numpy(readings: Readings) -> None:
    """Measure the same worlds once more and reckon by hand."""
    analysis = analyse(*readings, iterations=100, seed=9)
    position = Position(*readings, 9, 1, 1024)
    worlds = FEWEST_WORLDS
    out = np.empty((len(analysis.moves), worlds, 3), np.float32)
    odds.measure(
        position.readings, position.cumulative, position.chances, np.array(analysis.moves, np.uint64), 0, out,
        position.seed, search.RULE.margin_weight, search.tables(), search.shipped(), position.workers[0].space,
    )  # fmt: skip
    for i, samples in enumerate(analysis.samples):
        seal, mine, others = (out[i, :samples, column].astype(float) for column in range(3))
        gap = out[0, :samples, 0].astype(float) - seal
        wins = np.count_nonzero(seal == 1) / samples
        expected = {
            "me": np.mean(mine),
            "opponent": np.mean(others),
            "win": wins,
            "draw": np.count_nonzero(seal == 0.5) / samples,
            "loss": np.count_nonzero(seal == 0) / samples,
            "win_stderr": np.sqrt(wins * (1 - wins) / samples),
            "margin_stderr": np.sqrt(np.var(mine - others) / samples),
            "gap": np.mean(gap),
            "gap_stderr": np.sqrt(np.var(gap) / samples),
        }
        assert {name: getattr(analysis, name)[i] for name in MEASURES} == pytest.approx(expected, abs=1e-12)


def teststatistics_of_four_worlds_by_hand() -> None:
    """Won 10:6, drawn 8:8, lost 4:8 and won 12:4, where the first move always wins."""
    outcome = np.array([[[1, 10, 6], [0.5, 8, 8], [0, 4, 8], [1, 12, 4]]], np.float32)
    first = np.array([[1, 0, 0]] * 4, np.float32)
    columns = statistics(outcome, first)
    assert {name: column.item() for name, column in columns.items()} == pytest.approx(
        {
            "me": 34 / 4,
            "opponent": 26 / 4,
            "win": 1 / 2,
            "draw": 1 / 4,
            "loss": 1 / 4,
            "win_stderr": 1 / 4,
            # Margins 4, 0, -4 and 8: mean 2, variance (4 + 4 + 36 + 36) / 4.
            "margin_stderr": (20 / 4) ** 0.5,
            # Gaps 0, 1/2, 1 and 0: mean 3/8, variance 5/16 - 9/64.
            "gap": 3 / 8,
            "gap_stderr": (11 / 64 / 4) ** 0.5,
            "samples": 4,
        }
    )


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupted_search_gives_the_best_so_far(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    monkeypatch.setattr(search, "iterate", pressed_at(4, iterate))
    analysis = analyse(info(), ALONE, iterations=50_000_000, threads=threads)
    assert analysis.interrupted
    assert sum(analysis.visits) > 1
    assert analysis.iterations < 50_000_000
    assert min(analysis.samples) >= 1
    assert sorted(analysis.moves) == sorted(search.legal(info()))


@pytest.mark.parametrize("call", [1, 2, 5, 6])
def test_an_interrupted_measurement_keeps_every_move(monkeypatch: pytest.MonkeyPatch, call: int) -> None:
    """The brief measurement takes four runs of the kernel, the one in depth the rest: Ctrl-C early in both, or late."""
    monkeypatch.setattr("engine.analysis.FEWEST_WORLDS", 8)
    monkeypatch.setattr("engine.analysis.ITERATIONS_A_WORLD", 1)
    monkeypatch.setattr(odds, "measure", pressed_at(call, odds.measure))
    analysis = analyse(info(), ALONE, iterations=100)
    assert analysis.interrupted
    assert 8 <= analysis.samples[0] < 100
    assert min(analysis.samples) >= 8
    assert analysis.iterations == 100


def test_gaps_are_paired_in_the_same_worlds() -> None:
    """Four workers have a few worlds each in depth; all other moves were measured in worlds of the first alone."""
    analysis = analyse(info(), ALONE, iterations=1000, threads=4, seed=3)
    position = Position(info(), ALONE, 3, 1, 1024)
    worlds = FEWEST_WORLDS // 4
    out = np.empty((len(analysis.moves), worlds, 3), np.float32)
    odds.measure(
        position.readings, position.cumulative, position.chances, np.array(analysis.moves, np.uint64), 0, out,
        position.seed, search.RULE.margin_weight, search.tables(), search.shipped(), position.workers[0].space,
    )  # fmt: skip
    gaps = (out[0, :, odds.SEAL] - out[:, :, odds.SEAL]).mean(axis=1)
    assert analysis.gap[MEASURED:] == pytest.approx(gaps[MEASURED:].tolist(), abs=1e-6)
