"""Advice on a position: its moves ranked by the search, with what each of them leads to."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from advisor.faults import Fault, FaultyError, quoted
from advisor.fields import Reader, one_of, whole_number
from advisor.kernels import prepare
from advisor.position import Position
from advisor.replay import objections
from advisor.words import move_text, parse_move
from engine.codes import decode

if TYPE_CHECKING:  # kernels are imported where they are called: they need numba
    import numpy as np

    from engine.analysis import Analysis

DEFAULT_SECONDS = 1.0
"""Budget of a search for which none is given."""

BELIEFS = ("learned", "uniform")
"""What may be believed about hidden cards, the default first: `engine.belief` has a function for each."""

MOST_SECONDS = 3600
MOST_THREADS = 64


def _seconds(value: object, path: str, faults: list[Fault]) -> object:
    """A reader of seconds."""
    if not (isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= MOST_SECONDS):
        faults.append(Fault(path, f"read {quoted(value)}, expected a number above 0, up to {MOST_SECONDS}"))
    return value


LIMITS: dict[str, Reader] = {
    "seconds": _seconds,
    "iterations": whole_number(1, 10**9),
    "seed": whole_number(0, 2**64 - 1),
    "threads": whole_number(1, MOST_THREADS),
    "top": whole_number(1, 10**6),
    "belief": one_of(*BELIEFS),
}
"""What each option of a search may be, as readers of `advisor.fields`."""

_STARTED = {"me": True, "opponent": False, None: None}


@dataclass(frozen=True, slots=True)
class Rupees:
    """Expected final rupees of the round: goods, bonus and camel tokens together."""

    me: float
    opponent: float
    margin: float
    """Mine less the opponent's."""
    stderr: float
    """Standard error of the margin."""


@dataclass(frozen=True, slots=True)
class Seal:
    """Chances, 0 to 1, that I win the round's seal, that nobody does, and that the opponent does; their sum is 1."""

    win: float
    draw: float
    loss: float
    stderr: float
    """Standard error of `win`."""


@dataclass(frozen=True, slots=True)
class Match:
    """Chance, 0 to 1, that I am the first to two seals."""

    win: float


@dataclass(frozen=True, slots=True)
class Gap:
    """How far the seal's chance, a draw counting half, lies below the first move's in the very same worlds."""

    seal: float
    stderr: float


@dataclass(frozen=True, slots=True)
class Row:
    """One move and what it leads to."""

    rank: int
    """Place among all moves, 1 for the best."""
    move: str
    """Canonical text."""
    rupees: Rupees
    seal: Seal
    match: Match
    gap: Gap
    samples: int
    """Worlds in which the move was played out."""
    visits: int
    """Iterations of the search that tried the move."""
    share: float
    """The same as a part of those of all moves, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Search:
    """What the search spent, and what it needs to be run again."""

    iterations: int
    seconds: float
    nodes: int
    """Entries of all trees."""
    threads: int
    seed: int


@dataclass(frozen=True, slots=True)
class Advice:
    """The moves of a position, best first; none where there is nothing to play (`Position.over` says why)."""

    position: Position
    rows: tuple[Row, ...]
    legal: int
    """Number of legal moves, those without a row included."""
    search: Search
    interrupted: bool = False
    """The search was stopped before its budget was spent."""
    solved: bool = False
    """All odds are exact: an ending that was searched to its end."""

    def to_dict(self) -> dict[str, Any]:
        """The reply to `analyse` in the engine protocol, without its `id`."""
        return {
            "moves": [asdict(row) for row in self.rows],
            "position": self.position.to_dict(),
            "line": self.position.line(),
            "search": asdict(self.search),
            "solved": self.solved,
        }


def advise(
    position: Position,
    *,
    seconds: float | None = None,
    iterations: int | None = None,
    seed: int = 1,
    threads: int = 1,
    top: int | None = None,
    moves: Sequence[str] = (),
    belief: str = BELIEFS[0],
) -> Advice:
    """Rank the moves of a position.

    seconds or iterations: the budget, one second if neither is given, compiling not counted; top: how many rows at
    most, all if None; moves: texts of moves that get a row in any case; belief: one of `BELIEFS`, how the opponent's
    hidden cards are drawn. The same position, belief, seed, threads and iterations give the same advice,
    `search.seconds` apart. Raises ValueError: `FaultyError` for options beyond `LIMITS`, `WordError` for a text that is
    no move, and itself for a move that is not legal.
    """
    _check(seconds=seconds, iterations=iterations, seed=seed, threads=threads, top=top, belief=belief)
    if position.over:
        for text in moves:
            parse_move(text)
        return Advice(position, (), 0, Search(0, 0.0, 0, threads, seed))
    tables, probabilities = position.alternatives()
    forced = [_legal_move(tables[0], text) for text in moves]
    prepare(endings=False)
    from engine.analysis import analyse
    from engine.search import is_ending

    if is_ending(tables):
        prepare()
    if seconds is None and iterations is None:
        seconds = DEFAULT_SECONDS
    found = analyse(
        tables, probabilities, iterations=iterations, seconds=seconds, seed=seed, threads=threads, forced=forced,
        belief=belief_of(belief),
    )  # fmt: skip
    shown = [i for i, move in enumerate(found.moves) if top is None or i < top or move in forced]
    rows = tuple(_row(position, found, i) for i in shown)
    search = Search(found.iterations, found.seconds, found.nodes, found.threads, found.seed)
    return Advice(position, rows, len(found.moves), search, found.interrupted, found.solved)


def belief_of(name: str) -> "Callable[[np.ndarray], np.ndarray]":
    """The function of `engine.belief` that has this name."""
    from engine import belief

    return {"learned": belief.learned, "uniform": belief.uniform}[name]


def legal_moves(position: Position) -> list[str]:
    """Canonical texts of the legal moves, sorted."""
    if position.over:
        return []
    from engine.search import legal

    return sorted(map(move_text, legal(position.alternatives()[0])))


def _check(**given: float | str | None) -> None:
    faults: list[Fault] = []
    for name, value in given.items():
        if value is not None:
            LIMITS[name](value, name, faults)
    if given["seconds"] is not None and given["iterations"] is not None:
        faults.append(Fault("seconds", "expected iterations or seconds, not both"))
    if faults:
        raise FaultyError(faults)


def _legal_move(table: "np.ndarray", text: str) -> int:
    """The code of a legal move of an information set; raises ValueError with the reason why it is none.

    What decides is the mover's own hand and herd and the market: it is the same in all alternatives of a position.
    """
    from engine.state import read

    move = parse_move(text)
    for reason in objections(read(table), *decode(move), deck=()):
        raise ValueError(f"{move_text(move)} is not legal: {reason}")
    return move


def _row(position: Position, found: "Analysis", i: int) -> Row:
    from engine.match import match_win

    win, draw, loss = found.win[i], found.draw[i], found.loss[i]
    me, opponent = found.me[i], found.opponent[i]
    match = match_win(win, draw, loss, position.me.seals, position.opponent.seals, _STARTED[position.first])
    return Row(
        rank=i + 1,
        move=move_text(found.moves[i]),
        rupees=Rupees(me, opponent, me - opponent, found.margin_stderr[i]),
        seal=Seal(win, draw, loss, found.win_stderr[i]),
        match=Match(match),
        gap=Gap(found.gap[i], found.gap_stderr[i]),
        samples=found.samples[i],
        visits=found.visits[i],
        share=found.share[i],
    )
