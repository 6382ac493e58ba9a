"""The accounts of a match: what follows from its entries, and which entries may come next. No file, no screen.

A `Standing` is one moment of a match and never changes; a `Game` is the line of standings up to now, with the entries
that were taken back and wait. In a round followed from its middle the herds or the deck may be open: then the standing
holds a table for every way to fill them in, and those that an entry contradicts are dropped.
"""

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from advisor.live.reasons import RefusedError, deal_fault, turn_fault
from advisor.notation import Entry, Position, Redo, Seal, Step, Undo
from advisor.position import read_position
from advisor.record import Round, Turn
from advisor.replay import Json, TurnError, opening, outcomes, play_turn, shown
from advisor.speech import _
from engine import rules

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Standing:
    """A moment of a match."""

    tables: "tuple[np.ndarray, ...]" = ()
    """What the table may be, uint64[STATE_WORDS] each; none before the first deal."""
    probabilities: tuple[float, ...] = ()
    deal: Round | None = None
    """The deal of the round, without turns; made up where the round is followed from its middle."""
    from_position: bool = False
    seals: tuple[int, int] = (0, 0)
    starters: frozenset[int] = frozenset({0, 1})
    """Who may start the next round; nobody while a round goes on or its seal is open."""
    started: int | None = None
    """Who started this round."""
    round: int = 0
    turn: int = 0
    """Numbers of this round, and of its turns so far."""
    winners: frozenset[int | None] = frozenset()
    """Who may have taken this round's seal (None: a draw); empty while it goes on."""

    @property
    def mover(self) -> int | None:
        """The player to move; None where nobody is."""
        from engine.state import over_of, turn_of

        return turn_of(self.tables[0]) if self.tables and not over_of(self.tables[0]) else None

    @property
    def champion(self) -> int | None:
        """Who has won the match."""
        return self.seals.index(rules.SEALS_TO_WIN) if rules.SEALS_TO_WIN in self.seals else None

    @property
    def awaits(self) -> str:
        """What must come next: `deal`, `turn`, `seal`, or `nothing`."""
        if self.champion is not None:
            return "nothing"
        if self.mover is not None:
            return "turn"
        return "seal" if self.tables and len(self.winners) != 1 else "deal"

    def state(self) -> Json:
        """The table as the engine protocol shows it; where it is open, the first way to fill it in."""
        assert self.deal
        return shown(self.tables[0], self.deal)


def follow(now: Standing, entry: Entry) -> Standing:
    """The standing after an entry; raises `RefusedError` with the reason, in the words of the language in use."""
    match entry:
        case Turn():
            return _after_turn(now, entry)
        case Round():
            return _after_deal(now, entry)
        case Position():
            return _after_position(now, entry)
        case Seal():
            return _after_seal(now, entry)


def _after_deal(now: Standing, deal: Round) -> Standing:
    if now.champion is not None:
        raise RefusedError(_("the match is over"))
    if reason := deal_fault(now.mover, now.awaits, now.starters, deal.first):
        raise RefusedError(reason)
    return replace(
        now,
        tables=(opening(deal),),
        probabilities=(1.0,),
        deal=deal,
        from_position=False,
        starters=frozenset(),
        started=deal.first,
        round=now.round + 1,
        turn=0,
        winners=frozenset(),
    )


def _after_position(now: Standing, entry: Position) -> Standing:
    if now.tables:
        raise RefusedError(_("a match is followed from a position only at its beginning"))
    position = read_position(entry.line)
    if position.over:
        raise RefusedError(_("the round of this position is over"))
    tables, probabilities = position.alternatives()
    deck_end = rules.DECK_END_EMPTY if position.deck_end == "empty" else rules.DECK_END_REFILL
    nothing = (0,) * rules.TYPES
    return Standing(
        tables=tuple(tables),
        probabilities=tuple(float(one) for one in probabilities),
        deal=Round(0, nothing, (nothing, nothing), deck_end, None, None, ()),
        from_position=True,
        seals=(position.me.seals, position.opponent.seals),
        starters=frozenset(),
        started={"me": 0, "opponent": 1, None: None}[position.first],
        round=1 + position.me.seals + position.opponent.seals,
    )


def _after_turn(now: Standing, turn: Turn) -> Standing:
    if now.mover is None or now.deal is None:
        raise RefusedError(_("the round is over") if now.tables else _("no round has been dealt yet"))
    tables, probabilities, reasons = [], [], []
    for table, probability in zip(now.tables, now.probabilities, strict=True):
        played = table.copy()
        if reason := turn_fault(played, turn, now.deal):
            reasons.append(reason)
            continue
        try:
            play_turn(played, turn, now.deal)
        except TurnError as error:
            reasons.append(str(error))
            continue
        tables.append(played)
        probabilities.append(probability)
    if not tables:
        raise RefusedError(reasons[0])
    total = sum(probabilities)
    after = replace(
        now, tables=tuple(tables), probabilities=tuple(one / total for one in probabilities), turn=now.turn + 1
    )
    if after.mover is not None:
        return after
    return _settled(after, frozenset().union(*(outcomes(table) for table in tables)))


def _after_seal(now: Standing, seal: Seal) -> Standing:
    if now.awaits != "seal":
        raise RefusedError(_("no seal is open: the program has counted it, or the round goes on"))
    if seal.winner not in now.winners:
        raise RefusedError(_("this player cannot have taken the seal, whatever the bonus tokens are"))
    return _settled(now, frozenset({seal.winner}))


def _settled(now: Standing, winners: frozenset[int | None]) -> Standing:
    """A round that has ended, with what follows for the match."""
    if len(winners) > 1:
        return replace(now, winners=winners)
    (winner,) = winners
    seals = tuple(count + (player == winner) for player, count in enumerate(now.seals))
    not_starting = now.started if winner is None else winner
    starters = frozenset({0, 1}) if not_starting is None else frozenset({1 - not_starting})
    return replace(now, winners=winners, seals=(seals[0], seals[1]), starters=starters)


class Misfit(NamedTuple):
    """The first entry after a correction that fits no more, and why."""

    standing: Standing
    """The moment before it."""
    entry: Entry
    reason: str


class Game:
    """A match up to now; every change is either made whole or, with `RefusedError`, not at all."""

    def __init__(self) -> None:
        self.standings = [Standing()]
        """The moment before each entry, then the present one."""
        self.entries: list[Entry] = []
        self.waiting: list[Entry] = []
        """Entries taken back, the next one first; a new entry takes the place of the first."""

    @property
    def now(self) -> Standing:
        """The present moment."""
        return self.standings[-1]

    def enter(self, entry: Entry) -> None:
        """Make an entry; raises `RefusedError`."""
        after = follow(self.now, entry)
        self.standings.append(after)
        self.entries.append(entry)
        del self.waiting[:1]

    def undo(self, count: int = 1) -> None:
        """Take back the last entries."""
        if not 0 < count <= len(self.entries):
            raise RefusedError(_("there are {n} entries to take back").format(n=len(self.entries)))
        self.waiting[:0] = self.entries[-count:]
        del self.entries[-count:], self.standings[-count:]

    def redo(self, count: int = 1) -> None:
        """Make entries again that wait; raises `RefusedError` at one that does not fit, those before it stay."""
        if not 0 < count <= len(self.waiting):
            raise RefusedError(_("there are {n} entries to make again").format(n=len(self.waiting)))
        for _number in range(count):
            entry = self.waiting[0]
            self.enter(entry)

    def fix(self, place: int, entry: Entry) -> tuple[list[Step], Misfit | None]:
        """Put another entry in the place of number `place` (from 0) and follow the later ones again.

        Returns the steps that were taken, and the first later entry that fits no more: it waits, with all after it.
        Raises `RefusedError`, with nothing changed, where the entry itself does not fit.
        """
        follow(self.standings[place], entry)
        back = len(self.entries) - place
        steps: list[Step] = [Undo(back), entry]
        self.undo(back)
        self.enter(entry)
        count, misfit = 0, None
        while count < back - 1 and misfit is None:
            try:
                self.redo()
                count += 1
            except RefusedError as refused:
                misfit = Misfit(self.now, self.waiting[0], str(refused))
        if count:
            steps.append(Redo(count))
        return steps, misfit

    def take(self, step: Step) -> None:
        """Make an entry or a correction, as a file tells them; raises `RefusedError`."""
        match step:
            case Undo():
                self.undo(step.many)
            case Redo():
                self.redo(step.many)
            case _:
                self.enter(step)

    def place_of(self, turn: int, round_number: int | None = None) -> int | None:
        """The number of the entry that is a turn (0: the deal) of a round, this one unless told; None if none is."""
        wanted = (round_number or self.now.round, turn)
        for place, (before, entry) in enumerate(zip(self.standings, self.entries, strict=False)):
            match entry:
                case Turn() if (before.round, before.turn + 1) == wanted:
                    return place
                case Round() if (before.round + 1, 0) == wanted:
                    return place
        return None


def sight(now: Standing, me: int) -> "tuple[np.ndarray, np.ndarray]":
    """What a player knows of a standing, as player 0: uint64[r, STATE_WORDS], and probabilities float64[r]."""
    import numpy as np

    from engine.infoset import information_set

    readings = np.empty((len(now.tables), len(now.tables[0])), np.uint64)
    for table, reading in zip(now.tables, readings, strict=True):
        information_set(table, me, reading)
    return readings, np.array(now.probabilities)


def hand_known(now: Standing, player: int) -> bool:
    """Whether all cards of a hand are known."""
    from engine.state import HIDDEN, read

    return not read(now.tables[0]).holds[player][HIDDEN]


def position_of(now: Standing, me: int) -> dict[str, Any]:
    """The position of a standing as `advisor.position` reads it, for the player to move or to move next."""
    from advisor.players import position_of as of_table

    readings, _weights = sight(now, me)
    documents = [of_table(one).to_dict() for one in readings]
    position = deepcopy(documents[0])
    position["me"]["seals"], position["opponent"]["seals"] = now.seals[me], now.seals[1 - me]
    if now.started is not None:
        position["first"] = "me" if now.started == me else "opponent"
    for path, name in (("opponent", "herd"), (None, "deck")):
        values = {_value(one, path, name) for one in documents}
        if len(values) > 1:
            (position[path] if path else position)[name] = None
    sold = [one["sold"] for one in documents]
    position["sold"] = {name: count for name, count in sold[0].items() if all(one[name] == count for one in sold)}
    return position


def _value(position: dict[str, Any], path: str | None, name: str) -> object:
    return (position[path] if path else position)[name]


def load(steps: Iterable[tuple[int, Step]]) -> Game:
    """The game of a sheet; raises `RefusedError`, which names the line."""
    game = Game()
    for line, step in steps:
        try:
            game.take(step)
        except RefusedError as refused:
            raise RefusedError(_("line {line}: {reason}").format(line=line, reason=refused)) from None
    return game
