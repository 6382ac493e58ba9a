"""Screens: nothing is lost on narrow terminals, without colour or without Unicode."""

import io
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pexpect
import pytest
from rich.console import Console

from advisor.advice import Advice, Gap, Match, Row, Rupees, Seal, Search
from advisor.position import Position, read_position
from advisor.report import show_advice, show_check, show_moves, show_position, show_replay

EXAMPLES = Path(__file__).parents[1] / "examples"
MIDGAME = read_position((EXAMPLES / "midgame.toml").read_bytes())
LONGEST = "exchange diamond diamond silver silver silver for leather leather leather leather camel"


def row(rank: int, win: float, move: str = "sell 2 silver", **rest: Any) -> Row:
    seal, gap = Seal(win, 0.0, 1 - win, 0.004), Gap((rank - 1) * 0.02, 0.005)
    return Row(rank, move, Rupees(68.1, 64.9, 3.2, 0.4), seal, Match(0.71), gap, 1000, 5000, 0.41)


def advice(*rows: Row, position: Position = MIDGAME, legal: int = 24) -> Advice:
    return Advice(position, rows, legal, Search(210_000, 1.0, 300_000, 1, 1))


ADVICE = advice(row(1, 0.582), row(2, 0.562, LONGEST), row(17, 0.5, "take camels"))


def screen(show: Callable[..., None], *what: Any, width: int = 80, **console: Any) -> str:
    out = Console(file=io.StringIO(), width=width, highlight=False, markup=False, emoji=False, **console)
    show(out, *what)
    return out.file.getvalue()  # type: ignore[attr-defined]


def words(text: str) -> list[str]:
    return text.split()


def test_the_table_as_read() -> None:
    lines = [line.rstrip() for line in screen(show_position, MIDGAME).splitlines()]
    assert lines == [
        "market   gold spice leather camel camel",
        "you      silver silver spice leather leather",
        "         herd 3   rupees 24   seals 1  bonus 2",
        "opponent gold leather + 3 unknown",
        "         herd 2   rupees 18   seals 0  bonus for 3 cards",
        "tokens   diamond 7 7 5 5 5  gold    6 6 5 5 5  silver  5 5 5",
        "         cloth   2 2 1 1    spice   2 2 1 1    leather 1 1 1 1 1",
        "bonus    5 for 3 cards   6 for 4 cards   5 for 5 cards",
        "deck     23 cards   the opponent started",
        "sold     2 silver   3 cloth   3 spice   4 leather",
        "",
        MIDGAME.line(),
    ]


def test_the_ranked_moves() -> None:
    shown = screen(show_advice, ADVICE)
    ranking = [words(line) for line in shown.splitlines() if line[:2].strip() in ("#", "1", "17")]
    assert ranking == [
        words("# move seal % match rupees lead tried"),
        words("1 sell 2 silver 58.2 ±0.4 71.0 68:65 +3.2 41 %"),
        words("17 take camels 50.0 ±0.4 71.0 68:65 +3.2 41 %"),
    ]
    assert shown.splitlines()[-3:] == ["", MIDGAME.line(), "1.0 s, 210,000 iterations, seed 1; 3 of 24 moves"]


@pytest.mark.parametrize(
    ("rows", "legal", "verdict"),
    [
        ([row(1, 0.5), replace(row(2, 0.5), gap=Gap(0.013, 0.005))], 2, "Clear: 1 is ahead of 2 by 1.3 ±0.5 points"),
        ([row(1, 0.5), replace(row(2, 0.5), gap=Gap(0.009, 0.005))], 2, "Close call: 1 is ahead of 2 by 0.9 ±0.5"),
        ([row(1, 0.5), replace(row(2, 0.5), gap=Gap(-0.009, 0.005))], 2, "Close call: 2 is ahead of 1 by 0.9 ±0.5"),
        ([row(1, 0.5), replace(row(2, 0.5), gap=Gap(0.0, 0.0))], 2, "Close call: 1 and 2 lead to the same seal odds."),
        ([row(1, 0.5), row(2, 0.5)][:1], 24, "The best of 24 moves."),
        ([row(1, 0.5), row(9, 0.3)], 24, "The best of 24 moves."),
        ([row(1, 0.5)], 1, "This is the only legal move."),
    ],
)
def test_how_clear_the_best_move_is(rows: list[Row], legal: int, verdict: str) -> None:
    assert verdict in screen(show_advice, advice(*rows, legal=legal))


def test_a_solved_ending_is_told_without_errors() -> None:
    def verdict(gap: float) -> str:
        solved = replace(advice(row(1, 0.6), replace(row(2, 0.5), gap=Gap(gap, 0.0))), solved=True)
        return screen(show_advice, solved).splitlines()[-4]

    assert verdict(0.1) == "Solved: 1 is ahead of 2 by 10.0 points of seal odds."
    assert verdict(0.0) == "Solved: 1 and 2 lead to the same seal odds."


def test_what_the_search_spent() -> None:
    stopped = replace(ADVICE, search=replace(ADVICE.search, threads=2), interrupted=True)
    assert "stopped after 1.0 s, 210,000 iterations, 2 threads, seed 1" in screen(show_advice, stopped)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"me": {"hand": "CL", "seals": 2}}, "a player has two seals"),
        ({"me": {"hand": "CL", "rupees": 40}, "tokens": {"diamond": 0, "gold": 0, "silver": 0}}, "three piles"),
    ],
)
def test_a_finished_table_says_why(changes: dict[str, Any], reason: str) -> None:
    finished = read_position({"market": "DGCPL", "opponent": {"hand": 5}} | changes)
    assert reason in screen(show_position, finished)
    assert reason in screen(show_moves, finished, [])
    nothing = screen(show_advice, advice(position=finished, legal=0))
    assert reason in nothing
    assert "seal %" not in nothing


def test_what_is_open_is_marked() -> None:
    herd_open = read_position((EXAMPLES / "unknown-herd.toml").read_bytes())
    assert "herd ?" in screen(show_position, herd_open)
    assert "opponent.herd" in screen(show_check, herd_open)
    assert "Not known" not in screen(show_check, MIDGAME)


EVERY_SCREEN: list[tuple[Callable[..., None], Any]] = [
    (show_advice, ADVICE),
    *((show_position, read_position(path.read_bytes())) for path in sorted(EXAMPLES.glob("*.toml"))),
    (show_position, read_position({"market": "5C", "me": {"hand": "6D P"}, "opponent": {"hand": 7, "seen": "6S P"}})),
]


@pytest.mark.parametrize("width", [40, 64, 80, 200])
@pytest.mark.parametrize(("show", "what"), EVERY_SCREEN)
def test_every_width_shows_every_word(show: Callable[..., None], what: Any, width: int) -> None:
    shown = screen(show, what, width=width)
    assert all(len(line.rstrip()) <= width for line in shown.splitlines())
    assert "…" not in shown
    columns = {"match", "tried"}
    wide = set(words(screen(show, what, width=200))) - columns
    assert {word for word in wide if word.isalpha()} <= set(words(shown))


@pytest.mark.parametrize(("show", "what"), EVERY_SCREEN)
def test_colours_add_nothing(show: Callable[..., None], what: Any) -> None:
    plain = screen(show, what)
    coloured = Console(file=io.StringIO(), width=80, force_terminal=True, color_system="truecolor", record=True)
    show(coloured, what)
    assert coloured.file.getvalue() != plain  # type: ignore[attr-defined]
    assert words(coloured.export_text()) == words(plain)


def test_without_unicode() -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    show_advice(Console(file=file, width=80, highlight=False), ADVICE)
    file.seek(0)
    assert "58.2 +-0.4" in file.read()


def test_a_replay() -> None:
    turn = {"market": {"gold": 2, "camel": 3}, "deck": 40, "rupees": [0, 0]}
    states = [turn | {"turn": 1, "move": "take gold"}, turn | {"turn": 0, "deck": 39}]
    over = [states[0], turn | {"turn": 0, "over": "deck", "rupees": [40, 45], "seal": 1, "result": "won"}]
    draw = [turn | {"turn": 0, "over": "piles", "rupees": [40, 40], "seal": None, "result": "draw"}]
    open_end = [turn | {"turn": 0, "over": "piles", "rupees": [40, 40], "seal": None, "result": "unknown"}]
    shown = screen(show_replay, ["Ana", "Ben"], [states, over, draw, open_end])
    assert "Round 1: Ben starts" in shown
    assert words("1 Ben take gold GGMMM 39 0 : 0") in map(words, shown.splitlines())
    assert "The record stops here: Ana is to move." in shown
    assert "the deck is exhausted. 40 : 45, Ben wins the seal." in shown
    assert "are empty. 40 : 40, a draw." in shown
    assert "are empty. 40 : 40, bonus tokens of unknown value decide." in " ".join(words(shown))
    assert screen(show_replay, ["Ana", "Ben"], []) == "The record has no rounds.\n"


@pytest.mark.parametrize(("no_color", "escapes"), [("", True), ("1", False)])
def test_escape_codes_on_a_terminal(no_color: str, escapes: bool) -> None:
    command = f"{sys.executable} -m advisor position show {EXAMPLES / 'midgame.toml'}"
    environment = {"TERM": "xterm-256color", "NO_COLOR": no_color}
    shown = pexpect.run(command, env=os.environ | environment)
    assert b"JP1" in shown
    assert (b"\x1b[" in shown) == escapes
