"""The text form of records: header lines, a line for each deal, then numbered turns; see docs/at-the-table.md.

    jaipur-record/1
    player 1: north
    player 2: south

    round: 1 starts, market GPMMM, hands GSLMM / M
    1. GP/SM
    2. -P
    3. +M DLPP

What is read is a list of *steps*: entries, and the corrections `undo` and `redo` as `advisor live` writes them down.
Beside them a sheet holds the entries that stand when the corrections are drawn up.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from advisor.faults import Fault, quoted
from advisor.position import read_position
from advisor.record import FORMAT, Record, RecordError, Round, Turn, read
from advisor.words import DECK_ENDS, LETTERS, WordError, cards, parse_move
from engine import rules
from engine.codes import decode


class Position(NamedTuple):
    """A round that is followed from its middle: `line` is the one-line position of player 1, who is to move."""

    line: str


class Seal(NamedTuple):
    """Who took the seal of a round in which unknown bonus tokens decide: 0, 1, or None for a draw."""

    winner: int | None


class Undo(NamedTuple):
    """The last entries are taken back, and wait."""

    many: int


class Redo(NamedTuple):
    """Entries that wait are made again."""

    many: int


Entry = Round | Position | Turn | Seal
"""What stands in a line: a deal (a `Round` without turns), a position, a turn, a seal."""
Step = Entry | Undo | Redo


class Heading(NamedTuple):
    """The header lines."""

    players: tuple[str, str]
    me: int | None
    """The player whose sheet it is, 0 or 1; None where nobody says."""


class Sheet(NamedTuple):
    """A text as it was read."""

    heading: Heading
    steps: tuple[tuple[int, Step], ...]
    """Each with the number of its line."""
    entries: tuple[tuple[int, Entry], ...]
    """What stands after all corrections, each with its line."""


MOST_STEPS = 100_000


# ---- printing ----


def heading_text(heading: Heading) -> str:
    """The header lines."""
    lines = [FORMAT, *(f"player {number}: {_name(name)}" for number, name in enumerate(heading.players, 1))]
    if heading.me is not None:
        lines.append(f"me: {heading.me + 1}")
    return "\n".join(lines) + "\n"


def step_text(step: Step, number: int | None = None) -> str:
    """A step as one line, without its end; number: the turn's, from 1."""
    match step:
        case Turn():
            return f"{number}. {turn_text(step)}" if number else turn_text(step)
        case Round():
            return "round: " + ", ".join(_deal_parts(step)).replace(", \n", ",\n")
        case Position():
            return f"position: {step.line}"
        case Seal():
            return f"seal: {'draw' if step.winner is None else step.winner + 1}"
        case Undo() | Redo():
            return f"{type(step).__name__.lower()} {step.many}"


def turn_text(turn: Turn) -> str:
    """A turn in short form: `+G P`, `+M GPS`, `-3L 2`, `GG/LM`."""
    taken, given = decode(turn.move)
    if not any(given):
        move = f"+{letters(taken)}"
    elif not any(taken):
        move = f"-{sum(given)}{letters(given)[0]}"
    else:
        move = f"{letters(taken)}/{letters(given)}"
    refill = None if turn.refill is None else letters(turn.refill) or "."
    bonus = None if turn.bonus is None else str(rules.BONUS_VALUES[turn.bonus])
    return " ".join(filter(None, (move, refill, bonus)))


def letters(counts: Sequence[int]) -> str:
    """Cards as letters; six counts (goods) or seven."""
    return "".join(letter * count for letter, count in zip(LETTERS, counts, strict=False))


def record_text(record: Record) -> str:
    """A record in its text form."""
    lines = []
    for played in record.rounds:
        lines += ["", step_text(played._replace(turns=()))]
        lines += [step_text(turn, number) for number, turn in enumerate(played.turns, 1)]
    return heading_text(Heading(record.players, None)) + "".join(f"{line}\n" for line in lines)


def record_json(record: Record) -> dict[str, object]:
    """A record as a JSON value, cards as lists of names."""
    return {"format": FORMAT, "players": list(record.players), "rounds": [_round_json(one) for one in record.rounds]}


def _round_json(played: Round) -> dict[str, object]:
    from advisor.words import CARD_NAMES, move_text, names

    form: dict[str, object] = {
        "first": played.first,
        "market": names(played.market).split(),
        "hands": [names(hand).split() for hand in played.hands],
    }
    if played.deck_end != rules.DECK_END_REFILL:
        form["deck_end"] = DECK_ENDS[played.deck_end]
    if played.deck is not None:
        form["deck"] = [CARD_NAMES[kind] for kind in played.deck]
    if played.bonus is not None:
        piles = zip(rules.TIER_SIZE, played.bonus, strict=True)
        form["bonus"] = {str(size): [rules.BONUS_VALUES[i] for i in pile] for size, pile in piles}
    turns: list[dict[str, object]] = []
    for turn in played.turns:
        told: dict[str, object] = {"move": move_text(turn.move)}
        if turn.refill is not None:
            told["refill"] = names(turn.refill).split()
        if turn.bonus is not None:
            told["bonus"] = rules.BONUS_VALUES[turn.bonus]
        turns.append(told)
    return form | {"turns": turns}


def _deal_parts(played: Round) -> Iterator[str]:
    yield f"{played.first + 1} starts"
    yield f"market {letters(played.market)}"
    yield "hands " + " / ".join(letters(hand) or "-" for hand in played.hands)
    if played.deck_end != rules.DECK_END_REFILL:
        yield f"deck_end {DECK_ENDS[played.deck_end]}"
    if played.deck is not None:
        yield f"\n  deck {''.join(LETTERS[kind] for kind in played.deck)}"
    if played.bonus is not None:
        yield "\n  bonus " + " / ".join(" ".join(str(rules.BONUS_VALUES[i]) for i in pile) for pile in played.bonus)


def _name(name: str) -> str:
    """A name as it is, or as a JSON text where it would be misread."""
    plain = name.isprintable() and name == name.strip() and name and not name.startswith('"')
    return name if plain else json.dumps(name)


# ---- reading ----


def is_text(source: bytes) -> bool:
    """Whether a record is in its text form: the name of its format comes first."""
    lines = source.decode("utf-8-sig", errors="replace").splitlines()
    told = (line.strip() for line in lines if not line.lstrip().startswith("#"))
    return next(filter(None, told), "").lower().startswith("jaipur")


def read_any(source: bytes) -> Record:
    """A record in its JSON or its text form; raises `RecordError`."""
    return record_of(read_text(source)) if is_text(source) else read(source)


def record_of(sheet: Sheet) -> Record:
    """The rounds that a sheet tells, corrections drawn up; raises `RecordError` for one begun from a position."""
    deals: list[Round] = []
    turns: list[list[Turn]] = []
    for line, entry in sheet.entries:
        match entry:
            case Round():
                deals.append(entry)
                turns.append([])
            case Turn():
                turns[-1].append(entry)
            case Position():
                raise RecordError([Fault(f"line {line}", "a round from its middle: a record begins with the deal")])
    rounds = tuple(deal._replace(turns=tuple(played)) for deal, played in zip(deals, turns, strict=True))
    return read(record_json(Record(sheet.heading.players, rounds)))


def read_text(source: str | bytes) -> Sheet:
    """A sheet from its text; raises `RecordError` with every line that cannot be read."""
    try:
        text = source.decode("utf-8-sig") if isinstance(source, bytes) else source
    except UnicodeDecodeError:
        raise RecordError([Fault("record", "read bytes that are no UTF-8 text")]) from None
    lines = list(_lines(text))
    if not lines or lines[0][1] != FORMAT:
        read_first = quoted(lines[0][1]) if lines else "nothing"
        raise RecordError([Fault("record", f"read {read_first}, expected {FORMAT!r} as the first line")])
    return _Reader().run(lines[1:])


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers from 1, remarks (from # on, but not in names) and empty lines left out, those that
    begin with a blank joined to the one before.
    """
    kept: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        bare = line if _NAMED.match(line) else line.partition("#")[0]
        if not bare.strip():
            continue
        if bare[0] in " \t" and kept:
            first, begun = kept.pop()
            kept.append((first, f"{begun} {bare.strip()}"))
        else:
            kept.append((number, bare.strip()))
    yield from kept


_NAMED = re.compile(r"player ([12]):(.*)", re.IGNORECASE)
_ME = re.compile(r"me: *([12])", re.IGNORECASE)
_CORRECTION = re.compile(r"(undo|redo) +(\d{1,6})", re.IGNORECASE)
_NUMBERED = re.compile(r"(\d{1,6})\. *(.+)")
_SEALS = {"1": 0, "2": 1, "draw": None}


class _Placed(NamedTuple):
    """An entry where it stands: the number of its line, and how many turns its round has up to it."""

    line: int
    entry: Entry
    turns: int


class _Reader:
    """Reads line after line, and knows which may come next."""

    def __init__(self) -> None:
        self.players: dict[int, str] = {}
        self.me: int | None = None
        self.steps: list[tuple[int, Step]] = []
        self.done: list[_Placed] = []
        self.waiting: list[_Placed] = []
        """Entries taken back, the next one last."""

    def run(self, lines: Iterable[tuple[int, str]]) -> Sheet:
        faults: list[Fault] = []
        for number, line in lines:
            try:
                self.read(number, line)
            except RecordError as error:
                faults.extend(Fault(f"line {number}", fault.message) for fault in error.faults)
            except ValueError as error:
                faults.append(Fault(f"line {number}", str(error)))
            if len(faults) >= 20:
                break
        missing = [number for number in (1, 2) if number - 1 not in self.players]
        faults.extend(Fault("record", f"no line 'player {number}: …'") for number in missing)
        if faults:
            raise RecordError(faults)
        stand = tuple((placed.line, placed.entry) for placed in self.done)
        return Sheet(Heading((self.players[0], self.players[1]), self.me), tuple(self.steps), stand)

    def read(self, number: int, line: str) -> None:
        if named := _NAMED.fullmatch(line):
            self.players[int(named[1]) - 1] = _read_name(named[2].strip())
        elif me := _ME.fullmatch(line):
            self.me = int(me[1]) - 1
        else:
            self.follow(number, self.step(line))

    def step(self, line: str) -> Step:
        keyword, colon, rest = line.partition(":")
        if correction := _CORRECTION.fullmatch(line):
            kind = Undo if correction[1].lower() == "undo" else Redo
            return kind(int(correction[2]))
        if colon and keyword.lower() == "round":
            return read_deal(rest)
        if colon and keyword.lower() == "position":
            return Position(read_position(rest.strip()).line())
        if colon and keyword.lower() == "seal":
            word = rest.strip().lower()
            if word not in _SEALS:
                raise ValueError(f"read {quoted(word)}, expected 1, 2 or draw")
            return Seal(_SEALS[word])
        if not (numbered := _NUMBERED.fullmatch(line)):
            return read_turn(line)
        due = 1 + self.turns()
        if int(numbered[1]) != due:
            raise ValueError(f"read turn number {numbered[1]}, expected {due}")
        return read_turn(numbered[2])

    def turns(self) -> int:
        """Turns of the round so far."""
        return self.done[-1].turns if self.done else 0

    def follow(self, number: int, step: Step) -> None:
        match step:
            case Undo():
                if not step.many <= len(self.done):
                    raise ValueError(f"takes back {step.many} entries, there are {len(self.done)}")
                for _number in range(step.many):
                    self.waiting.append(self.done.pop())
            case Redo():
                if not step.many <= len(self.waiting):
                    raise ValueError(f"makes {step.many} entries again, {len(self.waiting)} wait")
                for _number in range(step.many):
                    waiting = self.waiting.pop()
                    self.place(waiting.line, waiting.entry)
            case Turn() | Seal() if not self.done:
                raise ValueError("expected a line 'round: …' first")
            case _:
                self.place(number, step)
                del self.waiting[-1:]
        if len(self.steps) >= MOST_STEPS:
            raise ValueError(f"expected at most {MOST_STEPS:,} lines")
        self.steps.append((number, step))

    def place(self, line: int, entry: Entry) -> None:
        """Let an entry stand behind the others."""
        self.done.append(_Placed(line, entry, self.turns() + 1 if isinstance(entry, Turn) else 0))


def _read_name(text: str) -> str:
    if not text.startswith('"'):
        return text
    name = json.loads(text)
    if not isinstance(name, str):
        raise ValueError(f"read {quoted(text)}, expected a name")
    return name


def read_turn(text: str) -> Turn:
    """A turn in short form or in words, `>` or blanks before what came into the market; raises ValueError."""
    words = text.split()
    bonus = refill = None
    if len(words) > 1 and re.fullmatch(r"\d{1,2}", words[-1]):
        value = int(words.pop())
        if value not in rules.BONUS_VALUES:
            raise WordError(f"read {value}, expected the value of a bonus token")
        bonus = rules.BONUS_VALUES.index(value)
    if len(words) > 1 and (words[-1] == "." or set(words[-1]) <= set(LETTERS)):
        refill = cards("" if words[-1] == "." else words[-1])
        words.pop()
    return Turn(parse_move(" ".join(words)), refill, bonus)


def read_deal(text: str) -> Round:
    """A deal from its parts: `1 starts, market GPMMM, hands GSLMM / M`; raises ValueError."""
    form: dict[str, object] = {"turns": []}
    for part in filter(None, map(str.strip, text.split(","))):
        word, _, rest = part.partition(" ")
        if rest.strip().lower() == "starts":
            if word not in ("1", "2"):
                raise ValueError(f"read {quoted(part)}, expected '1 starts' or '2 starts'")
            form["first"] = int(word) - 1
        elif word.lower() in _PARTS:
            form[word.lower()] = _PARTS[word.lower()](rest.strip())
        else:
            raise ValueError(f"read {quoted(part)}, expected one of: N starts, {', '.join(_PARTS)}")
    record = read({"format": FORMAT, "players": ["", ""], "rounds": [form]})
    return record.rounds[0]


def _read_deck(text: str) -> list[str]:
    unknown = set(text.upper()) - set(LETTERS) - {" "}
    if unknown:
        raise ValueError(f"read {quoted(text)}, expected letters: {' '.join(LETTERS)}")
    return [letter for letter in text.upper() if letter != " "]


def _read_piles(text: str) -> dict[str, list[int]]:
    piles = [[int(value) for value in re.findall(r"\d{1,3}", pile)] for pile in text.split("/")]
    return {str(size): pile for size, pile in zip(rules.TIER_SIZE, piles, strict=False)}


def _hand(text: str) -> str:
    return "" if text.strip() == "-" else text


_PARTS: dict[str, Callable[[str], object]] = {
    "market": str,
    "hands": lambda text: [_hand(hand) for hand in text.split("/")],
    "deck_end": str,
    "deck": _read_deck,
    "bonus": _read_piles,
}
