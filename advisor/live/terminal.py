"""`advisor live` on a terminal: prompt_toolkit edits the line, completes it, and keeps the answer above it fresh.

Where standard input is no terminal, or one that cannot redraw, lines are read as they come.
"""

import os
import shutil
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import Completer, Completion
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.output import ColorDepth

from advisor import speech
from advisor.live.game import Game, load
from advisor.live.journal import Journal, latest, match_folder, new_file
from advisor.live.session import Session
from advisor.live.thinking import Thinker
from advisor.notation import Heading, Position, is_text, read_text
from advisor.record import Record, Round, Turn, read
from advisor.report import NARROWEST, console
from advisor.speech import _

REDRAW = 0.25
"""Seconds between two looks at the answer."""
SWITCH = 0.001
"""Seconds after which a thread that thinks must let the keyboard have the interpreter."""
PLAIN_SECONDS = 1.0
"""How long a terminal that cannot redraw waits for the answer."""
COMPLETIONS = 4
"""Lines kept free under the prompt for completions."""


def run(
    source: str | None, file: Path | None, resume: bool, practice: bool, threads: int, me: str, opponent: str
) -> None:
    """Follow a match until it is left; raises ValueError or OSError where it cannot begin."""
    out = console()
    notes: list[str] = []
    heading = Heading((me, opponent), 0)
    journal: Journal | None = None
    if resume:
        path = file or latest(match_folder())
        if path is None:
            raise ValueError(_("there is no match to go on with"))
        journal, sheet, torn = Journal.resume(path)
        heading, game = sheet.heading, load(sheet.steps)
        if torn:
            notes.append(_("The last line of the file was torn off in the middle; it was left out."))
    else:
        heading, game = begun(source, heading)
        try:
            journal = (
                Journal.create(file, heading)
                if file
                else new_file(match_folder(), time.strftime("%Y-%m-%d-%H%M"), heading)
            )
        except FileExistsError:
            raise ValueError(_("{file} exists already; --resume goes on with it").format(file=file)) from None
        except OSError as error:
            notes.append(
                _("! The match cannot be kept: {reason}.").format(reason=f"{error.filename}: {error.strerror}")
            )
            notes.append(_("It goes on in memory; save FILE keeps it in another place."))
    session = Session(out, heading, Thinker(threads), game, journal, practice)
    if journal:
        if not resume and game.entries:
            session.keep_all()
        notes.append(_("The match is kept in {file}.").format(file=journal.path))
    for note in notes:
        session.say(note)
    session.say(_("Type help for what may be typed."))
    try:
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            _read_lines(session, echo=True)
        elif os.environ.get("TERM") == "dumb":
            session.out.width = max(NARROWEST, shutil.get_terminal_size().columns)
            _read_lines(session, echo=False)
        else:
            _converse(session)
    except KeyboardInterrupt:
        session.say("")
    finally:
        session.close()


def begun(source: str | None, heading: Heading) -> tuple[Heading, Game]:
    """A new game, or the one that a record or a position tells."""
    from advisor.options import read_bytes
    from advisor.position import read_position

    game = Game()
    if source is None:
        return heading, game
    if source.upper().startswith("JP1"):
        game.enter(Position(read_position(source).line()))
        return heading, game
    found = read_bytes(source)
    text = found.decode("utf-8-sig", errors="replace")
    if is_text(found):
        sheet = read_text(found)
        return sheet.heading._replace(me=sheet.heading.me or 0), load(sheet.steps)
    if '"rounds"' in text or '"format"' in text:
        return _of_record(read(found))
    game.enter(Position(read_position(found).line()))
    return heading, game


def _of_record(record: Record) -> tuple[Heading, Game]:
    """The game of a record as the player whose hand it tells saw it, the first one where it tells both."""
    from advisor.replay import tables

    game = Game()
    known = [[sum(hand) for hand in played.hands] for played in record.rounds]
    me = 1 if known and known[0][1] > known[0][0] else 0
    for index, played in enumerate(record.rounds):
        told = list(tables(played, index))
        game.enter(_as_seen(played, me))
        for (before, turn), (after, _next) in pairwise(told):
            assert turn
            game.enter(_retold(turn, before, after, me))
    return Heading(record.players, me), game


def _as_seen(played: Round, me: int) -> Round:
    hands = tuple(hand if player == me else ((0,) * 6 + (hand[6],)) for player, hand in enumerate(played.hands))
    return played._replace(hands=(hands[0], hands[1]), deck=None, bonus=None, turns=())


def _retold(turn: Turn, before: Any, after: Any, me: int) -> Turn:
    """A turn with the cards that came, and the bonus token if it was mine."""
    from engine import state

    old, new = state.read(before), state.read(after)
    came = tuple(a - b for a, b in zip(old.unseen, new.unseen, strict=True))
    if turn.refill is None:
        drawn = state.deck_size(before) - state.deck_size(after)
        turn = turn._replace(refill=came if drawn else None)
    if turn.bonus is None and old.turn == me:
        won = [b - a for a, b in zip(old.owned[me], new.owned[me], strict=True)]
        turn = turn._replace(bonus=won.index(1) if 1 in won else None)
    return turn


# ---- lines ----


def _read_lines(session: Session, echo: bool) -> None:
    """Read lines as they come; echo: show them too, as nobody has seen them typed."""
    session.begin()
    while True:
        if not echo and session.thinker.wait(PLAIN_SECONDS):
            for thought in session.thoughts():
                session.say(thought)
        session.out.print(session.prompt(), end="", markup=False)
        line = sys.stdin.readline()
        if echo or not line:
            session.say(line.rstrip("\n"))
        if not line or not session.handle(line):
            return


# ---- the keyboard ----


class _Completer(Completer):
    def __init__(self, session: Session) -> None:
        self.session = session

    def get_completions(self, document: Any, complete_event: Any) -> Iterator[Completion]:
        text = document.text_before_cursor
        for word, meaning in self.session.completions(text):
            yield Completion(word, start_position=-len(text), display_meta=speech.plain(meaning))


def _converse(session: Session) -> None:
    sys.setswitchinterval(SWITCH)
    os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")  # asking for the cursor's place confuses plain terminals
    keyboard: PromptSession[str] = PromptSession(
        history=InMemoryHistory(),
        completer=_Completer(session),
        complete_while_typing=False,
        complete_in_thread=True,
        color_depth=ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else None,
        refresh_interval=REDRAW,
        reserve_space_for_menu=COMPLETIONS,
    )

    def fit() -> None:
        session.out.width = max(NARROWEST, keyboard.output.get_size().columns)

    def message() -> StyleAndTextTuples:
        fit()
        thoughts = "".join(f"{line}\n" for line in session.thoughts())
        return [("ansicyan", thoughts), ("bold", session.prompt())]

    session.thinker.changed = keyboard.app.invalidate
    fit()
    session.begin()
    while True:
        try:
            line = keyboard.prompt(message)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        fit()
        if not session.handle(line):
            return
