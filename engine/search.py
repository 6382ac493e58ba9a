"""The search from outside: budgets, threads, and the chosen move.

Each worker has a tree and worlds of its own; their visits and gains are added up in a fixed order, so that the same
seed, iterations and threads give the same answer whatever came before.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import NamedTuple

import numpy as np

from engine import weights
from engine.belief import learned
from engine.endgame import SOLVED, ending_space, lay_open, solve
from engine.evaluation import evaluate, scratch
from engine.hands import chances_of
from engine.moves import MAX_MOVES, legal_moves, subsets
from engine.network import folded
from engine.state import over_of
from engine.tree import ROOT, Root, Rule, Tree, edge_key, empty_tree, find, iterate, set_priors

RULE = Rule(np.float32(0.4), np.float32(0.03), np.float32(0.0005))
CAPACITY = 1 << 22
"""Most entries of a tree (80 MB); a full tree grows no more, but goes on learning."""
ENTRIES_AN_ITERATION = 4
"""Room in the tree for each iteration: it enters a node and an edge at the most, and fills three quarters."""
FASTEST = 400_000
"""Iterations a second that no machine exceeds by far: sizes the tree for a budget in seconds."""
GLANCE = 0.002
"""Seconds between two looks at the clock."""
SOLVER_SHARE = 0.4
"""Part of a budget that goes, at the most, into solving an ending exactly."""
SOLVER_NODES = 150_000
"""Nodes of the solver that fit into a second, on the safe side."""
NODES_AN_ITERATION = 2
"""Nodes that the solver may visit for each iteration of the budget: about a quarter of its time."""
MOST_NODES = 500_000
"""Nodes after which the solver gives up, whatever the budget: what it has not solved by then is too long."""
MOST_SLOTS = 1 << 20
"""Largest transposition table of the solver."""
WORKER_WORLDS = 1 << 40
"""Worlds set aside for each worker."""


class Found(NamedTuple):
    """What the tree found: visits int64[n] and value float64[n], the expected utility, of each root move."""

    visits: np.ndarray
    value: np.ndarray
    iterations: int
    nodes: int


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
        ending.left[0] = nodes
        with ThreadPoolExecutor(1) as executor:
            task = executor.submit(
                solve, world, self.root.moves, ending, tables(), self.network, scratch(), values, results
            )
            try:
                solved = task.result()
            except KeyboardInterrupt:
                self.interrupted = True
                ending.left[0] = 0  # the solver gives up
                solved = task.result()
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
    """The root moves, with utilities averaged over the readings."""
    moves = np.empty(MAX_MOVES, np.uint64)
    seal, margins, utility = np.zeros((3, MAX_MOVES), np.float32)
    n = 0
    if rule.rollouts:
        n = legal_moves(readings[0], tables(), moves)
        utility[:n] = 0.5
    else:
        space = scratch()
        for reading, probability in zip(readings, probabilities, strict=True):
            n = evaluate(reading, tables(), network, space, moves, seal, margins)
            utility[:n] += probability * (seal[:n] + rule.margin_weight * margins[:n])
    priors = np.empty(n, np.float32)
    set_priors(utility, n, rule.temperature, priors)
    return Root(moves[:n], utility[:n], priors)


def capacity_for(iterations: int | None, seconds: float | None, threads: int) -> int:
    """Entries of each tree for a budget, a power of two."""
    expected = iterations / threads if iterations is not None else FASTEST * (seconds or 0.0)
    entries = min(CAPACITY, max(1024, int(ENTRIES_AN_ITERATION * expected)))
    return 1 << (entries - 1).bit_length()


def solver_nodes(iterations: int | None, seconds: float | None) -> int:
    """Nodes that the solver may visit within a budget."""
    nodes = (
        NODES_AN_ITERATION * iterations if iterations is not None else SOLVER_SHARE * SOLVER_NODES * (seconds or 0.0)
    )
    return int(min(nodes, MOST_NODES))


def ranking(found: Found) -> np.ndarray:
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
    capacity = capacity_for(iterations, seconds, threads)
    position = Position(readings, probabilities, seed, threads, capacity, network, rule, belief)
    if len(position.root.moves) > 1:
        solution = position.solve(solver_nodes(iterations, seconds), with_results=False)
        if solution:
            return int(position.root.moves[solution.ranking(position.root.utility)[0]])
        position.search(iterations, deadline)
    return int(position.root.moves[ranking(position.found())[0]])
