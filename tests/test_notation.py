"""Records in their text form: what is printed is read again as it was, and faults are named by their line."""

import json
from contextlib import suppress
from pathlib import Path

import golden
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from advisor import cli
from advisor.notation import (
    Heading,
    Redo,
    Seal,
    Undo,
    heading_text,
    read_any,
    read_text,
    record_json,
    record_of,
    record_text,
    step_text,
)
from advisor.record import Record, RecordError, Turn, read
from advisor.words import parse_move

SHORT = """jaipur-record/1
player 1: Ana  # what follows a name belongs to it
player 2: "  "

round: 2 starts,   # a remark
  market 2G3M, hands GSLMM / -
1. take gold P
2. ll/gm
   # an empty remark
+M GPS
"""


def records() -> list[Record]:
    return [read(line["record"]) for name in ("full", "seen", "brief") for line in golden.rounds(name)]


def test_golden_records_come_back_from_their_text() -> None:
    for record in records():
        text = record_text(record)
        assert read_any(text.encode()) == record
        assert record_text(read_any(text.encode())) == text


def test_json_form_comes_back() -> None:
    for record in records()[::20]:
        assert read(record_json(record)) == record


names = st.text(max_size=12)


@given(st.tuples(names, names), st.integers(0, 51), st.integers(0, 40), st.integers(0, 1))
def test_any_part_of_a_match_comes_back(players: tuple[str, str], which: int, turns: int, deck_end: int) -> None:
    (played,) = RECORDS[which].rounds
    part = played._replace(turns=played.turns[:turns], deck_end=deck_end)
    record = Record(players, (part, part._replace(turns=())))
    assert read_any(record_text(record).encode("utf-8", "surrogatepass")) == record


RECORDS = [read(line["record"]) for name in ("full", "seen") for line in golden.rounds(name)]


def test_the_text_of_a_round() -> None:
    lines = record_text(RECORDS[16]).splitlines()
    assert lines[:7] == [
        "jaipur-record/1",
        "player 1: north",
        "player 2: south",
        "",
        "round: 1 starts, market GPMMM, hands GSLMM / M",
        "1. GP/SM",
        "2. -1P",
    ]
    assert "15. -3P 3" in lines
    assert "5. +M DPPL" in lines


def test_people_write_freely() -> None:
    sheet = read_text(SHORT)
    assert sheet.heading == Heading(("Ana  # what follows a name belongs to it", "  "), None)
    (played,) = record_of(sheet).rounds
    assert played.first == 1
    assert played.market == (0, 2, 0, 0, 0, 0, 3)
    assert played.hands == ((0, 1, 1, 0, 0, 1, 2), (0,) * 7)
    spice, three = (0, 0, 0, 0, 1, 0, 0), (0, 1, 1, 0, 1, 0, 0)
    assert played.turns == (
        Turn(parse_move("+G"), spice, None),
        Turn(parse_move("LL/GM"), None, None),
        Turn(parse_move("+M"), three, None),
    )


def test_corrections_are_drawn_up() -> None:
    head = "jaipur-record/1\nplayer 1: a\nplayer 2: b\nme: 2\nround: 1 starts, market GPMMM, hands - / -\n"
    sheet = read_text(head + "1. +G P\n2. +P L\n3. +L S\nundo 3\n1. +P D\nredo 1\n3. +M GPS\nseal: draw\n")
    assert [step_text(entry) for _, entry in sheet.entries][1:] == ["+P D", "+P L", "+M GSP", "seal: draw"]
    assert [step for _, step in sheet.steps if isinstance(step, Undo | Redo)] == [Undo(3), Redo(1)]
    assert sheet.steps[-1][1] == Seal(None)
    assert sheet.heading.me == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("7. +G P", "read turn number 7, expected 2"),
        ("2. +X P", "is no move"),
        ("2. -3L 7", "read 7, expected the value of a bonus token"),
        ("undo 9", "takes back 9 entries, there are 2"),
        ("redo 1", "makes 1 entries again, 0 wait"),
        ("seal: me", "expected 1, 2 or draw"),
        ("round: 3 starts", "expected '1 starts' or '2 starts'"),
        ("round: 1 starts, market GP, hands - / -", "read 2 cards, expected 5"),
        ("round: 1 starts, market GPMMM", "left out"),
        ("round: 1 starts, colour red", "expected one of"),
        ("round: 1 starts, market GPMMM, hands - / -, bonus 1 / 2 / 3", "in any order"),
        ("position: JP1000", "one may be lost"),
    ],
)
def test_a_fault_names_its_line(line: str, message: str) -> None:
    text = f"jaipur-record/1\nplayer 1: a\nplayer 2: b\nround: 1 starts, market GPMMM, hands - / -\n+G P\n{line}\n"
    with pytest.raises(RecordError) as error:
        read_text(text)
    assert {fault.field for fault in error.value.faults} == {"line 6"}
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "read nothing"),
        ("jaipur-record/2\n", "expected 'jaipur-record/1'"),
        ("jaipur-record/1\nplayer 1: a\n", "no line 'player 2"),
        ("jaipur-record/1\nplayer 1: a\nplayer 2: b\n+G P\n", "expected a line 'round: …' first"),
    ],
)
def test_what_is_no_sheet(text: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        read_text(text)


@given(st.text(max_size=200), st.booleans())
def test_no_text_breaks_the_reader(text: str, headed: bool) -> None:
    head = "jaipur-record/1\nplayer 1: a\nplayer 2: b\nround: 1 starts, market GPMMM, hands - / -\n" if headed else ""
    with suppress(RecordError):
        sheet = read_text(head + text)
        assert heading_text(sheet.heading).startswith("jaipur-record/1")


# ---- commands ----


def run(*arguments: str) -> str:
    result = CliRunner().invoke(cli.app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_commands(tmp_path: Path) -> None:
    whole, text = tmp_path / "match.json", tmp_path / "match.jaipur"
    whole.write_text(json.dumps(golden.rounds("seen")[0]["record"]))
    text.write_text(run("record", "convert", str(whole)))
    assert text.read_text() == record_text(RECORDS[16])
    assert json.loads(run("record", "convert", str(text))) == record_json(RECORDS[16])
    assert run("record", "convert", str(text), "--to", "text") == text.read_text()
    assert (
        run("record", "check", str(text))
        == f"The record is sound: 1 round, {len(RECORDS[16].rounds[0].turns)} turns.\n"
    )
    assert run("record", "show", str(text)) == run("replay", str(whole))
