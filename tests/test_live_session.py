"""The conversation of `advisor live` without a keyboard: what is said, kept and shown."""

import errno
import io
import json
import os
import re
from pathlib import Path

import golden
import pytest
from at_table import typed, typed_deal
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from test_live_game import entered, seen, undecided
from test_record import seed_of

from advisor import speech
from advisor.live.game import Game, load
from advisor.live.journal import Journal
from advisor.live.session import COMMANDS, Session, command_of, help_lines
from advisor.live.thinking import Answer, Line, Thinker
from advisor.notation import Heading, read_text
from advisor.record import read
from advisor.words import parse_move

HEADING = Heading(("me", "Ana"), 0)


class Oracle(Thinker):
    """Has an answer to every table at once: the legal moves in order, each two points worse than the one before."""

    mine = True

    def start(self, readings, probabilities, mine, moves=()):
        from engine.search import legal

        lines = [
            Line(move, 0.6 - 0.02 * i, 0.0, 0.01, 70.0 - i, 65.0, 0.02 * i, 0.005)
            for i, move in enumerate(legal(readings) if mine else [])
        ]
        expected = () if mine else ((parse_move("+M"), 0.75),)
        self.answer = Answer(mine, tuple(lines), expected, 0.6, 1234, 1.0, False)

    def stop(self) -> None:
        pass

    def wait(self, seconds: float) -> Answer | None:
        return self.answer


class Table:
    """A session and what it has said since the last look."""

    def __init__(self, game: Game | None = None, journal: Journal | None = None, width: int = 80, **more: bool) -> None:
        self.out = Console(file=io.StringIO(), width=width, highlight=False)
        self.session = Session(self.out, HEADING, Oracle(), game, journal, **more)
        self.session.begin()
        self.said()

    def said(self) -> str:
        text = self.out.file.getvalue()  # type: ignore[attr-defined]
        self.out.file = io.StringIO()
        return "\n".join(line.rstrip() for line in text.splitlines())

    def type(self, *lines: str) -> str:
        for line in lines:
            assert self.session.handle(line)
        return self.said()


def test_a_first_turn() -> None:
    table = Table()
    said = table.type("gp lsgmm 1 me")
    assert "Round 1 · turn 1 · you to move · seals 0:0" in said
    assert "you    gold silver leather" in said
    assert "Round 1 · turn 2 · Ana to move" in table.type("+g p")
    assert table.type("+d") == "! no diamond in the market: it has 2 spice, 3 camels"


def test_thoughts_over_the_prompt() -> None:
    table = Table()
    assert table.session.thoughts() == []
    assert table.session.prompt() == "deal> "
    table.type("gp lsgmm 1 me")
    best, second, third, effort = table.session.thoughts()
    assert re.fullmatch(r"> \S+   seal 60 %   70:65   clear", best)
    assert second.startswith("  ")
    assert "seal 58 %" in second
    assert "seal 56 %" in third
    assert effort == "1,234 tries in 1.0 s"
    assert table.session.prompt() == "you> "
    table.type("gp")
    assert table.session.thoughts() == ["expected: +M 75 %", "your chance of the seal: 60 %"]
    assert table.session.prompt() == "Ana> "
    table.session.thinker.answer = None
    assert table.session.thoughts() == ["thinking …"]


def test_best_why_and_odds() -> None:
    table = Table()
    table.type("gp lsgmm 1 me")
    assert len(table.type("best").splitlines()) == 4
    assert len(table.type("odds").splitlines()) == 9
    said = table.type("why")
    assert "on average, and the seal in 60 of 100 rounds." in said.replace("\n", " ")
    assert "is 2.0 ±0.5 points of seal odds behind." in said
    table.type("gp")
    assert "! Ana is to move" in table.type("best")


def test_table_tells_the_position() -> None:
    table = Table()
    table.type("gp lsgmm 1 me")
    line = table.type("table").splitlines()[-1]
    from advisor.position import read_position

    position = read_position(line)
    assert position.me.hand == (0, 1, 1, 0, 0, 1)
    assert (position.opponent.hand, position.opponent.herd, position.first) == (4, 1, "me")


def test_practice_judges_before_it_shows() -> None:
    table = Table(practice=True)
    table.type("gp lsgmm 1 me")
    assert table.session.thoughts() == ["practice: your move first"]
    assert table.type("best") == "! practice: your move first"
    answer = table.session.thinker.answer
    assert answer
    best, third = answer.lines[0], answer.lines[2]
    from advisor.live.entry import short_move

    assert table.session.judge(best.move)[1] == f"{short_move(best.move)} is the best move."  # type: ignore[index]
    assert table.session.judge(third.move)[1] == f"{short_move(third.move)} loses 4.0 ±0.5 points of seal odds."  # type: ignore[index]
    said = table.type("gp")
    assert said.splitlines()[0].startswith("+G ")


def test_fix_reports_what_fits_no_more(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path / "match.jaipur", HEADING)
    table = Table(journal=journal)
    table.type(typed_deal(seen(), 0), *(typed(turn) for turn in seen().turns[:8]))
    said = table.type("fix 5 +M LPPS")
    assert "! turn 6, DP/GM, fits no more: no diamond in the market: it has" in said
    assert "3 entries wait: make the first one anew, then redo the others." in said
    assert table.type("fix 99 +G P") == "! there is no such turn"
    assert table.type("fix x").startswith("! write fix, the number of the turn")
    table.type("fix 5 +M DPPL")
    table.type("redo 3")
    game = load(read_text((tmp_path / "match.jaipur").read_bytes()).steps)
    assert game.now.turn == 8
    assert game.now.state() == table.session.game.now.state()


def test_the_end_of_rounds_is_explained() -> None:
    table = Table(entered(seed_of(0, 0)))
    said = "\n".join(ending(table))
    assert "The round is over: " in said
    assert "You take the seal.\nSeals 1 : 0.\nAna starts the next round." in said
    assert table.session.prompt() == "deal> "
    table = Table(undecided())
    assert "Those tokens decide: turn them up" in "\n".join(ending(table))
    assert table.session.prompt() == "seals> "
    winner = sorted(table.session.game.now.winners - {None})[0]  # type: ignore[type-var]
    said = table.type(f"seals {'me' if winner == 0 else 'opponent'}")
    assert ("You take the seal." if winner == 0 else "Ana takes the seal.") in said
    match = Table(entered(seed_of(0, 0), seed_of(1, 0)))
    assert "You have won the match." in "\n".join(ending(match))
    assert match.type("gp") == "! the match is over"


def test_ties_are_explained() -> None:
    said = "\n".join(ending(Table(entered(5189))))
    assert "Equal rupees; bonus tokens " in said
    assert "Equal too; goods tokens " in said
    assert "A draw: nobody takes the seal, the round is played again." in said


def ending(table: Table) -> list[str]:
    from advisor.live import screen

    return list(screen.ending(table.session.game.now, 0, "Ana"))


# ---- the match file ----


def test_everything_typed_is_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "match.jaipur"
    table = Table(journal=Journal.create(path, HEADING))
    lines = [typed_deal(seen(), 0), *(typed(turn) for turn in seen().turns[:8]), "undo 3", "redo", "-2D", "hello"]
    lines += [
        "redo 9",
        "redo 2",
        "fix 3 -L",
        "fix 5 +M DPPL",
        "fix 0 gp lsgmm 1 me",
        "fix 5 +M LPPS",
        "undo 20",
        "fix 1 gp",
    ]
    for line in lines:
        table.type(line)
        game = load(read_text(path.read_bytes()).steps)
        assert (game.entries, game.waiting) == (table.session.game.entries, table.session.game.waiting)


def test_a_disk_full_is_told_and_made_up_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "match.jaipur"
    table = Table(journal=Journal.create(path, HEADING))
    table.type("gp lsgmm 1 me")

    def full(*_arguments: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    said = table.type("gp")
    assert "! no space left for" in said
    assert "Nothing is lost" in said
    assert "turn 2 · Ana to move" in said
    monkeypatch.undo()
    table.type("mgps")
    assert len(read_text(path.read_bytes()).entries) == 3
    assert table.type("save").startswith("Everything is kept in")


def test_a_changed_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "match.jaipur"
    table = Table(journal=Journal.create(path, HEADING), width=200)
    table.type("gp lsgmm 1 me", "gp")
    path.write_text("something else\n")
    said = table.type("mgps").replace("\n", " ")
    assert "was changed by another program" in said
    assert "match-rescued.jaipur" in said
    assert path.read_text() == "something else\n"
    assert len(read_text((tmp_path / "match-rescued.jaipur").read_bytes()).entries) == 3
    table.type("gp")
    assert len(read_text((tmp_path / "match-rescued.jaipur").read_bytes()).entries) == 4


def test_save(tmp_path: Path) -> None:
    table = Table()
    assert table.type("save") == "! this match has no file: save FILE"
    table.type("gp lsgmm 1 me", "gp")
    table.type(f"save {tmp_path}/match.json")
    record = read(json.loads((tmp_path / "match.json").read_text()))
    assert len(record.rounds[0].turns) == 1
    assert "exists already" in table.type(f"save {tmp_path}/match.json")
    assert "cannot be written" in table.type(f"save {tmp_path}/match.json/no").replace("\n", " ")
    table.type(f"save {tmp_path}/match.jaipur")
    table.type("mgps")  # the match now has this file
    assert len(read_text((tmp_path / "match.jaipur").read_bytes()).entries) == 3


# ---- words ----


def test_commands_in_every_language() -> None:
    assert command_of("Desfazer") == command_of("anulează") == command_of("UNDO") == "undo"
    assert {command_of(word) for words in COMMANDS.values() for word in words.split()} == set(COMMANDS)
    assert command_of("gp") is None


@pytest.mark.parametrize("code", speech.LANGUAGES)
def test_help_and_screens_fit_in_every_language(code: str) -> None:
    speech.use(code)
    try:
        assert len(list(help_lines())) == 17
        for width in (40, 80):
            table = Table(width=width)
            said = table.type("gp lsgmm 1 me", "+d", "best", "odds", "why", "gp", "help", "table")
            assert max(map(len, said.splitlines())) <= width
            for line in table.session.thoughts():
                assert len(line) < width
    finally:
        speech.use("en")


def test_completion() -> None:
    table = Table()
    table.type("gp lsgmm 1 me")
    assert [word for word, _ in table.session.completions("+")] == ["+G", "+M", "+P"]
    assert ("undo", "take back the last entry, or the last N") in list(table.session.completions("un"))
    assert dict(table.session.completions("+G")) == {"+G": "take gold"}
    table.type("gp")  # the opponent's hand is not known, nor are his moves
    assert list(table.session.completions("+")) == []


LINES = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["undo", "undo 2", "redo", "best", "why", "table", "odds", "seals", "seals me", "save", "fix 1 +G P"]
    ),
    st.sampled_from([typed(turn) for turn in seen().turns[:12]]),
    st.sampled_from([f"fix {n} {typed(turn)}" for n, turn in enumerate(seen().turns[:6])]),
)


@settings(max_examples=20)
@given(st.lists(LINES, max_size=12))
def test_no_conversation_breaks_it(lines: list[str]) -> None:
    table = Table()
    table.type(typed_deal(read(golden.rounds("seen")[0]["record"]).rounds[0], 0))
    for line in lines:
        if not table.session.handle(line):
            return
        game = table.session.game
        assert len(game.standings) == len(game.entries) + 1
        table.session.thoughts()
        list(table.session.completions(line[:2]))
