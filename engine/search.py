"""The search from outside: budgets, threads, the chosen move, and the odds of all moves.

Each worker has a tree and worlds of its own; their visits and gains are added up in a fixed order, so that the same
seed, iterations and threads give the same answer whatever came before.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import NamedTuple

import numpy as np

from engine import odds, weights
from engine.belief import learned
from engine.endgame import SOLVED, ending_space, lay_open, solve
from engine.evaluation import evaluate, scratch
from engine.hands import chances_of
from engine.moves import MAX_MOVES, legal_moves, subsets
from engine.network import folded
from engine.state import over_of
from engine.tree import ROOT, Root, Rule, Tree, edge_key, empty_tree, find, iterate

RULE = Rule(np.float32(0.4), np.float32(0.03), np.float32(0.0005))
CAPACITY = 1 << 22
"""Most entries of a tree (80 MB); a full tree grows no more, but goes on learning."""
ENTRIES_AN_ITERATION = 4
FASTEST = 400_000
"""Iterations a second that no machine exceeds by far: sizes the tree for a budget in seconds."""
GLANCE = 0.002
"""Seconds between two looks at the clock."""
SEARCH_SHARE = 0.5
"""Part of a budget in seconds that selects; the rest measures."""
MEASURED = 8
"""Moves measured in depth, besides those asked for; every other one gets BRIEF worlds."""
BRIEF = 16
SOLVER_SHARE = 0.4
"""Part of a budget that goes, at the most, into solving an ending exactly."""
SOLVER_NODES = 150_000
"""Nodes of the solver that fit into a second, on the safe side."""
NODES_AN_ITERATION = 2
MOST_NODES = 500_000
"""Nodes after which the solver gives up, whatever the budget: it hears no Ctrl-C."""
MOST_SLOTS = 1 << 20
"""Largest transposition table of the solver."""
ITERATIONS_A_WORLD = 64
"""Where the budget counts iterations: how many go with each world of the measurement."""
FEWEST_WORLDS = 32
WORLDS_AT_ONCE = 4
WORKER_WORLDS = 1 << 40
"""Worlds set aside for each worker."""


class Found(NamedTuple):
    """What the tree found: visits int64[n] and value float64[n], the expected utility, of each root move."""

    visits: np.ndarray
    value: np.ndarray
    iterations: int
    nodes: int


class Analysis(NamedTuple):
    """Ranked moves, best first, with their odds; lists of equal length, then totals.

    share: part of the visits; me, opponent: expected final rupees; win, draw, loss: of the seal; the standard errors
    are those of the mean over `samples` worlds; gap, gap_stderr: how far `win` plus half of `draw` lies below that of
    the first move, in the same worlds.
    """

    moves: list[int]
    visits: list[int]
    share: list[float]
    me: list[float]
    opponent: list[float]
    win: list[float]
    draw: list[float]
    loss: list[float]
    win_stderr: list[float]
    margin_stderr: list[float]
    gap: list[float]
    gap_stderr: list[float]
    samples: list[int]
    iterations: int
    nodes: int
    seconds: float
    threads: int
    seed: int
    interrupted: bool
    solved: bool
    """Whether all odds are exact."""


@cache
def tables():
    """The subset tables, built once."""
    return subsets()


@cache
def shipped():
    """The shipped network, read once."""
    return folded(weights.load()[0])


class Solution(NamedTuple):
    """An ending solved.

    values: float64[n], exact for the best move, lower bounds for the others unless `complete`; results: float64[n, 4],
    what best play leads to, filled where all are exact (see `endgame.solve`).
    """

    values: np.ndarray
    results: np.ndarray
    complete: bool

    def ranking(self, utility: np.ndarray) -> np.ndarray:
        """Indices of the moves, the best first; equally good ones in the order of their utility."""
        return np.lexsort((-utility, -self.values.round(9)))


class Worker:
    """One root: its tree and its part of the worlds."""

    def __init__(self, number: int, capacity: int):
        self.first = number * WORKER_WORLDS
        self.space = scratch()
        self.tree: Tree = empty_tree(capacity)
        self.iterations = 0
        self.outcomes: list[np.ndarray] = []

    def search(self, at: "Position", iterations: int | None, deadline: float) -> None:
        """Iterate until the number is reached, the time is over, or the position is interrupted."""
        chunk = 16
        while iterations is None or self.iterations < iterations:
            start = time.perf_counter()
            if at.interrupted or start >= deadline:
                break
            count = chunk if iterations is None else min(chunk, iterations - self.iterations)
            iterate(
                at.readings, at.cumulative, at.chances, at.root, self.first + self.iterations, count, at.seed,
                tables(), at.network, self.space, self.tree, at.rule,
            )  # fmt: skip
            self.iterations += count
            now = time.perf_counter()
            chunk = max(1, int(count / (now - start) * min(GLANCE, max(deadline - now, 0.0))))

    def measure(self, at: "Position", moves: np.ndarray, worlds: int | None, deadline: float) -> None:
        """Add outcomes float32[n, worlds, 3] of the moves: one chunk at least, after Ctrl-C FEWEST_WORLDS of them."""
        done = 0
        while worlds is None or done < worlds:
            if (done and time.perf_counter() >= deadline) or (at.interrupted and done >= FEWEST_WORLDS):
                break
            count = WORLDS_AT_ONCE if worlds is None else min(WORLDS_AT_ONCE, worlds - done)
            part = np.empty((len(moves), count, 3), np.float32)
            odds.measure(
                at.readings, at.cumulative, at.chances, moves, self.first + done, part, at.seed, at.rule.margin_weight,
                tables(), at.network, self.space,
            )  # fmt: skip
            self.outcomes.append(part)
            done += count


class Position:
    """A position under search: what it may stand for, its root moves, and the workers on it."""

    def __init__(
        self, readings, probabilities, seed: int, threads: int, capacity: int, network=None, rule=RULE, belief=learned,
    ):  # fmt: skip
        self.readings = np.ascontiguousarray(readings, np.uint64)
        self.cumulative = np.cumsum(probabilities)
        self.chances = chances_of(self.readings, belief(self.readings))
        self.seed = np.uint64(seed)
        self.network = network or shipped()
        self.rule = rule
        self.root = root_of(self.readings, probabilities, self.network, rule)
        self.interrupted = False
        self.workers = [Worker(number, capacity) for number in range(threads)]

    def together(self, workers: list[Worker], task: Callable[[Worker], None]) -> None:
        """Run `task` for some workers, the first in this thread; Ctrl-C makes all of them stop soon."""
        with ThreadPoolExecutor(max(1, len(workers) - 1)) as executor:
            others = [executor.submit(task, worker) for worker in workers[1:]]
            try:
                task(workers[0])
                wait(others)
            except KeyboardInterrupt:
                self.interrupted = True
            for other in others:
                other.result()

    def search(self, iterations: int | None, deadline: float) -> None:
        """Grow the trees; the iterations are shared out evenly, the first workers taking what is left over."""
        share, rest = divmod(iterations or 0, len(self.workers))
        parts = {w: None if iterations is None else share + (i < rest) for i, w in enumerate(self.workers)}
        self.together(self.workers, lambda worker: worker.search(self, parts[worker], deadline))

    def solve(self, nodes: int, with_results: bool) -> "Solution | None":
        """Solve the position, if it is an ending and `nodes` suffice; never with rollouts, which evaluate nothing."""
        world = np.empty_like(self.readings[0])
        if self.rule.rollouts or len(self.readings) > 1 or not lay_open(self.readings[0], world):
            return None
        n = len(self.root.moves)
        values, results = np.zeros(n), np.zeros((n if with_results else 0, 4))
        ending = ending_space(min(1 << max(10, (2 * nodes).bit_length()), MOST_SLOTS))
        solved = solve(world, self.root.moves, nodes, ending, tables(), self.network, scratch(), values, results)
        return Solution(values, results, solved == SOLVED) if solved else None

    def found(self) -> Found:
        """What all trees together say about the root moves."""
        n = len(self.root.moves)
        visits, gain = np.zeros(n, np.int64), np.zeros(n)
        for worker in self.workers:
            places = [find(worker.tree, np.uint64(edge_key(ROOT, move))) for move in self.root.moves]
            visits += worker.tree.visits[places]
            gain += worker.tree.gain[places]
        iterations = sum(worker.iterations for worker in self.workers)
        nodes = sum(int(worker.tree.size[0]) for worker in self.workers)
        return Found(visits, self.root.utility + gain / (1 + visits), iterations, nodes)


def legal(readings) -> list[int]:
    """Codes of the legal moves of a position. readings: uint64[r, STATE_WORDS], what it may stand for."""
    moves = np.empty(MAX_MOVES, np.uint64)
    return [int(move) for move in moves[: legal_moves(readings[0], tables(), moves)]]


def is_ending(readings) -> bool:
    """Whether the solver tries a position."""
    return len(readings) == 1 and lay_open(readings[0], np.empty_like(readings[0]))


def root_of(readings, probabilities, network, rule: Rule) -> Root:
    """The root moves and their utilities, averaged over the readings."""
    moves = np.empty(MAX_MOVES, np.uint64)
    if rule.rollouts:
        n = legal_moves(readings[0], tables(), moves)
        return Root(moves[:n], np.full(n, 0.5, np.float32))
    seal, margins = np.empty((2, MAX_MOVES), np.float32)
    space, utility, n = scratch(), np.zeros(MAX_MOVES), 0
    for reading, probability in zip(readings, probabilities, strict=True):
        n = evaluate(reading, tables(), network, space, moves, seal, margins)
        utility[:n] += probability * (seal[:n] + rule.margin_weight * margins[:n])
    return Root(moves[:n], utility[:n].astype(np.float32))


def _capacity(iterations: int | None, seconds: float | None, threads: int) -> int:
    expected = iterations / threads if iterations is not None else FASTEST * (seconds or 0.0)
    entries = min(CAPACITY, max(1024, int(ENTRIES_AN_ITERATION * expected)))
    return 1 << (entries - 1).bit_length()


def _solver_nodes(iterations: int | None, seconds: float | None) -> int:
    nodes = (
        NODES_AN_ITERATION * iterations if iterations is not None else SOLVER_SHARE * SOLVER_NODES * (seconds or 0.0)
    )
    return int(min(nodes, MOST_NODES))


def _ranking(found: Found) -> np.ndarray:
    """Indices of the root moves, the most visited first, equally visited ones by value."""
    return np.lexsort((-found.value, -found.visits))


def best(
    readings, probabilities, *, iterations: int | None = None, seconds: float | None = None, seed=1, threads=1,
    network=None, rule=RULE, belief=learned,
) -> int | None:  # fmt: skip
    """Code of the best move, None where the round is over.

    readings: uint64[r, STATE_WORDS], the information sets that the position may stand for; probabilities: float64[r];
    the budget counts iterations, or seconds from the call on; belief: a function of `engine.belief`.
    """
    deadline = time.perf_counter() + (float("inf") if seconds is None else seconds)
    if over_of(readings[0]):
        return None
    capacity = _capacity(iterations, seconds, threads)
    position = Position(readings, probabilities, seed, threads, capacity, network, rule, belief)
    if len(position.root.moves) > 1:
        solution = position.solve(_solver_nodes(iterations, seconds), with_results=False)
        if solution:
            return int(position.root.moves[solution.ranking(position.root.utility)[0]])
        position.search(iterations, deadline)
    return int(position.root.moves[_ranking(position.found())[0]])


def analyse(
    readings, probabilities, *, iterations: int | None = None, seconds: float | None = None, seed=1, threads=1,
    forced: Sequence[int] = (), belief=learned,
) -> Analysis:  # fmt: skip
    """Rank all legal moves of a round that goes on and measure their odds; arguments as for `best`.

    forced: moves that are measured in depth whatever their rank. A budget in seconds is split by SEARCH_SHARE.
    """
    start = time.perf_counter()
    capacity = _capacity(iterations, seconds, threads)
    position = Position(readings, probabilities, seed, threads, capacity, belief=belief)
    solution = position.solve(_solver_nodes(iterations, seconds), with_results=True)
    if solution and solution.complete:
        return _solved(position, solution, start, threads, seed)
    end = float("inf") if seconds is None else start + seconds
    position.search(iterations, end if seconds is None else start + SEARCH_SHARE * seconds)
    found = position.found()
    order = _ranking(found)
    if solution:  # the best move is proven, though not the odds of all
        proven = solution.ranking(position.root.utility)[0]
        order = np.array([proven, *order[order != proven]])
    moves = position.root.moves[order]
    deep = np.array([i < MEASURED or int(move) in forced for i, move in enumerate(moves)])
    measured: list[np.ndarray] = [np.empty((0, 3))] * len(moves)
    worlds = None if iterations is None else max(FEWEST_WORLDS, iterations // ITERATIONS_A_WORLD)
    brief = BRIEF if seconds is None else max(1, min(BRIEF, int(BRIEF * seconds)))
    for chosen, workers, count, until in (
        (~deep, position.workers[:1], brief, float("inf")),
        (deep, position.workers, worlds, end),
    ):
        places = np.flatnonzero(chosen)
        if len(places):
            for place, outcome in zip(places, _measured(position, workers, moves[places], count, until), strict=True):
                measured[place] = outcome
    statistics = [_statistics(outcome, measured[0]) for outcome in measured]
    columns = {name: [float(row[name]) for row in statistics] for name in statistics[0]}
    return Analysis(
        moves=[int(move) for move in moves],
        visits=[int(count) for count in found.visits[order]],
        share=[float(part) for part in found.visits[order] / max(1, found.visits.sum())],
        samples=[len(outcome) for outcome in measured],
        iterations=found.iterations,
        nodes=found.nodes,
        seconds=time.perf_counter() - start,
        threads=threads,
        seed=seed,
        interrupted=position.interrupted,
        solved=False,
        **columns,
    )


def _solved(position: Position, solution: Solution, start: float, threads: int, seed: int) -> Analysis:
    """The exact analysis of an ending: equally good moves in the order of their evaluation."""
    moves = position.root.moves
    order = solution.ranking(position.root.utility)
    win, draw, me, opponent = solution.results[order].T.round(9)
    none = [0.0] * len(moves)
    return Analysis(
        moves=[int(move) for move in moves[order]],
        visits=[0] * len(moves),
        share=none,
        me=me.tolist(),
        opponent=opponent.tolist(),
        win=win.tolist(),
        draw=draw.tolist(),
        loss=(1.0 - win - draw).round(9).tolist(),
        win_stderr=none,
        margin_stderr=none,
        gap=(solution.values.max() - solution.values[order]).round(9).tolist(),
        gap_stderr=none,
        samples=[0] * len(moves),
        iterations=0,
        nodes=0,
        seconds=time.perf_counter() - start,
        threads=threads,
        seed=seed,
        interrupted=False,
        solved=True,
    )


def _measured(
    position: Position, workers: list[Worker], moves: np.ndarray, worlds: int | None, deadline: float
) -> np.ndarray:
    """Outcomes float32[n, worlds, 3] of some moves, the workers' one behind the other."""
    for worker in position.workers:
        worker.outcomes = []
    share = None if worlds is None else -(-worlds // len(workers))
    position.together(workers, lambda worker: worker.measure(position, moves, share, deadline))
    if not workers[0].outcomes:  # Ctrl-C came before its first worlds were done
        workers[0].measure(position, moves, share, deadline)
    return np.concatenate([part for worker in workers for part in worker.outcomes], axis=1)


def _statistics(outcome: np.ndarray, first: np.ndarray) -> dict[str, float]:
    """Means and standard errors of the outcomes of a move, float32[worlds, 3], and its distance to the first move."""
    seal, mine, others = outcome.astype(np.float64).T
    win, margin = seal == 1.0, mine - others
    paired = min(len(seal), len(first))
    gap = first[:paired, odds.SEAL] - seal[:paired]
    return {
        "me": mine.mean(),
        "opponent": others.mean(),
        "win": win.mean(),
        "draw": (seal == 0.5).mean(),
        "loss": (seal == 0.0).mean(),
        "win_stderr": win.std() / len(win) ** 0.5,
        "margin_stderr": margin.std() / len(margin) ** 0.5,
        "gap": gap.mean(),
        "gap_stderr": gap.std() / paired**0.5,
    }
