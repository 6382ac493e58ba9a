"""The conversation of `advisor live`: a line comes in, the match goes on or the line is explained. No keyboard here."""

import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from rich.console import Console

from advisor.live import screen
from advisor.live.entry import deal_help, read_entry, short_move
from advisor.live.game import Game, hand_known, position_of, sight
from advisor.live.journal import Journal, JournalError, new_file
from advisor.live.reasons import RefusedError
from advisor.live.thinking import Answer, Thinker
from advisor.notation import (
    Heading,
    Redo,
    Sheet,
    Step,
    Undo,
    heading_text,
    read_text,
    record_json,
    record_of,
    step_text,
)
from advisor.record import RecordError, Turn
from advisor.speech import _, plain, plural

COMMANDS = {
    "undo": "undo u desfazer deshacer anuleaza",
    "redo": "redo refazer rehacer refa",
    "best": "best b melhor mejor",
    "why": "why w porque porquê porqué",
    "table": "table t mesa masa",
    "odds": "odds chances sanse",
    "fix": "fix corrigir corregir corecteaza",
    "save": "save salvar guardar salveaza",
    "seals": "seals seal selos sellos sigilii",
    "help": "help h ? ajuda ayuda ajutor",
    "quit": "quit q exit sair salir iesire",
}
"""Words for each command, in all languages at once and without accents."""

BEST_SECONDS = 2.0
"""How long `best`, `why` and `odds` wait for the answer to be worth showing."""
PRACTICE_SECONDS = 1.0
ODDS_ROWS = 8


class Session:
    """A match at the table, in a console."""

    def __init__(
        self,
        out: Console,
        heading: Heading,
        thinker: Thinker,
        game: Game | None = None,
        journal: Journal | None = None,
        practice: bool = False,
        patience: float = BEST_SECONDS,
    ) -> None:
        self.out = out
        self.heading = heading
        self.me = heading.me or 0
        self.thinker = thinker
        self.game = game or Game()
        self.journal = journal
        self.practice = practice
        self.patience = patience

    @property
    def opponent(self) -> str:
        """The opponent's name."""
        name = self.heading.players[1 - self.me]
        return plain(name) if name.isprintable() and name != "opponent" else _("opponent")

    def begin(self) -> None:
        """Show where the match stands, and start to think."""
        if self.game.now.tables:
            self.show_table()
        else:
            self.say(deal_help(self.game.now, self.me))
        self.think()

    def handle(self, line: str) -> bool:
        """Answer a line; False where it ends the session."""
        line = line.strip()
        if not line:
            return True
        word, _blank, rest = line.partition(" ")
        command = command_of(word)
        try:
            if command == "quit" and not rest:
                return False
            if command:
                getattr(self, f"do_{command}")(rest.strip())
            else:
                self.enter(line)
        except RefusedError as refused:
            self.say(f"! {refused}")
        return True

    def close(self) -> None:
        """Stop thinking, and bring the file up to date if it is behind."""
        self.thinker.close()
        if self.journal:
            if self.journal.behind:
                self.keep([])
            self.journal.close()

    # ---- entries ----

    def enter(self, line: str) -> None:
        """Make an entry; raises `RefusedError`."""
        before = self.game.now
        entry = read_entry(line, before, self.me)
        mine = before.mover == self.me and isinstance(entry, Turn)
        verdict = self.judge(entry.move) if mine and self.practice and isinstance(entry, Turn) else None
        self.game.enter(entry)
        self.keep([entry])
        if verdict:
            answer, text = verdict
            self.say(text)
            self.out.print(screen.ranking(answer, self.width, screen.FEW_MOVES))
        self.show_changes()

    def keep(self, steps: list[Step], number: int | None = None) -> None:
        """Write steps to the match file; what goes wrong is said, and nothing is lost.

        number: of the turn among them, the last one unless told.
        """
        if not self.journal:
            return
        number = number or self.game.now.turn
        try:
            self.journal.write([(step, number if isinstance(step, Turn) else None) for step in steps])
        except JournalError as trouble:
            self.say(f"! {trouble}")
            self.rescue()

    def keep_all(self) -> None:
        """Write the whole match, into a file that has none of it."""
        assert self.journal
        try:
            self.journal.write(self.history())
        except JournalError as trouble:
            self.say(f"! {trouble}")
            self.rescue()

    def rescue(self) -> None:
        """Go on in a new file if this one was changed; else later, or in another place."""
        assert self.journal
        path = self.journal.path
        if self.journal.changed:
            with suppress(OSError, RefusedError, JournalError):
                fresh = new_file(path.parent, f"{path.stem}-rescued", self.heading)
                fresh.write(self.history())
                self.journal.close()
                self.journal = fresh
                self.say(_("The whole match is now kept in {file}.").format(file=fresh.path))
                return
        self.say(_("Nothing is lost: the entries are kept in memory, and written with the next one; or: save FILE"))

    def history(self) -> list[tuple[Step, int | None]]:
        """Every step that leads to this moment, with the numbers of turns."""
        turns = zip(self.game.standings, self.game.entries, strict=False)
        steps: list[tuple[Step, int | None]] = [
            (entry, before.turn + 1 if isinstance(entry, Turn) else None) for before, entry in turns
        ]
        return steps

    def show_changes(self) -> None:
        """The new table, and what has come to an end."""
        now = self.game.now
        if now.tables:
            self.show_table()
        if now.tables and now.mover is None:
            for text in screen.ending(now, self.me, self.opponent):
                self.say(text)
        if now.awaits == "deal":
            self.say(deal_help(now, self.me))
        self.think()

    # ---- thinking ----

    def think(self, moves: tuple[int, ...] = ()) -> None:
        """Start to think on the present table."""
        now = self.game.now
        if now.mover is None or not hand_known(now, self.me):
            self.thinker.stop()
            self.thinker.answer = None
            return
        self.thinker.start(*sight(now, self.me), mine=now.mover == self.me, moves=moves)

    def answer(self) -> Answer:
        """The answer to the present table, after some thinking; raises `RefusedError` where there is none."""
        now = self.game.now
        if now.mover is None:
            raise RefusedError(_("there is no move to advise: the round is over, or has not been dealt"))
        if not hand_known(now, self.me):
            raise RefusedError(_("your hand is not fully known, so there is no advice"))
        try:
            found = self.thinker.wait(self.patience)
        except KeyboardInterrupt:  # the best answer so far
            found = self.thinker.answer
        if found is None:
            raise RefusedError(_("there is no answer yet"))
        return found

    def my_answer(self) -> Answer:
        """The answer to a table on which I am to move; raises `RefusedError` elsewhere."""
        answer = self.answer()
        if not answer.mine:
            for line in screen.answer_lines(answer, self.width, hidden=False):
                self.say(line)
            raise RefusedError(_("{name} is to move").format(name=self.opponent))
        if self.practice:
            raise RefusedError(_("practice: your move first"))
        return answer

    def judge(self, move: int) -> tuple[Answer, str] | None:
        """How good a move of mine is, and the answer that says so; before it is made."""
        answer = self.thinker.wait(PRACTICE_SECONDS)
        if answer and answer.mine and answer.line_of(move) is None:
            self.think((move,))
            answer = self.thinker.wait(PRACTICE_SECONDS)
        return (answer, screen.judgement(answer, move)) if answer and answer.mine else None

    # ---- commands ----

    def do_undo(self, rest: str) -> None:
        """`undo [N]`: take back the last entries."""
        count = _number(rest)
        self.game.undo(count)
        self.keep([Undo(count)])
        self.say(
            plural("{n} entry taken back; redo makes it again", "{n} entries taken back; redo makes them again", count)
        )
        self.show_changes()

    def do_redo(self, rest: str) -> None:
        """`redo [N]`: make entries again; those that fit are made even where a later one does not."""
        count = _number(rest)
        before = len(self.game.entries)
        try:
            self.game.redo(count)
        finally:
            if made := len(self.game.entries) - before:
                self.keep([Redo(made)])
                self.show_changes()

    def do_fix(self, rest: str) -> None:
        """`fix [ROUND.]TURN ENTRY`: put another entry in the place of an earlier one."""
        asked = re.fullmatch(r"(?:(\d{1,3})\.)?(\d{1,4})\s+(.+)", rest)
        if not asked:
            raise RefusedError(_("write fix, the number of the turn (0: the deal), and the right entry: fix 12 +G P"))
        place = self.game.place_of(int(asked[2]), int(asked[1]) if asked[1] else None)
        if place is None:
            raise RefusedError(_("there is no such turn"))
        entry = read_entry(asked[3], self.game.standings[place], self.me)
        steps, misfit = self.game.fix(place, entry)
        self.keep(steps, number=self.game.standings[place].turn + 1)
        if misfit:
            self.say(
                "! "
                + _("turn {n}, {entry}, fits no more: {reason}").format(
                    n=misfit.standing.turn + 1, entry=step_text(misfit.entry), reason=misfit.reason
                )
            )
            self.say(
                plural(
                    "{n} entry waits: make it anew, or redo it.",
                    "{n} entries wait: make the first one anew, then redo the others.",
                    len(self.game.waiting),
                )
            )
        self.show_changes()

    def do_best(self, rest: str) -> None:
        """`best`: the best moves so far."""
        answer = self.my_answer()
        self.out.print(screen.ranking(answer, self.width, screen.FEW_MOVES))

    def do_odds(self, rest: str) -> None:
        """`odds`: more moves with their odds, or what the opponent may do."""
        answer = self.my_answer()
        self.out.print(screen.ranking(answer, self.width, ODDS_ROWS))

    def do_why(self, rest: str) -> None:
        """`why`: what speaks for the best move."""
        for text in screen.why(self.my_answer(), self.game.now, self.me):
            self.say(text)

    def do_table(self, rest: str) -> None:
        """`table`: the table, with its one-line position where I am to move."""
        self.show_table()
        now = self.game.now
        if now.mover == self.me and hand_known(now, self.me):
            from advisor.position import read_position

            self.out.print(read_position(position_of(now, self.me)).line(), soft_wrap=True)

    def do_seals(self, rest: str) -> None:
        """`seals`: the seals so far; `seals me|opponent|draw`: who took one that unknown bonus tokens decide."""
        if rest:
            if self.game.now.awaits != "seal":
                raise RefusedError(_("no seal is open: the program has counted it, or the round goes on"))
            self.enter(rest)
            return
        for text in screen.next_round(self.game.now, self.me, self.opponent):
            self.say(text)

    def do_save(self, rest: str) -> None:
        """`save [FILE]`: bring the match file up to date, or write the match to another one."""
        if rest:
            self.save_as(Path(rest).expanduser())
        elif self.journal:
            self.keep([])
            if not self.journal.behind:
                self.say(_("Everything is kept in {file}.").format(file=self.journal.path))
        else:
            raise RefusedError(_("this match has no file: save FILE"))

    def save_as(self, path: Path) -> None:
        """Write the match to a new file: JSON by its name, else the text form, which may become the match file."""
        try:
            if path.suffix == ".json":
                import json

                record = record_of(self.sheet())
                with path.open("x", encoding="utf-8") as file:
                    file.write(json.dumps(record_json(record), ensure_ascii=False) + "\n")
            else:
                fresh = Journal.create(path, self.heading)
                fresh.write(self.history())
                if self.journal and not self.journal.behind:
                    fresh.close()
                else:
                    self.journal = fresh
        except FileExistsError:
            raise RefusedError(_("{file} exists already; choose another name").format(file=path)) from None
        except RecordError as error:
            raise RefusedError(str(error)) from None
        except (OSError, JournalError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise RefusedError(_("{file} cannot be written: {reason}").format(file=path, reason=reason)) from None
        self.say(_("Everything is kept in {file}.").format(file=path))

    def sheet(self) -> Sheet:
        """The match as a sheet."""
        lines = [step_text(step, number) for step, number in self.history()]
        return read_text(heading_text(self.heading) + "\n".join(lines))

    def do_help(self, rest: str) -> None:
        """`help`: what may be typed."""
        for line in help_lines():
            self.say(line)

    # ---- screen ----

    @property
    def width(self) -> int:
        """Columns of the console."""
        return screen.width_of(self.out)

    def say(self, text: str) -> None:
        """Print a line of text."""
        self.out.print(plain(text), highlight=False, markup=False)

    def show_table(self) -> None:
        """The table and what to look out for."""
        now = self.game.now
        if not now.tables:
            raise RefusedError(deal_help(now, self.me))
        self.out.print()
        self.out.print(screen.table(now, self.me, self.opponent, self.width))
        for notice in screen.notices(now, self.me, self.opponent):
            self.say(f"* {notice}")

    def thoughts(self) -> list[str]:
        """The lines above the prompt: the answer as it stands."""
        if self.game.now.mover is None:
            return []
        if not hand_known(self.game.now, self.me):
            return [_("your hand is not fully known, so there is no advice")]
        hidden = self.practice and self.game.now.mover == self.me
        return screen.answer_lines(self.thinker.answer, self.width, hidden)

    def prompt(self) -> str:
        """What stands before the line."""
        now = self.game.now
        if now.awaits == "deal":
            return plain(_("deal") + "> ")
        if now.awaits == "seal":
            return plain(_("seals") + "> ")
        if now.mover is None:
            return "> "
        return plain((_("you") if now.mover == self.me else self.opponent) + "> ")

    def completions(self, text: str) -> Iterator[tuple[str, str]]:
        """Lines that may be meant by their beginning, each with its meaning."""
        now = self.game.now
        wanted = text.lower()
        if now.awaits == "seal":
            yield from ((word, "") for word in ("me", "opponent", "draw") if word.startswith(wanted))
        if now.mover is not None and hand_known(now, now.mover):
            from engine.search import legal

            for move in sorted(map(int, legal(sight(now, now.mover)[0])), key=short_move):
                short = short_move(move)
                if short.lower().startswith(wanted):
                    yield short, screen.move_words(move)
        yield from ((name, _command_help()[name]) for name in COMMANDS if wanted and name.startswith(wanted))


def command_of(word: str) -> str | None:
    """The command that a word names, in any language."""
    bare = "".join(mark for mark in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(mark))
    return _COMMAND_OF_WORD.get(bare)


_COMMAND_OF_WORD = {word: name for name, words in COMMANDS.items() for word in words.split()}


def _number(text: str) -> int:
    if not text:
        return 1
    if not re.fullmatch(r"\d{1,6}", text):
        raise RefusedError(_("read {text}, expected a number").format(text=repr(text[:40])))
    return int(text)


def _command_help() -> dict[str, str]:
    return {
        "undo": _("take back the last entry, or the last N"),
        "redo": _("make an entry again that was taken back, or N"),
        "best": _("the best moves so far"),
        "why": _("what speaks for the best move"),
        "table": _("the table again, and its one-line position"),
        "odds": _("more moves with their odds"),
        "fix": _("put another entry in the place of turn N and follow the later ones again"),
        "save": _("write the match to another file (.json: for programs)"),
        "seals": _("the seals; or who took one: me, opponent, draw"),
        "help": _("this page"),
        "quit": _("end; advisor live --resume goes on"),
    }


def help_lines() -> Iterator[str]:
    """The help of `live`, line by line."""
    yield _("One line a turn, yours or the opponent's: the move, and what came into the market.")
    yield "  +G P     " + _("took gold, a spice came (GP will do)")
    yield "  +M GPS   " + _("took the camels, three cards came")
    yield "  -3L 2    " + _("sold three leather; your bonus token read 2")
    yield "  GG/LM    " + _("took two gold for a leather and a camel (GG/L will do)")
    yield _("Letters: D diamond, G gold, S silver, C cloth, P spice, L leather, M camel; small ones and words will do.")
    forms = {"undo": "undo [N]", "redo": "redo [N]", "fix": "fix N …", "save": "save [FILE]", "seals": "seals [WHO]"}
    for name, text in _command_help().items():
        yield f"  {forms.get(name, name):<12}{text}"
