"""Matches between two players: pairs of rounds on the same deal, the seats swapped.

A player gets what he knows, an information set, and chooses a move. Deal d of a match draws its cards from the stream
(seed, d, DEAL), whoever plays; what a player draws by lot depends on the seed, the deal and the number of the move
alone. So a player without a clock takes exactly half of each pair against himself.
"""

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from queue import SimpleQueue
from threading import Event
from typing import NamedTuple

import numpy as np
from numba import njit

from engine import rules, search
from engine.belief import learned
from engine.evaluation import evaluate, scratch
from engine.greedy import greedy_move
from engine.infoset import information_set
from engine.lanes import U
from engine.moves import MAX_MOVES, random_move
from engine.policy import best_move
from engine.state import (
    STATE_WORDS,
    camel_token,
    complete_turn,
    deal,
    over_of,
    play,
    rupees,
    turn_of,
    winner,
)
from engine.streams import DEAL, EXPLORE, below, set_stream
from engine.tree import Rule

MOVE_CAP = 400
"""Moves after which a round is cut off and scored as it stands: players may exchange for ever."""

FIRST_RULE = Rule(np.float32(1.0), np.float32(0.05), np.float32(0.0005), True)
"""The first version's search: equal priors, leaf values from greedy playouts."""

_AHEAD = 2
"""Pairs that wait for each worker."""


class Player(ABC):
    """Chooses moves. One thread at a time asks a player: he may keep buffers."""

    clock: Callable[[], float] = staticmethod(time.thread_time)
    """Seconds that his moves are charged by: processor time of the thread, unless he thinks elsewhere."""

    @abstractmethod
    def choose(self, info, seed) -> int:
        """Code of his move. info: uint64[STATE_WORDS], his information set; seed: integer from 0 to 2**32 - 1."""

    def close(self) -> None:  # noqa: B027 - most hold nothing
        """Let go of what he holds; he plays no more."""


class Random(Player):
    """Every legal move alike."""

    def __init__(self):
        self.stream = np.empty(1, np.uint64)

    def choose(self, info, seed):
        """See `Player`."""
        return _random_choice(info, search.tables(), seed, self.stream)


class Greedy(Player):
    """The greedy player of `engine.greedy`."""

    def __init__(self):
        self.moves = np.empty(MAX_MOVES, np.uint64)

    def choose(self, info, seed):
        """See `Player`."""
        return greedy_move(info, search.tables(), self.moves)


class Evaluation(Player):
    """The network alone: the move with the largest utility, without going round in exchanges."""

    def __init__(self, network=None):
        self.network = network or search.shipped()
        self.space = scratch()
        self.moves = np.empty(MAX_MOVES, np.uint64)
        self.seal, self.margins = np.empty((2, MAX_MOVES), np.float32)

    def choose(self, info, seed):
        """See `Player`."""
        return _evaluated_choice(
            info, search.tables(), self.network, self.space, self.moves, self.seal, self.margins,
            search.RULE.margin_weight,
        )  # fmt: skip


class Search(Player):
    """The tree search, one thread, by iterations or seconds a move."""

    def __init__(self, *, iterations=None, seconds=None, network=None, rule=search.RULE, belief=learned):
        self.budget = {"iterations": iterations, "seconds": seconds}
        self.network = network
        self.rule = rule
        self.belief = belief

    def choose(self, info, seed):
        """See `Player`."""
        return search.best(
            info[None], np.ones(1), seed=seed, network=self.network, rule=self.rule, belief=self.belief, **self.budget
        )


@njit(cache=True, nogil=True)
def _random_choice(info, tables, seed, stream):
    set_stream(stream, seed, 0, EXPLORE)
    return random_move(info, tables, stream)


@njit(cache=True, nogil=True)
def _evaluated_choice(info, tables, network, space, moves, seal, margins, margin_weight):
    n = evaluate(info, tables, network, space, moves, seal, margins)
    return moves[best_move(info, moves, n, seal, margins, margin_weight)]


@njit(cache=True, nogil=True)
def _deal(world, number, seed, stream):
    """Deal round `number`; the seed of its first move, the other moves having those that follow."""
    set_stream(stream, seed, number, EXPLORE)
    first_seed = below(stream, 1 << 31)
    set_stream(stream, seed, number, DEAL)
    deal(world, number & 1, rules.DECK_END_REFILL, stream)
    return first_seed


@njit(cache=True, nogil=True)
def _view(world, info):
    """Write what the player to move knows into `info`; who he is, or -1 where the round is over."""
    if over_of(world):
        return -1
    player = turn_of(world)
    information_set(world, player, info)
    return player


@njit(cache=True, nogil=True)
def _move(world, move, stream):
    complete_turn(world, play(world, U(move)), stream)


class Round(NamedTuple):
    """A round from the side of the match's first player; the pairs of numbers are his and the other one's."""

    score: float
    """1 for the seal, 0.5 for a draw, 0."""
    rupees: tuple[int, int]
    """Final rupees, the camel token included."""
    moves: tuple[int, int]
    seconds: tuple[float, float]
    """Time for all moves, by the clock of each player."""
    cut: bool
    """Cut off after MOVE_CAP moves."""


Pair = tuple[Round, Round]
"""The two rounds on a deal: the first player in seat 0, then in seat 1. Seat d & 1 begins on deal d."""


class Stopped(Exception):  # noqa: N818 - nothing went wrong
    """A round that was given up because nobody wants it any more."""


def play_round(players, seat, number, seed, stop: Event) -> Round:
    """Play deal `number` with the first of `players` in `seat`; raises `Stopped` soon after `stop` is set."""
    world, info = np.empty((2, STATE_WORDS), np.uint64)
    stream = np.empty(1, np.uint64)
    move_seed = _deal(world, number, seed, stream)
    moves, seconds = [0, 0], [0.0, 0.0]
    turn = _view(world, info)
    while turn >= 0 and sum(moves) < MOVE_CAP:
        if stop.is_set():
            raise Stopped
        side = turn ^ seat
        player = players[side]
        start = player.clock()
        move = player.choose(info, move_seed)
        seconds[side] += player.clock() - start
        moves[side] += 1
        move_seed += 1
        _move(world, move, stream)
        turn = _view(world, info)
    taker = winner(world)
    camels = camel_token(world)
    mine, other = (rupees(world, p) + rules.CAMEL_TOKEN * (p == camels) for p in (seat, 1 - seat))
    score = 0.5 if taker < 0 else float(taker == seat)
    return Round(score, (int(mine), int(other)), (moves[0], moves[1]), (seconds[0], seconds[1]), turn >= 0)


def warm() -> None:
    """Load or compile the kernels of a match, so that no move is charged with it."""
    for players in ((Random(), Greedy()), (Evaluation(), Greedy())):
        play_round(players, 0, 0, 0, Event())


def play_pairs(makers, deals, seed, workers=1) -> Generator[Pair, None, None]:
    """Play deals (a range), and yield their pairs in the order of the deals.

    makers: two functions that make the players; they are called once for each worker, a thread. The kernels run side
    by side, Python does not. Players are closed at the end, or when the generator is closed or interrupted.
    """
    stop = Event()
    free: SimpleQueue = SimpleQueue()
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(workers))
        for _ in range(workers):
            players = []
            for make in makers:
                players.append(make())
                stack.callback(players[-1].close)
            free.put(players)
        stack.callback(pool.shutdown, wait=False, cancel_futures=True)
        stack.callback(stop.set)

        def pair(number) -> Pair:
            players = free.get()
            try:
                return play_round(players, 0, number, seed, stop), play_round(players, 1, number, seed, stop)
            finally:
                free.put(players)

        waiting: deque[Future] = deque()
        for number in deals:
            waiting.append(pool.submit(pair, number))
            if len(waiting) > _AHEAD * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
