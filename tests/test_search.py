"""The search from outside: the same question gives the same answer, budgets are kept, and statistics are right."""

import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from threading import current_thread, main_thread

import numpy as np
import plain
import pytest
from packed import packed, text
from sight import midway, seen_by, steady

from advisor.position import read_position
from engine import odds, search
from engine.search import Analysis, Position
from engine.tree import Rule, iterate

Readings = tuple[np.ndarray, np.ndarray]

ALONE = np.ones(1)
HERDS = Path(__file__).parents[1] / "examples" / "unknown-herd.toml"
MEASURES = ("me", "opponent", "win", "draw", "loss", "win_stderr", "margin_stderr", "gap", "gap_stderr")


@pytest.fixture(scope="module")
def readings() -> Readings:
    return read_position(HERDS.read_text(encoding="utf-8")).alternatives()


def info(seed: int = 9, turns: int = 10) -> np.ndarray:
    table = midway(seed, turns)
    return seen_by(table, table.turn)[None]


def answer(analysis: Analysis) -> str:
    """All of an analysis but the time it took."""
    return repr(analysis._replace(seconds=0.0))


def forced_turn() -> np.ndarray:
    """Nothing but camels in the market and an empty hand: the camels must be taken."""
    table = plain.lay(["camel"] * 5, [[], ["gold"] * 3], deck=["spice"] * 8 + ["leather"] * 6)
    return seen_by(table, 0)[None]


def last_sale() -> np.ndarray:
    """I lead by five rupees, can sell the spice whose last token ends the round, or let him sell his cloth."""
    players = [plain.Player(["spice"], tokens=[5] * 5), plain.Player(["cloth"] * 7, tokens=[5] * 4)]
    table = plain.Table(["camel"] * 5, players, deck=["leather"] * 12)
    table.tokens |= {"diamond": [], "gold": [], "spice": [1]}
    return seen_by(table, 0)[None]


# ---- the same answer ----


@pytest.mark.parametrize("threads", [1, 2])
def test_the_same_question_gives_the_same_answer(readings: Readings, threads: int) -> None:
    """Whatever was asked before."""
    first = search.analyse(*readings, iterations=200, seed=5, threads=threads)
    search.best(info(), ALONE, iterations=70, seed=6)
    again = search.analyse(*readings, iterations=200, seed=5, threads=threads)
    assert answer(first) == answer(again)
    assert (first.seed, first.threads) == (5, threads)


def test_seed_and_threads_count(readings: Readings) -> None:
    answers = {
        repr(search.analyse(*readings, iterations=200, seed=seed, threads=threads).visits)
        for seed, threads in ((1, 1), (2, 1), (1, 2))
    }
    assert len(answers) == 3


@pytest.mark.parametrize("threads", [1, 2])
def test_best_is_the_first_of_the_analysis(readings: Readings, threads: int) -> None:
    best = search.best(*readings, iterations=300, seed=4, threads=threads)
    assert best == search.analyse(*readings, iterations=300, seed=4, threads=threads).moves[0]


def test_workers_add_up(readings: Readings) -> None:
    """Two workers' trees are two searches with worlds of their own."""
    position = Position(*readings, 3, 2, 2048, steady())
    position.search(101, float("inf"))
    assert [worker.iterations for worker in position.workers] == [51, 50]
    alone = Position(*readings, 3, 1, 2048, steady())
    alone.search(51, float("inf"))
    first, second = position.workers
    assert np.array_equal(first.tree.keys, alone.workers[0].tree.keys)
    assert not np.array_equal(first.tree.keys, second.tree.keys)
    single = []
    for worker in position.workers:
        position.workers = [worker]
        single.append(position.found())
    position.workers = [first, second]
    found = position.found()
    assert found.visits.tolist() == (single[0].visits + single[1].visits).tolist()
    gains = [(one.value - position.root.utility) * (1 + one.visits) for one in single]
    expected = position.root.utility + sum(gains) / (1 + found.visits)
    assert found.value == pytest.approx(expected, abs=1e-6)
    assert (found.iterations, found.nodes) == (101, single[0].nodes + single[1].nodes)


# ---- budgets ----


@pytest.mark.parametrize(("iterations", "threads"), [(1, 1), (2, 2), (17, 1), (333, 2)])
def test_a_budget_of_iterations_is_exact(iterations: int, threads: int) -> None:
    """The first iteration of each tree makes its root; every other one makes a visit."""
    analysis = search.analyse(info(), ALONE, iterations=iterations, threads=threads)
    assert analysis.iterations == iterations
    assert sum(analysis.visits) == iterations - threads
    assert not analysis.interrupted


def test_a_budget_in_seconds_is_used_and_kept() -> None:
    search.best(info(), ALONE, iterations=1)
    search.analyse(info(), ALONE, iterations=1)
    for task in (search.best, search.analyse):
        start = time.perf_counter()
        task(info(), ALONE, seconds=0.2)
        # A busy machine is forgiven a lot; how exactly the time is kept is for the benchmarks to say.
        assert 0.19 < time.perf_counter() - start < 2


def test_the_tree_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "CAPACITY", 1024)
    analysis = search.analyse(info(), ALONE, iterations=3000, threads=2)
    assert analysis.iterations == 3000
    assert analysis.nodes == 2 * 1024 * 3 // 4


@pytest.mark.parametrize(
    ("iterations", "seconds", "entries"),
    [(1, None, 1024), (1000, None, 4096), (10**9, None, search.CAPACITY), (None, 1000.0, search.CAPACITY)],
)
def test_the_tree_is_sized_for_the_budget(iterations: int | None, seconds: float | None, entries: int) -> None:
    assert search._capacity(iterations, seconds, 1) == entries


def test_short_searches_never_fill_their_tree(readings: Readings) -> None:
    analysis = search.analyse(*readings, iterations=1024)
    assert analysis.nodes < 4096 * 3 // 4


# ---- what is asked ----


def test_all_legal_moves_are_ranked() -> None:
    table = midway(3, 14)
    tables = seen_by(table, table.turn)[None]
    analysis = search.analyse(tables, ALONE, iterations=200)
    assert sorted(map(text, analysis.moves)) == plain.legal_moves(table)
    assert sorted(analysis.moves) == sorted(search.legal(tables))
    assert analysis.visits == sorted(analysis.visits, reverse=True)
    assert analysis.share == [pytest.approx(n / 199) for n in analysis.visits]
    assert {len(getattr(analysis, name)) for name in ("visits", "samples", *MEASURES)} == {len(analysis.moves)}


def test_a_single_legal_move() -> None:
    tables = forced_turn()
    [only] = search.legal(tables)
    assert text(only) == "take camels"
    assert search.best(tables, ALONE, iterations=10) == only
    analysis = search.analyse(tables, ALONE, iterations=10)
    assert (analysis.moves, analysis.visits, analysis.share, analysis.gap) == ([only], [9], [1.0], [0.0])


def test_a_single_legal_move_needs_no_time() -> None:
    start = time.perf_counter()
    assert search.best(forced_turn(), ALONE, seconds=30) is not None
    assert time.perf_counter() - start < 10


def test_no_move_when_the_round_is_over() -> None:
    table = packed(plain.Table(["gold"] * 4, [plain.Player([]), plain.Player([])]))[None]
    assert search.best(table, ALONE, iterations=10) is None
    assert search.legal(table) == []


def test_a_winning_move_is_found() -> None:
    tables = last_sale()
    assert text(search.best(tables, ALONE, iterations=400) or 0) == "sell 1 spice"
    analysis = search.analyse(tables, ALONE, iterations=400)
    assert (text(analysis.moves[0]), analysis.win[0], analysis.win_stderr[0]) == ("sell 1 spice", 1, 0)
    assert (analysis.me[0], analysis.opponent[0], analysis.margin_stderr[0]) == (26, 20, 0)


def test_the_clearly_better_move_is_preferred_by_rollouts_too() -> None:
    rule = Rule(np.float32(0.7), np.float32(1.0), np.float32(0.001), rollouts=True)
    best = search.best(last_sale(), ALONE, iterations=300, rule=rule)
    assert text(best or 0) == "sell 1 spice"


# ---- measuring ----


def test_the_first_moves_and_the_forced_ones_are_measured_in_depth() -> None:
    tables = info()
    order = search.analyse(tables, ALONE, iterations=100).moves
    assert len(order) > search.MEASURED + 3
    forced = (order[search.MEASURED], order[-1])
    analysis = search.analyse(tables, ALONE, iterations=100, forced=forced)
    assert analysis.moves == order
    deep = search.FEWEST_WORLDS
    rest = len(order) - search.MEASURED - 2
    assert analysis.samples == [deep] * (search.MEASURED + 1) + [search.BRIEF] * rest + [deep]


def test_worlds_go_with_the_iterations() -> None:
    analysis = search.analyse(info(), ALONE, iterations=64 * 50)
    assert analysis.samples[0] == 50


def test_forcing_changes_nothing_else() -> None:
    plainly = search.analyse(info(), ALONE, iterations=100)
    forced = search.analyse(info(), ALONE, iterations=100, forced=plainly.moves)
    assert forced.samples == [search.FEWEST_WORLDS] * len(plainly.moves)
    for name in ("moves", "visits", "win", "me", "gap"):
        assert getattr(forced, name)[: search.MEASURED] == getattr(plainly, name)[: search.MEASURED]


def test_statistics_by_numpy(readings: Readings) -> None:
    """Measure the same worlds once more and reckon by hand."""
    analysis = search.analyse(*readings, iterations=100, seed=9)
    position = Position(*readings, 9, 1, 1024)
    worlds = search.FEWEST_WORLDS
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


def test_statistics_of_four_worlds_by_hand() -> None:
    """Won 10:6, drawn 8:8, lost 4:8 and won 12:4, where the first move always wins."""
    outcome = np.array([[1, 10, 6], [0.5, 8, 8], [0, 4, 8], [1, 12, 4]], np.float32)
    first = np.array([[1, 0, 0]] * 4, np.float32)
    assert search._statistics(outcome, first) == pytest.approx(
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
        }
    )


# ---- Ctrl-C ----


def pressed_at(call: int, kernel: Callable) -> Callable:
    """A kernel during whose `call`-th run Ctrl-C is pressed; Python tells the main thread of it when it returns."""
    calls = count(1)

    def run(*arguments: object) -> None:
        kernel(*arguments)
        if current_thread() is main_thread() and next(calls) == call:
            raise KeyboardInterrupt

    return run


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupted_search_gives_the_best_so_far(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    monkeypatch.setattr(search, "iterate", pressed_at(4, iterate))
    analysis = search.analyse(info(), ALONE, iterations=50_000_000, threads=threads)
    assert analysis.interrupted
    assert sum(analysis.visits) > 1
    assert analysis.iterations < 50_000_000
    assert min(analysis.samples) >= 1
    assert sorted(analysis.moves) == sorted(search.legal(info()))


def test_an_interrupted_best_move_is_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "iterate", pressed_at(3, iterate))
    assert search.best(info(), ALONE, iterations=50_000_000) in search.legal(info())


@pytest.mark.parametrize("call", [1, 2, 5, 6])
def test_an_interrupted_measurement_keeps_every_move(monkeypatch: pytest.MonkeyPatch, call: int) -> None:
    """The brief measurement takes four runs of the kernel, the one in depth the rest: Ctrl-C early in both, or late."""
    monkeypatch.setattr(search, "FEWEST_WORLDS", 8)
    monkeypatch.setattr(search, "ITERATIONS_A_WORLD", 1)
    monkeypatch.setattr(odds, "measure", pressed_at(call, odds.measure))
    analysis = search.analyse(info(), ALONE, iterations=100)
    assert analysis.interrupted
    assert min(analysis.samples) >= 1
    assert 8 <= max(analysis.samples) < 100
    assert analysis.iterations == 100
