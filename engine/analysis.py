"""The odds of all moves: the search selects, then playouts in fresh worlds measure.

The moves that the search likes best, and those asked for, are measured in depth; all others briefly. A budget is split
beforehand, never "until it looks good".
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine import odds
from engine.belief import learned
from engine.search import Position, Solution, Worker, capacity_for, ranking, solver_nodes, tables

SEARCH_SHARE = 0.5
"""Part of a budget in seconds that selects; the rest measures."""
MEASURED = 8
"""Moves measured in depth, besides those asked for."""
BRIEF = 16
"""Worlds for every other move in a second or more: enough to see that it is worse."""
ITERATIONS_A_WORLD = 64
"""Where the budget counts iterations: how many go with each world of the measurement."""
FEWEST_WORLDS = 32
"""Worlds in depth at the least where the budget counts iterations, or Ctrl-C cuts it off: fewer say nothing."""
PLAYOUTS_AT_ONCE = 32
"""Playouts between two looks at the clock, some 3 ms; one world for every move at the least."""


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


def analyse(
    readings, probabilities, *, iterations: int | None = None, seconds: float | None = None, seed=1, threads=1,
    forced: Sequence[int] = (), belief=learned,
) -> Analysis:  # fmt: skip
    """Rank all legal moves of a round that goes on and measure their odds; arguments as for `search.best`.

    forced: moves that are measured in depth whatever their rank. A budget in seconds is split by SEARCH_SHARE.
    """
    start = time.perf_counter()
    capacity = capacity_for(iterations, seconds, threads)
    position = Position(readings, probabilities, seed, threads, capacity, belief=belief)
    solution = position.solve(solver_nodes(iterations, seconds), with_results=True)
    if solution and solution.complete:
        return _solved(position, solution, start, threads, seed)
    end = float("inf") if seconds is None else start + seconds
    position.search(iterations, end if seconds is None else start + SEARCH_SHARE * seconds)
    found = position.found()
    order = ranking(found)
    if solution:  # the best move is proven, though not the odds of all
        proven = solution.ranking(position.root.utility)[0]
        order = np.array([proven, *order[order != proven]])
    moves = position.root.moves[order]
    return Analysis(
        moves=moves.tolist(),
        visits=found.visits[order].tolist(),
        share=(found.visits[order] / max(1, found.visits.sum())).tolist(),
        **_measured_all(position, moves, forced, iterations, seconds, end),
        iterations=found.iterations,
        nodes=found.nodes,
        seconds=time.perf_counter() - start,
        threads=threads,
        seed=seed,
        interrupted=position.interrupted,
        solved=False,
    )


def _solved(position: Position, solution: Solution, start: float, threads: int, seed: int) -> Analysis:
    """The exact analysis of an ending: equally good moves in the order of their evaluation."""
    order = solution.ranking(position.root.utility)
    win, draw, me, opponent = solution.results[order].T.round(9)
    none = [0.0] * len(order)
    return Analysis(
        moves=position.root.moves[order].tolist(),
        visits=[0] * len(order),
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
        samples=[0] * len(order),
        iterations=0,
        nodes=0,
        seconds=time.perf_counter() - start,
        threads=threads,
        seed=seed,
        interrupted=False,
        solved=True,
    )


def _measured_all(
    position: Position,
    moves: np.ndarray,
    forced: Sequence[int],
    iterations: int | None,
    seconds: float | None,
    end: float,
) -> dict[str, list]:
    """The odds of ranked moves, lists in their order by the names of `Analysis`: some in depth, the others briefly."""
    deep = (np.arange(len(moves)) < MEASURED) | np.isin(moves, np.array(forced, np.uint64))
    worlds = None if iterations is None else max(FEWEST_WORLDS, iterations // ITERATIONS_A_WORLD)
    brief = BRIEF if seconds is None else max(1, min(BRIEF, int(BRIEF * seconds)))
    rest = measured(position, position.workers[:1], moves[~deep], brief, float("inf"))[0]
    parts = measured(position, position.workers, moves[deep], worlds, end)
    best = np.concatenate(parts, axis=1)
    columns: dict[str, np.ndarray] = {}
    for chosen, outcomes, first in ((deep, best, best[0]), (~deep, rest, parts[0][0])):  # in the same worlds
        for name, column in statistics(outcomes, first).items():
            columns.setdefault(name, np.empty(len(moves), column.dtype))[chosen] = column
    return {name: column.tolist() for name, column in columns.items()}


def measured(
    position: Position, workers: list[Worker], moves: np.ndarray, worlds: int | None, deadline: float
) -> list[np.ndarray]:
    """Outcomes float32[n, worlds, 3] of some moves, by worker. After Ctrl-C the first one measures FEWEST_WORLDS."""
    share = None if worlds is None else -(-worlds // len(workers))
    parts: dict[Worker, list[np.ndarray]] = {worker: [] for worker in workers}

    def measure(worker: Worker) -> None:
        _measure(position, worker, moves, share, deadline, parts[worker])

    position.together(workers, measure)
    if position.interrupted:
        measure(workers[0])
    return [np.concatenate(parts[worker], axis=1) for worker in workers if parts[worker]]


def _measure(
    position: Position, worker: Worker, moves: np.ndarray, worlds: int | None, deadline: float, parts: list[np.ndarray]
) -> None:
    """Add to the outcomes float32[n, worlds, 3] in `parts`: to one chunk at least, after Ctrl-C to FEWEST_WORLDS."""
    chunk = max(1, PLAYOUTS_AT_ONCE // max(1, len(moves)))
    done = sum(part.shape[1] for part in parts)
    while worlds is None or done < worlds:
        if (done and time.perf_counter() >= deadline) or (position.interrupted and done >= FEWEST_WORLDS):
            break
        count = chunk if worlds is None else min(chunk, worlds - done)
        part = np.empty((len(moves), count, 3), np.float32)
        odds.measure(
            position.readings, position.cumulative, position.chances, moves, worker.first + done, part, position.seed,
            position.rule.margin_weight, tables(), position.network, worker.space,
        )  # fmt: skip
        parts.append(part)
        done += count


def statistics(outcomes: np.ndarray, first: np.ndarray) -> dict[str, np.ndarray]:
    """Means and standard errors by move of outcomes float32[n, worlds, 3], and distances to the first move's,
    float32[worlds, 3]."""
    seal, mine, others = np.moveaxis(outcomes.astype(np.float64), 2, 0)
    win, margin = seal == 1.0, mine - others
    worlds = seal.shape[1]
    paired = min(worlds, len(first))
    gap = first[:paired, odds.SEAL] - seal[:, :paired]
    return {
        "me": mine.mean(axis=1),
        "opponent": others.mean(axis=1),
        "win": win.mean(axis=1),
        "draw": (seal == 0.5).mean(axis=1),
        "loss": (seal == 0.0).mean(axis=1),
        "win_stderr": win.std(axis=1) / worlds**0.5,
        "margin_stderr": margin.std(axis=1) / worlds**0.5,
        "gap": gap.mean(axis=1),
        "gap_stderr": gap.std(axis=1) / paired**0.5,
        "samples": np.full(len(seal), worlds),
    }
