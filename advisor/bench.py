"""How fast each layer runs on fixed positions, in one thread, and a signature of what it computed.

The positions come from uniformly random play, moves 10 to 40, as their mover knows them. Times are processor time, but
for what all threads do together.
"""

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from math import inf
from statistics import median
from time import perf_counter, process_time
from timeit import Timer

from advisor.faults import quoted

SEED = 1
REPEATS = 5
"""Measurements of which the median counts."""

Figures = dict[str, float]


class Workload:
    """The work of each layer, a method each; they return how much was done, the same at every call."""

    rounds = 10_000
    positions = 1_000
    searched = 20
    """Positions that are searched as well, each with so many iterations:"""
    iterations = 1_000
    capacity = 1 << 13
    """Entries of a tree; it does not fill up."""
    clocked, moment, clocked_capacity = 8, 0.25, 1 << 18
    """Positions that are searched by the clock, seconds for each, entries of a tree."""

    def __init__(self) -> None:
        import numpy as np

        from engine import evaluation, moves, playout, search, workload

        self.subsets = search.tables()
        self.tables = workload.information_sets(playout.random_tables(self.positions, SEED, self.subsets))
        self.moves = np.empty(moves.MAX_MOVES, np.uint64)
        self.values = np.empty((2, moves.MAX_MOVES), np.float32)
        self.network = search.shipped()
        self.space = evaluation.scratch()

    def play(self) -> int:
        """Uniformly random rounds; moves made."""
        from engine.playout import random_rounds

        return int(random_rounds(self.rounds, SEED, self.subsets))

    def list(self) -> int:
        """The legal moves of all positions; their number."""
        from engine.workload import list_all

        return int(list_all(self.tables, self.subsets, self.moves))

    def evaluate(self) -> int:
        """The legal moves of all positions and their values; their number."""
        from engine.workload import evaluate_all

        return int(evaluate_all(self.tables, self.subsets, self.network, self.space, self.moves, *self.values))

    def search(self) -> int:
        """Some positions searched, each from an empty tree; entries of all trees."""
        from engine.search import Position

        entries = 0
        for table in self.tables[: self.searched]:
            position = Position(table[None], [1.0], SEED, threads=1, capacity=self.capacity)
            position.search(self.iterations, deadline=inf)
            entries += position.found().nodes
        return entries

    def against_the_clock(self, threads: int) -> int:
        """Some positions searched for `moment` seconds each; iterations."""
        from engine.search import Position

        iterations = 0
        for table in self.tables[: self.clocked]:
            position = Position(table[None], [1.0], SEED, threads, capacity=self.clocked_capacity)
            position.search(None, deadline=perf_counter() + self.moment)
            iterations += position.found().iterations
        return iterations


def measure() -> Figures:
    """The figures of every layer; `signature` adds up all results: rearranging code does not change it."""
    load = Workload()
    plies, playing = _timed(load.play)
    listed, listing = _timed(load.list)
    evaluated, evaluating = _timed(load.evaluate)
    entries, searching = _timed(load.search)
    threads = os.cpu_count() or 1
    return {
        "random_rounds_per_s": load.rounds / playing,
        "plies_per_round": plies / load.rounds,
        "legal_list_ns": 1e9 * listing / load.positions,
        "legal_moves_mean": listed / load.positions,
        "list_and_evaluate_us": 1e6 * evaluating / load.positions,
        "search_iterations_per_s": load.searched * load.iterations / searching,
        "threads": threads,
        "speedup_by_threads": load.against_the_clock(threads) / load.against_the_clock(1),
        "signature": plies + listed + evaluated + entries,
    }


def _timed(work: Callable[[], int]) -> tuple[int, float]:
    """The result of some work, and its seconds of processor time."""
    result = work()  # the first call compiles
    timer = Timer(work, timer=process_time)
    number, _ = timer.autorange()
    return result, median(timer.repeat(REPEATS, number)) / number


def yardstick() -> Figures:
    """The same figures of a program in C, which `JAIPUR_YARDSTICK` names; none where it names none.

    Raises OSError or ValueError where that prints no figures.
    """
    program = os.environ.get("JAIPUR_YARDSTICK")
    if not program:
        return {}
    printed = subprocess.run([program], stdout=subprocess.PIPE).stdout
    with suppress(ValueError):
        figures = json.loads(printed)
        if isinstance(figures, dict) and all(type(each) in (int, float) and each > 0 for each in figures.values()):
            return figures
    raise ValueError(f"JAIPUR_YARDSTICK: {program} printed {quoted(printed)}, expected an object of figures in JSON")


def text(figures: Figures, yard: Mapping[str, float]) -> str:
    """Figures one a line, each with its ratio to the yardstick's where that has it."""
    return "\n".join(_lines(figures, yard))


def _lines(figures: Figures, yard: Mapping[str, float]) -> Iterator[str]:
    for name, figure in figures.items():
        shown = f"{figure:,.1f}" if figure < 1000 else f"{figure:,.0f}"
        ratio = f"   {figure / yard[name]:.2f} x yardstick" if name in yard else ""
        yield f"{name.replace('_', ' '):<26}{shown:>13}{ratio}"
