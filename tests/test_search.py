"""The search from outside: the same question gives the same answer, and budgets are kept."""

import time

import numpy as np
import plain
import pytest
from asking import ALONE, Readings, answer, forced_turn, info, last_sale, open_herds, pressed_at
from packed import packed, text
from sight import steady

from engine import search
from engine.analysis import analyse
from engine.search import Position
from engine.tree import Rule, iterate


@pytest.fixture(scope="module")
def readings() -> Readings:
    return open_herds()


# ---- the same answer ----


@pytest.mark.parametrize("threads", [1, 2])
def test_the_same_question_gives_the_same_answer(readings: Readings, threads: int) -> None:
    """Whatever was asked before."""
    first = analyse(*readings, iterations=200, seed=5, threads=threads)
    search.best(info(), ALONE, iterations=70, seed=6)
    again = analyse(*readings, iterations=200, seed=5, threads=threads)
    assert answer(first) == answer(again)
    assert (first.seed, first.threads) == (5, threads)


def test_seed_and_threads_count(readings: Readings) -> None:
    answers = {
        repr(analyse(*readings, iterations=200, seed=seed, threads=threads).visits)
        for seed, threads in ((1, 1), (2, 1), (1, 2))
    }
    assert len(answers) == 3


@pytest.mark.parametrize("threads", [1, 2])
def test_best_is_the_first_of_the_analysis(readings: Readings, threads: int) -> None:
    best = search.best(*readings, iterations=300, seed=4, threads=threads)
    assert best == analyse(*readings, iterations=300, seed=4, threads=threads).moves[0]


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
    analysis = analyse(info(), ALONE, iterations=iterations, threads=threads)
    assert analysis.iterations == iterations
    assert sum(analysis.visits) == iterations - threads
    assert not analysis.interrupted


def test_a_budget_in_seconds_is_used_and_kept() -> None:
    search.best(info(), ALONE, iterations=1)
    analyse(info(), ALONE, iterations=1)
    for task in (search.best, analyse):
        start = time.perf_counter()
        task(info(), ALONE, seconds=0.2)
        # A busy machine is forgiven a lot; how exactly the time is kept is for the benchmarks to say.
        assert 0.19 < time.perf_counter() - start < 2


def test_the_tree_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "CAPACITY", 1024)
    analysis = analyse(info(), ALONE, iterations=3000, threads=2)
    assert analysis.iterations == 3000
    assert analysis.nodes == 2 * 1024 * 3 // 4


@pytest.mark.parametrize(
    ("iterations", "seconds", "entries"),
    [(1, None, 1024), (1000, None, 4096), (10**9, None, search.CAPACITY), (None, 1000.0, search.CAPACITY)],
)
def test_the_tree_is_sized_for_the_budget(iterations: int | None, seconds: float | None, entries: int) -> None:
    assert search.capacity_for(iterations, seconds, 1) == entries


def test_short_searches_never_fill_their_tree(readings: Readings) -> None:
    analysis = analyse(*readings, iterations=1024)
    assert analysis.nodes < 4096 * 3 // 4


# ---- what is asked ----


def test_a_single_legal_move() -> None:
    tables = forced_turn()
    [only] = search.legal(tables)
    assert text(only) == "take camels"
    assert search.best(tables, ALONE, iterations=10) == only
    analysis = analyse(tables, ALONE, iterations=10)
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
    analysis = analyse(tables, ALONE, iterations=400)
    assert (text(analysis.moves[0]), analysis.win[0], analysis.win_stderr[0]) == ("sell 1 spice", 1, 0)
    assert (analysis.me[0], analysis.opponent[0], analysis.margin_stderr[0]) == (26, 20, 0)


def test_the_clearly_better_move_is_preferred_by_rollouts_too() -> None:
    rule = Rule(np.float32(0.7), np.float32(1.0), np.float32(0.001), rollouts=True)
    best = search.best(last_sale(), ALONE, iterations=300, rule=rule)
    assert text(best or 0) == "sell 1 spice"


# ---- Ctrl-C ----


def test_an_interrupted_best_move_is_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "iterate", pressed_at(3, iterate))
    assert search.best(info(), ALONE, iterations=50_000_000) in search.legal(info())
