"""Players of a match by name: what the names mean, and programs that speak the engine protocol."""

import json
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from threading import Timer
from time import perf_counter
from typing import TYPE_CHECKING, Any

from advisor.advice import BELIEFS, LIMITS, belief_of
from advisor.faults import Fault, FaultyError, quoted
from advisor.forms import parse_json
from advisor.position import Me, Opponent, Position
from advisor.words import DECK_ENDS, hint, move_text, parse_move
from engine.rules import BONUS, BONUS_VALUES, CARDS, GOODS, TIER_SIZE

if TYPE_CHECKING:
    import numpy as np

    from engine.arena import Player

Json = dict[str, Any]
Budget = dict[str, float]
"""`{"iterations": n}` or `{"seconds": s}`; empty for players without a budget."""

KINDS = ("random", "greedy", "evaluation", "search", "rollouts", "program")
_BUDGETED = ("search", "rollouts", "program")
_LEARNED = ("evaluation", "search")
"""Players that take a weights file."""

PATIENCE = 120.0
"""Seconds beyond its budget after which a program counts as hung. The first reply may wait for a compiler."""

FAREWELL = 1.0
"""Seconds that a program has to end after the end of its input."""

_BUDGET = re.compile(r"(?P<number>[0-9]{1,12}(?:\.[0-9]+)?)(?P<unit>ms|s)?")
_UNIT_SECONDS = {"ms": 0.001, "s": 1.0}


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player as named on the command line."""

    name: str
    weights: str | None
    """Fingerprint of the weights file that it plays with; None where it has none."""
    make: "Callable[[], Player | Program]"
    """Makes the player; once for each thread."""


def entrant(name: str) -> Entrant:
    """The player of a name; raises ValueError (or OSError, for its weights file) where it is none.

    `random`, `greedy`, `evaluation`, `search:BUDGET[:BELIEF]`, `rollouts:BUDGET`, `program:COMMAND:BUDGET`; a budget is
    `1000` iterations, `100ms` or `1s` a move, a belief `learned` or `uniform`; `@FILE` behind a network player's name
    makes it play with other weights.
    """
    if name.startswith("program:"):
        command, _, text = name.removeprefix("program:").rpartition(":")
        return Entrant(name, None, partial(Program, _arguments(name, command), _budget(name, text)))
    body, at, path = name.partition("@")
    kind, colon, text = body.partition(":")
    if kind not in KINDS:
        raise ValueError(f"no player {quoted(name)}, expected {', '.join(KINDS)}{hint(kind, KINDS)}")
    if at and kind not in _LEARNED:
        raise ValueError(f"player {quoted(name)}: {kind} plays without weights, expected no @FILE")
    if colon and kind not in _BUDGETED:
        raise ValueError(f"player {quoted(name)}: {kind} has no budget, expected {kind} alone")
    belief = "uniform" if kind == "rollouts" else BELIEFS[0]
    if kind == "search" and ":" in text:
        text, _, belief = text.partition(":")
    budget = _budget(name, text) if kind in _BUDGETED else {}
    _check("belief", belief, name)
    file = _weights_file(name, path) if at else None
    learned = kind == "search" and belief == "learned"
    weights = _digest(file, learned) if kind in _LEARNED else None
    return Entrant(name, weights, partial(_make, kind, budget, file, belief))


def _budget(name: str, text: str) -> Budget:
    """A budget a move: `1000`, `100ms`, `1s`."""
    read = _BUDGET.fullmatch(text)
    if not read or not (read["unit"] or read["number"].isdigit()):
        wanted = "a budget such as 1000 (iterations), 100ms or 1s at its end"
        raise ValueError(f"player {quoted(name)}: read {quoted(text)}, expected {wanted}")
    budget: Budget = (
        {"seconds": float(read["number"]) * _UNIT_SECONDS[read["unit"]]}
        if read["unit"]
        else {"iterations": int(read["number"])}
    )
    for field, value in budget.items():
        _check(field, value, name)
    return budget


def _check(field: str, value: object, name: str) -> None:
    faults: list[Fault] = []
    LIMITS[field](value, f"player {quoted(name)}: {field}", faults)
    if faults:
        raise FaultyError(faults)


def _arguments(name: str, command: str) -> list[str]:
    """The words of a command line, which may stand in quotes as a whole."""
    if len(command) > 1 and command[0] == command[-1] and command[0] in "'\"":
        command = command[1:-1]
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"player {quoted(name)}: the command cannot be read: {error}") from None
    if not words:
        raise ValueError(f"player {quoted(name)}: no command, expected program:COMMAND:BUDGET")
    return words


def _weights_file(name: str, path: str) -> Path:
    if not path:
        raise ValueError(f"player {quoted(name)}: no file after @")
    _network(Path(path))
    return Path(path)


def _digest(file: Path | None, with_belief: bool) -> str:
    """Fingerprint of the network and, where a player goes by it, of the shipped belief."""
    from engine import belief, weights

    return weights.fingerprint(file or weights.SHIPPED, *[belief.SHIPPED] * with_belief)


@cache
def _network(file: Path) -> Any:
    """The network of a weights file; raises OSError, or ValueError where it does not fit this version."""
    from engine import weights
    from engine.network import folded

    parameters, _ = weights.load(file)
    return folded(parameters)


def _make(kind: str, budget: Budget, file: Path | None, belief: str) -> "Player":
    from engine import arena

    network = _network(file) if file else None
    if kind == "search":
        return arena.Search(**budget, network=network, belief=belief_of(belief))
    if kind == "rollouts":
        return arena.Search(**budget, rule=arena.FIRST_RULE, belief=belief_of(belief))
    if kind == "evaluation":
        return arena.Evaluation(network)
    return arena.Greedy() if kind == "greedy" else arena.Random()


# ---- programs ----


class Program:
    """A player that is a program speaking the engine protocol; it is asked for its best move, and measured by the
    clock on the wall. What it writes to standard error is kept, and told where it fails."""

    clock = staticmethod(perf_counter)

    def __init__(self, arguments: list[str], budget: Budget) -> None:
        self.name = shlex.join(arguments)
        self.budget = budget
        self.patience = PATIENCE + budget.get("seconds", 0.0)
        self.complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        try:
            self.process = subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.complaints,
                start_new_session=True,  # Ctrl-C is for the match alone
            )
        except OSError as error:
            self.complaints.close()
            raise ValueError(f"program {self.name}: cannot be started: {error.strerror}") from None
        try:
            self._ask({"do": "version"})  # any reply will do: it is ready
        except ValueError:
            self.close()
            raise

    def choose(self, info: "np.ndarray", seed: int) -> int:
        """See `engine.arena.Player`; raises ValueError where the program fails or its move is not legal."""
        from engine.search import legal

        position = position_of(info)
        request = {"do": "best", "position": position.to_dict(), "seed": seed, "threads": 1, **self.budget}
        reply = self._ask(request)
        where = f"the position was {position.line()}"
        try:
            move = parse_move(reply["move"])
        except (KeyError, ValueError):
            raise ValueError(f"program {self.name}: answered {quoted(reply)}; {where}") from None
        if move not in legal(info[None]):
            raise ValueError(f"program {self.name}: {move_text(move)} is not legal; {where}")
        return move

    def close(self) -> None:
        """End the program: by the end of its input or, if it does not care, by force."""
        assert self.process.stdin
        with suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.complaints.close()

    def _ask(self, request: Json) -> Json:
        assert self.process.stdin
        assert self.process.stdout
        start = perf_counter()
        watch = Timer(self.patience, self.process.kill)
        watch.start()
        try:
            self.process.stdin.write(json.dumps({"id": 1, **request}).encode() + b"\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except (OSError, ValueError):  # it has gone, or was closed meanwhile
            line = b""
        finally:
            watch.cancel()
        if not line:
            raise ValueError(f"program {self.name}: {self._silence(perf_counter() - start)}")
        try:
            reply = parse_json(line)
        except ValueError:
            reply = None
        if not isinstance(reply, dict):
            raise ValueError(f"program {self.name}: answered {quoted(line)}, expected a JSON object")
        return reply

    def _silence(self, waited: float) -> str:
        """Why there is no reply after so many seconds."""
        if waited >= self.patience:
            return f"no answer within {self.patience:g} seconds"
        if self.complaints.closed:
            return "closed"
        self.complaints.seek(0)
        last = self.complaints.read().decode(errors="replace").strip().rpartition("\n")[2]
        return f"ended without an answer{': ' if last else ''}{last}"


def position_of(info: "np.ndarray") -> Position:
    """The position of an information set, uint64[STATE_WORDS]; seals and who began are not in it."""
    from engine.state import HIDDEN, read

    state = read(info)
    mine, theirs = state.holds
    hidden = theirs[HIDDEN]
    away = [sum(counts) for counts in zip(state.market, mine, theirs, state.unseen, strict=False)]
    (*my_tiers, _, _, _, my_rupees, my_tokens), (*their_tiers, _, _, _, their_rupees, their_tokens) = state.scores
    taken = zip(BONUS, my_tiers, their_tiers, strict=True)
    return Position(
        market=state.market,
        me=Me(
            hand=mine[:GOODS],
            herd=mine[GOODS],
            rupees=my_rupees,
            goods_tokens=my_tokens,
            bonus=tuple(value for value, n in zip(BONUS_VALUES, state.owned[0], strict=True) for _ in range(n)),
            seals=0,
        ),
        opponent=Opponent(
            hand=sum(theirs[:GOODS]) + hidden,
            seen=theirs[:GOODS],
            herd=theirs[GOODS],
            rupees=their_rupees,
            goods_tokens=their_tokens,
            bonus=tuple(size for size, n in zip(TIER_SIZE, their_tiers, strict=True) for _ in range(n)),
            seals=0,
        ),
        deck=sum(state.unseen) - hidden,
        tokens=state.tokens,
        sold=tuple(most - n for most, n in zip(CARDS[:GOODS], away, strict=False)),
        bonus=tuple(len(pile) - my - their for pile, my, their in taken),
        first=None,
        deck_end=DECK_ENDS[state.deck_end],
    )
