"""Thinking in the background: an answer that gets better until it is told to stop.

The search is `engine.search`, on a position that stays; every round of thinking grows its trees and then measures the
best moves in fresh worlds. While the opponent ponders, his hand is drawn again and again from what is not known, and
the search looks for his best move in each.
"""

import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from engine.search import Position

FIRST = 0.15
"""Seconds of the first round of thinking; each later one is twice as long."""
LONGEST_ROUND = 8.0
MEASURED_SHARE = 0.6
"""Seconds of measuring for each second of searching."""
MOST_SECONDS = 90.0
"""Thinking on a position ends after this time: more would only warm the room."""
MEASURED = 8
CAPACITY = 1 << 20
"""Entries of a tree (20 MB)."""
SOLVER_NODES = 60_000
NICE = 10
"""Priority of thinking, below that of the keyboard."""
GUESSES = 24
"""Hands of the opponent that are drawn, each searched for so many seconds."""
GUESS_SECONDS = 0.12


class Line(NamedTuple):
    """A move and what it leads to."""

    move: int
    win: float
    draw: float
    stderr: float
    """Of `win`, 0 to 1."""
    me: float
    opponent: float
    gap: float
    """How far the seal's chance, a draw counting half, lies below the best move's."""
    gap_stderr: float


class Answer(NamedTuple):
    """What is known so far: the moves, best first, when I am to move; else what the opponent may do."""

    mine: bool
    lines: tuple[Line, ...]
    expected: tuple[tuple[int, float], ...]
    """The opponent's moves with their chances."""
    win: float
    """My chance of the seal."""
    iterations: int
    seconds: float
    solved: bool

    def line_of(self, move: int) -> Line | None:
        """The line of a move, if it was measured."""
        return next((line for line in self.lines if line.move == move), None)


class _Run:
    """Thinking on one position; `stop` may come at any moment, from another thread."""

    def __init__(self) -> None:
        self.stopped = False
        self.position: Position | None = None

    def on(self, position: "Position") -> "Position":
        """Make this the position that is stopped."""
        self.position = position
        position.interrupted = self.stopped
        return position

    def stop(self) -> None:
        self.stopped = True
        if self.position:
            self.position.interrupted = True


class Thinker:
    """One position at a time, in a thread of its own with `threads` workers."""

    def __init__(self, threads: int = 1, seed: int = 1, changed: Callable[[], None] = lambda: None) -> None:
        self.threads = threads
        self.seed = seed
        self.answer: Answer | None = None
        self.changed = changed
        self._run = _Run()
        self._thread: threading.Thread | None = None
        self._threads: list[threading.Thread] = []
        """All that may still be at work: a stopped one needs a moment to end."""
        self._better = threading.Condition()

    def start(
        self, readings: "np.ndarray", probabilities: "np.ndarray", mine: bool, moves: tuple[int, ...] = ()
    ) -> None:
        """Think on a position (see `engine.search.best`) of mine or the opponent's turn; what was thought on is left.

        moves: codes that get a line in any case.
        """
        self.stop()
        self.answer, self._run = None, _Run()
        work = self._ponder if mine else self._guess
        arguments = (readings, probabilities, moves, self._run)
        self._thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._thread.start()
        self._threads = [thread for thread in self._threads if thread.is_alive()] + [self._thread]

    def close(self) -> None:
        """Stop thinking, and wait until no thread is at work: at the end of the program none may be."""
        self.stop()
        for thread in self._threads:
            thread.join()

    def stop(self) -> None:
        """Stop thinking, within a moment; the answer stays."""
        self._run.stop()
        self._thread = None

    def wait(self, seconds: float) -> Answer | None:
        """The answer after so many seconds of thinking on this position, earlier if it cannot get better."""
        end = time.monotonic() + seconds
        with self._better:
            while (left := end - time.monotonic()) > 0 and self._thread and self._thread.is_alive():
                if self.answer and (self.answer.solved or self.answer.seconds >= seconds):
                    break
                self._better.wait(min(left, 0.05))
            while self.answer is None and self._thread and self._thread.is_alive():
                self._better.wait(0.05)
        return self.answer

    def _publish(self, answer: Answer, run: _Run) -> None:
        if run.stopped:
            return
        with self._better:
            self.answer = answer
            self._better.notify_all()
        self.changed()

    # ---- my turn ----

    def _ponder(self, readings: "np.ndarray", probabilities: "np.ndarray", moves: tuple[int, ...], run: _Run) -> None:
        from engine.search import Position, is_ending

        _step_back()
        start = time.monotonic()
        position = run.on(Position(readings, probabilities, self.seed, self.threads, CAPACITY))
        if is_ending(readings) and (answer := _solved(position, start)):
            self._publish(answer, run)
            return
        length = FIRST
        while not run.stopped and time.monotonic() - start < MOST_SECONDS:
            position.search(None, time.perf_counter() + length)
            if run.stopped:
                break
            found = position.found()
            order = sorted(range(len(found.visits)), key=lambda i: (-found.visits[i], -found.value[i]))
            codes = [int(position.root.moves[i]) for i in order]
            chosen = codes[:MEASURED] + [move for move in moves if move in codes[MEASURED:]]
            lines = _measured(position, chosen, MEASURED_SHARE * length)
            spent = time.monotonic() - start
            win = lines[0].win
            self._publish(Answer(True, tuple(lines), (), win, found.iterations, spent, False), run)
            if len(codes) == 1:
                break
            length = min(2 * length, LONGEST_ROUND)

    # ---- the opponent's turn ----

    def _guess(self, readings: "np.ndarray", probabilities: "np.ndarray", moves: tuple[int, ...], run: _Run) -> None:
        import numpy as np

        from engine.belief import learned
        from engine.hands import chances_of
        from engine.infoset import determinise, information_set
        from engine.search import Position
        from engine.streams import MEASURE, set_stream

        _step_back()
        start = time.monotonic()
        stream, world, info = np.empty(1, np.uint64), np.empty_like(readings[0]), np.empty_like(readings[0])
        choices = np.random.default_rng(self.seed).choice(len(readings), GUESSES, p=probabilities)
        chances = chances_of(readings, learned(readings))
        votes: Counter[int] = Counter()
        wins, iterations = 0.0, 0
        for number, reading in enumerate(choices, 1):
            set_stream(stream, np.uint64(self.seed), np.uint64(number), MEASURE)
            determinise(readings[reading], chances[reading], stream, world)
            information_set(world, 1, info)
            position = run.on(Position(info[None], np.ones(1), self.seed, self.threads, CAPACITY >> 3))
            position.search(None, time.perf_counter() + GUESS_SECONDS)
            if run.stopped:
                break
            found = position.found()
            move = int(position.root.moves[int(found.visits.argmax())])
            votes[move] += 1
            line = _measured(position, [move], GUESS_SECONDS / 2)[0]
            wins += 1.0 - line.win - line.draw
            iterations += found.iterations
            expected = tuple((code, count / number) for code, count in votes.most_common(3))
            spent = time.monotonic() - start
            self._publish(Answer(False, (), expected, wins / number, iterations, spent, False), run)


def _step_back() -> None:
    """Let the keyboard go first: on Linux this thread, and those that it starts, get a lower priority."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)


def _measured(position: "Position", moves: list[int], seconds: float) -> list[Line]:
    """The moves played out in the same worlds for some seconds; the first one is what the others are compared with."""
    import numpy as np

    from engine.analysis import measured, statistics

    parts = measured(position, position.workers, np.array(moves, np.uint64), None, time.perf_counter() + seconds)
    outcomes = np.concatenate(parts, axis=1)
    odds = statistics(outcomes, outcomes[0])
    names = {"win": "win", "draw": "draw", "stderr": "win_stderr", "me": "me", "opponent": "opponent"}
    names |= {"gap": "gap", "gap_stderr": "gap_stderr"}
    return [
        Line(move=move, **{field: float(odds[name][i]) for field, name in names.items()})
        for i, move in enumerate(moves)
    ]


def _solved(position: "Position", start: float) -> Answer | None:
    """The exact answer of an ending that is small enough."""
    solution = position.solve(SOLVER_NODES, with_results=True)
    if not solution or not solution.complete:
        return None
    lines = []
    for i in solution.ranking(position.root.utility):
        win, draw, me, opponent = (float(part) for part in solution.results[i])
        gap = float(solution.values.max() - solution.values[i])
        lines.append(Line(int(position.root.moves[i]), win, draw, 0.0, me, opponent, gap, 0.0))
    return Answer(True, tuple(lines), (), lines[0].win, 0, time.monotonic() - start, True)
