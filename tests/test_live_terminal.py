"""`advisor live` as a process: on a terminal, without one, killed, locked, narrow, plain and resized."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from at_table import Terminal, typed, typed_deal
from test_live_game import seen

from advisor.live.game import load
from advisor.notation import read_text, turn_text

Open = Callable[..., Terminal]


@pytest.fixture
def opened() -> Iterator[Open]:
    running: list[Terminal] = []

    def start(*arguments: str, columns: int = 80, rows: int = 24, **environment: str) -> Terminal:
        running.append(Terminal(*arguments, "--threads=1", columns=columns, rows=rows, **environment))
        return running[-1]

    yield start
    for table in running:
        table.kill()


def turns_in(path: Path) -> list[str]:
    return [turn_text(entry) for _, entry in read_text(path.read_bytes()).entries[1:]]  # type: ignore[arg-type]


def test_a_turn_on_a_terminal_killed_and_gone_on_with(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "match.jaipur"
    table = opened(f"--file={path}")
    table.until("deal>")
    table.send(typed_deal(seen(), 0) + "\r")
    table.until("tries in")
    assert "close call" in table.text() or "clear" in table.text()
    for number, turn in enumerate(seen().turns[:6], 2):
        table.send(typed(turn) + "\r")
        table.until(f"turn {number} ")
    table.send("+d\r")
    table.until("! no diamond in the market")
    table.kill()
    assert turns_in(path) == ["GP/SM", "-1P", "-1L", "-1C", "+M DPPL", "DP/GM"]
    with path.open("ab") as torn:
        torn.write(b"7. +M DP")
    again = opened("--resume", f"--file={path}")
    again.until("turn 7 ")
    assert "torn off in the middle" in again.text()
    again.send(typed(seen().turns[6]) + "\r")
    again.until("turn 8 ")
    again.send("quit\r")
    again.read(1.0)
    assert turns_in(path)[6:] == [turn_text(seen().turns[6])]
    assert load(read_text(path.read_bytes()).steps).now.turn == 7


def test_two_on_one_file(opened: Open, tmp_path: Path) -> None:
    path = tmp_path / "match.jaipur"
    table = opened(f"--file={path}")
    table.until("deal>")
    run = live("--resume", f"--file={path}")
    assert run.returncode == 2
    assert run.stderr == f"advisor: {path} is open in another advisor live\n"


@pytest.mark.parametrize(
    ("columns", "environment"),
    [(40, {}), (80, {"NO_COLOR": "1"}), (40, {"PYTHONIOENCODING": "ascii", "TERM": "dumb"})],
    ids=["narrow", "no colour", "plain"],
)
def test_any_terminal(columns: int, environment: dict[str, str], opened: Open, tmp_path: Path) -> None:
    table = opened(f"--file={tmp_path / 'm.jaipur'}", columns=columns, rows=30, **environment)
    table.until("deal>")
    table.send("gp lsgmm 1 me\r")
    table.until("tries in")
    text = table.text()
    assert "gold spice 3 camels" in text
    assert "40 cards" in text
    if "NO_COLOR" in environment:
        assert b"\x1b[3" not in table.raw.replace(b"\x1b[39", b"")
    if "PYTHONIOENCODING" in environment:
        assert text.isascii()
    table.resize(50, 20)
    table.send("gp\r")
    table.until("turn 2 ")
    table.until("of the seal")
    assert max(map(len, table.text().splitlines())) <= 50


def live(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "advisor", "live", *arguments]
    return subprocess.run(command, input=given, capture_output=True, text=True, timeout=120)


def test_without_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "match.jaipur"
    run = live(f"--file={path}", "--lang=es", given="gp lsgmm 1 yo\n+d\ngp\nsalir\n")
    assert (run.returncode, run.stderr) == (0, "")
    assert "! no hay diamante en el mercado: tiene oro, especia, 3 camellos" in run.stdout
    assert "Ronda 1 · turno 2" in run.stdout
    assert turns_in(path) == ["+G P"]
    again = live(f"--file={path}")
    assert again.returncode == 2
    assert "exists already; --resume goes on with it" in again.stderr


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    run = live(f"--file={tmp_path / 'file' / 'match.jaipur'}", given=f"gp lsgmm 1 me\ngp\nsave {tmp_path}/m.jaipur\n")
    assert run.returncode == 0
    assert "The match cannot be kept" in run.stdout
    assert turns_in(tmp_path / "m.jaipur") == ["+G P"]


def test_no_match_to_go_on_with(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "advisor", "live", "--resume"]
    environment = os.environ | {"XDG_DATA_HOME": str(tmp_path)}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == "advisor: there is no match to go on with\n"


def test_an_unknown_language() -> None:
    run = live("--lang=de")
    assert run.returncode == 2
    assert run.stderr == "advisor: --lang: read 'de', expected one of en, pt, es, ro\n"


@pytest.mark.parametrize("code", ["en", "pt", "es", "ro"])
def test_rules(code: str) -> None:
    command = [sys.executable, "-m", "advisor", "rules", "--lang", code]
    run = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"COLUMNS": "80"}, timeout=60)
    assert run.returncode == 0
    assert "7 7 5 5 5" in run.stdout
    assert {"en": "Rulings", "pt": "Esclarecimentos", "es": "Aclaraciones", "ro": "Precizări"}[code] in run.stdout
    assert max(map(len, run.stdout.splitlines())) <= 80
